"""Cluster agglomeratively as SciPy's linkage matrix.

There is no matrix of distances, where that can be avoided.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt
import scipy.cluster.hierarchy
import scipy.sparse
import scipy.spatial.distance

import cladebench._core as _core
from cladebench.distance_matrix import rounding_of
from cladebench.solvers.graph_linkages import (
    Connectivity,
    Progress,
    check_connectivity,
    check_graph,
    check_graph_method,
    is_graph,
    link_along_graph,
)
from cladebench.solvers.linkage_units import rows_in_unit, shift_heights, shift_of
from cladebench.validation import (
    as_array,
    as_floats,
    check_choice,
    check_features,
    check_finite,
    where_in,
)

METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")
#: What the compiled core links without a matrix of distances.
WITHOUT_MATRIX = {
    "single": ("euclidean", "sqeuclidean", "cosine"),
    "complete": ("euclidean", "sqeuclidean", "cosine"),
    "average": ("euclidean", "sqeuclidean", "cosine"),
    "weighted": ("sqeuclidean", "cosine"),
    **dict.fromkeys(("ward", "centroid", "median"), ("euclidean",)),
}
#: Of other metrics all distances are kept, as `scipy.spatial.distance.pdist` gives them.
METRICS = (
    *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "hamming"),
    *("jensenshannon", "minkowski", "seuclidean", "sqeuclidean"),
)

#: scikit-learn's names of some of them.
SYNONYMS = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean", "p": "minkowski"}


def linkage(
    X: npt.ArrayLike,
    method: str = "ward",
    metric: str = "euclidean",
    connectivity: Connectivity = None,
    *,
    progress: Progress | None = None,
) -> npt.NDArray[np.float64]:
    """Merge the two nearest clusters until one is left.

    Parameters
    ----------
    X : array_like of shape (n_samples, n_features) or (n_samples * (n_samples - 1) / 2,)
        Finite numbers, dense: call ``toarray()`` of sparse rows, whose sums are dense soon. They are read as float64.
        The core alone copies C-contiguous float32; under "cosine", with `connectivity` and for SciPy one more copy
        is made.
        A vector has the distances of all pairs, as `scipy.spatial.distance.pdist` gives them, and goes to SciPy.
    method : {"ward", "single", "complete", "average", "weighted", "centroid", "median"}, default="ward"
        Distance between clusters, as in `scipy.cluster.hierarchy.linkage`. The default of
        `cladebench.methods.Agglomerative` is "complete".
    metric : str, default="euclidean"
        Distance between rows, by SciPy's name. "ward", "centroid" and "median" are of Euclidean distances alone.
        Without a meaning where X has distances.
    connectivity : int or sparse matrix or ndarray of shape (n_samples, n_samples), optional
        None: any two clusters may merge. A sparse matrix: two rows are linked where it stores either entry, be it 0 or
        False. An ndarray: where either entry is not 0. An int: each row is linked to as many nearest rows, and they to
        it. Only linked clusters merge, as the notes say.
    progress : callable, optional
        Called with the merges done and those of the whole tree, at most ten times a second, and then once with all of
        them. What it raises ends the call. It hears of no merge while neighbours are looked for, or the edges of
        "single": that takes most of the time. SciPy tells of none before the last call.

    Returns
    -------
    Z : ndarray of shape (n_samples - 1, 4)
        SciPy's matrix: the two clusters of a merge, the lower number first, its height, and how many rows it has.

    Raises
    ------
    ValueError
        If X is empty, sparse, not finite, or has text. If squares overflow or vanish under "sqeuclidean", or a merge is
        above 1.8e308. If X has a row of zeros under "cosine", or two rows without a distance, such as constant ones
        under "correlation". If method and metric do not go together. If distances are negative, or not as many as
        those of all pairs. If connectivity is none of these, below 1, or a matrix of another shape or not of finite
        real numbers. If X has distances with it.
    TypeError
        If progress is no callable.
    MemoryError
        If the distances of all pairs are needed and do not fit into the memory that is free.

    See Also
    --------
    cladebench.methods.Agglomerative : The same as an estimator.

    Notes
    -----
    The core needs O(n_samples n_features) memory for "single" (Euclidean, squared, cosine), for "average" and
    "weighted" (squared Euclidean, cosine), and for "ward", "centroid" and "median". A cluster is its centre with its
    size or spread there, from which these distances follow exactly. Where most are equal, up to 200 MB keep them.

    For "complete" (Euclidean, squared, cosine) and "average" (Euclidean) the core keeps the 3 million smallest
    distances at most, in 300 MB. They decide all merges up to the greatest of them. Then the clusters that are left
    are compared anew, row by row. What is left goes to SciPy. It takes 8 n_samples^2 bytes, as SciPy copies the
    distances, and 4 n_samples^2 for "single".

    Time is O(n_samples^2 n_features) at worst. "centroid" and "median" may need a factor n_samples more, and
    "complete" and Euclidean "average" a few. Where features are few, time grows little faster than n_samples but for
    these two. The core's threads share the work. They change nothing of the result.

    Equal rows merge first. Of equally near clusters a search takes the one with the lowest row. "single" takes edges by
    length, then by their lower row, then by their upper row. SciPy may take another, and then trees differ. Heights
    differ by rounding. Means, and distances of centres, are sums in an order of their own: those that tie within
    rounding may merge in another order.

    Where squares of features or distances would overflow or vanish, a power of 2 brings them to a unit in which they do
    not. Then distances below 1e-270 of the largest may count as 0. "sqeuclidean", whose distances are such squares, is
    refused there.

    Clusters that are each other's nearest merge together, since no later merge comes nearer to them (Murtagh 1983).
    That does not hold for "centroid" and "median". There one pair merges at a time (Müllner 2011). A merge may be lower
    than the one before.

    With `connectivity`, the nearest two linked clusters merge again and again. Two clusters are linked if any of their
    rows are. "ward", "centroid", "median", and "average" and "weighted" (squared Euclidean, cosine) are the true
    distances of the two clusters. "single" is the shortest edge between them. Clusters without an edge merge as if
    there were no graph.

    "complete", and "average" and "weighted" (Euclidean) would need the distances between all rows of two clusters. They
    are of linked rows alone, as in scikit-learn. If A and B merge and both are linked to C, the new distance to C is
    that of the linkage. If one of both is linked to C, its distance stays. A graph that falls into parts first
    gets the shortest edges that join all parts. The function of scikit-learn adds the shortest edge between each two
    parts. The height of a merge can be less than the distance of the two clusters.

    Neighbours are found in the core. Equal rows count as 1 of them and merge first, and of equally near rows the lowest
    are taken. With n_samples - 1 neighbours and more the tree is that without a graph. Ties are as without a graph. A
    merge by true distances may be lower than the one before (Ferligoj and Batagelj 1982). A cluster can be nearer to
    one that it was not linked to. Memory is O(n_samples (n_features + connectivity)). Merging most often takes
    O(n_features) for each edge and a logarithm; finding the neighbours takes longer.

    References
    ----------
    .. [1] F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, The Computer Journal 26,
       1983.
    .. [2] D. Müllner, Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378, 2011.
    .. [3] A. Ferligoj and V. Batagelj, Clustering with relational constraint, Psychometrika 47, 1982.

    Examples
    --------
    >>> linkage([[0.0], [1.0], [5.0]], "single")
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    Z, _ = linkage_and_bounds(X, method, metric, connectivity, progress)
    if progress is not None and len(Z):
        progress(len(Z), len(Z))
    return Z


