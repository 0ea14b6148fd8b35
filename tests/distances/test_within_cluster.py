"""Weights by the spread within clusters: by hand, and what has no spread."""

import numpy as np
import pytest

from cladebench.distances import ExemplarMetric, FixedWeights, WithinCluster

Y = np.array([0, 0, 1, 1])


def stack_of(*within_and_between: tuple[float, float]) -> np.ndarray:
    same = Y[:, None] == Y
    return np.array([np.where(same, within, between) for within, between in within_and_between], dtype=float)


def test_weights_are_one_over_the_mean_within_clusters() -> None:
    found = WithinCluster().fit([stack_of((1.0, 2.0), (4.0, 9.0))], [Y])
    assert found.weights_[0] / found.weights_[1] == pytest.approx(4.0)
    # Of distances of mean 1 they have sum 1.
    assert (found.weights_ * found.scales_).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found.scales_, [(1 + 2 * 2) / 3, (4 + 2 * 9) / 3])


def test_what_lies_between_clusters_does_not_count() -> None:
    near, far = (WithinCluster().fit([stack_of((1.0, b), (4.0, 9.0))], [Y]).weights_ for b in (2.0, 50.0))
    assert near[0] / near[1] == pytest.approx(far[0] / far[1])


def test_pairs_of_all_sets_count_alike() -> None:
    sets = [stack_of((1.0, 2.0), (1.0, 2.0)), stack_of((3.0, 4.0), (7.0, 9.0))]
    found = WithinCluster().fit(sets, [Y, Y])
    assert found.weights_[0] / found.weights_[1] == pytest.approx((1 + 7) / (1 + 3))


def test_a_distance_that_is_0_within_clusters_alone_is_enough() -> None:
    found = WithinCluster().fit([stack_of((0.0, 3.0), (1.0, 2.0), (0.0, 0.0))], [Y])
    np.testing.assert_allclose(found.weights_ * found.scales_, [1.0, 0.0, 0.0])
    assert found.predict(stack_of((0.0, 3.0), (1.0, 2.0), (0.0, 0.0))).tolist() == Y.tolist()


def test_without_pairs_within_clusters_weights_are_equal() -> None:
    found = WithinCluster().fit([stack_of((1.0, 2.0), (4.0, 9.0))], [np.arange(4)])
    np.testing.assert_allclose(found.weights_ * found.scales_, [0.5, 0.5])


def test_squared_differences_are_weighed_by_inverse_variances() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 200)
    X = rng.normal(size=(4, 3))[y] + rng.normal(size=(800, 3)) * [1.0, 2.0, 5.0]
    found = WithinCluster(features="squared_differences").fit([X], [y])
    np.testing.assert_allclose(found.weights_ / found.weights_[0], [1.0, 1 / 4, 1 / 25], rtol=0.15)


@pytest.mark.parametrize("price", ["size", -1.0, None])
def test_a_wrong_price_is_named(price: object) -> None:
    with pytest.raises(ValueError, match="price"):
        WithinCluster(price=price).fit([stack_of((1.0, 2.0))], [Y])


@pytest.mark.parametrize("order", [1, -1])
def test_a_distance_counts_that_tells_something_in_one_of_the_sets(order: int) -> None:
    """The second is 0 throughout in one set: of its mean within clusters that is half of the pairs."""
    sets = [stack_of((1.0, 2.0), (4.0, 9.0)), stack_of((1.0, 2.0), (0.0, 0.0))][::order]
    found = WithinCluster().fit(sets, [Y, Y])
    assert found.weights_[0] / found.weights_[1] == pytest.approx((4 + 0) / 2)


@pytest.mark.parametrize("power", [-600, -1000])
def test_a_feature_whose_squares_vanish_is_refused(power: int) -> None:
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 3
    X[:, 2] = 5.0
    for rule in (WithinCluster, FixedWeights, ExemplarMetric):
        constant = rule(features="squared_differences").fit([X], [y])
        assert constant.scales_[2] == 1.0
        with pytest.raises(ValueError, match=r"^distance 1 has the mean 0, .* vanish; rescale it$"):
            rule(features="squared_differences").fit([X * [1.0, 2.0**power, 1.0]], [y])


@pytest.mark.parametrize(("factor", "mean"), [(1e-310, "1e-310"), (1e308, "inf")])
def test_given_distances_whose_weights_a_float_cannot_hold_are_refused(factor: float, mean: str) -> None:
    stack = stack_of((1.0, 2.0), (1.0, 1.0)) * np.array([1.0, factor])[:, None, None]
    with pytest.raises(ValueError, match=f"^distance 1 has the mean {mean}"):
        WithinCluster().fit([stack], [Y])
