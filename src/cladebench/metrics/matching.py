"""Share of samples in the cluster matched with their class.

Clusters and classes are matched one to one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench import _core
from cladebench.class_labels import class_codes
from cladebench.metrics.scores import Scores

#: Permutations whose mean stands for the expectation, which has no closed form.
PERMUTATIONS = 200


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
    Only pairs of a cluster and a class that occur are looked at, for each permutation too: 2,000 clusters of 100,000
    samples take less than a second.

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
    value = _core.most_matched(true, predicted) / n
    rng = np.random.default_rng(0)
    shares = [_core.most_matched(rng.permutation(true), predicted) / n for _ in range(PERMUTATIONS)]
    permuted = float(np.mean(shares))
    return Scores(value, permuted, 1.0 if permuted >= 1.0 else (value - permuted) / (1.0 - permuted))
