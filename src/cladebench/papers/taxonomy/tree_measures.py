"""Measure how well a taxonomy fits the classes' tree.

Trees that know nothing are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.methods._structures import path_lengths
from cladebench.methods.numerical_taxonomy import TREE_STARTS
from cladebench.metrics.similarity import in_own_unit
from cladebench.solvers.dependence import (
    dependence,
    distances_structure,
    objective_bound,
    optimal_structure,
    structure_distances,
)
from cladebench.solvers.gram import CenteredGram
from cladebench.solvers.tree_metric import fit_tree_metric

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Topologies that are drawn to say what a tree earns that was not looked for.
N_RANDOM = 20


def taxonomy_correlation(
    distances: FloatArray, clusters: IntArray, class_tree: Hierarchy, classes: IntArray
) -> float:
    """Correlate cluster distances with path lengths in the classes' tree.

    All pairs of samples count.

    Parameters
    ----------
    distances : ndarray of shape (k, k)
        Between clusters.
    clusters, classes : ndarray of int64, shape (n,)
    class_tree : Hierarchy
        Its samples are the classes.

    Returns
    -------
    float
        0 where either is the same for all pairs. Exact from the table of clusters and classes; samples are not paired
        with themselves.
    """
    paths, distances = path_lengths(class_tree), in_own_unit(distances)
    table = np.zeros((len(distances), len(paths)))
    np.add.at(table, (clusters, classes), 1.0)
    n_pairs = len(clusters) * (len(clusters) - 1.0)
    ours, true = table.sum(axis=1), table.sum(axis=0)

    def mean(of_clusters: FloatArray, of_classes: FloatArray) -> float:
        # Both are 0 on the diagonal, so that samples paired with themselves add nothing.
        return float(((table.T @ of_clusters @ table) * of_classes).sum() / n_pairs)

    mean_own = float(ours @ distances @ ours) / n_pairs
    mean_true = float(true @ paths @ true) / n_pairs
    spread_own = float(ours @ distances**2 @ ours) / n_pairs - mean_own**2
    spread_true = float(true @ paths**2 @ true) / n_pairs - mean_true**2
    if spread_own <= 1e-12 * max(mean_own**2, 1e-300) or spread_true <= 1e-12 * mean_true**2:
        return 0.0
    return (mean(distances, paths) - mean_own * mean_true) / float(np.sqrt(spread_own * spread_true))


@dataclass(frozen=True)
class Worth:
    """Hold a partition's objective (1) under structures, as shares of bounds."""

    bound: float
    unconstrained: float
    tree: float
    star: float
    random: float
    best_random: float


def worth_of_trees(gram: CenteredGram, labels: IntArray, seed: int) -> Worth:
    """Replace the fitted tree by others for one partition.

    Lengths are fitted to its distances.

    Parameters
    ----------
    gram : CenteredGram
    labels : ndarray of int64, shape (n,)
        Clusters 0..k-1, k >= 2, none empty.
    seed : int
        Draws random topologies.
    """
    k = int(labels.max()) + 1
    best = optimal_structure(gram, labels, k)
    distances = structure_distances(best)
    bound = objective_bound(gram, k) or 1.0

    def share(structure: FloatArray) -> float:
        return dependence(gram, labels, structure) / bound

    def of(topologies: str, draw: int = 0) -> float:
        n_starts = TREE_STARTS if topologies == "search" else 1
        fit = fit_tree_metric(distances, topologies=topologies, n_starts=n_starts, random_state=draw)
        return share(distances_structure(fit.distances))

    random = np.random.RandomState(seed)
    drawn = [of("random", int(random.randint(np.iinfo(np.int32).max))) for _ in range(N_RANDOM)]
    return Worth(bound, share(best), of("search"), of("star"), float(np.mean(drawn)), max(drawn))
