"""The tree: structure against walks to the root, conversions there and back, bad input."""

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage
from scipy.spatial.distance import pdist

from cladebench import tree_formats
from cladebench.hierarchy import Hierarchy
from cladebench.reference import hierarchy as reference
from strategies import binary_hierarchies, hierarchies


def same_pairs(a: Hierarchy, b: Hierarchy) -> bool:
    """Whether every two distinct samples have the same samples below their lowest common ancestor in both."""
    n = a.n_samples
    i, j = np.triu_indices(n, k=1)
    return n == b.n_samples and all(
        set(a.samples(u)) == set(b.samples(v)) for u, v in zip(a.lca(i, j), b.lca(i, j), strict=True)
    )


# ---------------------------------------------------------------------- structure


@given(hierarchies())
def test_structure_is_that_of_walks_to_the_root(tree: Hierarchy) -> None:
    below = reference.samples_below(tree.parents, tree.leaf_of)
    assert tree.depths.tolist() == reference.depths(tree.parents)
    assert sorted(tree.preorder) == list(range(tree.n_nodes))
    for node in range(tree.n_nodes):
        assert tree.children(node).tolist() == np.flatnonzero(tree.parents == node).tolist()
        assert sorted(tree.samples(node)) == below[node]
        assert tree.sizes[node] == len(below[node])
        assert sorted(tree.own_samples(node)) == np.flatnonzero(tree.leaf_of == node).tolist()
    assert tree.n_leaves == len(set(range(tree.n_nodes)) - set(tree.parents.tolist()))
    for i in range(tree.n_samples):
        for j in range(tree.n_samples):
            assert tree.lca(i, j) == reference.lca(tree.parents, tree.leaf_of, i, j)


def test_lca_broadcasts_and_checks_samples() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    assert tree.lca([[0], [2]], [1, 2]).tolist() == [[1, 0], [0, 4]]
    assert isinstance(tree.lca(0, 1), int)
    assert tree.lca([], []).tolist() == []
    assert tree.lca(np.uint8([0]), np.int16([1])).tolist() == [1]
    for wrong in (3, -1):
        with pytest.raises(ValueError, match=f"sample {wrong}"):
            tree.lca(0, wrong)
    for wrong in (1.0, True, np.nan):
        with pytest.raises(TypeError, match="samples have dtype"):
            tree.lca(0, wrong)


@pytest.mark.parametrize("of", ["children", "samples", "own_samples", "parts"])
def test_nodes_that_do_not_exist_are_named(of: str) -> None:
    ask = getattr(Hierarchy.from_nested([[0, 1], 2]), of)
    assert len(ask(np.int32(1))) in (0, 2)
    for wrong in (-1, 5, 10**9):
        with pytest.raises(ValueError, match=rf"node {wrong} does not exist; expected 0\.\.4"):
            ask(wrong)
    for wrong in (1.0, True, None):
        with pytest.raises(TypeError, match=f"node is {wrong!r}; expected an integer"):
            ask(wrong)


