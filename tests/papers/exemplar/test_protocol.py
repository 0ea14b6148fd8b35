"""The protocol of the exemplar paper: what a cell measures."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.bench.run.cell_io import Cell
from cladebench.classifiers.multiple_kernel_svm import MultipleKernelSVM
from cladebench.datasets import Content, Dataset, Part, View
from cladebench.datasets.content import content_sha256
from cladebench.distances import ExemplarMetric, FixedWeights, SVMCluster
from cladebench.metrics import f_scores, matched_scores
from cladebench.metrics.histogram_distances import KINDS
from cladebench.paper.catalogue import load_plan
from cladebench.papers.exemplar import protocol
from cladebench.papers.exemplar.problems import problem_of
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


def test_a_classifier_has_nothing_to_say_where_sets_share_no_classes():
    with pytest.raises(ValueError, match="training and test sets share no class"):
        protocol.PROTOCOL.run(cell("MKL", POINTS))


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