def check_together(name: str, method: str, metric: str) -> None:
    """Refuse a metric that a linkage has no meaning for.

    `name` is what the caller names the linkage.
    """
    if method in ("ward", "centroid", "median") and metric != "euclidean":
        raise ValueError(
            f"{name}={method!r}, metric={metric!r}: expected metric='euclidean' with this {name}"
        )


def check_rows(X: Any, who: object = None) -> list[Any] | None:
    """Refuse what has no rows of numbers; give the names of columns.

    It serves `linkage`, and an estimator `who` before scikit-learn's own checks. The words on shapes are also those
    that scikit-learn's checks of estimators ask for. Objects that are no numbers pass: the reader has words for them.
    """
    columns = check_features(X, who=who, text=False)
    where = where_in("X", who)
    if scipy.sparse.issparse(X):
        raise ValueError(f"{where} is sparse; expected a dense array")
    shape = as_array(where, X, "numbers").shape
    what = "" if shape else f" {type(X).__name__},"
    expected = "expected a 2D array (n_samples, n_features), both at least 1"
    if who is None:
        expected += ", or distances of all pairs"
    elif len(shape) == 1:
        expected += ": X.reshape(-1, 1) has one feature"
    if len(shape) == 2 and 0 in shape:
        lacking = "feature" if shape[0] else "sample"
        raise ValueError(
            f"{where}: 0 {lacking}(s) (shape={shape}) while a minimum of 1 is required; {expected}"
        )
    if len(shape) != 2 and (who is not None or len(shape) != 1 or not shape[0]):
        raise ValueError(f"{where}:{what} shape {shape}, dim {len(shape)}; {expected}")
    return columns


