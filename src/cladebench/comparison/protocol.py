"""Run one cell of a comparison: fit, read clusters and tree, score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from cladebench import datasets, estimators
from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.clusterers import Fitted, fit_clusterer, number_of
from cladebench.comparison import CONTROLS
from cladebench.comparison.published import agreement
from cladebench.datasets.own.own_data import OwnDataset
from cladebench.datasets.own.own_published import published_of, variant_of
from cladebench.hierarchy import Hierarchy
from cladebench.input_files import validator
from cladebench.metrics import (
    Similarity,
    cost_scores,
    purity_scores,
    rand_scores,
    similarity_of_distances,
    v_scores,
)
from cladebench.paper.protocol import Protocol, scaled, scored, tree_arrays

# The first validator of a schema changes other modules: made before a run, or each run would need a new process.
validator("own_data")

#: Up to so many rows Dasgupta's cost is computed, from a matrix; the silhouette of more is that of as many of them.
MATRIX_ROWS = 3000


class ComparisonProtocol(Protocol):
    """The protocol of all comparisons."""

    own: ClassVar[Mapping[str, Any]] = {"features": "raw", "judged_in": "raw", "published": None}
    task_keys: ClassVar[tuple[str, ...]] = ("share",)

    def measure(self, cell: Cell) -> CellOutput:
        """Fit the method for each number of clusters; score each labelling."""
        own = self.own_parameters(cell)
        X, distances = _taken(cell)
        given = X if distances else scaled(X, own["features"])
        judged = X if distances or hasattr(X, "indptr") else scaled(X, own["judged_in"])
        judge = _Judge(judged, distances)
        whole = len(cell.task.rows) == cell.data.n_samples
        fits: dict[int, Fitted] = {}
        readings: list[Reading] = []
        arrays: dict[str, np.ndarray] = {"rows": cell.task.rows}
        for name, (labels, k) in asked(cell.data).items():
            if k not in fits:
                fits[k] = _fit(cell, given, k)
                arrays[f"clusters_{k}"] = fits[k].clusters.astype(np.int32)
            found = fits[k]
            metrics = {"fit_seconds": found.seconds, "n_clusters": float(len(np.unique(found.clusters)))}
            metrics |= judge.without_labels(found)
            if labels is not None:
                metrics |= _against(labels[cell.task.rows], found)
            if whole:
                again = _fit(cell, given, k)
                metrics["refit_agrees"] = float(rand_scores(found.clusters, again.clusters).value == 1)
                metrics |= _against_published(cell, found, k)
            readings.append(Reading(metrics, {"labels": name, "k": k}))
        first = next(iter(fits.values()))
        if whole and first.tree is not None:
            arrays |= tree_arrays(first.tree)
        return CellOutput(readings=readings, arrays=arrays)


PROTOCOL = ComparisonProtocol()


def asked(data: datasets.Dataset) -> dict[str, tuple[np.ndarray | None, int]]:
    """Give the labels and number of clusters of each labelling.

    The empty name has no labels.
    """
    if isinstance(data, OwnDataset):
        return {name: (data.labellings.get(name), k) for name, k in data.clusters.items()}
    if data.labels is None:
        raise ValueError(f"{data.name} has no labels; expected data with labels")
    return {"labels": (data.labels, int(data.labels.max()) + 1)}


def _taken(cell: Cell) -> tuple[Any, bool]:
    """Give the task's rows, and whether they are distances."""
    if "distances" in cell.data.views:
        rows = cell.task.rows
        return cell.data.views["distances"].values[np.ix_(rows, rows)], True
    return cell.task.of(cell.data.X), False


# ------------------------------------------------------------------ fits


