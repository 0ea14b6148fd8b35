"""Distances that are Euclidean after a linear map of the features."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import scipy.linalg
from scipy import sparse

from cladebench.distances._mapped import MappedDistance
from cladebench.distances.base import FloatArray, IntArray
from cladebench.subclass_results import array_from
from cladebench.validation import check_real


class LinearDistance(MappedDistance):
    """The Euclidean distance of ``X @ components_.T``; a subclass defines `_components`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    """

    components_: FloatArray

    @abstractmethod
    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        """Learn the map, shape (n_components, n_features); arguments as for `Distance._learn`."""

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        components = self._components(X, y, must_link, cannot_link)
        self.components_ = array_from(self, "_components", components, (None, X.shape[1]))

    def _map(self, X: FloatArray) -> FloatArray:
        return linear_map(X, self.components_)


def linear_map(X: FloatArray, components: FloatArray) -> FloatArray:
    """Compute ``X @ components.T``; X may be sparse."""
    if sparse.issparse(X):
        return np.asarray(X @ components.T)
    # The last bits of a BLAS product depend on where a row stands; equal rows must stay equal.
    return np.einsum("ij,kj->ik", X, components, optimize=False)


def inverse_root(covariance: FloatArray, shrinkage: float) -> FloatArray:
    """Find A with A.T @ A the inverse of the shrunk covariance.

    Parameters
    ----------
    covariance : ndarray of shape (n_features, n_features)
        Zero (all samples are equal) counts as the identity.
    shrinkage : float
        The matrix that is inverted is ``(1 - shrinkage) * covariance + shrinkage * m * identity``, m the mean variance
        of a feature.

    Raises
    ------
    ValueError
        If that matrix is singular.
    """
    n_features = len(covariance)
    identity, mean = np.eye(n_features), float(np.trace(covariance)) / n_features
    if mean == 0.0:
        return identity
    values, vectors = scipy.linalg.eigh((1.0 - shrinkage) * (covariance / mean) + shrinkage * identity)
    if values[0] <= n_features * np.finfo(np.float64).eps * values[-1]:
        raise ValueError(f"the covariance is singular with shrinkage={shrinkage!r}; expected more shrinkage")
    return (vectors / np.sqrt(values)).T / np.sqrt(mean)


def check_shrinkage(value: object) -> None:
    """Raise a ValueError unless ``value`` is a number in [0, 1]."""
    check_real("shrinkage", value, 0.0)
    if value > 1.0:  # type: ignore[operator]
        raise ValueError(f"shrinkage={value!r}: expected a number in [0, 1]")
