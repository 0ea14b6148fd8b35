"""Find the words of document clusters, and the paper's clusters they recover."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Words of a cluster in Table 2.
N_WORDS = 20
#: Table 2: the words of each cluster of NIPS papers, in the printed order.
PRINTED: Mapping[str, tuple[str, ...]] = {
    letter: tuple(words.split())
    for letter, words in {
        "a": "neurons cells model cell visual neuron activity synaptic response firing cortex stimulus spike cortical "
        "frequency orientation motion direction spatial excitatory",
        "b": "chip circuit analog voltage current figure vlsi neuron output circuits synapse motion pulse neural input "
        "digital gate cmos silicon implementation",
        "c": "memory dynamics image neural hopfield control system inverse energy capacity object field motor "
        "computational network images subjects model associative attractor",
        "d": "network units learning hidden networks input training output unit weights error weight neural layer "
        "recurrent net time back propagation number",
        "e": "training recognition network speech set word performance neural networks trained classification layer "
        "input system features test classifier classifiers feature image",
        "f": "state learning policy action reinforcement optimal control function time states actions agent algorithm "
        "reward sutton goal dynamic step programming rl",
        "g": "function error algorithm functions learning theorem class linear examples case training vector bound "
        "generalization set approximation bounds loss algorithms dimension",
        "h": "data model models distribution gaussian likelihood parameters algorithm mixture em bayesian posterior "
        "probability density variables prior log approach matrix estimation",
    }.items()
}
LETTERS = tuple(PRINTED)
#: What the printed sentences say of pairs of clusters (section 5.2): these are close, against those.
CLOSE: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "de_apart": (("de",), ("dg", "dh", "eg", "eh")),
    "gh_apart": (("gh",), ("ga", "gb", "ha", "hb")),
}


def word_scores(X: Any, labels: IntArray, n_clusters: int) -> FloatArray:
    """Score words by mean occurrence inside a cluster minus outside (section 5.2).

    Parameters
    ----------
    X : csr_array of shape (n_documents, n_words)
        How often a word occurs in a document. Where it is 1 for all that do, scores are differences of shares of
        documents.
    labels : ndarray of int64, shape (n_documents,)
    n_clusters : int

    Returns
    -------
    ndarray of shape (n_clusters, n_words)
        The mean outside is 0 where all documents are in the cluster.
    """
    total = np.asarray(X.sum(axis=0)).ravel()
    scores = np.empty((n_clusters, X.shape[1]))
    for c in range(n_clusters):
        inside = labels == c
        count = np.asarray(X[inside].sum(axis=0)).ravel()
        outside = max(1, int((~inside).sum()))
        scores[c] = count / max(1, int(inside.sum())) - (total - count) / outside
    return scores


def top_words(scores: FloatArray, names: npt.ArrayLike, n_words: int = N_WORDS) -> npt.NDArray[np.str_]:
    """List the words of largest score, shape (n_clusters, n_words).

    Equal ones come in the order of the vocabulary.
    """
    order = np.argsort(-scores, axis=1, kind="stable")[:, :n_words]
    return np.asarray(names)[order]


def matched_to_printed(words: npt.NDArray[np.str_]) -> tuple[IntArray, IntArray]:
    """Match clusters with those of Table 2 by most common words.

    The matching is one to one.

    Parameters
    ----------
    words : ndarray of str, shape (n_clusters, n_words)

    Returns
    -------
    cluster : ndarray of int64, shape (8,)
        For each printed cluster the one that it is matched with; -1 where there are fewer.
    shared : ndarray of int64, shape (8,)
        Words of it that come back.
    """
    overlap = np.array([[len(set(ours) & set(printed)) for ours in words] for printed in PRINTED.values()])
    printed, cluster = linear_sum_assignment(-overlap)
    matched, shared = np.full(len(LETTERS), -1), np.zeros(len(LETTERS), dtype=np.int64)
    matched[printed], shared[printed] = cluster, overlap[printed, cluster]
    return matched, shared


def placement(distances: FloatArray, matched: IntArray) -> dict[str, float]:
    """Measure what section 5.2 says of where clusters lie in the tree.

    Parameters
    ----------
    distances : ndarray of shape (k, k)
        Between the clusters, in the tree.
    matched : ndarray of int64, shape (8,)
        Cluster of each letter; all there.

    Returns
    -------
    dict of str to float
        ``de_apart``, ``gh_apart``: distance of two clusters that are called close, over the mean distance to those that
        they are called distant from. ``f_apart``, ``c_apart``: mean distance of a cluster to all others, over the mean
        of all pairs.
    """
    at = dict(zip(LETTERS, matched.tolist(), strict=True))

    def mean(pairs: tuple[str, ...]) -> float:
        return float(np.mean([distances[at[pair[0]], at[pair[1]]] for pair in pairs]))

    everywhere = mean(tuple(a + b for a, b in combinations(LETTERS, 2))) or 1.0
    ratios = {name: mean(near) / (mean(far) or 1.0) for name, (near, far) in CLOSE.items()}
    for letter in "fc":
        to_others = mean(tuple(letter + other for other in LETTERS if other != letter))
        ratios[f"{letter}_apart"] = to_others / everywhere
    return ratios
