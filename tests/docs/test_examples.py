"""The examples of all docstrings run, every public name has one, and so do the scripts of the gallery."""

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys

import pytest

from doc_examples import ROOT, site

#: What a user imports. The other packages serve the command line; the core's exports have their tests elsewhere.
LIBRARY = (
    *("classifiers", "clusterer_scores", "clusterers", "named_clusterers", "datasets", "discovery"),
    *("distances", "hierarchy", "methods", "metrics", "pictures", "rooted_tree", "solvers"),
    *("newick", "newick", "tree_clusters", "tree_cuts", "tree_formats"),
)
#: Public names that need no example, with the reason.
WITHOUT = {
    "cladebench.datasets": {
        "CacheUnwritable",
        "ChecksumMismatch",
        "DataUnavailable",
        "DatasetError",
    },  # errors
    "cladebench.discovery": {"attach"},  # what it makes is `discover`, which has one
}
GALLERY = sorted((ROOT / "examples").glob("*.py"))


def library_modules():
    for name in LIBRARY:
        module = importlib.import_module(f"cladebench.{name}")
        yield module
        for info in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
            yield importlib.import_module(info.name)


def test_the_examples_of_docstrings_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner, failures = doctest.DocTestRunner(verbose=False), []
    for module in library_modules():
        for example in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
            runner.run(example, out=failures.append)
    assert "".join(failures) == ""
    assert runner.tries > 250
    assert list(tmp_path.iterdir()) == []


#: As numpydoc wants them; the site is not built where they stand otherwise.
SECTIONS = (
    *("Parameters", "Attributes", "Methods", "Returns", "Yields", "Receives", "Other Parameters"),
    *("Raises", "Warns", "Warnings", "See Also", "Notes", "References", "Examples"),
)


def test_sections_of_docstrings_are_in_order_and_name_their_parameters():
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            text = ast.get_docstring(node) or ""
            found = re.findall(r"^([A-Z][A-Za-z ]+)\n-{4,}$", text, re.MULTILINE)
            assert found == sorted(found, key=SECTIONS.index), (path, node.name)
            if isinstance(node, ast.FunctionDef) and "Parameters" in found:
                listed = re.split(r"^[A-Z][A-Za-z ]+\n-{4,}$", text, flags=re.MULTILINE)[
                    1 + found.index("Parameters")
                ]
                given = node.args
                named = {arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
                named |= {"*" * k + arg.arg for k, arg in ((1, given.vararg), (2, given.kwarg)) if arg}
                documented = re.findall(r"^(?! )([^:\n]+?)(?: :.*)?$", listed, re.MULTILINE)
                unknown = {name for line in documented for name in line.split(", ")} - (
                    named - {"self", "cls"}
                )
                assert not unknown, (path, node.name, unknown)


def test_every_public_name_has_an_example():
    api = site("api")
    missing = []
    for place in api.PLACES:
        module = importlib.import_module(place)
        for public in api.public_names(ROOT / "src", place):
            text = getattr(module, public.name).__doc__
            if ">>>" not in (text or "") and public.name not in WITHOUT.get(place, ()):
                missing.append(public.full)
    assert missing == []


@pytest.mark.parametrize("name", ["methods", "distances"])
def test_the_example_of_discover_holds(name):
    discover = importlib.import_module(f"cladebench.{name}").discover
    (example,) = doctest.DocTestFinder().find(discover, "discover", module=False, globs={})
    assert doctest.DocTestRunner().run(example) == (0, 3)


@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_a_script_of_the_gallery_runs_without_a_network(script, tmp_path):
    environment = {**os.environ, "MPLBACKEND": "agg", "CLADEBENCH_OFFLINE": "1", "TMPDIR": str(tmp_path)}
    environment.pop("CLADEBENCH_MIRROR", None)
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", str(script)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    text = script.read_text(encoding="utf-8")
    assert text.startswith('"""') and "You learn " in text.split('"""')[1]
    assert done.stdout and "plt.subplots(" in text
