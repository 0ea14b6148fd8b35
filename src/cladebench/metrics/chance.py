"""What chance gives.

Exact expectations of measures when the rows of a result are permuted uniformly at random.

Permuted, a tree or a partition keeps its shape and loses all that it knows of the data. What a measure still gives it
is what the shape alone is worth. Semantic similarity has `semantic_scores` in `cladebench.metrics.semantic`.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from cladebench.class_labels import class_codes
from cladebench.hierarchy import Hierarchy
from cladebench.metrics.hierarchical import SimilarityLike, dasgupta_cost, dendrogram_purity, tree_of
from cladebench.metrics.partitions import pairs_together
from cladebench.metrics.scores import Scores


def expected_rand_index(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Compute the expected Rand index under random permutations of the rows.

    Parameters
    ----------
    labels_true, labels_pred
        As for :func:`cladebench.metrics.rand_index`, whose errors are those of this function.

    Returns
    -------
    float
        With p and q the shares of the pairs that each partition keeps together, p q + (1 - p) (1 - q).

    References
    ----------
    Hubert and Arabie (1985), Comparing partitions, Journal of Classification 2.

    Examples
    --------
    >>> from cladebench.metrics import expected_rand_index
    >>> round(expected_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6111
    """
    return rand_scores(labels_true, labels_pred).permuted


def rand_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> Scores:
    """Score the Rand index, with its value by chance.

    Parameters
    ----------
    labels_true, labels_pred
        As for :func:`cladebench.metrics.rand_index`, whose errors are those of this function.

    Returns
    -------
    Scores
        ``corrected`` is the adjusted Rand index (Hubert and Arabie 1985), (RI - E) / (1 - E); 1, as in scikit-learn,
        where both partitions are one cluster or both are single samples.

    Examples
    --------
    >>> from cladebench.metrics import rand_scores
    >>> scores = rand_scores([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(scores.value, 4), round(scores.corrected, 4)
    (0.8333, 0.5714)
    """
    true, predicted, both, pairs = pairs_together(labels_true, labels_pred)
    room = pairs * (true + predicted) - 2 * true * predicted
    return Scores(
        (pairs + 2 * both - true - predicted) / pairs,
        (true * predicted + (pairs - true) * (pairs - predicted)) / pairs**2,
        2 * (pairs * both - true * predicted) / room if room else 1.0,
    )


def f_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> Scores:
    """Score the F-measure over pairs of samples, with its value by chance.

    Parameters
    ----------
    labels_true, labels_pred
        As for :func:`cladebench.metrics.rand_index`, whose errors are those of this function.

    Returns
    -------
    Scores
        ``value`` is the harmonic mean of precision and recall of the pairs that clusters keep together against those
        that classes do; 1 where there are no such pairs. ``corrected`` is the adjusted Rand index, which is
        (F - E) / (1 - E): both are linear in the pairs that are in both, at the same sizes.

    Examples
    --------
    >>> from cladebench.metrics import f_scores
    >>> round(f_scores([0, 0, 1, 1], [0, 0, 1, 2]).value, 4)
    0.6667
    """
    true, predicted, both, pairs = pairs_together(labels_true, labels_pred)
    if true + predicted == 0:
        return Scores(1.0, 1.0, 1.0)
    expected = 2.0 * true * predicted / pairs / (true + predicted)
    return Scores(2.0 * both / (true + predicted), expected, rand_scores(labels_true, labels_pred).corrected)


def expected_dendrogram_purity(hierarchy: Hierarchy, labels: npt.ArrayLike) -> float:
    """Compute the expected dendrogram purity under random permutations of the rows.

    Parameters
    ----------
    hierarchy, labels
        As for :func:`cladebench.metrics.dendrogram_purity`, whose errors are those of this function.

    Returns
    -------
    float

    Notes
    -----
    Of a class of m samples that has two at some pair of places, whose lowest common ancestor has s samples below it,
    each of the s - 2 others is one with probability (m - 2) / (n - 2). The expected share is therefore
    h + (1 - h) (m - 2) / (n - 2) with h = 2 / s, linear in h: over all pairs of places the mean of h is all that the
    tree contributes, and over all pairs of one class classes count by their pairs. Several samples at one leaf are
    pairs whose lowest common ancestor is the leaf. O(n_nodes + n).

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import expected_dendrogram_purity
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> round(expected_dendrogram_purity(tree, ["a", "a", "b", "b", "b"]), 4)
    0.68
    """
    tree_of(hierarchy)
    n = hierarchy.n_samples
    class_sizes = np.bincount(class_codes(labels, n)[1])
    weights = class_sizes * (class_sizes - 1.0)
    if not weights.any():
        raise ValueError(
            "labels: no two samples share a class; expected such pairs, over which purity is a mean"
        )
    if n == 2:
        return 1.0
    met = pairs_met(hierarchy)
    nodes = met > 0
    itself = 2.0 * math.fsum(met[nodes] / hierarchy.sizes[nodes]) / math.comb(n, 2)
    others = float(weights @ (class_sizes - 2.0)) / float(weights.sum()) / (n - 2)
    return itself + (1.0 - itself) * others


