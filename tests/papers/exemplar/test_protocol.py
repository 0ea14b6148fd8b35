"""The protocol of the exemplar paper: what a cell measures."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.bench.run.cell_io import Cell
from cladebench.classifiers.multiple_kernel_svm import MultipleKernelSVM
from cladebench.datasets import Content, Dataset, Part, View
from cladebench.datasets.content import content_sha256
from cladebench.distances import ExemplarMetric, FixedWeights, SVMCluster
from cladebench.metrics import f_scores, matched_scores, vote
from cladebench.metrics.histogram_distances import KINDS
from cladebench.paper.catalogue import load_plan
from cladebench.papers.exemplar import protocol
from cladebench.papers.exemplar.problems import ExemplarProblem, GivenDistance, problem_of
from task_draws import drawn_cell

PLAN = load_plan("exemplar")
VIEWS = ("gist", "hog", "rot-lbp")


def dataset(name: str, content: Content) -> Dataset:
    own = dict(name=name, kind="synthetic", stand_in_for=None, source="generated", files={}, draw=0)
    return Dataset(**vars(content), **own, content_sha256=content_sha256(content))


def images() -> Dataset:
    """Twenty-four images of three classes, that two of three features tell apart."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(24) % 3)
    centres = rng.random((3, 6))
    clear = [centres[labels] + 0.15 * rng.random((24, 6)) for _ in range(2)]
    values = dict(zip(VIEWS, [*clear, rng.random((24, 6))], strict=True))
    views = {name: View("features", own) for name, own in values.items()}
    return dataset("tiny-images", Content(labels=labels, label_names=("a", "b", "c"), views=views))


def points() -> Dataset:
    """Two training sets and two test sets of twenty points, of whose four dimensions the last two are noisy."""
    rng = np.random.default_rng(1)
    names = ("clean 1", "clean 2", "noisy 3", "noisy 4")

    def one_set() -> Content:
        y = rng.permutation(np.arange(20) % 3)
        # The clusters are wider apart in the second dimension than in the first.
        centres = np.array([[0.0, 0.0], [4.0, 9.0], [-4.0, 19.0]])
        X = np.hstack([centres[y] + rng.normal(size=(20, 2)), 8.0 * rng.normal(size=(20, 2))])
        return Content(X, y, feature_names=names)

    parts = {f"{role}-{i}": Part(role, one_set()) for role in ("train", "test") for i in (1, 2)}
    return dataset("tiny-points", Content(parts=parts))


IMAGES, POINTS = images(), points()


def cell(name: str, data: Dataset = IMAGES, rows: int = 24, **setting) -> Cell:
    how = {} if data.parts else {"rows": rows, "test": 0.5}
    return drawn_cell("exemplar", PLAN.methods[name], data, setting=setting, task=how)


def given(*features: str) -> tuple[GivenDistance, ...]:
    """Distances named "feature" or "feature/kind"."""
    parts = (name.partition("/") for name in features)
    return tuple(GivenDistance(feature, kind or "chi2") for feature, _, kind in parts)


# ---------------------------------------------------------------- clusters


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
    assert metrics["n_clusters"] == 2.5
    assert metrics["number_off"] == 0.5 and metrics["number_right"] == 0.5
    # Too few are as much off as too many, and do not make up for them.
    merged = protocol.clustering_measures(true, [np.array([0, 0, 0, 0]), found[1]])
    # Means, not medians: one of three sets is off.
    three = protocol.clustering_measures([true[0], *true], [found[0], *found])
    assert three["number_right"] == pytest.approx(2 / 3) and three["pair_f"] == pytest.approx(2.8 / 3)
    assert merged["number_off"] == 1.0 and merged["number_right"] == 0.0 and merged["n_clusters"] == 2.0


def test_clusters_may_have_any_numbers():
    true = np.array([0, 0, 2, 2, 2])  # a class that this set has none of
    metrics = protocol.clustering_measures([true], [np.array([7, 7, 3, 3, 3])])
    assert metrics["pair_f"] == metrics["matched_accuracy"] == metrics["number_right"] == 1.0
    assert metrics["n_clusters"] == 2.0 and metrics["number_off"] == 0.0


# ---------------------------------------------------------------- learning


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


