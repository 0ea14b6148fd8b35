"""Define the base of papers' protocols: building, checking, scaling, studies.

What is left is the paper's.
"""

from __future__ import annotations

import importlib
import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from cladebench.bench.run.cell_io import Cell, CellOutput
from cladebench.hierarchy import Hierarchy
from cladebench.input_files import InputFileError
from cladebench.measures import MEASURES, permuted_name
from cladebench.paper.parameter_check import check_values
from cladebench.users_code import users_code
from cladebench.validation import check_choice

# Estimators bring scikit-learn with them, which takes a second: imported where one is made, and by workers beforehand.
if TYPE_CHECKING:
    from cladebench.bench.plan.plan import Plan
    from cladebench.metrics.scores import Scores


class Protocol(ABC):
    """Compute what one cell of a paper gives.

    A paper's ``protocol.py`` defines a subclass with `measure`, and ``PROTOCOL``, an instance of it.

    Attributes
    ----------
    own : mapping of str to object
        Parameters that the protocol reads itself, with their defaults; all others are the estimator's.
    task_keys : tuple of str
        Keys under ``task`` that it honours, those of `cladebench.bench.plan.task.draw_task`; a plan with others is
        refused. ``rows``, ``share`` and ``shuffled`` ask for `Task.of`; ``label_noise`` and ``constraints`` for
        `fit_on_training`, and ``folds``, ``test`` and ``split`` for measures on the test places too.
    """

    own: ClassVar[Mapping[str, Any]] = {}
    # None by default: what is drawn but not read would change nothing but the intervals that are computed from it.
    task_keys: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def measure(self, cell: Cell) -> CellOutput:
        """Fit the cell's method and measure what it found."""

    def given(self, cell: Cell) -> Mapping[str, Any]:
        """Give parameters for estimators that take them: cell's seed and checkpoint."""
        return {"random_state": cell.spec.seed, "checkpoint": cell.kept}

    # ------------------------------------------------------------------ for subclasses

    def own_parameters(self, cell: Cell) -> dict[str, Any]:
        """Give the values of the protocol's own parameters in this cell."""
        return {name: cell.parameters.get(name, default) for name, default in self.own.items()}

    def build(self, cell: Cell, **optional: Any) -> Any:
        """Make the cell's estimator with its parameters.

        Parameters
        ----------
        cell : Cell
        **optional
            Handed over, like `given`, where the estimator takes them; what the plan says wins.

        Raises
        ------
        ValueError
            If one of these is ``"precomputed"``, and not what the estimator has then: it would take the distances that
            it is going to be given for features.
        """
        from cladebench import estimators

        estimator = estimators.find(cell.method.estimator)()
        known = estimator.get_params()
        extra = {**self.given(cell), **optional}
        said = {name: value for name, value in cell.parameters.items() if name not in self.own}
        for name, value in extra.items():
            if isinstance(value, str) and value == "precomputed":
                _check_precomputed(cell, name, known, said)
        return estimator.set_params(**{name: value for name, value in extra.items() if name in known} | said)

    def fit_on_training(self, cell: Cell, X: Any, **optional: Any) -> tuple[Any, float]:
        """Fit the cell's estimator on the training rows.

        It gets the task's labels and constraints where it takes them.

        Parameters
        ----------
        cell : Cell
        X : ndarray or sparse array of shape (n_rows, n_features)
            The task's rows.
        **optional
            See `build`.

        Returns
        -------
        estimator
            Fitted; `cladebench.estimators` says what it gives as distance, tree or labels.
        seconds : float
            Wall seconds of the fit, those before an interruption too.
        """
        from cladebench.distances.base import Distance

        task, estimator = cell.task, self.build(cell, **optional)
        labels = None if task.labels is None else task.labels[task.train]
        links = {}
        if isinstance(estimator, Distance):
            links = {
                "must_link": task.among_training(task.must_link) if len(task.must_link) else None,
                "cannot_link": task.among_training(task.cannot_link) if len(task.cannot_link) else None,
            }
        seconds = timed_fit(estimator, X[task.train], labels, **links)
        # A fit that takes up what an interrupted one has kept took its time, too.
        return estimator, seconds + getattr(estimator, "seconds_taken_up_", 0.0)

    # ------------------------------------------------------------------ for the spine

    def run(self, cell: Cell) -> CellOutput:
        """Run a cell.

        A study is the function that its estimator names, everything else goes to `measure`.
        """
        if cell.method.role == "study":
            output: CellOutput = _function(cell.method.estimator)(cell)
            return output
        return self.measure(cell)

    def validate(self, plan: Plan) -> None:
        """Check the plan's estimators, parameters and tasks before anything runs.

        Raises
        ------
        PlanError
            With file, key path and the allowed names.
        """
        allowed: dict[str, list[str]] = {}
        for name, method in plan.methods.items():
            if method.role == "study":
                plan.check(f"methods.{name}.estimator", method.estimator, _function)
            else:
                taken = plan.check(f"methods.{name}.estimator", method.estimator, _parameters)
                allowed[name] = [*taken, *self.own]
        plan.check_parameters(allowed)
        check_values(plan, self.own)
        plan.check_tasks(self.task_keys)


