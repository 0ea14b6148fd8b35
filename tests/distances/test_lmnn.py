"""Large margin nearest neighbours: loss and targets against the plain twin, the minimum against a cone programme."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from cladebench import _core
from cladebench.distances import LMNN
from cladebench.distances._triplets import find_targets, fit_linear
from cladebench.reference import lmnn as reference
from instruction_sets import each_instruction_set


def labelled(draw: st.DrawFn, most: int = 14) -> tuple[np.ndarray, np.ndarray]:
    n, d = draw(st.integers(1, most)), draw(st.integers(1, 3))
    grid = st.integers(-2, 2).map(lambda k: 0.37 * k)  # ties and equal rows, but no hinge at its corner
    X = np.array(draw(st.lists(st.lists(grid, min_size=d, max_size=d), min_size=n, max_size=n)))
    return X, np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))


data = st.composite(labelled)()


@given(data, st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_targets_are_those_of_the_twin(samples: tuple[np.ndarray, np.ndarray], k: int) -> None:
    X, y = samples
    assert np.array_equal(find_targets(X, y, k), reference.find_targets(X, y, k))


@given(data, st.integers(1, 3), st.sampled_from([0.0, 0.25, 2.0]), st.integers(0, 2**31))
@settings(max_examples=60, deadline=None)
def test_loss_is_that_of_the_twin_wherever_the_map_goes(
    samples: tuple[np.ndarray, np.ndarray], k: int, smoothing: float, seed: int
) -> None:
    X, y = samples
    targets = reference.find_targets(X, y, k)
    rng, V = np.random.default_rng(seed), np.arange(2.0 * len(X)).reshape(-1, 2) ** 0.5
    loss, Z = _core.TripletLoss(y, targets, 0.3, smoothing), X.copy()
    for step in (0.0, 1e-3, 0.02, 0.1, 1.0):  # small steps are served from lists
        Z = Z + step * rng.normal(size=Z.shape)
        *values, product = loss.evaluate(Z, V)
        *expected, weights = reference.triplet_loss(Z, y, targets, 0.3, smoothing)
        np.testing.assert_allclose(values, expected, rtol=1e-11, atol=1e-12)
        expected_product = reference.laplacian(weights) @ V
        np.testing.assert_allclose(product.reshape(V.shape), expected_product, rtol=1e-9, atol=1e-10)


def clouds(n: int, d: int, seed: int = 0, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d)) * np.linspace(0.3, 2.0, d), y


def test_lists_change_nothing_and_save_searches() -> None:
    X, y = clouds(400, 70)
    targets, rng = find_targets(X, y, 3), np.random.default_rng(1)
    kept, Z = _core.TripletLoss(y, targets, 0.5, 0.1), 0.3 * X
    for _ in range(12):
        Z = Z + 1e-4 * rng.normal(size=Z.shape)
        with threadpool_limits(1):
            fresh = _core.TripletLoss(y, targets, 0.5, 0.1).evaluate(Z, Z)
        for ours, theirs in zip(kept.evaluate(Z, Z), fresh, strict=True):
            assert np.array_equal(ours, theirs)
    assert kept.n_searches < 6 and 0 < kept.n_listed < 400 * 400


def test_no_result_depends_on_the_instruction_set() -> None:
    X, y = clouds(60, 37)
    targets = find_targets(X, y, 2)
    found = [_core.TripletLoss(y, targets, 0.5, 0.1).evaluate(0.4 * X, X) for _ in each_instruction_set()]
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


@pytest.mark.parametrize(
    ("n", "d", "classes", "seed"), [(24, 2, 2, 0), (30, 4, 3, 1), (24, 6, 2, 2), (12, 1, 2, 3)]
)
def test_the_minimum_is_that_of_the_semidefinite_programme(n: int, d: int, classes: int, seed: int) -> None:
    X, y = clouds(n, d, seed, classes)
    targets = find_targets(X, y, 3)
    least, _ = reference.least_loss(X, y, targets, 0.5)
    found = fit_linear(X, y, targets, mu=0.5, smoothing=1e-3, tol=2e-3, max_iter=3000)
    recomputed = reference.triplet_loss(X @ found.components.T, y, targets, 0.5)[0]
    assert found.loss == pytest.approx(recomputed, rel=1e-9)
    # The bound is one, and the loss is nearly there.
    assert found.dual <= least * (1 + 1e-6) and least * (1 - 1e-6) <= found.loss <= least * 1.004
    assert found.gap < 0.02


def test_the_certificate_tells_a_bad_map_from_a_good_one() -> None:
    X, y = clouds(60, 5)
    early, late = LMNN(max_iter=1).fit(X, y), LMNN().fit(X, y)
    assert early.gap_ > 0.3 and late.gap_ < 0.02 and late.loss_ < early.loss_


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_units_and_shifts_do_not_matter(scale: float) -> None:
    X, y = clouds(45, 3)
    D = LMNN().fit(X, y).pairwise(X)
    np.testing.assert_allclose(LMNN().fit(scale * (X + 5.0), y).pairwise(scale * (X + 5.0)), D, rtol=0.02)


def test_nothing_to_learn_is_euclidean() -> None:
    X, _ = clouds(12, 3)
    for y in (np.zeros(12), np.arange(12)):  # one class; classes of one sample
        found = LMNN().fit(X, y)
        assert np.array_equal(found.components_, np.eye(3)) and np.isnan(found.gap_)


def test_noise_counts_less_than_what_tells_classes_apart() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = np.column_stack([y + 0.2 * rng.normal(size=80), 3.0 * rng.normal(size=80)])
    M = LMNN().fit(X, y)
    weights = np.square(M.components_).sum(axis=0)
    assert weights[0] > 10 * weights[1]


def test_of_many_samples_some_are_learned_from() -> None:
    X, y = clouds(60, 3)
    found = LMNN(max_samples=25, random_state=3).fit(X, y)
    rows = np.sort(np.random.RandomState(3).permutation(60)[:25])
    alone = LMNN().fit(X[rows], y[rows])
    assert np.array_equal(found.pairwise(X), alone.pairwise(X))
    assert np.array_equal(found.kneighbors(X, 1)[1].ravel(), np.arange(60))
    whole = LMNN().fit(X, y).pairwise(X)
    assert np.array_equal(LMNN(max_samples=60).fit(X, y).pairwise(X), whole)
    assert not np.array_equal(found.pairwise(X), whole)


def test_a_weight_of_one_side_alone_is_refused() -> None:
    X, y = clouds(12, 2)
    with pytest.raises(ValueError, match=r"mu=1\.0"):
        LMNN(mu=1.0).fit(X, y)


@pytest.mark.parametrize("step", [1.0, 2.0, 4.0, 5.0, 6.0, 8.0, 12.0])
def test_lists_do_not_hold_where_a_target_goes_away(step: float) -> None:
    """Of four points only a target moves, by less than its own slack: what its point reaches grows all the same."""
    y, targets = np.array([0, 0, 0, 1]), np.array([[1], [2], [-1], [-1]])
    Z = np.array([[0.0, 0.0], [0.0, 10.0], [100.0, 10.0], [0.0, 0.01 - np.hypot(1.0, 10.0 + step)]])
    loss = _core.TripletLoss(y, targets, 0.5, 0.0)
    before = loss.evaluate(Z, Z)[0]
    assert before == pytest.approx(reference.triplet_loss(Z, y, targets, 0.5)[0], rel=1e-12)
    Z[1, 1] += step
    after = loss.evaluate(Z, Z)[0]
    assert after == pytest.approx(reference.triplet_loss(Z, y, targets, 0.5)[0], rel=1e-12)
