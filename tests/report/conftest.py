import shutil

import pytest

import synthetic_run
from page_tags import read_page


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """A run of the tests' paper, with its pages written."""
    return synthetic_run.write_page_run(tmp_path_factory.mktemp("run") / "results" / "smoke")


@pytest.fixture(scope="session")
def report(results):
    return results / "report"


@pytest.fixture(scope="session")
def pages(report):
    """The pages of the run, as a browser would see them."""
    return {path.name: read_page(path) for path in sorted(report.glob("*.html"))}


@pytest.fixture
def copied(results, tmp_path):
    """A copy of the run without its pages, to be changed."""
    return shutil.copytree(results, tmp_path / "run", ignore=shutil.ignore_patterns("report"))
