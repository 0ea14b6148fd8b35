"""Trees as linkage matrices, nested lists and Newick: there and back, and bad input."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage

from cladebench import tree_formats
from cladebench.hierarchy import Hierarchy
from strategies import binary_hierarchies, hierarchies, same_pairs


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


def test_newick_refuses_names_that_samples_share() -> None:
    with pytest.raises(
        ValueError, match=r"^sample_names has 2 samples 'b'; expected different names in Newick$"
    ):
        Hierarchy.from_nested([[0, 1], 2], sample_names=["b", "a", "b"]).to_newick()
    nameless = Hierarchy.from_nested([[0, 1], 2], sample_names=["", "a", ""])  # tips without a name
    assert nameless.to_newick() == "((,a),);"
