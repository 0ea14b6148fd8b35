"""Define the base classes of distances of samples.

`StackDistance` is that of stacks of given distances.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from cladebench.class_labels import check_classes, codes_of_y
from cladebench.discovery import Discovered
from cladebench.distances._least_entries import check_n_neighbors, least_of_rows
from cladebench.distances._stack_base import StackDistance
from cladebench.subclass_results import array_from
from cladebench.threads import one_thread
from cladebench.validation import (
    as_array,
    as_index,
    check_features,
    check_finite,
    check_magnitude,
    check_scale,
    check_seed,
    check_unmasked,
)

__all__ = ["Distance", "StackDistance"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Distances that stand in memory at a time while neighbours are looked for (32 MB).
BLOCK = 2**22


class Distance(Discovered, BaseEstimator, ABC):
    """A distance between samples, learned by `fit` where possible.

    A subclass takes its parameters (and ``random_state=None`` where it draws random numbers) in its constructor and
    defines `_check_parameters`, `_learn` and `_pairwise`; where it finds neighbours faster than by comparing with all
    rows, `_nearest` too.

    Attributes
    ----------
    n_features_in_ : int
        Number of features seen by `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distances.base import Distance
    >>> class Chebyshev(Distance):
    ...     is_metric = True
    ...     def _learn(self, X, y, must_link, cannot_link):
    ...         pass
    ...     def _pairwise(self, X, Y):
    ...         return np.abs(X[:, None] - Y[None]).max(axis=2)
    ...
    >>> Chebyshev().fit([[0, 0], [3, 4]]).pairwise([[0, 0]], [[3, 4]]).tolist()
    [[4.0]]
    """

    #: True where `fit` reads ``must_link`` and ``cannot_link``.
    uses_constraints: ClassVar[bool] = False
    #: True where a fit without labels and constraints learns from X alone; else `fit` warns of one.
    learns_from_rows: ClassVar[bool] = False
    #: True where it is symmetric, zero from a sample to itself, and obeys the triangle inequality. Different samples
    #: may be at distance zero all the same (a pseudometric).
    is_metric: ClassVar[bool] = True

    n_features_in_: int

    @abstractmethod
    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        """Set the fitted attributes.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            C-contiguous float64, finite; not to be written to. Where ``takes_sparse``, it may be a CSR array or matrix.
        y : ndarray of int64, shape (n_samples,), or None
            Where ``uses_labels`` the class of each sample, 0, 1, ... in sorted order; else None.
        must_link, cannot_link : ndarray of shape (n_pairs, 2)
            Rows of X; no pairs unless ``uses_constraints``.
        """

    @abstractmethod
    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Compute distances from X to Y, both checked, shape (len(X), len(Y))."""

    def fit(self, X: Any, y: Any = None, must_link: Any = None, cannot_link: Any = None) -> Self:
        """Learn the distance and keep the rows of X for `kneighbors`.

        Every distance takes all arguments, and reads those that it says it uses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers; converted to float64. Sparse too, here and below, where the class says ``takes_sparse``.
        y : array-like of shape (n_samples,), optional
            Class labels: strings or whole numbers.
        must_link, cannot_link : array-like of int, shape (n_pairs, 2), optional
            Pairs of rows of X that belong together, and that do not. If either is given, no pairs are taken from y. A
            class that uses constraints, and is given y but neither of them, goes through the rows in a random order
            that depends on their number alone, and pairs each with the next one of its class and with the next one of
            another class: fewer than two pairs a row. A pair of rows that is in both is learned as both.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter has a value that makes no sense, X is not a finite two-dimensional array (sparse: with
            indices within its shape), y is read and has no class for each row, or a constraint is not a pair of two
            rows of X.

        Warns
        -----
        UserWarning
            If the class uses constraints, and a pair of rows is in both, or there is neither a pair nor y and it learns
            nothing from X alone.
        """
        self._check_values()
        columns = check_features(X, who=self)
        labels = None
        accepted = {"accept_sparse": "csr" if self.takes_sparse else False, "ensure_all_finite": False}
        may_read_y = self.uses_labels or (self.uses_constraints and must_link is cannot_link is None)
        if may_read_y and (self.uses_labels or y is not None):
            check_classes(y, X)
            X, seen = validate_data(self, X, y, dtype=np.float64, order="C", **accepted)
            labels = codes_of_y(y, seen)
        else:
            X = validate_data(self, X, dtype=np.float64, order="C", **accepted)
        check_finite(X, self, columns=columns)
        check_scale(X)
        must, cannot = (
            _pairs(name, pairs, X.shape[0])
            for name, pairs in (("must_link", must_link), ("cannot_link", cannot_link))
        )
        if not self.uses_constraints:
            must = cannot = np.empty((0, 2), dtype=np.int64)
        elif labels is not None and must_link is cannot_link is None:
            must, cannot = _pairs_of_labels(labels)
        if self.uses_constraints:
            self._warn_of(must, cannot)
        # The last bits of a BLAS product may depend on the number of threads.
        with one_thread("blas"):
            self._learn(X, labels if self.uses_labels else None, must, cannot)
        self._fit_X = X
        return self

    def _check_values(self) -> None:
        check_seed(getattr(self, "random_state", None))
        self._check_parameters()

    def _warn_of(self, must: IntArray, cannot: IntArray) -> None:
        """Warn of constraints that contradict each other, or teach nothing."""
        where = type(self).__name__
        left, right = (pairs.min(axis=1) << 32 | pairs.max(axis=1) for pairs in (must, cannot))
        both = np.intersect1d(left, right)
        if len(both):
            pair = [int(both[0]) >> 32, int(both[0]) & (2**32 - 1)]
            warnings.warn(
                f"{where}: must_link and cannot_link share {pair}, {len(both):,} in all; expected no such pair",
                stacklevel=3,
            )
        if not len(must) and not len(cannot) and not self.learns_from_rows:
            warnings.warn(
                f"{where}: nothing to learn from; expected y, must_link or cannot_link", stacklevel=3
            )

    def pairwise(self, X: Any, Y: Any = None) -> FloatArray:
        """Compute distances between rows.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        Y : array-like of shape (m, n_features), optional
            X by default.

        Returns
        -------
        ndarray of float64, shape (n, m)
            Finite and not negative.

        Examples
        --------
        >>> from cladebench.distances import Euclidean
        >>> Euclidean().fit([[0, 0], [3, 4]]).pairwise([[0, 0]], [[0, 2]]).tolist()
        [[2.0]]
        """
        rows = self._rows("X", X)
        return self._checked_pairwise(rows, rows if Y is None else self._rows("Y", Y))

    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, return_distance: bool = True
    ) -> tuple[FloatArray, IntArray] | IntArray:
        """Find the nearest of the rows that `fit` was given.

        Of equally near rows those with the lowest indices are taken, and come first.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            By default the fitted rows themselves, each left out of its own neighbours (and no row that is equal to it).
            Of rows that are given nothing is left out, fitted or not.
        n_neighbors : int, default=5
            At most the number of fitted rows; where these are asked for themselves, one less.
        return_distance : bool, default=True

        Returns
        -------
        distance : ndarray of float64, shape (n, n_neighbors)
            Ascending. Left out if ``return_distance`` is false.
        index : ndarray of int64, shape (n, n_neighbors)
            Fitted rows.

        Raises
        ------
        ValueError
            If there are fewer than ``n_neighbors`` fitted rows (other ones, where they are asked for themselves).

        Examples
        --------
        >>> from cladebench.distances import Euclidean
        >>> Euclidean().fit([[0], [2], [9]]).kneighbors([[3]], 2, return_distance=False).tolist()
        [[1, 0]]
        """
        check_is_fitted(self, "n_features_in_")
        rows = self._fit_X if X is None else self._rows("X", X)
        check_n_neighbors(n_neighbors, self._fit_X.shape[0], of_fitted=X is None)
        k = n_neighbors + (X is None)
        distance, index = self._nearest(rows, k)
        for part in (distance, index):
            array_from(self, "_nearest", part, (rows.shape[0], k))
        if X is None:
            distance, index = _without_own(distance, index)
        return (distance, index) if return_distance else index

    def _nearest(self, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        """Find the k nearest fitted rows.

        Distances and indices, as `kneighbors` returns them; arguments are checked.
        """
        n = X.shape[0]
        distance, index = np.empty((n, k)), np.empty((n, k), dtype=np.int64)
        step = max(1, BLOCK // self._fit_X.shape[0])
        for start in range(0, n, step):
            block = self._checked_pairwise(X[start : start + step], self._fit_X)
            distance[start : start + step], index[start : start + step] = least_of_rows(block, k)
        return distance, index

    def _rows(self, name: str, values: Any) -> FloatArray:
        check_is_fitted(self, "n_features_in_")
        columns = check_features(values, name, self)
        accepted = "csr" if self.takes_sparse else False
        # Not by `validate_data` alone, which calls all that it is given X.
        rows = check_array(
            values,
            accept_sparse=accepted,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            estimator=self,
            input_name=name,
        )
        check_finite(rows, self, name, columns)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"{name} has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        validate_data(self, values, reset=False, skip_check_array=True)  # names of features
        check_magnitude(rows, name)
        return rows

    def _checked_pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        with one_thread("blas"):
            distances: FloatArray = array_from(
                self, "_pairwise", self._pairwise(X, Y), (X.shape[0], Y.shape[0])
            )
        if not np.isfinite(distances).all():
            are = "are NaN, or overflow" if np.isnan(distances).any() else "overflow"
            raise ValueError(f"distances of {type(self).__name__} {are}; rescale X")
        return distances

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the distance needs."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.uses_labels
        tags.input_tags.sparse = self.takes_sparse
        return tags


def _without_own(distance: FloatArray, index: IntArray) -> tuple[FloatArray, IntArray]:
    """Leave row i out of its neighbours, or else the farthest.

    It may not be among them where many rows are equal.
    """
    left_out = index == np.arange(len(index))[:, None]
    left_out[~left_out.any(axis=1), -1] = True
    shape = len(index), index.shape[1] - 1
    return distance[~left_out].reshape(shape), index[~left_out].reshape(shape)


def _pairs(name: str, given: Any, n_samples: int) -> IntArray:
    """Return constraints as an array (n_pairs, 2).

    ValueError if they are something else.
    """
    if given is None:
        return np.empty((0, 2), dtype=np.int64)
    check_unmasked(name, given)
    try:
        array = as_array(name, given, "integers")
    except ValueError as error:
        at = next(at for at, pair in enumerate(given) if not _is_pair(pair))
        raise ValueError(f"{name}[{at}] is {given[at]!r}; expected a pair of rows of X") from error
    if array.ndim == 0:  # what NumPy makes of anything that is no sequence
        raise ValueError(
            f"{name} is of type {type(given).__name__}; expected an array or list of shape (n_pairs, 2)"
        )
    if array.shape == (0,):
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} has shape {array.shape}; expected (n_pairs, 2)")
    if not array.size:
        return np.empty((0, 2), dtype=np.int64)
    flat = [row for pair in given for row in pair] if isinstance(given, list | tuple) else array.ravel()
    pairs = as_index(name, flat).reshape(-1, 2)
    outside = (pairs < 0) | (pairs >= n_samples)
    wrong = outside.any(axis=1) | (pairs[:, 0] == pairs[:, 1])
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"{name}[{at}] is {pairs[at].tolist()}; expected two different rows of X: 0..{n_samples - 1}"
        )
    return pairs


def _is_pair(pair: Any) -> bool:
    return np.iterable(pair) and [isinstance(row, Integral) for row in pair] == [True, True]


def _pairs_of_labels(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Pair rows with the next of their class and another.

    Rows are in a random order. Where rows stand by class, their own order would pair all rows of a class with one and
    the same of the next.
    """
    order = np.random.default_rng(0).permutation(len(codes))
    codes = codes[order]
    by_class = np.argsort(codes, kind="stable")
    must = np.column_stack([by_class[:-1], by_class[1:]])
    must = must[codes[must[:, 0]] == codes[must[:, 1]]]
    # The next row of another class begins the next run of equal labels.
    begins = np.flatnonzero(np.diff(codes)) + 1
    following = np.searchsorted(begins, np.arange(len(codes)), side="right")
    has = np.flatnonzero(following < len(begins))
    cannot = np.column_stack([has, begins[following[has]]])
    return order[must], order[cannot]
