r"""Fit additive trees to distances by least squares (numerical taxonomy).

This step of the clustering gives its taxonomy, equation (12) of the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from cladebench import _core
from cladebench.distance_matrix import mended_distances
from cladebench.hierarchy import Hierarchy
from cladebench.validation import as_floats, check_choice, check_int, check_seed

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

TOPOLOGIES = ("search", "neighbor-joining", "all", "star", "random")
#: Points up to which all topologies can be tried: 10,395 trees.
MOST_FOR_ALL = 8
#: Edges that a subtree may move in one step of the search; beyond FULL_RADIUS_UP_TO points.
RADIUS = 10
FULL_RADIUS_UP_TO = 50


@dataclass(frozen=True, eq=False)
class TreeMetric:
    """Hold a tree with lengths, and the distances between its points.

    Attributes
    ----------
    tree : Hierarchy
        Samples are the k points; point i sits alone at node i, a leaf. Inner nodes follow, in preorder. The root,
        which means nothing, is the inner node next to point 0 (of two points: a node half-way between them).
        ``edge_lengths`` are at least 0, those between inner nodes above 0.
    distances : ndarray of shape (k, k)
        Path lengths between the points; symmetric, with zero diagonal. They meet the four-point condition.
    residual : float
        Root of the sum of (D - distances)^2 over the unordered pairs.

    Examples
    --------
    >>> from cladebench.solvers import fit_tree_metric
    >>> fit = fit_tree_metric([[0, 3, 5], [3, 0, 4], [5, 4, 0]])
    >>> fit.distances.round(9).tolist()
    [[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]]
    """

    tree: Hierarchy
    distances: FloatArray
    residual: float


def fit_tree_metric(
    D: npt.ArrayLike, *, topologies: str = "search", random_state: Any = None, n_starts: int = 1
) -> TreeMetric:
    r"""Fit an additive tree to a distance matrix by least squares.

    .. math::

        \min_{D_T} \sum_{i < j} (D_{ij} - D_{T,ij})^2

    over the distances in trees with lengths of at least 0, which are the matrices that meet the four-point condition
    ([1]_, equations (11) and (12); the norm is L2, which the paper leaves open).

    Parameters
    ----------
    D : array-like of shape (k, k)
        Distances between k >= 1 points; symmetric, zero diagonal, finite, at least 0. They need be no metric.
    topologies : {"search", "neighbor-joining", "all", "star", "random"}, default="search"
        The trees among which the best is looked for:

        - "search": the tree of neighbour joining, then the best exchange of nearest neighbours as long as one
          improves the fit, then the best move of any subtree to any other edge; until neither improves. With more than
          50 points a subtree moves past at most 10 edges at once.
        - "neighbor-joining": that tree alone ([2]_, [3]_).
        - "all": every topology, up to k = 8 (10,395 trees).
        - "star": one inner node.
        - "random": one binary topology, uniformly drawn.
    random_state : None, int or RandomState, default=None
        Draws the "random" topology, and the starts of the search but the first; not used otherwise.
    n_starts : int, default=1
        Starts of the search: neighbour joining, then topologies as of "random". The best end counts, the first of
        equals.

    Returns
    -------
    TreeMetric
        Lengths are the non-negative ones that fit best; inner edges of length 0 are contracted.

    Raises
    ------
    ValueError
        If D is not as described, by more than rounding (1e-8 of the largest entry, which is mended), `topologies` is
        unknown, "all" is asked for with more than 8 points, `n_starts` is below 1, or `random_state` is no seed.

    Notes
    -----
    The problem is NP-hard; "all" is exact, "search" need not be. Lengths take O(k) for each set of contracted edges
    that is tried; the search skips trees that a lower bound shows to be no better. One round of the search looks at
    O(k^2) trees (O(k) beyond 50 points), in time O(1) each; O(k) and more for those that are not skipped. There are
    about k rounds and more. O(k^2) memory.
    Neighbour joining is O(k^3). Results scale with D. Single-threaded.

    Measured against "all" on 2,000 matrices of each kind and size (1,000 for k = 8), the share in which one start found
    the optimum was, for independent uniform entries, 99.8 % at k = 5, 99.4 % at 6, 97.7 % at 7 and 95.9 % at 8; for
    noisy tree metrics (normal errors of a fifth of the mean distance) 100 %, 99.9 %, 99.8 % and 99.6 %. Nine starts
    found it in all of these. Neighbour joining alone: 96 %, 82 %, 67 %, 50 % and 99 %, 92 %, 83 %, 74 %.

    References
    ----------
    .. [1] M. B. Blaschko, A. Gretton, Learning taxonomies by dependence maximization, 2008.
    .. [2] N. Saitou, M. Nei, The neighbor-joining method, 1987.
    .. [3] J. A. Studier, K. J. Keppler, A note on the neighbor-joining algorithm of Saitou and Nei, 1988.

    Examples
    --------
    >>> fit = fit_tree_metric([[0, 3, 6, 7], [3, 0, 7, 8], [6, 7, 0, 3], [7, 8, 3, 0]])
    >>> fit.tree.to_newick()
    '(0:1.0,1:2.0,(2:1.0,3:2.0):4.0);'
    >>> round(fit.residual, 12)
    0.0
    """
    given, exponent = _scaled(_distances(D))
    k = len(given)
    check_choice("topologies", topologies, TOPOLOGIES)
    if topologies == "all" and k > MOST_FOR_ALL:
        raise ValueError(f"topologies='all' with {k} points; expected at most {MOST_FOR_ALL}")
    check_int("n_starts", n_starts, 1)
    check_seed(random_state)
    random = check_random_state(random_state)
    if topologies == "all":
        return _fit(given, exponent, _core.best_of_all_trees(given))
    if topologies == "star":
        return _fit(given, exponent, _star(k))
    if topologies == "random":
        return _fit(given, exponent, _random_tree(k, random))
    joined = _core.neighbor_joining(given)
    if topologies == "neighbor-joining":
        return _fit(given, exponent, joined)
    radius = 2 * k if k <= FULL_RADIUS_UP_TO else RADIUS
    starts = [joined, *(_random_tree(k, random) for _ in range(n_starts - 1))]
    fits = (_fit(given, exponent, _core.search_trees(given, start, radius)) for start in starts)
    return min(fits, key=lambda fit: fit.residual)


def fit_branch_lengths(D: npt.ArrayLike, tree: Hierarchy) -> TreeMetric:
    """Fit the lengths of a given tree by non-negative least squares.

    Parameters
    ----------
    D : array-like of shape (k, k)
        Distances, as in `fit_tree_metric`.
    tree : Hierarchy
        Of any arity; its samples are the k points, each alone at a leaf. Its root, its lengths, nodes with one child
        and leaves without a sample do not count.

    Returns
    -------
    TreeMetric
        The best lengths, which are unique; inner edges of length 0 are contracted.

    Raises
    ------
    ValueError
        If D is not as described, or the tree has another number of points, or one that is not alone at a leaf.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.solvers import fit_branch_lengths
    >>> fit = fit_branch_lengths([[0, 3, 5], [3, 0, 4], [5, 4, 0]], Hierarchy.from_nested([0, 1, 2]))
    >>> round(fit.residual, 9)
    0.0
    """
    given, exponent = _scaled(_distances(D))
    if tree.n_samples != len(given):
        raise ValueError(f"tree has {tree.n_samples} samples; expected {len(given)}, one for each row of D")
    return _fit(given, exponent, _unrooted(tree))


def four_point_excess(D: npt.ArrayLike) -> float:
    """Measure by how much a distance matrix breaks the four-point condition.

    It is equation (11) of the taxonomy paper.

    Parameters
    ----------
    D : array-like of shape (k, k)
        Distances, as in `fit_tree_metric`.

    Returns
    -------
    float
        The largest D_ab + D_cd - max(D_ac + D_bd, D_ad + D_bc) over all quadruples, in the units of D. Points may be
        repeated, as in (11): c = d is the triangle inequality, and all four equal make it at least 0. Of a tree metric
        it is 0, up to rounding. O(k^4).

    Raises
    ------
    ValueError
        If D is not as described.

    Examples
    --------
    >>> from cladebench.solvers import four_point_excess
    >>> four_point_excess([[0, 3, 5], [3, 0, 4], [5, 4, 0]])
    0.0
    >>> four_point_excess([[0, 1, 5], [1, 0, 1], [5, 1, 0]])  # 5 > 1 + 1
    3.0
    """
    given, exponent = _scaled(_distances(D))
    return math.ldexp(_core.four_point_excess(given), exponent)


def _distances(D: Any) -> FloatArray:
    """Return a symmetric matrix of distances, or raise a ValueError."""
    array = as_floats("D", D)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"D has shape {array.shape}; expected (k, k) with k >= 1")
    _refuse(array, np.isnan(array), "expected a number")
    _refuse(
        array, np.isinf(array), "expected finite numbers: parts that are not connected have no tree metric"
    )
    return mended_distances("D", array).astype(np.float64, copy=False)


def _refuse(array: FloatArray, wrong: npt.NDArray[np.bool_], expected: str) -> None:
    if wrong.any():
        i, j = np.unravel_index(int(np.argmax(wrong)), array.shape)
        raise ValueError(f"D[{i}, {j}] is {array[i, j]:g}; {expected}")


def _scaled(D: FloatArray) -> tuple[FloatArray, int]:
    """Divide by a power of two, which loses nothing.

    The largest entry comes to [1/2, 1).
    """
    exponent = math.frexp(D.max())[1]
    return np.ldexp(D, -exponent), exponent


def _star(k: int) -> IntArray:
    """Give the parents of k points around an inner node.

    The root is point 0, as in all trees of the core.
    """
    if k <= 2:
        return np.arange(-1, k - 1)
    return np.array([-1] + [k] * (k - 1) + [0])


def _random_tree(k: int, random: np.random.RandomState) -> IntArray:
    """Hang one point after another on an edge drawn at random.

    Every binary tree is equally likely.
    """
    if k <= 2:
        return _star(k)
    parents = np.full(2 * k - 2, -1)
    parents[1] = 0
    for point in range(2, k):
        inner = k + point - 2
        edge = int(random.randint(2 * point - 3))  # of the 2 point - 3 edges, that above...
        below = edge + 1 if edge < point - 1 else k + edge - (point - 1)
        parents[inner] = parents[below]
        parents[below] = parents[point] = inner
    return parents


def _unrooted(tree: Hierarchy) -> IntArray:
    """Give a tree's parents for the core: points first, no degree 2.

    Point 0 is the root.
    """
    k = tree.n_samples
    n_held = np.bincount(tree.leaf_of, minlength=tree.n_nodes)
    for point, node in enumerate(tree.leaf_of):
        if n_held[node] > 1 or tree.sizes[node] > 1:
            raise ValueError(
                f"sample {point} is not alone below its node {node}; expected each at a leaf of its own"
            )
    pruned = tree.pruned()
    if k <= 2:
        return _star(k)
    is_inner = np.ones(pruned.n_nodes, dtype=bool)
    is_inner[pruned.leaf_of] = False
    is_inner[pruned.root] = len(pruned.children(pruned.root)) > 2
    name = np.full(pruned.n_nodes, -1)
    name[pruned.leaf_of] = np.arange(k)
    name[is_inner] = np.arange(k, k + is_inner.sum())
    edges = [(name[v], name[up]) for v, up in enumerate(pruned.parents) if up >= 0 and name[up] >= 0]
    if name[pruned.root] < 0:  # a root with two children is a point within an edge
        a, b = pruned.children(pruned.root)
        edges.append((name[a], name[b]))
    return _directed(edges, k + int(is_inner.sum()), 0)[0]


def _directed(edges: list[tuple[Any, Any]], n_nodes: int, root: int) -> tuple[IntArray, list[int]]:
    """Give parents and nodes in preorder from edges and root."""
    neighbors: list[list[int]] = [[] for _ in range(n_nodes)]
    for a, b in edges:
        neighbors[a].append(int(b))
        neighbors[b].append(int(a))
    parents = np.full(n_nodes, -1)
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        for other in sorted(neighbors[node], reverse=True):
            if other != parents[node]:
                parents[other] = node
                stack.append(other)
    return parents, order


def _fit(D: FloatArray, exponent: int, parents: IntArray) -> TreeMetric:
    """Fit the lengths of a tree of the core.

    Makes what is returned of it, in the units of D.
    """
    k = len(D)
    lengths = _core.nonnegative_lengths(D, parents)
    distances = np.reshape(_core.path_distances(k, parents, lengths), (k, k))
    residual = math.sqrt(np.square(np.triu(D - distances)).sum())
    return TreeMetric(
        _hierarchy(k, parents, np.ldexp(lengths, exponent)),
        np.ldexp(distances, exponent),
        math.ldexp(residual, exponent),
    )


def _hierarchy(k: int, parents: IntArray, lengths: FloatArray) -> Hierarchy:
    """Contract zero inner edges, and root the tree next to point 0."""
    if k == 1:
        return Hierarchy([-1], [0], edge_lengths=[0.0])
    if k == 2:
        half = lengths[1] / 2.0
        return Hierarchy([2, 2, -1], [0, 1], edge_lengths=[half, half, 0.0])
    order = _directed([(v, up) for v, up in enumerate(parents) if up >= 0], len(parents), 0)[1]
    at = np.arange(len(parents))
    edges: list[tuple[int, int]] = []
    length_of: dict[frozenset[int], float] = {}
    for node in order[1:]:
        upper = int(at[parents[node]])
        if node >= k and upper >= k and lengths[node] == 0.0:
            at[node] = upper
        else:
            edges.append((node, upper))
            length_of[frozenset((node, upper))] = float(lengths[node])
    root = edges[0][0]  # the one neighbour of point 0
    rooted, order = _directed(edges, len(parents), root)
    inner = [node for node in order if node >= k]
    name = {node: place for place, node in enumerate([*range(k), *inner])}
    kept = [*range(k), *inner]
    return Hierarchy(
        [name[int(rooted[node])] if node != root else -1 for node in kept],
        np.arange(k),
        edge_lengths=[
            length_of[frozenset((node, int(rooted[node])))] if node != root else 0.0 for node in kept
        ],
    )
