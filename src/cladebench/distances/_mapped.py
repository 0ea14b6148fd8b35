"""Distances that are Euclidean after a map of the samples."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from cladebench.distances._nearest import nearest_rows
from cladebench.distances.base import Distance, FloatArray, IntArray
from cladebench.subclass_results import array_from
from cladebench.threads import one_thread


class MappedDistance(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Distance):
    """The Euclidean distance of samples that `_map` has mapped one by one.

    A subclass defines it, and `_learn`. Being transformers, they serve as steps of a pipeline.

    Neighbours are found by products of matrices, which is some ten times as fast as by differences, and are the same.
    """

    @abstractmethod
    def _map(self, X: FloatArray) -> FloatArray:
        """Map rows, shape (len(X), any number).

        Where a row is mapped to depends on no other row.
        """

    @property
    def _n_features_out(self) -> int:
        """How many features `transform` returns; scikit-learn asks."""
        return int(self._image(self._fit_X[:1]).shape[1])

    def _image(self, X: FloatArray) -> FloatArray:
        """Map rows, and check that each has an image."""
        image: FloatArray = array_from(self, "_map", self._map(X), (X.shape[0], None))
        return image

    def transform(self, X: Any) -> FloatArray:
        """Map samples to where the distance is Euclidean.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of float64, shape (n, n_features_out)
            A table where `set_output` asks for one.

        Raises
        ------
        ValueError
            If X has another number of features, is not finite, or the images overflow.

        Examples
        --------
        >>> from cladebench.distances import LMNN
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sklearn.pipeline import make_pipeline
        >>> X, y = load_iris(return_X_y=True)
        >>> make_pipeline(LMNN(), KNeighborsClassifier(3)).fit(X, y).predict(X[:3])
        array([0, 0, 0])
        """
        rows = self._rows("X", X)
        with one_thread("blas"):
            images = self._image(rows)
        if images is rows:  # which may be the caller's own
            images = rows.copy()
        if not np.isfinite(images.data if sparse.issparse(images) else images).all():
            raise ValueError(f"images of {type(self).__name__} overflow; rescale X")
        return images

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        mapped = self._image(X)
        return cdist(mapped, mapped if Y is X else self._image(Y))

    def _nearest(self, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        with one_thread("blas"):
            rows = self._image(self._fit_X)
            queries = rows if X is self._fit_X else self._image(X)
            try:
                distance, index = nearest_rows(queries, rows, k)
            except OverflowError:
                return super()._nearest(X, k)
        return distance, index
