"""Flat clusters of a tree: so many, or at a height, as SciPy cuts; what lasts longest, as HDBSCAN chooses."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, is_monotonic
from sklearn.cluster import HDBSCAN

from cladebench import Hierarchy, linkage, tree_cuts
from cladebench.methods import Agglomerative
from cladebench.reference import hierarchy as reference
from strategies import binary_hierarchies, hierarchies


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether labels agree up to their numbers; -1 only with -1."""
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    alike = len({x for x, _ in pairs}) == len(pairs) == len({y for _, y in pairs})
    return alike and all((x == -1) == (y == -1) for x, y in pairs)


def leaves_at(tree: Hierarchy, sample: int, top: int, min_size: int) -> float:
    """By brute force: the height at which a sample leaves the large cluster that begins at a node."""
    way = [int(tree.leaf_of[sample])]
    while way[-1] != top:
        way.append(int(tree.parents[way[-1]]))
    for node, part in zip(way[:0:-1], way[-2::-1], strict=True):
        large = [other for other in tree.parts(node) if tree.sizes[other] >= min_size]
        if large != [part]:
            return float(tree.heights[node])
    return float(tree.heights[way[0]])


@given(binary_hierarchies(min_samples=2), st.integers(2, 5))
def test_the_condensed_tree_has_all_large_clusters(tree: Hierarchy, min_size: int) -> None:
    heights = np.where(tree.sizes > 1, tree.heights + 1.0, 0.0)
    tree = Hierarchy(tree.parents, tree.leaf_of, heights)
    large = tree.condensed(min_size)
    tops = {tree.root} | {
        part
        for node in range(tree.n_nodes)
        for part in tree.parts(node)
        if (tree.sizes[tree.parts(node)] >= min_size).sum() > 1 and tree.sizes[part] >= min_size
    }
    found = {tuple(sorted(large.samples(node).tolist())): node for node in range(large.n_nodes)}
    assert set(found) == {tuple(sorted(tree.samples(top).tolist())) for top in tops}
    assert len(found) == large.n_nodes == len(tops) and large.root == 0
    for top in tops:
        node = found[tuple(sorted(tree.samples(top).tolist()))]
        begins = np.inf if top == tree.root else heights[tree.parents[top]]
        assert large.node_data["begins"][node] == begins
        ends = np.array([leaves_at(tree, int(i), top, min_size) for i in tree.samples(top)])
        lasted = sum(max(1.0 / end - 1.0 / begins, 0.0) for end in ends if end > 0.0)
        assert large.node_data["stability"][node] == pytest.approx(lasted)


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


@given(
    st.integers(0, 2**32 - 1),
    st.integers(3, 25),
    st.sampled_from(["centroid", "median"]),
    st.floats(0.0, 1.0),
)
def test_where_merges_invert_scipy_goes_by_the_highest_below(
    seed: int, n_rows: int, method: str, share: float
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2)) if seed % 2 else rng.integers(0, 5, size=(n_rows, 2)).astype(float)
    Z = linkage(X, method)
    tree, height = Hierarchy.from_linkage(Z), share * float(Z[:, 2].max())
    found, scipys = tree.cut_at(height), fcluster(Z, height, "distance")
    highest = tree.heights.copy()
    for node in tree.preorder[::-1]:
        highest[node] = max([highest[node], *highest[tree.parts(node)]])
    assert same_partition(scipys, Hierarchy(tree.parents, tree.leaf_of, highest).cut_at(height))
    # SciPy's parts what is together here, and joins nothing.
    assert len(set(zip(scipys, found, strict=True))) == len(set(scipys))
    if is_monotonic(Z):
        assert same_partition(found, scipys)


def test_a_merge_that_is_not_undone_keeps_a_higher_one_below() -> None:
    Z = linkage([[2.0, 3.0], [0.0, 1.0], [1.0, 4.0], [3.0, 1.0]], "centroid")
    assert not is_monotonic(Z)
    height = 2.6034165596
    assert set(Hierarchy.from_linkage(Z).cut_at(height)) == {0}
    assert len(set(fcluster(Z, height, "distance"))) == 3


@given(hierarchies(with_heights=True), st.integers(-1, 6), st.booleans())
def test_below_a_node_that_is_not_split_all_stays_together(
    tree: Hierarchy, height: int, heights_rise: bool
) -> None:
    if heights_rise:  # then no node is looked at by itself
        tree = Hierarchy(tree.parents, tree.leaf_of, tree.sizes.astype(float))
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


def test_a_node_that_no_sample_leaves_adds_nothing_even_at_height_0() -> None:
    tree = Hierarchy(
        [-1, 0, 0, 1, 2], [3, 3, 4, 4], [4.0, 0.0, 2.0, 0.0, 1.0]
    )  # two chains, of 0s and of 2, 1
    assert tree.condensed(2).node_data["stability"].tolist() == [1.0, np.inf, 1.5]


