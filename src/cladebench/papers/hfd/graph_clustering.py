"""Table 3: spectral clustering of sparse similarities between neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence

from cladebench.bench.cell_io import CellOutput, Reading
from cladebench.distances.base import Distance
from cladebench.methods._spectral import graph_labels
from cladebench.metrics import Scores, v_scores
from cladebench.papers.protocol import scored
from cladebench.validation import check_choice

#: Widths of the Gaussian (Section 6.6).
WIDTHS = (0.1, 1.0, 10.0, 100.0, 1000.0)
#: Starts of k-means on the eigenvectors, as in scikit-learn's spectral clustering.
N_INIT = 10
#: Weights are at least exp of this: with less, the eigenvectors of a graph whose edges differ by that much cannot be
#: told apart, and the search for them does not end.
LEAST_EXPONENT = -30.0
#: Neighbours in the graph of the setting that is chosen without labels.
FIXED_NEIGHBORS = 20


def clustering_measures(
    distance: Distance, labels: np.ndarray, neighbors: Sequence[int], similarity: str, seed: int
) -> CellOutput:
    """Cluster all rows by the graph of their neighbours, for each number of neighbours and each width.

    Parameters
    ----------
    distance : Distance
        Fitted.
    labels : ndarray of shape (n,)
        True classes, as many as there shall be clusters.
    neighbors : sequence of int
        Numbers of neighbours of a row in the graph.
    similarity : {"gaussian", "complement"}
        Of a distance d: exp(-d^2 / (2 w^2)) for each width w of `WIDTHS`, or 1 - d.
    seed : int

    Returns
    -------
    CellOutput
        ``v_measure`` is the best over the grid by the true classes, as the paper reports it: an oracle choice.
        ``v_measure_fixed`` is chosen without labels: 20 neighbours, and of the widths the one nearest to the median
        distance of the 20th neighbour, on a logarithmic scale.
    """
    check_choice("similarity", similarity, ("gaussian", "complement"))
    n, n_clusters = len(labels), len(np.unique(labels))
    numbers = sorted({min(k, n - 1) for k in neighbors})
    far, near = distance.kneighbors(n_neighbors=numbers[-1])
    fixed_number = min(numbers, key=lambda k: abs(k - FIXED_NEIGHBORS))
    widths = WIDTHS if similarity == "gaussian" else (0.0,)
    middle = float(np.median(far[:, fixed_number - 1]))
    fixed_width = (
        min(widths, key=lambda w: abs(np.log(w / middle)))
        if similarity == "gaussian" and middle
        else widths[0]
    )
    readings: list[Reading] = []
    found: dict[tuple[int, float], Scores] = {}
    for k in numbers:
        for width in widths:
            weights = gaussian(far[:, :k], width) if similarity == "gaussian" else complement(far[:, :k])
            try:
                clusters = graph_labels(graph(near[:, :k], weights), n_clusters, n_init=N_INIT, seed=seed)
            except ArpackNoConvergence:
                continue
            scores = v_scores(labels, clusters)
            found[k, width] = scores
            at = {"neighbors": k, "width": width} if similarity == "gaussian" else {"neighbors": k}
            readings.append(Reading({"v_measure_grid": scores.value}, at))
    if not found:
        raise ArpackNoConvergence(
            "no graph of neighbours has eigenvectors that can be found", np.empty(0), np.empty((0, 0))
        )
    # Of equal ones the first: fewest neighbours, smallest width.
    best = max(found, key=lambda point: found[point].value)
    # Where that graph has no eigenvectors to be found, what chance gives.
    fixed = found.get((fixed_number, fixed_width), Scores(0.0, 0.0, 0.0))
    metrics = {
        **scored(v_measure=found[best]),
        "v_measure_fixed": fixed.value,
        "v_measure_fixed_permuted": fixed.permuted,
        "ami_fixed": float(fixed.corrected or 0.0),
        "best_neighbors": float(best[0]),
        "graphs_failed": float(len(numbers) * len(widths) - len(found)),
    }
    return CellOutput(metrics, readings)


def gaussian(distance: np.ndarray, width: float) -> np.ndarray:
    """exp(-d^2 / (2 width^2)), at least exp(-30), so that no edge is lost."""
    return np.exp(np.maximum(-0.5 * (distance / width) ** 2, LEAST_EXPONENT))


def complement(distance: np.ndarray) -> np.ndarray:
    """1 - d for distances in [0, 1], at least exp(-30)."""
    return np.maximum(1.0 - distance, np.exp(LEAST_EXPONENT))


def graph(near: np.ndarray, weights: np.ndarray) -> sparse.csr_array:
    """Join each row with its neighbours; an edge where either has the other, with the larger weight."""
    n, k = near.shape
    directed = sparse.csr_array((weights.ravel(), (np.repeat(np.arange(n), k), near.ravel())), shape=(n, n))
    return sparse.csr_array(directed.maximum(directed.T))