@given(
    st.integers(1, 12),
    st.integers(1, 300),
    st.integers(1, 40),
    st.integers(0, 10**6),
    st.sampled_from([np.int32, np.int64, "int32"]),
)
def test_class_counts(n_nodes: int, n: int, n_classes: int, seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    # Any arity, nodes in any order, samples at inner nodes, empty leaves; classes that lack samples.
    order = rng.permutation(n_nodes)
    parents = np.full(n_nodes, -1)
    for place in range(1, n_nodes):
        parents[order[place]] = order[rng.integers(place)]
    tree = Hierarchy(parents, rng.integers(n_nodes, size=n))
    labels = rng.integers(n_classes, size=n)
    counts = tree.class_counts(labels, dtype=dtype)
    assert counts.dtype == np.dtype(dtype) and tree.class_counts(labels).dtype == np.int64
    assert counts.tolist() == reference.class_counts(parents, tree.leaf_of, labels)


def test_class_counts_of_a_chain() -> None:
    n = 3000
    tree = Hierarchy(np.arange(-1, n - 1), np.arange(n))
    assert np.array_equal(tree.class_counts(np.arange(n) % 2)[:, 1], n // 2 - np.arange(n) // 2)


@pytest.mark.parametrize(
    ("dtype", "name"), [(np.int16, "int16"), (float, "float64"), (">i8", ">i8"), ("u4", "uint32")]
)
def test_counts_of_other_types_are_refused(dtype: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"dtype is {name}; expected int64 or int32"):
        Hierarchy([-1], [0]).class_counts([1], dtype=dtype)


def test_great_depth_is_no_limit() -> None:
    n = 20_000
    rows = np.column_stack(
        [np.r_[0, np.arange(n, 2 * n - 2)], np.arange(1, n), np.arange(1, n), np.arange(2, n + 1)]
    )
    tree = Hierarchy.from_linkage(rows)
    assert tree.depths.max() == n - 1
    assert np.array_equal(tree.to_linkage()[:, 2:], rows[:, 2:])
    assert tree.to_newick().count("(") == n - 1
    assert len(np.unique(tree.cut(n))) == n
    nested: list = [0]
    for i in range(1, n):
        nested = [nested, i]
    assert Hierarchy.from_nested(nested).depths.max() == n


# ---------------------------------------------------------------------- conversions


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward", "centroid"])
def test_linkage_round_trip(method: str) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    Z = linkage(X, method)
    assert np.array_equal(Hierarchy.from_linkage(Z).to_linkage(), Z)


@given(binary_hierarchies())
def test_linkage_round_trip_with_ties(tree: Hierarchy) -> None:
    again = Hierarchy.from_linkage(tree.to_linkage())
    assert np.array_equal(again.parents, tree.parents)
    assert np.array_equal(again.heights, tree.heights)


@given(binary_hierarchies(), st.data())
def test_linkage_of_twos_is_that_of_any_tree(tree: Hierarchy, data: st.DataObject) -> None:
    """Nodes in any order, heights that tie and fall."""
    name = np.array(data.draw(st.permutations(range(tree.n_nodes))))
    parents = np.full(tree.n_nodes, -1)
    parents[name] = np.where(tree.parents < 0, -1, name[tree.parents])
    heights = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=tree.n_nodes, max_size=tree.n_nodes))
    shuffled = Hierarchy(parents, name[tree.leaf_of], heights)
    of_nodes = shuffled.sizes.astype(float) if heights is None else shuffled.heights
    order = tree_formats._bottom_up(shuffled, of_nodes)
    assert np.array_equal(shuffled.to_linkage(), tree_formats._merges(shuffled, of_nodes, order))


def test_a_tree_of_twos_that_shares_a_leaf_is_no_tree_of_twos() -> None:
    tree = Hierarchy([-1, 0, 0, 1, 1], [3, 3, 2])
    assert tree.to_linkage().tolist() == [[0.0, 1.0, 2.0, 2.0], [2.0, 3.0, 3.0, 3.0]]


@given(hierarchies(min_samples=2, with_heights=False))
def test_linkage_of_any_tree_keeps_the_sizes_of_common_ancestors(tree: Hierarchy) -> None:
    Z = tree.to_linkage()
    assert is_valid_linkage(Z)
    i, j = np.triu_indices(tree.n_samples, k=1)
    assert np.array_equal(cophenet(Z), tree.sizes[tree.lca(i, j)])


@given(hierarchies(min_samples=2, with_heights=True))
def test_linkage_of_any_tree_with_heights_is_valid(tree: Hierarchy) -> None:
    Z = tree.to_linkage()
    assert is_valid_linkage(Z)
    i, j = np.triu_indices(tree.n_samples, k=1)
    monotone = all(
        tree.heights[child] <= tree.heights[node]
        for node in range(tree.n_nodes)
        for child in tree.children(node)
    )
    if monotone:
        assert np.array_equal(cophenet(Z), tree.heights[tree.lca(i, j)])
        assert (np.diff(Z[:, 2]) >= 0).all()


