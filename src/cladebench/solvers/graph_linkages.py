"""Agglomerative clustering along the edges of a graph of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

import cladebench._core as _core
from cladebench.validation import check_int, without_overflow

FloatArray = npt.NDArray[np.float64]
Connectivity: TypeAlias = int | scipy.sparse.sparray | scipy.sparse.spmatrix | npt.NDArray[Any] | None
#: Called with the merges done, and those of the whole tree.
Progress: TypeAlias = Callable[[int, int], object]

_METRICS = ("euclidean", "sqeuclidean", "cosine")
#: What follows from the edges or from the centres of two clusters.
ALONG_GRAPH = {
    **dict.fromkeys(("single", "complete", "average", "weighted"), _METRICS),
    **dict.fromkeys(("ward", "centroid", "median"), ("euclidean",)),
}
#: Of these what follows from edges that clusters hand on as they merge; "single" does so from edges as they are.
BY_EDGES = {"complete": _METRICS, "average": ("euclidean",), "weighted": ("euclidean",)}


def check_graph_method(name: str, method: str, metric: str) -> None:
    """Refuse a distance by which clusters cannot merge along a graph.

    `name` is what the caller names the method.
    """
    if metric not in ALONG_GRAPH[method]:
        known = " or ".join(map(repr, ALONG_GRAPH[method]))
        why = "distances have no graph" if metric == "precomputed" else "not along a graph"
        raise ValueError(
            f"{name}={method!r}, metric={metric!r}: {why}; expected metric={known}, or connectivity=None"
        )


def check_connectivity(connectivity: Any) -> None:
    """Refuse all but None, an integer from 1, or a matrix."""
    if connectivity is None or is_graph(connectivity):
        return
    if isinstance(connectivity, bool) or not isinstance(connectivity, int | np.integer):
        kind = type(connectivity).__name__
        raise ValueError(f"connectivity: {kind}; expected None, an integer, a sparse matrix or an ndarray")
    check_int("connectivity", connectivity, 1)


def is_graph(connectivity: Any) -> bool:
    """Say whether it is a matrix, not a number of neighbours."""
    return scipy.sparse.issparse(connectivity) or isinstance(connectivity, np.ndarray)


def check_graph(connectivity: Any, n: int) -> None:
    """Refuse a matrix that is not n x n or not finite."""
    if connectivity.shape != (n, n):
        raise ValueError(f"connectivity: shape {connectivity.shape}; expected ({n}, {n}), as X has {n} rows")
    if connectivity.dtype.kind not in "biuf":
        raise ValueError(f"connectivity: dtype {connectivity.dtype}; expected real numbers or booleans")
    if not np.isfinite(scipy.sparse.coo_array(connectivity).data).all():
        raise ValueError("connectivity: it has NaN or infinity; expected finite numbers")


def link_along_graph(
    rows: FloatArray,
    method: str,
    metric: str,
    connectivity: Any,
    told: Callable[[int], object] | None = None,
) -> tuple[FloatArray, FloatArray | None]:
    """Merge the two nearest linked clusters until one is left.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Finite, contiguous; directions under "cosine".
    method : str
    metric : str
        Both as in `ALONG_GRAPH`.
    connectivity : int or sparse matrix or ndarray of shape (n_samples, n_samples)
        Neighbours of each row; or the graph, by the entries that are stored, of an ndarray by the non-zeros.
    told : callable, optional
        Called with the number of merges done.

    Returns
    -------
    Z : ndarray of shape (n_samples - 1, 4)
        As the core gives it: heights of "average" and "weighted" are squared but under "euclidean", others are not.
    bounds : ndarray of shape (n_samples - 1,) or None
        As `cladebench.methods.Agglomerative.merge_bounds_`. None for a matrix, which says nothing of distances,
        and for "centroid" and "median".
    """
    if is_graph(connectivity):
        graph = (*_edges(connectivity), np.empty(0))
    else:
        graph = _core.neighbor_graph(rows, int(connectivity), progress=told)
    link = _core.link_by_edges if metric in BY_EDGES.get(method, ()) else _core.link_by_graph
    flat, bounds = link(rows, method, *graph, told)
    return flat.reshape(-1, 4), bounds if len(bounds) else None


def _edges(connectivity: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Give where each row's entries begin, and their columns.

    Zeros that are stored are links: of equal rows, where entries are distances.
    """
    graph = scipy.sparse.csr_array(without_overflow(connectivity))
    blocks = scipy.sparse.issparse(connectivity) and connectivity.format == "bsr"  # filled up with zeros
    if blocks or not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()
        if blocks:
            graph.eliminate_zeros()
    return graph.indptr.astype(np.int64), graph.indices.astype(np.int32)