# ---------------------------------------------------------------- weights


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


# ---------------------------------------------------------------- neighbours


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


# ---------------------------------------------------------------- what a drawing shows


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


# ---------------------------------------------------------------- classifiers


def test_a_classifier_is_asked_about_the_test_images():
    out = protocol.PROTOCOL.run(cell("MKL"))
    given_cell = cell("MKL")
    problem = problem_of(IMAGES, given_cell.task, "own", False)
    ((stack, labels),), ((_, true),) = problem.train, problem.test
    fitted = MultipleKernelSVM().fit(stack, labels)
    right = fitted.predict(problem.cross) == true
    assert out.metrics["nn_accuracy"] == right.mean() > 0.8
    assert set(out.metrics) == {"seconds", "nn_accuracy", "n_weighted", "n_features_weighted"}
    assert out.metrics["seconds"] > 0
    assert np.array_equal(out.arrays["weights"], fitted.weights_)
    assert out.arrays["features"].tolist() == list(VIEWS)
    assert out.arrays["kinds"].tolist() == ["squared_l2", "chi2", "l1"]
    assert out.details == {"converged": fitted.converged_}
    shares = [r.metrics["weight_share"] for r in out.readings]
    assert shares == pytest.approx(fitted.weights_ / fitted.weights_.sum())
    assert protocol.PROTOCOL.run(cell("MKL", max_iter=1, tol=1e-9)).details == {"converged": False}


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


def test_a_classifier_has_nothing_to_say_where_sets_share_no_classes():
    with pytest.raises(ValueError, match="training and test sets share no class"):
        protocol.PROTOCOL.run(cell("MKL", POINTS))


# ---------------------------------------------------------------- whole cells

FAST = {
    "Exemplar": {"max_iter": 40},
    "Exemplar-several": {"max_iter": 20},
    "Exemplar-noise": {"max_iter": 20},
    "SVM-cluster-greedy": {"C": 100.0, "max_iter": 30},
}


def estimator_of(name: str, points: bool):
    features = "squared_differences" if points else None
    if name == "Exemplar":
        return ExemplarMetric(features=features, max_iter=40, tol=0.0)
    if name == "Average":
        return FixedWeights(features=features)
    return SVMCluster(100.0, features=features, method="greedy", max_iter=30)


@pytest.mark.parametrize("name", ["Exemplar", "Average", "SVM-cluster-greedy"])
def test_cells_of_images(name):
    given_cell = cell(name, **FAST.get(name, {}))
    out = protocol.PROTOCOL.run(given_cell)
    problem = problem_of(IMAGES, given_cell.task, "own", False)
    ((stack, labels),), ((test, true),) = problem.train, problem.test
    fitted = estimator_of(name, False).set_params(random_state=given_cell.spec.seed).fit([stack], [labels])
    found = fitted.predict(test)
    assert out.arrays["found"].tolist() == found.tolist() and out.arrays["true"].tolist() == true.tolist()
    assert out.metrics["pair_f"] == f_scores(true, found).value
    assert out.metrics["matched_accuracy"] == matched_scores(true, found).value
    assert out.metrics["n_clusters"] == len(set(found)) and out.metrics["seconds"] > 0
    nearest = fitted.pairwise(problem.cross).argmin(axis=1)
    assert out.metrics["nn_accuracy"] == (labels[nearest] == true).mean() > 0.8
    scaled = fitted.weights_ * fitted.scales_
    assert out.arrays["weights"] == pytest.approx(scaled / np.abs(scaled).max())
    assert out.arrays["features"].tolist() == list(VIEWS)
    assert out.arrays["kinds"].tolist() == ["squared_l2", "chi2", "l1"]
    task = given_cell.task
    assert out.arrays["rows"].tolist() == task.rows[task.test].tolist()
    assert IMAGES.labels[out.arrays["rows"]].tolist() == out.arrays["true"].tolist()
    shares = [r.metrics["weight_share"] for r in out.readings if "feature" in r.at]
    assert shares == pytest.approx(np.abs(scaled) / np.abs(scaled).sum()) and sum(shares) == pytest.approx(1)
    assert [r.at["neighbors"] for r in out.readings if "neighbors" in r.at] == [1, 3, 5, 10]
    assert not {"points", "dimensions"} & set(out.arrays)
    assert ("exemplars" in out.arrays) == ("price" in out.metrics) == (name != "SVM-cluster-greedy")
    if name != "SVM-cluster-greedy":
        assert out.arrays["exemplars"].tolist() == fitted.exemplars(test).tolist()
        of_exemplar = [true[fitted.exemplars(test)[cluster]] for cluster in found]
        assert out.metrics["exemplar_purity"] == np.mean(np.array(of_exemplar) == true)
        assert out.metrics["price"] == fitted.price_
    learns = name != "Average"
    assert ("rounds_to_90" in out.metrics) == ("objective_path" in out.arrays) == learns
    assert out.details == ({"converged": fitted.converged_} if learns else {})
    if learns:
        assert out.arrays["objective_path"].tolist() == fitted.objective_path_.tolist()
        assert out.metrics["n_iterations"] == fitted.n_iter_


