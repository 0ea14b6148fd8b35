"""Forests as sparse matrices: P = Q W R', never written out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from cladebench.distances._least_entries import least_of_rows
from cladebench.distances.base import BLOCK, FloatArray, IntArray
from cladebench.validation import check_int


class LeafMap(sparse.csr_array):
    """Hold the rows of a forest's sparse map.

    It is a SciPy ``csr_array`` Q with a row for each sample. P = Q W R' has the proximities of the rows to those of R,
    which is Q itself for all weights but "gap". Distances stand in their place where `weights` is "distance".

    The `leaf_map` of a forest makes it.

    Attributes
    ----------
    W : csr_array of shape (n_columns, n_columns)
        The matrix between the factors.
    weights : str
        What the entries are: "leaf", "oob", "gap" or "distance"; see the forest's `leaf_map`.
    right : csr_array of shape (m, n_columns)
        The right factor R: this map, or with "gap" the fitted rows in their bags.

    Notes
    -----
    Rows that are taken by one index, ``Q[rows]``, copies and pickles are maps. What else is computed from a map, its
    transpose, a product or a choice of columns, is a ``csr_array`` or ``csc_array`` without these attributes.

    Maps of one forest and of the same weights fit together, also after pickles and files. Forests with the same trees
    are one.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distances import RandomForestProximity
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> forest = RandomForestProximity(n_estimators=20, random_state=0).fit(X, [0, 0, 1, 1])
    >>> Q = forest.leaf_map()
    >>> P = Q.proximity(dense=True)
    >>> bool(np.allclose(1 - P, forest.pairwise(X)))
    True
    >>> bool(np.allclose((Q @ Q.W @ Q.T).toarray(), P))
    True
    >>> bool(np.allclose(Q.operator() @ np.ones(4), P.sum(axis=1)))
    True
    >>> Q.neighbors(2)[1].tolist()
    [[0, 1], [0, 1], [2, 3], [2, 3]]
    """

    weights: str
    _forest: str
    _middle: sparse.csr_array | None
    _divisor: float
    _right: sparse.csr_array | None

    def __new__(cls, *given: Any, weights: str | None = None, **more: Any) -> Any:
        """Make a map, or the plain array that SciPy asks for."""
        return sparse.csr_array(*given, **more) if weights is None else super().__new__(cls)

    def __init__(
        self,
        Q: sparse.csr_array,
        *,
        weights: str,
        forest: str,
        middle: sparse.csr_array | None = None,
        divisor: float = 1.0,
        right: sparse.csr_array | None = None,
    ) -> None:
        # W is the middle, or the identity, over the divisor: counts are divided once, and rounded once.
        super().__init__(Q)
        self.weights, self._forest = weights, forest
        self._middle, self._divisor, self._right = middle, divisor, right

    @property
    def W(self) -> sparse.csr_array:
        """The matrix between the factors."""
        middle = self._middle
        if middle is None:
            middle = sparse.csr_array(sparse.eye_array(self.shape[1]))
        return sparse.csr_array((middle.data / self._divisor, middle.indices, middle.indptr), middle.shape)

    @property
    def right(self) -> sparse.csr_array:
        """The right factor."""
        return self if self._right is None else self._right

    def proximity(self, other: LeafMap | None = None, *, dense: bool = False) -> Any:
        """Compute P = Q W R'.

        Parameters
        ----------
        other : LeafMap of m rows, optional
            The map whose right factor is R; this one by default.
        dense : bool, default=False
            Whether all n m numbers are written out.

        Returns
        -------
        csr_array or ndarray, shape (n, m)
            Distances are mostly not 0, so that a sparse matrix of them is larger than a dense one.

        Raises
        ------
        ValueError
            If ``other`` is a map of other weights or of another forest.
        """
        product = self._left() @ self._right_of(other).T
        product.data /= self._divisor
        return product.toarray() if dense else product

    def operator(self, other: LeafMap | None = None) -> LinearOperator:
        """Give P as an operator, for products with vectors.

        P itself is not computed: a product takes O(entries of Q and R), and so does one with its transpose.

        Parameters
        ----------
        other : LeafMap of m rows, optional
            As in `proximity`.

        Returns
        -------
        LinearOperator of shape (n, m)
        """
        left, right, divisor = self._left(), self._right_of(other), self._divisor

        def forth(V: FloatArray) -> FloatArray:
            return np.asarray(left @ (right.T @ V)) / divisor

        def back(V: FloatArray) -> FloatArray:
            return np.asarray(right @ (left.T @ V)) / divisor

        shape = self.shape[0], right.shape[0]
        return LinearOperator(shape, forth, rmatvec=back, matmat=forth, rmatmat=back, dtype=np.float64)

    def neighbors(self, n_neighbors: int, other: LeafMap | None = None) -> tuple[FloatArray, IntArray]:
        """Find the nearest rows of another map.

        Of equally near rows those with the lowest indices are taken, and come first. A row is not left out of its own
        neighbours.

        Parameters
        ----------
        n_neighbors : int
            At most m.
        other : LeafMap of m rows, optional
            As in `proximity`.

        Returns
        -------
        distance : ndarray of float64, shape (n, n_neighbors)
            Ascending. Where the map has proximities it is 1 less these, and negative for one above 1, which "oob" may
            have.
        index : ndarray of int64, shape (n, n_neighbors)
            Rows of ``other``.

        Notes
        -----
        Products of some rows at a time. With proximities, time and memory depend on the pairs that share leaves, not on
        n m.
        """
        right = self._right_of(other)
        check_int("n_neighbors", n_neighbors, minimum=1)
        if n_neighbors > right.shape[0]:
            raise ValueError(
                f"n_neighbors={n_neighbors}: expected at most the number of rows, {right.shape[0]}"
            )
        find = least_products if self.weights == "distance" else largest_products
        value, index = find(self._left(), right.T.tocsr(), int(n_neighbors))
        if self.weights != "distance":
            value = self._divisor - value
        return value / self._divisor, index

    def copy(self) -> Self:
        """Copy the map's entries."""
        return self._with_rows(super().copy())

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return part if isinstance(key, tuple) or part.ndim != 2 else self._with_rows(part)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (sparse.csr_array(self), *self._facts())

    def _with_rows(self, rows: sparse.csr_array) -> Any:
        return _made(rows, *self._facts())

    def _facts(self) -> tuple[Any, ...]:
        return self.weights, self._forest, self._middle, self._divisor, self._right

    def _left(self) -> sparse.csr_array:
        return self if self._middle is None else self @ self._middle

    def _right_of(self, other: LeafMap | None) -> sparse.csr_array:
        """Give the right factor in double precision, in which products sum."""
        if other is None:
            return self.right.astype(np.float64, copy=False)
        problem = ""
        if not isinstance(other, LeafMap):
            problem = type(other).__name__
        elif (other.weights, other.shape[1]) != (self.weights, self.shape[1]):
            problem = f"{other.weights!r} and {other.shape[1]}"
        elif other._forest != self._forest:
            problem = "a map of another forest"
        if problem:
            raise ValueError(
                f"other: {problem}; expected a map of the same forest, with weights {self.weights!r} and "
                f"{self.shape[1]} columns"
            )
        return other._right_of(None)


