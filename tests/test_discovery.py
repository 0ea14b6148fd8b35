import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import cladebench
import cladebench.distances as distances
import cladebench.methods as methods
from cladebench.discovery import Discovered, exports
from cladebench.methods.base import Clusterer, HierarchicalClusterer

SOURCE = """
from cladebench.methods.base import Clusterer

class {name}(Clusterer):
    def _cluster(self, X, y):
        return 7 - 3 * (X[:, 0] > X[:, 0].mean())
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package of methods as ours is, with one that works."""
    folder = tmp_path / "my_methods"
    folder.mkdir()
    (folder / "__init__.py").write_text(Path(methods.__file__).read_text())
    (folder / "__init__.pyi").write_text("from .whole import Whole as Whole\n")
    (folder / "whole.py").write_text(SOURCE.format(name="Whole"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("my_methods")
    for name in [name for name in sys.modules if name.split(".")[0] == "my_methods"]:
        del sys.modules[name]


def test_a_line_of_the_stub_exports_a_class(mine: ModuleType) -> None:
    assert dir(mine) == mine.__all__ == ["Whole", "discover"]
    assert "my_methods.whole" not in sys.modules
    assert mine.discover() == {"Whole": mine.Whole} and mine.Whole.__module__ == "my_methods.whole"
    assert mine.discover(Clusterer) == mine.discover() and mine.discover(HierarchicalClusterer) == {}
    fitted = mine.Whole().fit([[3.0], [1.0], [4.0], [0.0]])
    assert fitted.labels_.tolist() == [0, 1, 0, 1] and fitted.n_clusters_ == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import no_such_package\n", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("class Broken:\n    def (\n", "SyntaxError: invalid syntax"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("", "AttributeError: module 'my_methods.broken' has no attribute 'Broken'"),
    ],
)
def test_a_module_that_cannot_be_imported_is_named_and_leaves_the_others_alive(
    mine: ModuleType, text: str, error: str
) -> None:
    folder = Path(mine.__file__).parent
    with open(folder / "__init__.pyi", "a") as stub:
        stub.write("from .broken import Broken as Broken\n")
    (folder / "broken.py").write_text(text)
    exports.cache_clear()
    with pytest.warns(UserWarning) as caught:
        assert list(mine.discover()) == ["Whole"]
    (said,) = [str(warning.message) for warning in caught if "my_methods" in str(warning.message)]
    assert (
        said.startswith("my_methods has no Broken: my_methods.broken cannot be imported (") and error in said
    )
    with pytest.raises(ImportError, match=r"has no Broken: .* cannot be imported") as told:
        _ = mine.Broken
    assert error in str(told.value)


@pytest.mark.parametrize("package", [methods, distances])
def test_every_class_of_the_folder_is_exported(package: ModuleType) -> None:
    """Or a new file lacks its line in the stub."""
    for info in pkgutil.iter_modules(package.__path__):
        if info.name == "base" or info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for name, value in vars(module).items():
            defined_here = f"{getattr(value, '__module__', '')}.".startswith(f"{module.__name__}.")
            if inspect.isclass(value) and issubclass(value, Discovered) and defined_here:
                assert name.startswith("_") or inspect.isabstract(value) or getattr(package, name) is value


def test_no_name_is_exported_twice() -> None:
    stubs = {package: Path(package.__file__).with_suffix(".pyi") for package in (methods, distances)}
    names = [
        line.split()[-1]
        for stub in stubs.values()
        for line in stub.read_text().splitlines()
        if " as " in line
    ]
    assert len(names) == len(set(names)) == sum(len(package.discover()) for package in stubs)


def test_no_export_has_the_name_of_a_module_beside_it() -> None:
    """Or the package's attribute is the module, as soon as anything imports it."""
    for stub in Path(cladebench.__file__).parent.rglob("__init__.pyi"):
        modules = {info.name for info in pkgutil.iter_modules([str(stub.parent)])}
        assert modules & set(exports(stub)) == set(), stub


def test_names_are_sorted_and_unknown_ones_refused() -> None:
    assert list(methods.discover()) == sorted(methods.discover()) and "HMMC" in dir(methods)
    with pytest.raises(AttributeError, match="NoSuchMethod"):
        _ = methods.NoSuchMethod
    with pytest.raises(ImportError, match="NoSuchMethod"):
        from cladebench.methods import NoSuchMethod  # noqa: F401


def test_a_class_is_imported_alone() -> None:
    script = (
        "import sys; from cladebench.methods import BirchTree, birch;"
        "assert 'cladebench.methods.controls' not in sys.modules and birch.BirchTree is BirchTree"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("package", "wrong", "meant"),
    [
        ("cladebench", "Hierachy", "Hierarchy"),
        ("cladebench.methods", "Aglomerative", "Agglomerative"),
        ("cladebench.methods", "birch_tree", "BirchTree"),
        ("cladebench.distances", "IMTL", "ITML"),
        ("cladebench.metrics", "DasguptaCost", "dasgupta_cost"),
        ("cladebench.solvers", "fit_tree_metrics", "fit_tree_metric"),
    ],
)
def test_of_a_misspelt_name_the_nearest_is_told(package: str, wrong: str, meant: str) -> None:
    with pytest.raises(
        AttributeError, match=rf"^module '{package}' has no attribute '{wrong}'; did you mean '{meant}'\?$"
    ):
        getattr(importlib.import_module(package), wrong)


@pytest.mark.parametrize("name", ["__perch__", "Qqqq"])
def test_of_a_name_like_no_other_or_of_programs_none_is_told(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'$"):
        getattr(methods, name)
