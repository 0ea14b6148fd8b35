"""One run of a comparison: what is fitted, what is read from it, and how it is scored."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score

from cladebench import clusterer_scores, datasets
from cladebench.comparison import CONTROLS, protocol
from cladebench.comparison.protocol import PROTOCOL
from cladebench.datasets.own.own_data import own_name
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import Similarity, cost_scores, purity_scores

AVERAGE = "sklearn.cluster.AgglomerativeClustering"


@pytest.fixture
def measured(inputs):
    """Measure one run of a method on a file of the user, on every second row or all."""

    def measure(entry, estimator=AVERAGE, whole=False, method="m", **parameters):
        data = datasets.load(own_name("d", entry, inputs))
        rows = np.arange(0, data.n_samples, 1 if whole else 2)
        cell = SimpleNamespace(
            spec=SimpleNamespace(seed=3, method=method, data="d", setting={}),
            method=SimpleNamespace(estimator=estimator, name=method),
            parameters={"linkage": "average", **parameters} if estimator == AVERAGE else parameters,
            data=data,
            task=SimpleNamespace(rows=rows, of=lambda X: X[rows]),
        )
        output = PROTOCOL.measure(cell)
        return rows, {reading.at["labels"]: reading for reading in output.readings}, output.arrays

    return measure


PATIENTS = {"file": "patients.csv", "label": "diagnosis"}


def zscored(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_half_of_the_rows_are_scored_against_labels_and_in_one_space(inputs, measured):
    frame = pd.read_csv(inputs / "patients.csv")
    frame["age"] *= 50  # so that the scale matters
    frame.to_csv(inputs / "patients.csv", index=False)
    rows, found, arrays = measured(PATIENTS, features="raw", judged_in="zscore")
    X, labels = frame[["age", "dose"]].to_numpy()[rows], frame["diagnosis"].to_numpy()[rows]
    metrics, at = found["diagnosis"].metrics, found["diagnosis"].at
    clusters = fcluster(linkage(X, "average"), 3, "maxclust")
    assert at == {"labels": "diagnosis", "k": 3} and (arrays["rows"] == rows).all()
    assert adjusted_rand_score(clusters, arrays["clusters_3"]) == 1
    tree, codes = Hierarchy.from_linkage(linkage(X, "average")), np.unique(labels, return_inverse=True)[1]
    purity, cost = purity_scores(tree, codes), cost_scores(tree, Similarity()(zscored(X)))
    expected = {
        "ari": adjusted_rand_score(labels, clusters),
        "n_clusters": 3,
        "silhouette": silhouette_score(zscored(X), clusters),
        "calinski_harabasz": calinski_harabasz_score(zscored(X), clusters),
        "dendrogram_purity": purity.value,
        "dendrogram_purity_permuted": purity.permuted,
        "dendrogram_purity_adjusted": purity.corrected,
        "dasgupta_cost": cost.value,
        "dasgupta_ratio": cost.value / cost.permuted,
    }
    assert {name: metrics[name] for name in expected} == pytest.approx(expected)
    assert metrics["fit_seconds"] >= 0 and "ami" in metrics
    assert "refit_agrees" not in metrics and "parents" not in arrays
    assert silhouette_score(zscored(X), clusters) != pytest.approx(silhouette_score(X, clusters))


def test_features_are_scaled_before_the_fit(inputs, measured):
    frame = pd.read_csv(inputs / "patients.csv")
    frame["age"] *= 1000
    frame.to_csv(inputs / "patients.csv", index=False)
    raw, scaled = (
        measured(PATIENTS, features=name)[1]["diagnosis"].metrics["ari"] for name in ("raw", "zscore")
    )
    assert scaled > raw


def test_all_rows_have_a_second_fit_and_a_tree(inputs, measured, monkeypatch):
    monkeypatch.syspath_prepend(inputs)
    _, found, arrays = measured(PATIENTS, whole=True)
    assert found["diagnosis"].metrics["refit_agrees"] == 1 and len(arrays["leaf_of"]) == 36
    writes = measured(PATIENTS, "users_methods.Writes", whole=True)[1]["diagnosis"].metrics
    assert writes["refit_agrees"] == 1 and writes["ari"] > 0.8  # each fit has a copy
    unsteady = measured(PATIENTS, "users_methods.Unsteady", whole=True)[1]["diagnosis"].metrics
    assert unsteady["refit_agrees"] == 0 and "dendrogram_purity" not in unsteady


def test_distances_are_those_of_the_rows_and_are_not_scaled(inputs, measured):
    entry = {"file": "travel.csv", "kind": "distances", "clusters": 3}
    rows, found, _ = measured(entry, metric="precomputed", features="zscore", judged_in="zscore")
    distances = np.loadtxt(inputs / "travel.csv", delimiter=",")[np.ix_(rows, rows)]
    condensed = distances[np.triu_indices(len(rows), 1)]
    clusters = fcluster(linkage(condensed, "average"), 3, "maxclust")
    similarities = np.exp(-(distances**2) / np.median(condensed**2))
    cost = cost_scores(Hierarchy.from_linkage(linkage(condensed, "average")), similarities)
    metrics = found[""].metrics
    assert metrics["silhouette"] == pytest.approx(silhouette_score(distances, clusters, metric="precomputed"))
    assert metrics["dasgupta_cost"] == pytest.approx(cost.value)
    assert not {"ari", "calinski_harabasz"} & {*metrics}


def test_one_cluster_or_only_single_rows_have_no_silhouette(measured):
    entry = {"file": "patients.csv", "ignore": ["diagnosis"], "clusters": 18}
    for n, parameters in ((18, {}), (1, {"n_clusters": 1})):
        metrics = measured(entry, **parameters)[1][""].metrics
        assert metrics["n_clusters"] == n and not {"silhouette", "calinski_harabasz"} & {*metrics}
        assert "dasgupta_ratio" in metrics


def test_many_rows_have_a_silhouette_of_some_and_no_matrix(measured, monkeypatch):
    every = measured(PATIENTS)[1]["diagnosis"].metrics
    monkeypatch.setattr(clusterer_scores, "MATRIX_ROWS", 18)
    same = measured(PATIENTS)[1]["diagnosis"].metrics
    assert same["silhouette"] == every["silhouette"] and same["dasgupta_cost"] == every["dasgupta_cost"]
    monkeypatch.setattr(clusterer_scores, "MATRIX_ROWS", 17)
    some = measured(PATIENTS)[1]["diagnosis"].metrics
    assert some["silhouette"] != every["silhouette"] and "dasgupta_cost" not in some
    assert some["calinski_harabasz"] == every["calinski_harabasz"]
    entry = {"file": "travel.csv", "kind": "distances", "clusters": 3}
    assert abs(measured(entry, metric="precomputed")[1][""].metrics["silhouette"] - every["silhouette"]) < 0.2
    monkeypatch.setattr(clusterer_scores, "MATRIX_ROWS", 1)  # of one cluster there is no silhouette
    assert "silhouette" not in measured(PATIENTS)[1]["diagnosis"].metrics


def test_random_methods_see_no_features(inputs, measured):
    first = measured(PATIENTS, "RandomClusters", method="RandomClusters")[2]["clusters_3"]
    frame = pd.read_csv(inputs / "patients.csv")
    frame[["age", "dose"]] = np.random.default_rng(0).normal(size=(36, 2))
    frame.to_csv(inputs / "patients.csv", index=False)
    assert (measured(PATIENTS, "RandomClusters", method="RandomClusters")[2]["clusters_3"] == first).all()


def test_random_methods_take_what_others_refuse(inputs, measured):
    (inputs / "notes.svm").write_text("".join(f"{i % 3} {i % 4 + 1}:{i + 1}\n" for i in range(12)))
    for name in CONTROLS:
        _, found, _ = measured({"file": "notes.svm"}, name, method=name)
        assert "ari" in found["label"].metrics and "dasgupta_ratio" not in found["label"].metrics


def test_labellings_of_as_many_clusters_share_a_fit(inputs, measured, monkeypatch):
    for name, k in (("one", 2), ("two", 3), ("three", 2)):
        (inputs / f"{name}.txt").write_text("".join(f"{i % k}\n" for i in range(12)))
    (inputs / "x.txt").write_text("".join(f"{i} {i * i}\n" for i in range(12)))
    fits, fit = [], protocol._fit
    monkeypatch.setattr(protocol, "_fit", lambda cell, X, k: fits.append(k) or fit(cell, X, k))
    entry = {"file": "x.txt", "separator": " ", "header": False}
    _, found, arrays = measured({**entry, "label_files": ["one.txt", "two.txt", "three.txt"]})
    assert [reading.at["k"] for reading in found.values()] == [2, 3, 2] and fits == [2, 3]
    for reading, k in zip(found.values(), (2, 3, 2), strict=True):
        true = np.arange(0, 12, 2) % k
        assert reading.metrics["ari"] == pytest.approx(
            adjusted_rand_score(true, arrays[f"clusters_{reading.at['k']}"])
        )


FAULTY = """import helps


