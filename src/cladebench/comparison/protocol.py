"""Run one cell of a comparison: fit, read clusters and tree, score."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from cladebench import datasets, estimators
from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.clusterer_scores import UnlabelledScores, scores_with_labels
from cladebench.clusterers import Fitted, fit_clusterer, number_of
from cladebench.comparison import CONTROLS
from cladebench.datasets.own.own_data import labellings_of
from cladebench.input_files import validator
from cladebench.metrics import rand_scores
from cladebench.paper.protocol import Protocol, scaled, tree_arrays
from cladebench.published.agreement import agreement
from cladebench.published.label_archive import published_of, variant_of

_LIBRARIES = {"site-packages", "dist-packages"}
# The first validator of a schema changes other modules: made before a run, or each run would need a new process.
validator("own_data")


class ComparisonProtocol(Protocol):
    """The protocol of all comparisons."""

    own: ClassVar[Mapping[str, Any]] = {"features": "raw", "judged_in": "raw", "published": None}
    task_keys: ClassVar[tuple[str, ...]] = ("share",)

    def measure(self, cell: Cell) -> CellOutput:
        """Fit the method for each number of clusters; score each labelling."""
        parameters = self.own_parameters(cell)
        X, distances = _taken(cell)
        given = X if distances else scaled(X, parameters["features"])
        judged = X if distances or hasattr(X, "indptr") else scaled(X, parameters["judged_in"])
        judge = UnlabelledScores(judged, distances)
        whole = len(cell.task.rows) == cell.data.n_samples
        fits: dict[int, Fitted] = {}
        readings: list[Reading] = []
        arrays: dict[str, np.ndarray] = {"rows": cell.task.rows}
        for name, (labels, k) in labellings_of(cell.data).items():
            if k not in fits:
                fits[k] = _fit(cell, given, k)
                arrays[f"clusters_{k}"] = fits[k].clusters.astype(np.int32)
            fitted = fits[k]
            metrics = {"fit_seconds": fitted.seconds, "n_clusters": float(len(np.unique(fitted.clusters)))}
            metrics |= judge.of(fitted)
            if labels is not None:
                metrics |= scores_with_labels(labels[cell.task.rows], fitted)
            if whole:
                again = _fit(cell, given, k)
                metrics["refit_agrees"] = float(rand_scores(fitted.clusters, again.clusters).value == 1)
                metrics |= _against_published(cell, fitted, k)
            readings.append(Reading(metrics, {"labels": name, "k": k}))
        first = next(iter(fits.values()))
        if whole and first.tree is not None:
            arrays |= tree_arrays(first.tree)
        return CellOutput(readings=readings, arrays=arrays)


PROTOCOL = ComparisonProtocol()


def _taken(cell: Cell) -> tuple[Any, bool]:
    """Give the task's rows, and whether they are distances."""
    if "distances" in cell.data.views:
        rows = cell.task.rows
        return cell.data.views["distances"].values[np.ix_(rows, rows)], True
    return cell.task.of(cell.data.X), False


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
    except ImportError as error:
        gone = error.__cause__ or error  # ours say which extra brings it
        if not isinstance(gone, ModuleNotFoundError):
            raise
        raise datasets.DataUnavailable(f"{gone.name} is not installed") from error
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        place = _place_in(sys.modules[cls.__module__], error)
        if not place:
            raise
        # Records call an error by the name of its type, and hold its traceback.
        kind = type(type(error).__name__, (Exception,), {"__module__": type(error).__module__})
        placed = kind(f"{' '.join(str(error).split())[:300]} ({place})".strip())
        raise placed.with_traceback(error.__traceback__) from None


def _place_in(module: ModuleType, error: BaseException) -> str:
    """Name the last line of a user's module that an error passed.

    Nothing of a library's module, and where it passed none.
    """
    file = Path(str(module.__file__))
    if module.__name__.startswith("cladebench.") or not _LIBRARIES.isdisjoint(file.parts):
        return ""
    lines = [call.lineno for call in traceback.extract_tb(error.__traceback__) if call.filename == str(file)]
    return f"{file.name}, line {lines[-1]}" if lines else ""


def _against_published(cell: Cell, fitted: Fitted, k: int) -> dict[str, float]:
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
    return agreement(labels, fitted.clusters, features, refit, "random_state" in known)
