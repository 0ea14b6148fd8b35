"""The base class of weighted sums of given distances.

Weights are learned from clusterings of training sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from cladebench.class_labels import class_codes
from cladebench.discovery import Discovered
from cladebench.solvers.given_distances import (
    GivenDistances,
    SquaredDifferences,
    StackedDistances,
    weighted_sum,
)
from cladebench.subclass_results import array_from
from cladebench.table_entries import columns_of
from cladebench.threads import one_thread
from cladebench.validation import as_array, as_floats, check_choice, check_magnitude, check_seed

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.int64]


class StackDistance(Discovered, BaseEstimator, ABC):
    """A weighted sum of given distances with learned weights.

    Learned from sets of objects whose right clusters are known.

    A *stack* of n objects has the shape (n_distances, n, n): entry [i, p, q] is the i-th distance from p to q. The
    distances need be neither symmetric nor metrics; their diagonals are not read.

    Where a subclass has a parameter ``features``, sets may be given as something else: with "squared_differences" as
    arrays of shape (n, n_features), of which the distances are the squared differences in each feature; they are never
    written out. A callable makes a stack of what is given. `pairwise` takes stacks alone.

    A subclass takes its parameters (and ``random_state=None`` where it draws random numbers) in its constructor and
    defines `_learn`, which sets `weights_`, and `_cluster`.

    Attributes
    ----------
    weights_ : ndarray of float64, shape (n_distances,)
        Weights of the distances as they are given.
    n_distances_ : int
    """

    weights_: npt.NDArray[np.float64]
    n_distances_: int

    @abstractmethod
    def _learn(self, sets: list[GivenDistances], labels: list[IntArray]) -> None:
        """Set the fitted attributes.

        Parameters
        ----------
        sets : list of GivenDistances
            Finite, not negative; not to be written to.
        labels : list of ndarray of int64, shape (n,)
            Clusters 0..k-1 of each set, all of which occur.
        """

    @abstractmethod
    def _cluster(self, distances: GivenDistances) -> IntArray:
        """Clusters 0..k-1 of a set."""

    def _given(self, name: str, stack: Any) -> GivenDistances:
        """Check what was given for a set."""
        name = f"{type(self).__name__}: {name}"
        features = getattr(self, "features", None)
        if features is None or callable(features):
            return StackedDistances(checked_stack(name, features(stack) if callable(features) else stack))
        check_choice("features", features, ("squared_differences",))
        X = as_floats(name, stack)
        if X.ndim != 2 or X.size == 0:
            raise ValueError(f"{name} has shape {X.shape}; expected (n, n_features), at least one of each")
        if not np.isfinite(X).all():
            raise ValueError(f"{name} has an entry that is not finite")
        check_magnitude(X, name)
        return SquaredDifferences(X - X.mean(axis=0))

    def fit(self, stacks: Any, labels: Any) -> Self:
        """Learn the weights.

        Parameters
        ----------
        stacks : sequence of array-like of shape (n_distances, n, n)
            One for each training set, whose numbers of objects may differ. float32 is read as it is, all else becomes
            float64.
        labels : sequence of array-like of shape (n,)
            For each set the cluster of each object: strings or whole numbers, which mean nothing beyond their set.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter has a value that makes no sense, there is no training set, a stack is not one of finite
            distances that are not negative, stacks have different numbers of distances, or labels do not fit.
        """
        self._check_values()
        where = type(self).__name__
        several = _several(f"{where}: stacks", stacks)
        checked = [self._given(f"stacks[{k}]", stack) for k, stack in enumerate(several)]
        given = _several(f"{where}: labels", labels)
        if not checked:
            raise ValueError("stacks is empty; expected at least one training set")
        if len(given) != len(checked):
            raise ValueError(f"labels has {len(given)} entries; expected {len(checked)}, one for each stack")
        for k, stack in enumerate(checked):
            if stack.shape[0] != checked[0].shape[0]:
                raise ValueError(
                    f"stacks[{k}] has {stack.shape[0]} distances; expected {checked[0].shape[0]}, as stacks[0] has"
                )
        codes = [
            class_codes(labels_of_set, stack.shape[1], f"labels[{k}]")[1]
            for k, (labels_of_set, stack) in enumerate(zip(given, checked, strict=True))
        ]
        self.n_distances_ = checked[0].shape[0]
        # The last bits of a BLAS product may depend on the number of threads.
        with one_thread("blas"):
            self._learn(checked, codes)
        array_from(self, "weights_", getattr(self, "weights_", None), (self.n_distances_,))
        return self

    def predict(self, stack: Any) -> IntArray:
        """Cluster a new set.

        Parameters
        ----------
        stack : array-like of shape (n_distances, n, n)

        Returns
        -------
        ndarray of int64, shape (n,)
            Clusters 0..k-1; k is found where the method finds it.
        """
        distances = self._new_set(stack)
        with one_thread("blas"):
            clusters: IntArray = array_from(self, "_cluster", self._cluster(distances), (distances.shape[1],))
        return clusters

    def pairwise(self, stack: Any) -> npt.NDArray[np.float64]:
        """Compute learned distances.

        Parameters
        ----------
        stack : array-like of shape (n_distances, n, m)
            From n objects to m, the same or others.

        Returns
        -------
        ndarray of float64, shape (n, m)
            The weighted sum, ``sum(weights_[i] * stack[i])``.
        """
        check_is_fitted(self, "weights_")
        checked = checked_stack(f"{type(self).__name__}: stack", stack, square=False)
        self._check_number(len(checked))
        return weighted_sum(self.weights_, checked)

    def _new_set(self, stack: Any) -> GivenDistances:
        check_is_fitted(self, "weights_")
        distances = self._given("stack", stack)
        self._check_number(distances.shape[0])
        return distances

    def _check_values(self) -> None:
        check_seed(getattr(self, "random_state", None))
        self._check_parameters()

    def _check_number(self, n_distances: int) -> None:
        if n_distances != self.n_distances_:
            raise ValueError(f"stack has {n_distances} distances; expected {self.n_distances_}, as in fit")


def checked_stack(name: str, stack: Any, square: bool = True) -> FloatArray:
    """Give a stack as C-contiguous float64, or float32 if it is.

    Parameters
    ----------
    name : str
        Name of the argument, for the message.
    stack : array-like of shape (n_distances, n, m)
    square : bool, default=True
        Whether n and m must be equal.

    Raises
    ------
    ValueError
        If it has another shape, is empty, or has an entry that is not finite or is negative.
    """
    array = as_array(name, stack, "numbers")
    try:
        if array.dtype.kind not in "biuf":
            raise ValueError(f"it has dtype {array.dtype}; expected real numbers")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from error
    if array.ndim != 3 or (square and array.shape[1] != array.shape[2]):
        raise ValueError(
            f"{name} has shape {array.shape}; expected (n_distances, n, {'n' if square else 'm'})"
        )
    if array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; expected at least one distance and one object")
    array = np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float32 else np.float64)
    for i, values in enumerate(array):
        # NaN fails both comparisons.
        if not (values.min() >= 0 and values.max() < np.inf):
            p, q = (int(place) for place in np.argwhere(~((values >= 0) & (values < np.inf)))[0])
            raise ValueError(
                f"{name}[{i}, {p}, {q}] is {values[p, q]}; expected a finite distance that is not negative"
            )
    return array


def _several(name: str, values: Any) -> Sequence[Any]:
    # Of a data frame the names of columns would be taken for sets.
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or columns_of(values) is not None:
        raise ValueError(
            f"{name} is of type {type(values).__name__}; expected a list, one entry for each training set"
        )
    return list(values)
