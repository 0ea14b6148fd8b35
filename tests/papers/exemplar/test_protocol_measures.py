"""What the exemplar protocol reads of a fitted model: clusters, rounds, weights, neighbours, what a drawing shows."""

from types import SimpleNamespace

import numpy as np
import pytest

from cladebench.metrics import matched_scores, vote
from cladebench.metrics.histogram_distances import KINDS
from cladebench.papers.exemplar import protocol
from cladebench.papers.exemplar.problems import ExemplarProblem, GivenDistance


def given(*features: str) -> tuple[GivenDistance, ...]:
    """Distances named "feature" or "feature/kind"."""
    parts = (name.partition("/") for name in features)
    return tuple(GivenDistance(feature, kind or "chi2") for feature, _, kind in parts)


def test_clusters_by_hand():
    true = [np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 1])]
    found = [np.array([1, 1, 0, 0]), np.array([0, 0, 1, 2, 2, 2])]
    metrics = protocol.clustering_measures(true, found)
    # The first set is as it should be. In the second 4 pairs are together, all rightly, of 6 that should be; by chance
    # 6 * 4 / 15 = 1.6 would be.
    assert metrics["pair_f"] == pytest.approx((1.0 + 2 * 4 / (6 + 4)) / 2)
    assert metrics["pair_f_permuted"] == pytest.approx((2 * (2 * 2 / 6) / 4 + 2 * 1.6 / 10) / 2)
    assert metrics["ari"] == pytest.approx((1.0 + (4 - 1.6) / (5 - 1.6)) / 2)
    assert metrics["matched_accuracy"] == pytest.approx((1.0 + 5 / 6) / 2)
    chance = [matched_scores(own, labels).permuted for own, labels in zip(true, found, strict=True)]
    assert metrics["matched_accuracy_permuted"] == pytest.approx(np.mean(chance))
    # In the second set all 9 pairs of two classes are apart.
    assert metrics["pair_accuracy"] == pytest.approx((1.0 + 13 / 15) / 2)
    assert metrics["pair_accuracy_balanced"] == pytest.approx((1.0 + (1.0 + 4 / 6) / 2) / 2)
    assert metrics["n_clusters"] == 2.5
    assert metrics["number_off"] == 0.5 and metrics["number_right"] == 0.5
    # Too few are as much off as too many, and do not make up for them.
    merged = protocol.clustering_measures(true, [np.array([0, 0, 0, 0]), found[1]])
    # Means, not medians: one of three sets is off.
    three = protocol.clustering_measures([true[0], *true], [found[0], *found])
    assert three["number_right"] == pytest.approx(2 / 3) and three["pair_f"] == pytest.approx(2.8 / 3)
    assert merged["number_off"] == 1.0 and merged["number_right"] == 0.0 and merged["n_clusters"] == 2.0


@pytest.mark.parametrize(("labels", "expected"), [([4, 4, 4], 1.0), ([4, 4, 2], 1 / 3)])
def test_pairs_of_one_class_alone_have_an_accuracy(labels, expected):
    found = protocol.pair_accuracies(np.zeros(3, dtype=int), np.array(labels))
    assert found == {
        "pair_accuracy": pytest.approx(expected),
        "pair_accuracy_balanced": pytest.approx(expected),
    }


def test_clusters_may_have_any_numbers():
    true = np.array([0, 0, 2, 2, 2])  # a class that this set has none of
    metrics = protocol.clustering_measures([true], [np.array([7, 7, 3, 3, 3])])
    assert metrics["pair_f"] == metrics["matched_accuracy"] == metrics["number_right"] == 1.0
    assert metrics["n_clusters"] == 2.0 and metrics["number_off"] == 0.0


def learned(path, **more):
    return SimpleNamespace(objective_path_=np.array(path, dtype=float), converged_=False, **more)


