"""The study of section 3.3: best partitions by enumeration."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from cladebench.methods._kernel import start_labels
from cladebench.papers.taxonomy import partition_study as study
from cladebench.reference import dependence as twin
from cladebench.solvers import enumerated_partitions as enumerated
from cladebench.solvers.gram import center, center_factor
from task_draws import study_cell


def matrix(n, rank=None, seed=0):
    F = np.random.default_rng(seed).normal(size=(n, rank or n))
    return center(F @ F.T)


@pytest.mark.parametrize(("n", "k"), [(2, 2), (5, 2), (6, 3), (7, 4), (5, 5)])
def test_all_partitions_are_the_twin_s(n, k):
    np.testing.assert_array_equal(enumerated.all_partitions(n, k), list(twin.partitions(n, k)))


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 6), st.integers(2, 4), st.integers(1, 3), st.integers(0, 10**6), st.booleans())
def test_values_are_those_of_the_written_out_objective(n, k, rank, seed, as_factor):
    F = np.random.default_rng(seed).integers(-2, 3, size=(n, rank)).astype(float)
    gram = center_factor(F) if as_factor else center(F @ F.T)
    labels = enumerated.all_partitions(n, k)
    star, unconstrained = enumerated.both_values(gram, labels)
    for row, one, two in zip(labels, star, unconstrained, strict=True):
        assert one == pytest.approx(twin.dependence(F @ F.T, row, np.eye(k)), abs=1e-9)
        if two > 1e-6:  # below, the best structure is one of rounding
            best = twin.optimal_structure(F @ F.T, row, k)
            assert two == pytest.approx(twin.dependence(F @ F.T, row, best), rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 6), st.integers(2, 4), st.integers(0, 10**6), st.sampled_from(["unit", "centred"]))
def test_longer_columns_are_a_diagonal_structure(n, k, seed, columns):
    F = np.random.default_rng(seed).integers(-2, 3, size=(n, 3)).astype(float)
    gram, labels = center(F @ F.T), enumerated.all_partitions(n, k)
    star, unconstrained = enumerated.both_values(gram, labels, columns)
    np.testing.assert_array_equal(unconstrained, enumerated.both_values(gram, labels)[1])
    for row, one in zip(labels, star, strict=True):
        P = (row[:, None] == np.arange(k)).astype(float)
        P_long = P - P.mean(axis=0) if columns == "centred" else P
        lengths = np.square(P_long).sum(axis=0)
        assert one == pytest.approx(twin.dependence(F @ F.T, row, np.diag(1.0 / lengths)), abs=1e-9)


def test_other_columns_are_refused():
    with pytest.raises(ValueError, match="columns='rows': expected one of binary, unit, centred"):
        study.best_partitions(matrix(5), 2, "rows")


@pytest.mark.parametrize("seed", range(6))
def test_the_best_are_the_best(seed):
    gram = matrix(7, 3, seed)
    best = study.best_partitions(gram, 3)
    star, unconstrained = enumerated.both_values(gram, np.array(list(twin.partitions(7, 3))))
    assert best.star_value == star.max() and best.unconstrained_value == unconstrained.max()
    assert twin.dependence(gram.values, best.star, np.eye(3)) == pytest.approx(star.max())
    structure = twin.optimal_structure(gram.values, best.star, 3)
    assert best.star_with_best == pytest.approx(twin.dependence(gram.values, best.star, structure))
    assert best.loss == pytest.approx(1.0 - best.star_with_best / unconstrained.max(), abs=1e-12)
    assert best.agree == (best.loss == 0.0)


def test_partitions_may_differ_with_three_clusters():
    apart = [
        best for best in (study.best_partitions(matrix(7, 3, s), 3) for s in range(20)) if not best.agree
    ]
    assert apart and all(best.loss > 0.0 for best in apart)


def test_two_clusters_agree():
    for seed in range(20):
        best = study.best_partitions(matrix(8, seed=seed), 2)
        assert best.agree and best.loss == 0.0
        assert best.star_value == pytest.approx(best.unconstrained_value, rel=1e-12)


def test_of_tied_partitions_the_first_that_is_best_for_both():
    """Corners of a square: two ways to halve it."""
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    best = study.best_partitions(center(square @ square.T), 2)
    assert best.star.tolist() == best.unconstrained.tolist() == [0, 0, 1, 1]
    nothing = study.best_partitions(center(np.ones((4, 4))), 3)
    assert nothing.agree and nothing.star.tolist() == [0, 0, 1, 2] and nothing.loss == 0.0


def test_of_ties_for_one_the_one_that_is_best_for_both(monkeypatch):
    labels = enumerated.all_partitions(4, 2)
    values = np.zeros((2, len(labels)))
    values[0, [2, 4]] = 1.0
    values[1, [3, 4]] = 1.0
    monkeypatch.setattr(enumerated, "both_values", lambda gram, labels, columns: tuple(values))
    best = study.best_partitions(matrix(4), 2)
    assert best.agree and best.star.tolist() == labels[4].tolist()
    values[1, 4] = 0.5
    best = study.best_partitions(matrix(4), 2)
    assert (best.star.tolist(), best.unconstrained.tolist()) == (labels[2].tolist(), labels[3].tolist())
    assert not best.agree and best.loss == 1.0


@pytest.mark.parametrize(
    ("n", "k", "message"),
    [
        (4, 1, "n_clusters=1: expected 2 to 4"),
        (3, 4, "n_clusters=4: expected 2 to 3"),
        (20, 2, "2\\^20 labellings"),
    ],
)
def test_what_cannot_be_enumerated_is_named(n, k, message):
    with pytest.raises(ValueError, match=message):
        enumerated.all_partitions(n, k)


def test_structures_by_both_equations(monkeypatch):
    gram, labels = matrix(8), np.array([0, 0, 1, 1, 1, 2, 2, 0])
    assert study.structure_apart(gram, labels, 3) < 1e-12
    assert study.structure_apart(center(np.ones((8, 8))), labels, 3) == 0.0
    for n in (40, 100):  # where rounding of the eigenvalue 0 is largest
        assert study.structure_apart(matrix(n), (np.arange(n) == n - 1).astype(int), 2) < 1e-10
    monkeypatch.setattr(
        study, "optimal_structure", lambda *a: 1.5 * twin.optimal_structure(gram.values, *a[1:])
    )
    assert study.structure_apart(gram, labels, 3) == pytest.approx(0.5)


@pytest.fixture
def cell():
    return study_cell(30, points=7, sets=6)


def test_a_cell_reads_at_each_number_of_clusters(cell):
    out = study.run_study(cell)
    assert [reading.at for reading in out.readings] == [{"k": 2}, {"k": 3}, {"k": 4}]
    two, three, four = (reading.metrics for reading in out.readings)
    assert two["same_partition"] == two["partition_ari"] == 1.0 and two["partition_loss"] == 0.0
    for metrics in (two, three, four):
        assert metrics["optimum_falls"] == 0.0
        assert 0.0 <= metrics["same_partition"] <= 1.0 and metrics["structure_apart"] < 1e-10
        assert metrics["partition_loss"] >= 0.0 and metrics["sweeps_loss"] >= 0.0
        assert (metrics["sweeps_optimal"] == 1.0) == (metrics["sweeps_loss"] <= study.TIE)
    assert [reading.metrics for reading in study.run_study(cell).readings] == [two, three, four]


def test_measures_are_means_over_the_sets_and_the_largest_of_differences(cell, monkeypatch):
    seen = []

    def told(X, k, seed, columns):
        seen.append((k, seed, X.tolist()))
        return {name: float(seed) for name in ("same_partition", "structure_apart", "optimum_falls")}

    monkeypatch.setattr(study, "of_set", told)
    out = study.run_study(cell)
    expected = {"same_partition": 2.5, "structure_apart": 5.0, "optimum_falls": 5.0}
    assert all(r.metrics == expected for r in out.readings)
    assert [s[2] for s in seen[:6]] == [s[2] for s in seen[6:12]]  # the same sets for each number
    rows = {tuple(row) for row in cell.task.of(cell.data.X).tolist()}
    for k, _, X in seen:
        assert k in (2, 3, 4) and len({tuple(row) for row in X}) == 7 and {tuple(row) for row in X} <= rows


def test_a_cell_says_which_sets_and_features_and_numbers(cell, monkeypatch):
    seen, asked = [], []

    def told(X, k, seed, columns):
        seen.append((k, seed, X.tolist()))
        return {"structure_apart": 0.0, "optimum_falls": 0.0}

    def features(data, name):
        asked.append(name)
        return data.X

    monkeypatch.setattr(study, "of_set", told)
    monkeypatch.setattr(study, "features_of", features)
    # As many points as rows are not too many.
    given = {"points": 30, "sets": 2, "clusters": [5, 3], "features": "binary"}
    for parameters in ({**given, "points": 8}, given):
        cell.method.parameters = lambda setting, parameters=parameters: parameters
        seen.clear()
        out = study.run_study(cell)
        assert [reading.at for reading in out.readings] == [{"k": 5}, {"k": 3}]
        n, X = parameters["points"], cell.task.of(cell.data.X)
        rng = np.random.default_rng([cell.spec.seed, n])
        sets = [X[np.sort(rng.permutation(30)[:n])].tolist() for _ in range(2)]
        assert seen == [(k, s, sets[s]) for k in (5, 3) for s in range(2)]
    assert asked == ["binary", "binary"]
    cell.method.parameters = lambda setting: {"points": 7}
    study.run_study(cell)
    assert asked[-1] == "raw"


def test_what_is_measured_of_a_set(cell, monkeypatch):
    """Each measure is of the partition that it is said to be of, where the two best differ."""
    X, k = cell.task.of(cell.data.X)[:7], 3
    star, unconstrained = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 1, 1, 2, 2, 0, 0])
    best = enumerated.BestPartitions(star, unconstrained, 4.0, 8.0, 6.0)
    monkeypatch.setattr(study, "best_partitions", lambda gram, k, columns="binary": best)
    monkeypatch.setattr(
        study, "structure_apart", lambda gram, labels, k: float(labels @ 10.0 ** np.arange(7))
    )
    swept = []

    def told(gram, structure, start):
        swept.append((structure.tolist(), start.tolist()))
        return SimpleNamespace(objective=[1.0, 3.0])

    monkeypatch.setattr(study, "greedy_partition", told)
    found = study.of_set(X, k, 5)
    gram = study.gram_of(study.NumericalTaxonomy(k), X, 5)
    start = start_labels(gram, k, "spectral", np.random.RandomState(5))
    assert swept == [(np.eye(k).tolist(), start.tolist())]
    assert start.tolist() != start_labels(gram, k, "random", np.random.RandomState(5)).tolist()
    assert found == {
        "optimum_falls": 0.0,
        "same_partition": 0.0,
        "partition_ari": pytest.approx(adjusted_rand_score(star, unconstrained)),
        "partition_loss": 0.25,
        "structure_apart": float(unconstrained @ 10.0 ** np.arange(7)),
        "sweeps_optimal": 0.0,
        "sweeps_loss": 0.25,
    }
    # Sweeps are of columns of 0 and 1 alone.
    assert set(found) - set(study.of_set(X, k, 5, "unit")) == {"sweeps_optimal", "sweeps_loss"}
    assert len(swept) == 1


def test_the_best_value_is_held_against_that_with_a_cluster_less(cell, monkeypatch):
    X = cell.task.of(cell.data.X)[:7]
    gram = study.gram_of(study.NumericalTaxonomy(3), X, 0)
    true = study.best_partitions
    doubled = true(gram, 2)._replace(unconstrained_value=2.0 * true(gram, 3).unconstrained_value)
    monkeypatch.setattr(
        study, "best_partitions", lambda g, k, *columns: doubled if k == 2 else true(g, k, *columns)
    )
    assert study.of_set(X, 3, 0)["optimum_falls"] == pytest.approx(0.5)


def test_sweeps_are_held_against_the_optimum(cell, monkeypatch):
    X = cell.task.of(cell.data.X)[:7]
    gram = study.gram_of(study.NumericalTaxonomy(3), X, 0)
    value = 0.75 * study.best_partitions(gram, 3).star_value
    monkeypatch.setattr(study, "greedy_partition", lambda *a: SimpleNamespace(objective=[9.0, value]))
    found = study.of_set(X, 3, 0)
    assert found["sweeps_optimal"] == 0.0 and found["sweeps_loss"] == pytest.approx(0.25)


def test_too_few_rows_are_named(cell):
    cell.method.parameters = lambda setting: {"points": 31}
    with pytest.raises(ValueError, match="points=31: expected at most 30"):
        study.run_study(cell)
