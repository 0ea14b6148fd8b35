"""What held-out rows say of the tree: nearest means, permutations, other trees."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from cladebench import datasets
from cladebench.methods import NumericalTaxonomy
from cladebench.papers.taxonomy import significance_study
from cladebench.reference import dependence as twin
from cladebench.solvers.gram import center
from task_draws import study_cell


def test_nearest_means_by_loops():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    order = rng.permutation(30)
    learn, test = order[:18], order[18:]
    labels = np.argmax(np.column_stack([X[learn], -X[learn].sum(axis=1)]), axis=1)
    means = [X[learn[labels == c]].mean(axis=0) for c in range(4)]
    expected = [int(np.argmin([np.linalg.norm(X[i] - mean) for mean in means])) for i in test]
    found = significance_study.nearest_means(X @ X.T, learn, labels, test)
    assert found.tolist() == expected and set(labels) == set(expected) == {0, 1, 2, 3}


def test_of_means_that_are_equally_near_the_first():
    x = np.array([[-1.0], [1.0], [0.0], [0.75]])
    found = significance_study.nearest_means(x @ x.T, np.array([0, 1]), np.array([0, 1]), np.array([2, 3]))
    assert found.tolist() == [0, 1]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_p_value_by_hand(sign):
    observed = 2.0 * sign
    permuted = np.array([3.0, 1.0, observed, observed * (1.0 + 1e-15), observed - 1e-6, -5.0])
    at_least = 3 if sign > 0 else 4
    assert significance_study.p_value(observed, permuted) == (1 + at_least) / 7
    assert significance_study.p_value(9.0, permuted) == 1 / 7
    assert significance_study.p_value(0.0, np.zeros(3)) == 1.0


def test_ties_count_where_the_dependence_is_negative():
    for observed in (-0.3, -1e-5, 0.3):
        assert significance_study.p_value(observed, np.array([observed, observed - 1.0])) == 2 / 3


def test_the_significance_study_of_nested_groups(monkeypatch):
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 99)
    out = significance_study.run_study(study_cell(160))
    assert significance_study.run_study(study_cell(160)).metrics == out.metrics
    assert set(out.metrics) == {
        *("p_tree", "p_partition", "p_partition_learned", "tree_gain", "partition_gain"),
        *("tree_over_star", "tree_over_random"),
    }
    assert out.metrics["p_tree"] <= 0.05 and out.metrics["p_partition"] == 0.01
    assert out.metrics["p_partition_learned"] == 0.01
    assert out.metrics["tree_gain"] > 1.0 and out.metrics["tree_over_star"] > 1.0
    assert out.metrics["tree_over_random"] > 1.0


def test_the_significance_study_is_what_it_says_of_itself(monkeypatch):
    """What goes into a share of permutations is looked at, as three small ones would be equal."""
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 19)
    monkeypatch.setattr(significance_study, "N_RANDOM", 3)
    monkeypatch.setattr(significance_study, "p_value", lambda observed, values: observed / values.max())
    data = datasets.load("nested-blobs")
    study = study_cell(60, replace(data, X=np.random.default_rng(1).normal(size=data.X.shape)))
    metrics = significance_study.run_study(study).metrics
    X, rng = study.task.of(study.data.X), np.random.default_rng(study.spec.seed)
    squares = cdist(X, X, "sqeuclidean")
    K = np.exp(-squares / np.median(squares[np.triu_indices(60, 1)]))
    order = rng.permutation(60)
    learn, test = np.sort(order[:30]), np.sort(order[30:])
    fitted = NumericalTaxonomy(8, random_state=study.spec.seed).fit_gram(center(K[np.ix_(learn, learn)]))
    Y, own = fitted.structure_, fitted.labels_
    labels = significance_study.nearest_means(K, learn, own, test)

    def value(rows, labels, Y):
        return twin.dependence(K[np.ix_(rows, rows)], labels, Y)

    permutations = [[rng.permutation(n) for _ in range(19)] for n in (len(Y), 30, 30)]
    leaves = np.array([value(test, labels, Y[np.ix_(p, p)]) for p in permutations[0]])
    rows = np.array([value(test, labels[p], Y) for p in permutations[1]])
    learned = np.array([value(learn, own[p], Y) for p in permutations[2]])
    observed = value(test, labels, Y)
    star = value(test, labels, significance_study.other_tree(fitted, "star"))
    drawn = [value(test, labels, significance_study.other_tree(fitted, "random", i)) for i in range(3)]
    assert metrics == pytest.approx(
        {
            "tree_over_star": observed / star,
            "tree_over_random": observed / np.mean(drawn),
            "p_tree": observed / leaves.max(),
            "p_partition": observed / rows.max(),
            "p_partition_learned": value(learn, own, Y) / learned.max(),
            "tree_gain": observed / leaves.mean(),
            "partition_gain": observed / rows.mean(),
        }
    )


def test_held_out_rows_are_not_learned_from(monkeypatch):
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 9)
    seen = []
    real = significance_study.nearest_means

    def told(K, learn, labels, test):
        seen.append((learn, test))
        return real(K, learn, labels, test)

    monkeypatch.setattr(significance_study, "nearest_means", told)
    significance_study.run_study(study_cell(41))
    ((learn, test),) = seen
    assert len(learn) == 20 and sorted([*learn, *test]) == list(range(41))


def test_in_the_half_that_was_learned_from_noise_has_clusters(monkeypatch):
    monkeypatch.setattr(significance_study, "N_PERMUTATIONS", 49)
    data = datasets.load("nested-blobs")
    noise = replace(data, X=np.random.default_rng(0).normal(size=data.X.shape))
    assert significance_study.run_study(study_cell(60, noise)).metrics["p_partition_learned"] == 0.02


def test_other_trees():
    X = np.random.default_rng(0).normal(size=(40, 3))
    found = NumericalTaxonomy(5, random_state=0).fit(X)
    same = significance_study.other_tree(found, "search")
    scale = np.linalg.norm(found.structure_) / np.linalg.norm(same)
    assert same * scale == pytest.approx(found.structure_, abs=1e-8)
    star = significance_study.other_tree(found, "star")
    drawn = [significance_study.other_tree(found, "random", draw) for draw in range(4)]
    assert not np.allclose(star, same) and not all(np.allclose(Y, drawn[0]) for Y in drawn)


def test_the_least_p_value_is_one_in_a_thousand():
    permuted = np.zeros(significance_study.N_PERMUTATIONS)
    assert significance_study.p_value(1.0, permuted) == 0.001
