"""Check PERCH's kernel by its twin, A* search by every point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from cladebench.crosscheck._instances import real_data
from cladebench.crosscheck.certificate import IDENTICAL, ROUNDING, Certificate, Checks, timed
from cladebench.hierarchy import Hierarchy
from cladebench.methods import Perch
from cladebench.reference.perch import perch

TOPICS = ("perch",)

Rotations = Literal["none", "masking", "masking+balance"]

#: scope -> points of each data set for the twin, and for the search, at most.
SIZES = {"smoke": (40, 80), "quick": (300, 300), "full": (1000, 1797)}
MODES: tuple[tuple[str, Rotations, int | None], ...] = (
    ("masking-balance", "masking+balance", None),
    ("masking", "masking", None),
    ("collapsed", "masking+balance", 25),
)


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of each mode and the search by data set."""
    n_twin, n_search = SIZES[scope]
    for name, (X_all, _) in real_data().items():
        X = _whole_numbers(X_all)[np.random.default_rng(seed).permutation(len(X_all))]
        for mode, rotations, max_leaves in MODES:
            yield same_tree(f"{name}-{len(X[:n_twin])}", X[:n_twin], mode, rotations, max_leaves)
        yield _search(f"{name}-{len(X[:n_search])}", X[:n_search])


def _whole_numbers(X: np.ndarray) -> np.ndarray:
    """Bring data of few decimals to whole numbers.

    Their squared distances are exact.

    Kernel and twin add squares in different orders: of tenths, equal distances would come out equal for one of them
    and not for the other, and trees part at the first tie. PERCH's tree does not depend on the unit.
    """
    for decimals in range(6):
        scaled = np.rint(X * 10.0**decimals)
        if np.allclose(X * 10.0**decimals, scaled, rtol=0.0, atol=1e-6):
            return scaled
    return X


def _fit(X: np.ndarray, rotations: Rotations, max_leaves: int | None = None) -> Hierarchy:
    return Perch(rotations=rotations, max_leaves=max_leaves, shuffle=False).fit(X).hierarchy_


def same_tree(
    instance: str, X: np.ndarray, mode: str, rotations: Rotations, max_leaves: int | None
) -> Certificate:
    """Compare the trees of kernel and twin, node by node."""
    fast = timed("kernel", _fit, X, rotations, max_leaves)
    exact = timed("plain twin", perch, X, rotations, max_leaves)
    tree, (parents, leaf_of, heights) = fast.result, exact.result
    assert tree.heights is not None  # PERCH gives every node one
    different = len(parents) + len(leaf_of)
    if len(tree.parents) == len(parents):
        different = sum(
            int(np.count_nonzero(a != b))
            for a, b in (
                (tree.parents, parents),
                (tree.leaf_of, leaf_of),
                (np.isclose(tree.heights, heights, rtol=ROUNDING, atol=0.0), True),
            )
        )
    return Checks(TOPICS[0], instance).certify(
        mode,
        "the kernel's tree is the twin's, node by node",
        fast.giving(len(tree.parents)),
        exact.giving(len(parents)),
        IDENTICAL,
        residual=different,
        note="values are numbers of nodes, the residual counts parents, leaves and heights that differ",
    )


def _search(instance: str, X: np.ndarray) -> Certificate:
    fast = timed("A* search in the kernel", _fit, X, "none")
    exact = timed("comparison with every point before", nearest_distances, X)
    chosen, least = chosen_neighbours(fast.result), exact.result
    reached = np.array([np.square(X[t] - X[chosen[t]]).sum() for t in range(1, len(X))])
    return Checks(TOPICS[0], instance).certify(
        "nearest-neighbour",
        "each point is put beside a nearest one of those before it",
        fast.giving(reached.sum()),
        exact.giving(least.sum()),
        residual=float(((reached - least) / np.where(least > 0, least, 1.0)).max()),
        note="values are sums of squared distances; read off the tree that is grown without rotations",
    )


def chosen_neighbours(tree: Hierarchy) -> np.ndarray:
    """Read off which point each was put beside, in an unrotated tree.

    Point t hangs below a node of its own, and the other side of that node was one leaf when t came. All that were
    put there since have larger numbers, so the leaf is the lowest number on that side.
    """
    lowest = np.full(tree.n_nodes, tree.n_nodes)
    for node in tree.preorder[::-1]:
        if len(tree.children(node)) == 0:
            lowest[node] = node
        if tree.parents[node] >= 0:
            lowest[tree.parents[node]] = min(lowest[tree.parents[node]], lowest[node])
    chosen = np.zeros(tree.n_samples, dtype=np.int64)
    for t in range(1, tree.n_samples):
        sides = tree.children(int(tree.parents[_own_side(tree, lowest, t)]))
        chosen[t] = lowest[sides].min()
    return chosen


def _own_side(tree: Hierarchy, lowest: np.ndarray, t: int) -> int:
    """Return the highest node in which t is the lowest number.

    What has become of t's leaf.
    """
    node = t
    while lowest[tree.parents[node]] == t:
        node = int(tree.parents[node])
    return node


def nearest_distances(X: np.ndarray) -> np.ndarray:
    """Give points' squared distances to their nearest predecessors, without the first."""
    return np.array([np.square(X[:t] - X[t]).sum(axis=1).min() for t in range(1, len(X))])
