"""The base classes of hierarchical and of flat clusterers."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from cladebench import tree_cuts
from cladebench.class_labels import by_first_member, check_classes, codes_of_y
from cladebench.discovery import Discovered
from cladebench.hierarchy import Hierarchy
from cladebench.subclass_results import clusters_from
from cladebench.threads import one_thread
from cladebench.validation import (
    check_at_most_samples,
    check_features,
    check_finite,
    check_int,
    check_seed,
)


class _Fit(Discovered, ClusterMixin, BaseEstimator, ABC):
    """Share the checks of arguments and the order of `fit`'s steps."""

    labels_: np.ndarray
    n_features_in_: int
    #: Types of numbers that are fitted as they are; others become the first.
    _dtypes: ClassVar[list[type]] = [np.float64]

    @abstractmethod
    def _fit(self, X: np.ndarray, y: np.ndarray | None) -> None:
        """Set the fitted attributes, from checked arguments."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers; converted to float64. Sparse too, where the class says ``takes_sparse``.
        y : array-like of shape (n_samples,), optional
            Not read, unless the class says ``uses_labels``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter has a value that makes no sense, if ``n_clusters`` exceeds the number of samples,
            or if X is not a finite two-dimensional array (sparse: with indices within its shape) of numbers, or has
            masked entries.
        """
        self._check_values()
        columns = self._check_input(X)
        labels = None
        accepted = {"accept_sparse": "csr" if self.takes_sparse else False, "ensure_all_finite": False}
        if self.uses_labels:
            check_classes(y, X)
            X, seen = validate_data(self, X, y, dtype=self._dtypes, order="C", **accepted)
            labels = codes_of_y(y, seen)
        else:
            X = validate_data(self, X, dtype=self._dtypes, order="C", **accepted)
        check_finite(X, self, columns=columns, of_pairs=get_tags(self).input_tags.pairwise)
        check_at_most_samples(self, "n_clusters", getattr(self, "n_clusters", 1), X.shape[0])
        # The last bits of a BLAS product may depend on the number of threads, and a tree on the last bits.
        with one_thread("blas"):
            self._fit(X, labels)
        return self

    def _check_values(self) -> None:
        check_int("n_clusters", getattr(self, "n_clusters", 1), minimum=1)
        check_seed(getattr(self, "random_state", None))
        self._check_parameters()

    def _check_input(self, X: Any) -> list[Any] | None:
        """Refuse what scikit-learn lets pass; give the columns' names."""
        return check_features(X, who=self)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and return ``labels_``; the arguments are those of `fit`."""
        return self.fit(X, y).labels_

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the method needs."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.uses_labels
        tags.input_tags.sparse = self.takes_sparse
        return tags


class HierarchicalClusterer(_Fit):
    """A clusterer whose result is a tree.

    A subclass takes ``n_clusters=2`` (and ``random_state=None`` where it draws random numbers) in its
    constructor and defines `_check_parameters` and `_build`; `fit` does the rest. All other fitted
    attributes (``converged_``, ``n_iter_``, ``trace_``, ...) are set by `_build`.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        The tree over the training samples.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree into at most ``n_clusters`` clusters. Where splits into three or more skip that number,
        there are fewer, with a UserWarning that names the numbers which the tree has.
    n_features_in_ : int
        Number of features seen by `fit`.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.methods.base import HierarchicalClusterer
    >>> class Chain(HierarchicalClusterer):
    ...     def __init__(self, n_clusters=2):
    ...         self.n_clusters = n_clusters
    ...     def _build(self, X, y):
    ...         nested = 0
    ...         for row in range(1, len(X)):
    ...             nested = [nested, row]
    ...         return Hierarchy.from_nested([nested])
    ...
    >>> Chain().fit([[1.0], [2.0], [3.0]]).labels_.tolist()
    [0, 0, 1]
    """

    n_clusters: int
    hierarchy_: Hierarchy

    @abstractmethod
    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        """Build the tree.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            C-contiguous float64, finite; not to be written to.
        y : ndarray of int64, shape (n_samples,), or None
            Where ``uses_labels`` the class of each sample, 0, 1, ... in sorted order; else None.

        Returns
        -------
        Hierarchy
            Of n_samples samples; `fit` refuses all else.
        """

    def _fit(self, X: np.ndarray, y: np.ndarray | None) -> None:
        if not hasattr(self, "n_clusters"):
            raise TypeError(f"{type(self).__name__} has no n_clusters; expected it in its constructor")
        self.hierarchy_ = self._checked(self._build(X, y), X.shape[0])
        self.labels_ = np.asarray(self.hierarchy_.cut(self.n_clusters), dtype=np.intp)
        n_clusters = int(self.labels_.max()) + 1
        sizes = tree_cuts.skipped(self.hierarchy_, self.n_clusters) if n_clusters < self.n_clusters else None
        if sizes:
            warnings.warn(
                f"{type(self).__name__}: labels_ has {n_clusters} cluster{'s' * (n_clusters > 1)}, as the tree skips "
                f"n_clusters={self.n_clusters}; expected n_clusters={sizes[0]} or {sizes[1]}",
                UserWarning,
                stacklevel=3,
            )

    def _checked(self, tree: Any, n_samples: int) -> Hierarchy:
        """Refuse all but a tree of so many samples."""
        where, expected = (
            f"{type(self).__name__}: _build gave",
            f"expected a Hierarchy of {n_samples} samples",
        )
        if not isinstance(tree, Hierarchy):
            raise TypeError(f"{where} {type(tree).__name__}; {expected}")
        if tree.n_samples != n_samples:
            raise ValueError(f"{where} {tree.n_samples} samples; {expected}")
        return tree


class Clusterer(_Fit):
    """A clusterer whose result is a partition.

    A subclass defines `_check_parameters` and `_cluster`; `fit` does the rest. Where the number of clusters is given,
    the constructor takes ``n_clusters``; a class that finds the number has no such parameter.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample: 0, 1, ..., numbered by their first samples.
    n_clusters_ : int
        Number of clusters that have samples; at most ``n_clusters`` where that is given.
    n_features_in_ : int
        Number of features seen by `fit`.

    Examples
    --------
    >>> from cladebench.methods.base import Clusterer
    >>> class Sign(Clusterer):
    ...     def _cluster(self, X, y):
    ...         return X[:, 0] > 0
    ...
    >>> Sign().fit([[-1.0], [2.0], [-3.0]]).labels_.tolist()
    [0, 1, 0]
    """

    n_clusters_: int

    @abstractmethod
    def _cluster(self, X: np.ndarray, y: np.ndarray | None) -> np.ndarray:
        """Return the cluster of each sample, as any integers.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            C-contiguous float64, finite; not to be written to.
        y : ndarray of int64, shape (n_samples,), or None
            Where ``uses_labels`` the class of each sample, 0, 1, ... in sorted order; else None.
        """

    def _fit(self, X: np.ndarray, y: np.ndarray | None) -> None:
        clusters = clusters_from(self, self._cluster(X, y), X.shape[0])
        self.labels_ = by_first_member(clusters)
        self.n_clusters_ = int(self.labels_.max()) + 1
