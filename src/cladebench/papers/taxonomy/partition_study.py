"""Ask whether one partition is best for both structures (section 3.3).

The structures are the best one and Y = I. Small sets are enumerated. The paper infers it from the relaxed problems,
whose solutions span one subspace. With two clusters it is true of partitions, as all centred structures of two clusters
are multiples of one; with more nothing says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.methods import NumericalTaxonomy
from cladebench.methods._kernel import start_labels
from cladebench.papers.taxonomy.protocol import features_of, gram_of
from cladebench.solvers.dependence import greedy_partition, optimal_structure
from cladebench.solvers.enumerated_partitions import TIE, best_partitions, shortfall
from cladebench.solvers.gram import CenteredGram

IntArray = npt.NDArray[np.int64]

#: Points of a set, sets that are drawn, and numbers of clusters; a cell's parameters of these names replace them.
POINTS, SETS, CLUSTERS = 9, 20, (2, 3, 4)
#: Eigenvalues below this share of the largest are 0.
CUT_OFF = 1e-10


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
        measured = [
            of_set(X[np.sort(rng.permutation(X.shape[0])[:n])], int(k), s, columns) for s in range(n_sets)
        ]
        metrics = {name: float(np.mean([one[name] for one in measured])) for name in measured[0]}
        for name in ("structure_apart", "optimum_falls"):
            metrics[name] = max(one[name] for one in measured)
        readings.append(Reading(metrics, {"k": int(k)}))
    return CellOutput(readings=readings, details={"points": n, "sets": n_sets})


def of_set(X: Any, n_clusters: int, seed: int, columns: str = "binary") -> dict[str, float]:
    """Measure one set.

    What `run_study` takes means of; ``seed`` is that of k-means.
    """
    gram = gram_of(NumericalTaxonomy(n_clusters), X, seed)
    best = best_partitions(gram, n_clusters, columns)
    before = best_partitions(gram, n_clusters - 1).unconstrained_value if n_clusters > 2 else 0.0
    losses = {
        "optimum_falls": shortfall(best.unconstrained_value, before),
        "same_partition": float(best.agree),
        "partition_ari": float(adjusted_rand_score(best.star, best.unconstrained)),
        "partition_loss": best.loss,
        "structure_apart": structure_apart(gram, best.unconstrained, n_clusters),
    }
    if columns == "binary":
        start = start_labels(gram, n_clusters, "spectral", np.random.RandomState(seed))
        swept = float(greedy_partition(gram, np.eye(n_clusters), start).objective[-1])
        left = shortfall(swept, best.star_value)
        losses |= {"sweeps_optimal": float(left <= TIE), "sweeps_loss": left}
    return losses


def structure_apart(gram: CenteredGram, labels: IntArray, n_clusters: int) -> float:
    """Measure the largest difference of (8) and (9), of unit norm.

    (8) is computed by a pseudo-inverse and (9) centred. The difference is relative to the largest entry.
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
