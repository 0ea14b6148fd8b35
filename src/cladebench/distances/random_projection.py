"""A control: the Euclidean distance after a random projection."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from cladebench.distances._linear import LinearDistance
from cladebench.distances.base import FloatArray, IntArray
from cladebench.validation import check_int


class RandomProjection(LinearDistance):
    """Measure the Euclidean distance after a random linear map.

    A learned linear map has to beat it.

    X may be sparse; what it is mapped to is dense.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions that are projected on. More than the features make sense: distances come the nearer to Euclidean.
    random_state : int, RandomState instance or None, default=None
        Source of the map.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Independent normal numbers of variance 1 / n_components, so that squared distances are kept in expectation.

    Examples
    --------
    >>> from cladebench.distances import RandomProjection
    >>> RandomProjection(n_components=2, random_state=0).fit([[0, 0, 1], [3, 4, 0]]).transform([[1, 1, 1]]).shape
    (1, 2)
    """

    takes_sparse = True
    order_invariant = True

    def __init__(
        self, *, n_components: int = 2, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("n_components", self.n_components, 1)

    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        random = check_random_state(self.random_state)
        return random.standard_normal((self.n_components, X.shape[1])) / np.sqrt(self.n_components)
