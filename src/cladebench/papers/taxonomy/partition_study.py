"""Best partitions of small sets, by enumeration: what section 3.3 says of them, and what greedy sweeps reach."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from cladebench.bench.cell_io import Cell, CellOutput
from cladebench.methods import CLUHSIC, NumericalTaxonomy
from cladebench.papers.taxonomy.protocol import features_of, gram_of
from cladebench.solvers.dependence import centered, optimal_structure, squared_norm
from cladebench.solvers.gram import CenteredGram

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Numbers of clusters whose best values are compared.
MOST_CLUSTERS = 4
#: Points of a set, of which there are 3,025 partitions into three clusters; sets of a cell.
N_POINTS, N_CLUSTERS, N_SETS = 9, 3, 20
#: Objectives that differ by less, relatively, are equal.
TIE = 1e-9


def run_study(cell: Cell) -> CellOutput:
    """Draw small sets of the data's rows, and try all of their partitions into three clusters.

    Returns
    -------
    CellOutput
        ``partitions_agree``: share of sets of which a partition that is best for Y = I is best for the best Y, too;
        ``partitions_ari``: mean adjusted Rand index of the two; ``partition_loss``: mean relative loss of (1) under the
        best Y with the partition for Y = I; ``set_kernel_difference``: largest relative difference of (9), centred and
        scaled, from (8); ``sweeps_reach``, ``sweeps_gap``: share of sets in which CLUHSIC with the star, normalised,
        reaches the best objective, and the mean relative gap; ``optimum_falls``: largest relative fall of the best
        value of (1), over all partitions and structures, from two to three and from three to four clusters.
    """
    X = cell.task.of(features_of(cell.data, "raw"))
    rng = np.random.default_rng(cell.spec.seed)
    agree, ari, loss, difference, gap, falls = [], [], [], [], [], []
    for _ in range(N_SETS):
        rows = np.sort(rng.permutation(X.shape[0])[:N_POINTS])
        gram = gram_of(NumericalTaxonomy(), X[rows], cell.spec.seed)
        plain, best = partition_values(gram, N_CLUSTERS)
        candidates = partitions_of(gram.n, N_CLUSTERS)
        optima = np.array([partition_values(gram, k)[1].max() for k in range(2, MOST_CLUSTERS + 1)])
        falls.append(max(0.0, float((-np.diff(optima) / optima[:-1]).max())))
        # Of several that are best for Y = I the one that is best for the other counts, in favour of the claim.
        tied = np.flatnonzero(plain >= plain.max() * (1.0 - TIE))
        for_identity = int(tied[np.argmax(best[tied])])
        for_best = int(np.argmax(best))
        agree.append(bool(best[for_identity] >= best[for_best] * (1.0 - TIE)))
        ari.append(
            adjusted_rand_score(candidates[for_identity], candidates[for_best]) if not agree[-1] else 1.0
        )
        loss.append(max(0.0, 1.0 - best[for_identity] / best[for_best]))
        difference.append(set_kernel_difference(gram, candidates[for_best], N_CLUSTERS))
        reached = CLUHSIC(N_CLUSTERS, normalized=True, random_state=cell.spec.seed).fit_gram(gram)
        # Of the star's structure 2 I, centred, the objective is that of Y = I.
        gap.append(max(0.0, 1.0 - reached.objective_ / plain.max()))
    return CellOutput(
        {
            "partitions_agree": float(np.mean(agree)),
            "partitions_ari": float(np.mean(ari)),
            "partition_loss": float(np.mean(loss)),
            "set_kernel_difference": float(np.max(difference)),
            "sweeps_reach": float(np.mean(np.array(gap) <= TIE)),
            "sweeps_gap": float(np.mean(gap)),
            "optimum_falls": float(np.max(falls)),
        }
    )


@lru_cache(maxsize=8)
def partitions_of(n: int, n_clusters: int) -> IntArray:
    """All partitions of n points into so many clusters, none empty, numbered by their first points: (m, n)."""
    found = np.zeros((1, 1), dtype=np.int64)
    for _ in range(1, n):
        used = found.max(axis=1)
        # A point joins one of the clusters that are there, or opens the next.
        longer = [
            np.column_stack([found[used >= c - 1], np.full((used >= c - 1).sum(), c)])
            for c in range(n_clusters)
        ]
        found = np.concatenate(longer)
    found = found[found.max(axis=1) == n_clusters - 1]
    found.flags.writeable = False
    return found


def partition_values(gram: CenteredGram, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Objective (1) of all partitions, for Y = I and for the best Y of each.

    Parameters
    ----------
    gram : CenteredGram
        Of few points: all partitions are tried.
    n_clusters : int

    Returns
    -------
    plain, best : ndarray of shape (n_partitions,)
        tr S / |A| and, with the best Y, the root of tr(D^-1 S D^-1 S), equation (10).
    """
    member = (partitions_of(gram.n, n_clusters)[:, :, None] == np.arange(n_clusters)).astype(np.float64)
    M = gram.values @ gram.values.T if gram.is_factor else gram.values
    S = np.einsum("mia,ij,mjb->mab", member, M, member, optimize=True)
    sizes = member.sum(axis=1)
    # |A|^2 with A = diag(n_a) - n n' / n.
    squared = (sizes**2).sum(1) - 2.0 * (sizes**3).sum(1) / gram.n + ((sizes**2).sum(1) / gram.n) ** 2
    plain = np.trace(S, axis1=1, axis2=2) / np.sqrt(squared)
    best = np.sqrt((S**2 / (sizes[:, :, None] * sizes[:, None, :])).sum(axis=(1, 2)))
    return plain, best


def set_kernel_difference(gram: CenteredGram, labels: IntArray, n_clusters: int) -> float:
    """Relative difference of (9), centred and scaled to unit norm, from (8) by its pseudo-inverse."""
    sizes = np.bincount(labels, minlength=n_clusters)
    S = gram.cluster_sums(labels, n_clusters)
    inverse = np.linalg.pinv(np.diag(sizes) - np.outer(sizes, sizes) / gram.n)
    exact = inverse @ S @ inverse
    exact /= np.sqrt(squared_norm(sizes, centered(exact)))
    found = optimal_structure(gram, labels, n_clusters)
    return float(np.abs(found - exact).max() / np.abs(exact).max())
