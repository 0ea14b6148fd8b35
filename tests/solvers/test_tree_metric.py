import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.hierarchy import Hierarchy
from cladebench.reference import tree_metric as twin
from cladebench.solvers import tree_metric as module
from cladebench.solvers.tree_metric import TreeMetric, fit_branch_lengths, fit_tree_metric, four_point_excess
from tree_metric_cases import KINDS, check, distances, matrices, random_topology, tree_distances


def check_optimal(fit: TreeMetric, D: np.ndarray, edges: list[tuple[int, int]]) -> None:
    """The conditions of Karush, Kuhn and Tucker for the lengths of a topology, from the point returned."""
    k = len(D)
    if k == 1:
        return
    A = twin.design_matrix(edges, k)
    slopes = A.T @ (twin.pair_values(D) - twin.pair_values(fit.distances))
    tolerance = 1e-9 * (A.T @ twin.pair_values(D)).max()
    assert (slopes <= tolerance).all()
    lengths = fit.tree.edge_lengths
    assert lengths is not None
    alive = twin.splits(fit.tree)
    everyone = frozenset(range(k))
    for number, slope in enumerate(slopes):
        side = twin.side(edges, number, k)
        other = everyone - side
        if min(len(side), len(other)) == 1:
            (point,) = side if len(side) == 1 else other
            is_free = lengths[point] > 0
        else:
            is_free = (other if 0 in side else side) in alive
        if is_free:
            assert abs(slope) <= tolerance


@settings(max_examples=150)
@given(matrices, st.integers(0, 1000), st.booleans())
def test_lengths_of_a_given_tree_are_the_twin_s(D, seed: int, binary: bool) -> None:
    tree = random_topology(len(D), np.random.default_rng(seed), binary)
    fit = fit_branch_lengths(D, tree)
    check(fit, D)
    check_optimal(fit, D, twin.edges_of(tree)[0])
    _, fitted, residual = twin.fit_branch_lengths(D, tree)
    assert fit.residual == pytest.approx(residual, rel=1e-9, abs=1e-12 * D.max())
    assert np.abs(fit.distances - fitted).max() <= 1e-9 * D.max()
    assert twin.splits(fit.tree) <= twin.splits(tree)


@settings(max_examples=100)
@given(matrices, st.sampled_from(["search", "neighbor-joining", "star", "random"]))
def test_any_result_is_a_tree_metric(D, topologies: str) -> None:
    fit = fit_tree_metric(D, topologies=topologies, random_state=0)
    check(fit, D)
    check_optimal(fit, D, twin.edges_of(fit.tree)[0])


def test_lengths_of_a_large_tree() -> None:
    # Many edges are contracted, and halves of equal size occur.
    for k, kind in ((40, "uniform"), (64, "points"), (33, "whole")):
        D = distances(k, k, kind)
        tree = random_topology(k, np.random.default_rng(k))
        fit = fit_branch_lengths(D, tree)
        check_optimal(fit, D, twin.edges_of(tree)[0])
        assert fit.residual == pytest.approx(twin.fit_branch_lengths(D, tree)[2], rel=1e-9)


@settings(max_examples=60)
@given(
    st.integers(1, 12),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.3, 0.8]),
    st.sampled_from(["search", "neighbor-joining", "all"]),
)
def test_a_tree_metric_is_recovered(k: int, seed: int, zeros: float, topologies: str) -> None:
    k = min(k, 6) if topologies == "all" else k
    rng = np.random.default_rng(seed)
    tree = random_topology(k, rng, binary=False)
    D = tree_distances(tree, rng, zeros)
    fit = fit_tree_metric(D, topologies=topologies)
    check(fit, D)
    scale = D.max()
    assert fit.residual <= 1e-12 * k * scale
    # The splits are those whose points the distances tell apart: the ones of edges that are not 0.
    lengths, _, _ = twin.fit_branch_lengths(D, tree)
    edges = twin.edges_of(tree)[0]
    true = {
        split
        for number, length in enumerate(lengths)
        if length > 1e-9
        for split in twin.splits_of_edges([edges[number]], k) or {_split(edges, number, k)}
    }
    assert twin.splits(fit.tree) == {s for s in true if 1 < len(s) < k - 1}


def _split(edges, number: int, k: int) -> frozenset[int]:
    side = twin.side(edges, number, k)
    return frozenset(range(k)) - side if 0 in side else side


