"""Ask whether a split's objective wants whole classes at the root.

Labels are free, or of whole classes.

The same alternating descent is run twice: over balanced labels of samples, as HMMC does, and over balanced labels of
classes, where a class goes to one side as a whole. Then the first goes on from where the second ended, and from the
splits of spectral clustering, which are those of HSC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from cladebench.bench.run.cell_io import Cell, CellOutput
from cladebench.methods._greedy import Node
from cladebench.methods._max_margin import (
    LOOSE,
    ROUNDING,
    W_STEPS,
    Penalties,
    _descend,
    balance_bounds,
    first_labels,
)
from cladebench.methods.greedy_spectral import GreedySpectral
from cladebench.methods.spectral import FlatSpectral
from cladebench.metrics import rand_scores
from cladebench.paper.protocol import scaled
from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.margin import assignment_costs, fit_margin, squared_hinge

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Weight of the group penalty; the middle of the paper's grid.
ALPHA = 0.01
#: Starts of the descent over whole classes, of which the best counts.
STARTS = 10
SLACK, W_TOL, MAX_ITER = 0.1, 1e-4, 300
#: How far a spectral split is taken, by the end of the metrics' names.
Stage = Literal["as found", "balanced", "descended"]
STAGES: dict[str, Stage] = {"": "as found", "_balanced": "balanced", "_onward": "descended"}


@dataclass(frozen=True)
class WholeClasses:
    """The best split of whole classes that was found.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
    objective : float
    """

    labels: IntArray
    objective: float


def run_study(cell: Cell) -> CellOutput:
    """Split the root freely, by whole classes, and freely from those.

    Returns
    -------
    CellOutput
        Objectives at the end of each: ``objective_free``, ``objective_whole``, ``objective_onward``; and the purity of
        the two sides that are free, ``purity_free`` and ``purity_onward``: the share of samples that are on the side on
        which most of their class is. That of whole classes is 1. ``known_spectral``: how much of a sample's side its
        class tells, in the spectral split; ``known_spectral_balanced`` once its sides are balanced, and
        ``known_spectral_onward`` where the descent from there ends. It is 1 where classes are whole and 0 where class
        and side are independent, however large the sides are. ``ari_spectral``, ``ari_spectral_balanced`` and
        ``ari_spectral_onward``: ARI of the leaves of HSC-D's tree, and of the trees that grow as it does but take each
        split on to that stage.

    Raises
    ------
    ValueError
        If no split of whole classes is balanced.
    """
    X = cell.task.of(scaled(cell.data.X, "unit"))
    classes = np.unique(cell.task.of(cell.data.labels), return_inverse=True)[1].astype(np.int64)
    random = np.random.RandomState(cell.spec.seed)
    lower, upper = balance_bounds(len(X), 2, SLACK)
    penalties = group_penalties(X)

    def descend(labels: npt.NDArray[np.intp]) -> tuple[float, float]:
        descent = _descend(X, labels, 2, penalties, lower, upper, MAX_ITER, W_TOL)
        return descent.objective, purity(classes, descent.labels)

    free, purity_free = descend(first_labels(X, 2, lower, upper, random, "kmeans"))
    whole = min(
        (
            whole_descent(X, classes, start, penalties, lower, upper)
            for start in class_starts(X, classes, lower, upper, random)
        ),
        key=lambda found: found.objective,
    )
    onward, purity_onward = descend(whole.labels.astype(np.intp))
    seed = int(random.randint(np.iinfo(np.int32).max))
    spectral = FlatSpectral(2, random_state=seed).fit(X).labels_
    metrics = {
        f"known_spectral{suffix}": known(classes, taken_on(X, spectral, stage))
        for suffix, stage in STAGES.items()
    }
    for suffix, stage in STAGES.items():
        tree = SpectralTakenOn(grow="scattered", n_leaves=int(classes.max()) + 1, random_state=seed)
        tree.stage = stage
        found = rand_scores(classes, tree.fit(X).hierarchy_.leaf_of)
        assert found.corrected is not None
        metrics[f"ari_spectral{suffix}"] = found.corrected
    metrics |= {
        "objective_free": free,
        "objective_whole": whole.objective,
        "objective_onward": onward,
        "purity_free": purity_free,
        "purity_onward": purity_onward,
    }
    return CellOutput(metrics, details={"starts": STARTS, "alpha": ALPHA})


def group_penalties(X: FloatArray) -> Penalties:
    """Give those of HMMC at the root, for binary splits."""
    group = np.full(X.shape[1], ALPHA / (2 * X.shape[1]))
    return Penalties(group, np.zeros_like(group), np.zeros_like(group))


def taken_on(X: FloatArray, labels: npt.NDArray[np.integer], stage: Stage) -> npt.NDArray[np.integer]:
    """Balance the sides of a split, or descend from there too.

    `_descend` alone need not balance them: it keeps labels from which no balanced ones gain. So samples go to the means
    of the sides in balance first, as in HMMC's own start.
    """
    if stage == "as found":
        return labels
    lower, upper = balance_bounds(len(X), 2, SLACK)
    means = np.array([X[labels == side].mean(axis=0) for side in (0, 1)])
    squared = np.square(X[:, None, :] - means).sum(axis=2)
    balanced = balanced_assignment(squared, lower, upper)
    if stage == "balanced":
        return balanced
    return _descend(X, balanced, 2, group_penalties(X), lower, upper, MAX_ITER, W_TOL).labels


class SpectralTakenOn(GreedySpectral):
    """Spectral trees whose splits are taken on to a stage.

    They are as soon as a node is split, so that its children are split after that.
    """

    stage: Stage = "as found"

    def _cluster(self, node: Node) -> tuple[np.ndarray, None]:
        labels, _ = super()._cluster(node)
        return (taken_on(self._X[node.samples], labels, self.stage) if labels.any() else labels), None


def purity(classes: IntArray, labels: npt.NDArray[np.integer]) -> float:
    """Give the share of samples on their class's main side."""
    counts = np.zeros((int(classes.max()) + 1, int(labels.max()) + 1), dtype=np.int64)
    np.add.at(counts, (classes, labels), 1)
    return float(counts.max(axis=1).sum() / len(classes))


