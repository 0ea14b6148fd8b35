import shutil
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from cladebench import datasets
from cladebench.bench.provenance import import_closure as sources
from cladebench.datasets import registry, sets
from cladebench.input_files import InputFileError


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with lazy exports, relative imports and imports inside functions."""
    files = {
        "__init__.py": "",
        "start.py": "from pkgx.methods import Lazy\nfrom . import near\nimport numpy\n",
        "near.py": "def f():\n    from .sub.deep import g\n    return g\n",
        "sub/__init__.py": "from .other import *\n",
        "sub/deep.py": "g = 1\n",
        "sub/other.py": "import pkgx.dotted.name\n",
        "dotted/__init__.py": "",
        "dotted/name.py": "",
        "methods/__init__.py": "def __getattr__(name): ...\n",
        "methods/__init__.pyi": "from .lazy import Lazy as Lazy\nfrom .unused import Unused as Unused\n",
        "methods/lazy.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pkgx.typing_only\n"
        "class Lazy: ...\n",
        "methods/unused.py": "class Unused: ...\n",
        "typing_only.py": "",
    }
    for name, text in files.items():
        path = tmp_path / "pkgx" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for cached in (sources._top_level, sources.find_file, sources._tree):
        cached.cache_clear()
    yield tmp_path / "pkgx"
    for cached in (sources._top_level, sources.find_file, sources._tree):
        cached.cache_clear()


def names(files, root):
    return [path.relative_to(root).as_posix() for path in files]


def test_closure_follows_every_kind_of_import(package):
    assert names(sources.closure(["pkgx.start"]), package) == [
        "__init__.py",
        "dotted/__init__.py",
        "dotted/name.py",
        "methods/__init__.py",
        "methods/lazy.py",
        "near.py",
        "start.py",
        "sub/__init__.py",
        "sub/deep.py",
        "sub/other.py",
    ]


def test_digest_hears_content_and_names_but_not_the_place(package, tmp_path):
    files = sources.closure(["pkgx.start"])
    digest = sources.code_digest(files)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    package.rename(moved / "pkgx")
    there = [moved / "pkgx" / path.relative_to(package) for path in files]
    assert sources.code_digest(reversed(there)) == digest
    deep = moved / "pkgx/sub/deep.py"
    renamed = deep.rename(deep.with_name("deeq.py"))  # in the same place of the order
    assert sources.code_digest([renamed if path == deep else path for path in there]) != digest
    renamed.rename(deep).write_text("g = 2\n")
    assert sources.code_digest(there) != digest


def test_a_new_line_of_a_stub_is_no_new_code(package):
    """Or each new method would make the records of all others stale."""
    digest = sources.code_digest(sources.closure(["pkgx.start"]))
    with open(package / "methods/__init__.pyi", "a") as stub:
        stub.write("from .more import More as More\n")
    assert sources.code_digest(sources.closure(["pkgx.start"])) == digest
    (package / "methods/lazy.py").write_text("class Lazy:\n    edited = True\n")
    assert sources.code_digest(sources.closure(["pkgx.start"])) != digest


def test_a_module_without_source_is_named():
    with pytest.raises(ValueError, match=r"'cladebench\.nothing' has no source"):
        sources.closure(["cladebench.nothing"])


def test_estimators_are_found_without_importing_them():
    assert sources.estimator_module("Agglomerative") == "cladebench.methods.agglomerative"
    assert sources.estimator_module("cladebench.methods.Agglomerative") == "cladebench.methods.agglomerative"
    assert sources.estimator_module("cladebench.methods.agglomerative.Agglomerative") == (
        "cladebench.methods.agglomerative"
    )
    assert sources.estimator_module("NoSuchEstimator") is None


def test_a_cell_depends_on_its_own_method_and_not_on_others_or_the_watchdog():
    files = {
        path.as_posix().partition("src/cladebench/")[2]
        for path in sources.cell_sources("toy_paper", "Agglomerative")
    }
    assert {
        "methods/agglomerative.py",
        "methods/base.py",
        "hierarchy.py",
        "rooted_tree.py",
        "bench/run/run_cell.py",
        "bench/plan/cell_spec.py",
    } <= files
    assert (
        not {"methods/birch.py", "bench/run/watchdog.py", "bench/plan/plan.py", "bench/store/store.py"}
        & files
    )


@pytest.fixture(autouse=True)
def fresh_holders():
    """What is installed is looked through once a process; tests here install libraries of their own."""
    sources._holders.cache_clear()
    yield
    sources._holders.cache_clear()


def tails(files):
    return {path.as_posix().rpartition("cladebench/")[2] for path in files}


def test_job_sources_add_the_files_of_the_jobs_own_data_set():
    files = sources.job_sources("toy_paper", ["good"], ["glass"])
    assert files == sorted(files) and all(isinstance(path, Path) for path in files)
    assert any(path.as_posix().endswith("toy_paper/protocol.py") for path in files)
    glass, blobs = tails(files), tails(sources.job_sources("toy_paper", ["good"], ["nested-blobs"]))
    assert glass - blobs == {"datasets/sets/uci.py"} and blobs - glass == {"datasets/sets/generators.py"}
    common = {f"datasets/{name}.py" for name in ("base", "checks", "content", "derived", "fetch", "registry")}
    assert common <= glass & blobs


def test_a_new_data_set_file_is_a_source_of_no_other_data_sets_job(tmp_path, monkeypatch):
    before = {name: sources.job_sources("toy_paper", ["good"], [name]) for name in datasets.names()}
    (tmp_path / "newcomer.py").write_text(
        "import dataclasses\n"
        "from cladebench.datasets.sets.generators import DATASETS as blobs\n"
        "DATASETS = (dataclasses.replace(blobs[0], name='newcomer'),)\n"
    )
    monkeypatch.setattr(sets, "__path__", [*sets.__path__, str(tmp_path)])
    registry.registry.cache_clear()
    try:
        assert {
            name: sources.job_sources("toy_paper", ["good"], [name]) for name in datasets.names()
        } == before | {
            "newcomer": sorted([*before["nested-blobs"], tmp_path / "newcomer.py"]),
        }
    finally:
        registry.registry.cache_clear()
        sys.modules.pop("cladebench.datasets.sets.newcomer", None)
        if hasattr(sets, "newcomer"):
            del sets.newcomer


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library in site-packages, and beside it a paper that was installed there."""
    for name, text in {
        "libx/__init__.py": "",
        "libx/deep.py": "import libx.more\nclass Found: ...\n",
        "libx/more.py": "",
        "paperx/__init__.py": "",
        "paperx/protocol.py": "from paperx import helper\nimport libx.deep\n",
        "paperx/helper.py": "",
    }.items():
        path = tmp_path / "site-packages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    cached = (sources._top_level, sources.find_file, sources.cell_sources)
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


