"""The base class of every hierarchical clusterer, and the checks that its subclasses share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from cladebench.hierarchy import Hierarchy
from cladebench.validation import check_int


class HierarchicalClusterer(ClusterMixin, BaseEstimator, ABC):
    """A clusterer whose result is a tree.

    A subclass takes ``n_clusters=2`` (and ``random_state=None`` where it draws random numbers) in its
    constructor and defines `_check_parameters` and `_build`; `fit` does the rest. All other fitted
    attributes (``converged_``, ``n_iter_``, ``trace_``, ...) are set by `_build`.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        The tree over the training samples.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree into at most ``n_clusters`` clusters.
    n_features_in_ : int
        Number of features seen by `fit`.
    """

    #: True where `fit` needs the class labels ``y``: such a method is a control, never a competitor.
    uses_labels: ClassVar[bool] = False
    #: True where the tree does not depend on the order of the samples (but for ties).
    order_invariant: ClassVar[bool] = False
    #: Constructor parameters that make a fit cheap enough for the contract tests.
    contract_params: ClassVar[Mapping[str, Any]] = {}
    #: Contract checks that the method cannot pass: name of the check -> reason.
    contract_excuses: ClassVar[Mapping[str, str]] = {}

    n_clusters: int
    hierarchy_: Hierarchy
    labels_: np.ndarray
    n_features_in_: int

    @abstractmethod
    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        """Build the tree.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            C-contiguous float64, finite; not to be written to.
        y : ndarray of shape (n_samples,) or None
            Class labels where ``uses_labels``, else None.
        """

    def _check_parameters(self) -> None:
        """Raise a ValueError that names the parameter if one has a value that makes no sense."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the tree of the samples and cut it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers; converted to float64.
        y : array-like of shape (n_samples,), optional
            Not read, unless the class says ``uses_labels``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter has a value that makes no sense, if ``n_clusters`` exceeds the number of samples,
            or if X is not a finite two-dimensional array.
        """
        check_int("n_clusters", self.n_clusters, minimum=1)
        if hasattr(self, "random_state"):
            try:
                check_random_state(self.random_state)
            except ValueError as error:
                raise ValueError(
                    f"random_state={self.random_state!r}: expected None, an integer in 0..2^32 - 1, or a "
                    "numpy.random.RandomState; a Generator is none"
                ) from error
        self._check_parameters()
        labels = None
        if self.uses_labels:
            X, labels = validate_data(self, X, y, dtype=np.float64, order="C")
        else:
            X = validate_data(self, X, dtype=np.float64, order="C")
        if self.n_clusters > len(X):
            raise ValueError(
                f"n_clusters={self.n_clusters} exceeds the number of samples, n_samples={len(X)}"
            )
        # The last bits of a BLAS product may depend on the number of threads, and a tree on the last bits.
        with threadpool_limits(limits=1, user_api="blas"):
            self.hierarchy_ = self._build(X, labels)
        self.labels_ = np.asarray(self.hierarchy_.cut(self.n_clusters), dtype=np.intp)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and return ``labels_``; the arguments are those of `fit`."""
        return self.fit(X, y).labels_

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the method needs."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.uses_labels
        return tags