@pytest.mark.parametrize(
    ("path", "to_90", "to_99", "share"),
    [
        # The whole fall is from 100 to 1: nine tenths are done at 10.9, all but a hundredth at 1.99.
        ([100, 40, 120, 11, 9, 2, 1, 5], 4, 6, 0.01),
        ([100, 40, 120, 11, 9, 1.5, 30, 1], 4, 5, 0.01),
        ([10, 1, 8], 1, 1, 0.1),
        ([10, 12, 11], 0, 0, 1.0),  # never lower than at the start
        ([5, 5, 5], 0, 0, 1.0),
        ([4], 0, 0, 1.0),
        ([0, 0], 0, 0, 1.0),
        ([4, 0, 2], 1, 1, 0.0),
    ],
)
def test_rounds_by_hand(path, to_90, to_99, share):
    metrics = protocol.learning_measures(learned(path, price_=2.5))
    assert metrics == {
        **{"price": 2.5, "converged": 0.0, "n_iterations": len(path), "objective": min(path)},
        **{"objective_share": pytest.approx(share), "rounds_to_90": to_90, "rounds_to_99": to_99},
    }


def test_rounds_are_held_against_the_objective_that_planes_reach():
    given = {"price_": 2.5, "gap": 0.02, "gap_": 0.015, "n_planes_": 9}
    metrics = protocol.learning_measures(learned([100, 40, 10, 8, 9], objective_=5.0, **given))
    assert metrics == {
        **{"price": 2.5, "converged": 0.0, "n_iterations": 5, "objective": 5.0, "objective_share": 0.05},
        **{"gap": 0.015, "n_planes": 9.0, "rounds_left": pytest.approx(0.6)},
        # Nine tenths of the way down to 5 are done at 14.5; to 5.95 no round comes.
        **{"rounds_to_90": 2.0, "rounds_to_99": 5.0},
    }
    # Rounds that end below it, as exact losses may be above what their bounds say.
    below = protocol.learning_measures(learned([100, 4], objective_=5.0, **given))
    assert below["rounds_left"] == pytest.approx(-0.2) and below["rounds_to_99"] == 1.0


def test_class_matched_f_by_hand():
    true, found = np.array([0, 0, 0, 0, 1, 1]), np.array([5, 5, 5, 2, 2, 2])
    # Class 0 and cluster 5: 2 * 3 / 7; class 1 and cluster 2: 2 * 2 / 5.
    assert protocol.class_f(true, found) == pytest.approx((6 / 7 + 4 / 5) / 2)
    assert protocol.class_f(true, true + 3) == 1.0
    assert protocol.class_f(true, np.zeros(6, dtype=int)) == pytest.approx((8 / 10 + 4 / 8) / 2)


def test_what_is_not_learned_in_rounds_has_a_price_at_most():
    assert protocol.learning_measures(SimpleNamespace(price_=3)) == {"price": 3.0}
    assert protocol.learning_measures(SimpleNamespace()) == {}
    done = SimpleNamespace(objective_path_=np.array([2.0, 1.0]), converged_=True)
    metrics = protocol.learning_measures(done)
    assert metrics["converged"] == 1.0 and "price" not in metrics


@pytest.mark.parametrize(
    ("weights", "scales", "expected"),
    [
        ([1.0, 2.0, 0.0], [2.0, 4.0, 3.0], [0.25, 1.0, 0.0]),
        ([1.0, -4.0, 0.5], [2.0, 1.0, 2.0], [0.5, -1.0, 0.25]),  # the sign stays
        ([0.0, 0.0], [2.0, 1.0], [0.0, 0.0]),
    ],
)
def test_weights_are_of_distances_of_mean_1_and_the_largest_is_1(weights, scales, expected):
    fitted = SimpleNamespace(weights_=np.array(weights), scales_=np.array(scales))
    assert protocol.scaled_weights(fitted).tolist() == expected
    # Means are what counts where something else was divided by.
    other = SimpleNamespace(
        weights_=fitted.weights_, means_=fitted.scales_, scales_=np.full(len(scales), 7.0)
    )
    assert protocol.scaled_weights(other).tolist() == expected


