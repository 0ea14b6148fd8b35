"""The two rules by which baselines choose a leaf to split.

They are baselines of the hmmc paper.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from cladebench.methods._greedy import GreedyTopDown, Node, Split
from cladebench.threads import one_thread
from cladebench.validation import check_choice

RULES = ("compact", "scattered")
AVERAGES = ("samples", "clusters", "pairs")
# Entries of the largest array of pairwise distances, in float64: 64 MB.
BLOCK = 8_000_000


class GreedyByDistance(GreedyTopDown):
    """Greedy growth that scores a leaf by Euclidean distances.

    However its samples are clustered.

    A subclass defines `_cluster`; ``grow`` is one of "compact" (the leaf whose clusters have the least average
    distance within them, see `within_cluster_distance` and ``average_over``) and "scattered" (the leaf with the largest
    total distance of its samples to their mean).
    """

    grow: str
    average_over: str

    @abstractmethod
    def _cluster(self, node: Node) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the clusters 0, 1, ... of a node's samples, and centres.

        No number is left out. The centres are None where there are none.
        """

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("grow", self.grow, RULES)
        check_choice("average_over", self.average_over, AVERAGES)

    def _split(self, node: Node) -> Split | None:
        labels, centers = self._cluster(node)
        if not labels.any():
            return None
        points = self._X[node.samples]
        if self.grow == "compact":
            score = -within_cluster_distance(points, labels, self.average_over)
        else:
            score = float(distances_to_centers(points, np.zeros_like(labels)).sum())
        return Split(labels, score, centers)


def within_cluster_distance(X: np.ndarray, labels: np.ndarray, average_over: str = "samples") -> float:
    """Compute the average Euclidean distance within clusters.

    The hmmc paper minimises it, without saying over what it averages.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    labels : ndarray of int, shape (n,)
        Clusters 0, 1, ..., none of them empty.
    average_over : {"samples", "clusters", "pairs"}, default="samples"
        "samples": distance of a sample to the mean of its cluster, averaged over all samples. "clusters": the same
        averaged within each cluster, then over the clusters, small ones as much as large ones. "pairs": distance of two
        samples of one cluster, averaged over all such pairs; 0 where there is none.

    Notes
    -----
    O(n n_features) time; "pairs" O(n_features sum of squared sizes), nearly all of it in matrix products, which leave
    distances far below the extent of a cluster inexact.
    """
    if average_over == "pairs":
        sizes = np.bincount(labels)
        n_pairs = int((sizes * (sizes - 1) // 2).sum())
        return sum(_total_distance(X[labels == j]) for j in range(len(sizes))) / max(n_pairs, 1)
    distance = distances_to_centers(X, labels)
    if average_over == "clusters":
        return float((np.bincount(labels, distance) / np.bincount(labels)).mean())
    return float(distance.sum() / len(X))


def _total_distance(X: np.ndarray) -> float:
    """Sum of the Euclidean distances of all pairs of rows."""
    X = X - X.mean(axis=0)  # rounding is relative to the norms, and these are least about the middle
    norms = np.einsum("ij,ij->i", X, X)
    total, size = 0.0, max(1, BLOCK // len(X))
    # The last bits of products depend on the number of threads.
    with one_thread("blas"):
        for start in range(0, len(X), size):
            # Those after the block's first row; pairs within the block are met twice.
            rows, others = slice(start, start + size), slice(start, None)
            squared = norms[rows, None] + norms[others] - 2.0 * (X[rows] @ X[others].T)
            distance = np.sqrt(np.maximum(squared, 0.0))
            inside = distance[:, : len(distance)]
            np.fill_diagonal(inside, 0.0)
            total += float(distance.sum()) - 0.5 * float(inside.sum())
    return total


def distances_to_centers(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Compute the distance of each row to its cluster's mean.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    labels : ndarray of int, shape (n,)
        Clusters 0, 1, ..., none of them empty.

    Returns
    -------
    ndarray of shape (n,)
    """
    distance = np.empty(len(X))
    for j in range(int(labels.max()) + 1):
        offsets = X[labels == j]
        offsets -= offsets.mean(axis=0)
        distance[labels == j] = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
    return distance