@given(hierarchies())
def test_pruned_keeps_pairs_and_has_no_idle_node(tree: Hierarchy) -> None:
    pruned = tree.pruned()
    assert same_pairs(tree, pruned)
    for node in range(pruned.n_nodes):
        assert pruned.sizes[node] > 0
        assert len(pruned.own_samples(node)) > 0 or len(pruned.children(node)) > 1


def test_pruned_keeps_what_is_known_of_nodes() -> None:
    tree = Hierarchy([-1, 0, 1, 1, 0], [2, 3], [4, 3, 0, 1, 2], {"name": list("abcde")}, ["x", "y"])
    pruned = tree.pruned()
    assert pruned.parents.tolist() == [-1, 0, 0]
    assert pruned.heights is not None and pruned.heights.tolist() == [3, 0, 1]
    assert pruned.node_data["name"].tolist() == ["b", "c", "d"]
    assert pruned.sample_names == ("x", "y")


NEWICK = re.compile(r"""'((?:[^']|'')*)'|([^\s()\[\]':;,_]+)|([(),:;])""")
LENGTH = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def read_newick(text: str) -> tuple[list[Any], list[str], list[float | None]]:
    """Read Newick strictly: nested lists of tips by their order, and name and length of each tip.

    A tree is a subtree and a semicolon; a subtree is a name or ``(branch, ...)``; a branch is a subtree and, after a
    colon, a length. Names without quotes have no blank, parenthesis, bracket, quote, colon, semicolon or comma, and no
    underscore, which stands for a blank.
    """
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        found = NEWICK.match(text, at)
        assert found, f"{text[at:]!r} begins with no token"
        quoted, plain, mark = found.groups()
        tokens.append(("mark", mark) if mark else ("name", plain or quoted.replace("''", "'")))
        at = found.end()
    tokens.reverse()
    names: list[str] = []
    lengths: list[float | None] = []

    def length() -> float | None:
        if tokens[-1] != ("mark", ":"):
            return None
        tokens.pop()
        kind, number = tokens.pop()
        assert kind == "name" and LENGTH.fullmatch(number)
        return float(number)

    def branch() -> Any:
        if tokens[-1] == ("mark", "("):
            inside = []
            while not inside or tokens[-1] == ("mark", ","):
                tokens.pop()
                inside.append(branch())
            assert tokens.pop() == ("mark", ")")
            length()
            return inside
        names.append(tokens.pop()[1] if tokens[-1][0] == "name" else "")
        lengths.append(length())
        return len(names) - 1

    tree = branch()
    assert tokens == [("mark", ";")]
    return tree if isinstance(tree, list) else [tree], names, lengths


@given(hierarchies(with_heights=False))
def test_newick_round_trip(tree: Hierarchy) -> None:
    nested, names, lengths = read_newick(tree.to_newick())
    read = Hierarchy.from_nested(nested)
    assert same_pairs(tree, Hierarchy(read.parents, read.leaf_of[np.argsort([int(name) for name in names])]))
    assert set(lengths) == {None}


@given(hierarchies(), st.data())
def test_names_and_lengths_of_a_newick_text_are_those_of_the_tree(
    tree: Hierarchy, data: st.DataObject
) -> None:
    letters = st.one_of(
        st.sampled_from("ab_ '\"()[]{}:;,.-\u00a0"), st.characters(exclude_categories=("Cc", "Cs"))
    )
    names = [data.draw(st.text(letters, max_size=4)) + f"_{i}" for i in range(tree.n_samples)]
    numbers = st.floats(0, 1e300)
    lengths = data.draw(st.lists(numbers, min_size=tree.n_nodes, max_size=tree.n_nodes))
    named = Hierarchy(tree.parents, tree.leaf_of, sample_names=names, edge_lengths=lengths)
    _, found, above = read_newick(named.to_newick())
    assert sorted(found) == sorted(names)
    pruned = named.pruned()
    assert pruned.edge_lengths is not None
    for name, length in zip(found, above, strict=True):
        node = pruned.leaf_of[names.index(name)]
        alone = len(pruned.own_samples(node)) == 1 and not len(pruned.children(node))
        if node != pruned.root or not alone:
            assert length == (pruned.edge_lengths[node] if alone else 0.0)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a_b", "'a_b'"),
        ("a b", "'a b'"),
        ("it's", "'it''s'"),
        ("[x]", "'[x]'"),
        ("a/b", "'a/b'"),
        ("a.b-c+2", "a.b-c+2"),
        ("\u00e9\u65e5", "\u00e9\u65e5"),
        ("", ""),
    ],
)
def test_newick_quotes_what_readers_would_change(name: str, written: str) -> None:
    assert Hierarchy([-1, 0, 0], [1, 2], sample_names=[name, "z"]).to_newick() == f"({written},z);"