def clusters_of(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist()) - {-1}}


@given(hierarchies(with_heights=True), st.integers(2, 5), st.integers(0, 4))
def test_dynamic_clusters_are_the_twins(tree: Hierarchy, min_size: int, depth: int) -> None:
    found = tree.dynamic_clusters(min_size, depth)
    expected = reference.dynamic_clusters(tree.parents, tree.leaf_of, tree.heights, min_size, depth)
    assert clusters_of(found) == expected
    firsts = [found[tree.sample_order].tolist().index(label) for label in range(found.max() + 1)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method", ["single", "average", "ward", "centroid"])
def test_dynamic_clusters_of_points_are_the_twins(method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)).round(1) + 5.0 * rng.integers(0, 4, size=(60, 1))  # ties too
    tree = Hierarchy.from_linkage(linkage(X, method))
    sizes = [3, 6]
    found = {(n, d): tree.dynamic_clusters(n, d) for n in sizes for d in range(5)}
    for (n, d), labels in found.items():
        twin = reference.dynamic_clusters(tree.parents, tree.leaf_of, tree.heights, n, d)
        assert clusters_of(labels) == twin
        assert all(len(cluster) >= n for cluster in twin)


def test_dynamic_clusters_by_hand() -> None:
    # Merges at 1, 1, 3 and 9: low is 1, the cut 1 + .99 * 8 = 8.92. At depth 1 a core is at most 6.7816 high, and
    # merges 1.6038 above or more. The pairs have cores of height 1, and meet at 3: both stand apart.
    tree = Hierarchy.from_linkage([[0, 1, 1.0, 2], [2, 3, 1.0, 2], [5, 6, 3.0, 4], [4, 7, 9.0, 5]])
    assert tree.dynamic_clusters(2).tolist() == [0, 0, 1, 1, -1]
    # At depth 0 they need 2.1384, and are one branch. Its core has 1 + sqrt(3) samples: two, at height 1.
    assert tree.dynamic_clusters(2, depth=0).tolist() == [0, 0, 0, 0, -1]
    # Of three samples neither pair is a cluster. The core has 1.5 + sqrt(2.5), again three, which join at 1 and 3.
    assert tree.dynamic_clusters(3).tolist() == [0, 0, 0, 0, -1]
    assert tree.dynamic_clusters(5).tolist() == [-1] * 5


def test_a_branch_that_does_not_stand_apart_joins_the_one_that_does() -> None:
    # The pair at 1 stands apart where the larger branch, at 2.9, does not: the pair takes it in, and its core stays.
    tree = Hierarchy.from_linkage(
        [[0, 1, 1.0, 2], [2, 3, 2.9, 2], [4, 8, 2.9, 3], [7, 9, 3.0, 5], [5, 6, 3.0, 2], [10, 11, 9.0, 7]]
    )
    assert tree.dynamic_clusters(2).tolist() == [0, 0, 0, 0, 0, 1, 1]


def test_a_node_may_part_in_more_than_two() -> None:
    tree = Hierarchy([-1, 0, 0, 0], [1, 1, 2, 2, 3, 3, 0], [2.0, 1.0, 1.0, 1.0])
    assert tree.stable_clusters(2).tolist() == [0, 0, 1, 1, 2, 2, -1]
    assert tree.cut_at(1.5).tolist() == [1, 1, 2, 2, 3, 3, 0]


