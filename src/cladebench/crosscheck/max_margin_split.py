"""Check splits of the max-margin forest: problems, descent, local optima."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from cladebench import _core
from cladebench.crosscheck._instances import real_data
from cladebench.crosscheck._pairs import FloatArray, PairedNode, draw_labelled, draw_pairs, nodes_of_a_tree
from cladebench.crosscheck.certificate import (
    ROUNDING,
    Certificate,
    Checks,
    Side,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.reference import max_margin_split as reference
from cladebench.solvers import max_margin_split as solver

TOPICS = ("hfd-convex", "hfd-descent", "hfd-local")

#: scope -> rows of a tree and constraints of either sort; rows of a tiny node, its must-links and cannot-links; draws.
SIZES = {"smoke": (60, 30, 6, 1, 1), "quick": (150, 100, 7, 2, 2), "full": (150, 300, 8, 2, 4)}
#: Scores are computed in single precision: objectives are compared relative to that of w = 0, whose hinges are all 1.
SINGLE = 1e-6
#: Duality gap to which convex problems are solved here, and what the steps of Algorithm 1 are to leave.
GAP = 1e-4
STEPS, LEFT = 100_000, 0.02
#: The share of cannot-links and the least membership, of tiny nodes as of others.
SHARE, MEMBERSHIP = 0.25, 0.25
STARTS = (1, 10)


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of nodes of grown trees and tiny nodes.

    Trees are grown from real data.
    """
    n_samples, n_pairs, n_tiny, tiny_pairs, n_draws = SIZES[scope]
    for name, (X, y) in real_data().items():
        for k in range(n_draws):
            rows, labels = draw_labelled(X, y, n_samples, seed + k)
            for node in nodes_of_a_tree(rows, *draw_pairs(labels, n_pairs, seed + k), seed + k):
                instance = f"{name}-{n_samples}-{k}-{node.name}"
                if len(node.cannot):
                    yield from _convex(instance, node, seed)
                yield _descent(instance, node, seed)
            rows, labels = draw_labelled(X, y, n_tiny, seed + k, 2)
            must, cannot = draw_pairs(labels, tiny_pairs, seed + k)
            tiny = [PairedNode("free", rows, must[:0], cannot[:0])]
            if len(cannot):
                tiny.append(PairedNode("constrained", rows, must, cannot))
            for node in tiny:
                yield from local_optima(f"{name}-{n_tiny}-{k}-{node.name}", node, seed)


def _convex(instance: str, node: PairedNode, seed: int) -> Iterator[Certificate]:
    """Solve (16) for labels of the start and of random weights."""
    checks = Checks("hfd-convex", instance)
    problem = reference.make_problem(node.X, node.must, node.cannot, share=SHARE)
    direction = solver.scatter_direction(node.X, node.must, node.cannot)
    rng = np.random.default_rng(seed)
    for name, given in (
        ("start", np.append(direction, 0.0)),
        ("random", rng.normal(size=node.X.shape[1] + 1)),
    ):
        w = given.astype(np.float32).astype(float)  # the core's labels are of scores in single precision
        labels = reference.choose_labels(problem, w)
        exact = timed("cvxpy, Clarabel", reference.solve_fixed, problem, labels)
        optimum = exact.giving(exact.result[1])
        unit = reference.fixed_objective(problem, labels, 0 * w)

        def above(value: float, least: float, allowed: float = GAP, unit: float = unit) -> float:
            return max(0.0, least - value, value - (1.0 + allowed) * least) / unit

        planes = _fixed(node, w)
        fast = timed("cutting planes", planes.minimise, 0 * w, GAP, 10_000)
        best, _, bound, n_evaluations = fast.result
        yield checks.certify(
            f"{name}-cutting-planes",
            "(16) is solved to the gap asked for: the value is not below the optimum, and above it by no more",
            fast.giving(reference.fixed_objective(problem, labels, best)),
            optimum,
            SINGLE,
            residual=above,
            note=f"{n_evaluations} evaluations; the value is recomputed in double precision",
        )
        yield checks.certify(
            f"{name}-bound",
            "the bound that the cutting planes prove does not lie above the optimum of (16)",
            fast.giving(optimum.result),
            exact.giving(bound),
            SINGLE,
            residual=max(0.0, bound - optimum.result) / unit,
        )
        descent = _fixed(node, w, subgradient=True, step_tolerance=0.0)
        fast = timed("projected subgradient", descent.minimise, 0 * w, 1.0, STEPS)
        early = _fixed(node, w, subgradient=True).minimise(0 * w, 1.0, STEPS)
        left = reference.fixed_objective(problem, labels, early[0]) / optimum.result - 1.0
        yield checks.certify(
            f"{name}-algorithm-1",
            f"{STEPS:,} steps of the paper's Algorithm 1, mended, end within {LEFT:.0%} of the optimum of (16)",
            fast.giving(reference.fixed_objective(problem, labels, fast.result[0])),
            optimum,
            SINGLE,
            residual=partial(above, allowed=LEFT),
            note=f"with the paper's tolerance of 0.01 it ends after {early[3]} steps, {left:.2%} above the optimum",
        )
        at = rng.normal(size=w.shape)
        _, slope = planes.evaluate(at)
        expected = reference.fixed_subgradient(problem, labels, at) - problem.weight * at
        yield checks.certify(
            f"{name}-subgradient",
            "the subgradient of (16) without the norm is (17) with its last term mended",
            Side("kernel", float(np.linalg.norm(slope))),
            Side("plain twin", float(np.linalg.norm(expected))),
            SINGLE,
            residual=float(np.abs(slope - expected).max() / np.abs(expected).max()),
            note="at random weights; relative to its largest entry",
        )