@settings(max_examples=40)
@given(
    st.integers(2, 10),
    st.integers(0, 10**6),
    st.sampled_from(["uniform", "points", "noisy tree"]),
    st.sampled_from(["search", "neighbor-joining", "all"]),
)
def test_renamed_points_have_the_same_tree(k: int, seed: int, kind: str, topologies: str) -> None:
    k = min(k, 6) if topologies == "all" else k
    D = distances(k, seed, kind)
    order = np.random.default_rng(seed).permutation(k)
    here, there = (fit_tree_metric(matrix, topologies=topologies) for matrix in (D, D[np.ix_(order, order)]))
    assert np.abs(here.distances[np.ix_(order, order)] - there.distances).max() <= 1e-9 * D.max()
    assert here.residual == pytest.approx(there.residual, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("factor", [1e-150, 1e-3, 1e150, 2.0**1020, 2.0**-1060])
@pytest.mark.parametrize("topologies", ["search", "all", "star"])
def test_results_scale_with_the_distances(factor: float, topologies: str) -> None:
    D = np.round(distances(7, 3, "whole") + distances(7, 4), 4)
    D = np.ldexp(np.round(np.ldexp(D, 10)), -10)  # few bits, so that not even subnormal numbers lose any
    one, other = fit_tree_metric(D, topologies=topologies), fit_tree_metric(D * factor, topologies=topologies)
    tolerance = 1e-12 if factor > 1e-200 else 1e-2
    assert other.distances / factor == pytest.approx(one.distances, rel=tolerance)
    assert other.residual / factor == pytest.approx(one.residual, rel=tolerance)
    assert twin.splits(one.tree) == twin.splits(other.tree)
    excess = four_point_excess(D)
    assert four_point_excess(D * factor) / factor == pytest.approx(excess, rel=tolerance)


@settings(max_examples=60)
@given(st.integers(1, 7), st.integers(0, 10**6), st.sampled_from(KINDS))
def test_excess_is_the_twin_s(k: int, seed: int, kind: str) -> None:
    D = distances(k, seed, kind)
    assert four_point_excess(D) == pytest.approx(twin.four_point_excess(D), rel=1e-12, abs=1e-15)


def test_excess_by_hand() -> None:
    square = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]], dtype=float)
    assert four_point_excess(square) == 2.0  # 2 + 2 against 1 + 1, a metric
    assert four_point_excess([[0, 5, 1], [5, 0, 1], [1, 1, 0]]) == 3.0  # the triangle
    assert four_point_excess([[0, 1], [1, 0]]) == 0.0
    assert four_point_excess(1.0 - np.eye(5)) == 0.0


