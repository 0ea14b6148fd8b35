"""What one cell of the exemplar paper computes.

Weights of given distances, and what is found by them.

Section 6 of the paper. A repetition is a draw of ten training and ten test sets of points, or a split of images into
halves, of which one is a training set, and the other the test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix

from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.distances.base import StackDistance
from cladebench.estimators import lend
from cladebench.metrics import f_scores, matched_scores, vote
from cladebench.paper.protocol import Protocol, scored, timed_fit
from cladebench.papers.exemplar.problems import ExemplarProblem, GivenDistance, problem_of

FloatArray = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]

NEIGHBORS = (1, 3, 5, 10)
#: A fall of the objective counts as done when so much of it is left.
REMAINING = (0.1, 0.01)
#: A weight counts as suppressed below so much of the largest one, each of a distance of mean 1.
SUPPRESSED = 0.01


class ExemplarProtocol(Protocol):
    """Learn weights from training sets, cluster and classify test sets (section 6).

    Test images are classified by their neighbours.
    """

    own: ClassVar[Mapping[str, Any]] = {
        "kinds": "own",  # of images: one distance for each feature, or "all" four; "clean", "classes" for controls
        "noise_features": False,  # whether as many random features are added
        "kernel_width": 1.0,  # of the RBF kernel, where all four are taken: so many times the mean squared distance
    }
    task_keys: ClassVar[tuple[str, ...]] = ("rows", "share", "test")

    def measure(self, cell: Cell) -> CellOutput:
        """Fit, cluster test sets, and classify by neighbours where clusters are shared."""
        own = self.own_parameters(cell)
        problem = problem_of(
            cell.data, cell.task, own["kinds"], bool(own["noise_features"]), float(own["kernel_width"])
        )
        estimator = self.build(cell, features="squared_differences" if problem.points else None)
        if not isinstance(estimator, StackDistance):
            return classified(estimator, problem)
        stacks, labels = zip(*problem.train, strict=True)
        metrics = {"seconds": timed_fit(estimator, list(stacks), list(labels))}
        predicted = [estimator.predict(lend(estimator, given)) for given, _ in problem.test]
        metrics |= clustering_measures([true for _, true in problem.test], predicted)
        metrics |= learning_measures(estimator)
        shown = shown_set(estimator, problem, predicted[0])
        if "exemplars" in shown and not problem.points:
            true = problem.test[0][1]
            metrics["exemplar_purity"] = float((true[shown["exemplars"][predicted[0]]] == true).mean())
        weights = scaled_weights(estimator)
        metrics |= weight_measures(weights, problem.distances)
        metrics |= noise_measures(np.abs(estimator.weights_), problem.distances, "_given")
        readings = weight_readings(weights, problem.distances)
        arrays = {"weights": weights, "features": np.array([own.feature for own in problem.distances])}
        arrays["kinds"] = np.array([own.kind for own in problem.distances])
        if problem.cross is not None:
            of_neighbors, more = neighbor_measures(estimator, problem)
            metrics |= of_neighbors
            readings += more
        arrays |= shown
        if not cell.data.parts:
            arrays["rows"] = cell.task.rows[cell.task.test].astype(np.int32)
        if hasattr(estimator, "objective_path_"):
            arrays["objective_path"] = estimator.objective_path_
        details = {"converged": bool(estimator.converged_)} if hasattr(estimator, "converged_") else {}
        return CellOutput(metrics, readings, arrays, details)


def classified(estimator: Any, problem: ExemplarProblem) -> CellOutput:
    """Fit a classifier of stacks; give its accuracy.

    The share of test images whose class is right.
    """
    if problem.cross is None:
        raise ValueError(
            "training and test sets share no class; expected test objects that a classifier can know"
        )
    ((given, labels),) = problem.train
    seconds = timed_fit(estimator, given, labels)
    right = np.asarray(estimator.predict(lend(estimator, problem.cross))) == problem.test[0][1]
    weights = np.asarray(estimator.weights_)
    return CellOutput(
        {"seconds": seconds, "nn_accuracy": float(right.mean())}
        | weight_measures(weights, problem.distances),
        weight_readings(weights, problem.distances),
        {
            "weights": weights,
            "features": np.array([distance.feature for distance in problem.distances]),
            "kinds": np.array([distance.kind for distance in problem.distances]),
        },
        {"converged": bool(np.all(estimator.converged_))},
    )


def clustering_measures(true: Sequence[IntArray], predicted: Sequence[IntArray]) -> dict[str, float]:
    """Give means over the test sets.

    Agreement with the true clusters, and how many clusters there are.
    """
    each = [
        {
            **scored(pair_f=f_scores(classes, labels), matched_accuracy=matched_scores(classes, labels)),
            "class_f": class_f(classes, labels),
            "ari": float(adjusted_rand_score(classes, labels)),
            **pair_accuracies(classes, labels),
            "n_clusters": float(len(np.unique(labels))),
            "number_off": float(abs(len(np.unique(labels)) - len(np.unique(classes)))),
            "number_right": float(len(np.unique(labels)) == len(np.unique(classes))),
        }
        for classes, labels in zip(true, predicted, strict=True)
    ]
    return {name: float(np.mean([metrics[name] for metrics in each])) for name in each[0]}


def pair_accuracies(true: IntArray, clusters: IntArray) -> dict[str, float]:
    """Give the share of pairs that are rightly together or apart.

    Beside it the mean of the shares among pairs of one class and among pairs of two.
    """
    # A row each for pairs of two classes and of one, a column each for pairs apart and together.
    pairs = pair_confusion_matrix(true, clusters)
    right, all_ = np.diag(pairs), pairs.sum(axis=1)
    return {
        "pair_accuracy": float(right.sum() / all_.sum()),
        "pair_accuracy_balanced": float(np.mean(right[all_ > 0] / all_[all_ > 0])),
    }


def class_f(true: IntArray, clusters: IntArray) -> float:
    """Average the F of classes with their best-fitting clusters."""
    together = contingency_matrix(true, clusters)
    sizes = together.sum(axis=1, keepdims=True) + together.sum(axis=0)
    return float((2.0 * together / sizes).max(axis=1).mean())


def learning_measures(estimator: Any) -> dict[str, float]:
    """Give learning's gap, and rounds until most of the objective's fall.

    The fall ends at the objective that planes reach, where they were asked for, else at that of the rounds. A fall that
    no round reaches counts as all rounds.
    """
    metrics: dict[str, float] = {}
    if hasattr(estimator, "price_"):
        metrics["price"] = float(estimator.price_)
    path = np.asarray(getattr(estimator, "objective_path_", ()))
    if not len(path):
        return metrics
    lowest = np.minimum.accumulate(path)
    planes = getattr(estimator, "gap", None) is not None
    end = estimator.objective_ if planes else float(lowest[-1])
    metrics |= {
        "n_iterations": float(len(path)),
        "converged": float(estimator.converged_),
        "objective": end,
        "objective_share": float(end / path[0]) if path[0] > 0 else 1.0,
    }
    if planes:
        metrics |= {"gap": estimator.gap_, "n_planes": float(estimator.n_planes_)}
        metrics["rounds_left"] = float(lowest[-1] / end - 1.0) if end > 0 else 0.0
    for remaining in REMAINING:
        done = lowest <= end + remaining * (path[0] - end)
        reached = float(np.argmax(done)) if done.any() else float(len(path))
        metrics[f"rounds_to_{round(100 * (1 - remaining))}"] = reached
    return metrics


def scaled_weights(estimator: Any) -> npt.NDArray[np.float64]:
    """Give weights of distances scaled to mean 1, largest size 1.

    The mean is that of the training sets.
    """
    means = getattr(estimator, "means_", estimator.scales_)
    weights: npt.NDArray[np.float64] = estimator.weights_ * means
    largest = float(np.abs(weights).max())
    return weights / largest if largest > 0 else weights


def weight_measures(weights: FloatArray, distances: Sequence[GivenDistance]) -> dict[str, float]:
    """Count distances and features with weight, and noise.

    How much weight those have that are known to be noise.
    """
    size = np.abs(weights)
    of_feature: dict[str, float] = {}
    for w, distance in zip(size.tolist(), distances, strict=True):
        of_feature[distance.feature] = of_feature.get(distance.feature, 0.0) + w
    metrics = {
        "n_weighted": float((size > SUPPRESSED * size.max()).sum()),
        "n_features_weighted": float(
            sum(w > SUPPRESSED * max(of_feature.values()) for w in of_feature.values())
        ),
    }
    return metrics | noise_measures(size, distances)


def noise_measures(
    size: FloatArray, distances: Sequence[GivenDistance], suffix: str = ""
) -> dict[str, float]:
    """Give how much weight noise has.

    Nothing where there is none, or no weight at all.
    """
    noisy = np.array([distance.noisy for distance in distances])
    largest = float(size.max())
    if not noisy.any() or largest == 0:
        return {}
    return {
        f"noise_share{suffix}": float(size[noisy].sum() / size.sum()),
        f"noise_suppressed{suffix}": float((size[noisy] <= SUPPRESSED * largest).mean()),
        f"noise_largest{suffix}": float(size[noisy].max() / largest),
    }


def weight_readings(weights: FloatArray, distances: Sequence[GivenDistance]) -> list[Reading]:
    """Give each feature's and kind's share of the weights, if any.

    Dimensions of points have none.
    """
    total = float(np.abs(weights).sum())
    if total == 0 or distances[0].feature.startswith(("clean", "noisy", "classes")):
        return []

    def share(part: str, name: str) -> float:
        mine = [
            abs(float(w))
            for w, distance in zip(weights, distances, strict=True)
            if getattr(distance, part) == name
        ]
        return sum(mine) / total

    features = dict.fromkeys(distance.feature for distance in distances if not distance.noisy)
    kinds = dict.fromkeys(distance.kind for distance in distances)
    readings = [Reading({"weight_share": share("feature", name)}, {"feature": name}) for name in features]
    if len(kinds) == 4:
        readings += [
            Reading(
                {"pair_weight_share": abs(float(w)) / total},
                {"feature": distance.feature, "kind": distance.kind},
            )
            for w, distance in zip(weights, distances, strict=True)
            if not distance.noisy
        ]
    return readings


def neighbor_measures(
    estimator: StackDistance, problem: ExemplarProblem
) -> tuple[dict[str, float], list[Reading]]:
    """Give the accuracy of nearest training images, also by leaving one out."""
    assert problem.cross is not None
    (given, known), (_, true) = problem.train[0], problem.test[0]
    among = estimator.pairwise(lend(estimator, given))
    np.fill_diagonal(among, np.inf)
    same_class = known[among.argmin(axis=1)] == known
    order = np.argsort(estimator.pairwise(lend(estimator, problem.cross)), axis=1, kind="stable")
    readings = [
        Reading({"knn_accuracy": float((vote(order[:, :k], known) == true).mean())}, {"neighbors": k})
        for k in NEIGHBORS
        if k <= len(known)
    ]
    metrics = {
        "nn_accuracy": float((known[order[:, 0]] == true).mean()),
        "nn_accuracy_training": float(same_class.mean()),
    }
    return metrics, readings


def shown_set(estimator: Any, problem: ExemplarProblem, clusters: IntArray) -> dict[str, np.ndarray]:
    """Give the first test set's clusters, exemplars and points to draw.

    The points have two dimensions.
    """
    given, true = problem.test[0]
    arrays: dict[str, np.ndarray] = {"true": true.astype(np.int32), "found": clusters.astype(np.int32)}
    if hasattr(estimator, "exemplars"):
        arrays["exemplars"] = estimator.exemplars(lend(estimator, given)).astype(np.int32)
    if problem.points:
        clean = np.flatnonzero([not distance.noisy for distance in problem.distances])
        arrays["dimensions"] = shown = clean[telling(given[:, clean], true)[:2]].astype(np.int32)
        arrays["points"] = given[:, shown]
    return arrays


def telling(X: FloatArray, labels: IntArray) -> IntArray:
    """Order dimensions by their variance's share between clusters, the largest first."""
    means = np.stack([X[labels == c].mean(axis=0) for c in np.unique(labels)])
    return np.argsort(-means.var(axis=0) / X.var(axis=0), kind="stable")


PROTOCOL = ExemplarProtocol()
