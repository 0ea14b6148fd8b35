"""Balanced k-means trees: what HMMC is without its margin."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from cladebench.discovery import Excuse
from cladebench.hierarchy import Hierarchy
from cladebench.methods._greedy import GreedyTopDown, Node, Split
from cladebench.methods._max_margin import ROUNDING, balance_bounds, balanced_start
from cladebench.methods._placing import PlacingByCentres
from cladebench.solvers.assignment import balanced_assignment
from cladebench.validation import check_choice, check_int, check_real

#: Which leaf is split next: the largest fall of the sum of squares, the lowest, the most samples.
GROWTHS = ("fall", "lowest", "largest")


class BalancedKMeans(PlacingByCentres, GreedyTopDown):
    """Split nodes by balanced k-means.

    It is a control for HMMC, which has margins instead of means.

    Start, balance and growth are those of `HMMC`. A node with n samples is split into K clusters by labels y that
    minimise the sum of squared distances to the clusters' means, where each cluster has 0.9 n/K to 1.1 n/K samples.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    n_leaves : int, optional
        Leaves at which the growth ends, at least ``n_clusters``, which is the default.
    n_splits : int, default=2
        Clusters into which a node is split (K).
    grow : {"fall", "lowest", "largest"}, default="fall"
        The leaf that is split next. "fall": the one whose split lowers the sum of squares most. That is the numerator
        of HMMC's score (equation 4 of [1]_) with the clusters' means, less the node's, as models. "lowest": the one
        whose split lowers it least. "largest": the one with the most samples.
    slack : float, default=0.1
        Clusters may be this share larger or smaller than n/K; in [0, 1].
    n_init : int, default=1
        Starts at each node; the one with the least sum of squares is kept.
    max_iter : int, default=300
        Alternations of means and labels at each node.
    min_leaf_size : int, default=1
        Nodes of at most this many samples are not split.
    max_depth : int, optional
        Nodes at this depth are not split.
    random_state : int, RandomState instance or None, default=None
        Source of the starts.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        Heights replay the order of the splits; ``node_data`` has each node's "score" (what ``grow`` goes by), "order"
        of splitting, "inertia" (the sum of squared distances to the means after the split) and "n_iter", and
        as "models" the means of its children, by which `predict` goes.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree: the leaves that stood when there were at most ``n_clusters``.
    n_leaves_grown_ : int
        Number of leaves.
    trace_ : dict of str to ndarray
        ``n_leaves``, ``seconds`` and ``score`` after each split.
    n_iter_ : int
        The most alternations at any node.
    converged_ : bool
        Whether at every node the last labels are optimal for their means.

    Notes
    -----
    Labels start as those of `HMMC` do: K-means from k-means++ seeds, then the balanced assignment to its centres. Each
    step is exact, so that the sum of squares never rises. Nodes of equal samples are not split.

    Time O(n_samples n_features n_splits) for each alternation over one level of the tree.

    References
    ----------
    .. [1] G.-T. Zhou, S. J. Hwang, M. Schmidt, L. Sigal, G. Mori, Hierarchical maximum-margin clustering,
       arXiv:1502.01827, 2015.

    Examples
    --------
    >>> BalancedKMeans(2, slack=0.0, random_state=0).fit([[0.0], [1.0], [2.0], [9.0]]).labels_.tolist()
    [0, 0, 1, 1]
    """

    contract_params: ClassVar[Mapping[str, Any]] = {"max_iter": 20}
    contract_excuses: ClassVar[Mapping[str, Excuse]] = {
        "check_fitted_rows_keep_their_clusters": (
            "fitted clusters have bounds on their sizes",
            "fitted rows change their clusters",
        )
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_leaves: int | None = None,
        n_splits: int = 2,
        grow: Literal["fall", "lowest", "largest"] = "fall",
        slack: float = 0.1,
        n_init: int = 1,
        max_iter: int = 300,
        min_leaf_size: int = 1,
        max_depth: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_leaves = n_leaves
        self.n_splits = n_splits
        self.grow = grow
        self.slack = slack
        self.n_init = n_init
        self.max_iter = max_iter
        self.min_leaf_size = min_leaf_size
        self.max_depth = max_depth
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("grow", self.grow, GROWTHS)
        check_int("n_init", self.n_init, 1)
        check_int("max_iter", self.max_iter, 1)
        check_real("slack", self.slack, 0.0)
        if self.slack > 1.0:
            raise ValueError(f"slack={self.slack!r}: expected a number in [0, 1]")

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        self.n_iter_, self.converged_ = 0, True
        return super()._build(X, y)

    def _split(self, node: Node) -> Split | None:
        X = self._X[node.samples]
        mean = X.mean(axis=0)
        X = X - mean  # rounding is relative to the extent of the node, not to its place
        random = np.random.RandomState(node.seed)
        lower, upper = balance_bounds(len(X), self.n_splits, self.slack)
        runs = []
        for _ in range(self.n_init):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
                labels = balanced_start(X, self.n_splits, lower, upper, random)
            runs.append(balanced_descent(X, labels, self.n_splits, lower, upper, self.max_iter))
        labels, inertia, n_iter, ended = min(runs, key=lambda run: run[1])
        self.n_iter_, self.converged_ = max(self.n_iter_, n_iter), self.converged_ and ended
        fall = float(np.square(X).sum()) - inertia
        growth = {"fall": fall, "lowest": -fall, "largest": float(len(X))}
        means = _means(X, labels, self.n_splits) + mean
        return Split(labels, growth[self.grow], means, facts={"inertia": inertia, "n_iter": float(n_iter)})


def balanced_descent(
    X: np.ndarray, labels: np.ndarray, n_clusters: int, lower: int, upper: int, max_iter: int
) -> tuple[np.ndarray, float, int, bool]:
    """Alternate means and balanced labels until labels are optimal for means.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    labels : ndarray of int, shape (n,)
        Balanced labels to start from, no cluster empty.
    n_clusters, lower, upper, max_iter : int
        Clusters, the bounds on their sizes (``lower`` at least 1), the most alternations.

    Returns
    -------
    labels : ndarray of int, shape (n,)
    inertia : float
        Sum of squared distances to the means of the clusters.
    n_iter : int
        Alternations.
    ended : bool
        Whether no balanced labels are better for the last means.
    """
    rows, squares = np.arange(len(X)), np.einsum("ij,ij->i", X, X)
    for n_iter in range(1, max_iter + 1):
        means = _means(X, labels, n_clusters)
        costs = squares[:, None] - 2.0 * (X @ means.T) + np.einsum("kj,kj->k", means, means)
        moved = balanced_assignment(costs, lower, upper)
        now = float(costs[rows, labels].sum())
        # Ties do not count: among labels of equal cost the present ones stay, so that the descent ends.
        if now - float(costs[rows, moved].sum()) <= ROUNDING * max(now, 0.0):
            return labels, _inertia(X, labels, n_clusters), n_iter, True
        labels = moved
    return labels, _inertia(X, labels, n_clusters), n_iter, False


def _means(X: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    members = (labels[:, None] == np.arange(n_clusters)).astype(np.float64)
    means: np.ndarray = (members.T @ X) / members.sum(axis=0)[:, None]
    return means


def _inertia(X: np.ndarray, labels: np.ndarray, n_clusters: int) -> float:
    return float(np.square(X - _means(X, labels, n_clusters)[labels]).sum())
