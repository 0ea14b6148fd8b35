"""The examples of all docstrings run, every public name has one, and so do the scripts of the gallery."""

import doctest
import importlib
import os
import pkgutil
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
