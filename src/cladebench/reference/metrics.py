"""Measures of hierarchies by enumeration of pairs.

Each follows its definition word for word.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from cladebench.hierarchy import Hierarchy
from cladebench.metrics.similarity import LinearKernel
from cladebench.reference.hierarchy import lca, samples_below


def dendrogram_purity(hierarchy: Hierarchy, labels: npt.ArrayLike) -> float:
    """Average the purity of common ancestors over unordered same-class pairs.

    A purity is the share of the pair's class below the ancestor. There are O(n^2) pairs; see
    cladebench.metrics.dendrogram_purity.
    """
    classes = np.asarray(labels)
    below = samples_below(hierarchy.parents, hierarchy.leaf_of)
    shares = [
        np.mean([classes[k] == classes[i] for k in below[lca(hierarchy.parents, hierarchy.leaf_of, i, j)]])
        for i, j in combinations(range(len(classes)), 2)
        if classes[i] == classes[j]
    ]
    if not shares:
        raise ValueError("no two samples share a class: dendrogram purity is a mean over such pairs")
    return float(np.mean(shares))


def dasgupta_cost(
    hierarchy: Hierarchy,
    similarity: npt.ArrayLike | sp.spmatrix | sp.sparray | LinearKernel,
    pairs: Literal["unordered", "ordered"] = "unordered",
) -> float:
    """Sum similarity x size of common ancestor over pairs.

    The pairs are of distinct samples. A size is the number of samples below the ancestor.

    There are O(n^2) pairs; see cladebench.metrics.dasgupta_cost.
    """
    given: Any = similarity
    if isinstance(given, LinearKernel):
        matrix = given.X @ given.X.T
    else:
        matrix = given.toarray() if sp.issparse(given) else np.asarray(given, dtype=np.float64)
    below = samples_below(hierarchy.parents, hierarchy.leaf_of)
    cost = sum(
        (matrix[i, j] + matrix[j, i]) / 2 * len(below[lca(hierarchy.parents, hierarchy.leaf_of, i, j)])
        for i, j in combinations(range(hierarchy.n_samples), 2)
    )
    return float(cost) * {"unordered": 1, "ordered": 2}[pairs]


def mean_over_permutations(hierarchy: Hierarchy, measure: Callable[[Hierarchy], float]) -> float:
    """Average a hierarchy's measure over all n! permutations of samples."""
    scores = [
        measure(Hierarchy(hierarchy.parents, hierarchy.leaf_of[list(order)]))
        for order in permutations(range(hierarchy.n_samples))
    ]
    return math.fsum(scores) / len(scores)