def _parameters(name: str) -> list[str]:
    """Give the parameters of an estimator.

    ValueError unless a protocol can make, set and fit one.
    """
    from cladebench import estimators

    estimator = estimators.find(name)
    expected = "expected a class with fit, get_params and set_params, whose constructor needs no argument"
    missing = [
        part for part in ("fit", "get_params", "set_params") if not callable(getattr(estimator, part, None))
    ]
    if missing:
        raise ValueError(f"estimator {name!r}: it has no {missing[0]}; {expected}")
    if inspect.isabstract(estimator):
        raise ValueError(f"estimator {name!r}: it is an abstract base class; {expected}")
    required = [
        key for key, default in estimators.parameters(estimator).items() if default is inspect.Parameter.empty
    ]
    if required:
        raise ValueError(f"estimator {name!r}: its constructor needs {required[0]!r}; {expected}")
    with users_code(f"estimator {name!r}: get_params"):
        return list(estimator().get_params())


def _check_precomputed(cell: Cell, name: str, known: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """Raise a ValueError unless an estimator is going to have ``name="precomputed"``."""
    if name in known and said.get(name, "precomputed") == "precomputed":
        return
    has = f"has {name}={said[name]!r} by the plan" if name in known else f"has no parameter {name!r}"
    raise ValueError(
        f"methods.{cell.method.name}: {cell.method.estimator} {has} and would take distances for features; "
        f"expected an estimator with {name}='precomputed'"
    )


def _function(path: str) -> Any:
    """Find a function by its dotted path."""
    module, _, name = path.rpartition(".")
    expected = "expected the dotted path of a function"
    with users_code(f"{module} cannot be imported"):
        try:
            function = getattr(importlib.import_module(module), name, None)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise  # it imports something else that is not there
            raise InputFileError(f"{path!r} cannot be found: {error}; {expected}") from None
        except ValueError as error:
            if module:
                raise
            raise InputFileError(f"{path!r} cannot be found: {error}; {expected}") from None
    if function is None:
        raise ValueError(f"{path!r} cannot be found: {module} has no {name}; {expected}")
    if not callable(function) or inspect.isclass(function):
        raise ValueError(f"{path!r} is {function!r}; expected a function of a cell")
    return function


def timed_fit(estimator: Any, X: Any, y: Any = None, **more: Any) -> float:
    """Fit an estimator and give the wall seconds that it took.

    What it is given stays as it is.
    """
    from cladebench import estimators

    X, y, more = estimators.lend(estimator, (X, y, more))
    started = time.perf_counter()
    estimator.fit(X, y, **more)
    return time.perf_counter() - started


def scored(**measured: Scores) -> dict[str, float]:
    """Give measures as metrics, permuted and corrected ones too.

    Parameters
    ----------
    **measured : Scores
        By the metric's name; `cladebench.metrics` has functions that give them. The corrected form goes by the name
        that `cladebench.measures` has for it, and is left out where that has none.

    Returns
    -------
    dict of str to float
        ``sp``, ``sp_permuted`` and ``sp_correlation`` of ``sp=...``.
    """
    metrics: dict[str, float] = {}
    for name, scores in measured.items():
        metrics[name] = scores.value
        metrics[permuted_name(name)] = scores.permuted
        corrected = MEASURES[name].corrected if name in MEASURES else ""
        if corrected and scores.corrected is not None:
            metrics[corrected] = scores.corrected
    return metrics


def tree_arrays(hierarchy: Hierarchy) -> dict[str, np.ndarray]:
    """Give a tree as the arrays of a cell.

    ``parents``, ``leaf_of``; ``heights``, ``edge_lengths`` if it has any.
    """
    arrays = {
        "parents": hierarchy.parents.astype(np.int32),
        "leaf_of": hierarchy.leaf_of.astype(np.int32),
    }
    optional = {"heights": hierarchy.heights, "edge_lengths": hierarchy.edge_lengths}
    return arrays | {name: values for name, values in optional.items() if values is not None}


def stored_tree(arrays: Mapping[str, np.ndarray]) -> Hierarchy:
    """Read back the tree that `tree_arrays` gave."""
    return Hierarchy(
        arrays["parents"],
        arrays["leaf_of"],
        heights=arrays.get("heights"),
        edge_lengths=arrays.get("edge_lengths"),
    )


def scaled(X: Any, features: str) -> Any:
    """Scale features, whatever the method does with them later.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
    features : {"raw", "unit", "pooled", "zscore"}
        "raw": as they are; "unit": centred, then all divided by one number such that the samples have length 1 on
        average (the geometry stays); "pooled": the same such that the variance of a feature is 1 on average;
        "zscore": each centred and scaled to unit variance, constant ones to zero.

    Returns
    -------
    ndarray or sparse array

    Raises
    ------
    ValueError
        If the features are sparse and are to be centred, which would fill in their zeros.
    """
    check_choice("features", features, ("raw", "unit", "pooled", "zscore"))
    if features == "raw":
        return X
    if issparse(X):
        raise ValueError(
            f"features={features!r} centres the features, and X is sparse: its zeros would be filled in; expected 'raw'"
        )
    from cladebench.metrics.similarity import in_own_unit

    X = X if X.dtype.kind == "f" else X.astype(np.float64)
    constant = np.ptp(X, axis=0) == 0
    X = in_own_unit(X, axis=0 if features == "zscore" else None)
    X -= X.mean(axis=0)
    if features == "unit":
        X /= float(np.linalg.norm(X, axis=1).mean()) or 1.0
    elif features == "pooled":
        X /= float(np.sqrt(X.var(axis=0).mean())) or 1.0
    else:
        X /= np.where(constant, 1.0, X.std(axis=0))
        X[:, constant] = 0.0
    return X
