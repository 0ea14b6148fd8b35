"""The number of clusters: elbow, gap of the eigenvalues, and what the study reads at each number."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from cladebench import datasets
from cladebench.methods import NumericalTaxonomy
from cladebench.papers.taxonomy import number_study, significance_study, stability_study
from cladebench.papers.taxonomy.protocol import gram_of
from cladebench.solvers.dependence import objective_bound
from task_draws import study_cell


@pytest.mark.parametrize("study", [number_study, stability_study, significance_study])
def test_features_are_those_that_are_asked_for(study, monkeypatch):
    class Asked(Exception):
        pass

    def told(data, features):
        raise Asked(features)

    monkeypatch.setattr(study, "features_of", told)
    for parameters, features in (({}, "raw"), ({"features": "binary"}, "binary")):
        with pytest.raises(Asked, match=features):
            study.run_study(study_cell(**parameters))


@pytest.mark.parametrize(
    ("y", "place"),
    [
        ([0.0, 8.0, 9.0, 10.0], 1),
        ([0.0, 4.0, 9.5, 10.0], 2),
        ([5.0, 6.0, 7.0, 8.0], 0),  # a line has no elbow
        ([0.0, 1.0, 2.0, 10.0], 0),  # nor has what lies below it
        ([3.0, 9.0, 3.0], 0),
        ([1.0, 2.0], 0),
        ([1.0], 0),
    ],
)
def test_elbow_by_hand(y, place):
    assert number_study.elbow(np.arange(2.0, 2.0 + len(y)), np.array(y)) == place


def test_the_axis_of_the_elbow_is_scaled():
    y = np.array([0.0, 6.0, 9.0, 10.0])
    assert number_study.elbow(np.array([2.0, 3.0, 4.0, 5.0]), y) == 1
    assert number_study.elbow(np.array([2.0, 5.0, 6.0, 20.0]), y) == 2
    assert number_study.elbow(np.array([20.0, 50.0, 60.0, 200.0]), 7.0 + 0.1 * y) == 2


@pytest.mark.parametrize(
    ("values", "k"),
    [
        ([9.0, 8.0, 1.0, 0.5], 3),
        ([9.0, 8.0, 7.5, 1.0], 4),
        ([99.0, 3.0, 2.5, 2.4, 0.1, 0.0], 5),  # the first gap is not compared
        ([4.0, 3.0, 2.0, 1.0], 3),
        ([4.0, 3.0], 2),
        ([4.0], 2),
    ],
)
def test_eigengap_by_hand(values, k):
    assert number_study.eigengap(np.array(values)) == k


def test_groups_that_are_points_have_their_gap(monkeypatch):
    """As many distinct rows as groups: beyond them the eigenvalues are exactly 0."""
    monkeypatch.setattr(number_study, "NUMBERS", (2, 3, 4, 5, 6))
    for n_groups in (3, 5):
        groups = np.arange(300) % n_groups
        data = SimpleNamespace(X=np.eye(n_groups)[groups], labels=groups, label_names=("",) * n_groups)
        task = SimpleNamespace(of=lambda values: values[:20])
        spec = SimpleNamespace(seed=0)
        out = number_study.run_study(SimpleNamespace(data=data, task=task, spec=spec, parameters={}))
        assert out.metrics["eigengap"] == n_groups and out.metrics["eigengap_off"] == 0.0
        assert out.arrays["eigenvalues"][n_groups:].max() == 0.0


def test_the_number_study_reads_at_each_number(monkeypatch):
    study, ranges, elbow = study_cell(), [], number_study.elbow

    def told(x, y):
        ranges.append((x[-1], len(x), len(y)))
        return elbow(x, y)

    monkeypatch.setattr(number_study, "elbow", told)
    out = number_study.run_study(study)
    monkeypatch.undo()
    assert ranges == [(last, last - 1, last - 1) for last in (15, 8, 10, 12)]
    assert [reading.at for reading in out.readings] == [{"k": k} for k in range(2, 16)]
    X = study.task.of(study.data.X)
    gram = gram_of(NumericalTaxonomy(), X, study.spec.seed)
    values = np.linalg.eigvalsh(gram.values)[::-1]
    objective = []
    for k, reading in zip(range(2, 16), out.readings, strict=True):
        found = reading.metrics
        assert found["eigenvalue"] == pytest.approx(values[k - 1], rel=1e-8)
        assert found["bound"] == pytest.approx(objective_bound(gram, k))
        assert found["objective"] <= found["bound"] * (1 + 1e-9)
        objective.append(found["objective"])
    for k in (2, 5):
        fitted = NumericalTaxonomy(k, random_state=study.spec.seed).fit(X)
        assert objective[k - 2] == pytest.approx(fitted.objective_)
    metrics = out.metrics
    place = number_study.elbow(np.arange(2.0, 16.0), np.array(objective))
    assert metrics["elbow"] == place + 2 and metrics["eigengap"] == number_study.eigengap(values[:16])
    assert metrics["rules_apart"] == abs(metrics["elbow"] - metrics["eigengap"])
    assert metrics["elbow_off"] == abs(metrics["elbow"] - 8)
    for last in (8, 10, 12):
        place = number_study.elbow(np.arange(2.0, last + 1.0), np.array(objective[: last - 1]))
        assert metrics[f"elbow_{last}"] == place + 2
        assert metrics[f"rules_apart_{last}"] == abs(place + 2 - metrics["eigengap"])
        assert metrics[f"elbow_off_{last}"] == abs(place + 2 - 8)
    assert metrics["eigengap_off"] == abs(metrics["eigengap"] - 8)
    falls = [(a - b) / a for a, b in pairwise(objective)]
    assert metrics["falls"] == pytest.approx(max(0.0, *falls), abs=1e-15)
    assert out.arrays["eigenvalues"] == pytest.approx(values[:16], rel=1e-8)


def test_falls_are_told(monkeypatch):
    class Told(NumericalTaxonomy):
        def fit_gram(self, gram):
            self.objective_ = {4: 0.5, 5: 0.45}.get(self.n_clusters, 1.0)
            return self

    monkeypatch.setattr(number_study, "NumericalTaxonomy", Told)
    assert number_study.run_study(study_cell()).metrics["falls"] == pytest.approx(0.5)


def test_rules_are_held_against_the_classes_that_rows_are_of(monkeypatch):
    """Rules that choose too few and too many: what they are off is not below 0."""
    data = datasets.load("nested-blobs")
    data = replace(data, labels=data.labels // 2)  # four of the eight names are of no row
    monkeypatch.setattr(number_study, "NUMBERS", (2, 3, 4))
    monkeypatch.setattr(number_study, "elbow", lambda x, y: 1)
    monkeypatch.setattr(number_study, "eigengap", lambda values: 6)
    metrics = number_study.run_study(study_cell(data=data)).metrics
    assert (metrics["elbow"], metrics["eigengap"], metrics["rules_apart"]) == (3.0, 6.0, 3.0)
    assert (metrics["elbow_off"], metrics["eigengap_off"]) == (1.0, 2.0)


def test_the_seed_of_the_number_study_is_the_cell_s(monkeypatch):
    seeds = set()

    class Told(NumericalTaxonomy):
        def fit_gram(self, gram):
            seeds.add(self.random_state)
            self.objective_ = 1.0
            return self

    monkeypatch.setattr(number_study, "NumericalTaxonomy", Told)
    study = study_cell()
    number_study.run_study(study)
    assert seeds == {study.spec.seed} != {0}


def test_no_more_clusters_than_rows_and_no_classes():
    data = replace(datasets.load("nested-blobs"), labels=None, label_names=())
    out = number_study.run_study(study_cell(6, data))
    assert [reading.at["k"] for reading in out.readings] == [2, 3, 4, 5, 6]
    assert out.readings[-1].metrics["eigenvalue"] == 0.0  # of a centred matrix
    within = {f"{name}_{last}" for name in ("elbow", "rules_apart") for last in (8, 10, 12)}
    assert set(out.metrics) == {"elbow", "eigengap", "rules_apart", "falls"} | within
    assert (
        out.metrics["elbow_8"] == out.metrics["elbow_12"] == out.metrics["elbow"]
    )  # there are six numbers of any
