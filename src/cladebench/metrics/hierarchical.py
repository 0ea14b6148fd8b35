"""Measure a hierarchy by dendrogram purity and Dasgupta's cost.

The former needs labels, the latter similarities.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import cladebench._core as _core
from cladebench.class_labels import class_codes
from cladebench.hierarchy import Hierarchy
from cladebench.metrics.similarity import LinearKernel
from cladebench.validation import as_array, check_columns, without_overflow

SimilarityLike: TypeAlias = npt.ArrayLike | sp.spmatrix | sp.sparray | LinearKernel


def dendrogram_purity(hierarchy: Hierarchy, labels: npt.ArrayLike) -> float:
    """Compute the dendrogram purity of a hierarchy.

    It is the mean, over pairs of one class, of the purity of their lowest common ancestor.

    For every unordered pair of distinct samples of the same class, take the lowest common ancestor and the
    share of that class among the samples below it; the measure is the mean over pairs. The mean that draws a
    class or a leaf first and then a pair is a different number. Computed exactly, not by sampling.

    Parameters
    ----------
    hierarchy : Hierarchy
        Any arity; samples that share a node have that node as their lowest common ancestor.
    labels : array-like, shape (n_samples,)
        Class of each sample: all strings or all numbers, none missing; pandas Series and Categorical will do.

    Returns
    -------
    float
        In (0, 1]; 1 if every class is the set of samples below one node.

    Raises
    ------
    ValueError
        If the number of labels is wrong, a label is missing or of another kind than the rest, or no two
        samples share a class (a mean over nothing).
    TypeError
        If `hierarchy` is no Hierarchy.

    Notes
    -----
    O(n log n) time, O(n) memory, given the hierarchy; counts of pairs are 64-bit integers (5e11 pairs at
    n = 1e6; they would overflow beyond n = 4e9).

    References
    ----------
    Heller and Ghahramani (2005), Bayesian hierarchical clustering, ICML. Kobren, Monath, Krishnamurthy and
    McCallum (2017), A hierarchical algorithm for extreme clustering, KDD, eq. 1.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import dendrogram_purity
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> dendrogram_purity(tree, ["a", "a", "b", "b", "b"])
    1.0
    >>> round(dendrogram_purity(tree, ["a", "b", "b", "b", "b"]), 4)
    0.9
    """
    tree = tree_of(hierarchy)
    classes, codes = class_codes(labels, hierarchy.n_samples)
    return _core.dendrogram_purity(tree, codes.astype(np.int32), len(classes))


def dasgupta_cost(
    hierarchy: Hierarchy,
    similarity: SimilarityLike,
    pairs: Literal["unordered", "ordered"] = "unordered",
) -> float:
    """Compute Dasgupta's cost of a hierarchy.

    It is the sum over pairs of similarity x number of samples below the lowest common ancestor.

    Parameters
    ----------
    hierarchy : Hierarchy
        Any arity; a pair of samples that share a node costs its similarity x the samples below that node.
    similarity : array-like (n_samples, n_samples), scipy.sparse matrix, or LinearKernel
        Similarity of each pair. A matrix may be asymmetric (a directed nearest-neighbour graph): a pair's
        similarity is then the mean of both entries. Entries absent from a sparse matrix are 0. The diagonal
        never counts.
    pairs : {"unordered", "ordered"}, default "unordered"
        Count each pair of distinct samples once (Dasgupta's definition), or twice: twice the cost.

    Returns
    -------
    float
        Smaller is better for similarities >= 0.

    Raises
    ------
    ValueError
        If shapes disagree (features or labels are no similarity), `pairs` is unknown, a sparse matrix has a column
        outside of its shape, or an entry off the diagonal is NaN or infinite.
    TypeError
        If `hierarchy` is no Hierarchy, or `similarity` is no array, or is to be called on X first.

    Warns
    -----
    UserWarning
        If a dense matrix looks like distances: 0 on the diagonal, positive elsewhere, symmetric, and no side of a
        triangle longer than the other two. Up to 50 rows are looked at.

    Notes
    -----
    Dense: O(n^2), one pass over the matrix, which is used without a copy if it is float64 and contiguous.
    Sparse: O(n_stored log n). LinearKernel: O(n d), O(n + d log n) memory; the (n, n) matrix is never formed.
    The result does not depend on the number of threads.

    References
    ----------
    Dasgupta (2016), A cost function for similarity-based hierarchical clustering, STOC, eq. 1.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import dasgupta_cost
    >>> similarity = [[0, 9, 1], [9, 0, 1], [1, 1, 0]]
    >>> dasgupta_cost(Hierarchy.from_nested([[0, 1], 2]), similarity)
    24.0
    >>> dasgupta_cost(Hierarchy.from_nested([[0, 2], 1]), similarity)
    32.0
    """
    tree = tree_of(hierarchy)
    if pairs not in ("unordered", "ordered"):
        raise ValueError(f"pairs is {pairs!r}; expected 'unordered' or 'ordered'")
    if callable(similarity):
        raise TypeError(f"similarity is {similarity!r}; expected its values on X: similarity(X)")
    factor = 2.0 if pairs == "ordered" else 1.0
    n = hierarchy.n_samples
    if isinstance(similarity, LinearKernel):
        if len(similarity.X) != n:
            raise ValueError(
                f"LinearKernel has {len(similarity.X)} samples; expected {n}, as in the hierarchy"
            )
        return factor * _checked(_core.dasgupta_cost_linear(tree, similarity.X), None)
    check_columns(similarity, "similarity")
    given: Any = similarity
    matrix: Any = (
        without_overflow(given).tocsr() if sp.issparse(given) else as_array("similarity", given, "numbers")
    )
    if matrix.ndim == 0:  # a name, None, a number: nothing that has entries
        raise TypeError(
            f"similarity is {similarity!r}, of type {type(similarity).__name__}; expected an array or sparse matrix "
            f"of shape ({n}, {n}), or LinearKernel(X)"
        )
    if matrix.shape != (n, n):
        raise ValueError(
            f"similarity has shape {matrix.shape}; expected ({n}, {n}){_advice(matrix.shape, n)}"
        )
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"similarity has dtype {matrix.dtype}; expected real numbers")
    if sp.issparse(matrix):
        cost = _core.dasgupta_cost_sparse(
            tree,
            matrix.indptr.astype(np.int64, copy=False),
            matrix.indices.astype(np.int32, copy=False),
            matrix.data.astype(np.float64, copy=False),
        )
    else:
        if _looks_like_distances(matrix):
            warnings.warn(
                "similarity: looks like distances, 0 on the diagonal; expected similarities, such as 1 / (1 + D)",
                stacklevel=2,
            )
        # The cost of the transpose is the same: a column-major matrix need not be copied.
        rows = matrix.T if matrix.flags.f_contiguous else matrix
        cost = _core.dasgupta_cost_dense(tree, np.ascontiguousarray(rows, dtype=np.float64))
    return factor * _checked(cost, matrix)


def tree_of(hierarchy: Hierarchy) -> Any:
    """Return the core's tree of a hierarchy.

    TypeError if it is something else.
    """
    if isinstance(hierarchy, Hierarchy):
        return hierarchy._tree
    raise TypeError(
        f"hierarchy is {type(hierarchy).__name__}; expected a Hierarchy, such as estimator.hierarchy_ "
        "or Hierarchy.from_linkage(Z)"
    )


def _advice(shape: tuple[int, ...], n: int) -> str:
    """Say what to make of features or labels given as similarities."""
    if len(shape) == 2 and shape[0] == n:
        return ". For the features X, hand over Similarity('inv_sq')(X) or LinearKernel(X)"
    if shape == (n,):
        return (
            ". Labels are read by dendrogram_purity; this cost takes a similarity, such as Similarity('inv_sq')(X) or "
            "LinearKernel(X) of the features X"
        )
    return ""


def _looks_like_distances(matrix: npt.NDArray[Any]) -> bool:
    """Say whether some rows of a matrix look metric.

    Weights of a graph are 0 on the diagonal too, but triangles of them have longer sides: near samples are near to the
    same others. Where no number is twice another, no triangle could tell.
    """
    n = len(matrix)
    some = np.unique(np.linspace(0, n - 1, 50).astype(np.int64))
    D = matrix[np.ix_(some, some)].astype(np.float64)
    apart = D[~np.eye(len(some), dtype=bool)]
    if len(some) < 3 or D.diagonal().any() or not apart.min() > 0 or not apart.max() > 2 * apart.min():
        return False
    return bool((D == D.T).all() and (D[:, None] <= (D[:, :, None] + D[None]) * (1 + 1e-9)).all())


def _checked(cost: float, matrix: Any) -> float:
    """Return a finite cost.

    A sum that is not finite tells of a bad entry without a pass of its own to look for it.
    """
    if not np.isfinite(cost):
        why = None if matrix is None else _not_finite(matrix)
        raise ValueError(f"the cost is {cost}: {why or 'the similarities are too large to add up'}")
    return cost


def _not_finite(matrix: Any) -> str | None:
    """Name an off-diagonal entry that is not finite, if any."""
    entries = (
        matrix.tocoo() if sp.issparse(matrix) else sp.coo_array(np.where(np.isfinite(matrix), 0.0, matrix))
    )
    bad = ~np.isfinite(entries.data) & (entries.row != entries.col)
    if not bad.any():
        return None
    at = int(np.argmax(bad))
    return f"similarity[{entries.row[at]}, {entries.col[at]}] is {entries.data[at]}; expected finite numbers"