def linkage_and_bounds(
    X: npt.ArrayLike,
    method: str,
    metric: str,
    connectivity: Connectivity,
    progress: Progress | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
    """Give the linkage matrix, and what `Agglomerative.merge_bounds_` says of its merges.

    The latter is None where the graph is a matrix, and for "centroid" and "median" along a graph.
    """
    check_choice("method", method, METHODS)
    if metric == "precomputed":
        raise ValueError(f"metric={metric!r}: distances need none; expected X=squareform(D), and no metric")
    check_choice("metric", metric, METRICS, SYNONYMS)
    check_together("method", method, metric)
    check_connectivity(connectivity)
    if connectivity is not None:
        check_graph_method("method", method, metric)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {progress!r}; expected None or a callable of two counts")
    columns = check_rows(X)
    rows = X if _is_single_precision(X) else as_floats("X", X)
    check_finite(rows, None, columns=columns, of_pairs=rows.ndim < 2)
    if rows.ndim < 2:
        if connectivity is not None:
            raise ValueError("X: distances of all pairs; expected rows of features with connectivity")
        Z = _of_distances(rows, method)
        return Z, np.ones(len(Z))
    if is_graph(connectivity):
        check_graph(connectivity, len(rows))
    if len(rows) < 2:
        return np.empty((0, 4)), np.empty(0)
    if len(rows) == rows.shape[1] > 2 and _looks_like_distances(rows):
        warnings.warn(
            "X: square, symmetric, 0 on the diagonal, and taken for features; expected squareform(X, checks=False) "
            "for distances",
            stacklevel=3,
        )
    n_merges = len(rows) - 1
    in_core = metric in WITHOUT_MATRIX.get(method, ())
    if rows.dtype != np.float64 and (metric == "cosine" or connectivity is not None or not in_core):
        rows = as_floats("X", rows)
    if metric == "cosine":
        rows = _directions(rows)
    shift = 0
    if rows.dtype == np.float64:  # squares of single precision fit into double
        rows, shift = rows_in_unit(rows, metric)
    told = None if progress is None else _with_total(progress, n_merges)
    bounds: npt.NDArray[np.float64] | None = np.ones(n_merges)
    if connectivity is not None and (
        not isinstance(connectivity, int | np.integer) or connectivity < n_merges
    ):
        Z, bounds = link_along_graph(rows, method, metric, connectivity, told)
    elif not in_core:
        Z = _by_matrix(rows, method, metric)
    else:
        by_pairs = method == "complete" or (method, metric) == ("average", "euclidean")
        Z = (_core.link_by_pairs if by_pairs else _core.link)(rows, method, progress=told)
        Z = Z.reshape(-1, 4)
    # Of the core's other heights those of "average" and "weighted" are squared.
    if in_core and metric != "euclidean" and method in ("single", "complete"):
        Z[:, 2] **= 2
        bounds = None if bounds is None else bounds**2
    if metric == "cosine":
        Z[:, 2] /= 2  # half the squared distance of two directions
    if shift:
        shift_heights(Z, -shift)
    return Z, bounds


def _looks_like_distances(rows: npt.NDArray[Any]) -> bool:
    """Say whether features are nearly symmetric, with 0 on the diagonal."""
    slack = rounding_of(rows)
    return (
        slack > 0.0
        and float(np.abs(rows.diagonal()).max()) <= slack
        and float(np.abs(rows - rows.T).max()) <= slack
    )


def _is_single_precision(X: Any) -> TypeGuard[npt.NDArray[Any]]:
    """Say whether the core reads X as it is."""
    return type(X) is np.ndarray and X.dtype == np.float32 and X.ndim == 2 and X.flags.c_contiguous


def _with_total(progress: Progress, total: int) -> Callable[[int], object]:
    return lambda done: progress(done, total)


def _of_distances(distances: npt.NDArray[np.float64], method: str) -> npt.NDArray[np.float64]:
    if not scipy.spatial.distance.is_valid_y(distances):
        raise ValueError(
            f"X: {distances.size} distances; expected n (n - 1) / 2 for n samples, or rows of features"
        )
    least = float(distances.min())
    if least < -rounding_of(distances):
        raise ValueError(f"X: distance {least:g}; expected none below 0")
    if least < 0.0:
        distances = np.maximum(distances, 0.0)
    return _by_scipy(distances, method)


def _by_scipy(
    distances: npt.NDArray[np.float64], method: str, *, may_write: bool = False
) -> npt.NDArray[np.float64]:
    shift = shift_of(distances)
    if shift:
        distances = np.ldexp(distances, shift, out=distances if may_write else None)
    Z: npt.NDArray[np.float64] = scipy.cluster.hierarchy.linkage(distances, method)
    if shift:
        shift_heights(Z, -shift)
    return Z


def _directions(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale rows to length 1, by units that keep squares in range."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not largest.all():
        raise ValueError(
            f"X: row {int(np.argmin(largest))} is zero; expected rows with a direction under 'cosine'"
        )
    scaled = rows / largest
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.ascontiguousarray(scaled)


def _by_matrix(rows: npt.NDArray[np.float64], method: str, metric: str) -> npt.NDArray[np.float64]:
    needed = (4 if method == "single" else 8) * len(rows) ** 2  # SciPy copies them for all others
    free = free_memory()
    if needed > free:
        without = [name for name, metrics in WITHOUT_MATRIX.items() if metric in metrics]
        other = (
            f"one of the methods {', '.join(without)}"
            if without
            else "metric='euclidean' with another method"
        )
        raise MemoryError(
            f"method={method!r}, metric={metric!r}: the distances of {len(rows):,} rows take "
            f"{needed / 2**30:,.0f} GiB, {free / 2**30:,.0f} GiB are free; expected fewer rows, or {other}"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what it would say is checked next
        distances = scipy.spatial.distance.pdist(rows, metric)
    defined = np.isfinite(distances)
    if not defined.all():
        at = int(np.argmin(defined))
        i, j = _pair(at, len(rows))
        raise ValueError(
            f"X: the {metric!r} distance between rows {i} and {j} is {distances[at]}; expected rows that "
            "have one, or another metric"
        )
    del defined
    return _by_scipy(distances, method, may_write=True)


def free_memory() -> int:
    """Count the free bytes of the machine, or all if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _pair(place: int, n: int) -> tuple[int, int]:
    """Find the rows whose distance `pdist` puts at a place."""
    before = np.cumsum(np.arange(n - 1, 0, -1))  # up to the end of each row's distances
    i = int(np.searchsorted(before, place, side="right"))
    return i, n - (int(before[i]) - place)
