r"""Compute a forest of hierarchies' distance by pairs, and candidate search.

Both are as Johnson et al. have them. Trees are those of `HierarchyForest.tree`: nodes in preorder, the left child of
node v being v + 1. Single precision stands where the core has it, and scores are summed in its order, so that ties are
the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cladebench.reference.random_numbers import below, random_numbers, seed_of

FloatArray = npt.NDArray[np.float64]


class Tree(Protocol):
    """What is read of a tree; see what `HierarchyForest.tree` gives."""

    right: npt.NDArray[np.int32]
    size: npt.NDArray[np.int32]
    features: npt.NDArray[np.uint32]
    weights: FloatArray


def projection(tree: Tree, node: int, x: FloatArray) -> float:
    """Compute P(x) of eq. (4), in the core's order.

    The sums of every fourth product come first, then the constant.
    """
    split = int(np.count_nonzero(tree.right[:node]))
    sums = [0.0, 0.0, 0.0, 0.0]
    for k, feature in enumerate(tree.features[split]):
        sums[k % 4] += float(tree.weights[split, k]) * float(x[feature])
    return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + float(tree.weights[split, -1])


def certainty(alpha: float, value: float) -> np.float32:
    """Half of eq. (3): 1 / (1 + exp(alpha P))."""
    power = math.exp(-abs(alpha * value))
    return np.float32((power if alpha * value > 0 else 1.0) / (1.0 + power))


def child(tree: Tree, node: int, value: float) -> int:
    """The child that a projection leads to (eq. 5)."""
    return node + 1 if value <= 0 else int(tree.right[node])


def path(tree: Tree, x: FloatArray) -> list[int]:
    """Nodes from the root to the leaf of a point."""
    nodes = [0]
    while tree.right[nodes[-1]] != 0:
        nodes.append(child(tree, nodes[-1], projection(tree, nodes[-1], x)))
    return nodes


def tree_distance(tree: Tree, a: FloatArray, b: FloatArray, alpha: float) -> np.float32:
    """Compute H_t of eq. (2): walk until both points part (Sec. 2.2.2)."""
    node = 0
    while tree.right[node] != 0:
        of_a, of_b = projection(tree, node, a), projection(tree, node, b)
        if child(tree, node, of_a) != child(tree, node, of_b):
            apart = abs(certainty(alpha, of_a) - certainty(alpha, of_b))
            return np.float32(apart * np.float32(tree.size[node] / tree.size[0]))
        node = child(tree, node, of_a)
    return np.float32(0.0)


def distance(trees: Sequence[Tree], a: FloatArray, b: FloatArray, alpha: float) -> float:
    """D of eq. (1).

    Parameters
    ----------
    trees : sequence
    a, b : ndarray of shape (n_features,)
    alpha : float

    Returns
    -------
    float
        In [0, 1].
    """
    total = 0.0
    for tree in trees:
        total += float(tree_distance(tree, a, b, alpha))
    return total / len(trees)


def unrounded_distance(trees: Sequence[Tree], a: FloatArray, b: FloatArray, alpha: float) -> float:
    """D of eq. (1), of single certainties, but in double precision."""
    total = 0.0
    for tree in trees:
        for node in path(tree, a):
            if tree.right[node] == 0:
                break
            of_a, of_b = projection(tree, node, a), projection(tree, node, b)
            if child(tree, node, of_a) != child(tree, node, of_b):
                apart = abs(float(certainty(alpha, of_a)) - float(certainty(alpha, of_b)))
                total += apart * int(tree.size[node]) / int(tree.size[0])
                break
    return total / len(trees)


def candidates(
    tree: Tree,
    X: FloatArray,
    x: FloatArray,
    wanted: int,
    alpha: float,
    *,
    left_out: int | None = None,
    nearest: bool = False,
    seed: int = 0,
) -> set[int]:
    """List rows of X that a tree proposes for x (Sec. 4).

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n, n_features)
        The training rows.
    x : ndarray of shape (n_features,)
    wanted : int
        k_O.
    alpha : float
    left_out : int, optional
        A row that is not to be proposed.
    nearest : bool, default=False
        Of rows that come in together, more than are wanted, take those that are nearest in this tree; else some at
        random.
    seed : int, default=0
        Of the tree.

    Returns
    -------
    set of int
        `wanted` rows, or all.
    """
    ways = [path(tree, row) for row in X]
    way = path(tree, x)
    proposed: list[int] = []
    for node in reversed(way):
        coming = [i for i in range(len(X)) if node in ways[i] and i not in proposed and i != left_out]
        missing = wanted - len(proposed)
        if len(coming) > missing and nearest:
            coming.sort(key=lambda i: (tree_distance(tree, x, X[i], alpha), i))
            coming = coming[:missing]
        elif len(coming) > missing:
            # Places of rows in the core's order: leaf by leaf, in a leaf by index.
            coming.sort(key=lambda i: (ways[i][-1], i))
            stand = certainty(alpha, projection(tree, way[-2], x)) if len(way) > 1 else np.float32(0)
            bits = int(stand.view(np.uint32))
            coming = [coming[at] for at in _some(missing, len(coming), seed_of(seed_of(seed, way[-1]), bits))]
        proposed += coming
        if len(proposed) == wanted:
            break
    return set(proposed)


def neighbors(
    trees: Sequence[Tree],
    X: FloatArray,
    x: FloatArray,
    k: int,
    alpha: float,
    *,
    per_tree: int | None = None,
    left_out: int | None = None,
    nearest: bool = False,
    seed: int = 0,
    refill: bool = True,
) -> tuple[list[float], list[int]]:
    """Find a point's k nearest training rows, of all or candidates.

    Parameters
    ----------
    trees, X, x, k, alpha
        As above.
    per_tree : int, optional
        k_O; None: all rows.
    left_out, nearest
        As above.
    seed : int, default=0
        Of the forest.
    refill : bool, default=True
        Whether k_O is doubled until there are k candidates.

    Returns
    -------
    distances : list of float
    rows : list of int
        By distance, then by index.
    """
    pool: set[int] = set(range(len(X))) - {left_out} if per_tree is None else set()
    while per_tree is not None and len(pool) < k:
        for t, tree in enumerate(trees):
            pool |= candidates(
                tree, X, x, per_tree, alpha, left_out=left_out, nearest=nearest, seed=seed_of(seed, t)
            )
        if not refill:
            break
        per_tree *= 2
    in_order = sorted((distance(trees, x, X[i], alpha), i) for i in pool)[:k]
    return [d for d, _ in in_order], [i for _, i in in_order]


def _some(count: int, n: int, seed: int) -> list[int]:
    """Draw a random subset of 0, ..., n - 1 by R.

    R is Floyd's algorithm, with the numbers of SplitMix64.
    """
    numbers = random_numbers(seed)
    chosen: list[int] = []
    for last in range(n - count, n):
        drawn = below(numbers, last + 1)
        chosen.append(last if drawn in chosen else drawn)
    return chosen
