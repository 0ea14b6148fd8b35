"""Choose how many clusters by elbow and eigengap (section 6).

The elbow is that of the objective.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.methods import NumericalTaxonomy
from cladebench.papers.taxonomy.protocol import features_of, gram_of
from cladebench.solvers.dependence import objective_bound

FloatArray = npt.NDArray[np.float64]

NUMBERS = tuple(range(2, 16))
#: Other last numbers: where the range ends moves the elbow, and the paper gives no range.
SHORTER = (8, 10, 12)


def run_study(cell: Cell) -> CellOutput:
    """Learn taxonomies of 2 to 15 clusters and choose one.

    The number is chosen without labels.

    Returns
    -------
    CellOutput
        At each number ``k``: ``objective`` (1), ``eigenvalue`` (the k-th of M) and ``bound``, the most that (1) can be.
        Once: ``elbow`` and ``eigengap``, the numbers that both rules choose, and how far they are apart; ``falls``, the
        largest fall of (1) from one number to the next, relative; with labels ``elbow_off`` and ``eigengap_off``, how
        far the numbers are from that of the classes. ``elbow_8``, ``rules_apart_8``, ``elbow_off_8`` (and so for 10
        and 12) are those of the elbow among 2 to 8 clusters; the eigengap stays.
    """
    data = cell.data
    X = cell.task.of(features_of(data, cell.parameters.get("features", "raw")))
    gram = gram_of(NumericalTaxonomy(), X, cell.spec.seed)
    numbers = [k for k in NUMBERS if k <= gram.n]
    # Those that are 0 are left out there, but the gap before them counts.
    top, _ = gram.top_eigenvectors(max(numbers) + 1)
    eigenvalues = np.pad(top, (0, max(numbers) + 1 - len(top)))
    objective = []
    for k in numbers:
        # The matrix is made once: it does not depend on k.
        objective.append(NumericalTaxonomy(k, random_state=cell.spec.seed).fit_gram(gram).objective_)
    values = np.array(objective)
    rises = np.diff(values) / values[:-1]
    metrics = {"eigengap": float(eigengap(eigenvalues)), "falls": float(max(0.0, -rises.min()))}
    n_classes = None if data.labels is None else len(np.unique(cell.task.of(data.labels)))
    if n_classes is not None:
        metrics["eigengap_off"] = abs(metrics["eigengap"] - n_classes)
    for suffix, last in (("", max(NUMBERS)), *((f"_{last}", last) for last in SHORTER)):
        within = np.array([k for k in numbers if k <= last], dtype=float)
        at = float(within[elbow(within, values[: len(within)])])
        metrics |= {f"elbow{suffix}": at, f"rules_apart{suffix}": abs(at - metrics["eigengap"])}
        if n_classes is not None:
            metrics[f"elbow_off{suffix}"] = abs(at - n_classes)
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
    """Find the elbow of a curve.

    The point that lies farthest above the line from the first to the last one, both axes scaled to 1.
    """
    if y[-1] == y[0]:
        return 0
    return int(np.argmax((y - y[0]) / (y[-1] - y[0]) - (x - x[0]) / (x[-1] - x[0])))


def eigengap(eigenvalues: FloatArray) -> int:
    """Number of clusters before the largest gap.

    With k clusters centred data have k - 1 large eigenvalues.

    Gaps from the second eigenvalue on are compared, so that the answer is 3 at least: the first gap, of what all
    clusters have in common, is nearly always the largest.
    """
    gaps = -np.diff(eigenvalues)[1:]
    return int(np.argmax(gaps)) + 3 if len(gaps) else 2