class Raises:
    def fit(self, X):
        return helps.fail(X)


class Exits:
    def fit(self, X):
        raise SystemExit(3)


class Short:
    def fit(self, X):
        self.labels_ = X[:3, 0].astype(int)
"""


def test_an_error_of_a_users_code_has_file_and_line_and_its_traceback(inputs, measured, monkeypatch):
    monkeypatch.syspath_prepend(inputs)
    (inputs / "faulty.py").write_text(FAULTY)
    (inputs / "helps.py").write_text("def fail(X):\n    raise KeyError('gone')\n")
    with pytest.raises(Exception, match=r"^'gone' \(faulty\.py, line 6\)$") as caught:
        measured(PATIENTS, "faulty.Raises")
    assert type(caught.value).__name__ == "KeyError" and caught.traceback[-1].path.name == "helps.py"
    with pytest.raises(Exception, match=r"^3 \(faulty\.py, line 11\)$") as caught:
        measured(PATIENTS, "faulty.Exits")
    assert type(caught.value).__name__ == "SystemExit"
    with pytest.raises(ValueError, match=r"expected \(18,\), one a row$"):  # raised in no line of the file
        measured(PATIENTS, "faulty.Short")
    for name in ("faulty", "helps"):
        sys.modules.pop(name)


def test_an_error_of_a_library_stays_as_it_is(measured):
    with pytest.raises(ValueError, match="linkage") as caught:
        measured(PATIENTS, AVERAGE, linkage="no")
    assert "line" not in str(caught.value)
