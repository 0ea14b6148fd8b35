"""Check tree metrics' lengths, search and neighbour joining.

The references are cvxpy, all topologies and plain loops.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench import _core
from cladebench.crosscheck._instances import FloatArray, between, real_data, standardized
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    SOLVER,
    Certificate,
    Checks,
    Side,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.hierarchy import Hierarchy
from cladebench.reference import tree_metric as reference
from cladebench.solvers.tree_metric import fit_branch_lengths, fit_tree_metric, four_point_excess

TOPICS = ("tree-metric",)

#: scope -> points of the instances that all topologies are tried on, and draws of each kind.
SIZES = {"smoke": (5, 1), "quick": (6, 1), "full": (8, 2)}
#: Points of the instances that are too large for that.
LARGE = {"smoke": 8, "quick": 14, "full": 30}
#: The share of the largest distance below which a residual may be nothing but rounding.
SMALL = 1e-3


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield the certificates of each instance."""
    k, n_draws = SIZES[scope]
    for name, D in _instances(k, n_draws, seed):
        yield from any_size(name, D)
        yield against_all(name, D)
    for name, D in _instances(LARGE[scope], 1, seed):
        yield from any_size(name, D)


def class_distances(X: FloatArray, labels: np.ndarray, k: int, rng: np.random.Generator) -> FloatArray:
    """Distances between the means of k groups.

    Each group is half of the rows of a class, drawn at random.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        Brought to unit variance.
    labels : ndarray of shape (n,)
        The classes take turns until there are k groups.
    k : int
    rng : numpy.random.Generator
        Draws the rows.

    Returns
    -------
    ndarray of shape (k, k)
    """
    Z = standardized(X)
    classes = np.unique(labels)
    means = []
    for place in range(k):
        rows = np.flatnonzero(labels == classes[place % len(classes)])
        means.append(Z[rng.choice(rows, size=-(-len(rows) // 2), replace=False)].mean(axis=0))
    return between(np.array(means))


def _instances(k: int, n_draws: int, seed: int) -> Iterator[tuple[str, FloatArray]]:
    """Yield random numbers, noisy paths and real class means.

    Path lengths in a tree, and distances between class means.
    """
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, k, draw])
        upper = np.triu(rng.uniform(size=(k, k)), 1)
        yield f"random-{k}-{draw}", upper + upper.T
        tree = fit_tree_metric(between(rng.normal(size=(k, 4)))).distances
        noise = np.triu(rng.uniform(0.7, 1.3, size=(k, k)), 1)
        yield f"noisy-tree-{k}-{draw}", tree * (noise + noise.T)
        for name, (X, labels) in real_data().items():
            yield f"{name}-{k}-{draw}", class_distances(X, labels, k, rng)


def any_size(instance: str, D: FloatArray) -> Iterator[Certificate]:
    """Check the search, lengths of two topologies and neighbour joining."""
    checks = Checks(TOPICS[0], instance)
    search = timed("search", fit_tree_metric, D)
    fitted = search.result
    recomputed = float(np.linalg.norm(reference.pair_values(D - fitted.distances)))
    yield checks.certify(
        "residual",
        "the residual is that of the distances in the tree, which are path lengths",
        search.giving(fitted.residual),
        Side("design matrix of the tree times its lengths", recomputed),
        residual=max(
            relative_difference(fitted.residual, recomputed),
            float(np.abs(fitted.distances - reference.path_lengths(fitted.tree)).max() / D.max()),
        ),
    )
    yield checks.certify(
        "four-point",
        "the distances in the tree meet the four-point condition, equation (11)",
        Side("search", four_point_excess(fitted.distances)),
        timed(
            "loops over quadruples, of the first 12 points",
            reference.four_point_excess,
            fitted.distances[:12, :12],
        ),
        residual=lambda value, exact: max(value, exact) / D.max(),
    )
    # Lengths of another topology, too: on it more of them are 0.
    other = fit_tree_metric(D, topologies="random", random_state=0)
    for name, tree in (("lengths", fitted.tree), ("lengths-random", other.tree)):
        yield lengths(instance, name, D, tree)
    yield neighbour_joining(instance, D)


def lengths(instance: str, name: str, D: FloatArray, tree: Hierarchy) -> Certificate:
    """Check the lengths of a given topology."""
    fast = timed("active sets, in O(k) each", fit_branch_lengths, D, tree)
    exact = timed("cvxpy (Clarabel) on the design matrix", reference.branch_lengths_cvxpy, D / D.max(), tree)
    return Checks(TOPICS[0], instance).certify(
        name,
        "no other non-negative lengths of the tree fit better, equation (12)",
        fast.giving(fast.result.residual),
        exact.giving(exact.result[2] * D.max()),
        SOLVER,
    )


def neighbour_joining(instance: str, D: FloatArray) -> Certificate:
    """Compare the splits of both trees."""
    k = len(D)
    fast = timed("neighbour joining in the kernel", _core.neighbor_joining, D)
    exact = timed("neighbour joining in plain loops", reference.neighbor_joining, D)
    joined = reference.splits_of_edges([(v, int(up)) for v, up in enumerate(fast.result) if up >= 0], k)
    different = len(joined ^ reference.splits_of_edges(exact.result, k))
    return Checks(TOPICS[0], instance).certify(
        "neighbour-joining",
        "neighbour joining makes the tree of the plain algorithm",
        fast.giving(different),
        exact.giving(0.0),
        IDENTICAL,
        residual=different,
        note="values are splits that only one of both has",
    )


def against_all(instance: str, D: FloatArray) -> Certificate:
    """Check the best of all topologies by explicit design matrices.

    It is also said how far the search is from it.
    """
    fast = timed("enumeration in the kernel", fit_tree_metric, D, topologies="all")
    slow = timed("enumeration, lengths by SciPy's nnls", reference.best_topology, D)
    best, (edges, exact) = fast.result.residual, slow.result
    residual, scale = fit_tree_metric(D).residual, SMALL * D.max()
    return Checks(TOPICS[0], instance).certify(
        "all-topologies",
        "the best of all topologies is found, and the search is not below it",
        fast.giving(best),
        slow.giving(exact),
        residual=max(relative_difference(best, exact, scale), shortfall(residual, exact, scale)),
        note=f"the search is {max(0.0, residual / exact - 1.0) if exact > 0 else 0.0:.2g} above it; {len(edges)} edges",
    )
