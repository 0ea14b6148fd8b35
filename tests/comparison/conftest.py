"""A small comparison with all that can go wrong, run once."""

import pytest

from comparison_runs import BAD, forget, run_all, write_inputs
from comparison_runs import inputs as inputs
from made_once import made_once


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of a comparison that has been run, with its page; not to be changed."""
    return made_once(tmp_path_factory, "comparison", write_comparison) / "out"


def write_comparison(folder):
    """Run the comparison in a folder, and write its page."""
    from cladebench.comparison.page import write_page

    write_inputs(folder)
    methods = ", ".join(f'"users_methods.py:{name}"' for name in ("Mine", "Linked", *BAD))
    (folder / "comparison.yaml").write_text(
        "title: A <small> comparison\n"
        "data:\n"
        "  patients: {file: patients.csv, label: diagnosis}\n"
        "  plain: {file: patients.csv, ignore: [diagnosis], clusters: 3}\n"
        "  travel: {file: travel.csv, kind: distances, clusters: 3}\n"
        f"methods: [Agglomerative, BirchTree, sklearn.cluster.AgglomerativeClustering, nowhere.Method, {methods}]\n"
        "mine: Mine\n"
        "features: [zscore]\n"
        "settings: {AgglomerativeClustering: {linkage: [ward, average]}}\n"
        "repetitions: 2\n"
    )
    run_all(folder / "comparison.yaml", folder / "out")
    write_page(folder / "out")
    forget()