def test_libraries_are_not_walked_into(library):
    assert sources.estimator_module("libx.Found") == "libx"
    assert sources.closure(["libx.deep"]) == []
    files = [path.as_posix() for path in sources.closure(["libx.deep", "cladebench.notation"])]
    assert any(file.endswith("cladebench/notation.py") for file in files)
    assert not any("site-packages/libx" in file for file in files)
    theirs = sources.cell_sources("toy_paper", "sklearn.neighbors.NeighborhoodComponentsAnalysis")
    assert theirs == sources.cell_sources("toy_paper", "NoSuchEstimator")


def test_a_paper_is_followed_wherever_it_is_installed(library):
    tails = {
        path.as_posix().partition("site-packages/")[2]
        for path in sources.cell_sources("paperx", "libx.Found")
    }
    assert {"paperx/protocol.py", "paperx/helper.py", "paperx/__init__.py"} <= tails
    assert not any(tail.startswith("libx") for tail in tails)


def test_what_is_a_library():
    assert sources.is_library("sklearn.neighbors") and sources.is_library("json.decoder")
    assert not sources.is_library("cladebench.methods") and not sources.is_library("toy_paper")


@pytest.fixture
def distribution(library, tmp_path):
    """What installs the library, and the paper too."""
    folder = tmp_path / "site-packages" / "lib_x-1.5.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: lib-x\nVersion: 1.5\n")
    (folder / "top_level.txt").write_text("libx\npaperx\n")


def test_distributions_of_a_library_s_estimator(distribution):
    for named, found in (
        ("no_such_library.X", ("lib-x",)),
        ("sklearn.cluster.HDBSCAN", ("lib-x", "scikit-learn")),
    ):
        assert sources.library_distributions("paperx", named) == found
    assert "numpy" in sources.library_distributions("paperx", "HMMC")


def test_libraries_that_a_paper_or_a_method_imports_count(distribution):
    assert sources.library_distributions("paperx", "libx.Found") == ("lib-x",)
    assert "lib-x" in sources.library_distributions("paperx", "HMMC")
    assert "lib-x" in sources.library_distributions("toy_paper", "libx.Found")
    assert "lib-x" not in sources.library_distributions("toy_paper", "HMMC")
    assert "jax" in sources.library_distributions("cladebench.papers.ghc", "GHC")
    study = "cladebench.papers.hmmc.assignment_study.run_study"
    assert "PuLP" in sources.library_distributions("cladebench.papers.hmmc", study)


