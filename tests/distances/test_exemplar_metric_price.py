"""Prices that are set anew once weights are learned, and distances that are scaled by one number."""

import numpy as np
import pytest

from cladebench.distances import ExemplarMetric
from cladebench.distances._exemplars import exemplar_clustering, matched_price
from cladebench.metrics import matched_scores
from cladebench.solvers.given_distances import SquaredDifferences


def mixture(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Forty points in four clusters, in dimensions of different spread, of which the last two are noise."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(40) % 4)
    clean = 3.0 * rng.normal(size=(4, 3))[y] + rng.normal(size=(40, 3))
    return np.hstack([clean, 8.0 * rng.normal(size=(40, 2))]), y


SETS = [mixture(seed) for seed in range(4)]
X_TRAIN, Y_TRAIN = [X for X, _ in SETS], [y for _, y in SETS]


def fit(X=X_TRAIN, **more) -> ExemplarMetric:
    parameters = {"features": "squared_differences", "max_iter": 40, "tol": 0.0, **more}
    return ExemplarMetric(**parameters).fit(X, Y_TRAIN)


def n_found(metric: ExemplarMetric) -> int:
    return sum(int(metric.predict(X).max()) + 1 for X in X_TRAIN)


@pytest.mark.parametrize("price", ["size", "matched", 200.0])
def test_a_rematched_price_finds_the_clusters_of_the_training_sets(price):
    kept, anew = fit(price=price), fit(price=price, rematch=True)
    assert np.array_equal(kept.weights_, anew.weights_)
    assert np.array_equal(kept.objective_path_, anew.objective_path_)
    assert kept.price_ != anew.price_
    assert n_found(anew) == 16


def test_the_price_is_that_of_the_learned_weights():
    # Few rounds and a price that is far too high: without another one all of a set is one cluster.
    kept, anew = fit(price=1e4, max_iter=3), fit(price=1e4, max_iter=3, rematch=True)
    assert kept.price_ == 1e4 and n_found(kept) < 16 == n_found(anew)
    sets = [SquaredDifferences(X - X.mean(axis=0)) for X in X_TRAIN]
    assert anew.price_ == pytest.approx(matched_price(sets, Y_TRAIN, anew.weights_))
    # Not that of equal weights, by which a price is matched before learning.
    before = matched_price([own.scaled(anew.scales_) for own in sets], Y_TRAIN, np.full(5, 0.2))
    assert anew.price_ != pytest.approx(before, rel=0.05)


def test_a_rematched_price_is_of_given_matrices_too():
    stacks = [np.square(X[:, None] - X[None]).transpose(2, 0, 1) for X in X_TRAIN]
    from_stacks, from_features = fit(stacks, features=None, rematch=True), fit(rematch=True)
    assert from_stacks.price_ == pytest.approx(from_features.price_, rel=1e-6)
    found = [exemplar_clustering(from_stacks.pairwise(own), from_stacks.price_).exemplars for own in stacks]
    assert sum(map(len, found)) == 16


def test_a_price_by_accuracy_recovers_the_training_sets_best():
    def accuracy(metric):
        return np.mean(
            [matched_scores(own, metric.predict(X)).value for X, own in zip(X_TRAIN, Y_TRAIN, strict=True)]
        )

    for price in (1.0, 10.0, 1e3):
        kept, anew = fit(price=price, max_iter=20), fit(price=price, max_iter=20, rematch="accuracy")
        assert np.array_equal(kept.weights_, anew.weights_)
        tried = {}
        for factor in 2.0 ** (np.arange(-8, 9) / 2):
            kept.price_ = factor * price
            tried[factor] = accuracy(kept)
        best = [factor for factor in tried if tried[factor] == max(tried.values())]
        assert accuracy(anew) == max(tried.values())
        assert anew.price_ == pytest.approx(
            price * min(best, key=lambda factor: (abs(np.log(factor)), factor))
        )
    assert accuracy(anew) > tried[1.0]


def test_by_default_the_price_is_kept():
    assert fit().price_ == 10.0  # the mean size of the true clusters
    assert ExemplarMetric().rematch is False and ExemplarMetric().scaling == "each"


def means_of(X: list[np.ndarray]) -> np.ndarray:
    pair = ~np.eye(40, dtype=bool)
    return np.mean([np.square(own[:, None] - own)[pair].mean(axis=0) for own in X], axis=0)


def test_common_scaling_divides_all_distances_by_the_mean_of_their_means():
    each, common = fit(), fit(scaling="common")
    assert each.scales_ == pytest.approx(means_of(X_TRAIN))
    assert common.scales_ == pytest.approx(np.full(5, means_of(X_TRAIN).mean()))
    assert common.means_ == pytest.approx(means_of(X_TRAIN)) and np.array_equal(each.means_, common.means_)
    # Means differ, and so do weights, by more than a factor.
    ratio = common.weights_[:3] / each.weights_[:3]
    assert ratio.max() > 1.05 * ratio.min() > 0
    assert each.objective_path_[0] != pytest.approx(common.objective_path_[0], rel=1e-3)


def test_learning_starts_from_equal_weights_of_what_was_scaled():
    each, common = fit(max_iter=1), fit(max_iter=1, scaling="common")
    for weights in (each.weights_ * means_of(X_TRAIN), common.weights_):
        assert weights == pytest.approx(np.full(5, weights[0])) and weights[0] > 0


def test_distances_of_one_mean_are_scaled_the_same_either_way():
    # One factor for a dimension of all sets.
    X = [own / np.sqrt(means_of(X_TRAIN)) * 3.0 for own in X_TRAIN]
    each, common = fit(X), fit(X, scaling="common")
    for fitted in (each, common):
        assert fitted.scales_ == pytest.approx(np.full(5, 9.0))
    assert common.objective_path_[:10] == pytest.approx(each.objective_path_[:10], rel=1e-6)
    early, early_common = fit(X, max_iter=10), fit(X, max_iter=10, scaling="common")
    assert early_common.weights_ == pytest.approx(early.weights_, rel=1e-6, abs=1e-9)
    assert common.price_ == each.price_


@pytest.mark.parametrize("scaling", ["each", "common"])
def test_units_change_weights_and_nothing_else(scaling):
    """All distances a hundred times as large are the same problem: weights are of distances as they are given."""
    one, large = (
        fit(scaling=scaling, max_iter=10),
        fit([10.0 * X for X in X_TRAIN], scaling=scaling, max_iter=10),
    )
    assert large.weights_ == pytest.approx(one.weights_ / 100.0, rel=1e-6, abs=1e-12)
    assert large.scales_ == pytest.approx(100.0 * one.scales_)
    assert large.objective_path_ == pytest.approx(one.objective_path_, rel=1e-6)


def test_scaling_is_of_each_distance_where_one_is_zero():
    X = [np.column_stack([own, np.zeros(40)]) for own in X_TRAIN]
    fitted = fit(X, scaling="common", max_iter=5)
    # The mean of a distance that is nowhere more than 0 counts as 1.
    assert fitted.scales_ == pytest.approx(np.full(6, (means_of(X_TRAIN).sum() + 1.0) / 6))
    assert np.isfinite(fitted.weights_).all()


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("scaling", "all", "scaling='all': expected one of"),
        ("scaling", True, "scaling"),
        ("rematch", 1, "rematch"),
        ("rematch", "matched", "rematch"),
        ("rematch", None, "rematch"),
    ],
)
def test_other_values_are_refused(name, wrong, said):
    with pytest.raises(ValueError, match=said):
        fit(**{name: wrong})


