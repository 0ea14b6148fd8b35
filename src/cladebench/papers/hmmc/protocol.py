"""What one cell of the HMMC paper computes: a clustering, and how well its tree agrees with that of the classes.

Section 5 of the paper. A repetition is one seed of the method. One fit gives the results at every number of leaves F: a
tree that is grown greedily to 2 C leaves, C the number of classes, has passed the one of C leaves on its way; a full
tree is cut; flat methods are fitted for each F.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cladebench import methods
from cladebench.bench.cell_spec import CellOutput, CellSpec, MethodPlan, derive_seed
from cladebench.datasets import Dataset
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import rand_index, semantic_similarity
from cladebench.papers.hmmc.measures import path_sharing_without_root

if TYPE_CHECKING:
    from cladebench.bench.plan import Plan

#: Parameters that the protocol reads itself; all others are the estimator's.
OWN_PARAMETERS = {
    "features": "unit",  # how the features are scaled, see `scaled`
    "n_samples": None,  # rows that are drawn, the same for all methods in a repetition; all by default
    "leaf_factors": (1.0,),  # numbers of leaves, as multiples of the number of classes
    "flat": False,  # whether the method knows no tree
}


def run(spec: CellSpec, method: MethodPlan, data: Dataset) -> CellOutput:
    """Run one cell.

    Parameters
    ----------
    spec : CellSpec
        The cell; its ``setting`` overrides the method's ``params``.
    method : MethodPlan
        The plan's entry. Beside the estimator's own parameters ``params`` may hold those of `OWN_PARAMETERS`. For the
        role ``study`` the estimator is a function ``(spec, method, data) -> CellOutput``.
    data : Dataset
        With ``class_parents``, the tree of its classes.

    Returns
    -------
    CellOutput
        The measures for F = C under their plain names (``sp``, ``ps``, ``ri``, ``seconds``), for another factor with it
        appended (``sp_1.5``); the tree of F = C leaves.
    """
    if method.role == "study":
        module, _, function = method.estimator.rpartition(".")
        output: CellOutput = getattr(importlib.import_module(module), function)(spec, method, data)
        return output
    parameters = method.parameters(spec.setting)
    own = {name: parameters.pop(name, default) for name, default in OWN_PARAMETERS.items()}
    X, labels = drawn(scaled(data.X, own["features"]), data.labels, own["n_samples"], row_seed(spec))
    tree, full_tree = class_trees(data)

    metrics: dict[str, float] = {}
    details: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    fitted = _Fits(method.estimator, parameters, spec.seed, X, labels, tree, own)
    for factor in sorted(own["leaf_factors"]):
        n_leaves = math.ceil(factor * len(data.label_names))
        estimator, hierarchy, seconds = fitted.at(n_leaves)
        clusters = hierarchy.leaf_of if own["flat"] else hierarchy
        found = {
            "sp": semantic_similarity(clusters, labels, tree, kind="shortest_path"),
            "ps": semantic_similarity(clusters, labels, tree, kind="path_sharing"),
            "ri": rand_index(labels, hierarchy.leaf_of),
            "seconds": seconds,
            "n_leaves": float(hierarchy.n_leaves),
            "leaf_inertia": leaf_inertia(X, hierarchy.leaf_of),
        }
        metrics |= found if factor == 1.0 else {f"{name}_{factor:g}": value for name, value in found.items()}
        if factor == 1.0:
            metrics |= {
                "sp_full_tree": semantic_similarity(clusters, labels, full_tree, kind="shortest_path"),
                "ps_full_tree": semantic_similarity(clusters, labels, full_tree, kind="path_sharing"),
                "ps_without_root": path_sharing_without_root(clusters, labels, tree),
                "depth": float(hierarchy.depths.max()),
                "smallest_top_share": smallest_top_share(hierarchy),
            }
            arrays = {
                "parents": hierarchy.parents.astype(np.int32),
                "leaf_of": hierarchy.leaf_of.astype(np.int32),
                "class_counts": class_counts(hierarchy, labels, len(data.label_names)),
            }
            if hierarchy.heights is not None:
                arrays["heights"] = hierarchy.heights
            if hasattr(estimator, "models_"):
                found_models, more = model_facts(estimator, hierarchy)
                metrics |= found_models
                arrays |= more
            if "top_features" in arrays:
                arrays["class_names"] = np.array(data.label_names)
                arrays["feature_names"] = np.array(
                    data.feature_names or [f"feature {p}" for p in range(X.shape[1])]
                )
            if hasattr(estimator, "converged_"):
                metrics["converged"] = float(estimator.converged_)
                details = {
                    "converged": bool(estimator.converged_),
                    "iterations": int(estimator.n_iter_),
                    "tolerance": float(estimator.w_tol),
                }
    return CellOutput(metrics=metrics, arrays=arrays, details=details)


class _Fits:
    """The fits of one cell: one for all numbers of leaves, or one for each where the method is flat."""

    def __init__(
        self,
        estimator: str,
        parameters: Mapping[str, Any],
        seed: int,
        X: np.ndarray,
        labels: np.ndarray,
        tree: Hierarchy,
        own: Mapping[str, Any],
    ) -> None:
        self.name, self.parameters, self.seed = estimator, parameters, seed
        self.X, self.labels, self.tree = X, labels, tree
        self.flat = bool(own["flat"])
        self.most = math.ceil(max(own["leaf_factors"]) * tree.n_samples)
        self.grown: tuple[Any, float] | None = None

    def at(self, n_leaves: int) -> tuple[Any, Hierarchy, float]:
        """Give the fitted estimator, its tree with `n_leaves` leaves, and the seconds that this tree took."""
        if self.flat:
            estimator, seconds = self._fit({"n_clusters": n_leaves})
            return estimator, estimator.hierarchy_, seconds
        if self.grown is None:
            self.grown = self._fit({"n_leaves": self.most})
        estimator, seconds = self.grown
        if hasattr(estimator, "trace_"):
            # Splits into K > 2 may pass over n_leaves: the first tree that has as many is meant.
            reached = np.flatnonzero(estimator.trace_["n_leaves"] >= n_leaves)
            if len(reached):
                n_leaves = int(estimator.trace_["n_leaves"][reached[0]])
                seconds = float(estimator.trace_["seconds"][reached[0]])
        return estimator, estimator.hierarchy_.truncated(n_leaves), seconds

    def _fit(self, size: Mapping[str, int]) -> tuple[Any, float]:
        estimator = build(self.name, {**self.parameters, **size}, self.seed, self.tree)
        started = time.perf_counter()
        estimator.fit(self.X, self.labels)
        return estimator, time.perf_counter() - started


def build(name: str, parameters: Mapping[str, Any], seed: int, tree: Hierarchy) -> Any:
    """Make an estimator with its parameters; the seed, the size and the classes' tree only where it takes them."""
    estimator = estimator_class(name)()
    known = estimator.get_params()
    given = {"random_state": seed, "class_tree": tree, **parameters}
    optional = {"random_state", "class_tree", "n_leaves"}
    return estimator.set_params(**{k: v for k, v in given.items() if k in known or k not in optional})


