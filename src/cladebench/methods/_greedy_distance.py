"""The two rules by which the baselines of the hmmc paper choose the leaf to split."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from cladebench.methods._greedy import GreedyTopDown, Node, Split
from cladebench.validation import check_choice

RULES = ("compact", "scattered")


class GreedyByDistance(GreedyTopDown):
    """Greedy growth that scores a leaf by Euclidean distances to centres, however its samples are clustered.

    A subclass defines `_cluster`; ``grow`` is one of "compact" (the leaf whose clusters have the least average
    distance of a sample to the mean of its cluster) and "scattered" (the leaf with the largest total distance of its
    samples to their mean).
    """

    grow: str

    @abstractmethod
    def _cluster(self, node: Node) -> np.ndarray:
        """Return the cluster of each sample of the node: integers 0, 1, ..., none left out."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("grow", self.grow, RULES)

    def _split(self, node: Node) -> Split | None:
        labels = self._cluster(node)
        if not labels.any():
            return None
        points = self._X[node.samples]
        if self.grow == "compact":
            return Split(labels, -distances_to_centers(points, labels).sum() / len(points))
        return Split(labels, distances_to_centers(points, np.zeros_like(labels)).sum())


def distances_to_centers(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Euclidean distance of each row to the mean of its cluster.

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
