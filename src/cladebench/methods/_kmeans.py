"""Run scikit-learn's k-means on one thread, sound for empty clusters."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cladebench.class_labels import by_first_member
from cladebench.threads import one_thread


class KMeansFit(NamedTuple):
    """What `kmeans` finds."""

    labels: np.ndarray
    centers: np.ndarray
    n_iter: int


def kmeans(
    X: np.ndarray, n_clusters: int, *, n_init: int, seed: int, max_iter: int = 300, init: str = "k-means++"
) -> KMeansFit:
    """Cluster the rows by Lloyd's algorithm.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    n_clusters : int
        At most n.
    n_init : int
        Starts; the one with the least inertia is kept.
    seed : int
    max_iter : int, default=300
        Largest number of iterations of a start; scikit-learn's default.
    init : {"k-means++", "random"}, default="k-means++"
        How the centres of a start are drawn from the rows.

    Returns
    -------
    labels : ndarray of int64, shape (n,)
        Clusters numbered by their first rows. There are fewer than ``n_clusters`` where X has fewer distinct rows (or
        rows that differ by no more than rounding), and none is empty.
    centers : ndarray of shape (n_found, n_features)
        Those of the clusters: each row belongs to the nearest one.
    n_iter : int
        Iterations of the start that was kept.

    Notes
    -----
    What scikit-learn leaves at its defaults (``tol=1e-4`` times the mean variance of a feature) is left so.
    """
    model = KMeans(n_clusters, init=init, n_init=n_init, max_iter=max_iter, random_state=seed)
    # Its sums run over one part of the rows for each thread, and their last bits with the number of threads.
    with one_thread("openmp"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        model.fit(X)
    labels = by_first_member(model.labels_)
    _, first = np.unique(labels, return_index=True)
    return KMeansFit(labels, model.cluster_centers_[model.labels_[first]], int(model.n_iter_))


def kmeans_labels(X: np.ndarray, n_clusters: int, **how: Any) -> tuple[np.ndarray, int]:
    """Give labels and number of iterations of `kmeans`."""
    best = kmeans(X, n_clusters, **how)
    return best.labels, best.n_iter
