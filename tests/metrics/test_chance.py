"""What chance gives, against the mean over all permutations, and against permutations drawn."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_rand_score

from cladebench.crosscheck.measures import expectations
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import (
    LinearKernel,
    cost_scores,
    dasgupta_cost,
    dendrogram_purity,
    expected_dasgupta_cost,
    expected_dendrogram_purity,
    expected_rand_index,
    purity_scores,
    rand_index,
    rand_scores,
)
from cladebench.metrics.chance import pairs_met, sum_of_sizes
from cladebench.reference.metrics import mean_over_permutations
from solver_checks import hold
from strategies import hierarchies, labels_for

SMALL = hierarchies(min_samples=2, max_samples=6)


@st.composite
def labelled(draw: st.DrawFn, max_samples: int = 6) -> tuple[Hierarchy, np.ndarray]:
    """A tree, and labels of which two at least are the same."""
    tree = draw(hierarchies(min_samples=2, max_samples=max_samples))
    labels = draw(labels_for(tree.n_samples, 3))
    labels[1] = labels[0]
    return tree, labels


@settings(max_examples=50, deadline=None)
@given(labelled(), st.data())
def test_expectations_are_the_means_over_all_permutations(case, data: st.DataObject) -> None:
    tree, labels = case
    S = data.draw(arrays(float, (tree.n_samples,) * 2, elements=st.integers(0, 5).map(float)))
    hold(expectations("drawn", tree, labels, S))


@settings(max_examples=50, deadline=None)
@given(SMALL, st.sampled_from(["unordered", "ordered"]), st.data())
def test_expected_cost_is_the_mean_over_all_permutations(tree, pairs, data: st.DataObject) -> None:
    X = data.draw(arrays(float, (tree.n_samples, 2), elements=st.integers(-4, 4).map(float)))
    S = data.draw(arrays(float, (tree.n_samples,) * 2, elements=st.integers(0, 5).map(float)))
    for similarity in (LinearKernel(X), S, sp.csr_array(S)):
        exact = mean_over_permutations(tree, lambda moved, s=similarity: dasgupta_cost(moved, s, pairs))
        assert expected_dasgupta_cost(tree, similarity, pairs) == pytest.approx(exact, rel=1e-12, abs=1e-11)


@given(hierarchies())
def test_pairs_are_counted_where_they_meet(tree: Hierarchy) -> None:
    met = np.zeros(tree.n_nodes, dtype=int)
    for i in range(tree.n_samples):
        for j in range(i):
            met[tree.lca(i, j)] += 1
    assert pairs_met(tree).tolist() == met.tolist()
    assert sum_of_sizes(tree) == int(met @ tree.sizes)


def test_sizes_of_many_samples_add_up_exactly() -> None:
    # All pairs meet at the root: n samples below n (n - 1) / 2 pairs, beyond 64 bits.
    n = 3_000_000
    assert sum_of_sizes(Hierarchy([-1], np.zeros(n, dtype=np.int64))) == n * math.comb(n, 2)


@given(labelled(max_samples=25))
def test_scores_are_the_measures_and_their_share_of_what_chance_leaves(case) -> None:
    tree, labels = case
    value, expected, corrected = purity_scores(tree, labels)
    assert (value, expected) == (dendrogram_purity(tree, labels), expected_dendrogram_purity(tree, labels))
    if expected < 1 - 1e-9:
        assert corrected == pytest.approx((value - expected) / (1 - expected))
    else:
        assert corrected == 1.0 == pytest.approx(value)
    clusters = tree.leaf_of
    value, expected, corrected = rand_scores(labels, clusters)
    assert (value, expected) == (rand_index(labels, clusters), expected_rand_index(labels, clusters))
    assert corrected == pytest.approx(adjusted_rand_score(labels, clusters), abs=1e-14)
    S = np.add.outer(labels, labels)
    for pairs in ("unordered", "ordered"):
        assert cost_scores(tree, S, pairs) == (
            dasgupta_cost(tree, S, pairs),
            expected_dasgupta_cost(tree, S, pairs),
            None,
        )


def test_what_is_certain_is_perfect() -> None:
    pair, three = Hierarchy.from_nested([0, 1]), Hierarchy.from_nested([0, [1, 2]])
    assert purity_scores(pair, ["a", "a"]) == purity_scores(three, [7, 7, 7]) == (1.0, 1.0, 1.0)
    assert rand_scores([0, 0, 0], [1, 1, 1]) == rand_scores([0, 1, 2], [2, 1, 0]) == (1.0, 1.0, 1.0)
    assert rand_scores([0, 0, 0], [0, 1, 2]) == (0.0, 0.0, 0.0)


def test_many_samples_permuted_give_the_expectations() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 1, 2], 30)
    parents = np.array([-1] + [int(rng.integers(max(0, k - 4), k)) for k in range(1, 40)])
    tree = Hierarchy(parents, rng.integers(0, 40, 120))
    S = np.exp(-np.abs(np.subtract.outer(labels, labels)))
    moved = [Hierarchy(parents, rng.permutation(tree.leaf_of)) for _ in range(400)]
    for measure in (
        lambda t: purity_scores(t, labels),
        lambda t: rand_scores(labels, t.leaf_of),
        lambda t: cost_scores(t, S),
    ):
        found = [measure(t) for t in moved]
        values = np.array([scores.value for scores in found])
        assert abs(values.mean() - found[0].permuted) < 4 * values.std() / 20
        assert {scores.permuted for scores in found} == {found[0].permuted}


def test_errors_are_those_of_the_measures() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    with pytest.raises(ValueError, match="no two samples share a class"):
        expected_dendrogram_purity(tree, [0, 1, 2])
    with pytest.raises(ValueError, match=r"labels has shape \(2,\); expected \(3,\)"):
        purity_scores(tree, [0, 1])
    with pytest.raises(ValueError, match="labels_true has length 1; expected at least 2"):
        rand_scores([0], [0])
    with pytest.raises(ValueError, match=r"similarity has shape \(2, 2\); expected \(3, 3\)"):
        expected_dasgupta_cost(tree, np.ones((2, 2)))
    for expectation in (expected_dendrogram_purity, expected_dasgupta_cost):
        with pytest.raises(TypeError, match="hierarchy is list; expected a Hierarchy"):
            expectation([0, 0, 1], np.ones(3))