@pytest.mark.parametrize("name", ["Exemplar", "Average", "SVM-cluster-greedy"])
def test_cells_of_points(name):
    given_cell = cell(name, POINTS, **FAST.get(name, {}))
    out = protocol.PROTOCOL.run(given_cell)
    sets = {role: [p.content for p in POINTS.parts.values() if p.role == role] for role in ("train", "test")}
    fitted = estimator_of(name, True).set_params(random_state=given_cell.spec.seed)
    fitted.fit([own.X for own in sets["train"]], [own.labels for own in sets["train"]])
    found = [fitted.predict(own.X) for own in sets["test"]]
    values = [f_scores(own.labels, labels).value for own, labels in zip(sets["test"], found, strict=True)]
    assert out.metrics["pair_f"] == pytest.approx(np.mean(values))
    assert out.metrics["n_clusters"] == np.mean([len(set(labels)) for labels in found])
    assert out.arrays["found"].tolist() == found[0].tolist()
    size, scaled = np.abs(fitted.weights_), np.abs(fitted.weights_ * fitted.scales_)
    assert out.metrics["noise_share"] == pytest.approx(scaled[2:].sum() / scaled.sum())
    assert out.metrics["noise_share_given"] == pytest.approx(size[2:].sum() / size.sum())
    assert out.metrics["noise_largest_given"] == pytest.approx(size[2:].max() / size.max())
    assert out.metrics["noise_share_given"] < out.metrics["noise_share"]
    assert out.arrays["dimensions"].tolist() == [1, 0]
    assert out.arrays["points"].tolist() == sets["test"][0].X[:, [1, 0]].tolist()
    assert not {"nn_accuracy", "nn_accuracy_training"} & set(out.metrics) and list(out.readings) == []
    assert "rows" not in out.arrays


def test_the_width_of_the_kernel_is_asked_for_by_the_method():
    names = ("Average-several", "Average-several-narrow-kernel", "Average-several-wide-kernel")
    prices = {protocol.PROTOCOL.run(cell(name)).metrics["price"] for name in names}
    assert len(prices) == 3


def test_of_rows_that_are_drawn_the_rows_of_the_data_are_stored():
    given_cell = cell("Average", rows=15)
    out = protocol.PROTOCOL.run(given_cell)
    test = given_cell.task.rows[given_cell.task.test]
    assert out.arrays["rows"].tolist() == test.tolist() != given_cell.task.test.tolist()
    assert out.arrays["true"].tolist() == IMAGES.labels[test].tolist()
    assert len(out.arrays["found"]) == len(test) == 7


def test_four_distances_and_noise_are_asked_for_by_the_method():
    several = protocol.PROTOCOL.run(cell("Exemplar-several", **FAST["Exemplar-several"]))
    assert several.arrays["kinds"].tolist() == list(KINDS) * 3
    assert several.arrays["features"].tolist() == [name for name in VIEWS for _ in KINDS]
    shares = [r.metrics["pair_weight_share"] for r in several.readings if "kind" in r.at]
    assert len(shares) == 12 and sum(shares) == pytest.approx(1.0)
    assert "noise_share" not in several.metrics
    noisy = protocol.PROTOCOL.run(cell("Exemplar-noise", **FAST["Exemplar-noise"]))
    assert noisy.arrays["features"].tolist() == [*VIEWS, "noise 1", "noise 2", "noise 3"]
    w = noisy.arrays["weights"]
    assert noisy.metrics["noise_share"] == pytest.approx(w[3:].sum() / w.sum())
    assert 0.0 < noisy.metrics["noise_share_given"] < 1.0
    assert noisy.metrics["noise_share_given"] != noisy.metrics["noise_share"]
    shares = [r.metrics["weight_share"] for r in noisy.readings if "feature" in r.at]
    assert len(shares) == 3 and sum(shares) == pytest.approx(1.0 - noisy.metrics["noise_share"])


