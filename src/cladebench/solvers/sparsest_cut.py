r"""Find sparsest cuts of weighted graphs by sweeps, or enumerate small graphs.

The ratio of a cut (A, B) of a graph with weights ``S`` is

.. math:: \phi(A, B) = \frac{\sum_{i \in A, j \in B} S_{ij}}{|A|\,|B|} .

For the indicator x of A it equals x'Lx / sum_{i<j} (x_i - x_j)^2 with the unnormalised Laplacian L = D - S,
so that letting x be any real vector gives a lower bound (Fiedler's eigenvalue) and, by a sweep along the
minimiser, an upper one [1]_:

.. math::
    \frac{\lambda_2}{n} \;\le\; \phi^* \;\le\; \phi_{\mathrm{sweep}} \;\le\;
    \frac{2}{n} \sqrt{2\, d_{\max}\, \lambda_2} .

Weights are symmetric and not negative; the diagonal is never read. Where cuts are equally sparse (to
rounding, 1e-9 of the ratio) the most balanced is taken, then the first: a clique is halved rather than
peeled, which costs the same in Dasgupta's sense [2]_ and keeps the recursion shallow.

References
----------
.. [1] B. Mohar, Isoperimetric numbers of graphs, J. Combin. Theory B 47, 1989.
.. [2] S. Dasgupta, A cost function for similarity-based hierarchical clustering, STOC 2016.
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cladebench.distance_matrix import rounding_of
from cladebench.solvers.fiedler import fiedler_vectors
from cladebench.validation import as_floats, without_overflow

#: Parts smaller than this are cut by enumeration, unless the caller says otherwise.
EXACT_BELOW = 12
# Ratios that differ by less, relatively, are taken for equal: a sum over 10^7 weights is no more exact.
TIE = 1e-9
# Rows of a dense graph that the sweep reads at a time.
BLOCK = 64


def sweep_cut(order: np.ndarray, S: Any) -> tuple[int, float]:
    """Find the sparsest cut among the prefixes of an order.

    Parameters
    ----------
    order : ndarray of int, shape (n,)
        A permutation of the vertices, n >= 2.
    S : ndarray or sparse matrix of shape (n, n)
        Symmetric weights, not negative.

    Returns
    -------
    k : int
        ``order[:k]`` is one side; 1 <= k < n.
    value : float
        Ratio of the cut.

    Notes
    -----
    Dense: O(n^2), one pass over S, and only sums of weights, never differences, so that a tiny cut beside
    large degrees keeps its digits. Sparse: O(nnz + n) by differences, exact to rounding of the total
    weight.
    """
    order = np.asarray(order)
    weights = _sparse_sweep(order, S) if sparse.issparse(S) else _dense_sweep(order, S)
    sizes = np.arange(1, len(order), dtype=np.float64)
    ratios = weights / (sizes * sizes[::-1])
    best = _most_balanced_minimum(ratios, np.minimum(sizes, sizes[::-1]))
    return best + 1, float(ratios[best])


def _dense_sweep(order: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Give the weight across each prefix cut, (n - 1,).

    A prefix that ends in the current block has weight from earlier blocks, from the block to later blocks, and
    within the block.
    """
    n = len(order)
    cuts = np.empty(n)
    from_earlier = np.zeros(n)  # weight from all earlier blocks to each vertex
    later = np.ones(n)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        vertices = order[start:stop]
        rows = S[vertices]
        later[vertices] = 0.0
        earlier = from_earlier[order[start:]]
        # after[r, i]: weight from the r-th vertex of the block to those that come after the i-th.
        after = np.zeros((stop - start, stop - start))
        inside = rows[:, vertices]
        after[:, :-1] = inside[:, :0:-1].cumsum(axis=1)[:, ::-1]
        earlier_after = np.zeros(stop - start)
        earlier_after[:-1] = earlier[1 : stop - start][::-1].cumsum()[::-1]
        cuts[start:stop] = (
            earlier[stop - start :].sum()
            + earlier_after
            + np.triu(after).sum(axis=0)
            + np.cumsum(rows @ later)
        )
        from_earlier += rows.sum(axis=0)
    return cuts[:-1]