def purity_scores(hierarchy: Hierarchy, labels: npt.ArrayLike) -> Scores:
    """Score dendrogram purity, with its value by chance.

    Parameters
    ----------
    hierarchy, labels
        As for :func:`cladebench.metrics.dendrogram_purity`, whose errors are those of this function.

    Returns
    -------
    Scores
        ``corrected`` is (DP - E) / (1 - E): 1 where classes are whole subtrees, 0 in expectation under permutation. 1
        too where all is one class, so that chance is perfect.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import purity_scores
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> scores = purity_scores(tree, ["a", "a", "b", "b", "b"])
    >>> scores.value, scores.corrected
    (1.0, 1.0)
    """
    value = dendrogram_purity(hierarchy, labels)
    expected = expected_dendrogram_purity(hierarchy, labels)
    certain = hierarchy.n_samples == 2 or len(class_codes(labels)[0]) == 1
    return Scores(value, expected, 1.0 if certain else (value - expected) / (1.0 - expected))


def expected_dasgupta_cost(
    hierarchy: Hierarchy,
    similarity: SimilarityLike,
    pairs: Literal["unordered", "ordered"] = "unordered",
) -> float:
    """Compute the expected Dasgupta cost under random permutations of the rows.

    Parameters
    ----------
    hierarchy, similarity, pairs
        As for :func:`cladebench.metrics.dasgupta_cost`, whose errors and complexity are those of this function.

    Returns
    -------
    float
        Mean similarity of a pair x sum over pairs of the samples below their lowest common ancestor.

    Notes
    -----
    The sum of all similarities is the cost of the tree that is one leaf, over the number of samples. So each form of
    the similarity is read as it is for the cost: a linear kernel is never expanded.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import LinearKernel, expected_dasgupta_cost
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> X = [[1.0], [1.0], [2.0], [2.0], [2.0]]
    >>> expected_dasgupta_cost(tree, LinearKernel(X))
    100.0
    """
    tree_of(hierarchy)
    n = hierarchy.n_samples
    if n < 2:
        return dasgupta_cost(hierarchy, similarity, pairs)  # of no pairs
    one_leaf = Hierarchy([-1], np.zeros(n, dtype=np.int64))
    mean_similarity = dasgupta_cost(one_leaf, similarity, pairs) / n / math.comb(n, 2)
    return mean_similarity * sum_of_sizes(hierarchy)


def cost_scores(
    hierarchy: Hierarchy,
    similarity: SimilarityLike,
    pairs: Literal["unordered", "ordered"] = "unordered",
) -> Scores:
    """Score Dasgupta's cost, with its value by chance.

    The arguments are those of `dasgupta_cost`. It takes twice as long.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import LinearKernel, cost_scores
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> X = [[1.0], [1.0], [2.0], [2.0], [2.0]]
    >>> scores = cost_scores(tree, LinearKernel(X))
    >>> scores.value < scores.permuted
    True
    """
    return Scores(
        dasgupta_cost(hierarchy, similarity, pairs), expected_dasgupta_cost(hierarchy, similarity, pairs)
    )


def pairs_met(hierarchy: Hierarchy) -> npt.NDArray[np.int64]:
    """Count the pairs of samples that each node is lca of.

    The shape is (n_nodes,).
    """
    below = hierarchy.sizes * (hierarchy.sizes - 1) // 2
    met = below.copy()
    inner = np.delete(np.arange(hierarchy.n_nodes), hierarchy.root)
    np.subtract.at(met, hierarchy.parents[inner], below[inner])
    return met


def sum_of_sizes(hierarchy: Hierarchy) -> int:
    """Sum the sizes of lowest common ancestors over all pairs, exactly.

    A size is the number of samples below.
    """
    exact = np.int64 if hierarchy.n_samples**3 < 2**63 else object
    return int((pairs_met(hierarchy).astype(exact) * hierarchy.sizes).sum())
