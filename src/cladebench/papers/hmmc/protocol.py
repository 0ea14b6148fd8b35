"""Compute a clustering, and how its tree agrees with the classes'.

Section 5 of the paper. A repetition is one seed of the method. One fit is read at every number of leaves F: a tree that
is grown greedily had fewer leaves on its way; a full tree is cut; flat methods, and trees that are no tops of larger
ones, are fitted for each F. The evaluation
point is ``leaf_factor``, F as a multiple of the number of classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from cladebench import estimators
from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.datasets import Dataset
from cladebench.hierarchy import Hierarchy
from cladebench.methods._flat import flat_hierarchy
from cladebench.metrics import rand_scores, semantic_scores
from cladebench.paper.protocol import Protocol, scaled, scored, timed_fit, tree_arrays


class HMMCProtocol(Protocol):
    """Section 5: trees of F leaves against the tree of the classes."""

    own: ClassVar[Mapping[str, Any]] = {
        "features": "unit",  # how the features are scaled, see `cladebench.paper.protocol.scaled`
        "length": 1.0,  # what the scaled features are multiplied with
        "leaf_factors": (1.0,),  # numbers of leaves, as multiples of the number of classes
        "flat": False,  # whether the method gives clusters without a tree
        "nested": True,  # whether its tree of fewer leaves is the top of that of more: then one fit serves for all
        "extra_leaves": 0,  # leaves beyond those: 1 where "exceeds a fixed limit F" is read to the letter
    }
    task_keys: ClassVar[tuple[str, ...]] = ("rows", "share", "parts", "shuffled")

    def measure(self, cell: Cell) -> CellOutput:
        """Measure the trees of all F, and one tree's models.

        The models of the one with F = C leaves.

        Raises
        ------
        ValueError
            If the data set has no tree of its classes.
        """
        parameters, task, data = self.own_parameters(cell), cell.task, cell.data
        X, labels = (
            task.of(scaled(data.X, parameters["features"]) * parameters["length"]),
            task.of(data.labels),
        )
        tree, full_tree = class_trees(data)
        fits = _Fits(self, cell, parameters, X, labels, tree)
        readings: list[Reading] = []
        metrics: dict[str, float] = {}
        details: dict[str, Any] = {}
        arrays: dict[str, np.ndarray] = {}
        for factor in sorted(parameters["leaf_factors"]):
            estimator, hierarchy, seconds = fits.at(
                math.ceil(factor * len(data.label_names)) + parameters["extra_leaves"]
            )
            clusters = hierarchy.leaf_of if parameters["flat"] else hierarchy
            at_factor = {
                **scored(
                    sp=semantic_scores(clusters, labels, tree, "shortest_path"),
                    ps=semantic_scores(clusters, labels, tree, "path_sharing"),
                    ri=rand_scores(labels, hierarchy.leaf_of),
                ),
                "seconds": seconds,
                "n_leaves": float(hierarchy.n_leaves),
                "leaf_inertia": leaf_inertia(X, hierarchy.leaf_of),
            }
            readings.append(Reading(at_factor, {"leaf_factor": float(factor)}))
            if factor == 1.0:
                metrics = {
                    **scored(
                        sp_full_tree=semantic_scores(clusters, labels, full_tree, "shortest_path"),
                        ps_full_tree=semantic_scores(clusters, labels, full_tree, "path_sharing"),
                        ps_without_root=semantic_scores(clusters, labels, tree, "path_sharing_without_root"),
                    ),
                    "depth": float(hierarchy.depths.max()),
                    "smallest_top_share": smallest_top_share(hierarchy),
                }
                arrays = {
                    **tree_arrays(hierarchy),
                    "class_counts": class_counts(hierarchy, labels, len(data.label_names)),
                }
                if hasattr(estimator, "models_"):
                    of_models, more = model_facts(estimator, hierarchy, data)
                    metrics |= of_models
                    arrays |= more
                if hasattr(estimator, "converged_"):
                    metrics["converged"] = float(estimator.converged_)
                    details = {
                        "converged": bool(estimator.converged_),
                        "iterations": int(estimator.n_iter_),
                        "tolerance": getattr(estimator, "w_tol", getattr(estimator, "tol", None)),
                    }
        return CellOutput(metrics, readings, arrays, details)


class _Fits:
    """The fits of one cell.

    One for all numbers of leaves, or one for each where their trees are not nested.
    """

    def __init__(
        self,
        protocol: Protocol,
        cell: Cell,
        parameters: Mapping[str, Any],
        X: np.ndarray,
        labels: np.ndarray,
        tree: Hierarchy,
    ) -> None:
        self.protocol, self.cell = protocol, cell
        self.X, self.labels, self.tree = X, labels, tree
        self.flat, self.nested = bool(parameters["flat"]), bool(parameters["nested"])
        self.most = math.ceil(max(parameters["leaf_factors"]) * tree.n_samples) + parameters["extra_leaves"]
        self.grown: tuple[Any, float] | None = None

    def at(self, n_leaves: int) -> tuple[Any, Hierarchy, float]:
        """Give the fitted estimator, its tree, and its seconds.

        The tree with `n_leaves` leaves, and the seconds that it took.
        """
        if self.flat:
            estimator, seconds = self._fit(n_clusters=n_leaves)
            return estimator, flat_hierarchy(estimators.as_labels(estimator)), seconds
        if not self.nested:
            estimator, seconds = self._fit(n_leaves=n_leaves)
            return estimator, estimators.as_hierarchy(estimator), seconds
        if self.grown is None:
            self.grown = self._fit(n_leaves=self.most, **estimators.WHOLE_TREE)
        estimator, seconds = self.grown
        if "n_leaves" in getattr(estimator, "trace_", ()):
            # Splits into K > 2 may pass over n_leaves: the first tree that has as many is meant.
            reached = np.flatnonzero(estimator.trace_["n_leaves"] >= n_leaves)
            if len(reached):
                n_leaves = int(estimator.trace_["n_leaves"][reached[0]])
                seconds = float(estimator.trace_["seconds"][reached[0]])
        return estimator, estimators.as_hierarchy(estimator).truncated(n_leaves), seconds

    def _fit(self, **how: Any) -> tuple[Any, float]:
        estimator = self.protocol.build(self.cell, class_tree=self.tree, **how)
        return estimator, timed_fit(estimator, self.X, self.labels)


def class_trees(data: Dataset) -> tuple[Hierarchy, Hierarchy]:
    """Give the classes' tree without unary chains and as its source.

    Raises
    ------
    ValueError
        If the data set has no tree of its classes.
    """
    if data.class_parents is None:
        raise ValueError(f"{data.name}: expected a data set with a tree of its classes (class_parents)")
    full = Hierarchy(data.class_parents, np.arange(len(data.label_names)))
    return full.pruned(), full


def class_counts(hierarchy: Hierarchy, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Count the samples of each class below each node.

    A class that was not drawn has none.
    """
    counts = np.zeros((hierarchy.n_nodes, n_classes), dtype=np.int32)
    counts[:, np.unique(labels)] = hierarchy.class_counts(labels, dtype=np.int32)
    return counts