@pytest.mark.parametrize("data", [IMAGES, POINTS], ids=lambda data: data.name)
def test_the_oracle_knows_the_clusters(data):
    out = protocol.PROTOCOL.run(cell("Oracle", data))
    assert out.metrics["pair_f"] == out.metrics["matched_accuracy"] == out.metrics["number_right"] == 1.0
    assert out.metrics.get("nn_accuracy", 1.0) == 1.0 and ("nn_accuracy" in out.metrics) == (data is IMAGES)
    assert out.arrays["features"].tolist() == ["classes"]
    assert "points" not in out.arrays and "noise_share" not in out.metrics


def test_weights_are_shown_of_distances_of_mean_1_however_they_were_scaled():
    out = protocol.PROTOCOL.run(cell("Exemplar-unscaled", POINTS, max_iter=20))
    sets = [POINTS.parts[f"train-{i}"].content for i in (1, 2)]
    pair = ~np.eye(20, dtype=bool)
    means = np.mean([np.square(own.X[:, None] - own.X)[pair].mean(axis=0) for own in sets], axis=0)
    fitted = ExemplarMetric(features="squared_differences", scaling="common", max_iter=20, tol=0.0)
    fitted.fit([own.X for own in sets], [own.labels for own in sets])
    scaled = fitted.weights_ * means
    assert out.arrays["weights"] == pytest.approx(scaled / scaled.max())
    assert out.metrics["noise_share"] == pytest.approx(scaled[2:].sum() / scaled.sum())


class Writing(FixedWeights):
    """A method of a user, which uses what it is given as its own."""

    def _given(self, name, stack):
        checked = super()._given(name, np.array(stack))
        np.asarray(stack)[:] = 0.0
        return checked


@pytest.mark.parametrize(("data", "features"), [(IMAGES, None), (POINTS, "squared_differences")])
def test_a_method_that_writes_into_what_it_is_given_is_measured_the_same(data, features):
    right, found = (
        protocol.PROTOCOL.run(
            replace(cell("Average", data), method=MethodPlan("M", name, {"features": features}))
        )
        for name in ("FixedWeights", f"{__name__}.Writing")
    )
    assert {**found.metrics, "seconds": 0} == {**right.metrics, "seconds": 0}
    for name, values in right.arrays.items():
        np.testing.assert_array_equal(found.arrays[name], values)


def test_random_weights_are_of_the_cell_s_seed():
    out = protocol.PROTOCOL.run(cell("Random", POINTS))
    drawn = FixedWeights(
        features="squared_differences", weights="random", random_state=cell("Random", POINTS).spec.seed
    ).fit(*([getattr(POINTS.parts[f"train-{i}"].content, part) for i in (1, 2)] for part in ("X", "labels")))
    scaled = drawn.weights_ * drawn.scales_
    assert out.arrays["weights"] == pytest.approx(scaled / scaled.max())


def test_all_that_is_measured_has_a_meaning():
    names = {}
    for out in (
        protocol.PROTOCOL.run(cell("Exemplar", POINTS, max_iter=5)),
        protocol.PROTOCOL.run(cell("Exemplar-several", max_iter=5)),
        protocol.PROTOCOL.run(cell("Exemplar-noise", max_iter=5)),
        protocol.PROTOCOL.run(cell("MKL")),
    ):
        for metrics in (out.metrics, *(reading.metrics for reading in out.readings)):
            names |= metrics
            assert all(np.isfinite(value) and isinstance(value, float) for value in metrics.values())
    assert set(names) <= set(PLAN.measures)
    assert all(array.dtype != object for array in out.arrays.values())