def estimator_class(name: str) -> Any:
    """Find the class of an estimator: a name in `cladebench.methods`, or a dotted path."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module) if module else methods, attribute)


def validate(plan: Plan) -> None:
    """Check the plan's parameter names against what the estimators take, before anything runs.

    Raises
    ------
    PlanError
        With file, key path and the allowed names.
    """
    plan.check_estimators(methods.discover())
    plan.check_parameters(
        {
            name: [*estimator_class(method.estimator)().get_params(), *OWN_PARAMETERS]
            for name, method in plan.methods.items()
            if method.role != "study"
        }
    )


def scaled(X: np.ndarray, features: str) -> np.ndarray:
    """Centre the features, then scale them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    features : {"unit", "zscore"}
        "unit": all by one factor, such that the samples have length 1 on average (the geometry stays); "zscore": each
        to unit variance, constant ones to zero.
    """
    X = X - X.mean(axis=0)
    if features == "unit":
        length = float(np.linalg.norm(X, axis=1).mean())
        return X / (length or 1.0)
    if features == "zscore":
        deviation = X.std(axis=0)
        return X / np.where(deviation > 0, deviation, 1.0)
    raise ValueError(f"features={features!r}: expected unit or zscore")


def row_seed(spec: CellSpec) -> int:
    """Seed of the draw of rows: the same for all methods, so that their repetitions are pairs."""
    return derive_seed(spec.root_seed, spec.paper, spec.dataset, "rows", spec.repetition)


def drawn(
    X: np.ndarray, labels: np.ndarray, n_samples: int | None, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows without replacement, kept in their order; all of them where there are no more than asked for."""
    if n_samples is None or n_samples >= len(X):
        return X, labels
    rows = np.sort(np.random.default_rng(seed).permutation(len(X))[:n_samples])
    return np.ascontiguousarray(X[rows]), labels[rows]


