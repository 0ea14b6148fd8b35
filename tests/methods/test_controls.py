import numpy as np
import pytest

from cladebench.methods import OracleTree, RandomTree
from cladebench.metrics import dendrogram_purity


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
