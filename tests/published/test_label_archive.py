"""Labels that others published: made up here, and the real ones where the mirror is."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from archives import tar_of
from cladebench.datasets.own.own_batteries import expand_battery
from cladebench.datasets.own.own_files import OwnDataError, read_own_data
from cladebench.published.label_archive import as_published, published_labels, variant_of

#: As the user has it: the tests of this folder hide it.
MIRRORS = [Path(part) for part in os.environ.get("CLADEBENCH_MIRROR", "").split(os.pathsep) if part]

REAL = next((mirror / "clustbench" for mirror in MIRRORS if (mirror / "clustbench").is_dir()), None)

needs_mirror = pytest.mark.skipif(REAL is None, reason="no clustbench in a mirror folder")


def written(path, members):
    path.write_bytes(tar_of(members))
    return path


def test_published_labels_are_read_by_name(tmp_path):
    members = {
        "original/A/toys/x.result2.gz": gzip.compress(b'"A_1","A_2"\n1,2\n2,2\n2,1\n', mtime=0),
        "original/A/toys/x.result3.gz": gzip.compress(b'"A_1","A_2"\n1,3\n2,2\n3,1\n', mtime=0),
        "original/B/toys/x.result2.gz": gzip.compress(b'"B"\n5\n5\n7\n', mtime=0),
        "original/B/toys/x2.result2.gz": gzip.compress(b'"B"\nnonsense\n', mtime=0),
        "original/B/tools/x.result2.gz": b"no gzip",
    }
    labels = published_labels(written(tmp_path / "all.tar", members), "toys", "x")
    assert {m: {k: codes.tolist() for k, codes in of.items()} for m, of in labels.items()} == {
        "A_1": {2: [0, 1, 1], 3: [0, 1, 2]},
        "A_2": {2: [1, 1, 0], 3: [2, 1, 0]},
        "B": {2: [0, 0, 1]},
    }


@pytest.mark.parametrize(
    ("member", "content", "message"),
    [
        (
            "o/B/toys/x.result2.gz",
            gzip.compress(b'"B"\none\n', mtime=0),
            "column 'B': has other values than whole numbers; expected",
        ),
        (
            "o/B/toys/x.result2.gz",
            gzip.compress(b'"B","C"\n1,2\n1\n', mtime=0),
            "column 'C': has other values than whole numbers",
        ),
        ("o/B/toys/x.result2.gz", gzip.compress(b'"B"\n1,2\n', mtime=0), "cannot be read"),
        ("o/B/toys/x.result2.gz", b"plain", "cannot be unpacked"),
        ("../B/toys/x.result2.gz", b"", "would be unpacked outside its folder"),
        ("o/B/toys/y.result2.gz", b"", "has no labels of toys/x; expected"),
    ],
)
def test_published_labels_that_are_damaged_are_refused(tmp_path, member, content, message):
    with pytest.raises(OwnDataError) as caught:
        published_labels(written(tmp_path / "all.tar", {member: content}), "toys", "x")
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert not list(tmp_path.glob("**/*.result*"))


@needs_mirror
def test_what_its_author_published_is_there_for_each_number_of_clusters():
    tar = REAL / "results-v1-original.tar"
    entry = expand_battery("fcps", {"from": "data/fcps", "only": "target"}, REAL)["fcps-target"]
    data = read_own_data("fcps-target", entry, REAL)
    labels = published_labels(tar, "fcps", "target")
    assert {"Genie_G0.3", "GIc", "ITM", "fastcluster_ward", "sklearn_kmeans", "sklearn_gm"} <= labels.keys()
    for k in set(data.clusters.values()):
        assert len(labels["fastcluster_ward"][k]) == len(data.X)
        assert len(np.unique(labels["fastcluster_ward"][k])) == k


@pytest.mark.parametrize(
    ("estimator", "parameters", "variant"),
    [
        ("linkages.Ward", {"linkage": "ward"}, "fastcluster_ward"),
        ("sklearn.cluster.KMeans", {}, "sklearn_kmeans"),
        ("sklearn.cluster.Birch", {"threshold": 0.5, "branching_factor": 50}, "sklearn_birch_T0.5_BF50"),
        ("sklearn.cluster.Birch", {"threshold": 1.0, "branching_factor": 10}, "sklearn_birch_T1_BF10"),
        ("genieclust.Genie", {"gini_threshold": 0.3}, "Genie_G0.3"),
        ("genieclust.GIc", {}, "GIc"),
        ("BirchTree", {"threshold": 0.0, "branching_factor": 50}, ""),
    ],
)
def test_variants_have_the_same_algorithm_and_parameters(estimator, parameters, variant):
    assert variant_of(estimator, parameters) == variant


def test_features_are_prepared_as_the_publisher_did():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 5, 0] + [0, 100, 7]
    plain, noisy = as_published(X, None), as_published(X, 1)
    expected = (X - X.mean(axis=0))[:, :2] / X[:, :2].std(ddof=1)
    assert plain.dtype == np.float32 and plain.shape == (50, 2)
    np.testing.assert_allclose(plain, expected, atol=1e-6)
    assert 1e-7 < np.abs(noisy - plain).max() < 1e-5
    assert (noisy != as_published(X, 2)).any() and (noisy == as_published(X, 1)).all()
