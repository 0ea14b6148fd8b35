"""Check the GHC paper's sentences about Dasgupta's cost.

Sections 1 and 2.2, on instances solved exactly.

An existence is certified by an instance: the certificate passes if the instance, solved by exact methods, shows it. A
universal statement is certified on every instance drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._instances import random_graph
from cladebench.crosscheck.certificate import ROUNDING, Certificate, relative_difference, shortfall, timed
from cladebench.hierarchy import Hierarchy
from cladebench.reference.dasgupta_optimal import NestedTree, binary_trees, optimal_tree_programme, tree_cost
from cladebench.reference.sparsest_cut import cut_ratio
from cladebench.reference.sparsest_cut_exact import sparsest_cut_enumeration

TOPICS = (
    "dasgupta-binary",
    "dasgupta-subtree",
    "dasgupta-balanced",
    "dasgupta-root-split",
    "sparsest-cut-mistakes",
)

#: scope -> random instances for statements about all of them.
N_INSTANCES = {"smoke": 1, "quick": 3, "full": 20}

#: Random graphs among which an instance is looked for.
N_GRAPHS = 200

#: A difference that counts: far above rounding, so that no tie passes for one.
CLEAR = 0.01


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield the certificates of every statement."""
    for k in range(N_INSTANCES[scope]):
        yield _binary(f"random-5-{k}", random_graph(5, seed + k))
        yield _subtree(f"random-8-{k}", random_graph(8, seed + k))
    yield _path_is_halved()
    yield _clique_is_indifferent()
    yield _root_split(seed)
    yield _mistakes(seed)


def recursive_sparsest_cut(S: np.ndarray) -> NestedTree:
    """Cut by the exact sparsest cut, down to single points."""

    def build(points: np.ndarray) -> NestedTree:
        if len(points) == 1:
            return int(points[0])
        mask = sparsest_cut_enumeration(S[np.ix_(points, points)]).mask
        return [build(points[~mask]), build(points[mask])]

    return build(np.arange(len(S)))


def every_tree(points: tuple[int, ...]) -> Iterator[NestedTree]:
    """Yield every tree with these leaves once, of any arity.

    1, 1, 4, 26, 236 for 1 to 5 leaves.
    """
    if len(points) == 1:
        yield points[0]
        return
    for parts in _partitions(points):
        if len(parts) > 1:
            yield from _combinations(parts)