def test_distances_and_features_with_weight():
    distances = given("gist/chi2", "gist/l1", "hog/chi2", "hog/l1", "lbp/chi2", "lbp/l1")
    # A hundredth of the largest weight is too little, but features have the sum of theirs: more than 0.014 counts.
    weights = np.array([-1.0, 0.4, 0.01, 0.008, 0.011, 0.0])
    metrics = protocol.weight_measures(weights, distances)
    assert metrics == {"n_weighted": 3.0, "n_features_weighted": 2.0}  # there is no noise
    weights[4] = 0.009
    assert protocol.weight_measures(weights, distances) == {"n_weighted": 2.0, "n_features_weighted": 2.0}
    assert protocol.weight_measures(np.zeros(6), distances) == {"n_weighted": 0.0, "n_features_weighted": 0.0}
    assert protocol.weight_measures(np.full(6, 0.2), distances) == {
        **{"n_weighted": 6.0, "n_features_weighted": 3.0}
    }


def test_the_weight_of_noise_by_hand():
    distances = given("clean 1", "noisy 2", "clean 3", "noisy 4", "noisy 5")
    size = np.array([2.0, 0.5, 1.0, 0.02, 0.0])
    expected = {"noise_share": 0.52 / 3.52, "noise_suppressed": 2 / 3, "noise_largest": 0.25}
    assert protocol.noise_measures(size, distances) == pytest.approx(expected)
    given_as = protocol.noise_measures(size, distances, "_given")
    assert given_as == pytest.approx({f"{name}_given": value for name, value in expected.items()})
    # In size, whatever the sign.
    assert protocol.weight_measures(-size, distances) == {
        **{"n_weighted": 3.0, "n_features_weighted": 3.0},
        **{name: pytest.approx(value) for name, value in expected.items()},
    }
    size[3] = 0.01 * size[0]  # just as little as counts as none
    assert protocol.noise_measures(size, distances)["noise_suppressed"] == 2 / 3
    size[3] = np.nextafter(size[3], 1.0)
    assert protocol.noise_measures(size, distances)["noise_suppressed"] == 1 / 3
    assert protocol.noise_measures(np.zeros(5), distances) == {}
    assert protocol.noise_measures(size, given("a", "b", "c", "d", "e")) == {}
    only = protocol.noise_measures(np.array([0.0, 3.0]), given("gist", "noise 1"))
    assert only == {"noise_share": 1.0, "noise_suppressed": 0.0, "noise_largest": 1.0}


def test_shares_of_features():
    readings = protocol.weight_readings(np.array([3.0, -1.0, 0.0]), given("gist", "hog/l1", "lbp"))
    assert [(r.at, r.metrics) for r in readings] == [
        ({"feature": "gist"}, {"weight_share": 0.75}),
        ({"feature": "hog"}, {"weight_share": 0.25}),
        ({"feature": "lbp"}, {"weight_share": 0.0}),
    ]


def test_shares_of_pairs_where_each_feature_has_four_distances():
    names = [f"{feature}/{kind}" for feature in ("gist", "hog") for kind in KINDS]
    weights = np.array([1.0, 2.0, 0.0, -1.0, 0.5, 0.5, 0.0, 0.0])
    readings = protocol.weight_readings(weights, given(*names))
    assert [(r.at, r.metrics) for r in readings[:2]] == [
        ({"feature": "gist"}, {"weight_share": 0.8}),
        ({"feature": "hog"}, {"weight_share": 0.2}),
    ]
    assert [(r.at["feature"], r.at["kind"]) for r in readings[2:]] == [
        (f, k) for f in ("gist", "hog") for k in KINDS
    ]
    assert [r.metrics for r in readings[2:]] == [{"pair_weight_share": abs(w) / 5.0} for w in weights]
    three = protocol.weight_readings(weights[:3], given(*names[:3]))
    assert [r.at for r in three] == [{"feature": "gist"}]


def test_noise_has_no_share_of_its_own_and_leaves_less_for_the_others():
    names = [*(f"gist/{kind}" for kind in KINDS), "noise 1/squared_l2"]
    readings = protocol.weight_readings(np.array([1.0, 0.0, 1.0, 0.0, 2.0]), given(*names))
    assert [tuple(r.at.values()) for r in readings] == [("gist",), *(("gist", kind) for kind in KINDS)]
    assert readings[0].metrics == {"weight_share": 0.5}
    assert [r.metrics["pair_weight_share"] for r in readings[1:]] == [0.25, 0.0, 0.25, 0.0]


