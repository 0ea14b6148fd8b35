"""Flat maximum-margin clustering (MMC)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from cladebench.hierarchy import Hierarchy
from cladebench.methods._flat import flat_hierarchy
from cladebench.methods._max_margin import ROUNDINGS, STARTS, Penalties, split_node
from cladebench.methods._placing import PlacingByModels
from cladebench.validation import check_choice, check_int, check_real, check_scale


class MMC(PlacingByModels):
    """Split all samples into all clusters at once, by max-margin.

    This is flat maximum-margin clustering.

    The splitting problem of :class:`HMMC` at one node with ``n_splits = n_clusters`` and the penalty
    ``alpha/(PK) sum W^2``, as in [1]_ without latent variables.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters (K).
    alpha : float, default=0.01
        Weight of the penalty. The HMMC paper does not say which values it searched for MMC.
    start : {"kmeans", "random", "pca"}, default="kmeans"
        First labels, as in :class:`HMMC`.
    n_init : int, default=1
        Starts; the one with the lowest objective is kept.
    slack : float, default=0.1
        Clusters may be this share larger or smaller than n/K. From 1 on the lower bound is one sample, from K - 1 on no
        upper one is left.
    rounding : {"outward", "inward"}, default="outward"
        How bounds on the sizes become integers, as in :class:`HMMC`.
    max_iter : int, default=300
        Alternations of w-step and y-step.
    w_tol : float, default=1e-4
        Optimality residual of the last w-step.
    random_state : int, RandomState instance or None, default=None
        Source of the starts.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A root with one leaf for each cluster.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample; ``n_clusters`` of them, unless all samples are equal.
    models_ : ndarray of shape (n_clusters, n_features)
    objective_trace_ : ndarray
        The objective after each half-step.
    n_iter_, converged_, largest_rise_, largest_residual_
        As in :class:`HMMC`.

    Notes
    -----
    Time O(n_samples n_features n_clusters) for each pass of a w-step,
    O(n_samples n_clusters^2) for the costs of a y-step.

    Samples that are all equal are not split: there is one cluster then. Otherwise equal samples may come apart, for the
    clusters have to be balanced.

    References
    ----------
    .. [1] G.-T. Zhou, T. Lan, A. Vahdat, G. Mori, Latent maximum margin clustering, NIPS 2013.

    Examples
    --------
    >>> from cladebench.methods import MMC
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> MMC(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [1, 1, 0, 0, 0]
    """

    contract_params: ClassVar[Mapping[str, Any]] = {"max_iter": 20, "w_tol": 1e-4}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        alpha: float = 0.01,
        start: Literal["kmeans", "random", "pca"] = "kmeans",
        n_init: int = 1,
        slack: float = 0.1,
        rounding: Literal["outward", "inward"] = "outward",
        max_iter: int = 300,
        w_tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.start = start
        self.n_init = n_init
        self.slack = slack
        self.rounding = rounding
        self.max_iter = max_iter
        self.w_tol = w_tol
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_real("alpha", self.alpha, 0.0)
        check_choice("start", self.start, STARTS)
        check_choice("rounding", self.rounding, ROUNDINGS)
        check_int("n_init", self.n_init, 1)
        check_int("max_iter", self.max_iter, 1)
        check_real("slack", self.slack, 0.0)
        check_real("w_tol", self.w_tol, 0.0, open_minimum=True)

    def _models(self) -> tuple[np.ndarray, np.ndarray]:
        return self.models_[None], np.zeros((1, len(self.models_)))

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        check_scale(X)
        n, n_features = X.shape
        self.models_ = np.zeros((1, n_features))
        self.objective_trace_ = np.empty(0)
        self.n_iter_, self.converged_ = 0, True
        self.largest_rise_ = self.largest_residual_ = 0.0
        if self.n_clusters == 1 or (X[0] == X).all():
            return flat_hierarchy(np.zeros(n, dtype=np.int64))
        none = np.zeros(n_features)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # K-means: fewer distinct rows than clusters
            split = split_node(
                X,
                self.n_clusters,
                Penalties(none, none, none + self.alpha / (n_features * self.n_clusters)),
                slack=self.slack,
                n_init=self.n_init,
                max_iter=self.max_iter,
                w_tol=self.w_tol,
                random=check_random_state(self.random_state),
                start=self.start,
                rounding=self.rounding,
            )
        self.models_, self.objective_trace_ = split.W, np.array(split.trace)
        self.n_iter_, self.converged_ = split.n_iter, split.converged
        self.largest_rise_, self.largest_residual_ = split.largest_rise, split.residual
        return flat_hierarchy(split.labels)
