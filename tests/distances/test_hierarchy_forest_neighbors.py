"""Neighbours in a forest: candidates of trees against all rows."""

import copy

import numpy as np
import pytest

from random_forests import forest_of


@pytest.mark.parametrize("n_trees", [1, 2, 9, 40])
def test_candidates_that_are_dropped_are_none_of_the_nearest(n_trees: int) -> None:
    # Rows that are equal tie at every place of the list, its last one included; the lowest indices come first.
    rng = np.random.default_rng(9)
    X = np.concatenate([rng.normal(size=(30, 3)), rng.normal((9, 0, 0), 1, size=(60, 3))])
    X = np.repeat(X, 4, axis=0)[rng.permutation(360)]
    forest = forest_of(X, n_trees)
    D = forest.pairwise(X)
    for k in (1, 3, 6, 50, 359):
        for order in ("sampled", "nearest"):
            distance, index = forest.kneighbors(n_neighbors=k, candidates_per_tree=360, candidate_order=order)
            for i in range(0, 360, 7):
                others = np.delete(np.arange(360), i)
                expected = others[np.lexsort((others, D[i, others]))[:k]]
                assert np.array_equal(index[i], expected)
                assert np.array_equal(distance[i], D[i, expected])


def test_a_candidate_that_only_ties_with_the_last_neighbor_is_kept() -> None:
    # One tree parts row 1 from row 0, the other row 2, as far: after the first tree row 2 seems to be the nearer one.
    forest = forest_of(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 2, n_split_features=1)
    forest.n_nodes_ = np.array([3, 3])
    forest.right_ = np.array([2, 0, 0, 2, 0, 0], dtype=np.int32)
    forest.size_ = np.array([3, 2, 1, 3, 2, 1], dtype=np.int32)
    forest.features_ = np.array([[0], [1]], dtype=np.uint32)
    forest.weights_ = np.array([[1.0, -0.5], [1.0, -0.5]])
    forest = copy.deepcopy(forest)  # which places the rows anew
    for per_tree in (None, 2):
        distance, index = forest.kneighbors(n_neighbors=1, candidates_per_tree=per_tree)
        assert index[0, 0] == 1 and distance[0, 0] == forest.pairwise([[0.0, 0.0]], [[0.0, 1.0]])[0, 0] > 0


def test_candidates_of_all_rows_are_brute_force_and_few_are_near_it() -> None:
    X = np.random.default_rng(5).normal(size=(400, 4)) + 6 * (np.arange(400) % 3)[:, None]
    forest = forest_of(X, 30, min_node_size=5)
    distance, index, compared = forest.neighbors_of(n_neighbors=10)
    assert (compared == 399).all()
    for order in ("sampled", "nearest"):
        again = forest.neighbors_of(n_neighbors=10, candidates_per_tree=400, candidate_order=order)
        for a, b in zip(again, (distance, index, compared), strict=True):
            assert np.array_equal(a, b)
        found = {}
        for per_tree in (1, 3, 10):
            _, near, pool = forest.neighbors_of(
                n_neighbors=10, candidates_per_tree=per_tree, candidate_order=order
            )
            assert (pool <= max(30 * per_tree, 20)).all() and (pool >= 10).all()
            found[per_tree] = (
                np.mean([len(np.intersect1d(a, b)) for a, b in zip(index, near, strict=True)]) / 10
            )
        assert found[1] < found[3] < found[10] and found[10] > 0.9
    default = forest.set_params(candidates_per_tree=3, candidate_order="nearest").kneighbors()
    given = forest.neighbors_of(candidates_per_tree=3, candidate_order="nearest")
    assert all(np.array_equal(a, b) for a, b in zip(default, given, strict=False))
    assert np.array_equal(forest.kneighbors(candidates_per_tree=None, n_neighbors=10)[1], index)
