import subprocess
import sys
from pathlib import Path

import pytest

import cladebench.methods as methods
from cladebench.methods.base import HierarchicalClusterer

SOURCE = """
from cladebench.methods.base import HierarchicalClusterer
from cladebench.methods.controls import RandomTree

class {name}(HierarchicalClusterer):
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def _build(self, X, y):
        return RandomTree(random_state=0).fit(X).hierarchy_

class _Private(HierarchicalClusterer):
    pass

class Unfinished(HierarchicalClusterer):
    pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(methods, "__path__", [*methods.__path__, str(tmp_path)])
    methods._registry.cache_clear()
    yield tmp_path
    methods._registry.cache_clear()
    for name in [name for name in sys.modules if name.startswith("cladebench.methods.dropped_in")]:
        del sys.modules[name]


def test_a_new_file_is_a_new_method(folder: Path) -> None:
    (folder / "dropped_in.py").write_text(SOURCE.format(name="DroppedIn"))
    from cladebench.methods import DroppedIn

    assert methods.discover()["DroppedIn"] is DroppedIn
    assert DroppedIn().fit([[0.0], [1.0], [2.0]]).labels_.shape == (3,)
    assert "DroppedIn" in dir(methods)
    assert {"_Private", "Unfinished"}.isdisjoint(methods.discover())


def test_a_new_package_is_a_new_method(folder: Path) -> None:
    (folder / "dropped_in_package").mkdir()
    (folder / "dropped_in_package" / "estimator.py").write_text(SOURCE.format(name="FromPackage"))
    (folder / "dropped_in_package" / "__init__.py").write_text("from .estimator import FromPackage\n")
    assert issubclass(methods.discover()["FromPackage"], HierarchicalClusterer)


def test_two_methods_of_one_name(folder: Path) -> None:
    (folder / "dropped_in.py").write_text(SOURCE.format(name="Agglomerative"))
    with pytest.raises(ImportError, match=r"two methods are named Agglomerative.*dropped_in"):
        methods.discover()


def test_names_are_sorted_and_unknown_ones_refused() -> None:
    assert list(methods.discover()) == sorted(methods.discover())
    with pytest.raises(AttributeError, match="NoSuchMethod"):
        _ = methods.NoSuchMethod
    with pytest.raises(ImportError, match="NoSuchMethod"):
        from cladebench.methods import NoSuchMethod  # noqa: F401


def test_a_submodule_is_imported_alone() -> None:
    script = (
        "import sys; from cladebench.methods import birch;"
        "assert 'cladebench.methods.controls' not in sys.modules and birch.BirchTree"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