def _fixed(node: PairedNode, w: FloatArray, **settings: object) -> _core.FixedSplit:
    """Solve problem (16) of the core for the labels at w.

    The labels that are best at w.
    """
    return _core.FixedSplit(node.X, node.must, node.cannot, solver.split_settings(share=SHARE, **settings), w)


def _descent(instance: str, node: PairedNode, seed: int) -> Certificate:
    """Follow the objective over rounds.

    It is recomputed from the weights that each number of rounds ends with.

    With cutting planes: Algorithm 1 takes its last point, whatever it is worth.
    """
    fit = partial(
        solver.max_margin_split,
        node.X,
        node.must,
        node.cannot,
        share=SHARE,
        membership=MEMBERSHIP,
        random_state=seed,
    )
    fast = timed("descent with cutting planes", fit)
    whole = fast.result
    stops = [fit(max_rounds=r) for r in range(1, whole.rounds + 1)]
    words = "objective of the plain twin at each round's weights"
    plain = timed(words, _values, node, stops, whole.warm_up)
    values = plain.result
    parts = [part for part in (values[: whole.warm_up], values[whole.warm_up :]) if len(part)]
    rise = max(float(np.max(np.diff(part), initial=0.0)) for part in parts)
    final = _objective(node, whole.weights, True)
    unit = _objective(node, 0 * whole.weights, True)
    return Checks("hfd-descent", instance).certify(
        "cutting-planes",
        "the objective, (8) or that of the split without cannot-links, never rises over the rounds",
        fast.giving(parts[-1][-1]),
        plain.giving(parts[-1][0]),
        SINGLE,
        residual=max(rise, abs(whole.objective - final), _off(whole, values)) / unit,
        note=f"rounds: {whole.warm_up} without the unconstrained points, {whole.rounds - whole.warm_up} with them; "
        "the gap says by how much the latter lowered the objective",
    )


def _values(node: PairedNode, stops: list[solver.SplitFit], warm_up: int) -> FloatArray:
    """Objective after each round.

    Rounds that leave the unconstrained points out are judged without (Algorithm 2).
    """
    return np.array([_objective(node, stop.weights, r >= warm_up) for r, stop in enumerate(stops)])


def _off(fit: solver.SplitFit, values: FloatArray) -> float:
    """Measure how far the core's trace differs from recomputed objectives."""
    if len(values) != len(fit.trace):
        return np.inf
    return float(np.abs(fit.trace - values).max())


def _objective(node: PairedNode, w: FloatArray, with_unconstrained: bool) -> float:
    """Objective of the twin, with or without cannot-links."""
    problem = reference.make_problem(
        node.X, node.must, node.cannot, share=SHARE, unconstrained=float(with_unconstrained)
    )
    if len(node.cannot):
        return reference.objective(problem, w)
    return reference.balanced_objective(problem, w, MEMBERSHIP)


def local_optima(instance: str, node: PairedNode, seed: int) -> Iterator[Certificate]:
    """Compare with the best of all labels, each solved by cvxpy."""
    problem = reference.make_problem(node.X, node.must, node.cannot, share=SHARE)
    constrained = len(node.cannot) > 0
    words = "enumeration of labels, each a quadratic programme of cvxpy"
    if constrained:
        exact = timed(words, reference.minimum, problem)
    else:
        exact = timed(words, reference.balanced_minimum, problem, MEMBERSHIP)
    optimum = exact.result[1]
    fit = partial(
        solver.max_margin_split,
        node.X,
        node.must,
        node.cannot,
        share=SHARE,
        membership=MEMBERSHIP,
        gap=1e-3,
    )
    for n_starts in STARTS[:1] if constrained else STARTS:  # with cannot-links there is one start, eq. (11)
        seeds = range(seed, seed + n_starts)
        fast = timed("alternating descent", lambda seeds: [fit(random_state=k) for k in seeds], seeds)
        least = min(_objective(node, one.weights, True) for one in fast.result)
        said = min(one.objective for one in fast.result)
        yield Checks("hfd-local", instance).certify(
            f"{n_starts}-starts",
            "no local optimum lies below the best of all labels and choices of cannot-links",
            fast.giving(least),
            exact.giving(optimum),
            1e-6,
            residual=max(shortfall(least, optimum), max(0.0, relative_difference(said, least) - ROUNDING)),
            note=f"the local optimum lies {least / optimum - 1.0:.2%} above the global one",
        )