def test_distances_that_are_given_twice_share_their_weights():
    """Steps of a weight are of the size that it starts from: of twice as many distances each learns half as much."""
    stacks = [np.square(X[:, None] - X[None]).transpose(2, 0, 1) for X in X_TRAIN]
    for how in ({}, {"weight_step": 3.0}, {"stochastic": True, "random_state": 0}):
        one = fit(stacks, features=None, max_iter=12, **how)
        two = fit([np.concatenate([own, own]) for own in stacks], features=None, max_iter=12, **how)
        assert one.objective_path_.min() < 0.9 * one.objective_path_[0]
        np.testing.assert_allclose(two.objective_path_, one.objective_path_, rtol=1e-6)
        np.testing.assert_allclose(two.weights_, np.tile(one.weights_, 2) / 2, rtol=1e-6)


@pytest.mark.parametrize(("wanted", "n"), [(2, 3), (3, 5)])
def test_where_no_price_gives_the_number_the_matched_one_gives_more(wanted, n):
    """Objects that are all 1 apart: below a price of 1 each is its own exemplar, above it there is one of all."""
    apart = SquaredDifferences(np.eye(n) / np.sqrt(2.0))
    price = matched_price([apart], [np.arange(n) % wanted], np.ones(n))
    assert 1 / 1.001 <= price < 1.0
    assert len(exemplar_clustering(1.0 - np.eye(n), price).exemplars) == n
    assert len(exemplar_clustering(1.0 - np.eye(n), 1.001 * price).exemplars) == 1