def known(classes: IntArray, labels: npt.NDArray[np.integer]) -> float:
    """Share of the entropy of the sides that the classes explain.

    1 where all samples are on one side.
    """
    from sklearn.metrics import homogeneity_score

    return min(1.0, float(homogeneity_score(labels, classes)))  # rounding


def class_starts(
    X: FloatArray, classes: IntArray, lower: int, upper: int, random: np.random.RandomState
) -> list[IntArray]:
    """List sides of classes to start from, by direction, then at random.

    The direction is the leading one of their means. Each is the balanced split that is nearest to the order: its sum of
    places is the least.
    """
    sizes = np.bincount(classes)
    means = np.array([X[classes == c].mean(axis=0) for c in range(len(sizes))])
    _, _, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    drawn = [random.permutation(len(sizes)).astype(np.float64) for _ in range(STARTS - 1)]
    places: list[FloatArray] = [means @ directions[0], *drawn]
    gains = [np.asarray(sizes * (place - np.mean(place)), dtype=np.float64) for place in places]
    return [balanced_classes(gain, sizes, lower, upper) for gain in gains]


def balanced_classes(gain: FloatArray, sizes: IntArray, lower: int, upper: int) -> IntArray:
    """Choose the cheapest side, 0 or 1, of each class within bounds.

    The total of what side 1 costs more is least, and the size of side 1 is within bounds.

    Parameters
    ----------
    gain : ndarray of shape (n_classes,)
        What a class costs more on side 1 than on side 0.
    sizes : ndarray of int64, shape (n_classes,)
    lower, upper : int
        Bounds on the samples of side 1; as they are symmetric, those of side 0 keep them too.

    Returns
    -------
    ndarray of int64, shape (n_classes,)

    Raises
    ------
    ValueError
        If no sizes of whole classes are within the bounds.

    Notes
    -----
    Exact, by dynamic programming over the size of side 1: O(n_classes upper).
    """
    least = np.full(upper + 1, np.inf)
    least[0] = 0.0
    taken = np.zeros((len(sizes), upper + 1), dtype=bool)
    for c, size in enumerate(sizes.tolist()):
        with_it = np.full(upper + 1, np.inf)
        if size <= upper:
            with_it[size:] = least[: upper + 1 - size] + gain[c]
        taken[c] = with_it < least
        least = np.minimum(least, with_it)
    room = lower + int(np.argmin(least[lower:]))
    if not np.isfinite(least[room]):
        raise ValueError(f"no whole classes have {lower} to {upper} samples together")
    sides = np.zeros(len(sizes), dtype=np.int64)
    for c in range(len(sizes) - 1, -1, -1):
        if taken[c, room]:
            sides[c] = 1
            room -= int(sizes[c])
    return sides


def whole_descent(
    X: FloatArray, classes: IntArray, sides: IntArray, penalties: Penalties, lower: int, upper: int
) -> WholeClasses:
    """Alternate models and sides of whole classes until the sides stand still."""
    sizes = np.bincount(classes)
    W = None
    for _ in range(MAX_ITER):
        labels = sides[classes]
        W = fit_margin(
            X,
            labels,
            2,
            group=penalties.group,
            l1=penalties.l1,
            ridge=penalties.ridge,
            W=W,
            tol=LOOSE * W_TOL,
            max_iter=W_STEPS,
        ).W
        costs = assignment_costs(X, W, check=False)
        gain = np.asarray(np.bincount(classes, costs[:, 1] - costs[:, 0]), dtype=np.float64)
        moved = balanced_classes(gain, sizes, lower, upper)
        total = float(costs[np.arange(len(X)), labels].sum())
        if float(gain @ (sides - moved)) <= ROUNDING * total:
            break
        sides = moved
    labels = sides[classes]
    W = fit_margin(
        X,
        labels,
        2,
        group=penalties.group,
        l1=penalties.l1,
        ridge=penalties.ridge,
        W=W,
        tol=W_TOL,
        max_iter=W_STEPS,
    ).W
    return WholeClasses(labels, squared_hinge(X, labels, W, check=False)[0] + penalties.value(W))
