"""Labels that others published: read safely, scored as ours are, held against our runs of the same method."""

import gzip
import io
import shutil
import sys
import tarfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.cluster import hierarchy

from cladebench.bench.provenance.provenance import collect
from cladebench.bench.run.run_cell import run_cell
from cladebench.comparison.spec import read_comparison
from cladebench.datasets.own.own_batteries import battery_of
from cladebench.datasets.own.own_data import own_name
from cladebench.extras import need
from cladebench.input_files import InputFileError
from cladebench.published.label_archive import published_sets
from cladebench.published.tables import AGREEMENTS
from cladebench.workflow.comparison_jobs import jobs_of, plan
from comparison_runs import run_all
from doc_examples import ROOT

METHODS = """
from cladebench.methods import Agglomerative


class Ward(Agglomerative):
    def __init__(self, n_clusters=2, *, linkage="ward"):
        super().__init__(n_clusters, linkage=linkage)
"""


def gz(rows, head=""):
    return gzip.compress((head + "".join(f"{row}\n" for row in rows)).encode())


@pytest.fixture
def battery(inputs):
    """A battery of two data sets, published labels for one of them, and a comparison of both."""
    folder = inputs / "toys"
    folder.mkdir()
    true = np.repeat([1, 2], 12)
    X = np.random.default_rng(0).normal(size=(24, 2)) + 20.0 * true[:, None]
    for name, rows in (("x", X), ("y", X + 1)):
        (folder / f"{name}.data.gz").write_bytes(gz(f"{a} {b}" for a, b in rows))
        (folder / f"{name}.labels0.gz").write_bytes(gz(true))
    wrong = np.roll(true, 6)
    members = {
        "o/fastcluster/toys/x.result2.gz": gz(true, '"fastcluster_ward"\n'),
        "o/kmeans/toys/x.result2.gz": gz(wrong, '"sklearn_kmeans"\n'),
        "o/kmeans/toys/x.result3.gz": gz(wrong, '"sklearn_kmeans"\n'),
    }
    with tarfile.open(inputs / "labels.tar", "w") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    (inputs / "users_linkages.py").write_text(METHODS)
    (inputs / "comparison.yaml").write_text(
        "data: {toys: {battery: toys, from: toys}}\n"
        'methods: {run: ["users_linkages.py:Ward", sklearn.cluster.KMeans], published: labels.tar}\n'
        "features: [pooled]\nrepetitions: 2\n"
    )
    return inputs


def test_published_labels_are_scored_and_held_against_ours(battery):
    from cladebench.comparison.page import write_page

    out = battery / "out"
    run_all(battery / "comparison.yaml", out)
    write_page(out)
    scores = pd.read_csv(out / "scores.csv", index_col="method")
    theirs = scores.loc["fastcluster_ward (published)"]
    assert (theirs["data"], theirs["measure"], theirs["mean"], theirs["n"]) == ("toys-x", "ari", 1.0, 1)
    rows = pd.read_csv(out / "published.csv", keep_default_na=False)
    assert list(rows.columns) == list(AGREEMENTS)
    rows = rows.set_index("method")
    assert (rows.loc["Ward", "agreement"], rows.loc["Ward", "reason"]) == (1.0, "")
    assert rows.loc["KMeans", "agreement"] < 0.1 and rows.loc["KMeans", "ours"] == 1.0
    assert rows.loc["KMeans", "reason"] == "two optima: ours has fewer squares"
    page = (out / "index.html").read_text(encoding="utf-8")
    assert 'id="published"' in page and "ours has fewer squares (1)" in page and "labels.tar" in page
    assert str(battery) not in page
    before = (out / "published.csv").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "users_linkages", None)  # as if it had been uninstalled since
        write_page(out)
    assert (out / "published.csv").read_bytes() == before


def test_a_page_without_published_labels_says_nothing_of_them(finished):
    assert "Published labels" not in (finished / "index.html").read_text(encoding="utf-8")
    assert not (finished / "published.csv").exists()


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ("{published: gone.tar}", "gone.tar: cannot be read: No such file"),
        ("{published: patients.csv}", "cannot be read as a tar or zip archive"),
        ("{publish: labels.tar}", "methods: "),
        ("{run: []}", "methods: "),
    ],
)
def test_a_wrong_archive_is_named(battery, methods, said):
    text = f"data: {{a: {{file: patients.csv, label: diagnosis}}}}\nmethods: {methods}\n"
    (battery / "comparison.yaml").write_text(text)
    with pytest.raises(InputFileError) as error:
        read_comparison(battery / "comparison.yaml")
    assert said in str(error.value) and "\n" not in str(error.value)


def test_an_archive_alone_leaves_the_methods_at_their_default(battery):
    (battery / "comparison.yaml").write_text(
        "data: {a: {file: patients.csv, label: diagnosis}}\nmethods: {published: labels.tar}\n"
    )
    found = read_comparison(battery / "comparison.yaml")
    assert found.published["file"] == str(battery / "labels.tar") and "Agglomerative" in found.methods


def test_the_archive_says_for_which_data_it_is(battery):
    assert published_sets(battery / "labels.tar") == {("toys", "x")}
    assert battery_of(own_name("toys-x", {"file": "toys/x.data.gz"}, battery)) == ("toys", "x")
    assert battery_of(own_name("a", {"file": "patients.csv"}, battery)) is None
    assert battery_of("digits") is None


FAST = "data: {patients: {file: patients.csv, label: diagnosis}}\nmethods: ['linkages.py:FastWard']\nrepetitions: 2\n"


@pytest.fixture
def fast_ward(inputs):
    """Run the example's class of the optional library fastcluster, without a process of its own."""
    shutil.copy(ROOT / "comparisons" / "hierarchical" / "linkages.py", inputs)
    (inputs / "comparison.yaml").write_text(FAST)
    job = jobs_of(plan(inputs / "comparison.yaml", inputs / "out"))[0]
    return lambda: run_cell(job.cells[0].spec, job.methods[0], job.plan.package, collect("0" * 64))


def test_a_library_that_a_fit_imports_in_vain_makes_the_run_unavailable(fast_ward, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastcluster", None)
    record, arrays = fast_ward()
    assert (record["status"], record["reason"]) == ("unavailable", "fastcluster is not installed")
    assert not arrays and not record["readings"]


def test_a_library_that_one_of_ours_lacks_makes_the_run_unavailable(fast_ward, monkeypatch):
    monkeypatch.setitem(sys.modules, "pulp", None)
    monkeypatch.setattr("cladebench.comparison.protocol.fit_clusterer", lambda *_: need("pulp", "A method"))
    record, _ = fast_ward()
    assert (record["status"], record["reason"]) == ("unavailable", "pulp is not installed")


def test_with_the_library_it_is_run(fast_ward, monkeypatch):
    library = SimpleNamespace(linkage_vector=lambda X, method: hierarchy.linkage(X, method))
    monkeypatch.setitem(sys.modules, "fastcluster", library)
    record, arrays = fast_ward()
    (reading,) = record["readings"]
    assert record["status"] == "ok" and {"rows", "clusters_3"} <= {*arrays}
    assert reading["metrics"]["ari"] > 0.8 and "dendrogram_purity" in reading["metrics"]
