"""Test taxonomies by permutations on a half not learned from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cladebench.bench.run.cell_io import Cell, CellOutput
from cladebench.methods import NumericalTaxonomy
from cladebench.methods._kernel import kernel_matrix
from cladebench.papers.taxonomy.protocol import features_of, n_clusters_of
from cladebench.papers.taxonomy.tree_measures import N_RANDOM
from cladebench.solvers.dependence import dependence, distances_structure
from cladebench.solvers.gram import center
from cladebench.solvers.tree_metric import fit_tree_metric

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

N_PERMUTATIONS = 999


def run_study(cell: Cell) -> CellOutput:
    """Learn a taxonomy from half of the rows and test it.

    The half is drawn at random; the others are for the test.

    A held-out row goes to the cluster whose mean is nearest in the feature space. The objective (1) of these rows
    is then compared with what it is when the leaves of the tree change places, which keeps the clusters (does the tree
    say how they lie?), and when the rows change clusters, which keeps the tree. The second test is passed almost by
    construction, on held-out rows too: they are assigned by the kernel that is then tested. The first says that the
    distances between clusters come back, not that they are those of a tree; the star and drawn trees say what the tree
    adds, on clusters that were found with the learned one.

    Returns
    -------
    CellOutput
        ``p_tree``, ``p_partition``: shares of permutations that are as good, the given order counted as one of them;
        ``tree_gain``, ``partition_gain``: the objective over its mean under permutation; ``p_partition_learned``: the
        same test in the half that was learned from. ``tree_over_star``, ``tree_over_random``: the objective over that
        of other trees for the same clusters, fitted in the half that was learned from: the star, and the mean of 20
        that are drawn.
    """
    data, seed = cell.data, cell.spec.seed
    X = cell.task.of(features_of(data, cell.parameters.get("features", "raw")))
    k = n_clusters_of(data, None)
    rng = np.random.default_rng(seed)
    order = rng.permutation(X.shape[0])
    learn, test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    K = kernel_matrix(X, "gaussian", 1.0)
    taxonomy = NumericalTaxonomy(k, random_state=seed).fit_gram(center(K[np.ix_(learn, learn)]))
    labels = nearest_means(K, learn, taxonomy.labels_, test)
    gram, structure = center(K[np.ix_(test, test)]), taxonomy.structure_
    n_clusters = len(structure)
    observed = dependence(gram, labels, structure)

    def permuted(value: Callable[[IntArray], float], n: int) -> FloatArray:
        return np.array([value(rng.permutation(n)) for _ in range(N_PERMUTATIONS)])

    leaves = permuted(lambda p: dependence(gram, labels, structure[np.ix_(p, p)]), n_clusters)
    rows = permuted(lambda p: dependence(gram, labels[p], structure), len(labels))
    of_learnt = center(K[np.ix_(learn, learn)])
    learned = permuted(lambda p: dependence(of_learnt, taxonomy.labels_[p], structure), len(learn))
    star = dependence(gram, labels, other_tree(taxonomy, "star"))
    random = np.mean(
        [dependence(gram, labels, other_tree(taxonomy, "random", draw)) for draw in range(N_RANDOM)]
    )
    return CellOutput(
        {
            "tree_over_star": observed / star,
            "tree_over_random": observed / float(random),
            "p_tree": p_value(observed, leaves),
            "p_partition": p_value(observed, rows),
            "p_partition_learned": p_value(dependence(of_learnt, taxonomy.labels_, structure), learned),
            "tree_gain": observed / float(leaves.mean()),
            "partition_gain": observed / float(rows.mean()),
        }
    )


def other_tree(taxonomy: NumericalTaxonomy, topologies: str, draw: int = 0) -> FloatArray:
    """Structure of another tree that is fitted to the same distances."""
    fit = fit_tree_metric(taxonomy.distances_, topologies=topologies, random_state=draw)
    return distances_structure(fit.distances)


def nearest_means(K: FloatArray, learn: IntArray, labels: IntArray, test: IntArray) -> IntArray:
    """Cluster of each held-out row.

    The one whose mean in the feature space is nearest, of equal ones the first.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix, not centred.
    learn, test : ndarray of int64
        Rows.
    labels : ndarray of int64, shape (len(learn),)
        Clusters 0..k-1, none empty.
    """
    distances = []
    for c in range(int(labels.max()) + 1):
        members = learn[labels == c]
        # Less K_ii, which is the same for all clusters.
        distances.append(K[np.ix_(members, members)].mean() - 2.0 * K[np.ix_(test, members)].mean(axis=1))
    return np.argmin(np.array(distances), axis=0)


def p_value(observed: float, permuted: FloatArray) -> float:
    """Give the share of values at least as large.

    The observed one is among them; equal but for rounding counts.
    """
    return float((1 + (permuted >= observed - 1e-12 * abs(observed)).sum()) / (1 + len(permuted)))
