"""Flat clusters of a tree: at a height, as SciPy cuts; those that last longest, as HDBSCAN chooses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster
from sklearn.cluster import HDBSCAN

from cladebench import Hierarchy, linkage, tree_cuts
from strategies import binary_hierarchies, hierarchies


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether labels agree up to their numbers; -1 only with -1."""
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    alike = len({x for x, _ in pairs}) == len(pairs) == len({y for _, y in pairs})
    return alike and all((x == -1) == (y == -1) for x, y in pairs)


def largest_clusters(tree: Hierarchy, node: int) -> dict[int, int]:
    """By brute force: number of clusters of all cuts below a node -> the least of their largest clusters."""
    found = {1: int(tree.sizes[node])}
    if parts := tree.parts(node):
        own = len(tree.own_samples(node))
        below = {int(own > 0): own}
        for part in parts:
            cuts = largest_clusters(tree, part)
            pairs = [(m + n, max(a, b)) for m, a in below.items() for n, b in cuts.items()]
            below = {count: min(worst for k, worst in pairs if k == count) for count, _ in pairs}
        found |= {k: min(worst, found.get(k, worst)) for k, worst in below.items()}
    return found


@given(hierarchies(with_heights=True), st.integers(1, 12))
def test_no_cut_is_more_balanced(tree: Hierarchy, n_leaves: int) -> None:
    sizes = np.bincount(tree.cut(n_leaves, by="size"))
    assert len(sizes) <= n_leaves
    best = largest_clusters(tree, tree.root)
    assert sizes.max() == min(worst for count, worst in best.items() if count <= n_leaves)


@given(binary_hierarchies(min_samples=2), st.integers(1, 30))
def test_of_binary_trees_cuts_have_all_clusters_asked_for(tree: Hierarchy, n_leaves: int) -> None:
    for by in ("height", "size"):
        assert len(set(tree.cut(n_leaves, by=by))) == min(n_leaves, tree.n_samples)


def test_a_cut_goes_by_height_or_size() -> None:
    with pytest.raises(ValueError, match=r"by='weight': expected one of"):
        Hierarchy.from_nested([0, 1]).cut(2, by="weight")


@given(binary_hierarchies(min_samples=2), st.integers(-1, 30))
def test_cut_at_a_height_is_scipys(tree: Hierarchy, height: int) -> None:
    found = tree.cut_at(height + 0.5)
    assert same_partition(found, fcluster(tree.to_linkage(), height + 0.5, "distance"))
    order = found[tree.sample_order]
    assert order[0] == 0 and set(np.diff(order)) <= {0, 1}


@given(hierarchies(with_heights=True), st.integers(-1, 6))
def test_below_a_node_that_is_not_split_all_stays_together(tree: Hierarchy, height: int) -> None:
    found = tree.cut_at(height)
    i, j = np.triu_indices(tree.n_samples, k=1)
    for a, b in zip(i, j, strict=True):
        node, together = int(tree.lca(a, b)), tree.leaf_of[a] == tree.leaf_of[b]
        chain = [node]
        while tree.parents[chain[-1]] >= 0:
            chain.append(int(tree.parents[chain[-1]]))
        split = all(tree.heights[v] > height and tree.parts(v) for v in chain)
        own = tree.leaf_of[a] == tree.leaf_of[b] == node
        assert (found[a] == found[b]) == (not split or own or bool(together))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("min_size", [2, 5, 12])
def test_clusters_that_last_are_hdbscans(min_size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 2)) + 4.0 * rng.integers(0, 3, size=(120, 1)) * rng.integers(0, 2)
    expected = HDBSCAN(min_cluster_size=min_size, min_samples=1, copy=True).fit(X).labels_
    found = Hierarchy.from_linkage(linkage(X, "single")).stable_clusters(min_size)
    assert same_partition(found, expected)


def test_clusters_that_last_by_hand() -> None:
    # Two pairs and a third far away: the pairs part at 4, and last from 1/4 to 1 and to 1/2.
    X = np.array([[0.0], [1.0], [5.0], [7.0], [100.0], [200.0]])
    tree = Hierarchy.from_linkage(linkage(X, "single"))
    assert tree.stable_clusters(2).tolist() == [0, 0, 1, 1, -1, -1]
    assert tree.stable_clusters(3).tolist() == [-1] * 6  # never two of three at once


def test_equal_rows_last_for_ever() -> None:
    X = np.repeat([[0.0], [1.0], [9.0]], [4, 4, 1], axis=0)
    tree = Hierarchy.from_linkage(linkage(X, "single"))
    assert tree.stable_clusters(3).tolist() == [0] * 4 + [1] * 4 + [-1]
    assert Hierarchy.from_linkage(linkage(np.ones((9, 1)), "single")).stable_clusters(3).tolist() == [-1] * 9


def test_a_node_may_part_in_more_than_two() -> None:
    tree = Hierarchy([-1, 0, 0, 0], [1, 1, 2, 2, 3, 3, 0], [2.0, 1.0, 1.0, 1.0])
    assert tree.stable_clusters(2).tolist() == [0, 0, 1, 1, 2, 2, -1]
    assert tree.cut_at(1.5).tolist() == [1, 1, 2, 2, 3, 3, 0]


def test_one_sample_and_wrong_arguments() -> None:
    one = Hierarchy([-1], [0], [0.0])
    assert one.cut_at(0.0).tolist() == [0] and one.stable_clusters(2).tolist() == [-1]
    bare = Hierarchy.from_nested([[0, 1], 2])
    for call, words in [
        (lambda: bare.cut_at(1.0), "the tree has none"),
        (lambda: bare.stable_clusters(2), "the tree has none"),
        (lambda: one.cut_at(np.nan), "height"),
        (lambda: one.stable_clusters(1), "min_size"),
        (lambda: Hierarchy([-1, 0, 0], [1, 2], [-1.0, 0.0, 0.0]).stable_clusters(2), "negative"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


@given(hierarchies(with_heights=True), st.integers(2, 12))
def test_a_number_of_clusters_that_is_skipped_lies_between_two_cuts(tree: Hierarchy, n_clusters: int) -> None:
    sizes = sorted({int(tree.cut(n).max()) + 1 for n in range(1, tree.n_samples + 1)})
    around = (
        max(k for k in sizes if k <= n_clusters),
        min((k for k in sizes if k >= n_clusters), default=None),
    )
    between = n_clusters not in sizes and around[1] is not None
    assert tree_cuts.skipped(tree, n_clusters) == (around if between else None)


def test_a_tree_in_threes_skips_even_numbers() -> None:
    tree = Hierarchy.from_nested([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    assert [tree_cuts.skipped(tree, n) for n in (2, 3, 4, 8, 9, 10)] == [
        (1, 3),
        None,
        (3, 5),
        (7, 9),
        None,
        None,
    ]
