"""The continuous cost of GHC word for word.

Paths are walked, pairs, nodes and points are enumerated.

Heap order as in cladebench.methods.ghc.objective: the children of node v are 2 v + 1 (left) and 2 v + 2 (right).
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt


def path_probabilities(scores: npt.ArrayLike) -> np.ndarray:
    """Multiply softmaxes over siblings' scores to Pr[x -> v] (section 2.1).

    Parameters
    ----------
    scores : array-like of shape (n_points, n_nodes)
        f(x; theta_v); the root's column is not read. Of moderate size: exponentials are taken as they are.

    Returns
    -------
    ndarray of shape (n_points, n_nodes)
    """
    f = np.asarray(scores, dtype=np.float64)
    probs = np.ones_like(f)
    for x in range(f.shape[0]):
        for v in range(1, f.shape[1]):
            node = v
            while node > 0:
                sibling = node + 1 if node % 2 == 1 else node - 1
                probs[x, v] *= np.exp(f[x, node]) / (np.exp(f[x, node]) + np.exp(f[x, sibling]))
                node = (node - 1) // 2
    return probs


def lca_distribution(p: npt.ArrayLike, q: npt.ArrayLike) -> np.ndarray:
    """Compute Pr[v = lca(x, x')] of a pair: (n_nodes,) (section 2.3).

    Enumerates the pairs of leaves at which the two points may end, routed independently of each other.
    """
    p, q = np.asarray(p), np.asarray(q)
    n_nodes = len(p)
    distribution = np.zeros(n_nodes)
    for a in range(n_nodes // 2, n_nodes):
        for b in range(n_nodes // 2, n_nodes):
            v, w = a, b
            while v != w:  # leaves of one depth climb in step
                v, w = (v - 1) // 2, (w - 1) // 2
            distribution[v] += p[a] * q[b]
    return distribution


def lca_entropy(p: npt.ArrayLike, q: npt.ArrayLike) -> float:
    """Entropy in nats of `lca_distribution`."""
    distribution = lca_distribution(p, q)
    return float(-sum(value * np.log(value) for value in distribution if value > 0))


def exact_objective(
    path_probs: npt.ArrayLike,
    similarity: Any,
    pairs: Literal["unordered", "ordered"] = "unordered",
    leaf_term: bool = True,
) -> float:
    """Compute J' by a sum over pairs, nodes and points, O(n^3 L^2).

    It is for tiny n. The pairs are of distinct points. See cladebench.methods.ghc.objective.exact_objective.
    """
    P, S = np.asarray(path_probs), np.asarray(similarity)
    total = 0.0
    for x, other in permutations(range(len(P)), 2):
        is_lca = lca_distribution(P[x], P[other])
        for v in range(P.shape[1] if leaf_term else P.shape[1] // 2):
            for third in range(len(P)):
                total += S[x, other] * is_lca[v] * P[third, v]
    return total * {"unordered": 0.5, "ordered": 1.0}[pairs]