def test_newick_refuses_what_it_cannot_write() -> None:
    for name in ("a\0", "\n", "a\tb", "\x1b", "\ud800"):
        with pytest.raises(
            ValueError, match=r"sample name '.*' has the character '.*'; expected a name of visible"
        ):
            Hierarchy([-1, 0, 0], [1, 2], sample_names=["b", name]).to_newick()
    for name in ("(", ",", ";", "''", ":)"):  # readers take these for marks, in quotes too
        with pytest.raises(ValueError, match=r"sample name .* has nothing but marks of the format"):
            Hierarchy([-1, 0, 0], [1, 2], sample_names=["b", name]).to_newick()
    with pytest.raises(ValueError, match=r"heights 1e\+308 and -1e\+308 are too far apart for a branch"):
        Hierarchy([-1, 0, 0], [1, 2], [1e308, -1e308, 0]).to_newick()


def test_newick_by_hand() -> None:
    tree = Hierarchy(
        [4, 4, 3, -1, 3], [0, 1, 2, 2], [0, 0, 0.25, 2, 0.5], sample_names=["a", "b c", "d'", ""]
    )
    assert tree.to_newick() == "(('d''':0.25,:0.25):1.75,(a:0.5,'b c':0.5):1.5);"
    assert Hierarchy([-1], [0]).to_newick() == "0;"
    assert Hierarchy([-1], [0, 0]).to_newick() == "(0,1);"
    assert Hierarchy([-1, 0], [0, 1]).to_newick() == "(0,1);"


def test_newick_of_edge_lengths_by_hand() -> None:
    tree = Hierarchy([4, 4, 3, -1, 3], [0, 1, 2, 2], [0, 0, 0.25, 2, 0.5], edge_lengths=[1, 2.5, 3, 99, 4])
    assert tree.to_newick() == "((2:0.0,3:0.0):3.0,(0:1.0,1:2.5):4.0);"
    chain = Hierarchy([-1, 0, 1, 1, 0], [2, 3, 4], edge_lengths=[7, 0, 3, 4, 5])
    assert chain.to_newick() == "((0:3.0,1:4.0):0.0,2:5.0);"
    assert Hierarchy([-1], [0], edge_lengths=[1]).to_newick() == "0;"


# ---------------------------------------------------------------------- edge lengths


def path_length(tree: Hierarchy, i: int, j: int) -> float:
    """Length of the path between two samples, by walks to their common ancestor."""
    total, top = 0.0, tree.lca(i, j)
    for node in (int(tree.leaf_of[i]), int(tree.leaf_of[j])):
        while node != top:
            total += tree.edge_lengths[node]
            node = int(tree.parents[node])
    return total


@given(hierarchies(), st.data())
def test_pruned_keeps_the_lengths_of_paths(tree: Hierarchy, data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(0, 9), min_size=tree.n_nodes, max_size=tree.n_nodes))
    tree = Hierarchy(tree.parents, tree.leaf_of, edge_lengths=lengths)
    pruned = tree.pruned()
    for i in range(tree.n_samples):
        for j in range(i):
            assert path_length(pruned, i, j) == path_length(tree, i, j)
    assert pruned.edge_lengths[pruned.root] == 0


