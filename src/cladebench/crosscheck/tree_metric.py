"""Check tree metrics against cvxpy, all topologies and plain loops.

Lengths, the search, and neighbour joining.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench import _core
from cladebench.crosscheck._instances import FloatArray, real_data
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.reference import tree_metric as reference
from cladebench.solvers.tree_metric import fit_branch_lengths, fit_tree_metric, four_point_excess

TOPICS = ("tree-metric",)

#: scope -> points of the instances that all topologies are tried on, and draws of each kind.
SIZES = {"smoke": (5, 1), "quick": (6, 1), "full": (8, 2)}
#: Points of the instances that are too large for that.
LARGE = {"smoke": 8, "quick": 14, "full": 30}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield the certificates of each instance."""
    k, n_draws = SIZES[scope]
    for name, D in _instances(k, n_draws, seed):
        yield from _any_size(name, D)
        yield _against_all(name, D)
    for name, D in _instances(LARGE[scope], 1, seed):
        yield from _any_size(name, D)


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
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    classes = np.unique(labels)
    means = []
    for place in range(k):
        rows = np.flatnonzero(labels == classes[place % len(classes)])
        means.append(Z[rng.choice(rows, size=-(-len(rows) // 2), replace=False)].mean(axis=0))
    return _between(np.array(means))


def _between(points: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2)))


def _instances(k: int, n_draws: int, seed: int) -> Iterator[tuple[str, FloatArray]]:
    """Yield random numbers, noisy paths and real class means.

    Path lengths in a tree, and distances between class means.
    """
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, k, draw])
        upper = np.triu(rng.uniform(size=(k, k)), 1)
        yield f"random-{k}-{draw}", upper + upper.T
        tree = fit_tree_metric(_between(rng.normal(size=(k, 4)))).distances
        noise = np.triu(rng.uniform(0.7, 1.3, size=(k, k)), 1)
        yield f"noisy-tree-{k}-{draw}", tree * (noise + noise.T)
        for name, (X, labels) in real_data().items():
            yield f"{name}-{k}-{draw}", class_distances(X, labels, k, rng)


def _any_size(instance: str, D: FloatArray) -> Iterator[Certificate]:
    k = len(D)
    found, seconds = timed(lambda: fit_tree_metric(D))
    pairs = reference.pair_values(D - found.distances)
    recomputed = float(np.linalg.norm(pairs))
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="residual",
        problem="the residual is that of the distances in the tree, which are path lengths",
        fast="search",
        reference="design matrix of the tree times its lengths",
        primal=found.residual,
        dual_bound=recomputed,
        residual=max(
            relative_difference(found.residual, recomputed),
            float(np.abs(found.distances - reference.path_lengths(found.tree)).max() / D.max()),
        ),
        tolerance=ROUNDING,
        seconds_fast=seconds,
    )
    excess, seconds_reference = timed(lambda: reference.four_point_excess(found.distances[:12, :12]))
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="four-point",
        problem="the distances in the tree meet the four-point condition, equation (11)",
        fast="search",
        reference="loops over quadruples, of the first 12 points",
        primal=four_point_excess(found.distances),
        dual_bound=excess,
        residual=max(four_point_excess(found.distances), excess) / D.max(),
        tolerance=ROUNDING,
        seconds_reference=seconds_reference,
    )
    # Lengths of another topology, too: on it more of them are 0.
    other = fit_tree_metric(D, topologies="random", random_state=0)
    for name, tree in (("lengths", found.tree), ("lengths-random", other.tree)):
        fit, seconds = timed(lambda tree=tree: fit_branch_lengths(D, tree))  # type: ignore[misc]
        (_, _, exact), seconds_reference = timed(
            lambda tree=tree: reference.branch_lengths_cvxpy(D / D.max(), tree)  # type: ignore[misc]
        )
        yield Certificate(
            topic=TOPICS[0],
            instance=instance,
            name=name,
            problem="no other non-negative lengths of the tree fit better, equation (12)",
            fast="active sets, in O(k) each",
            reference="cvxpy (Clarabel) on the design matrix",
            primal=fit.residual,
            dual_bound=exact * D.max(),
            residual=relative_difference(fit.residual, exact * D.max()),
            tolerance=SOLVER,
            seconds_fast=seconds,
            seconds_reference=seconds_reference,
        )
    joined, seconds = timed(lambda: _core.neighbor_joining(D))
    edges, seconds_reference = timed(lambda: reference.neighbor_joining(D))
    fast = reference.splits_of_edges([(v, int(up)) for v, up in enumerate(joined) if up >= 0], k)
    different = len(fast ^ reference.splits_of_edges(edges, k))
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="neighbour-joining",
        problem="neighbour joining makes the tree of the plain algorithm",
        fast="neighbour joining in the kernel",
        reference="neighbour joining in plain loops",
        primal=float(different),
        dual_bound=0.0,
        residual=float(different),
        tolerance=IDENTICAL,
        seconds_fast=seconds,
        seconds_reference=seconds_reference,
        note="values are splits that only one of both has",
    )


def _against_all(instance: str, D: FloatArray) -> Certificate:
    """The best of all topologies, by explicit design matrices.

    And how far the search is from it.
    """
    best, seconds = timed(lambda: fit_tree_metric(D, topologies="all"))
    (edges, exact), seconds_reference = timed(lambda: reference.best_topology(D))
    found = fit_tree_metric(D).residual
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="all-topologies",
        problem="the best of all topologies is found, and the search is not below it",
        fast="enumeration in the kernel",
        reference="enumeration, lengths by SciPy's nnls",
        primal=best.residual,
        dual_bound=exact,
        residual=max(relative_difference(best.residual, exact), shortfall(found, exact)),
        tolerance=ROUNDING,
        seconds_fast=seconds,
        seconds_reference=seconds_reference,
        note=f"the search is {max(0.0, found / exact - 1.0) if exact > 0 else 0.0:.2g} above it; {len(edges)} edges",
    )
