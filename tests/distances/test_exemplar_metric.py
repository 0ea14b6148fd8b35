"""The learned distance: what it learns, what its parameters do, and what it is held against."""

import numpy as np
import pytest

from cladebench.distances import ExemplarMetric, FixedWeights
from cladebench.distances._exemplars import exemplar_clustering, labels_of, matched_price
from cladebench.distances.fixed_weights import separation
from cladebench.metrics import f_scores
from cladebench.reference import exemplar_learning as twin
from cladebench.solvers.given_distances import SquaredDifferences, StackedDistances


def mixture(
    seed: int, n: int = 40, k: int = 4, clean: int = 4, noisy: int = 4, spread: float = 3.0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    centres = spread * rng.normal(size=(k, clean))
    return np.hstack([centres[y] + rng.normal(size=(n, clean)), 8.0 * rng.normal(size=(n, noisy))]), y


def stack_of(X: np.ndarray) -> np.ndarray:
    return np.square(X[:, None] - X[None]).transpose(2, 0, 1)


TRAIN = [mixture(seed) for seed in range(5)]
TEST = [mixture(seed) for seed in range(100, 105)]
X_TRAIN, Y_TRAIN = [X for X, _ in TRAIN], [y for _, y in TRAIN]


def quality(metric) -> float:
    return float(np.mean([f_scores(y, metric.predict(X)).value for X, y in TEST]))


def test_cutting_planes_lower_what_the_rounds_leave_to_within_the_gap() -> None:
    def fitted(**more) -> ExemplarMetric:
        return ExemplarMetric(features="squared_differences", max_iter=30, **more).fit(X_TRAIN, Y_TRAIN)

    rounds, closed = fitted(), fitted(gap=0.02)
    assert np.isnan(rounds.gap_) and rounds.n_planes_ == 0
    assert closed.objective_path_.tolist() == rounds.objective_path_.tolist()
    assert closed.objective_ < rounds.objective_ and closed.converged_ and 0 <= closed.gap_ <= 0.02
    assert 0 < closed.n_planes_ < 500 and closed.weights_.min() >= 0
    cut = fitted(gap=0.02, max_planes=2)
    assert not cut.converged_ and cut.gap_ > 0.02 and cut.n_planes_ == 2


def test_cutting_planes_keep_to_the_constraint() -> None:
    # The second distance is 1 within clusters and 0 between: a weight below 0 tells them apart.
    y = np.repeat([0, 1, 2], 4)
    noise = np.random.default_rng(0).uniform(1.0, 2.0, (12, 12))
    stack = np.stack([noise, 1.0 * (y[:, None] == y)])
    free, held = (
        ExemplarMetric(constraint=constraint, gap=0.02, max_iter=30).fit([stack], [y])
        for constraint in ("none", "nonnegative")
    )
    assert free.weights_[1] < 0 <= held.weights_.min() and free.objective_ < 0.9 * held.objective_


@pytest.mark.parametrize("name", ["regularizer", "constraint"])
def test_planes_need_to_know_what_they_stand_beside(name) -> None:
    function = {"regularizer": lambda w: (0.0, 0.0 * w), "constraint": lambda w: w}[name]
    metric = ExemplarMetric(features="squared_differences", gap=0.1, **{name: function})
    with pytest.raises(ValueError, match=f"^{name} is a function; expected a name, or gap=None"):
        metric.fit(X_TRAIN, Y_TRAIN)


def test_noise_loses_its_weight_and_new_sets_are_clustered() -> None:
    learned = ExemplarMetric(features="squared_differences", max_iter=300).fit(X_TRAIN, Y_TRAIN)
    scaled = learned.weights_ * learned.scales_
    assert scaled[4:].max() < 0.25 * scaled[:4].min()
    assert quality(learned) > 0.9
    assert quality(FixedWeights(features="squared_differences", weights="raw").fit(X_TRAIN, Y_TRAIN)) < 0.6
    # The number of clusters is found, in sets that have another one.
    X, _ = mixture(7, 60, 6, spread=6.0)
    assert abs(int(learned.predict(X).max()) + 1 - 6) <= 1


def test_matrices_and_features_give_the_same() -> None:
    from_features = ExemplarMetric(features="squared_differences", max_iter=40, tol=0.0).fit(X_TRAIN, Y_TRAIN)
    for metric, sets in (
        (ExemplarMetric(max_iter=40, tol=0.0), [stack_of(X) for X in X_TRAIN]),
        (ExemplarMetric(features=stack_of, max_iter=40, tol=0.0), X_TRAIN),
    ):
        metric.fit(sets, Y_TRAIN)
        assert metric.objective_path_ == pytest.approx(from_features.objective_path_, rel=1e-6)
        assert metric.weights_ == pytest.approx(from_features.weights_, rel=1e-6, abs=1e-9)
        assert metric.scales_ == pytest.approx(from_features.scales_)
        assert metric.price_ == pytest.approx(from_features.price_)


def test_attributes() -> None:
    learned = ExemplarMetric(features="squared_differences", max_iter=30).fit(X_TRAIN, Y_TRAIN)
    assert learned.n_iter_ == len(learned.objective_path_) == 30 and not learned.converged_
    assert learned.objective_ == learned.objective_path_.min() < learned.objective_path_[0]
    assert (learned.weights_ >= 0).all() and learned.price_ > 0
    means = np.mean([stack_of(X)[:, ~np.eye(40, dtype=bool)].mean(axis=1) for X in X_TRAIN], axis=0)
    assert learned.scales_ == pytest.approx(means)
    assert (
        ExemplarMetric(features="squared_differences", max_iter=400, tol=0.5).fit(X_TRAIN, Y_TRAIN).converged_
    )


def test_the_objective_bounds_the_loss_of_the_weights() -> None:
    rng = np.random.default_rng(0)
    y = np.array([0, 0, 0, 1, 1])
    X = np.column_stack([3.0 * y + rng.normal(size=5), 3.0 * rng.normal(size=5)])
    learned = ExemplarMetric(price=1.5, tau=0.0, max_iter=300, tol=0.0).fit([stack_of(X)], [y])
    d = learned.pairwise(stack_of(X))
    np.fill_diagonal(d, 1.5)
    loss = twin.best_completion(d, y) - twin.least_augmented_energy(d, y)
    assert 0.0 <= loss <= learned.objective_ + 1e-9


def test_exemplars_are_members_that_serve_themselves() -> None:
    learned = ExemplarMetric(features="squared_differences", max_iter=100).fit(X_TRAIN, Y_TRAIN)
    X, _ = TEST[0]
    labels, exemplars = learned.predict(X), learned.exemplars(X)
    assert labels[exemplars].tolist() == list(range(len(exemplars))) and set(labels) == set(labels[exemplars])
    d = SquaredDifferences(X).at(learned.weights_)
    assert (d[np.arange(40), exemplars[labels]] <= d[:, exemplars].min(axis=1) + 1e-9).all()


def test_regularizers() -> None:
    def weights(**more) -> np.ndarray:
        return (
            ExemplarMetric(features="squared_differences", max_iter=200, tol=0.0, **more)
            .fit(X_TRAIN, Y_TRAIN)
            .weights_
        )

    light, heavy = weights(tau=0.1), weights(tau=100.0)
    assert heavy.sum() < light.sum()
    own = weights(regularizer=lambda w: (float(np.abs(w).sum()), np.sign(w)), tau=7.0)
    assert np.array_equal(own, weights(regularizer="l1", tau=7.0))
    assert not np.array_equal(own, weights(regularizer="l2", tau=7.0))
    capped = weights(constraint=lambda w: np.clip(w, 0.0, 0.01))
    scales = ExemplarMetric(features="squared_differences", max_iter=1).fit(X_TRAIN, Y_TRAIN).scales_
    assert (capped * scales).max() == pytest.approx(0.01)


def test_without_a_constraint_a_distance_that_misleads_counts_against() -> None:
    X, y = TRAIN[0]
    misleading = np.where(y[:, None] == y, 2.0, 1.0)
    stack = np.stack([*stack_of(X)[:4], misleading])
    free, bound = (ExemplarMetric(constraint=c).fit([stack], [y]).weights_ for c in ("none", "nonnegative"))
    assert free[4] < 0.0 <= bound[4] and (bound >= 0.0).all()


def test_steps_rounds_and_the_stochastic_form_all_learn() -> None:
    start = ExemplarMetric(features="squared_differences", max_iter=1).fit(X_TRAIN, Y_TRAIN).objective_
    paths = []
    others = {"rounds": 10, "polyak": True, "stochastic": True, "completion": "nearest", "step": 0.3}
    for more in ({}, *({name: value} for name, value in others.items())):
        metric = ExemplarMetric(features="squared_differences", max_iter=150, random_state=0, **more).fit(
            X_TRAIN, Y_TRAIN
        )
        assert metric.objective_ < 0.5 * start
        assert quality(metric) > 0.85
        paths.append(metric.objective_path_[:20].tolist())
    assert len({tuple(path) for path in paths}) == len(paths)


def test_the_order_of_stochastic_rounds_is_the_seed_s() -> None:
    def path(seed: int, stochastic: bool) -> list[float]:
        metric = ExemplarMetric(
            features="squared_differences", stochastic=stochastic, random_state=seed, max_iter=15
        )
        return metric.fit(X_TRAIN, Y_TRAIN).objective_path_.tolist()

    assert path(0, True) == path(0, True) != path(1, True)
    assert path(0, False) == path(1, False)


def test_a_higher_price_makes_fewer_clusters() -> None:
    X, _ = TEST[0]
    d = SquaredDifferences(X).at(np.ones(8))
    numbers = [len(exemplar_clustering(d, price).exemplars) for price in (1.0, 100.0, 1000.0, 1e6)]
    assert numbers[0] == 40 > numbers[1] > numbers[2] > numbers[3] == 1


def test_the_matched_price_finds_the_number_of_clusters() -> None:
    sets = [SquaredDifferences(X[:, :4]) for X in X_TRAIN]
    price = matched_price(sets, Y_TRAIN, np.ones(4))
    found = sum(len(exemplar_clustering(given.at(np.ones(4)), price).exemplars) for given in sets)
    assert found == 20
    zero = [StackedDistances(np.zeros((1, 3, 3)))]
    assert matched_price(zero, [np.array([0, 0, 1])], np.ones(1)) == 1.0


def test_the_matched_price_of_clusters_that_are_very_near_each_other() -> None:
    X = np.repeat(np.random.default_rng(0).uniform(size=(10, 2)), 2, axis=0)
    X[1::2] += 1e-4
    sets, w = [SquaredDifferences(X)], np.ones(2)
    price = matched_price(sets, [np.arange(20)], w)
    assert len(exemplar_clustering(sets[0].at(w), price).exemplars) == 20
    # Of points at one place one exemplar is enough at any price.
    assert 0.0 < matched_price([SquaredDifferences(X[::2].repeat(2, axis=0))], [np.arange(20)], w) < 1e-12


def test_the_matched_price_is_that_of_prediction_where_distances_are_negative() -> None:
    X, y = TRAIN[2]
    w = np.array([1.0, -0.1])
    stack = np.stack(
        [SquaredDifferences(X[:, :4]).at(np.ones(4)), SquaredDifferences(X[:, 4:]).at(np.ones(4))]
    )
    d = np.tensordot(w, stack, axes=1)
    assert d.min() < -1.0
    for wanted in (2, 3, 4):
        price = matched_price([StackedDistances(stack)], [np.minimum(y, wanted - 1)], w)
        assert len(exemplar_clustering(d, price).exemplars) == wanted


def test_negative_distances_are_shifted() -> None:
    d = np.array([[0.0, -3.0, 5.0], [2.0, 0.0, 5.0], [5.0, 6.0, 0.0]])
    found = exemplar_clustering(d, 1.5)
    # Point 0 earns 3 at point 1: {1, 2} costs -3 + 3, {0, 1, 2} 4.5, {1} -3 + 1.5 + 6.
    assert found.exemplars.tolist() == [1, 2] and labels_of(found).tolist() == [0, 0, 1]


def test_fixed_weights() -> None:
    stacks = [stack_of(X) for X in X_TRAIN]

    def fit(**more) -> FixedWeights:
        return FixedWeights(**more).fit(stacks, Y_TRAIN)

    equal, raw = fit(), fit(weights="raw")
    assert equal.weights_ * equal.scales_ == pytest.approx(np.full(8, 1 / 8))
    assert np.ptp(raw.weights_) < 1e-12 * raw.weights_[0]
    one = fit(weights=2)
    assert np.flatnonzero(one.weights_).tolist() == [2] and (one.weights_ * one.scales_)[2] == pytest.approx(
        1.0
    )
    drawn = fit(weights="random", random_state=0).weights_
    assert not np.array_equal(drawn, fit(weights="random", random_state=1).weights_)
    assert (drawn * equal.scales_).sum() == pytest.approx(1.0) and (drawn > 0).all()
    ratio = fit(weights="ratio")
    scaled = ratio.weights_ * ratio.scales_
    assert scaled[4:].max() < 0.2 * scaled[:4].min() and scaled.sum() == pytest.approx(1.0)
    assert fit(price=3.0).price_ == 3.0
    for wrong in (8, -1):
        with pytest.raises(ValueError, match=rf"weights={wrong}: expected a distance, 0\.\.7"):
            fit(weights=wrong)


def test_separation_by_hand() -> None:
    F = np.zeros((3, 4, 4))
    y = np.array([0, 0, 1, 1])
    F[0] = np.where(y[:, None] == y, 1.0, 3.0)  # three times as far between
    F[1] = np.where(y[:, None] == y, 2.0, 1.0)  # nearer between: no weight
    assert separation([StackedDistances(F)], [y]) == pytest.approx([2.0, 0.0, 0.0])
    assert separation([StackedDistances(F)], [np.zeros(4, dtype=int)]).tolist() == [0.0] * 3
    twice = separation([StackedDistances(F), StackedDistances(2 * F)], [y, y])
    assert twice == pytest.approx([2.0, 0.0, 0.0])


def test_a_bad_price_and_bad_sets_of_features() -> None:
    with pytest.raises(ValueError, match="price"):
        ExemplarMetric(price=-1.0).fit([stack_of(X_TRAIN[0])], Y_TRAIN[:1])
    metric = ExemplarMetric(features="squared_differences", max_iter=5)
    for X, said in (
        (X_TRAIN[0][0], r"stacks\[0\] has shape \(8,\); expected \(n, n_features\)"),
        (np.full((40, 8), np.nan), r"stacks\[0\] has an entry that is not finite"),
        (np.full((40, 8), 1e200), r"stacks\[0\]\[0, 0\] is 1e\+200"),
    ):
        with pytest.raises(ValueError, match=said):
            metric.fit([X], Y_TRAIN[:1])
    with pytest.raises(ValueError, match="stack has 7 distances; expected 8"):
        metric.fit(X_TRAIN, Y_TRAIN).predict(X_TRAIN[0][:, :7])
