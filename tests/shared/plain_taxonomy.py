"""Numerical taxonomy clustering with all matrices written out."""

from typing import Any

import numpy as np

from cladebench.reference import dependence as twin
from cladebench.reference import tree_metric as trees


def norm(labels: np.ndarray, Y: np.ndarray) -> float:
    """The norm in (5), with all matrices written out."""
    H, P = twin.centring(len(labels)), twin.indicator(labels, len(Y)).astype(float)
    return float(np.linalg.norm(H @ P @ Y @ P.T @ H))


def distances_of(Y: np.ndarray) -> np.ndarray:
    k = range(len(Y))
    return np.array([[np.sqrt(max(Y[a, a] + Y[b, b] - 2 * Y[a, b], 0.0)) for b in k] for a in k])


def structure_of(D: np.ndarray, labels: np.ndarray, clip: bool = False, squared: bool = True) -> np.ndarray:
    H = twin.centring(len(D))
    Y = -0.5 * H @ (D * D if squared else D) @ H
    if clip:
        values, vectors = np.linalg.eigh(Y)
        Y = sum(max(v, 0.0) * np.outer(u, u) for v, u in zip(values, vectors.T, strict=True))
    return Y / norm(labels, Y)


def renamed(labels: np.ndarray) -> np.ndarray:
    order = list(dict.fromkeys(labels.tolist()))
    return np.array([order.index(label) for label in labels.tolist()])


def written_out(
    M: np.ndarray, labels: np.ndarray, *, tree: bool = True, square: bool = False, clip: bool = False
) -> dict[str, Any]:
    """Section 4, with the best of all trees."""
    labels = renamed(labels)
    k = labels.max() + 1
    path, n_iter = [twin.dependence(M, labels, np.eye(k))], 0
    while True:
        Y = twin.optimal_structure(M, labels, k)
        D = distances_of(Y) ** (2 if square else 1)
        if tree:
            T = trees.fit_edges(D, trees.best_topology(D)[0])[1]
            Y = structure_of(T, labels, clip, not square)
        path.append(twin.dependence(M, labels, Y))
        moved, values, _ = twin.greedy_partition(M, Y, labels)
        path.append(values[-1])
        n_iter += 1
        if (renamed(moved) == labels).all():
            return {"labels": labels, "structure": Y, "distances": D, "path": path, "n_iter": n_iter}
        labels = renamed(moved)
