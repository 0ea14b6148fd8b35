"""A small comparison with all that can go wrong, run once."""

import sys

import pytest
from comparison_runs import BAD, run_all, write_inputs


@pytest.fixture
def inputs(tmp_path):
    """A folder with the files of a user, whose module is forgotten afterwards."""
    write_inputs(tmp_path)
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before
    for name in ("users_methods", "beside", "other", "hangs"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of a comparison that has been run, with its page."""
    from cladebench.comparison.page import write_page

    folder = tmp_path_factory.mktemp("comparison")
    write_inputs(folder)
    methods = ", ".join(f'"users_methods.py:{name}"' for name in ("Mine", "Linked", *BAD))
    (folder / "comparison.yaml").write_text(
        "title: A <small> comparison\n"
        "data:\n"
        "  patients: {file: patients.csv, label: diagnosis}\n"
        "  plain: {file: patients.csv, ignore: [diagnosis], clusters: 3}\n"
        "  travel: {file: travel.csv, kind: distances, clusters: 3}\n"
        f"methods: [Agglomerative, sklearn.cluster.AgglomerativeClustering, nowhere.Method, {methods}]\n"
        "mine: Mine\n"
        "features: [zscore]\n"
        "settings: {AgglomerativeClustering: {linkage: [ward, average]}}\n"
        "repetitions: 2\n"
    )
    before = list(sys.path)
    run_all(folder / "comparison.yaml", folder / "out")
    write_page(folder / "out")
    yield folder / "out"
    sys.path[:] = before
    sys.modules.pop("users_methods", None)
