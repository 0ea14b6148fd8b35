"""Trees as linkage matrices and nested lists: there and back, and bad input."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage

from cladebench import tree_formats
from cladebench.hierarchy import Hierarchy
from strategies import binary_hierarchies, hierarchies


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


@pytest.mark.parametrize(
    ("Z", "message"),
    [
        ([[0, 1]], r"shape \(1, 2\); expected \(n_samples - 1, 3 or more\)"),
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


def test_names_of_samples_come_with_every_notation() -> None:
    table = pd.DataFrame({"a": [0.0, 1.0, 5.0]}, index=["x", "y", "it's"])
    Z = linkage(table, "single")
    for tree in (
        Hierarchy.from_linkage(Z[:, :3], sample_names=table.index),
        Hierarchy.from_parents([-1, 0, 0, 1, 1], [3, 4, 2], [4.0, 1, 0, 0, 0], sample_names=table.index),
        Hierarchy.from_nested([[0, 1], 2], sample_names=list(table.index)),
    ):
        assert tree.sample_names == ("x", "y", "it's")
        text = re.sub(r":[0-9.]+", "", tree.to_newick())
        assert text in ("((x,y),'it''s');", "('it''s',(x,y));")
    for make, what in ((Hierarchy.from_linkage, (Z,)), (Hierarchy.from_nested, ([[0, 1], 2],))):
        with pytest.raises(ValueError, match="sample_names has length 2; expected 3"):
            make(*what, sample_names=["x", "y"])