def test_one_two_and_three_points() -> None:
    one = fit_tree_metric([[0.0]])
    assert one.tree.n_nodes == 1 and one.residual == 0.0 and one.distances.tolist() == [[0.0]]
    two = fit_tree_metric([[0.0, 3.0], [3.0, 0.0]])
    assert two.tree.parents.tolist() == [2, 2, -1]
    assert two.tree.edge_lengths is not None and two.tree.edge_lengths.tolist() == [1.5, 1.5, 0.0]
    assert two.distances.tolist() == [[0.0, 3.0], [3.0, 0.0]] and two.residual == 0.0
    three = fit_tree_metric([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    assert three.tree.parents.tolist() == [3, 3, 3, -1]
    assert three.tree.edge_lengths == pytest.approx([1, 2, 3, 0])
    # No triangle: the pendant edge of point 2 would be negative. (x + y - 5)^2 + (x - 1)^2 + (y - 1)^2 is least at
    # x = y = 2, with errors of 1 each.
    bent = fit_tree_metric([[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    assert bent.tree.edge_lengths == pytest.approx([2, 2, 0, 0])
    assert bent.residual == pytest.approx(math.sqrt(3))


@pytest.mark.parametrize("topologies", module.TOPOLOGIES)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_all_points_equal(k: int, topologies: str) -> None:
    fit = fit_tree_metric(np.zeros((k, k)), topologies=topologies)
    assert fit.residual == 0.0 and (fit.distances == 0).all()
    assert fit.tree.n_nodes == (1 if k == 1 else k + 1)
    assert fit.tree.edge_lengths is not None and (fit.tree.edge_lengths == 0).all()


def test_equal_points_keep_leaves_of_their_own() -> None:
    D = np.array([[0, 0, 2, 3], [0, 0, 2, 3], [2, 2, 0, 3], [3, 3, 3, 0]], dtype=float)
    fit = fit_tree_metric(D)
    check(fit, D)
    assert fit.residual <= 1e-12 and fit.tree.edge_lengths is not None
    assert fit.tree.edge_lengths[:2].tolist() == [0.0, 0.0]


def test_star_has_one_inner_node() -> None:
    D = distances(6, 0, "noisy tree")
    fit = fit_tree_metric(D, topologies="star")
    assert fit.tree.n_nodes == 7
    assert fit.residual == pytest.approx(twin.fit_edges(D, [(i, 6) for i in range(6)])[2])


def test_root_chains_and_empty_leaves_of_a_given_tree_do_not_count() -> None:
    D = distances(5, 1)
    plain = fit_branch_lengths(D, Hierarchy.from_nested([[0, 1], 2, [3, 4]]))
    for nested in (
        [[[0, 1], 2], [3, 4]],
        [[0, 1], [2, [3, 4]]],
        [[[[0], 1]], 2, [[3, 4], []]],
        [0, [1, [2, [3, 4]]]],
    ):
        other = fit_branch_lengths(D, Hierarchy.from_nested(nested))
        assert other.distances == pytest.approx(plain.distances, abs=1e-12)
        assert twin.splits(other.tree) == twin.splits(plain.tree)


def test_rows_may_differ_by_rounding() -> None:
    D = distances(5, 0)
    off = D + np.triu(np.full((5, 5), 1e-9 * D.max()), 1)
    assert fit_tree_metric(off).residual == pytest.approx(
        fit_tree_metric((off + off.T) / 2).residual, rel=1e-12
    )
    noisy = off.copy()
    noisy[2, 2], noisy[0, 4] = 1e-9 * D.max(), off[4, 0]
    assert fit_tree_metric(noisy).residual == pytest.approx(fit_tree_metric(off).residual, rel=1e-6)
    with pytest.raises(ValueError, match=r"D\[.* is .*, D\[.*\] is .*, .*e-08 apart; expected symmetric"):
        fit_tree_metric(D + np.triu(np.full((5, 5), 2e-8 * D.max()), 1))


@pytest.mark.parametrize(
    ("D", "words"),
    [
        ([[0.0, 1.0]], r"shape \(1, 2\); expected \(k, k\)"),
        (np.zeros((0, 0)), r"shape \(0, 0\)"),
        (np.zeros(4), r"shape \(4,\)"),
        ([[0, np.nan], [np.nan, 0]], r"D\[0, 1\] is nan"),
        ([[0, np.inf], [np.inf, 0]], "not connected have no tree metric"),
        ([[0, -1.0], [-1.0, 0]], r"D\[0, 1\] is -1; expected distances of at least 0"),
        ([[0, 1.0], [1.0, 2.0]], r"D\[1, 1\] is 2; expected 0 from each sample to itself"),
        ([[0, 1.0], [2.0, 0]], "symmetric"),
        ([["0", "1"], ["1", "0"]], "not an array of numbers"),
    ],
)
def test_bad_distances_are_named(D, words: str) -> None:
    for function in (
        fit_tree_metric,
        four_point_excess,
        lambda D: fit_branch_lengths(D, Hierarchy([-1], [0])),
    ):
        with pytest.raises(ValueError, match=words):
            function(D)


def test_bad_choices_are_named() -> None:
    with pytest.raises(ValueError, match="topologies='best': expected one of all, neighbor-joining"):
        fit_tree_metric([[0.0]], topologies="best")
    with pytest.raises(ValueError, match="'all' with 9 points; expected at most 8"):
        fit_tree_metric(distances(9, 0), topologies="all")
    with pytest.raises(ValueError, match="n_starts=0: expected an integer >= 1"):
        fit_tree_metric(distances(4, 0), n_starts=0)
    with pytest.raises(ValueError, match="random_state="):
        fit_tree_metric(distances(4, 0), topologies="random", random_state=-1)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (lambda: Hierarchy.from_nested([0, 1]), "tree has 2 samples; expected 3"),
        (lambda: Hierarchy([-1, 0, 0], [1, 1, 2]), "sample 0 is not alone below its node 1"),
        (lambda: Hierarchy([-1, 0, 0], [1, 2, 0]), "sample 2 is not alone below its node 0"),
    ],
)
def test_bad_trees_are_named(tree: Callable[[], Hierarchy], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fit_branch_lengths(distances(3, 0), tree())


def test_the_core_refuses_what_is_no_tree() -> None:
    D = distances(4, 0)
    for parents in ([-1, 4, 4, 4, 9], [-1, -2, 4, 4, 0], [-1, 0, 0], [-1, 4, 4, 4, 4], [-1, -1, 4, 4, 0]):
        with pytest.raises(ValueError, match="parent"):
            _core.nonnegative_lengths(D, np.array(parents))
    with pytest.raises(ValueError, match="binary"):
        _core.search_trees(D, np.array([-1, 4, 4, 4, 0]), 3)
    with pytest.raises(ValueError, match="degree"):
        _core.nonnegative_lengths(D, np.array([-1, 4, 5, 5, 0, 4, 4, 5]))
    with pytest.raises(ValueError, match="length for each node"):
        _core.path_distances(4, np.array([-1, 4, 4, 4, 0]), np.zeros(4))
    with pytest.raises(ValueError, match=r"\(k, k\)"):
        _core.neighbor_joining(np.zeros((2, 3)))
