"""Hierarchical maximum-margin clustering (HMMC) and its variants."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from cladebench.hierarchy import Hierarchy
from cladebench.methods._greedy import GreedyTopDown, Node, Split
from cladebench.methods._max_margin import ROUNDINGS, STARTS, Penalties, split_node
from cladebench.methods._placing import PlacingByModels
from cladebench.validation import check_choice, check_flag, check_int, check_real

REGULARIZERS = ("group+exclusive", "group", "exclusive", "l1", "l2")
#: Which leaf is split next: the largest score, the lowest, the largest per sample, the most samples.
GROWTHS = ("score", "lowest", "mean", "largest")
#: Added to the regulariser in the splitting score, so that a model which costs nothing has a finite score.
SCORE_FLOOR = 1e-12


class HMMC(PlacingByModels, GreedyTopDown):
    """Split nodes by max-margin clustering, the easiest one next.

    This is hierarchical maximum-margin clustering.

    Node t with n samples is split into K clusters by linear models W of shape (K, P) and labels y that minimise

        R(W) + 1/(n K) sum_i sum_{k != y_i} max(0, 1 - w_{y_i}.x_i + w_k.x_i)^2

    over balanced labels: every cluster has between 0.9 n/K and 1.1 n/K samples (equations 1 and 5 of [1]_). The leaf
    whose split has the largest score ``sum_i w_{y_i}.x_i / (G(W) + E(W))`` is split next (equation 4, Algorithm 1; see
    the notes on its denominator).

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    n_leaves : int, optional
        Leaves at which the growth ends (the paper's F), at least ``n_clusters``, which is the default. With K > 2 the
        last split may overshoot it by up to K - 2.
    n_splits : int, default=2
        Clusters into which a node is split (the paper's K).
    alpha : float, default=0.01
        Weight of group sparsity G, and of the plain penalties of "l1" and "l2". The paper searches 1e-4, ..., 1.
    beta : float, default=0.01
        Weight of exclusive sparsity E. The paper searches 1e-4, ..., 1.
    regularizer : {"group+exclusive", "group", "exclusive", "l1", "l2"}, default="group+exclusive"
        R = alpha G + beta E (HMMC), alpha G (HMMC-G), beta E (HMMC-E), `alpha/(PK) sum |W|` (HMMC-1) or
        alpha/(PK) sum W^2 (HMMC-2); G and E are equations 2 and 3.
    grow : {"score", "lowest", "mean", "largest"}, default="score"
        The leaf that is split next: the one with the largest score of equation 4 (the paper). For ablations of it: the
        one with the lowest; with the largest mean over the samples instead of the sum; with the most samples,
        whatever their split looks like.
    start : {"kmeans", "random", "pca"}, default="kmeans"
        First labels of a node, of which the paper says nothing: K-means made balanced; random ones; the samples cut
        along their leading principal direction (see `cladebench.methods._max_margin.first_labels`).
    n_init : int, default=1
        Starts at each node; the one with the lowest objective is kept. The paper is silent. Those of "pca" are all the
        same.
    slack : float, default=0.1
        Clusters may be this share larger or smaller than n/K (section 3); in [0, 1]. With 1 there is hardly any balance
        left: no cluster may be empty, or larger than 2n/K.
    rounding : {"outward", "inward"}, default="outward"
        How bounds on the sizes become integers, of which the paper says nothing (see
        `cladebench.methods._max_margin.balance_bounds`).
    fit_intercept : bool, default=False
        Give each model an unpenalised constant term. The paper's models have none. The term counts in the numerator of
        the score, and in no regulariser.
    ridge : float, default=1e-6
        Weight of ``ridge/(PK) sum W^2``, added where features may be left without any penalty: for "exclusive" (at
        the root E is zero, and below it for features that no ancestor uses) and for "group+exclusive" with
        ``alpha=0``. Without it the best W is not unique there, and equation 4 divides by zero at the root. It is part
        of R, and of the denominator of the score.
    max_iter : int, default=300
        Alternations of w-step and y-step at each node.
    w_tol : float, default=1e-4
        Optimality residual at which the last w-steps of a node stop (see
        :func:`cladebench.solvers.margin.fit_margin`); before the labels stand still for the first time, ten times that.
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
        of splitting, "models" (with the intercept last, where there is one), "objective" and "n_iter".
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree: the leaves that stood when there were at most ``n_clusters``. With K > 2 the leaves grow
        by K - 1 at a time and may pass over ``n_clusters``: there are fewer clusters then, and a UserWarning that says
        which numbers can be met (``n_splits=3`` gives 1, 3, 5, ..., so that ``n_clusters=2`` is one cluster).
    n_leaves_grown_ : int
        Number of leaves. Fewer than ``n_leaves`` where no leaf could be split any more, more where the last split
        overshot it.
    models_ : ndarray of shape (n_nodes, n_splits, n_features)
        Models of the nodes that are split; nan at leaves.
    intercepts_ : ndarray of shape (n_nodes, n_splits)
        Their constant terms, 0 without ``fit_intercept``; nan at leaves.
    feature_costs_ : ndarray of shape (n_nodes, n_features)
        What each feature contributes to R at the nodes that are split (nan at leaves): how much a split uses it.
    trace_ : dict of str to ndarray
        ``n_leaves``, ``seconds`` and ``score`` after each split.
    objective_trace_ : ndarray
        The root's objective after each half-step.
    n_iter_ : int
        The most alternations at any node.
    converged_ : bool
        Whether the alternation ended at every node, with its last w-step solved to ``w_tol``.
    largest_rise_ : float
        The largest relative rise of an objective between two half-steps at any node; never above rounding.
    largest_residual_ : float
        The largest optimality residual of the last w-steps.

    Notes
    -----
    The y-step is exact (:func:`cladebench.solvers.assignment.balanced_assignment`); the w-step is convex and solved by
    the paper's proximal quasi-Newton method. Nodes with fewer than
    ``n_splits`` samples, and nodes of equal samples, are not split; in a node that has others, equal samples may come
    apart, for the clusters have to be balanced.

    The score has G and E without alpha and beta, as printed; variants have their own regulariser instead of G + E.
    The sum in it is over all samples, so that large nodes come first among equally clear ones. The denominator is the
    sum of those terms that the objective has: with ``alpha=0`` there is no G in it, with ``beta=0`` no E, whereas any
    weight above 0, however small, brings the whole term. So the scores of ``alpha=0`` and ``alpha=1e-9`` are not near
    to each other, though the models may be. 1e-12 is added to the denominator, to keep it above 0. Where the objective
    has no such term (``alpha=0`` with "group", "l1" or "l2"; the root with "exclusive" and ``ridge=0``) nothing else
    is left of it, and the score is 1e12 times the sum. Where W is 0, so is the score.

    With two clusters and a plain l1 penalty ("l1"), models w, -w and models that differ from them by a shift common to
    both have one loss and may have one penalty: the solver's choice, symmetric ones, is one of many optima.
    Data should be centred and on one scale: models without intercept separate along directions through the origin.

    Time O(n_samples n_features n_splits) for each pass of a w-step over one level of the tree.

    References
    ----------
    .. [1] G.-T. Zhou, S. J. Hwang, M. Schmidt, L. Sigal, G. Mori, Hierarchical maximum-margin clustering,
       arXiv:1502.01827, 2015.

    Examples
    --------
    >>> from cladebench.methods import HMMC
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> HMMC(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [1, 1, 0, 0, 0]
    """

    contract_params: ClassVar[Mapping[str, Any]] = {"max_iter": 20, "w_tol": 1e-4}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_leaves: int | None = None,
        n_splits: int = 2,
        alpha: float = 0.01,
        beta: float = 0.01,
        regularizer: Literal["group+exclusive", "group", "exclusive", "l1", "l2"] = "group+exclusive",
        grow: Literal["score", "lowest", "mean", "largest"] = "score",
        start: Literal["kmeans", "random", "pca"] = "kmeans",
        n_init: int = 1,
        slack: float = 0.1,
        rounding: Literal["outward", "inward"] = "outward",
        fit_intercept: bool = False,
        ridge: float = 1e-6,
        max_iter: int = 300,
        w_tol: float = 1e-4,
        min_leaf_size: int = 1,
        max_depth: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_leaves = n_leaves
        self.n_splits = n_splits
        self.alpha = alpha
        self.beta = beta
        self.regularizer = regularizer
        self.grow = grow
        self.start = start
        self.n_init = n_init
        self.slack = slack
        self.rounding = rounding
        self.fit_intercept = fit_intercept
        self.ridge = ridge
        self.max_iter = max_iter
        self.w_tol = w_tol
        self.min_leaf_size = min_leaf_size
        self.max_depth = max_depth
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("alpha", "beta", "ridge"):
            check_real(name, getattr(self, name), 0.0)
        check_choice("regularizer", self.regularizer, REGULARIZERS)
        check_choice("grow", self.grow, GROWTHS)
        check_choice("start", self.start, STARTS)
        check_choice("rounding", self.rounding, ROUNDINGS)
        check_int("n_init", self.n_init, 1)
        check_int("max_iter", self.max_iter, 1)
        check_real("slack", self.slack, 0.0)
        check_real("w_tol", self.w_tol, 0.0, open_minimum=True)
        if self.slack > 1.0:
            raise ValueError(f"slack={self.slack!r}: expected a number in [0, 1]")
        check_flag("fit_intercept", self.fit_intercept)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        self.n_iter_, self.converged_ = 0, True
        self.largest_rise_ = self.largest_residual_ = 0.0
        self.objective_trace_ = np.empty(0)
        hierarchy = super()._build(X, y)
        n_features = X.shape[1]
        nothing = np.full((hierarchy.n_nodes, self.n_splits, n_features), np.nan)
        models = hierarchy.node_data.get("models", nothing)
        self.models_ = models[:, :, :n_features]
        self.intercepts_ = models[:, :, n_features] if models.shape[2] > n_features else models[:, :, 0] * 0.0
        self.feature_costs_ = self._feature_costs(hierarchy)
        return hierarchy

    def _models(self) -> tuple[np.ndarray, np.ndarray]:
        return self.models_, self.intercepts_

    def _split(self, node: Node) -> Split | None:
        X = self._X[node.samples]
        penalties = self.penalties(X.shape[1], ancestor_models(node))
        if self.fit_intercept:
            X, penalties = np.column_stack([X, np.ones(len(X))]), penalties.with_free_feature()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # K-means: fewer distinct rows than clusters
            split = split_node(
                X,
                self.n_splits,
                penalties,
                slack=self.slack,
                n_init=self.n_init,
                max_iter=self.max_iter,
                w_tol=self.w_tol,
                random=np.random.RandomState(node.seed),
                start=self.start,
                rounding=self.rounding,
            )
        self.n_iter_ = max(self.n_iter_, split.n_iter)
        self.converged_ &= split.converged
        self.largest_rise_ = max(self.largest_rise_, split.largest_rise)
        self.largest_residual_ = max(self.largest_residual_, split.residual)
        if node.parent is None:
            self.objective_trace_ = np.array(split.trace)
        fit = float((X * split.W[split.labels]).sum())
        score = fit / (self.complexity(split.W, penalties) + SCORE_FLOOR)
        growth = {"score": score, "lowest": -score, "mean": score / len(X), "largest": float(len(X))}
        return Split(
            split.labels,
            growth[self.grow],
            split.W,
            {"objective": split.objective, "n_iter": float(split.n_iter)},
        )

    def _feature_costs(self, hierarchy: Hierarchy) -> np.ndarray:
        costs = np.full((hierarchy.n_nodes, self.n_features_in_), np.nan)
        on_path: dict[int, list[np.ndarray]] = {hierarchy.root: []}
        for node in hierarchy.preorder:
            children = hierarchy.children(node)
            if len(children) == 0:
                continue
            W, above = self.models_[node], on_path[node]
            costs[node] = self.penalties(self.n_features_in_, np.array(above)).by_feature(W)
            # Children are numbered in the order of their clusters.
            on_path |= {int(child): [W[k], *above] for k, child in enumerate(children)}
        return costs

    def penalties(self, n_features: int, ancestors: np.ndarray) -> Penalties:
        """Compute the weights of the regulariser at a node.

        Parameters
        ----------
        n_features : int
            P.
        ancestors : ndarray of shape (n_ancestors, n_features)
            Model of each ancestor for the child on the path to the node; no row at the root.
        """
        scale = 1.0 / (n_features * self.n_splits)
        none, ones = np.zeros(n_features), np.ones(n_features)
        kind = self.regularizer
        if kind == "l1":
            return Penalties(none, self.alpha * scale * ones, none)
        if kind == "l2":
            return Penalties(none, none, self.alpha * scale * ones)
        group = self.alpha * scale * ones if kind != "exclusive" else none
        exclusive = none
        if kind != "group" and len(ancestors):
            exclusive = self.beta * scale * np.abs(ancestors[:, :n_features]).mean(axis=0)
        unbounded = kind == "exclusive" or (kind == "group+exclusive" and self.alpha == 0.0)
        return Penalties(group, exclusive, self.ridge * scale * ones if unbounded else none)

    def complexity(self, W: np.ndarray, penalties: Penalties) -> float:
        """Compute the denominator of the score.

        It is G + E of the variant, without alpha and beta (equation 4).

        A term of weight 0 is left out altogether. `SCORE_FLOOR` is still to be added.
        """
        n_features = self.n_features_in_
        weights = [
            values[:n_features] / weight if weight > 0 else values[:n_features] * 0.0
            for values, weight in (
                (penalties.group, self.alpha),
                (penalties.l1, self.alpha if self.regularizer == "l1" else self.beta),
                (penalties.ridge, self.alpha if self.regularizer == "l2" else 1.0),
            )
        ]
        return Penalties(*weights).value(W[:, :n_features])


def ancestor_models(node: Node) -> np.ndarray:
    """Give the models of the ancestors, the parent's first.

    Each is of the child that lies on the path to the node.
    """
    rows = [split.models[position] for split, position in node.path() if split.models is not None]
    return np.array(rows) if rows else np.empty((0, 0))
