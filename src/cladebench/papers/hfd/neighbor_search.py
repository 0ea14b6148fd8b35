"""Tables 1 and 2.

Nearest neighbours among candidates from the trees, against all that there are.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from cladebench.bench.run.cell_io import CellOutput, Reading
from cladebench.distances import HierarchyForest
from cladebench.distances.base import Distance
from cladebench.metrics import average_precision

#: "Average precision scores are computed at 10, 20, 30, 40 and 50 nearest-neighbors" (Section 6.2).
LENGTHS = (10, 20, 30, 40, 50)


def search_measures(distance: Distance, n: int, candidates: Sequence[int]) -> CellOutput:
    """Find 50 neighbours of every training row, exactly and among candidates.

    Parameters
    ----------
    distance : HierarchyForest
        Fitted.
    n : int
        Training rows.
    candidates : sequence of int
        Candidates per tree, k_O.

    Returns
    -------
    CellOutput
        At each number of candidates the mean average precision against the exact neighbours (mean over the lengths of
        `LENGTHS`; all 50 are relevant at each, or as many as the list is long: ``mean_average_precision_of_length``),
        the seconds, their share of those of the exact search, and the share of the rows that were compared; average
        precision at each length too. A list is as short as its candidates are few; ``mean_average_precision_refilled``
        is of lists for which candidates were doubled until there were 50.

    Raises
    ------
    TypeError
        If the distance has no trees.
    """
    if not isinstance(distance, HierarchyForest):
        raise TypeError(f"candidates: {type(distance).__name__} has no trees; expected a HierarchyForest")
    lengths = [k for k in LENGTHS if k < n] or [n - 1]
    started = time.perf_counter()
    exact = distance.kneighbors(n_neighbors=max(lengths), return_distance=False, candidates_per_tree=None)
    brute = time.perf_counter() - started
    readings = []
    for k in candidates:
        started = time.perf_counter()
        _, nearest, compared = distance.neighbors_of(
            n_neighbors=max(lengths), candidates_per_tree=int(k), refill=False
        )
        seconds = time.perf_counter() - started
        refilled = nearest
        if (nearest < 0).any():
            refilled = distance.neighbors_of(n_neighbors=max(lengths), candidates_per_tree=int(k))[1]
        by_length, by_length_refilled = (
            {
                length: float(average_precision(lists, exact, length, n_relevant=max(lengths)).mean())
                for length in lengths
            }
            for lists in (nearest, refilled)
        )
        of_length = [float(average_precision(nearest, exact, length).mean()) for length in lengths]
        readings += [
            Reading({"average_precision": value}, {"candidates": int(k), "neighbors": length})
            for length, value in by_length.items()
        ]
        readings.append(
            Reading(
                {
                    "mean_average_precision": float(np.mean(list(by_length.values()))),
                    "mean_average_precision_of_length": float(np.mean(of_length)),
                    "mean_average_precision_refilled": float(np.mean(list(by_length_refilled.values()))),
                    "search_seconds": seconds,
                    "time_share": seconds / brute,
                    "compared_share": float(compared.mean() / (n - 1)),
                },
                {"candidates": int(k)},
            )
        )
    return CellOutput({"brute_seconds": brute}, readings)
