"""Find additive trees by written-out incidence, all topologies and plain loops.

A topology is a list of edges between nodes: 0..k-1 are the points, inner nodes have higher numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from itertools import combinations, product
from operator import add

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from cladebench.hierarchy import Hierarchy

FloatArray = NDArray[np.float64]
Edge = tuple[int, int]

#: The solver of `branch_lengths_cvxpy` stops at this.
PRECISION = 1e-11


def edges_of(tree: Hierarchy) -> tuple[list[Edge], int]:
    """List the edges of a hierarchy and count its points.

    Node (sample) i is point i; no unary chains, no empty leaves.

    A root with two children is left out: it would be a node within an edge.
    """
    k = tree.n_samples
    name = {int(node): point for point, node in enumerate(tree.leaf_of)}
    for node in range(tree.n_nodes):
        name.setdefault(node, k + node)
    edges = []
    at_root = [name[int(child)] for child in tree.children(tree.root)]
    for node, up in enumerate(tree.parents):
        if up >= 0 and not (up == tree.root and len(at_root) == 2):
            edges.append((name[node], name[int(up)]))
    if len(at_root) == 2:
        edges.append((at_root[0], at_root[1]))
    return edges, k


def side(edges: list[Edge], cut: int, k: int) -> frozenset[int]:
    """List points on the first side of a cut edge.

    The side of the first end of edge number `cut`, once it is taken out.
    """
    reached = {edges[cut][0]}
    while True:
        further = {
            b
            for number, (u, v) in enumerate(edges)
            if number != cut
            for a, b in ((u, v), (v, u))
            if a in reached and b not in reached
        }
        if not further:
            return frozenset(node for node in reached if node < k)
        reached |= further


def splits(tree: Hierarchy) -> set[frozenset[int]]:
    """Splits of the points by the inner edges.

    The side that has not point 0.
    """
    edges, k = edges_of(tree)
    sides = set()
    for number in range(len(edges)):
        points = side(edges, number, k)
        if 1 < len(points) < k - 1:
            sides.add(frozenset(range(k)) - points if 0 in points else points)
    return sides


def design_matrix(edges: list[Edge], k: int) -> FloatArray:
    """Rows are the pairs i < j, columns the edges.

    1 where the edge lies on the path from i to j.
    """
    sides = [side(edges, number, k) for number in range(len(edges))]
    return np.array([[float((i in s) != (j in s)) for s in sides] for i, j in combinations(range(k), 2)])


def pair_values(D: ArrayLike) -> FloatArray:
    """Give the entries i < j in the order of `design_matrix`."""
    D = np.asarray(D, dtype=np.float64)
    return np.array([D[i, j] for i, j in combinations(range(len(D)), 2)])


def _square(values: FloatArray, k: int) -> FloatArray:
    D = np.zeros((k, k))
    for value, (i, j) in zip(values, combinations(range(k), 2), strict=True):
        D[i, j] = D[j, i] = value
    return D


def fit_edges(D: ArrayLike, edges: list[Edge]) -> tuple[FloatArray, FloatArray, float]:
    """Fit edge lengths by `scipy.optimize.nnls`; give distances and residual (12)."""
    k = len(np.asarray(D))
    if k == 1:
        return np.zeros(0), np.zeros((1, 1)), 0.0
    A, d = design_matrix(edges, k), pair_values(D)
    lengths, _ = nnls(A, d)
    fitted = A @ lengths
    return lengths, _square(fitted, k), float(np.linalg.norm(d - fitted))


def fit_branch_lengths(D: ArrayLike, tree: Hierarchy) -> tuple[FloatArray, FloatArray, float]:
    """As `fit_edges`, for a hierarchy; lengths are those of `edges_of`."""
    return fit_edges(D, edges_of(tree)[0])


def branch_lengths_cvxpy(D: ArrayLike, tree: Hierarchy) -> tuple[FloatArray, FloatArray, float]:
    """As `fit_branch_lengths`, by cvxpy (Clarabel).

    D should be about 1 in size, as tolerances are absolute.
    """
    import cvxpy as cp

    edges, k = edges_of(tree)
    if k == 1:
        return np.zeros(0), np.zeros((1, 1)), 0.0
    A, d = design_matrix(edges, k), pair_values(D)
    x = cp.Variable(len(edges), nonneg=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - d)))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=PRECISION, tol_gap_rel=PRECISION, tol_feas=PRECISION)
    lengths = np.maximum(np.asarray(x.value, dtype=np.float64), 0.0)
    fitted = A @ lengths
    return lengths, _square(fitted, k), float(np.linalg.norm(d - fitted))


def all_topologies(k: int) -> Iterator[list[Edge]]:
    """Yield every binary topology once: 1, 1, 1, 3, 15, 105, ...

    Point after point is hung on each edge in turn.
    """
    if k == 1:
        yield []
    elif k == 2:
        yield [(0, 1)]
    else:
        point = k - 1
        for smaller in all_topologies(k - 1):
            # Inner nodes are numbered from 1,000 on, out of the way of further points.
            inner = 1000 + k
            for number, (a, b) in enumerate(smaller):
                yield [*smaller[:number], *smaller[number + 1 :], (a, inner), (inner, b), (inner, point)]


def best_topology(D: ArrayLike) -> tuple[list[Edge], float]:
    """The best of all topologies, the first of equals, and its residual."""
    best: tuple[list[Edge], float] = ([], math.inf)
    for edges in all_topologies(len(np.asarray(D))):
        residual = fit_edges(D, edges)[2]
        if residual < best[1]:
            best = (edges, residual)
    return best


def neighbor_joining(D: ArrayLike) -> list[Edge]:
    """Topology of neighbour joining (Saitou and Nei 1987; Studier and Keppler 1988).

    While more than three nodes are left, the pair with the least (n - 2) d_ij - r_i - r_j is joined, r being the sums
    of the rows; the new node is (d_il + d_jl - d_ij) / 2 from node l, and takes the place of i. The first of equal
    pairs is taken. Rows are added up from left to right, so that what is equal but for rounding is equal to all.
    """
    d = {(i, j): float(value) for (i, j), value in np.ndenumerate(np.asarray(D, dtype=np.float64))}
    k = len(np.asarray(D))
    nodes = list(range(k))
    if k <= 2:
        return [(0, 1)] if k == 2 else []
    edges: list[Edge] = []
    made = k
    while len(nodes) > 3:
        n = len(nodes)
        r = {
            i: reduce(add, (d[i, j] for j in nodes)) for i in nodes
        }  # `sum` of newer Pythons rounds otherwise
        i, j = min(combinations(nodes, 2), key=lambda pair: (n - 2) * d[pair] - r[pair[0]] - r[pair[1]])
        for other in nodes:
            d[made, other] = d[other, made] = (d[i, other] + d[j, other] - d[i, j]) / 2.0
        d[made, made] = 0.0
        edges += [(i, made), (j, made)]
        nodes[nodes.index(i)] = made
        nodes.remove(j)
        made += 1
    return edges + [(node, made) for node in nodes]


def splits_of_edges(edges: list[Edge], k: int) -> set[frozenset[int]]:
    """As `splits`, for a list of edges."""
    sides = [side(edges, number, k) for number in range(len(edges))]
    return {frozenset(range(k)) - s if 0 in s else s for s in sides if 1 < len(s) < k - 1}


def as_hierarchy(edges: list[Edge], k: int) -> Hierarchy:
    """Make a hierarchy of a topology.

    It is rooted at an inner node, the first that an edge names, for k >= 3 points.
    """
    nodes = sorted({node for edge in edges for node in edge})
    root = next(node for edge in edges for node in edge if node >= k)
    name = {node: place for place, node in enumerate(nodes)}
    parents = [-1] * len(nodes)
    waiting = [root]
    left = list(edges)
    while waiting:
        node = waiting.pop()
        for edge in [edge for edge in left if node in edge]:
            left.remove(edge)
            other = edge[1] if edge[0] == node else edge[0]
            parents[name[other]] = name[node]
            waiting.append(other)
    return Hierarchy(parents, [name[point] for point in range(k)])


def four_point_excess(D: ArrayLike) -> float:
    """Measure equation (11)'s largest violation over all quadruples, repeated ones included."""
    D = np.asarray(D, dtype=np.float64)
    return max(
        float(D[a, b] + D[c, d] - max(D[a, c] + D[b, d], D[a, d] + D[b, c]))
        for a, b, c, d in product(range(len(D)), repeat=4)
    )


def path_lengths(tree: Hierarchy) -> FloatArray:
    """Compute distances along edges by climbing to where samples meet."""
    k = tree.n_samples
    lengths = tree.edge_lengths
    assert lengths is not None
    D = np.zeros((k, k))
    for i, j in combinations(range(k), 2):
        a, b = int(tree.leaf_of[i]), int(tree.leaf_of[j])
        while a != b:
            if tree.depths[a] >= tree.depths[b]:
                D[i, j] += lengths[a]
                a = int(tree.parents[a])
            else:
                D[i, j] += lengths[b]
                b = int(tree.parents[b])
        D[j, i] = D[i, j]
    return D