def _partitions(points: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not points:
        yield []
        return
    first, rest = points[0], points[1:]
    for partition in _partitions(rest):
        yield [(first,), *partition]
        for k, part in enumerate(partition):
            yield [*partition[:k], (first, *part), *partition[k + 1 :]]


def _combinations(parts: list[tuple[int, ...]]) -> Iterator[NestedTree]:
    if not parts:
        yield []
        return
    for tree in every_tree(parts[0]):
        for others in _combinations(parts[1:]):
            yield [tree, *others]


def _binary(instance: str, S: np.ndarray) -> Certificate:
    best, seconds = timed(lambda: optimal_tree_programme(S))
    least, seconds_all = timed(lambda: min(tree_cost(tree, S) for tree in every_tree(tuple(range(len(S))))))
    return Certificate(
        topic="dasgupta-binary",
        instance=instance,
        name="no-tree-of-any-arity-costs-less",
        problem="the best binary tree costs no more than the best tree of any arity",
        fast=best.evidence,
        reference="enumeration of the trees of any arity",
        primal=best.cost,
        dual_bound=least,
        residual=relative_difference(best.cost, least),
        tolerance=ROUNDING,
        seconds_fast=seconds,
        seconds_reference=seconds_all,
        note="similarities are positive; where some are zero a tree of larger arity can cost as little, never less",
    )


def _subtree(instance: str, S: np.ndarray) -> Certificate:
    """Replace subtrees of a bad tree by the best ones.

    The whole gains exactly as much as each subtree.
    """
    tree: NestedTree = 0
    for point in range(1, len(S)):  # a caterpillar
        tree = [tree, point]
    whole = tree_cost(tree, S)
    worst, gain = 0.0, 0.0
    seconds = 0.0
    inner = tree[0]
    for size in range(len(S) - 1, 2, -1):  # the caterpillar's subtree over points 0..size-1
        part = S[:size, :size]
        best, elapsed = timed(lambda part=part: optimal_tree_programme(part))  # type: ignore[misc]
        seconds += elapsed
        improved: NestedTree = _nested(best.hierarchy)
        for point in range(size, len(S)):
            improved = [improved, point]
        gain_below = tree_cost(inner, S) - best.cost
        gain_whole = whole - tree_cost(improved, S)
        # Relative to the cost, for a gain may be nothing but rounding.
        worst = max(worst, abs(gain_below - gain_whole) / whole, -gain_whole / whole)
        gain = max(gain, gain_whole)
        inner = inner[0]
    return Certificate(
        topic="dasgupta-subtree",
        instance=instance,
        name="gain-below-is-gain-of-the-whole",
        problem="a subtree's gain in cost is the whole tree's gain, for every subtree of a caterpillar",
        fast="difference of the subtrees' costs",
        reference="difference of the trees' costs",
        primal=whole - gain,
        dual_bound=whole,
        residual=worst,
        tolerance=ROUNDING,
        seconds_reference=seconds,
        note=f"{len(S) - 3} subtrees; the largest gain is {gain / whole:.3f} of the cost",
    )


def _path_is_halved() -> Certificate:
    n = 8
    S = np.diag(np.ones(n - 1), 1)
    S += S.T
    balanced: NestedTree = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    caterpillar: NestedTree = 0
    for point in range(1, n):
        caterpillar = [caterpillar, point]
    best, seconds = timed(lambda: optimal_tree_programme(S))
    cost, peeled = tree_cost(balanced, S), tree_cost(caterpillar, S)
    return Certificate(
        topic="dasgupta-balanced",
        instance="path-8",
        name="balanced-tree-is-optimal",
        problem="on a path of equal similarities the balanced tree costs least, and peeling off points more",
        fast="balanced tree",
        reference=best.evidence,
        primal=cost,
        dual_bound=best.cost,
        residual=max(relative_difference(cost, best.cost), shortfall(peeled, (1 + CLEAR) * cost)),
        tolerance=ROUNDING,
        seconds_reference=seconds,
        note=f"peeling off one end after the other costs {peeled / cost:.3f} times as much",
    )


def _clique_is_indifferent() -> Certificate:
    n = 6
    S = np.ones((n, n)) - np.eye(n)
    costs, seconds = timed(lambda: [tree_cost(tree, S) for tree in binary_trees(list(range(n)))])
    expected = (n**3 - n) / 3
    return Certificate(
        topic="dasgupta-balanced",
        instance="clique-6",
        name="every-binary-tree-costs-the-same",
        problem="where all similarities are equal every binary tree costs (n^3 - n) / 3, balanced or not",
        fast="largest cost of a binary tree",
        reference="(n^3 - n) / 3",
        primal=max(costs),
        dual_bound=expected,
        residual=max(relative_difference(cost, expected) for cost in (min(costs), max(costs))),
        tolerance=ROUNDING,
        seconds_fast=seconds,
        note=f"{len(costs)} trees: the limit of what 'encourages balanced trees' can mean",
    )


def _root_split(seed: int) -> Certificate:
    """Find a graph whose best trees avoid a sparsest first cut."""
    for k in range(N_GRAPHS):
        S = random_graph(7, seed + k)
        best, seconds = timed(lambda S=S: optimal_tree_programme(S))  # type: ignore[misc]
        forced, seconds_fast = timed(lambda S=S: min(_best_below(S, cut) for cut in _sparse_cuts(S)))  # type: ignore[misc]
        if forced > (1 + CLEAR) * best.cost:
            break
    first = np.zeros(len(S), dtype=bool)
    first[best.hierarchy.samples(int(best.hierarchy.children(best.hierarchy.root)[0]))] = True
    ratio = cut_ratio(S, first) / sparsest_cut_enumeration(S).ratio
    return Certificate(
        topic="dasgupta-root-split",
        instance=f"random-7-{k}",
        name="optimal-tree-does-not-start-with-the-sparsest-cut",
        problem="the best tree that starts with a sparsest cut costs more than the best tree",
        fast="best tree below each cut within 1% of the sparsest (dynamic programme)",
        reference=best.evidence,
        primal=forced,
        dual_bound=best.cost,
        residual=shortfall(forced, (1 + CLEAR) * best.cost),
        tolerance=0.0,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
        note=f"the best tree's first cut has {ratio:.3f} times the sparsest ratio; random graph number {k + 1}",
    )


def _mistakes(seed: int) -> Certificate:
    """Find a graph on which exact recursive sparsest cut misses the optimum."""
    for k in range(N_GRAPHS):
        S = random_graph(7, seed + k)
        best, seconds = timed(lambda S=S: optimal_tree_programme(S))  # type: ignore[misc]
        tree, seconds_fast = timed(lambda S=S: recursive_sparsest_cut(S))  # type: ignore[misc]
        cost = tree_cost(tree, S)
        if cost > (1 + CLEAR) * best.cost:
            break
    return Certificate(
        topic="sparsest-cut-mistakes",
        instance=f"random-7-{k}",
        name="recursive-sparsest-cut-is-not-optimal",
        problem="recursive sparsest cut, each cut exact, costs more than the best tree",
        fast="recursive sparsest cut (enumeration)",
        reference=best.evidence,
        primal=cost,
        dual_bound=best.cost,
        residual=shortfall(cost, (1 + CLEAR) * best.cost),
        tolerance=0.0,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
        note=f"{cost / best.cost:.4f} times the least cost; random graph number {k + 1}",
    )


def _best_below(S: np.ndarray, mask: np.ndarray) -> float:
    """Cost of the best tree whose first cut is this one."""
    sides = [np.flatnonzero(mask), np.flatnonzero(~mask)]
    below = sum(optimal_tree_programme(S[np.ix_(side, side)]).cost for side in sides)
    return float(len(S) * S[np.ix_(*sides)].sum() + below)


def _sparse_cuts(S: np.ndarray) -> Iterator[np.ndarray]:
    """Yield every cut whose ratio is within 1% of the least."""
    n = len(S)
    cuts = [(code >> np.arange(n)) & 1 > 0 for code in range(1, 1 << (n - 1))]
    ratios = np.array([cut_ratio(S, cut) for cut in cuts])
    yield from (cuts[k] for k in np.flatnonzero(ratios <= (1 + CLEAR) * ratios.min()))


def _nested(hierarchy: Hierarchy) -> NestedTree:
    def build(node: int) -> NestedTree:
        children = hierarchy.children(node)
        if len(children) == 0:
            return int(hierarchy.samples(node)[0])
        return [build(int(child)) for child in children]

    return build(hierarchy.root)
