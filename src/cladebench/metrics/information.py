"""Entropy of the classes given the clusters, V-measure, and what chance gives."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import entropy
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information, mutual_info_score

from cladebench.metrics.scores import Scores
from cladebench.validation import class_codes


def entropy_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> Scores:
    """Conditional entropy H(l|c) of the class given the cluster, in nats, with what chance gives.

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
    """
    true = class_codes(labels_true, name="labels_true")[1]
    n = len(true)
    predicted = class_codes(labels_pred, n, "labels_pred")[1]
    table = contingency_matrix(true, predicted, sparse=True)
    whole = float(entropy(np.bincount(true)))
    left = max(0.0, whole - float(mutual_info_score(None, None, contingency=table)))
    # A sum of logarithms that is nothing but rounding.
    left = 0.0 if left < 1e-12 * max(whole, 1.0) else left
    expected = float(np.clip(whole - expected_mutual_information(table, n), 0.0, whole))
    return Scores(left, expected, v_scores(true, predicted).corrected)


def v_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> Scores:
    """V-measure with what chance gives.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n_samples,)
        Class and cluster of each sample; names do not matter.

    Returns
    -------
    Scores
        ``value`` is the harmonic mean of homogeneity and completeness: 2 I / (H + H'), with the mutual information I
        and the entropies of both; 1 where both are one cluster. ``permuted`` is its exact expectation when the rows of
        either are permuted at random, which keeps the entropies. ``corrected`` is the adjusted mutual information,
        (I - E) / ((H + H') / 2 - E).

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or of another kind than the rest.

    References
    ----------
    Rosenberg and Hirschberg (2007), V-measure, EMNLP-CoNLL. Vinh, Epps and Bailey (2010), Information theoretic
    measures for clusterings comparison, JMLR 11.
    """
    true = class_codes(labels_true, name="labels_true")[1]
    n = len(true)
    predicted = class_codes(labels_pred, n, "labels_pred")[1]
    mean = float(entropy(np.bincount(true)) + entropy(np.bincount(predicted))) / 2.0
    if mean <= 0.0:
        return Scores(1.0, 1.0, 1.0)
    table = contingency_matrix(true, predicted, sparse=True)
    information = mutual_info_score(None, None, contingency=table)
    expected = float(expected_mutual_information(table, n))
    room = mean - expected
    # Where both are single samples, or differ from that by little, chance finds all that there is.
    corrected = 1.0 if room <= np.finfo(np.float64).eps * mean else (information - expected) / room
    return Scores(float(np.clip(information / mean, 0.0, 1.0)), expected / mean, float(corrected))
