"""Structures that are given: trees by name, their paths, and the matrices made of them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from cladebench.hierarchy import Hierarchy
from cladebench.methods._structures import (
    TRUNCATIONS,
    caterpillar,
    n_ary_tree,
    named_tree,
    path_lengths,
    structure_matrix,
)
from cladebench.reference.dependence import centring
from strategies import hierarchies


def depths(tree: Hierarchy) -> list[int]:
    """Edges from each sample to the root, by climbing."""
    found = []
    for node in tree.leaf_of:
        steps = 0
        while tree.parents[node] >= 0:
            node, steps = tree.parents[node], steps + 1
        found.append(steps)
    return found


def paths(tree: Hierarchy) -> np.ndarray:
    """Lengths between samples: of the edges that are above one of them only."""
    lengths = np.ones(tree.n_nodes) if tree.edge_lengths is None else tree.edge_lengths
    above = []
    for node in tree.leaf_of:
        ups = set()
        while tree.parents[node] >= 0:
            ups.add(int(node))
            node = tree.parents[node]
        above.append(ups)
    return np.array([[sum(lengths[v] for v in one ^ other) for other in above] for one in above])


def children(tree: Hierarchy) -> list[int]:
    return [len(tree.children(node)) for node in range(tree.n_nodes)]


@pytest.mark.parametrize("truncation", TRUNCATIONS)
@pytest.mark.parametrize("arity", range(2, 10))
@pytest.mark.parametrize("k", range(1, 13))
def test_n_ary_trees(arity: int, k: int, truncation: str) -> None:
    tree = n_ary_tree(arity, k, truncation)
    assert tree.n_samples == tree.n_leaves == k == len(set(tree.leaf_of.tolist()))
    assert tree.root == 0 and (np.diff(tree.leaf_of) > 0).all()
    counts, levels = children(tree), depths(tree)
    assert all(not counts[leaf] for leaf in tree.leaf_of)
    inner = [count for count in counts if count]
    assert max(inner, default=0) <= arity
    if truncation == "pruned":
        # The least depth, and all but the last node of each level are full.
        assert set(levels) == {next(d for d in range(k + 1) if arity**d >= k)}
        level = [0]
        while counts[level[0]]:
            assert [counts[node] for node in level[:-1]] == [arity] * (len(level) - 1)
            level = [child for node in level for child in tree.children(node)]
        assert level == tree.leaf_of.tolist()
    else:
        # All but the last split are full; no leaf is split while one above is left, those on the left first.
        assert max(levels) - min(levels) <= 1
        assert [count == arity for count in inner].count(False) <= 1
        assert inner[:-1] == [arity] * (len(inner) - 1)
        assert all(count >= 2 for count in inner)
        assert counts[: len(inner)] == inner


def test_trees_by_hand() -> None:
    assert n_ary_tree(3, 5).parents.tolist() == [-1, 0, 0, 1, 1, 1, 2, 2]
    assert n_ary_tree(3, 5).leaf_of.tolist() == [3, 4, 5, 6, 7]
    assert n_ary_tree(3, 5, "filled").parents.tolist() == [-1, 0, 0, 0, 1, 1, 1]
    assert n_ary_tree(3, 5, "filled").leaf_of.tolist() == [2, 3, 4, 5, 6]
    assert n_ary_tree(3, 4, "filled").parents.tolist() == [-1, 0, 0, 0, 1, 1]
    assert n_ary_tree(2, 1).parents.tolist() == n_ary_tree(2, 1, "filled").parents.tolist() == [-1]
    with pytest.raises(ValueError, match=r"truncation='cut': expected one of filled, pruned"):
        n_ary_tree(2, 3, "cut")


@pytest.mark.parametrize("k", range(1, 10))
def test_caterpillars(k: int) -> None:
    tree = caterpillar(k)
    assert tree.n_samples == tree.n_leaves == k and tree.n_nodes == max(2 * k - 1, 1)
    expected = Counter([k - 1, *range(1, k)]) if k > 1 else Counter([0])
    assert Counter(depths(tree)) == expected
    assert Counter(children(tree)) == Counter({0: k, 2: k - 1} if k > 1 else {0: 1})
    # Samples 0 and 1 are deepest, the last one is at the root.
    assert depths(tree) == [k - 1, *range(k - 1, 0, -1)][:k]


@settings(max_examples=100, deadline=None)
@given(hierarchies(max_samples=10))
def test_paths_of_any_tree(tree: Hierarchy) -> None:
    given_lengths = tree.edge_lengths is not None
    assert path_lengths(tree) == pytest.approx(paths(tree))
    rng = np.random.default_rng(tree.n_nodes)
    if not given_lengths:
        lengths = rng.uniform(size=tree.n_nodes)
        longer = Hierarchy(tree.parents, tree.leaf_of, edge_lengths=lengths)
        assert path_lengths(longer) == pytest.approx(paths(longer))


@pytest.mark.parametrize("k", range(1, 10))
@pytest.mark.parametrize("squared", [True, False])
def test_the_star_is_the_identity_but_for_what_no_objective_sees(k: int, squared: bool) -> None:
    Y, H = structure_matrix("star", k, squared=squared), centring(k)
    assert pytest.approx((2.0 if squared else 1.0) * H, abs=1e-12) == Y


def test_names_that_mean_the_same() -> None:
    assert path_lengths(named_tree("9-ary", 9)).tolist() == path_lengths(named_tree("star", 9)).tolist()
    assert np.array_equal(structure_matrix("9-ary", 9), structure_matrix("star", 9))
    assert not np.array_equal(structure_matrix("8-ary", 9), structure_matrix("star", 9))
    assert paths(named_tree("caterpillar", 6)).tolist() == paths(caterpillar(6)).tolist()
    assert named_tree("3-ary", 5, "filled").parents.tolist() == n_ary_tree(3, 5, "filled").parents.tolist()
    assert named_tree("12-ary", 30).parents.tolist() == n_ary_tree(12, 30).parents.tolist()


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 9, 12])
@pytest.mark.parametrize("name", ["star", "caterpillar", "2-ary", "3-ary", "4-ary"])
@pytest.mark.parametrize("truncation", TRUNCATIONS)
def test_matrices_of_named_trees(name: str, truncation: str, k: int) -> None:
    H, D = centring(k), paths(named_tree(name, k, truncation)).reshape(k, k)
    Y = structure_matrix(name, k, truncation=truncation)
    assert pytest.approx(-0.5 * H @ (D * D) @ H, abs=1e-10) == Y
    shared = structure_matrix(name, k, truncation=truncation, squared=False)
    assert shared == pytest.approx(-0.5 * H @ D @ H, abs=1e-10)
    assert np.linalg.eigvalsh(shared)[0] > -1e-10


@settings(max_examples=60, deadline=None)
@given(hierarchies(max_samples=10))
def test_shared_paths_are_positive_semidefinite(tree: Hierarchy) -> None:
    k = tree.n_samples
    longer = Hierarchy(tree.parents, tree.leaf_of, edge_lengths=np.arange(tree.n_nodes) % 3 / 2.0)
    Y = structure_matrix(longer, k, squared=False)
    assert np.linalg.eigvalsh(Y)[0] > -1e-9
    assert pytest.approx(-0.5 * centring(k) @ paths(longer) @ centring(k), abs=1e-9) == Y


def test_squares_of_paths_need_not_be_positive_semidefinite() -> None:
    # One leaf is in the middle of three others. A tree is taken all the same: the paper's algorithm takes it.
    claw = Hierarchy([-1, 0, 0, 0, 0], [1, 2, 3, 4], edge_lengths=[0.0, 0.0, 1.0, 1.0, 1.0])
    assert np.linalg.eigvalsh(structure_matrix(claw, 4))[0] < -0.1
    assert np.linalg.eigvalsh(structure_matrix(claw, 4, squared=False))[0] > -1e-12


def test_matrices_are_taken_as_they_are() -> None:
    Y = np.array([[2.0, 1.0], [1.0, 3.0]])
    for squared in (True, False):
        assert np.array_equal(structure_matrix(Y.tolist(), 2, squared=squared), Y)


def test_bad_structures() -> None:
    for name in ("1-ary", "0-ary", "ary", "-2-ary", "2-ary ", "x2-ary", "Star", "", "binary"):
        with pytest.raises(ValueError, match=f"structure='{name}': expected 'star', 'caterpillar', '2-ary'"):
            structure_matrix(name, 4)
    for structure in (np.eye(3), n_ary_tree(2, 3)):
        with pytest.raises(ValueError, match="structure is for 3 clusters; expected 4, as n_clusters says"):
            structure_matrix(structure, 4)
    for Y, words in (
        (np.zeros((2, 3)), "structure has shape"),
        ([[0.0, 1.0], [2.0, 0.0]], "structure is not symmetric"),
        ([[0.0, 1.0], [1.0, 0.0]], "structure is not positive semidefinite"),
        ([[np.nan, 0.0], [0.0, 1.0]], "structure contains NaN"),
    ):
        with pytest.raises(ValueError, match=words):
            structure_matrix(Y, 2)
    with pytest.raises(ValueError, match="truncation='cut'"):
        structure_matrix("2-ary", 3, truncation="cut")
