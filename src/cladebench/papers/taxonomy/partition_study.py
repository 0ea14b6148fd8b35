"""Is one partition best for both structures (section 3.3)?

The best structure and Y = I. Small sets are enumerated.

The paper infers it from the relaxed problems, whose solutions span one subspace. With two clusters it is true of
partitions, as all centred structures of two clusters are multiples of one; with more nothing says so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from cladebench.bench.cell_io import Cell, CellOutput, Reading
from cladebench.methods import NumericalTaxonomy
from cladebench.methods._kernel import start_labels
from cladebench.papers.taxonomy.protocol import features_of, gram_of
from cladebench.solvers.dependence import greedy_partition, optimal_structure
from cladebench.solvers.gram import CenteredGram

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Points of a set, sets that are drawn, and numbers of clusters; a cell's parameters of these names replace them.
POINTS, SETS, CLUSTERS = 9, 20, (2, 3, 4)
#: Most labellings that are gone through.
LARGEST = 10**6
#: How long the columns of a partition are: as in (1), of 0 and 1; of unit length; of unit length once they are centred,
#: as the relaxation of section 3.1 has them.
COLUMNS = ("binary", "unit", "centred")
#: Values that differ by less, relative to the largest, are equal but for rounding.
TIE = 1e-10
#: Eigenvalues below this share of the largest are 0.
CUT_OFF = 1e-10


class BestPartitions(NamedTuple):
    """The best partitions of a small set.

    Attributes
    ----------
    star : ndarray of int64, shape (n,)
        Largest (1) with Y = I, clusters numbered by their first points.
    unconstrained : ndarray of int64, shape (n,)
        Largest (1) with the best Y for each partition.
    star_value : float
        (1) of `star` with Y = I.
    unconstrained_value : float
        (1) of `unconstrained` with its best Y.
    star_with_best : float
        (1) of `star` with its best Y.
    """

    star: IntArray
    unconstrained: IntArray
    star_value: float
    unconstrained_value: float
    star_with_best: float

    @property
    def agree(self) -> bool:
        """Whether one partition is the best for both."""
        return bool(np.array_equal(self.star, self.unconstrained))

    @property
    def loss(self) -> float:
        """Give the relative loss of (1) with Y = I's partition.

        With the best Y where that partition is taken.
        """
        return _shortfall(self.star_with_best, self.unconstrained_value)


def run_study(cell: Cell) -> CellOutput:
    """Enumerate the partitions of small sets of the cell's rows.

    The kernel of each set is that of NTC with its defaults: Gaussian, of the median squared distance in the set. The
    cell's parameters may say ``points``, ``sets``, ``clusters``, ``features`` and ``columns``, one of `COLUMNS`.

    Returns
    -------
    CellOutput
        At each number of clusters ``k``: ``same_partition``, the share of sets in which one partition is the best for
        Y = I and for the best Y; ``partition_ari``, the mean adjusted Rand index of the two; ``partition_loss``, the
        mean of what the partition for Y = I loses of (1) with the best Y, relative; ``structure_apart``, the largest
        difference of (8) by a pseudo-inverse and (9), centred and scaled, relative to the largest entry;
        ``optimum_falls``, the largest fall of the best value of (1) with the best Y from one cluster less, relative;
        ``sweeps_optimal``, the share of sets in which greedy sweeps with Y = I from the spectral start reach the
        enumerated optimum of (1), and ``sweeps_loss``, the mean of what they leave, relative. The sweeps are of columns
        of 0 and 1, and are left out with others.

    Raises
    ------
    ValueError
        If there are fewer rows than points, too many partitions, or columns of another kind.
    """
    given = cell.parameters
    columns = str(given.get("columns", "binary"))
    n, n_sets = int(given.get("points", POINTS)), int(given.get("sets", SETS))
    X = cell.task.of(features_of(cell.data, given.get("features", "raw")))
    if X.shape[0] < n:
        raise ValueError(f"points={n}: expected at most {X.shape[0]}, the number of rows")
    readings = []
    for k in given.get("clusters", CLUSTERS):
        # The same sets for each number of clusters.
        rng = np.random.default_rng([cell.spec.seed, n])
        found = [
            of_set(X[np.sort(rng.permutation(X.shape[0])[:n])], int(k), s, columns) for s in range(n_sets)
        ]
        metrics = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
        for name in ("structure_apart", "optimum_falls"):
            metrics[name] = max(one[name] for one in found)
        readings.append(Reading(metrics, {"k": int(k)}))
    return CellOutput(readings=readings, details={"points": n, "sets": n_sets})


def of_set(X: Any, n_clusters: int, seed: int, columns: str = "binary") -> dict[str, float]:
    """Measure one set.

    What `run_study` takes means of; ``seed`` is that of k-means.
    """
    gram = gram_of(NumericalTaxonomy(n_clusters), X, seed)
    best = best_partitions(gram, n_clusters, columns)
    before = best_partitions(gram, n_clusters - 1).unconstrained_value if n_clusters > 2 else 0.0
    found = {
        "optimum_falls": _shortfall(best.unconstrained_value, before),
        "same_partition": float(best.agree),
        "partition_ari": float(adjusted_rand_score(best.star, best.unconstrained)),
        "partition_loss": best.loss,
        "structure_apart": structure_apart(gram, best.unconstrained, n_clusters),
    }
    if columns == "binary":
        start = start_labels(gram, n_clusters, "spectral", np.random.RandomState(seed))
        swept = float(greedy_partition(gram, np.eye(n_clusters), start).objective[-1])
        left = _shortfall(swept, best.star_value)
        found |= {"sweeps_optimal": float(left <= TIE), "sweeps_loss": left}
    return found


def best_partitions(gram: CenteredGram, n_clusters: int, columns: str = "binary") -> BestPartitions:
    """Find the best partitions for both structures.

    Y = I and the best Y, among all with no cluster empty.

    Parameters
    ----------
    gram : CenteredGram
        Of few points.
    n_clusters : int
        At least 2.
    columns : {"binary", "unit", "centred"}, default="binary"
        See `both_values`.

    Returns
    -------
    BestPartitions
        Where partitions tie, the first that is the best for both, if there is one, and else the first.

    Raises
    ------
    ValueError
        If there are fewer points than clusters, or more than a million labellings.
    """
    labels = all_partitions(gram.n, n_clusters)
    star, unconstrained = both_values(gram, labels, columns)
    of_star = star >= star.max() - TIE * abs(star.max())
    of_best = unconstrained >= unconstrained.max() * (1.0 - TIE)
    common = of_star & of_best
    i, j = (int(np.argmax(common if common.any() else own)) for own in (of_star, of_best))
    return BestPartitions(
        labels[i], labels[j], float(star[i]), float(unconstrained[j]), float(unconstrained[i])
    )


def both_values(
    gram: CenteredGram, labels: IntArray, columns: str = "binary"
) -> tuple[FloatArray, FloatArray]:
    """Compute objective (1) of many partitions for both structures.

    With Y = I and with the best Y of each.

    Parameters
    ----------
    gram : CenteredGram
    labels : ndarray of int64, shape (m, n)
        A partition in each row, clusters 0..k-1, none empty.
    columns : {"binary", "unit", "centred"}, default="binary"
        Columns of the partition matrix: of 0 and 1; of unit length; of unit length once they are centred. The best Y
        makes up for any length, so that only Y = I tells them apart.

    Returns
    -------
    star, unconstrained : ndarrays of shape (m,)

    Raises
    ------
    ValueError
        If there are no such columns.

    Notes
    -----
    With the sums S_ab of M over pairs of clusters and sizes n_a the objective with the best Y is the root of the sum of
    S_ab^2 / (n_a n_b): (10), in which no centring is left as M is centred.
    """
    if columns not in COLUMNS:
        raise ValueError(f"columns={columns!r}: expected one of {', '.join(COLUMNS)}")
    M = gram.values @ gram.values.T if gram.is_factor else gram.values
    P = (labels[:, :, None] == np.arange(int(labels.max()) + 1)).astype(np.float64)
    S = np.swapaxes(P, 1, 2) @ (M @ P)
    sizes = P.sum(axis=1)
    unconstrained = np.sqrt((S**2 / (sizes[:, :, None] * sizes[:, None, :])).sum(axis=(1, 2)))
    if columns != "binary":
        lengths = sizes if columns == "unit" else sizes * (1.0 - sizes / gram.n)
        # P'HP = diag(n_a) - n n' / n, its rows and columns over the lengths of the partition's columns.
        inner = sizes[:, :, None] * (np.eye(sizes.shape[1]) - sizes[:, None, :] / gram.n)
        norm = np.sqrt((inner**2 / (lengths[:, :, None] * lengths[:, None, :])).sum(axis=(1, 2)))
        return (np.diagonal(S, axis1=1, axis2=2) / lengths).sum(axis=1) / norm, unconstrained
    squares = np.square(sizes).sum(axis=1)
    # tr((P'HP)^2), P'HP = diag(n_a) - n n' / n.
    norm = np.sqrt(squares - 2.0 * (sizes**3).sum(axis=1) / gram.n + (squares / gram.n) ** 2)
    return np.trace(S, axis1=1, axis2=2) / norm, unconstrained


def all_partitions(n: int, n_clusters: int) -> IntArray:
    """List all partitions of n points into some clusters.

    Numbered by their first points; (m, n), in ascending order.

    ValueError if there are fewer than 2 clusters or points than clusters, or more than `LARGEST` labellings.
    """
    if not 2 <= n_clusters <= n:
        raise ValueError(f"n_clusters={n_clusters}: expected 2 to {n}, the number of points")
    if n_clusters**n > LARGEST:
        raise ValueError(
            f"{n} points have {n_clusters}^{n} labellings in {n_clusters} clusters; expected at most {LARGEST}"
        )
    labels = np.zeros((1, 1), dtype=np.int64)
    for _ in range(1, n):
        # A point goes to a cluster that is there, or founds the next one.
        room = np.minimum(labels.max(axis=1) + 2, n_clusters)
        rows = np.repeat(np.arange(len(labels)), room)
        last = np.arange(len(rows)) - np.repeat(np.cumsum(room) - room, room)
        labels = np.column_stack([labels[rows], last])
    return labels[labels.max(axis=1) == n_clusters - 1]


def structure_apart(gram: CenteredGram, labels: IntArray, n_clusters: int) -> float:
    """Measure the largest difference of (8) and (9).

    (8) by a pseudo-inverse, (9) centred, both of unit norm, over the largest entry.
    """
    M = gram.values @ gram.values.T if gram.is_factor else gram.values
    P = (labels[:, None] == np.arange(n_clusters)).astype(np.float64)
    HP = P - P.mean(axis=0)
    # One eigenvalue is always 0; its rounding can pass the cut-off that is the default.
    inverse = np.linalg.pinv(HP.T @ HP, rcond=CUT_OFF)
    Y = inverse @ HP.T @ M @ HP @ inverse
    largest = np.linalg.norm(HP @ Y @ HP.T)
    if not largest > 0.0:
        return 0.0
    Y /= largest
    return float(np.abs(Y - optimal_structure(gram, labels, n_clusters)).max() / np.abs(Y).max())


def _shortfall(value: float, best: float) -> float:
    return max(0.0, 1.0 - value / best) if best > 0.0 else 0.0
