"""Find trees of least Dasgupta cost and certified lower bounds, exactly.

Three methods share no code. Everywhere a pair of distinct points is counted once (``pairs="unordered"`` of
``metrics.dasgupta_cost``), and the diagonal of the similarity is not read.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cladebench.hierarchy import Hierarchy
from cladebench.reference.programmes import (
    Constraint,
    LowerBound,
    SolverName,
    check_similarity,
    minimize_binary,
)

FloatArray: TypeAlias = NDArray[np.float64]
NestedTree: TypeAlias = Any  # an int, or a pair of nested trees

MAX_ENUMERATION = 7
MAX_PROGRAMME = 12
MAX_ILP = 8


@dataclass(frozen=True)
class OptimalTree:
    """A tree and what was found out about its optimality.

    Attributes
    ----------
    hierarchy : Hierarchy
        The tree.
    cost : float
        Its Dasgupta cost, recomputed from the tree pair by pair.
    objective : float
        The value that the search or solver gave, before any recomputation.
    evidence : str
        Name of the method, and the solver's own status where there is one.
    """

    hierarchy: Hierarchy
    cost: float
    objective: float
    evidence: str


def tree_cost(tree: NestedTree, S: FloatArray) -> float:
    """Sum the Dasgupta cost of a nested tree by pairs.

    Nodes are lists or tuples of sample indices, of any arity.
    """
    total = 0.0
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, int):
            continue
        parts = [_leaves(child) for child in node]
        size = sum(map(len, parts))
        for left, right in itertools.combinations(parts, 2):
            total += size * sum(S[i, j] for i in left for j in right)
        stack.extend(node)
    return float(total)


def optimal_tree_enumeration(S: Any) -> OptimalTree:
    """Try every binary tree: (2n - 3)!! of them, n <= 7.

    Binary trees are enough: to split a node of more than two children further never raises the cost
    (Dasgupta 2016).

    Parameters
    ----------
    S : array-like of shape (n, n)
        Similarities >= 0, symmetric.

    Returns
    -------
    OptimalTree
        The first of the best trees in the order of the enumeration.
    """
    S = check_similarity(S, MAX_ENUMERATION)
    best, best_cost = None, np.inf
    for tree in binary_trees(list(range(len(S)))):
        cost = tree_cost(tree, S)
        if cost < best_cost:
            best, best_cost = tree, cost
    return _result(best, S, best_cost, "enumeration")


def binary_trees(samples: list[int]) -> Iterator[NestedTree]:
    """Yield every rooted binary tree with these leaves once.

    The last leaf is hung at each edge in turn.
    """
    if len(samples) == 1:
        yield samples[0]
        return
    for smaller in binary_trees(samples[:-1]):
        yield from _insertions(smaller, samples[-1])


def optimal_tree_programme(S: Any) -> OptimalTree:
    """Dynamic programme over subsets, O(3^n), n <= 12.

    The best tree of a set A costs ``|A| w(B, A - B) + best(B) + best(A - B)`` at the best split, where w is
    the similarity that the split cuts.

    Parameters
    ----------
    S : array-like of shape (n, n)
        Similarities >= 0, symmetric.

    Returns
    -------
    OptimalTree
        Ties between splits go to the smallest subset code (bit i stands for sample i).
    """
    S = check_similarity(S, MAX_PROGRAMME)
    n = len(S)
    inside = np.zeros(1 << n)  # the similarity within each subset
    for subset in range(1, 1 << n):
        low = (subset & -subset).bit_length() - 1
        rest = subset & (subset - 1)
        inside[subset] = inside[rest] + sum(S[low, j] for j in range(low + 1, n) if rest >> j & 1)
    best = np.zeros(1 << n)
    split = np.zeros(1 << n, dtype=np.int64)
    for subset in range(1, 1 << n):
        size = subset.bit_count()
        if size < 2:
            continue
        halves = _proper_halves(subset)
        others = subset - halves
        costs = size * (inside[subset] - inside[halves] - inside[others]) + best[halves] + best[others]
        at = int(np.argmin(costs))
        best[subset], split[subset] = costs[at], halves[at]

    def build(subset: int) -> NestedTree:
        if subset & (subset - 1) == 0:
            return subset.bit_length() - 1
        half = int(split[subset])
        return [build(half), build(subset - half)]

    return _result(build((1 << n) - 1), S, float(best[-1]), "dynamic programme over subsets")


def optimal_tree_ilp(S: Any, solver: SolverName = "CBC") -> OptimalTree:
    """Find the best tree of up to 8 samples by integer programme.

    It is over the levels of the tree, with PuLP. ``x[t, i, j] = 1`` where i and j lie in different clusters at level t;
    the clusters of level t are the largest ones of at most t samples, so ``|lvs(lca(i, j))| = 1 + sum over t = 1..n-1
    of x[t, i, j]``. The constraints (Roy and Pokutta 2016): x is a metric at each level, does not grow with t, and no
    sample shares its cluster of level t with more than t - 1 others (the spreading constraints). Every tree gives such
    a point; every integral point gives nested partitions, hence a tree that costs no more than the point.

    Parameters
    ----------
    S : array-like of shape (n, n)
        Similarities >= 0, symmetric.
    solver : {"CBC", "HiGHS"}, default="CBC"
        Both come with the installed packages.

    Returns
    -------
    OptimalTree
        ``objective`` is the programme's value; the tree is read off the levels. Whether it is optimal must be
        judged by the caller, from a bound or from another exact method.

    Raises
    ------
    ValueError
        If the similarity or the solver's name is wrong.
    RuntimeError
        If the solver found no optimum, see `minimize_binary`.

    References
    ----------
    A. Roy, S. Pokutta. Hierarchical clustering via spreading metrics. NIPS 2016.
    """
    S = check_similarity(S, MAX_ILP)
    n = len(S)
    columns, objective, constant, scale = _levels_programme(S)
    x = minimize_binary(objective, list(_constraints(n, columns)), solver)
    tree = _tree_of_levels(n, {key: int(x[column]) for key, column in columns.items()})
    return _result(tree, S, constant + scale * float(objective @ x), f"{solver}: Optimal")


def spreading_bound(S: Any) -> LowerBound:
    """Bound every tree's cost, n <= 12, by relaxing `optimal_tree_ilp`.

    The linear relaxation is ``min c'x, A x >= b, 0 <= x <= 1``. For any ``y >= 0`` the number ``b'y
    + sum(min(0, c - A'y))`` is a lower bound, so it is recomputed here from the multipliers that the solver (HiGHS, in
    SciPy) returns.

    Parameters
    ----------
    S : array-like of shape (n, n)
        Similarities >= 0, symmetric.

    Returns
    -------
    LowerBound
    """
    from scipy import sparse
    from scipy.optimize import linprog

    S = check_similarity(S, MAX_PROGRAMME)
    columns, c, constant, scale = _levels_programme(S)
    rows = list(_constraints(len(S), columns))
    if not rows:  # n = 1
        return LowerBound(constant, constant, np.zeros(0), 0.0)
    triplets = [(sign, r, column) for r, (terms, _) in enumerate(rows) for column, sign in terms]
    signs, row_index, column_index = (np.array(side) for side in zip(*triplets, strict=True))
    A = sparse.csr_array((signs, (row_index, column_index)), shape=(len(rows), len(columns)), dtype=float)
    b = np.array([right for _, right in rows], dtype=float)
    solution = linprog(c, A_ub=-A, b_ub=-b, bounds=(0, 1), method="highs")
    if solution.x is None:
        raise RuntimeError(f"linprog found no point of the relaxation: {solution.message}")
    raw = -np.asarray(solution.ineqlin.marginals)  # HiGHS gives d objective / d b_ub <= 0
    y = np.maximum(raw, 0.0)
    value = b @ y + np.minimum(c - A.T @ y, 0.0).sum()
    return LowerBound(
        constant + scale * float(value),
        constant + scale * float(solution.fun),
        y,
        float(max(0.0, -raw.min(initial=0.0))),
        str(solution.message),
    )


def _levels_programme(
    S: FloatArray,
) -> tuple[dict[tuple[int, int, int], int], FloatArray, float, float]:
    """Give the programme's columns (t, i, j), scaled objective, constant and scale."""
    n = len(S)
    pairs = list(itertools.combinations(range(n), 2))
    keys = [(t, i, j) for t in range(1, n) for i, j in pairs]
    scale = max(float(S.max()), np.finfo(float).tiny)  # solvers' tolerances are absolute
    objective = np.array([S[i, j] / scale for _, i, j in keys])
    return {key: k for k, key in enumerate(keys)}, objective, float(np.triu(S).sum()), scale


def _constraints(n: int, columns: dict[tuple[int, int, int], int]) -> Iterator[Constraint]:
    """Yield the constraints of the levels' programme."""

    def x(t: int, i: int, j: int) -> int:
        return columns[t, min(i, j), max(i, j)]

    for t in range(1, n):
        for i in range(n):
            yield [(x(t, i, j), 1) for j in range(n) if j != i], n - t
        for i, j in itertools.combinations(range(n), 2):
            if t + 1 < n:
                yield [(x(t, i, j), 1), (x(t + 1, i, j), -1)], 0
            for k in range(n):
                if k not in (i, j):
                    yield [(x(t, i, k), 1), (x(t, k, j), 1), (x(t, i, j), -1)], 0


def _tree_of_levels(n: int, x: dict[tuple[int, int, int], int]) -> NestedTree:
    """Read the laminar family off an integral point, top level down."""

    def build(samples: list[int], level: int) -> NestedTree:
        if len(samples) == 1:
            return samples[0]
        clusters: list[list[int]] = []
        for i in samples:
            for cluster in clusters:
                if x[level, cluster[0], i] == 0:
                    cluster.append(i)
                    break
            else:
                clusters.append([i])
        parts = [build(cluster, level - 1) for cluster in clusters]
        return parts[0] if len(parts) == 1 else parts

    return build(list(range(n)), n - 1)


def _proper_halves(subset: int) -> NDArray[np.int64]:
    """List codes of proper subsets with the lowest sample, ascending."""
    low = subset & -subset
    codes = np.array([low])
    rest = subset - low
    while rest:
        bit = rest & -rest
        codes = np.concatenate([codes, codes + bit])
        rest -= bit
    return codes[:-1]


def _insertions(tree: NestedTree, sample: int) -> Iterator[NestedTree]:
    yield (tree, sample)
    if not isinstance(tree, int):
        left, right = tree
        for grown in _insertions(left, sample):
            yield (grown, right)
        for grown in _insertions(right, sample):
            yield (left, grown)


def _leaves(tree: NestedTree) -> list[int]:
    return [tree] if isinstance(tree, int) else [leaf for child in tree for leaf in _leaves(child)]


def _result(tree: NestedTree, S: FloatArray, objective: float, evidence: str) -> OptimalTree:
    hierarchy = Hierarchy.from_nested([tree] if isinstance(tree, int) else tree)
    return OptimalTree(hierarchy, tree_cost(tree, S), float(objective), evidence)
