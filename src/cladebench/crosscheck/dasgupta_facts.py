"""Check the GHC paper's sections 1 and 2.2 about Dasgupta's cost.

Its sentences are checked on instances solved exactly. An existence is certified by an instance: the
certificate passes if the instance, solved by exact methods, shows it. A universal statement is certified on
every instance drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from cladebench.crosscheck._instances import random_graph
from cladebench.crosscheck.certificate import Certificate, Checks, Side, relative_difference, shortfall, timed
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
            yield from map(list, product(*map(every_tree, parts)))


def _partitions(points: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not points:
        yield []
        return
    first, rest = points[0], points[1:]
    for partition in _partitions(rest):
        yield [(first,), *partition]
        for k, part in enumerate(partition):
            yield [*partition[:k], (first, *part), *partition[k + 1 :]]


def _binary(instance: str, S: np.ndarray) -> Certificate:
    return Checks("dasgupta-binary", instance).certify(
        "no-tree-of-any-arity-costs-less",
        "the best binary tree costs no more than the best tree of any arity",
        _optimum(S)[0],
        timed(
            "enumeration of the trees of any arity",
            lambda: min(tree_cost(tree, S) for tree in every_tree(tuple(range(len(S))))),
        ),
        note="similarities are positive; where some are zero a tree of larger arity can cost as little, never less",
    )


def _optimum(S: np.ndarray) -> tuple[Side[float], Hierarchy]:
    """The least cost of a tree, and such a tree."""
    side = timed("", optimal_tree_programme, S)
    return side.giving(side.result.cost, side.result.evidence), side.result.hierarchy


def _caterpillar(n: int) -> NestedTree:
    tree: NestedTree = 0
    for point in range(1, n):
        tree = [tree, point]
    return tree


def _subtree(instance: str, S: np.ndarray) -> Certificate:
    """Replace subtrees of a bad tree by the best ones.

    The whole gains exactly as much as each subtree.
    """
    whole = tree_cost(_caterpillar(len(S)), S)
    worst, gain = 0.0, 0.0
    seconds = 0.0
    for size in range(len(S) - 1, 2, -1):  # the caterpillar's subtree over points 0..size-1
        best, tree = _optimum(S[:size, :size])
        seconds += best.seconds
        improved: NestedTree = _nested(tree)
        for point in range(size, len(S)):
            improved = [improved, point]
        gain_below = tree_cost(_caterpillar(size), S) - best.result
        gain_whole = whole - tree_cost(improved, S)
        # Relative to the cost, for a gain may be nothing but rounding.
        worst = max(worst, abs(gain_below - gain_whole) / whole, -gain_whole / whole)
        gain = max(gain, gain_whole)
    return Checks("dasgupta-subtree", instance).certify(
        "gain-below-is-gain-of-the-whole",
        "a subtree's gain in cost is the whole tree's gain, for every subtree of a caterpillar",
        Side("difference of the subtrees' costs", whole - gain),
        Side("difference of the trees' costs", whole, seconds),
        residual=worst,
        note=f"{len(S) - 3} subtrees; the largest gain is {gain / whole:.3f} of the cost",
    )


def _path_is_halved() -> Certificate:
    n = 8
    S = np.diag(np.ones(n - 1), 1)
    S += S.T
    balanced: NestedTree = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    best, _ = _optimum(S)
    cost, peeled = tree_cost(balanced, S), tree_cost(_caterpillar(n), S)
    return Checks("dasgupta-balanced", "path-8").certify(
        "balanced-tree-is-optimal",
        "on a path of equal similarities the balanced tree costs least, and peeling off points more",
        Side("balanced tree", cost),
        best,
        residual=max(relative_difference(cost, best.result), shortfall(peeled, (1 + CLEAR) * cost)),
        note=f"peeling off one end after the other costs {peeled / cost:.3f} times as much",
    )


def _clique_is_indifferent() -> Certificate:
    n = 6
    S = np.ones((n, n)) - np.eye(n)
    fast = timed(
        "largest cost of a binary tree",
        lambda: [tree_cost(tree, S) for tree in binary_trees(list(range(n)))],
    )
    costs, expected = fast.result, (n**3 - n) / 3
    return Checks("dasgupta-balanced", "clique-6").certify(
        "every-binary-tree-costs-the-same",
        "where all similarities are equal every binary tree costs (n^3 - n) / 3, balanced or not",
        fast.giving(max(costs)),
        Side("(n^3 - n) / 3", expected),
        residual=max(relative_difference(cost, expected) for cost in (min(costs), max(costs))),
        note=f"{len(costs)} trees: the limit of what 'encourages balanced trees' can mean",
    )


def _root_split(seed: int) -> Certificate:
    """Find a graph whose best trees avoid a sparsest first cut."""
    for k in range(N_GRAPHS):
        S = random_graph(7, seed + k)
        best, tree = _optimum(S)
        forced = timed("best tree below each cut within 1% of the sparsest (dynamic programme)", _forced, S)
        if forced.result > (1 + CLEAR) * best.result:
            break
    first = np.zeros(len(S), dtype=bool)
    first[tree.samples(int(tree.children(tree.root)[0]))] = True
    ratio = cut_ratio(S, first) / sparsest_cut_enumeration(S).ratio
    return Checks("dasgupta-root-split", f"random-7-{k}").certify(
        "optimal-tree-does-not-start-with-the-sparsest-cut",
        "the best tree that starts with a sparsest cut costs more than the best tree",
        forced,
        best,
        0.0,
        residual=_below_clear,
        note=f"the best tree's first cut has {ratio:.3f} times the sparsest ratio; random graph number {k + 1}",
    )


def _mistakes(seed: int) -> Certificate:
    """Find a graph on which exact recursive sparsest cut misses the optimum."""
    for k in range(N_GRAPHS):
        S = random_graph(7, seed + k)
        best, _ = _optimum(S)
        cuts = timed("recursive sparsest cut (enumeration)", recursive_sparsest_cut, S)
        cost = tree_cost(cuts.result, S)
        if cost > (1 + CLEAR) * best.result:
            break
    return Checks("sparsest-cut-mistakes", f"random-7-{k}").certify(
        "recursive-sparsest-cut-is-not-optimal",
        "recursive sparsest cut, each cut exact, costs more than the best tree",
        cuts.giving(cost),
        best,
        0.0,
        residual=_below_clear,
        note=f"{cost / best.result:.4f} times the least cost; random graph number {k + 1}",
    )


def _below_clear(cost: float, least: float) -> float:
    return shortfall(cost, (1 + CLEAR) * least)


def _forced(S: np.ndarray) -> float:
    """Least cost of a tree that starts with a sparsest cut."""
    return min(_best_below(S, cut) for cut in _sparse_cuts(S))


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
