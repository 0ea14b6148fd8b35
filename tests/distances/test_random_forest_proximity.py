"""The proximity of a random forest: by hand, and on classes that it can tell apart."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from cladebench.distances import RandomForestProximity

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("min_samples_leaf", [1, 10])
def test_it_counts_trees_with_different_leaves(min_samples_leaf: int) -> None:
    chosen = {"n_estimators": 7, "min_samples_leaf": min_samples_leaf, "random_state": 0}
    found = RandomForestProximity(**chosen).fit(X, np.array(["c", "a", "b"])[Y]).pairwise(X[:20], X)
    forest = RandomForestClassifier(**chosen).fit(X, np.array([2, 0, 1])[Y])
    reached = np.array([tree.tree_.apply(X.astype(np.float32)) for tree in forest.estimators_])
    expected = sum((leaves[:20, None] != leaves).astype(int) for leaves in reached) / 7
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0)


def test_neighbors_are_those_of_all_distances() -> None:
    distance = RandomForestProximity(n_estimators=9, random_state=0).fit(X[:100], Y[:100])
    distance.fit(X[::2], Y[::2])  # nothing of the fit before is left
    D = distance.pairwise(X[1::2], X[::2].copy())
    found, near = distance.kneighbors(X[1::2], 20)
    assert np.array_equal(near, np.argsort(D, axis=1, kind="stable")[:, :20])
    assert np.array_equal(found, np.take_along_axis(D, near, axis=1))


def test_one_class_and_equal_rows_have_distance_zero() -> None:
    assert (RandomForestProximity(n_estimators=3).fit(X, np.zeros(len(X))).pairwise(X) == 0).all()
    same = np.ones((6, 2))
    assert (RandomForestProximity(n_estimators=3).fit(same, np.arange(6)).pairwise(same) == 0).all()


@pytest.mark.parametrize(
    ("zero", "unit"), [(1.7e9, 1.0), (-1.7e9, 1.0), (2.0**45, 2.0**-20), (0.0, 2.0**-30), (0.0, 2.0**200)]
)
def test_zero_and_unit_of_a_feature_do_not_matter(zero: float, unit: float) -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.integers(0, 86_400, 80), rng.integers(0, 1000, 80)]).astype(float)
    moved, classes = (rows + np.array([zero, 0.0])) * unit, rows[:, 0] // 1800 % 4
    one, other = (RandomForestProximity(n_estimators=9, random_state=0) for _ in range(2))
    found = other.fit(moved, classes).pairwise(moved[:9] + 3 * unit, moved)
    assert np.array_equal(found, one.fit(rows, classes).pairwise(rows[:9] + 3, rows))
    assert np.array_equal(other.pairwise(moved), one.pairwise(rows))
    assert one.scale_.tolist() == [1.0, 1.0] and one.zero_.tolist() == [0.0, 0.0]


def test_features_that_single_precision_merges_are_warned_of() -> None:
    rows = np.column_stack([np.arange(40.0), 1 + 1e-12 * np.arange(40)])
    rows[0, 1] = 0.0
    with pytest.warns(
        UserWarning, match="^feature 1: single precision leaves 2 of 40 different values"
    ) as seen:
        RandomForestProximity(n_estimators=2).fit(rows, np.arange(40) % 2)
    assert seen[0].filename == __file__


def test_more_features_at_a_node_than_there_are_is_all_of_them() -> None:
    found = [
        RandomForestProximity(n_estimators=5, max_features=most, random_state=0).fit(X, Y).pairwise(X)
        for most in (None, 4, 9, np.int64(4), 10**30)
    ]
    assert all(np.array_equal(one, found[0]) for one in found)