def leaf_inertia(X: np.ndarray, leaf_of: np.ndarray) -> float:
    """Average squared distances to leaf means: a score without labels."""
    _, leaf = np.unique(leaf_of, return_inverse=True)
    sizes = np.bincount(leaf)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, leaf, X)
    means = sums / sizes[:, None]
    return float(np.square(X - means[leaf]).sum(axis=1).mean())


def smallest_top_share(hierarchy: Hierarchy) -> float:
    """Share of the samples in the smallest part of the first split.

    1 where nothing is split.
    """
    sizes = hierarchy.sizes[hierarchy.children(hierarchy.root)]
    return float(sizes.min() / hierarchy.n_samples) if len(sizes) else 1.0


def model_facts(
    estimator: Any, hierarchy: Hierarchy, data: Dataset
) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Give facts of max-margin models: sparsity, how well solved, features.

    Arrays say which features matter at each node.

    Parameters
    ----------
    estimator : HMMC or MMC
        Fitted.
    hierarchy : Hierarchy
        Its tree, or the top of it: nodes are numbered in order of creation, so those of the top come first.
    data : Dataset
        For the names of classes and features.
    """
    models = estimator.models_ if estimator.models_.ndim == 3 else estimator.models_[None]
    split = np.flatnonzero(np.diff(hierarchy.child_ptr) > 0) if models.shape[0] > 1 else np.arange(1)
    used = models[split]
    metrics = {
        "zeros": float((used == 0.0).mean()) if used.size else 0.0,
        # Features that none of a node's models uses: a shift common to these models cannot change them.
        "zero_features": float((used == 0.0).all(axis=1).mean()) if used.size else 0.0,
        "largest_rise": float(estimator.largest_rise_),
        "largest_residual": float(estimator.largest_residual_),
        "n_alternations": float(estimator.n_iter_),
    }
    if len(split) > 1:
        metrics["ancestor_overlap"] = ancestor_overlap(models, hierarchy)
    trace = np.asarray(estimator.objective_trace_, dtype=float)
    arrays = {"trace_objective": trace}
    if len(trace):
        metrics["root_objective"] = float(trace[-1])
    if hasattr(estimator, "feature_costs_"):
        costs = np.nan_to_num(estimator.feature_costs_[split])
        shares = np.zeros((hierarchy.n_nodes, costs.shape[1]))
        shares[split] = costs / np.maximum(costs.sum(axis=1, keepdims=True), 1e-300)
        order = np.argsort(-shares, axis=1, kind="stable")[:, :5]
        arrays["top_features"] = order.astype(np.int32)
        # Of the node's regulariser; 0 for what its models do not use, and at leaves.
        arrays["top_feature_shares"] = np.take_along_axis(shares, order, axis=1)
        arrays["class_names"] = np.array(data.label_names)
        arrays["feature_names"] = np.array(
            data.feature_names or [f"feature {p}" for p in range(costs.shape[1])]
        )
    return metrics, arrays


def ancestor_overlap(models: np.ndarray, hierarchy: Hierarchy) -> float:
    """Average cosines of models' magnitudes with their ancestors' (w_{a, k_a}, equation 3).

    0 where they share no feature, 1 where they weigh all features alike; over all models of all nodes that are split
    but the root, and all their ancestors. Models that are 0 have an overlap of 0.
    """
    sizes = np.abs(models)
    units = sizes / np.maximum(np.linalg.norm(sizes, axis=2, keepdims=True), 1e-300)
    overlaps: list[float] = []
    for node in np.flatnonzero(np.diff(hierarchy.child_ptr) > 0):
        below, above = node, hierarchy.parents[node]
        while above >= 0:
            position = int(np.flatnonzero(hierarchy.children(above) == below)[0])
            overlaps += (units[node] @ units[above, position]).tolist()
            below, above = above, hierarchy.parents[above]
    return float(np.mean(overlaps))


PROTOCOL = HMMCProtocol()
