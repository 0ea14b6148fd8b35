"""Entropy of the classes given the clusters, V-measure, and what chance gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import entropy
from sklearn.metrics.cluster import contingency_matrix, mutual_info_score

from cladebench.class_labels import class_codes
from cladebench.metrics.scores import Scores

#: Probabilities, relative to the largest, that add nothing to a sum.
_NEGLIGIBLE = 1e-25


def entropy_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> Scores:
    """Score the conditional entropy H(l|c), with its value by chance.

    It is the entropy of the class given the cluster, in nats.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n_samples,)
        Class and cluster of each sample; names do not matter.

    Returns
    -------
    Scores
        ``value`` is H(l) - I(l; c): 0 where each cluster has one class, H(l) where clusters say nothing. ``permuted``
        is its exact expectation when the rows of either are permuted at random, below H(l) as few rows agree by
        chance; ``corrected`` is the adjusted mutual information, as in `v_scores`.

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or of another kind than the rest.

    References
    ----------
    Cover and Thomas (1991), Elements of information theory, chapter 2.

    Examples
    --------
    >>> from cladebench.metrics import entropy_scores
    >>> round(entropy_scores([0, 0, 1, 1], [0, 0, 0, 1]).value, 4)
    0.4774
    """
    true, predicted, table = _table(labels_true, labels_pred)
    whole = float(entropy(true))
    left = max(0.0, whole - float(mutual_info_score(None, None, contingency=table)))
    # A sum of logarithms that is nothing but rounding.
    left = 0.0 if left < 1e-12 * max(whole, 1.0) else left
    if len(predicted) == 1:  # no permutation changes anything
        return Scores(left, left, float(len(true) == 1))
    expected = expected_conditional_entropies(true, predicted)
    return Scores(left, min(expected[0], whole), _adjusted(true, predicted, table, expected))


def v_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> Scores:
    """Score the V-measure, with its value by chance.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n_samples,)
        Class and cluster of each sample; names do not matter.

    Returns
    -------
    Scores
        ``value`` is the harmonic mean of homogeneity and completeness: 2 I / (H + H'), with the mutual information I
        and the entropies of both; 1 exactly where both are the same partition. ``permuted`` is its exact expectation
        when the rows of either are permuted at random, which keeps the entropies. ``corrected`` is the adjusted mutual
        information, (I - E) / ((H + H') / 2 - E): at most 1, and 1 exactly where both are the same partition.

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or of another kind than the rest.

    References
    ----------
    Rosenberg and Hirschberg (2007), V-measure, EMNLP-CoNLL. Vinh, Epps and Bailey (2010), Information theoretic
    measures for clusterings comparison, JMLR 11.

    Examples
    --------
    >>> from cladebench.metrics import v_scores
    >>> round(v_scores([0, 0, 1, 1], [0, 0, 1, 2]).value, 4)
    0.8
    """
    true, predicted, table = _table(labels_true, labels_pred)
    mean = float(entropy(true) + entropy(predicted)) / 2.0
    if table.nnz == len(true) == len(predicted):  # the same partition
        value = 1.0
    else:
        value = float(np.clip(mutual_info_score(None, None, contingency=table) / mean, 0.0, 1.0))
    if min(len(true), len(predicted)) == 1:  # no permutation changes anything
        return Scores(value, value, value)
    expected = expected_conditional_entropies(true, predicted)
    permuted = max(1.0 - sum(expected) / 2.0 / mean, 0.0)
    return Scores(value, permuted, _adjusted(true, predicted, table, expected))


def expected_conditional_entropies(
    true: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64]
) -> tuple[float, float]:
    """Compute the expectations of H(l|c) and H(c|l), in nats.

    They are over all pairs of partitions into groups of these sizes.

    Parameters
    ----------
    true, predicted : ndarray of int64
        Samples of each class l and of each cluster c; none 0.

    Returns
    -------
    of_true, of_predicted : float

    Notes
    -----
    A class of a samples and a cluster of b share k, a hypergeometric number, which contributes k/n log(b/k) to H(l|c)
    and k/n log(a/k) to H(c|l). No term is negative: nothing cancels. Probabilities come from the mode outwards by the
    ratio of neighbours; logarithms of factorials are large, and their differences lose digits.

    Equal sizes are computed once. With A and B distinct sizes, each fewer than sqrt(2 n), and s the largest
    hypergeometric deviation: O(A B s) time, O(A B) memory.
    """
    n = int(true.sum())
    (sizes, n_a), (others, n_b) = (np.unique(of, return_counts=True) for of in (true, predicted))
    share = np.outer(n_a, n_b).ravel() / n
    a, b = (grid.ravel().astype(np.float64) for grid in np.meshgrid(sizes, others, indexing="ij"))
    rest = n - a - b
    mode = np.clip(np.floor((a + 1) * (b + 1) / (n + 2)), np.maximum(-rest, 0), np.minimum(a, b))
    mass = np.ones(len(a))  # relative to the mode's
    of_true, of_predicted = mode * _log_ratio(b, mode), mode * _log_ratio(a, mode)
    for up in (True, False):
        k, p, at = mode, np.ones(len(a)), np.arange(len(a))
        while len(at):
            higher = k + 1 if up else k
            ratio = (a[at] - higher + 1) * (b[at] - higher + 1), higher * (rest[at] + higher)
            p, k = (p * ratio[0] / ratio[1], k + 1) if up else (p * ratio[1] / ratio[0], k - 1)
            live = p > _NEGLIGIBLE
            p, k, at = p[live], k[live], at[live]
            mass[at] += p
            of_true[at] += p * k * _log_ratio(b[at], k)
            of_predicted[at] += p * k * _log_ratio(a[at], k)
    return math.fsum(share * of_true / mass), math.fsum(share * of_predicted / mass)


def _adjusted(
    true: npt.NDArray[np.int64],
    predicted: npt.NDArray[np.int64],
    table: Any,
    expected: tuple[float, float],
) -> float:
    """Adjust mutual information for chance.

    It is 1 less what both partitions leave of each other, over its expectation. H(l|c) + H(c|l) = H + H' - 2 I, so that
    this is the usual form; but with many groups the differences there cancel.
    """
    cells = table.tocoo()
    k = cells.data.astype(np.float64)
    logs = _log_ratio(true[cells.row], k) + _log_ratio(predicted[cells.col], k)
    left = math.fsum(k * logs) / int(true.sum())
    return 1.0 - left / sum(expected) if sum(expected) > 0.0 else 1.0  # all are single samples


def _log_ratio(sizes: npt.NDArray[Any], k: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """log(size / k), to the last digits where they are near.

    Finite where k is 0.
    """
    return np.log1p((sizes - k) / np.maximum(k, 1.0))


def _table(
    labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Any]:
    """Count the sizes of classes and clusters and their intersections.

    The intersections are a sparse matrix.
    """
    true = class_codes(labels_true, name="labels_true")[1]
    n = len(true)
    if not n:
        raise ValueError("labels_true is empty; expected at least one sample")
    predicted = class_codes(labels_pred, n, "labels_pred")[1]
    return np.bincount(true), np.bincount(predicted), contingency_matrix(true, predicted, sparse=True)