def _sparse_sweep(order: np.ndarray, S: Any) -> np.ndarray:
    """Give the weight across each prefix cut, (n - 1,).

    An edge crosses from its first end's rank up to its second's.
    """
    n = len(order)
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n)
    edges = sparse.coo_array(S)
    rows, columns = edges.coords
    first, second = rank[rows], rank[columns]
    once = first < second
    opened = np.bincount(first[once], weights=edges.data[once], minlength=n)
    closed = np.bincount(second[once], weights=edges.data[once], minlength=n)
    return np.maximum(np.cumsum(opened - closed)[:-1], 0.0)


def _most_balanced_minimum(ratios: np.ndarray, balance: np.ndarray) -> int:
    """Find the least ratio of largest balance, the first of equals."""
    tied = np.flatnonzero(ratios <= ratios.min() * (1.0 + TIE))
    return int(tied[np.argmax(balance[tied])])


@lru_cache(maxsize=16)
def _all_cuts(n: int) -> tuple[np.ndarray, np.ndarray]:
    """List n vertices' cuts as 0/1 rows, and sizes of ones.

    Vertex 0 is always 0.
    """
    codes = np.arange(1, 2 ** (n - 1))
    cuts = np.zeros((len(codes), n))
    cuts[:, 1:] = (codes[:, None] >> np.arange(n - 1)) & 1
    return cuts, cuts.sum(axis=1)


def enumerate_cuts(S: np.ndarray) -> np.ndarray:
    """Find the sparsest cut by comparing all 2^(n - 1) - 1.

    Parameters
    ----------
    S : ndarray of shape (n, n)
        Symmetric weights, not negative, n >= 2; n <= 20 is practical.

    Returns
    -------
    ndarray of bool, shape (n,)
        One side of the cut; vertex 0 is on the other.
    """
    n = len(S)
    S = np.array(S, dtype=np.float64)
    np.fill_diagonal(S, 0.0)
    cuts, sizes = _all_cuts(n)
    ratios = ((cuts @ S) * (1.0 - cuts)).sum(axis=1) / (sizes * (n - sizes))
    return cuts[_most_balanced_minimum(ratios, np.minimum(sizes, n - sizes))] > 0


def components(S: Any) -> np.ndarray:
    """Find the connected components of the positive weights' graph.

    Parameters
    ----------
    S : ndarray or sparse matrix of shape (n, n)
        Symmetric weights, not negative.

    Returns
    -------
    ndarray of int, shape (n,)
        Component of each vertex, numbered 0, 1, ... by their lowest vertex (sparse: as SciPy finds them).

    Notes
    -----
    Dense: O(n^2) at worst, but O(n) if some vertex near the first is joined to nearly all, since an edge is
    looked at only between the last vertices reached and those not reached yet.
    """
    if sparse.issparse(S):
        return connected_components(S, directed=False)[1]
    component = np.full(len(S), -1)
    remaining = np.arange(len(S))
    label = 0
    while len(remaining):
        frontier, remaining = remaining[:1], remaining[1:]
        while len(frontier):
            component[frontier] = label
            reached = np.zeros(len(remaining), dtype=bool)
            for start in range(0, len(frontier), BLOCK):
                unreached = np.flatnonzero(~reached)
                if not len(unreached):
                    break
                block = S[np.ix_(frontier[start : start + BLOCK], remaining[unreached])]
                reached[unreached] = (block > 0).any(axis=0)
            frontier, remaining = remaining[reached], remaining[~reached]
        label += 1
    return component


def sparsest_cut(S: Any, *, exact_below: int = EXACT_BELOW) -> np.ndarray:
    """Cut a graph in two, sparsely.

    Parameters
    ----------
    S : ndarray or sparse matrix of shape (n, n)
        Symmetric weights, not negative, n >= 2. The diagonal is not read.
    exact_below : int, default=12
        Graphs with fewer vertices are cut optimally, by enumeration.

    Returns
    -------
    ndarray of bool, shape (n,)
        One side of the cut; vertex 0 is on the other.

    Raises
    ------
    ValueError
        If S is not square, finite, symmetric and free of negative weights, or n < 2.

    Notes
    -----
    See the module for the bounds on what the spectral cut may lose.
    """
    weights = checked_weights(S)
    if weights.shape[0] < 2:
        raise ValueError(f"similarity has shape {weights.shape}; expected at least 2 vertices")
    mask, _ = find_cut(weights, exact_below=exact_below)
    return ~mask if mask[0] else mask


