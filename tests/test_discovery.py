import subprocess
import sys
from pathlib import Path

import pytest

import cladebench.distances as distances
import cladebench.methods as methods
from cladebench.methods.base import Clusterer, HierarchicalClusterer

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
    methods._FOLDER.refresh()
    yield tmp_path
    methods._FOLDER.refresh()
    for name in [name for name in sys.modules if name.startswith("cladebench.methods.dropped_in")]:
        del sys.modules[name]


def test_a_new_file_is_a_new_method(folder: Path) -> None:
    (folder / "dropped_in.py").write_text(SOURCE.format(name="DroppedIn"))
    from cladebench.methods import DroppedIn

    assert methods.discover()["DroppedIn"] is DroppedIn
    assert DroppedIn().fit([[0.0], [1.0], [2.0]]).labels_.shape == (3,)
    assert "DroppedIn" in dir(methods)
    assert {"_Private", "Unfinished"}.isdisjoint(methods.discover())


def test_a_file_that_came_later_is_known_after_a_refresh(folder: Path) -> None:
    assert "dropped_in" not in methods._FOLDER._module_names
    (folder / "dropped_in.py").write_text("")
    methods._FOLDER.refresh()
    assert "dropped_in" in methods._FOLDER._module_names


def test_a_new_package_is_a_new_method(folder: Path) -> None:
    (folder / "dropped_in_package").mkdir()
    (folder / "dropped_in_package" / "estimator.py").write_text(SOURCE.format(name="FromPackage"))
    (folder / "dropped_in_package" / "__init__.py").write_text("from .estimator import FromPackage\n")
    assert issubclass(methods.discover()["FromPackage"], HierarchicalClusterer)


def test_two_methods_of_one_name(folder: Path) -> None:
    (folder / "dropped_in.py").write_text(SOURCE.format(name="Agglomerative"))
    with pytest.raises(
        ImportError, match=r"two classes are named Agglomerative: in .*agglomerative and in .*dropped_in"
    ):
        methods.discover()


BROKEN = {
    "a name that is not there": (
        "import no_such_package\n",
        "ModuleNotFoundError: No module named 'no_such_package'",
    ),
    "no Python": ("class Broken:\n    def (\n", "SyntaxError: invalid syntax"),
    "a script that ends": ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_module_that_cannot_be_imported_is_named_and_leaves_the_others_alive(
    folder: Path, fault: str
) -> None:
    text, error = BROKEN[fault]
    (folder / "dropped_in_broken.py").write_text(text + "\n\n" + SOURCE.format(name="Broken"))
    (folder / "dropped_in_whole.py").write_text(SOURCE.format(name="Whole"))
    with pytest.warns(UserWarning) as caught:
        found = methods.discover()
    said = [str(warning.message) for warning in caught if "dropped_in_broken.py" in str(warning.message)]
    assert len(said) == 1 and error in said[0] and str(folder / "dropped_in_broken.py") in said[0]
    assert {"Whole", "Agglomerative"} <= set(found) and "Broken" not in found
    with pytest.raises(
        ImportError, match=r"has no Broken: .*dropped_in_broken\.py cannot be imported"
    ) as told:
        _ = methods.Broken
    assert error in str(told.value)
    with pytest.raises(AttributeError, match="NoSuchMethod"):
        _ = methods.NoSuchMethod


def test_a_class_of_a_package_that_cannot_be_imported(folder: Path) -> None:
    package = folder / "dropped_in_package"
    package.mkdir()
    (package / "__init__.py").write_text("import no_such_package\n")
    (package / "inner.py").write_text(SOURCE.format(name="Inner"))
    with (
        pytest.warns(UserWarning, match="no_such_package"),
        pytest.raises(ImportError, match=r"has no Inner: .*no_such_package"),
    ):
        _ = methods.Inner


def test_flat_clusterers_are_methods_too(folder: Path) -> None:
    (folder / "dropped_in.py").write_text(
        "from cladebench.methods.base import Clusterer\n\n\n"
        "class Halves(Clusterer):\n"
        "    def _cluster(self, X, y):\n        return 7 - 3 * (X[:, 0] > X[:, 0].mean())\n"
    )
    assert methods.discover(Clusterer)["Halves"] is methods.Halves
    assert "Halves" not in methods.discover(HierarchicalClusterer)
    found = methods.Halves().fit([[3.0], [1.0], [4.0], [0.0]])
    assert found.labels_.tolist() == [0, 1, 0, 1] and found.n_clusters_ == 2


def test_distances_are_found_in_their_own_folder() -> None:
    from cladebench.distances import Euclidean

    assert distances.discover()["Euclidean"] is Euclidean and "Euclidean" in dir(distances)
    assert "Distance" not in distances.discover() and "LinearDistance" not in distances.discover()
    assert not set(distances.discover()) & set(methods.discover())


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