def test_dimensions_and_no_weights_have_no_shares():
    assert protocol.weight_readings(np.ones(2), given("clean 1", "noisy 2")) == []
    assert protocol.weight_readings(np.ones(2), given("noisy 1", "clean 2")) == []
    assert protocol.weight_readings(np.ones(1), given("classes/told")) == []
    assert protocol.weight_readings(np.zeros(2), given("gist", "hog")) == []


class Plain:
    """A weighted sum that nobody learned."""

    def __init__(self, *weights: float) -> None:
        self.weights = np.array(weights)

    def pairwise(self, stack: np.ndarray) -> np.ndarray:
        return np.tensordot(self.weights, stack, axes=1)


def on_a_line(train, known, test, true) -> ExemplarProblem:
    """Objects at places on a line; the second distance is the same for all."""
    train, test = np.array(train, dtype=float), np.array(test, dtype=float)

    def stack(one, other):
        d = np.abs(one[:, None] - other)
        return np.stack([d, np.ones_like(d)])

    return ExemplarProblem(
        [(stack(train, train), np.array(known))],
        [(stack(test, test), np.array(true))],
        given("gist", "hog"),
        stack(test, train),
    )


def test_neighbours_by_hand():
    problem = on_a_line([0, 1, 3, 10, 12], [0, 0, 1, 1, 1], [0.4, 2, 4, 6.5], [0, 1, 1, 0])
    metrics, readings = protocol.neighbor_measures(Plain(2.0, 1.0), problem)
    # At 2 those at 1 and 3 are equally near, and the first counts; that at 6.5 is near to the other class.
    assert metrics["nn_accuracy"] == 0.5
    # In training the one at 3 alone is nearer to the other class; with itself among its neighbours none would be.
    assert metrics["nn_accuracy_training"] == 0.8
    # Of three neighbours: 0, 1, 3; 1, 3, 0; 3, 1, 0; 3, 10 and, of those equally far, 1. Of five: all, two to three.
    assert [(r.at, r.metrics) for r in readings] == [
        ({"neighbors": 1}, {"knn_accuracy": 0.5}),
        ({"neighbors": 3}, {"knn_accuracy": 0.25}),
        ({"neighbors": 5}, {"knn_accuracy": 0.5}),
    ]


def test_the_first_training_set_is_the_one_that_is_read():
    first = on_a_line([0, 1, 3], [0, 0, 1], [0.4], [0])
    other = on_a_line([0, 1, 3], [1, 1, 1], [0.4], [0])
    both = ExemplarProblem([*first.train, *other.train], first.test, first.distances, first.cross)
    metrics, _ = protocol.neighbor_measures(Plain(1.0, 0.0), both)
    assert metrics == {"nn_accuracy": 1.0, "nn_accuracy_training": pytest.approx(2 / 3)}


def test_distances_are_read_from_test_images_to_training_images():
    problem = on_a_line([0, 1], [0, 1], [0, 0, 0], [0, 0, 1])
    # More test images than training images, none of them near to the second.
    metrics, readings = protocol.neighbor_measures(Plain(1.0, 0.0), problem)
    assert metrics == {"nn_accuracy": pytest.approx(2 / 3), "nn_accuracy_training": 0.0}
    assert [r.at["neighbors"] for r in readings] == [1]


def test_of_equally_near_images_the_first_ones_count():
    n = 200
    known = np.array([1] * 4 + [0] * 6 + [1] * (n - 10))
    problem = on_a_line(np.zeros(n), known, [0.0], [0])
    metrics, readings = protocol.neighbor_measures(Plain(1.0, 0.0), problem)
    assert metrics["nn_accuracy"] == 0.0
    # The first three are of class 1; of ten six are of class 0.
    assert [(r.at["neighbors"], r.metrics["knn_accuracy"]) for r in readings] == [
        *((1, 0.0), (3, 0.0), (5, 0.0), (10, 1.0))
    ]
    # In training: the first of the others, of class 1, for all.
    assert metrics["nn_accuracy_training"] == pytest.approx((n - 6) / n)


