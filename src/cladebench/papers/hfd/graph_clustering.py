"""Table 3: spectral clustering of sparse similarities between neighbours, by normalized cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence

from cladebench.bench.run.cell_io import CellOutput, Reading
from cladebench.distances.base import Distance
from cladebench.methods._kmeans import kmeans_labels
from cladebench.methods._spectral import cut_rows, joined, unit_rows
from cladebench.metrics import Scores, v_scores
from cladebench.metrics.neighbors import neighbor_lists
from cladebench.paper.protocol import scored
from cladebench.papers.hfd.discretisation import discretised
from cladebench.validation import check_choice

#: Widths of the Gaussian (Section 6.6).
WIDTHS = (0.1, 1.0, 10.0, 100.0, 1000.0)
#: Starts of k-means on the eigenvectors: ten by k-means++, as in scikit-learn's spectral clustering, or one from rows
#: drawn at random.
STARTS: dict[str, dict[str, Any]] = {"ten": {"n_init": 10}, "one random": {"n_init": 1, "init": "random"}}
#: Weights are at least exp of this: with less, the eigenvectors of a graph whose edges differ by so much cannot be
#: told apart, and the search for them does not end.
LEAST_EXPONENT = -20.0
#: Of Lanczos' method. Weights of narrow Gaussians are so far apart that it finds nothing, however long it tries.
MAX_RESTARTS = 20
#: Neighbours in the graph of the setting that is chosen without labels.
FIXED_NEIGHBORS = 20


class GraphChoice(NamedTuple):
    """What the paper leaves unsaid of the graph and of its clustering."""

    #: See `cladebench.methods._spectral.joined`.
    edges: str = "either"
    #: The Gaussian of a distance d is exp(-exponent d^2 / w^2).
    exponent: float = 0.5
    #: How clusters are made of the eigenvectors: "k-means" of their rows as they are; "unit rows", k-means of rows of
    #: length one, as Ng, Jordan and Weiss do; or "discretised", by the rotation of Yu and Shi.
    clusters: str = "k-means"


CHOSEN = GraphChoice()
#: The metric of each other reading. Those of the same graph cost no eigenvectors.
UNIT_ROWS = GraphChoice(clusters="unit rows")
SAME_GRAPH = {"v_measure_unit_rows": UNIT_ROWS, "v_measure_discretised": GraphChoice(clusters="discretised")}
OTHER_GRAPHS = {
    "v_measure_averaged": GraphChoice(edges="averaged"),
    "v_measure_mutual": GraphChoice(edges="mutual"),
    "v_measure_unhalved": GraphChoice(exponent=1.0),
}


def clustering_measures(
    distance: Distance,
    labels: np.ndarray,
    neighbors: Sequence[int],
    similarity: str,
    seed: int,
    other_graphs: bool = True,
    starts: str = "ten",
) -> CellOutput:
    """Cluster rows by the neighbours' graph, for each number and width.

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
    other_graphs : bool, default=True
        Cluster the graphs of `OTHER_GRAPHS` too: four times the time.
    starts : {"ten", "one random"}, default="ten"
        Of k-means, see `STARTS`.

    Returns
    -------
    CellOutput
        ``v_measure`` is the best over the grid by the true classes, as the paper reports it: chosen with test labels.
        ``v_measure_fixed`` is chosen without labels: 20 neighbours, and of the widths the one nearest to the median
        distance of the 20th neighbour, on a logarithmic scale; ``v_measure_fixed_unit_rows`` is that of the same graph,
        with rows of length one. The other readings of what the paper leaves unsaid have the names of `SAME_GRAPH` and
        `OTHER_GRAPHS`, each the best over the same grid; where there is no Gaussian, that of another one is
        ``v_measure``.
    """
    check_choice("similarity", similarity, ("gaussian", "complement"))
    check_choice("starts", starts, tuple(STARTS))
    n_classes = len(np.unique(labels))
    numbers = sorted({min(k, len(labels) - 1) for k in neighbors})
    far, near = distance.kneighbors(n_neighbors=numbers[-1])
    near = neighbor_lists("kneighbors", near, len(labels), may_lack=False)
    fixed_number = min(numbers, key=lambda k: abs(k - FIXED_NEIGHBORS))
    widths = WIDTHS if similarity == "gaussian" else (0.0,)
    middle = float(np.median(far[:, fixed_number - 1]))
    fixed_width = (
        min(widths, key=lambda w: abs(np.log(w / middle)))
        if similarity == "gaussian" and middle
        else widths[0]
    )
    choices = {"v_measure": CHOSEN, **SAME_GRAPH, **(OTHER_GRAPHS if other_graphs else {})}
    if similarity == "complement":
        choices = {name: choice._replace(exponent=CHOSEN.exponent) for name, choice in choices.items()}
    scores_of: dict[GraphChoice, dict[tuple[int, float], Scores]] = {
        choice: {} for choice in choices.values()
    }
    for k in numbers:
        for width in widths:
            for one_graph in _same_graph(list(scores_of)):
                weights = (
                    gaussian(far[:, :k], width, one_graph[0].exponent)
                    if similarity == "gaussian"
                    else complement(far[:, :k])
                )
                try:
                    joint = graph(near[:, :k], weights, one_graph[0].edges)
                    rows = cut_rows(joint, n_classes, max_restarts=MAX_RESTARTS)
                except ArpackNoConvergence:
                    continue
                for choice in one_graph:
                    scores_of[choice][k, width] = v_scores(
                        labels, _parted(rows, choice.clusters, starts, seed)
                    )
    grid = scores_of[CHOSEN]
    if not grid:
        raise ArpackNoConvergence(
            "no graph of neighbours has eigenvectors that can be found", np.empty(0), np.empty((0, 0))
        )
    readings = []
    for (k, width), scores in grid.items():
        at = {"neighbors": k, "width": width} if similarity == "gaussian" else {"neighbors": k}
        readings.append(Reading({"v_measure_grid": scores.value}, at))
    # Of equal ones the first: fewest neighbours, smallest width.
    best = {
        name: max(scores_of[choice].items(), key=lambda item: item[1].value)
        for name, choice in choices.items()
        if scores_of[choice]
    }
    # Where that graph has no eigenvectors to be found, what chance gives.
    chance = Scores(0.0, 0.0, 0.0)
    fixed = grid.get((fixed_number, fixed_width), chance)
    in_unit_rows = scores_of[UNIT_ROWS].get((fixed_number, fixed_width), chance)
    metrics = {
        **{name: scores.value for name, (_, scores) in best.items()},
        **scored(v_measure=best["v_measure"][1]),
        "v_measure_fixed": fixed.value,
        "v_measure_fixed_permuted": fixed.permuted,
        "v_measure_fixed_unit_rows": in_unit_rows.value,
        "ami_fixed": float(fixed.corrected or 0.0),
        "best_neighbors": float(best["v_measure"][0][0]),
        "graphs_failed": float(len(numbers) * len(widths) - len(grid)),
    }
    return CellOutput(metrics, readings)


def _same_graph(choices: Sequence[GraphChoice]) -> list[list[GraphChoice]]:
    """Group choices by their graph, whose eigenvectors then are found once."""
    groups: dict[tuple[str, float], list[GraphChoice]] = {}
    for choice in choices:
        groups.setdefault((choice.edges, choice.exponent), []).append(choice)
    return list(groups.values())


def _parted(rows: np.ndarray, how: str, starts: str, seed: int) -> np.ndarray:
    if how == "discretised":
        return discretised(rows, seed)
    rows = unit_rows(rows) if how == "unit rows" else rows
    return kmeans_labels(rows, rows.shape[1], **STARTS[starts], seed=seed)[0]


def gaussian(distance: np.ndarray, width: float, exponent: float = 0.5) -> np.ndarray:
    """Compute exp(-exponent d^2 / width^2), at least exp(-20), to keep edges."""
    return np.exp(np.maximum(-exponent * (distance / width) ** 2, LEAST_EXPONENT))


def complement(distance: np.ndarray) -> np.ndarray:
    """1 - d for distances in [0, 1], at least exp(-20)."""
    return np.maximum(1.0 - distance, np.exp(LEAST_EXPONENT))


def graph(near: np.ndarray, weights: np.ndarray, edges: str = "either") -> sparse.csr_array:
    """Join each row with its neighbours, see `cladebench.methods._spectral.joined`."""
    n, k = near.shape
    directed = sparse.csr_array((weights.ravel(), (np.repeat(np.arange(n), k), near.ravel())), shape=(n, n))
    return joined(directed, edges)