def class_trees(data: Dataset) -> tuple[Hierarchy, Hierarchy]:
    """Give the tree of the classes without unary chains, and as the source has it.

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
    """Samples of each class below each node, shape (n_nodes, n_classes); a class that was not drawn has none."""
    counts = np.zeros((hierarchy.n_nodes, n_classes), dtype=np.int32)
    counts[:, np.unique(labels)] = hierarchy.class_counts(labels)
    return counts


def leaf_inertia(X: np.ndarray, leaf_of: np.ndarray) -> float:
    """Mean squared distance of the samples to the mean of their leaf: a score that needs no labels."""
    _, leaf = np.unique(leaf_of, return_inverse=True)
    sizes = np.bincount(leaf)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, leaf, X)
    means = sums / sizes[:, None]
    return float(np.square(X - means[leaf]).sum(axis=1).mean())


def smallest_top_share(hierarchy: Hierarchy) -> float:
    """Share of the samples in the smallest part of the first split; 1 where nothing is split."""
    sizes = hierarchy.sizes[hierarchy.children(hierarchy.root)]
    return float(sizes.min() / hierarchy.n_samples) if len(sizes) else 1.0


def model_facts(estimator: Any, hierarchy: Hierarchy) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Give the facts of max-margin models: how sparse, how well solved, which features matter at each node.

    Parameters
    ----------
    estimator : HMMC or MMC
        Fitted.
    hierarchy : Hierarchy
        Its tree, or the top of it: nodes are numbered in order of creation, so those of the top come first.
    """
    models = estimator.models_ if estimator.models_.ndim == 3 else estimator.models_[None]
    split = np.flatnonzero(np.diff(hierarchy.child_ptr) > 0) if models.shape[0] > 1 else np.arange(1)
    used = models[split]
    metrics = {
        "zeros": float((used == 0.0).mean()) if used.size else 0.0,
        # What no shift common to the models of a node can change: features that none of them uses.
        "zero_features": float((used == 0.0).all(axis=1).mean()) if used.size else 0.0,
        "largest_rise": float(estimator.largest_rise_),
        "largest_residual": float(estimator.largest_residual_),
        "n_alternations": float(estimator.n_iter_),
    }
    trace = np.asarray(estimator.objective_trace_, dtype=float)
    arrays = {"trace_objective": trace}
    if len(trace):
        metrics["root_objective"] = float(trace[-1])
    if hasattr(estimator, "feature_costs_"):
        costs = estimator.feature_costs_[: hierarchy.n_nodes]
        order = np.argsort(-np.nan_to_num(costs), axis=1, kind="stable")[:, :5]
        arrays["top_features"] = order.astype(np.int32)
        arrays["top_feature_costs"] = np.take_along_axis(costs, order, axis=1)
    return metrics, arrays
