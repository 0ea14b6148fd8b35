"""Give what a cell learns from: sets of points or images.

They come as given distances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench.bench.plan.task import Task
from cladebench.datasets import Dataset
from cladebench.metrics.histogram_distances import KINDS, HistogramDistance, histogram_distances
from cladebench.validation import check_choice

FloatArray = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]

#: "For all of them we use the chi-squared distance, except for gist (squared euclidean distance) and rot-LBP (l1)".
OWN_KINDS: Mapping[str, HistogramDistance] = {"gist": "squared_l2", "rot-lbp": "l1"}
NOISE = "noise"
#: Numbers in a random vector, which the paper does not say.
NOISE_LENGTH = 100


@dataclass(frozen=True)
class GivenDistance:
    """Name the feature and kind of one distance of a stack."""

    feature: str
    kind: str

    @property
    def noisy(self) -> bool:
        """Whether it is known to tell nothing of the clusters, or little."""
        return self.feature.startswith((NOISE, "noisy"))


@dataclass(frozen=True, eq=False)
class ExemplarProblem:
    """Hold training and test sets, and distances from test to training images.

    Attributes
    ----------
    train, test : list of (given, labels)
        What `fit` and `predict` take of each set, and its true clusters.
    distances : tuple of GivenDistance
    cross : ndarray of shape (n_distances, n_test, n_train) or None
        From test to training images; None where each set has clusters of its own.
    points : bool
        Whether sets are given as points, whose distances are the squared differences in each dimension.
    """

    train: list[tuple[FloatArray, IntArray]]
    test: list[tuple[FloatArray, IntArray]]
    distances: tuple[GivenDistance, ...]
    cross: FloatArray | None = None
    points: bool = False


#: Features that "suffice for comparing texture images".
DENSE = ("dense-hog", "dense-sift")


def problem_of(
    data: Dataset, task: Task, kinds: str, noise_features: bool, kernel_width: float = 1.0
) -> ExemplarProblem:
    """Make the problem of a cell.

    Parameters
    ----------
    data : Dataset
        With parts of points; or images with views of features.
    task : Task
        Which images are for training.
    kinds : {"own", "all", "clean", "dense", "classes"}
        Of images: the one distance that the paper takes for each feature, or all four. "clean" is for a control that
        knows which dimensions or features are noisy: the distances are those of "own" without them. "dense" are those
        of `DENSE` alone, which suffice for textures, as the paper says (Section 6). "classes" is for the oracle: one
        distance, 0 within the true clusters and 1 between them.
    noise_features : bool
        Of images: whether as many features more are added, a random normal vector for each image ("randomly sampling
        vectors from a Gaussian distribution"). They are the same for all methods of a task.
    kernel_width : float, default=1.0
        Of images: width of the RBF kernel, in mean squared distances of the training pairs.
    """
    check_choice("kinds", kinds, ("own", "all", "clean", "dense", "classes"))
    problem = _of_points(data) if data.parts else _of_images(data, task, kinds, noise_features, kernel_width)
    if kinds == "clean":
        return _kept(problem, [not distance.noisy for distance in problem.distances])
    if kinds == "dense":
        return _kept(problem, [distance.feature in DENSE for distance in problem.distances])
    return _told(problem) if kinds == "classes" else problem


def _kept(problem: ExemplarProblem, which: list[bool]) -> ExemplarProblem:
    kept = np.flatnonzero(which)
    axis = 1 if problem.points else 0
    return ExemplarProblem(
        [(given.take(kept, axis), classes) for given, classes in problem.train],
        [(given.take(kept, axis), classes) for given, classes in problem.test],
        tuple(problem.distances[i] for i in kept),
        None if problem.cross is None else problem.cross[kept],
        problem.points,
    )


def _told(problem: ExemplarProblem) -> ExemplarProblem:
    def apart(one: IntArray, other: IntArray) -> FloatArray:
        return (one[:, None] != other)[None].astype(np.float32)

    ((_, known), *_), ((_, true), *_) = problem.train, problem.test
    return ExemplarProblem(
        [(apart(classes, classes), classes) for _, classes in problem.train],
        [(apart(classes, classes), classes) for _, classes in problem.test],
        (GivenDistance("classes", "told"),),
        None if problem.cross is None else apart(true, known),
    )


def _of_points(data: Dataset) -> ExemplarProblem:
    sets: dict[str, list[tuple[FloatArray, IntArray]]] = {"train": [], "test": []}
    for part in data.parts.values():
        assert part.content.labels is not None
        sets[part.role].append((part.content.X, part.content.labels))
    names = next(iter(data.parts.values())).content.feature_names
    assert names is not None
    distances = tuple(GivenDistance(name, "squared_l2") for name in names)
    return ExemplarProblem(sets["train"], sets["test"], distances, points=True)


def _of_images(
    data: Dataset, task: Task, kinds: str, noise_features: bool, kernel_width: float
) -> ExemplarProblem:
    train, test = task.rows[task.train], task.rows[task.test]
    distances: list[GivenDistance] = []
    tables: list[FloatArray] = []
    for name, view in data.views.items():
        for kind in KINDS if kinds == "all" else (OWN_KINDS.get(name, "chi2"),):
            distances.append(GivenDistance(name, kind))
            tables.append(_table(_Values(data.content_sha256, name, view.values), kind, train, kernel_width))
    if noise_features:
        rng = np.random.default_rng(int(task.digest, 16))
        for i in range(len(data.views)):
            values = rng.standard_normal((data.n_samples, NOISE_LENGTH))
            distances.append(GivenDistance(f"{NOISE} {i + 1}", "squared_l2"))
            tables.append(histogram_distances(values, kind="squared_l2"))

    def stack(rows: IntArray, columns: IntArray) -> FloatArray:
        return np.stack([table[np.ix_(rows, columns)].astype(np.float32) for table in tables])

    assert data.labels is not None
    return ExemplarProblem(
        [(stack(train, train), data.labels[train])],
        [(stack(test, test), data.labels[test])],
        tuple(distances),
        stack(test, train),
    )


@dataclass(frozen=True)
class _Values:
    """The values of a view, by the digest of its data."""

    data: str
    view: str
    values: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Values) and (self.data, self.view) == (other.data, other.view)

    def __hash__(self) -> int:
        return hash((self.data, self.view))


def _table(values: _Values, kind: HistogramDistance, train: IntArray, kernel_width: float) -> FloatArray:
    """Distances between all images.

    The kernel's width is so many mean squared distances of the training pairs.
    """
    if kind != "rbf":
        return _fixed_table(values, kind)
    squares = _fixed_table(values, "squared_l2").astype(np.float64)
    among = squares[np.ix_(train, train)]
    width = kernel_width * float(among.sum() / max(1, len(train) * (len(train) - 1)))
    return np.sqrt(-2.0 * np.expm1(-squares / width)) if width > 0 else np.sqrt(2.0) * (squares > 0)


@lru_cache(maxsize=3 * 8 * 2)
def _fixed_table(values: _Values, kind: HistogramDistance) -> FloatArray:
    """Keep distances without splits for this process, in single precision.

    Stacks are in single precision too.
    """
    return histogram_distances(values.values, kind=kind).astype(np.float32)
