"""The tree: structure against walks to the root, what pruning keeps, bad input."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from cladebench.hierarchy import Hierarchy
from cladebench.reference import hierarchy as reference
from strategies import hierarchies, same_pairs


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
    expected = reference.class_counts(parents, tree.leaf_of, labels)
    for counts, kind in (
        (tree.class_counts(labels, dtype=dtype), dtype),
        (tree.class_counts(labels), np.int32),
    ):
        assert counts.dtype == np.dtype(kind) and counts.tolist() == expected


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
        ([0, 1, np.nan], r"edge_lengths\[2\] is nan; expected finite numbers"),
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


def test_what_is_made_of_a_hierarchy_is_one() -> None:
    tree = Hierarchy([-1, 0, 1, 1], [2, 3], heights=[3.0, 2.0, 0.0, 0.0])
    made = [tree.pruned(), tree.truncated(1), tree.condensed(2), copy.copy(tree)]
    assert {type(other) for other in [*made, pickle.loads(pickle.dumps(tree))]} == {Hierarchy}


@given(hierarchies())
def test_copies_are_equal(tree: Hierarchy) -> None:
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert np.array_equal(other.parents, tree.parents) and np.array_equal(other.leaf_of, tree.leaf_of)
        assert (other.heights is None) == (tree.heights is None)
        assert tree.heights is None or np.array_equal(other.heights, tree.heights)


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


@pytest.mark.parametrize("names", ["ab", b"ab", 3])
def test_names_of_samples_are_a_sequence(names: Any) -> None:
    message = f"^sample_names is {type(names).__name__}; expected a sequence of names$"
    for make in (
        lambda: Hierarchy([-1, 0, 0], [1, 2], sample_names=names),
        lambda: Hierarchy.from_newick("(a,b);", sample_names=names),
    ):
        with pytest.raises(TypeError, match=message):
            make()
