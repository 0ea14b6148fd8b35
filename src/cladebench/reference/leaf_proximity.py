"""Proximities of a forest by their definitions, pair by pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


def proximity(
    weights: str,
    leaves: IntArray,
    others: IntArray,
    drawn: IntArray | None = None,
    others_drawn: IntArray | None = None,
) -> npt.NDArray[np.float64]:
    """Compute the proximities of rows to others.

    Parameters
    ----------
    weights : {"leaf", "oob", "gap"}
        As of `RandomForestProximity.leaf_map`.
    leaves, others : ndarray of int, shapes (n, n_trees) and (m, n_trees)
        The leaf of each row in each tree.
    drawn, others_drawn : ndarray of int, shapes (n, n_trees) and (m, n_trees), optional
        How often each row is in the bag of each tree; never by default. "gap" needs those of the others, all of the
        fitted rows.

    Returns
    -------
    ndarray of shape (n, m)
    """
    drawn = np.zeros_like(leaves) if drawn is None else drawn
    others_drawn = np.zeros_like(others) if others_drawn is None else others_drawn
    of = {"leaf": _leaf, "oob": _oob, "gap": _gap}[weights]
    return np.array(
        [
            [of(leaves[i], others, j, drawn[i], others_drawn) for j in range(len(others))]
            for i in range(len(leaves))
        ]
    )


def _leaf(leaves: IntArray, others: IntArray, j: int, drawn: IntArray, others_drawn: IntArray) -> float:
    return sum(int(leaves[t] == others[j, t]) for t in range(len(leaves))) / len(leaves)


def _oob(leaves: IntArray, others: IntArray, j: int, drawn: IntArray, others_drawn: IntArray) -> float:
    trees = range(len(leaves))
    out = [t for t in trees if drawn[t] == 0]
    other_out = [t for t in trees if others_drawn[j, t] == 0]
    shared = [t for t in out if t in other_out and leaves[t] == others[j, t]]
    return len(trees) * len(shared) / (len(out) * len(other_out)) if shared else 0.0


def _gap(leaves: IntArray, others: IntArray, j: int, drawn: IntArray, others_drawn: IntArray) -> float:
    out = [t for t in range(len(leaves)) if drawn[t] == 0]
    total = 0.0
    for t in out:
        if others[j, t] == leaves[t]:
            bag = sum(int(others_drawn[k, t]) for k in range(len(others)) if others[k, t] == leaves[t])
            total += int(others_drawn[j, t]) / bag
    return total / len(out) if out else 0.0
