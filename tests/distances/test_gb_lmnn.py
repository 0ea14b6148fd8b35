"""Regression trees against the plain twin and scikit-learn, and the boosted map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from cladebench import _core
from cladebench.distances import GBLMNN, LMNN
from cladebench.distances._triplets import find_targets
from cladebench.reference import lmnn as triplets
from cladebench.reference import regression_tree as reference
from instruction_sets import each_instruction_set, each_number_of_threads


@st.composite
def regressions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n, d, m = draw(st.integers(1, 12)), draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 9, 35]))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    # Few values: ties between places, rows and features; whole outputs, so that equal gains are equal to the last bit.
    return rng.integers(0, draw(st.integers(1, 5)), (n, d)) / 4.0, rng.integers(-3, 4, (n, m)).astype(float)


def check_tree(X: np.ndarray, outputs: np.ndarray, depth: int) -> None:
    feature, threshold, values, leaf = _core.TreeBuilder(X).fit(outputs, depth)
    expected = reference.fit_tree(X, outputs, depth)
    assert np.array_equal(feature, expected[0]) and np.array_equal(threshold, expected[1])
    np.testing.assert_allclose(values.reshape(expected[2].shape), expected[2], rtol=1e-12, atol=1e-12)
    assert np.array_equal(leaf, expected[3])
    # Rows are sent where they were when the tree was fitted.
    Z = np.ones(outputs.shape)
    _core.add_trees(X, feature[None], threshold[None], expected[2][None], depth, Z)
    assert np.array_equal(Z, 1.0 + expected[2][leaf])


@given(regressions(), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_trees_are_those_of_the_twin(samples: tuple[np.ndarray, np.ndarray], depth: int) -> None:
    check_tree(*samples, depth)


def test_trees_of_many_features_and_outputs() -> None:
    rng = np.random.default_rng(0)
    check_tree(rng.normal(size=(80, 19)).round(1), rng.normal(size=(80, 75)), 3)


def test_a_tree_fits_as_well_as_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    outputs = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] * X[:, 2], X[:, 3] > 0.3])
    _, _, values, leaf = _core.TreeBuilder(X).fit(outputs, 4)
    theirs = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, outputs).predict(X)
    np.testing.assert_allclose(values.reshape(-1, 3)[leaf], theirs, rtol=1e-10, atol=1e-12)


def test_neighbouring_numbers_are_told_apart() -> None:
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    _, threshold, _, leaf = _core.TreeBuilder(X).fit(np.array([[0.0], [1.0]]), 1)
    assert threshold[0] == 1.0 and leaf.tolist() == [0, 1]


def test_a_row_at_a_threshold_goes_left_when_trees_are_added() -> None:
    """In trees of two levels, at the first threshold and at the second."""
    X = np.array(
        [[at, other] for at in (1.0, np.nextafter(1.0, 2.0)) for other in (3.0, np.nextafter(3.0, 4.0))]
    )
    Z = np.zeros((4, 1))
    feature, threshold = np.array([[0, 1, 1]], dtype=np.int32), np.array([[1.0, 3.0, 3.0]])
    _core.add_trees(X, feature, threshold, np.arange(1.0, 5.0).reshape(1, 4, 1), 2, Z)
    assert Z.ravel().tolist() == [1.0, 2.0, 3.0, 4.0]


def test_no_tree_depends_on_threads_or_instruction_set() -> None:
    rng = np.random.default_rng(0)
    X, outputs = rng.normal(size=(500, 40)), rng.normal(size=(500, 45))
    found = []
    for _ in each_instruction_set():
        found += [_core.TreeBuilder(X).fit(outputs, 4) for _ in each_number_of_threads((1, 2))]
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def ring(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A class within another: no linear map tells them apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.where(y == 0, 0.8, 1.3) + 0.25 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def test_losses_fall_and_are_those_of_the_map() -> None:
    X, y = ring(120)
    found = GBLMNN(n_trees=60).fit(X, y)
    assert len(found.losses_) == 61 and (np.diff(found.losses_) <= 0).all()
    assert found.losses_[0] == pytest.approx(LMNN().fit(X, y).loss_)
    assert found.losses_[-1] < 0.8 * found.losses_[0]
    Z = np.ascontiguousarray(found._map(X))
    last = triplets.triplet_loss(Z, y, find_targets(X, y, 3), 0.5)[0]
    assert found.losses_[-1] == pytest.approx(last, rel=1e-9)


def test_the_first_tree_is_fitted_to_the_negative_gradient() -> None:
    X, y = ring(40)
    found = GBLMNN(n_trees=1, learning_rate=1e-6).fit(X, y)
    Z = X @ found.components_.T
    weights = triplets.triplet_loss(Z, y, find_targets(X, y, 3), 0.5)[3]
    feature, threshold, values, _ = reference.fit_tree(X, -2.0 * triplets.laplacian(weights) @ Z, 4)
    assert np.array_equal(found.feature_[0], feature) and np.array_equal(found.threshold_[0], threshold)
    np.testing.assert_allclose(found.values_[0], 1e-6 * values, rtol=1e-8, atol=1e-14)


def test_a_step_that_is_too_long_is_halved() -> None:
    X, y = ring(60)
    found = GBLMNN(n_trees=5, learning_rate=1e6).fit(X, y)
    assert len(found.values_) == 5 and (np.diff(found.losses_) <= 0).all()


def test_validation_keeps_the_trees_up_to_the_best_ten() -> None:
    X, y = ring(150)
    found = GBLMNN(n_trees=40, validation_fraction=0.3, random_state=0).fit(X, y)
    assert len(found.values_) in (0, 10, 20, 30, 40) and len(found.losses_) == len(found.values_) + 1
    again = GBLMNN(n_trees=40, validation_fraction=0.3, random_state=0).fit(X, y)
    assert np.array_equal(again.pairwise(X), found.pairwise(X))
    assert np.array_equal(found.kneighbors(X, 1)[0], np.zeros((150, 1)))


def test_no_trees_is_lmnn_and_nothing_to_learn_is_euclidean() -> None:
    X, y = ring(60)
    assert np.array_equal(GBLMNN(n_trees=0).fit(X, y).pairwise(X), LMNN().fit(X, y).pairwise(X))
    alone = GBLMNN().fit(X, np.zeros(60))
    assert np.array_equal(alone.components_, np.eye(2)) and alone.values_.shape == (0, 16, 2)


def test_of_many_samples_some_are_learned_from() -> None:
    X, y = ring(60)
    found = GBLMNN(n_trees=4, max_samples=25, random_state=3).fit(X, y)
    rows = np.sort(np.random.RandomState(3).permutation(60)[:25])
    alone = GBLMNN(n_trees=4).fit(X[rows], y[rows])
    assert np.array_equal(found.pairwise(X), alone.pairwise(X))
    assert np.array_equal(found.kneighbors(X, 1)[1].ravel(), np.arange(60))
    whole = GBLMNN(n_trees=4).fit(X, y).pairwise(X)
    assert np.array_equal(GBLMNN(n_trees=4, max_samples=60).fit(X, y).pairwise(X), whole)
    assert not np.array_equal(found.pairwise(X), whole)


def test_mistakes_name_the_parameter() -> None:
    X, y = ring(12)
    for name, value in {"max_depth": 13, "validation_fraction": 1.0}.items():
        with pytest.raises(ValueError, match=f"{name}={value}"):
            GBLMNN(**{name: value}).fit(X, y)