def find_cut(
    S: Any,
    *,
    exact_below: int,
    n_vectors: int = 1,
    start: np.ndarray | None = None,
    index: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Cut a graph of checked weights; the step of the recursion.

    Parameters
    ----------
    S : ndarray or sparse matrix of shape (n, n)
        As `checked_weights` gives it, or a principal submatrix of that.
    exact_below : int
        As for `sparsest_cut`.
    n_vectors : int, default=1
        Eigenvectors to compute; the sweep follows the first, the others are for the graphs of the two sides.
    start : ndarray of shape (n, k), optional
        Guesses of the eigenvectors.
    index : ndarray of int, shape (n,), optional
        Names of the vertices, that break ties of the sweep's order; 0, 1, ... by default.

    Returns
    -------
    mask : ndarray of bool, shape (n,)
        One side of the cut.
    vectors : ndarray of shape (n, n_vectors) or None
        Eigenvectors, where any were computed.

    Notes
    -----
    A disconnected graph is cut between components, as evenly as the order of their lowest vertices allows.
    Otherwise it is the better of the sweep and of the least attached vertex alone (which rounding can hide
    from the sweep).
    """
    n = S.shape[0]
    index = np.arange(n) if index is None else index
    if n < exact_below or n == 2:
        return enumerate_cuts(S.toarray() if sparse.issparse(S) else S), None
    component = components(S)
    if component.max() > 0:
        lowest = np.full(component.max() + 1, np.iinfo(np.int64).max)
        np.minimum.at(lowest, component, index)
        ends = np.cumsum(np.bincount(component)[np.argsort(lowest)])[:-1]
        n_first = 1 + int(np.argmax(np.minimum(ends, n - ends)))
        return np.argsort(np.argsort(lowest))[component] < n_first, None
    degrees = np.asarray(S.sum(axis=1)).ravel()
    _, vectors = fiedler_vectors(S, n_vectors, start=start, degrees=degrees)
    order = np.lexsort((index, vectors[:, 0]))
    k, ratio = sweep_cut(order, S)
    mask = np.zeros(n, dtype=bool)
    mask[order[:k]] = True
    weakest = np.lexsort((index, degrees))[0]
    if degrees[weakest] / (n - 1) < ratio * (1.0 - TIE):
        mask[:] = False
        mask[weakest] = True
    return mask, vectors


def checked_weights(S: Any, *, copy: bool = True) -> Any:
    """Check weights, and give them as the solvers want them.

    Parameters
    ----------
    S : array-like or sparse matrix of shape (n, n)
        Symmetric and not negative (to 1e-8 of the largest weight), finite.
    copy : bool, default=True
        False: a float64 array may be changed and returned.

    Returns
    -------
    ndarray (C order) or CSR array of float64, shape (n, n)
        The weights with a diagonal of zeros: beside ones, small weights would lose their digits in sums.

    Raises
    ------
    ValueError
        If S is not what it has to be.
    """
    weights: Any
    if sparse.issparse(S):
        weights = sparse.csr_array(without_overflow(S), dtype=np.float64, copy=True)
        weights.setdiag(0.0)
        weights.eliminate_zeros()
    else:
        weights = as_floats("similarity", S)
        weights = weights.copy() if copy else weights
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise ValueError(f"similarity has shape {weights.shape}; expected (n_samples, n_samples)")
    values = weights.data if sparse.issparse(weights) else weights
    if not np.isfinite(values).all():
        raise ValueError("similarity contains NaN or infinity; expected finite numbers")
    limit = math.sqrt(sys.float_info.max) / max(weights.shape[0], 1)
    if values.size and values.max() > limit:
        raise ValueError(
            f"similarity contains {values.max():g}; expected at most {limit:.3g}, beyond which sums of squares "
            "overflow: rescale it"
        )
    if values.size and values.min() < 0:
        if values.min() < -rounding_of(values):
            raise ValueError(f"similarity contains {values.min():g}; expected weights >= 0")
        np.maximum(values, 0.0, out=values)
        if sparse.issparse(weights):
            weights.eliminate_zeros()
    # In strips: a whole transposed difference would be two more matrices.
    strips = (slice(start, start + 256) for start in range(0, weights.shape[0], 256))
    asymmetry = max((abs(weights[strip] - weights[:, strip].T).max() for strip in strips), default=0.0)
    if values.size and asymmetry > 1e-8 * values.max():
        raise ValueError(
            f"similarity is not symmetric: S and its transpose differ by {asymmetry:g}; expected a symmetric matrix"
        )
    if not sparse.issparse(weights):
        np.fill_diagonal(weights, 0.0)
    return weights