def _fit(cell: Cell, X: Any, k: int, seed: int | None = None) -> Fitted:
    """Fit the cell's method on a copy of X, and nothing else.

    It is asked for k clusters where it takes a number. A library that is imported by the fit and not
    installed makes the run unavailable.
    """
    cls = estimators.find(cell.method.estimator)
    known = estimators.parameters(cls)
    said = {name: value for name, value in cell.parameters.items() if name not in ComparisonProtocol.own}
    seed = cell.spec.seed if seed is None else seed
    given = {number_of(known): k, "random_state": seed, **estimators.WHOLE_TREE}
    taken = {name: value for name, value in given.items() if name in known}
    if cell.spec.method in CONTROLS:
        X = np.zeros((X.shape[0], 1))  # they read nothing but the number of rows
    try:
        return fit_clusterer(cls(**taken | said), X, k)
    except ModuleNotFoundError as error:
        raise datasets.DataUnavailable(f"{error.name} is not installed") from error


# ------------------------------------------------------------------ scores


def _against_published(cell: Cell, found: Fitted, k: int) -> dict[str, float]:
    """Score clusters of all rows against the method's published labels, if any."""
    archive = ComparisonProtocol().own_parameters(cell)["published"]
    if not archive:
        return {}
    known = estimators.parameters(estimators.find(cell.method.estimator))
    variant = variant_of(cell.method.estimator, known | cell.parameters)
    labels = published_of(cell.spec.data, **archive).get(variant, {}).get(k)
    if labels is None:
        return {}

    def refit(X: np.ndarray, seed: int | None) -> np.ndarray:
        return _fit(cell, X, k, seed).clusters

    features = np.asarray(cell.data.X, dtype=float)
    return agreement(labels, found.clusters, features, refit, "random_state" in known)


def _against(labels: np.ndarray, found: Fitted) -> dict[str, float]:
    """Score clusters and tree against labels, without rows of the label -1."""
    kept = labels >= 0
    if not kept.any():
        raise ValueError("no row of this draw has a label; expected one or more")
    true, clusters = labels[kept], found.clusters[kept]
    metrics = {"ari": _corrected(rand_scores(true, clusters)), "ami": _corrected(v_scores(true, clusters))}
    if found.tree is not None:
        tree = found.tree
        left = tree if kept.all() else Hierarchy(tree.parents, tree.leaf_of[kept]).pruned()
        metrics |= scored(dendrogram_purity=purity_scores(left, true))
    return metrics


def _corrected(scores: Any) -> float:
    return float(scores.corrected)


class _Judge:
    """Measures without labels, in one space for all methods and settings."""

    def __init__(self, X: Any, distances: bool) -> None:
        self._X, self._distances = X, distances
        self._similarity: np.ndarray | None = None

    def without_labels(self, found: Fitted) -> dict[str, float]:
        """Score clusters by distances and a tree by similarities, where defined."""
        n, metrics = len(found.clusters), dict[str, float]()
        if 1 < len(np.unique(found.clusters)) < n:
            some = np.random.default_rng(0).permutation(n)[:MATRIX_ROWS] if n > MATRIX_ROWS else np.arange(n)
            clusters = found.clusters[some]
            if 1 < len(np.unique(clusters)) < len(some):
                rows = self._X[np.ix_(some, some)] if self._distances else self._X[some]
                metric = "precomputed" if self._distances else "euclidean"
                metrics["silhouette"] = float(silhouette_score(rows, clusters, metric=metric))
            if not self._distances and not hasattr(self._X, "indptr"):
                metrics["calinski_harabasz"] = float(calinski_harabasz_score(self._X, found.clusters))
        if found.tree is not None and n <= MATRIX_ROWS and not hasattr(self._X, "indptr"):
            if self._similarity is None:
                self._similarity = (
                    similarity_of_distances(self._X) if self._distances else Similarity()(self._X)
                )
            cost = cost_scores(found.tree, self._similarity)
            metrics |= scored(dasgupta_cost=cost)
            if cost.permuted > 0:
                metrics["dasgupta_ratio"] = cost.value / cost.permuted
        return metrics