def test_one_sample_and_wrong_arguments() -> None:
    one = Hierarchy([-1], [0], [0.0])
    assert one.cut_at(0.0).tolist() == [0] and one.stable_clusters(2).tolist() == [-1]
    assert one.dynamic_clusters(2).tolist() == [-1]
    bare = Hierarchy.from_nested([[0, 1], 2])
    for call, words in [
        (lambda: bare.cut_at(1.0), "the tree has none"),
        (lambda: bare.stable_clusters(2), "the tree has none"),
        (lambda: bare.dynamic_clusters(2), "the tree has none"),
        (lambda: one.dynamic_clusters(1), "min_size is 1; expected at least 2"),
        (lambda: one.dynamic_clusters(2, depth=5), "depth is 5; expected at most 4"),
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


@given(hierarchies(), st.integers(1, 30))
def test_cut_gives_subtrees_from_left_to_right(tree: Hierarchy, n_leaves: int) -> None:
    labels = tree.cut(n_leaves)
    n_clusters = labels.max() + 1
    assert n_clusters <= n_leaves
    assert (np.diff(labels[tree.sample_order]) >= 0).all()
    assert set(labels) == set(range(n_clusters))
    groups = {frozenset(tree.samples(v)) for v in range(tree.n_nodes)}
    groups |= {frozenset(tree.own_samples(v)) for v in range(tree.n_nodes)}
    assert all(frozenset(np.flatnonzero(labels == c)) in groups for c in range(n_clusters))


@given(hierarchies(), st.integers(1, 30))
def test_cuts_are_nested(tree: Hierarchy, n_leaves: int) -> None:
    coarse, fine = tree.cut(n_leaves), tree.cut(n_leaves + 1)
    assert all(len(set(coarse[fine == c])) == 1 for c in set(fine))


@given(binary_hierarchies(), st.data())
def test_cut_of_a_binary_tree_is_that_of_its_last_merges(tree: Hierarchy, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, tree.n_samples))
    labels = tree.cut(k)
    assert len(set(labels)) == k
    assert tree.heights is not None
    # Every pair that stays together meets no higher than every pair of neighbouring clusters.
    i, j = np.triu_indices(tree.n_samples, k=1)
    meeting, together = tree.heights[tree.lca(i, j)], labels[i] == labels[j]
    if together.any() and not together.all():
        assert meeting[together].max() <= meeting[~together].min()


@given(hierarchies(), st.integers(1, 30), st.randoms(use_true_random=False))
def test_cut_does_not_depend_on_the_order_of_samples(tree: Hierarchy, n_leaves: int, random) -> None:
    order = np.array(random.sample(range(tree.n_samples), tree.n_samples))
    moved = Hierarchy(tree.parents, tree.leaf_of[order], tree.heights)
    assert np.array_equal(moved.cut(n_leaves), tree.cut(n_leaves)[order])


def test_cut_by_hand() -> None:
    tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    assert tree.cut(2).tolist() == [0, 0, 1, 1, 1]
    assert tree.cut(3).tolist() == [0, 0, 1, 2, 2]
    assert tree.cut(99).tolist() == [0, 1, 2, 3, 4]
    assert Hierarchy([-1], [0, 0, 0]).cut(3).tolist() == [0, 0, 0]  # one leaf cannot be split
    star = Hierarchy.from_nested([0, 1, 2])
    assert star.cut(2).tolist() == [0, 0, 0]  # its one split makes three
    assert Hierarchy([-1, 0], [1, 0, 1]).cut(2).tolist() == [
        1,
        0,
        1,
    ]  # samples at an inner node are a cluster
    assert tree.cut(np.uint8(2)).tolist() == tree.cut(2).tolist()
    with pytest.raises(ValueError, match="n_leaves is 0"):
        tree.cut(0)
    for wrong in (np.nan, 2.5, 2.0, True, "2", None):
        with pytest.raises(TypeError, match=rf"n_leaves is {wrong!r}; expected an integer"):
            tree.cut(wrong)


@given(hierarchies(), st.integers(1, 12))
def test_truncated_is_the_top_of_the_tree_down_to_the_cut(tree, n_leaves):
    top = tree.truncated(n_leaves)
    assert np.array_equal(top.cut(n_leaves), tree.cut(n_leaves))
    assert len(np.unique(top.leaf_of)) == tree.cut(n_leaves).max() + 1
    assert top.n_samples == tree.n_samples
    i, j = np.triu_indices(tree.n_samples, 1)
    apart = top.leaf_of[i] != top.leaf_of[j]
    assert np.array_equal(top.sizes[top.lca(i, j)][apart], tree.sizes[tree.lca(i, j)][apart])


def test_a_wrong_number_of_clusters_is_one_kind_of_error_everywhere() -> None:
    tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    for call in (
        lambda: tree.cut(2.5),
        lambda: tree.truncated("2"),
        lambda: tree.splits(True),
        lambda: Agglomerative(n_clusters=2.5).fit([[0.0], [1.0]]),
    ):
        with pytest.raises(ValueError, match="expected an integer"):
            call()
    with pytest.raises(TypeError):  # as before
        tree.cut(2.5)


@pytest.mark.parametrize("height", [np.nan, np.inf, "1", None])
def test_a_height_that_is_no_number_is_told_what_is(height: object) -> None:
    tree = Hierarchy([2, 2, -1], [0, 1], [0.0, 0.0, 1.0])
    with pytest.raises(ValueError, match=r"^height=.*: expected a finite number$"):
        tree.cut_at(height)


def test_methods_of_a_tree_read_as_methods() -> None:
    functions = {name: value for name, value in vars(Hierarchy).items() if inspect.isfunction(value)}
    assert {"cut", "cut_at", "splits", "truncated", "stable_clusters", "condensed"} <= set(functions)
    assert {next(iter(inspect.signature(value).parameters)) for value in functions.values()} == {"self"}