def test_ties_among_many_images():
    rng = np.random.default_rng(0)
    places, known, true = rng.integers(0, 3, 100), rng.integers(0, 3, 100), rng.integers(0, 3, 40)
    problem = on_a_line(places, known, rng.integers(0, 3, 40), true)
    metrics, readings = protocol.neighbor_measures(Plain(1.0, 0.0), problem)
    # Python's sort keeps the order of what is equal.
    nearest = [sorted(range(100), key=row.__getitem__) for row in problem.cross[0].tolist()]
    first = [known[order[0]] for order in nearest]
    assert metrics["nn_accuracy"] == np.mean(first == true)
    for reading in readings:
        votes = vote([order[: reading.at["neighbors"]] for order in nearest], known)
        assert reading.metrics["knn_accuracy"] == np.mean(votes == true)


class Found(Plain):
    """It finds the rows that it is told to."""

    def __init__(self, *rows: int) -> None:
        self.rows = np.array(rows)

    def exemplars(self, stack: np.ndarray) -> np.ndarray:
        assert len(stack) == 4
        return self.rows


def test_the_first_test_set_is_shown_in_the_two_clean_dimensions_that_tell_most():
    y = np.array([0, 0, 1, 1])
    telling_well = [0.0, 1.0, 8.0, 9.0]
    tells_less = [0.0, 400.0, 700.0, 1000.0]  # at a scale that must not matter
    columns = [y, [0.0, 9.0, 1.0, 8.0], tells_less, y, telling_well]  # noise that tells all by chance
    X = np.array(columns, dtype=float).T
    assert protocol.telling(X, y).tolist() == [0, 3, 4, 2, 1]
    names = given("noisy 1", "clean 2", "clean 3", "noisy 4", "clean 5")
    problem = ExemplarProblem([(X, y)], [(X, y), (-X, y)], names, points=True)
    shown = protocol.shown_set(Found(1, 3), problem, np.array([0, 0, 0, 1]))
    assert shown["dimensions"].tolist() == [4, 2]
    assert shown["points"].tolist() == X[:, [4, 2]].tolist()
    assert shown["true"].tolist() == [0, 0, 1, 1] and shown["found"].tolist() == [0, 0, 0, 1]
    assert shown["exemplars"].tolist() == [1, 3]
    assert {name: array.dtype for name, array in shown.items() if name != "points"} == dict.fromkeys(
        ("true", "found", "exemplars", "dimensions"), np.dtype(np.int32)
    )


def test_of_images_there_are_no_points_and_of_some_methods_no_exemplars():
    problem = on_a_line([0, 1], [0, 1], [0, 1], [0, 1])
    assert set(protocol.shown_set(Plain(1.0), problem, np.array([0, 1]))) == {"true", "found"}


def test_a_classifier_may_be_wrong():
    class Wrong:
        weights_, converged_ = np.array([1.0, 0.0]), True

        def fit(self, stack, labels):
            assert stack.shape == (2, 5, 5) and labels.tolist() == [0, 0, 1, 1, 1]

        def predict(self, stack):
            assert stack.shape == (2, 4, 5)  # from test to training images
            return np.array([0, 0, 0, 0])

    problem = on_a_line([0, 1, 3, 10, 12], [0, 0, 1, 1, 1], [0.4, 2, 4, 6.5], [0, 1, 1, 1])
    assert protocol.classified(Wrong(), problem).metrics["nn_accuracy"] == 0.25


@pytest.mark.parametrize("converged", [[True, True], [True, False], [False, False]])
def test_a_classifier_of_several_parts_has_converged_where_all_have(converged):
    class Parts:
        weights_, converged_ = np.array([1.0, 0.0]), np.array(converged)

        def fit(self, stack, labels):
            return self

        def predict(self, stack):
            return np.array([0, 1, 1, 1])

    problem = on_a_line([0, 1, 3, 10, 12], [0, 0, 1, 1, 1], [0.4, 2, 4, 6.5], [0, 1, 1, 1])
    assert protocol.classified(Parts(), problem).details == {"converged": all(converged)}
