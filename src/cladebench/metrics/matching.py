"""Share of samples in the cluster matched with their class.

Clusters and classes are matched one to one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from cladebench.class_labels import class_codes
from cladebench.metrics.scores import Scores

#: Permutations whose mean stands for the expectation, which has no closed form.
PERMUTATIONS = 200
#: Pairs of a class and a cluster up to which all are kept. Of more, few occur.
DENSE = 10_000


def matched_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> Scores:
    """Score clustering accuracy in the best matching of clusters and classes.

    It is the share of samples whose cluster is matched to their class.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n_samples,)
        Class and cluster of each sample; names do not matter, and there may be more of one than of the other: what is
        left over is matched to none.

    Returns
    -------
    Scores
        ``permuted`` is the mean over 200 permutations of the rows, drawn with a fixed seed; no closed form is known.
        ``corrected`` is (value - permuted) / (1 - permuted), 1 where chance is perfect.

    Raises
    ------
    ValueError
        If lengths differ, there are no samples, a label is missing or of another kind than the rest.

    Notes
    -----
    O(k^3) for k clusters or classes, for each permutation too; with many clusters less, for few pairs occur.

    References
    ----------
    Kuhn (1955), The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2.

    Examples
    --------
    >>> from cladebench.metrics import matched_scores
    >>> matched_scores(["a", "a", "b", "b"], [1, 1, 0, 1]).value
    0.75
    """
    true = class_codes(labels_true, name="labels_true")[1]
    n = len(true)
    if n == 0:
        raise ValueError("labels_true is empty; expected at least one sample")
    predicted = class_codes(labels_pred, n, "labels_pred")[1]
    value = _matched(true, predicted)
    rng = np.random.default_rng(0)
    permuted = float(np.mean([_matched(rng.permutation(true), predicted) for _ in range(PERMUTATIONS)]))
    return Scores(value, permuted, 1.0 if permuted >= 1.0 else (value - permuted) / (1.0 - permuted))


def _matched(true: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64]) -> float:
    n_true, n_predicted = int(true.max()) + 1, int(predicted.max()) + 1
    match = _matched_dense if n_true * n_predicted <= DENSE else _matched_sparse
    return match(true, predicted, n_true, n_predicted) / len(true)


def _matched_dense(
    true: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64], n_true: int, n_predicted: int
) -> int:
    counts = np.zeros((n_true, n_predicted), dtype=np.int64)
    np.add.at(counts, (true, predicted), 1)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return int(counts[rows, columns].sum())


def _matched_sparse(
    true: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64], n_true: int, n_predicted: int
) -> int:
    """Match over the pairs that occur.

    A class without a match takes a column of its own, which is worth one less than a pair of one sample.
    """
    pairs, counts = np.unique(true * n_predicted + predicted, return_counts=True)
    alone = np.arange(n_true)
    rows, columns = np.r_[pairs // n_predicted, alone], np.r_[pairs % n_predicted, n_predicted + alone]
    worth = np.r_[counts + 1.0, np.ones(n_true)]
    graph = csr_array((worth, (rows, columns)))
    return int(graph[min_weight_full_bipartite_matching(graph, maximize=True)].sum()) - n_true