@given(hierarchies(), st.integers(1, 12), st.data())
def test_truncated_and_copies_keep_lengths(tree: Hierarchy, n_leaves: int, data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(0, 99), min_size=tree.n_nodes, max_size=tree.n_nodes))
    tree = Hierarchy(tree.parents, tree.leaf_of, tree.heights, {"id": range(tree.n_nodes)}, None, lengths)
    top = tree.truncated(n_leaves)
    assert np.array_equal(top.edge_lengths, tree.edge_lengths[top.node_data["id"]])
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert np.array_equal(other.edge_lengths, tree.edge_lengths)


def test_edge_lengths_that_make_no_sense() -> None:
    for wrong, words in (
        ([0, 1], r"edge_lengths has shape \(2,\); expected \(3,\)"),
        ([0, -1, 2], r"edge_lengths\[1\] is -1\.0; expected finite and at least 0"),
        ([0, 1, np.nan], r"edge_lengths\[2\] is nan"),
        ([0, 1, np.inf], r"edge_lengths\[2\] is inf"),
        (["a", 1, 2], "edge_lengths is not an array of numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            Hierarchy([-1, 0, 0], [1, 2], edge_lengths=wrong)
    given = np.array([np.nan, 1, 2])  # the root has no edge
    tree = Hierarchy([-1, 0, 0], [1, 2], edge_lengths=given)
    assert tree.edge_lengths.tolist() == [0, 1, 2] and np.isnan(given[0])
    assert Hierarchy([-1], [0]).edge_lengths is None
    with pytest.raises(ValueError, match="read-only"):
        tree.edge_lengths[1] = 3


@given(hierarchies())
def test_copies_are_equal(tree: Hierarchy) -> None:
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert np.array_equal(other.parents, tree.parents) and np.array_equal(other.leaf_of, tree.leaf_of)
        assert (other.heights is None) == (tree.heights is None)
        assert tree.heights is None or np.array_equal(other.heights, tree.heights)


# ---------------------------------------------------------------------- cut


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


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parents", "leaf_of", "message"),
    [
        ([], [], "no root"),
        ([0], [0], "no root"),
        ([-1, -1], [0], "two roots"),
        ([-1, 2, 1], [0], "cycle"),
        ([-1, 5], [0], r"parents\[1\] is 5"),
        ([-1], [], "at least one sample"),
        ([-1], [1], r"leaf_of\[0\] is 1"),
        ([-1.0], [0], "parents has dtype float64"),
        ([[-1]], [0], "parents has shape"),
        ([-1], [0.5], "leaf_of has dtype float64"),
        ([-1], ["a"], "leaf_of has dtype"),
        (
            np.array([2**64 - 1, 0], dtype=np.uint64),
            [1],
            r"parents\[0\] is 18446744073709551615; expected at most 2\^63 - 1",
        ),
        ([-1, 0], np.array([1, 2**63], dtype=np.uint64), r"leaf_of\[1\] is 9223372036854775808"),
    ],
)
def test_bad_parents(parents: list, leaf_of: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hierarchy.from_parents(parents, leaf_of)


@pytest.mark.parametrize(
    ("Z", "message"),
    [
        ([[0, 1]], "shape"),
        ([0, 1, 2, 3], "shape"),
        ([["a", "b", "c"]], "linkage is not an array of numbers"),
        ([[0, 1, np.nan, 2]], "NaN"),
        ([[0, 0, 1, 2]], "more than once"),
        ([[0, 1, 1, 2], [0, 3, 1, 2]], "more than once"),
        ([[0, 2, 1, 2]], r"linkage\[0, 1\] is 2"),
        ([[0, 3, 1, 2], [1, 2, 1, 2]], r"linkage\[0, 1\] is 3"),
        ([[0, 0.5, 1, 2]], r"linkage\[0, 1\] is 0.5"),
        ([[0, 1e300, 1, 2]], r"linkage\[0, 1\] is 1e\+300"),
        ([[-1, 0, 1, 2]], r"linkage\[0, 0\] is -1"),
    ],
)
def test_bad_linkage(Z: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hierarchy.from_linkage(Z)


def test_linkage_of_one_sample() -> None:
    tree = Hierarchy.from_linkage(np.empty((0, 4)))
    assert tree.n_samples == tree.n_nodes == 1
    assert tree.to_linkage().shape == (0, 4)


@pytest.mark.parametrize(
    ("nested", "error", "message"),
    [
        ([[0, 2]], ValueError, "not sample 1"),
        ([0, [0]], ValueError, "sample 0 occurs"),
        ([[]], ValueError, "at least one sample"),
        ([0, "1"], TypeError, "'1'"),
        ([True], TypeError, "True"),
        (0, TypeError, "expected a list"),
    ],
)
def test_bad_nested(nested: list, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Hierarchy.from_nested(nested)


def test_bad_node_values() -> None:
    assert Hierarchy([-1], [0], heights=[-2]).heights.tolist() == [-2]
    with pytest.raises(ValueError, match="heights has shape"):
        Hierarchy([-1], [0], heights=[1, 2])
    with pytest.raises(ValueError, match=r"heights has shape \(\)"):
        Hierarchy([-1], [0], heights=1.0)
    with pytest.raises(ValueError, match="heights is not an array of numbers"):
        Hierarchy([-1], [0], heights=["a"])
    with pytest.raises(ValueError, match=r"heights\[0\] is nan; expected finite numbers"):
        Hierarchy([-1], [0], heights=[np.nan])
    with pytest.raises(ValueError, match="node_data\\['x'\\]"):
        Hierarchy([-1], [0], node_data={"x": [1, 2]})
    with pytest.raises(ValueError, match="sample_names has length 2"):
        Hierarchy([-1], [0], sample_names=["a", "b"])
    with pytest.raises(ValueError, match="sample_names has 1 masked entries"):
        Hierarchy([-1, 0, 0], [1, 2], sample_names=np.ma.array(["a", "b"], mask=[True, False]))
    with pytest.raises(ValueError, match="labels has shape"):
        Hierarchy([-1], [0]).class_counts([1, 2])


def test_arrays_cannot_be_written() -> None:
    tree = Hierarchy([-1, 0], [1], heights=[1, 0])
    for array in (tree.parents, tree.leaf_of, tree.sizes, tree.sample_order, tree.heights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_nothing_can_be_set() -> None:
    given = {"x": [1, 2]}
    tree = Hierarchy([-1, 0], [1], heights=[1, 0], node_data=given)
    for name in ("parents", "root", "heights", "node_data", "sample_names", "colour"):
        with pytest.raises(AttributeError, match=f"{name} cannot be set: a Hierarchy is immutable"):
            setattr(tree, name, None)
    with pytest.raises(AttributeError, match="parents cannot be deleted"):
        del tree.parents
    with pytest.raises(TypeError, match="assignment"):
        tree.node_data["x"] = [3, 4]
    given["x"][0] = 7
    assert tree.node_data["x"].tolist() == [1, 2]
    assert pickle.loads(pickle.dumps(tree)).node_data["x"].tolist() == [1, 2]


def test_views_outlive_the_tree() -> None:
    order = Hierarchy.from_linkage(linkage(pdist(np.arange(2000.0)[:, None]), "average")).sample_order
    assert sorted(order) == list(range(2000))


@given(hierarchies(), st.integers(1, 12))
def test_truncated_is_the_top_of_the_tree_down_to_the_cut(tree, n_leaves):
    top = tree.truncated(n_leaves)
    assert np.array_equal(top.cut(n_leaves), tree.cut(n_leaves))
    assert len(np.unique(top.leaf_of)) == tree.cut(n_leaves).max() + 1
    assert top.n_samples == tree.n_samples
    i, j = np.triu_indices(tree.n_samples, 1)
    apart = top.leaf_of[i] != top.leaf_of[j]
    assert np.array_equal(top.sizes[top.lca(i, j)][apart], tree.sizes[tree.lca(i, j)][apart])