def test_a_library_that_every_cell_imports_counts_where_a_paper_or_a_method_uses_it(tmp_path, monkeypatch):
    """And there alone: pandas gives numbers in a study, and only lists data sets elsewhere."""
    study = "cladebench.papers.ghc.similarity_study.run_study"
    assert "pandas" in sources.library_distributions("cladebench.papers.ghc", study)
    common = {"pandas", "requests", "PyYAML", "psutil", "jsonschema", "matplotlib"}
    assert common.isdisjoint(sources.library_distributions("cladebench.papers.ghc", "GHC"))
    (tmp_path / "papery").mkdir()
    (tmp_path / "papery" / "__init__.py").write_text("")
    (tmp_path / "papery" / "protocol.py").write_text("import pandas, requests\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    sources._top_level.cache_clear()
    sources.find_file.cache_clear()
    assert sources.library_distributions("papery", "no.Such") == ("pandas", "requests")
    assert sources.library_modules("papery", "no.Such") == ("pandas", "requests")


def test_distributions_are_listed_by_name(monkeypatch):
    """A library may come in several."""
    holders = {"pulp": ["PuLP", "zeta", "alpha"]}
    monkeypatch.setattr(sources, "_holders", lambda: holders)
    study = "cladebench.papers.hmmc.assignment_study.run_study"
    assert sources.library_distributions("cladebench.papers.hmmc", study) == ("PuLP", "alpha", "zeta")


@pytest.fixture
def nested(tmp_path, monkeypatch):
    """A package with a package in it, and a module beside it."""
    for name in ("pkgz/__init__.py", "pkgz/a.py", "pkgz/sub/__init__.py", "single.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    caches = (sources._top_level, sources.find_file)
    for cached in caches:
        cached.cache_clear()
    yield tmp_path
    for cached in caches:
        cached.cache_clear()


def test_a_file_beside_packages_is_a_module_too(nested):
    assert sources.find_file("single") == nested / "single.py"
    assert sources.find_file("single.none") is None
    assert sources.find_file("__main__.none") is None
    assert sources.find_file("pkgz") == nested / "pkgz" / "__init__.py"
    assert sources.find_file("pkgz.sub") == nested / "pkgz" / "sub" / "__init__.py"
    assert sources.find_file("pkgz.a") == nested / "pkgz" / "a.py"
    assert sources.find_file("pkgz.none") is None


def test_libraries_that_a_cell_would_be_the_first_to_import_are_named():
    assert "jax" in sources.library_modules("cladebench.papers.ghc", "GHC")
    assert "jax" not in sources.library_modules("cladebench.papers.ghc", "Agglomerative")
    assert "pulp" in sources.library_modules(
        "cladebench.papers.hmmc", "cladebench.papers.hmmc.assignment_study.run_study"
    )
    assert not {"setup", "tests", "cladebench"} & {*sources.library_modules("cladebench.papers.ghc", "GHC")}


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A method in a file of its own, with what it imports beside it; and a library that is one file."""
    for name, text in {
        "my_method.py": "import my_helper, one_file\nfrom my_parts.fast import f\nclass HMMC: ...\n",
        "my_helper.py": "FACTOR = 1\n",
        "my_parts/__init__.py": "",
        f"my_parts/fast{EXTENSION_SUFFIXES[0]}": "compiled",
        "site-packages/one_file.py": "",
        "site-packages/one_file-2.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: one-file\nVersion: 2.0\n",
        "site-packages/one_file-2.0.dist-info/RECORD": "one_file.py,,\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    monkeypatch.syspath_prepend(str(tmp_path))
    caches = [found for found in vars(sources).values() if hasattr(found, "cache_clear")]
    for cached in caches:
        cached.cache_clear()
    yield tmp_path
    for cached in caches:
        cached.cache_clear()


def test_a_dotted_path_is_never_one_of_our_estimators_of_that_name(alone):
    assert sources.estimator_module("my_method.HMMC") == "my_method"
    assert sources.estimator_module("no_such_module.HMMC") is None
    assert sources.estimator_module("cladebench.distances.HMMC") is None
    assert sources.estimator_module("cladebench.methods.HMMC") == "cladebench.methods.hmmc"


@pytest.mark.parametrize(
    "edited",
    ["my_method.py", "my_helper.py", f"my_parts/fast{EXTENSION_SUFFIXES[0]}", "my_parts/__init__.py"],
)
def test_a_record_of_a_method_in_one_file_hears_of_edits_there_and_beside_it(alone, edited):
    """Of what is compiled, too."""
    before = sources.code_digest(sources.cell_sources("toy_paper", "my_method.HMMC"))
    assert before == sources.code_digest(sources.cell_sources("toy_paper", "my_method.HMMC"))
    (alone / edited).write_text((alone / edited).read_text() + "# edited\n")
    assert sources.code_digest(sources.cell_sources("toy_paper", "my_method.HMMC")) != before


def test_a_library_of_one_file_counts_by_its_version(alone):
    files = {path.name for path in sources.cell_sources("toy_paper", "my_method.HMMC")}
    assert {"my_method.py", "my_helper.py"} <= files and "one_file.py" not in files
    assert sources.is_library("one_file") and not sources.is_library("my_helper")
    assert "one-file" in sources.library_distributions("toy_paper", "my_method.HMMC")


def test_the_digest_of_one_file_is_the_same_wherever_it_lies(alone):
    here = alone / "my_method.py"
    there = alone / "elsewhere" / "my_method.py"
    there.parent.mkdir()
    shutil.copy(here, there)
    assert sources.code_digest([here]) == sources.code_digest([there])
    assert sources.code_digest([alone / "my_helper.py"]) != sources.code_digest([here])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:\n", r"near\.py, line 1: SyntaxError: "),
        ("x = 1\0", r"near\.py(, line 1)?: \w+: .*null bytes"),
    ],
)
def test_a_file_that_is_no_python_is_named(package, text, said):
    (package / "near.py").write_text(text)
    with pytest.raises(InputFileError, match=said + r".*; expected Python$"):
        sources.closure(["pkgx.start"])
