"""How many clusters: the elbow of the objective and the gap of the eigenvalues (section 6)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.bench.cell_io import Cell, CellOutput, Reading
from cladebench.methods import NumericalTaxonomy
from cladebench.papers.taxonomy.protocol import features_of, gram_of
from cladebench.papers.taxonomy.tree_measures import objective_bound

FloatArray = npt.NDArray[np.float64]

NUMBERS = tuple(range(2, 16))


def run_study(cell: Cell) -> CellOutput:
    """Learn taxonomies of 2 to 15 clusters, and choose a number of them without labels.

    Returns
    -------
    CellOutput
        At each number ``k``: ``objective`` (1), ``eigenvalue`` (the k-th of M) and ``bound``, the most that (1) can be.
        Once: ``elbow`` and ``eigengap``, the numbers that both rules choose, and how far they are apart; ``falls``, the
        largest fall of (1) from one number to the next, relative; with labels ``elbow_off`` and ``eigengap_off``, how
        far the numbers are from that of the classes.
    """
    data = cell.data
    X = cell.task.of(features_of(data, cell.parameters.get("features", "raw")))
    gram = gram_of(NumericalTaxonomy(), X, cell.spec.seed)
    numbers = [k for k in NUMBERS if k <= gram.n]
    # Those that are 0 are left out there, but the gap before them counts.
    found, _ = gram.top_eigenvectors(max(numbers) + 1)
    eigenvalues = np.pad(found, (0, max(numbers) + 1 - len(found)))
    objective = []
    for k in numbers:
        # The matrix is made once: it does not depend on k.
        objective.append(NumericalTaxonomy(k, random_state=cell.spec.seed).fit_gram(gram).objective_)
    values = np.array(objective)
    rises = np.diff(values) / values[:-1]
    metrics = {
        "elbow": float(numbers[elbow(np.array(numbers, dtype=float), values)]),
        "eigengap": float(eigengap(eigenvalues)),
        "falls": float(max(0.0, -rises.min())),
    }
    metrics["rules_apart"] = abs(metrics["elbow"] - metrics["eigengap"])
    if data.labels is not None:
        n_classes = len(np.unique(cell.task.of(data.labels)))
        metrics |= {f"{rule}_off": abs(metrics[rule] - n_classes) for rule in ("elbow", "eigengap")}
    readings = [
        Reading(
            {
                "objective": float(value),
                "eigenvalue": float(eigenvalues[k - 1]),
                "bound": objective_bound(gram, k),
            },
            {"k": k},
        )
        for k, value in zip(numbers, objective, strict=True)
    ]
    return CellOutput(metrics, readings, {"eigenvalues": eigenvalues})


def elbow(x: FloatArray, y: FloatArray) -> int:
    """Place of the point that lies farthest above the line from the first to the last one, both axes scaled to 1."""
    if len(x) < 3 or y[-1] == y[0]:
        return 0
    return int(np.argmax((y - y[0]) / (y[-1] - y[0]) - (x - x[0]) / (x[-1] - x[0])))


def eigengap(eigenvalues: FloatArray) -> int:
    """Number of clusters before the largest gap: with k clusters centred data have k - 1 large eigenvalues.

    Gaps from the second eigenvalue on are compared, so that the answer is 3 at least: the first gap, of what all
    clusters have in common, is nearly always the largest.
    """
    gaps = -np.diff(eigenvalues)[1:]
    return int(np.argmax(gaps)) + 3 if len(gaps) else 2
