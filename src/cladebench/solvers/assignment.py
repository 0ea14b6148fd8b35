r"""Assign rows to clusters of bounded sizes at least total cost.

This is the step of maximum-margin clustering in which the labels are chosen, exactly. It is a transportation
problem with K sinks.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from cladebench import _core
from cladebench.validation import as_array, as_floats

#: Integers up to this magnitude are float64 numbers, all of them.
LARGEST_INTEGER = 2**53

IntArray = npt.NDArray[np.intp]
FloatArray = npt.NDArray[np.float64]


@overload
def balanced_assignment(
    cost: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    *,
    return_prices: Literal[False] = False,
) -> IntArray: ...
@overload
def balanced_assignment(
    cost: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike, *, return_prices: Literal[True]
) -> tuple[IntArray, FloatArray]: ...
def balanced_assignment(
    cost: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike, *, return_prices: bool = False
) -> IntArray | tuple[IntArray, FloatArray]:
    r"""Assign rows to clusters of bounded size at the least cost.

    .. math::

        \min_y \sum_i c_{i, y_i} \quad \text{subject to} \quad l_k \le |\{i : y_i = k\}| \le u_k

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k; n >= 1, K >= 1. Finite; integers at most 2^53 in magnitude.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the number of rows, inclusive, for all clusters or for each; 0 <= lower <= upper. Sums of `lower`
        are at most n, of `upper` at least n.
    return_prices : bool, default=False
        Whether to return the prices that prove the optimum, too.

    Returns
    -------
    labels : ndarray of intp, shape (n,)
        Cluster of each row. Ties are broken by index: the same input has the same labels, on any number of threads.
    prices : ndarray of float64, shape (K,)
        Only if asked for: v with
        :math:`\sum_i \min_k (c_{ik} - v_k) + \sum_k (l_k \text{ if } v_k \ge 0 \text{ else } u_k) v_k` equal to the
        total cost, up to rounding. For any v it is a lower bound on the cost of every assignment.

    Raises
    ------
    ValueError
        If an argument has the wrong shape, a cost is not finite, is so large that sums overflow, or is an integer
        beyond 2^53, or bounds are not integers, negative, crossed, or met by no assignment.

    Notes
    -----
    Optimal up to the rounding of differences of costs; exact for integers while sums of 2 K of them are below
    2^53. Two clusters: a selection among the n differences of costs, O(n). More: successive shortest paths over the
    clusters from the prices of a sample of the rows, O(n K log n + M (K^2 + K log n)) for M rows moved, M about
    sqrt(n K) unless many costs are tied. The paper poses the same programme as a min-cost flow and solves it by
    capacity scaling ([1]_, eq. (6) and section 4.2).

    References
    ----------
    .. [1] G.-T. Zhou, S. J. Hwang, M. Schmidt, L. Sigal, G. Mori, Hierarchical maximum-margin clustering, 2015.

    Examples
    --------
    >>> balanced_assignment([[0, 5], [1, 2], [0, 9], [3, 3]], lower=2, upper=2).tolist()
    [0, 1, 0, 1]
    """
    costs = _costs(cost)
    n_clusters = costs.shape[1]
    labels, prices = _core.balanced_assignment(
        costs, _bounds("lower", lower, n_clusters), _bounds("upper", upper, n_clusters)
    )
    return (labels, prices) if return_prices else labels


def _costs(cost: Any) -> FloatArray:
    """Return the costs as the core wants them.

    That they are finite is checked there.
    """
    array = as_array("cost", cost, "numbers")
    if array.dtype.kind == "O":
        _check_integers(array)
        array = as_floats("cost", array)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"cost has dtype {array.dtype}; expected real numbers")
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"cost has shape {array.shape}; expected (n, K) with n >= 1 and K >= 1")
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        largest = max(int(array.max()), -int(array.min()))
        if largest > LARGEST_INTEGER:
            raise ValueError(
                f"cost has an integer of magnitude {largest}; expected at most 2^53, beyond which float64 has gaps"
            )
    return np.ascontiguousarray(array, dtype=np.float64)


def _check_integers(array: npt.NDArray[Any]) -> None:
    """Raise a ValueError if a Python integer may exceed float64."""
    for value in array.flat:
        if isinstance(value, int | np.integer) and abs(int(value)) > LARGEST_INTEGER:
            raise ValueError(
                f"cost has the integer {value}; expected at most 2^53 in magnitude, beyond which float64 has gaps"
            )


def _bounds(name: str, bounds: Any, n_clusters: int) -> npt.NDArray[np.int64]:
    """Return a bound for each cluster.

    That they can be met is checked in the core.
    """
    array = as_array(name, bounds, "integers")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} is {bounds!r}; expected integers below 2^63")
    if array.dtype.kind == "u":  # none of them changes by this, but those that int64 does not have
        array = np.minimum(array, np.uint64(2**63 - 1))
    if array.ndim == 0:
        return np.full(n_clusters, array, dtype=np.int64)
    if array.shape != (n_clusters,):
        raise ValueError(f"{name} has shape {array.shape}; expected an integer or shape ({n_clusters},)")
    return np.ascontiguousarray(array, dtype=np.int64)
