import numpy as np
import pytest

from cladebench.hierarchy import Hierarchy
from cladebench.methods import BalancedRandomTree, OracleTree, RandomTree, StarTree
from cladebench.metrics import (
    best_constant,
    dasgupta_cost,
    dendrogram_purity,
    purity_scores,
    semantic_scores,
)


def test_random_tree_is_binary_with_single_leaves() -> None:
    tree = RandomTree(random_state=0).fit(np.zeros((100, 1))).hierarchy_
    assert (tree.n_nodes, tree.n_leaves) == (199, 100)
    assert len(set(tree.leaf_of)) == 100


def test_random_tree_has_the_purity_of_chance() -> None:
    # Every split separates at random, so the mean over seeds is far from 1 and above the classes' shares.
    y = np.arange(60) % 3
    purities = [
        dendrogram_purity(RandomTree(random_state=s).fit(y[:, None]).hierarchy_, y) for s in range(50)
    ]
    assert 1 / 3 < np.mean(purities) < 0.5


def test_all_three_sample_trees_are_equally_likely() -> None:
    X = np.zeros((3, 1))
    alone = []
    for seed in range(300):
        tree = RandomTree(random_state=seed).fit(X).hierarchy_
        alone.append(int(np.argmin(tree.depths[tree.leaf_of])))
    counts = np.bincount(alone, minlength=3)
    # Each is binomial(300, 1/3): five standard deviations are 41.
    assert np.abs(counts - 100).max() < 41


@pytest.mark.parametrize(
    "y", [[0, 1, 0, 2, 2, 1], ["b", "a", "c", "a", "b", "b"], [1, 1, 1, 1, 1, 1], [3, 2, 2, 2, 2, 2]]
)
def test_oracle_is_pure(y: list[object]) -> None:
    tree = OracleTree().fit(np.zeros((6, 1)), y).hierarchy_
    assert dendrogram_purity(tree, np.unique(np.array(y), return_inverse=True)[1]) == 1.0
    assert len(set(tree.leaf_of)) == 6


def test_oracle_cut_gives_the_classes() -> None:
    y = np.array([2, 0, 1, 1, 0, 2])
    assert np.array_equal(OracleTree(n_clusters=3).fit(np.zeros((6, 1)), y).labels_, y)


def test_the_balanced_tree_cuts_every_node_in_halves() -> None:
    tree = BalancedRandomTree(random_state=0).fit(np.zeros((100, 1))).hierarchy_
    assert (tree.n_nodes, tree.n_leaves, len(set(tree.leaf_of))) == (199, 100, 100)
    for node in range(tree.n_nodes):
        sizes = tree.sizes[tree.children(node)]
        assert len(sizes) == 0 or (len(sizes) == 2 and np.ptp(sizes) <= 1)
    assert sorted(np.bincount(tree.cut(10)).tolist()) == [6, 6, 7, 7, 12, 12, 12, 12, 13, 13]


def test_the_balanced_tree_is_another_one_for_another_seed_and_knows_nothing() -> None:
    y = np.arange(60) % 3
    trees = [BalancedRandomTree(random_state=seed).fit(y[:, None]).hierarchy_ for seed in range(50)]
    assert trees[0].leaf_of.tolist() != trees[1].leaf_of.tolist()
    corrected = np.array([purity_scores(tree, y).corrected for tree in trees])
    assert abs(corrected.mean()) < 4 * corrected.std() / np.sqrt(50)


@pytest.mark.parametrize(
    ("n_leaves", "depth", "leaf_depth"), [(None, 5, 2), (6, 3, 1), (6, 1, 1), (2, 4, 2), (20, 2, 3)]
)
def test_the_star_has_one_deep_leaf(n_leaves, depth: int, leaf_depth: int) -> None:
    star = StarTree(depth=depth, leaf_depth=leaf_depth, n_leaves=n_leaves, random_state=0)
    tree = star.fit(np.zeros((20, 1))).hierarchy_
    n = 20 if n_leaves is None else n_leaves
    assert (tree.n_leaves, tree.n_nodes) == (n, 1 + (n - 1) * leaf_depth + depth)
    assert len(tree.children(tree.root)) == n
    assert sorted(tree.depths[tree.leaf_of]) == sorted([leaf_depth] * 19 + [depth])
    leaves, sizes = np.unique(tree.leaf_of, return_counts=True)
    assert len(leaves) == n and sizes[-1] == 1 and np.ptp(sizes[:-1]) <= 1


def test_a_star_of_one_leaf_is_a_root_and_deals_anew_for_another_seed() -> None:
    X = np.zeros((12, 1))
    assert StarTree(n_leaves=1).fit(X).hierarchy_.n_nodes == 1
    trees = [StarTree(n_leaves=4, random_state=seed).fit(X).hierarchy_.leaf_of.tolist() for seed in (0, 0, 1)]
    assert trees[0] == trees[1] != trees[2]
    with pytest.raises(ValueError, match="n_leaves=13 exceeds the number of samples, n_samples=12"):
        StarTree(n_leaves=13).fit(X)


def test_the_star_says_of_all_pairs_the_same_but_for_one_sample() -> None:
    # Classes in two halves: pairs of a class, of a half and across are at 0, 1/2 and 1; the longest path has 4 edges.
    class_tree = Hierarchy.from_nested([[0, 1, 2, 3], [4, 5, 6, 7]])
    labels = np.arange(400) % 8
    n_same, n_half, n_across = 8 * 50 * 49 // 2, 12 * 50 * 50, 16 * 50 * 50
    for depth, leaf_depth in ((5, 2), (3, 1), (1, 1)):
        star = StarTree(depth=depth, leaf_depth=leaf_depth, random_state=0).fit(labels[:, None]).hierarchy_
        alike = 2 * leaf_depth / (depth + leaf_depth)
        squares = n_same * alike**2 + n_half * (alike - 0.5) ** 2 + n_across * (alike - 1) ** 2
        expected = 1 - squares / (n_same + n_half + n_across)
        found = semantic_scores(star, labels, class_tree)
        assert found.value == pytest.approx(expected, abs=2 / 400)  # all pairs but those of the deep sample
        assert found.value <= best_constant(labels, class_tree) + 2 / 400
        assert abs(found.corrected) < 0.05


def test_the_star_has_the_purity_of_the_root_and_the_largest_cost() -> None:
    y = np.repeat([0, 1, 1, 2], 5)
    star = StarTree(random_state=0).fit(y[:, None]).hierarchy_
    root = Hierarchy([-1], [0] * 20)
    assert (
        dendrogram_purity(star, y)
        == dendrogram_purity(root, y)
        == pytest.approx(purity_scores(star, y).permuted)
    )
    S = np.random.default_rng(0).random((20, 20))
    assert dasgupta_cost(star, S) == pytest.approx(dasgupta_cost(root, S))
    assert dasgupta_cost(RandomTree(random_state=0).fit(y[:, None]).hierarchy_, S) < dasgupta_cost(star, S)
