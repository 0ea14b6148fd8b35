"""Structure of a tree straight from its parent array.

Walks to the root, nothing stored.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def ancestors(parents: npt.ArrayLike, node: int) -> list[int]:
    """Nodes from `node` (included) up to the root."""
    up = np.asarray(parents)
    path = [int(node)]
    while up[path[-1]] != -1:
        path.append(int(up[path[-1]]))
    return path


def lca(parents: npt.ArrayLike, leaf_of: npt.ArrayLike, i: int, j: int) -> int:
    """Lowest common ancestor of samples i and j.

    The first node above j that also lies above i.
    """
    at = np.asarray(leaf_of)
    above_i = set(ancestors(parents, at[i]))
    return next(node for node in ancestors(parents, at[j]) if node in above_i)


def samples_below(parents: npt.ArrayLike, leaf_of: npt.ArrayLike) -> list[list[int]]:
    """List samples below each node, by their indices.

    Its own included.
    """
    below: list[list[int]] = [[] for _ in np.asarray(parents)]
    for sample, node in enumerate(np.asarray(leaf_of)):
        for ancestor in ancestors(parents, node):
            below[ancestor].append(sample)
    return below


def class_counts(parents: npt.ArrayLike, leaf_of: npt.ArrayLike, labels: npt.ArrayLike) -> list[list[int]]:
    """Count the samples of each class below each node.

    Classes are sorted. Each sample is counted at all nodes above it.
    """
    given = np.asarray(labels).tolist()
    column = {label: place for place, label in enumerate(sorted(set(given)))}
    counts = [[0] * len(column) for _ in np.asarray(parents)]
    for label, node in zip(given, np.asarray(leaf_of), strict=True):
        for ancestor in ancestors(parents, node):
            counts[ancestor][column[label]] += 1
    return counts


def depths(parents: npt.ArrayLike) -> list[int]:
    """Number of edges between each node and the root."""
    return [len(ancestors(parents, node)) - 1 for node in range(len(np.asarray(parents)))]