def _made(
    rows: sparse.csr_array,
    weights: str,
    forest: str,
    middle: sparse.csr_array | None,
    divisor: float,
    right: sparse.csr_array | None,
) -> LeafMap:
    return LeafMap(rows, weights=weights, forest=forest, middle=middle, divisor=divisor, right=right)


def digest_of_forest(arrays: Iterable[npt.ArrayLike]) -> str:
    """Compute the SHA-256 of what tells forests apart."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def one_column_each(columns: npt.NDArray[np.int32], n_columns: int) -> sparse.csr_array:
    """Make a matrix of ones.

    Parameters
    ----------
    columns : ndarray of int32, shape (n, k)
        Where each row has them, ascending.
    n_columns : int

    Returns
    -------
    csr_array of float64, shape (n, n_columns)
    """
    n, k = columns.shape
    ends = np.arange(0, n * k + 1, k, dtype=np.int32 if n * k < 2**31 else np.int64)
    return sparse.csr_array((np.ones(n * k), columns.ravel(), ends), shape=(n, n_columns))


def least_products(left: sparse.csr_array, right: sparse.csr_array, k: int) -> tuple[FloatArray, IntArray]:
    """Find the k least entries of each row of a product.

    Parameters
    ----------
    left : csr_array of shape (n, n_columns)
    right : csr_array of shape (n_columns, m)
    k : int
        At most m.

    Returns
    -------
    value : ndarray of float64, shape (n, k)
        Ascending; equal ones by column.
    column : ndarray of int64, shape (n, k)
    """
    n, step = left.shape[0], max(1, BLOCK // right.shape[1])
    value, column = np.empty((n, k)), np.empty((n, k), dtype=np.int64)
    for start in range(0, n, step):
        block = slice(start, start + step)
        value[block], column[block] = least_of_rows((left[block] @ right).toarray(), k)
    return value, column


def largest_products(left: sparse.csr_array, right: sparse.csr_array, k: int) -> tuple[FloatArray, IntArray]:
    """Find the k largest entries of each row of a product.

    No entry of either factor is negative. As `least_products`, but descending.
    """
    n, m = left.shape[0], right.shape[1]
    # No row of the product has more entries than its factors' entries meet.
    met = sparse.csr_array((np.ones(left.nnz), left.indices, left.indptr), left.shape) @ np.diff(right.indptr)
    step = int(max(1, BLOCK // max(1.0, min(m, met.max(initial=0.0)) + k)))
    value, column = np.empty((n, k)), np.empty((n, k), dtype=np.int64)
    for start in range(0, n, step):
        block = slice(start, start + step)
        product = left[block] @ right
        if np.diff(product.indptr).min() < k:
            product = _with_zeros(product, k)
        lines, columns = _lines(product)
        lines, column[block] = least_of_rows(lines, k, columns)
        value[block] = -lines
    return value, column


def _with_zeros(product: sparse.csr_array, k: int) -> sparse.csr_array:
    """Enter the first k columns, as zeros where nothing is.

    They come first among equal zeros.
    """
    n = product.shape[0]
    row = np.repeat(np.arange(n), np.diff(product.indptr))
    row, column = np.r_[row, np.repeat(np.arange(n), k)], np.r_[product.indices, np.tile(np.arange(k), n)]
    data = np.r_[product.data, np.zeros(n * k)]
    return sparse.coo_array((data, (row, column)), product.shape).tocsr()


def _lines(product: sparse.csr_array) -> tuple[FloatArray, IntArray]:
    """Write rows' entries, with the other sign, and their columns, in lines."""
    counts = np.diff(product.indptr)
    shape = len(counts), int(counts.max())
    values, columns = np.full(shape, np.inf), np.full(shape, product.shape[1], dtype=np.int64)
    entered = np.arange(shape[1]) < counts[:, None]
    values[entered], columns[entered] = -product.data, product.indices
    return values, columns
