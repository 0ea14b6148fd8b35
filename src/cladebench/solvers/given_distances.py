"""Weigh and sum distances within a set, from matrices or features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cladebench import _core

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def weighted_sum(weights: FloatArray, stack: npt.NDArray[Any]) -> FloatArray:
    """``sum(weights[i] * stack[i])`` in float64; distances of weight 0 are not read.

    Parameters
    ----------
    weights : ndarray of float64, shape (n_distances,)
    stack : ndarray of float64 or float32, shape (n_distances, n, m)
        C-contiguous.

    Returns
    -------
    ndarray of float64, shape (n, m)
    """
    flat = stack.reshape(len(stack), -1)
    total: FloatArray = _core.weighted_sum(np.ascontiguousarray(weights, dtype=np.float64), flat)
    return total.reshape(stack.shape[1:])


@dataclass(frozen=True, eq=False)
class StackedDistances:
    """Distances that are given as matrices.

    Parameters
    ----------
    stack : ndarray of shape (n_distances, n, n)
        float64 or float32, C-contiguous; it is kept, not copied. Diagonals are not read.
    scales : float or ndarray of shape (n_distances,), default=1
        Each distance is divided by its scale.
    """

    stack: npt.NDArray[Any]
    scales: FloatArray | float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of distances, and of objects."""
        return self.stack.shape[0], self.stack.shape[1]

    def scaled(self, scales: FloatArray) -> Self:
        """Divide the distances by other scales."""
        return replace(self, scales=scales)

    def means(self) -> FloatArray:
        """Give each given distance's mean over different objects; 0 for one."""
        n = self.shape[1]
        others = ~np.eye(n, dtype=bool)
        with np.errstate(over="ignore"):
            sums = [values.sum(where=others, dtype=np.float64) for values in self.stack]
        return np.array(sums) / max(1, n * (n - 1))

    def tell(self) -> npt.NDArray[np.bool_]:
        """Say of each distance whether objects are apart in it."""
        others = ~np.eye(self.shape[1], dtype=bool)
        return np.array([values.any(where=others) for values in self.stack])

    def each(self) -> Iterator[npt.NDArray[Any]]:
        """Yield each distance as it is given, shape (n, n)."""
        yield from self.stack

    def at(self, w: FloatArray) -> FloatArray:
        """Compute the sum with weights w, (n, n)."""
        return weighted_sum(w / self.scales, self.stack)

    def total(self, p: IntArray, q: IntArray) -> FloatArray:
        """Sum each distance over the pairs (p[i], q[i])."""
        return np.asarray(self.stack[:, p, q].sum(axis=1, dtype=np.float64) / self.scales)


@dataclass(frozen=True, eq=False)
class SquaredDifferences:
    """Hold features' squared differences as (n, D) numbers, not (D, n, n).

    Parameters
    ----------
    X : ndarray of float64, shape (n, n_features)
        Best with mean 0: a sum is made of squares and products, of which little is then lost.
    scales : float or ndarray of shape (n_features,), default=1
        Each distance is divided by its scale.
    """

    X: FloatArray
    scales: FloatArray | float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of distances, and of objects."""
        return self.X.shape[1], self.X.shape[0]

    def scaled(self, scales: FloatArray) -> Self:
        """Divide the distances by other scales."""
        return replace(self, scales=scales)

    def means(self) -> FloatArray:
        """Give each given distance's mean over different objects; 0 for one."""
        n = len(self.X)
        return np.asarray(2.0 * self.X.var(axis=0) * n / max(1, n - 1))

    def tell(self) -> npt.NDArray[np.bool_]:
        """Say of each distance whether objects are apart in it."""
        return np.asarray((self.X[0] != self.X).any(axis=0))

    def each(self) -> Iterator[npt.NDArray[Any]]:
        """Yield each distance as it is given, shape (n, n)."""
        for values in self.X.T:
            yield np.square(values[:, None] - values)

    def at(self, w: FloatArray) -> FloatArray:
        """Compute the sum with weights w, (n, n)."""
        of_one = np.asarray(w / self.scales)
        kept = np.flatnonzero(of_one)  # many weights are 0
        X = self.X if len(kept) == len(of_one) else self.X[:, kept]
        weighted = X * of_one[kept]
        squares = (weighted * X).sum(axis=1)
        d = weighted @ X.T
        d *= -2.0
        d += squares
        d += squares[:, None]
        return d

    def total(self, p: IntArray, q: IntArray) -> FloatArray:
        """Sum each distance over the pairs (p[i], q[i])."""
        difference = self.X[p] - self.X[q]
        return np.asarray(np.einsum("ij,ij->j", difference, difference) / self.scales)


GivenDistances = StackedDistances | SquaredDifferences
