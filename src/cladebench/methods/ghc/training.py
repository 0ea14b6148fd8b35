"""Full-tree and block-wise training of the routers by sampling (section 3)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import jax
import numpy as np

from cladebench.methods.ghc.objective import (
    draw_sample,
    expected_cost,
    log_path_probabilities,
    similarities_among,
    similarity_pairs,
)
from cladebench.methods.ghc.routers import compiled_left_margins, route
from cladebench.methods.ghc.schedule import Checkpoints, StepSize
from cladebench.methods.ghc.steps import Samples, State, Stepper, TrainingProblem
from cladebench.threads import one_thread

#: Steps that are drawn and dispatched together; the exact cost is computed after each window.
WINDOW = 250


@dataclass
class TrainingRun:
    """What training leaves: parameters, and (seconds, iterations, parameters) at the checkpoints."""

    params: Any
    checkpoints: list[tuple[float, int, Any]] = field(default_factory=list)
    n_iter: int = 0
    converged: bool = True
    compile_seconds: float = 0.0
    critical_path_seconds: float = 0.0
    n_updates: int = 0
    start_seconds: float = 0.0


def blocks_of(n_leaves: int, block_depth: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """List levels of blocks, subtrees of depth ``block_depth``, top-down.

    They tile the tree, and may be less deep at its bottom.

    Yields
    ------
    roots : ndarray of shape (n_blocks,)
        Heap numbers of the blocks' roots.
    nodes : ndarray of shape (n_blocks, 2 ** (depth + 1) - 2)
        Heap numbers of the blocks' other nodes, in the heap order of the block.
    """
    tree_depth = n_leaves.bit_length() - 1
    for top in range(0, tree_depth, block_depth):
        depth = min(block_depth, tree_depth - top)
        roots = np.arange(2**top) + 2**top - 1
        # The m-th level below root r is (r + 1) 2^m - 1 + 0..2^m - 1.
        levels = [(roots[:, None] + 1) * 2**m - 1 + np.arange(2**m) for m in range(1, depth + 1)]
        yield roots, np.concatenate(levels, axis=1)


def members_of(roots: np.ndarray, leaves: np.ndarray) -> list[np.ndarray]:
    """Find points whose leaf lies below each root of a level."""
    reached = leaves + 1
    while reached[0] >= 2 * (roots[0] + 1):
        reached = reached >> 1  # a heap number plus one halves on the way up
    return [np.flatnonzero(reached == root + 1) for root in roots]


class _Sampler:
    """Draw the samples of a level of blocks, `WINDOW` steps each."""

    def __init__(
        self,
        problem: TrainingProblem,
        rng: np.random.Generator,
        members: list[np.ndarray],
        batch_size: int,
        n_second: int,
    ) -> None:
        self.problem, self.rng, self.n_second = problem, rng, n_second
        self.counts = np.array([len(m) for m in members])
        self.members = np.zeros((len(members), self.counts.max()), dtype=np.int32)
        for row, points in zip(self.members, members, strict=True):
            row[: len(points)] = points
        self.shape = (WINDOW, len(members), batch_size)

    def blank(self) -> Samples:
        """Nothing drawn, in the form of what is."""
        pairs = np.zeros(self.shape, dtype=np.int32)
        return pairs, pairs, np.zeros(self.shape), np.zeros((*self.shape, self.n_second), dtype=np.int32)

    def draw(self) -> Samples:
        i, j, k = draw_sample(self.rng, self.counts[:, None], self.shape, self.n_second)
        block = np.arange(len(self.counts))[:, None]
        i, j, k = self.members[block, i], self.members[block, j], self.members[block[..., None], k]
        return i, j, similarity_pairs(self.problem.similarities, i, j) / self.problem.scale, k


class ExactCost:
    """Sum the exact J' of a level's blocks.

    A block counts by its subtree over the points that reach its root. Down to this level the points are routed
    greedily, so it is J' of the tree cut off below the level, less what the levels above cost, which no longer changes.
    """

    def __init__(
        self, problem: TrainingProblem, roots: np.ndarray, nodes: np.ndarray, members: list[np.ndarray]
    ) -> None:
        n_inner = (nodes.shape[1] + 2) // 2 - 1  # of a block, its root among them
        self.problem = problem
        self.blocks = [
            (np.ix_([root, *block[: n_inner - 1]], points), similarities_among(problem.similarities, points))
            for root, block, points in zip(roots, nodes, members, strict=True)
            if len(points) >= 2
        ]

    def __call__(self, params: Any) -> float:
        """Give the cost of the whole tree's parameters, unordered pairs once."""
        margins = np.asarray(compiled_left_margins(self.problem.router, params, self.problem.X))
        # A BLAS with more threads would sum long dot products in another order.
        with one_thread("blas"):
            return sum(
                expected_cost(
                    np.exp(log_path_probabilities(margins[where], np)), similarities, self.problem.leaf_term
                )
                for where, similarities in self.blocks
            )


def train_sampled(
    problem: TrainingProblem,
    params: Any,
    rng: np.random.Generator,
    *,
    block_depth: int,
    optimizer: Literal["sgd", "adam"],
    learning_rate: float,
    n_iter: int,
    batch_size: int,
    n_second: int,
    tol: float,
    n_checkpoints: int,
) -> TrainingRun:
    """Train by sampled pairs, block by block or as one.

    The blocks of one level are trained side by side, each on the points that reach its root under greedy routing.
    A block that fewer than two points reach is left as it is.

    Parameters
    ----------
    problem : TrainingProblem
        Points and similarities.
    params : pytree of ndarray
        Start: parameters of all nodes but the root.
    rng : numpy.random.Generator
        Source of the random numbers.
    block_depth : int
        Depth of a block; the depth of the tree for full-tree training.
    optimizer
        See `optimizers.update`.
    learning_rate : float
        First step size; `StepSize` says when it falls.
    n_iter : int
        Most steps on each level of blocks.
    batch_size, n_second : int
        Pairs of a step and block, and points of the second sample of each pair.
    tol : float
        Fraction by which the exact cost of a level has to fall for its step size to stay. `StepSize` asks for it after
        each window of `WINDOW` steps. The level keeps the parameters of least exact cost. With 0 all steps are taken,
        of one size, and the last parameters are kept.
    n_checkpoints : int
        Least number of checkpoints on each level, if it has as many windows. They stand at ends of windows, evenly
        spaced, and at the last. There are at most twice as many.

    Returns
    -------
    TrainingRun

    Raises
    ------
    FloatingPointError
        If the cost or a parameter stops being finite.
    """
    run = TrainingRun(params, [(0.0, 0, params)])
    clock = _Clock()
    for roots, nodes in blocks_of(problem.n_leaves, block_depth):
        before_level = clock.seconds
        with clock:
            margins = np.asarray(compiled_left_margins(problem.router, run.params, problem.X))
            members = members_of(roots, route(margins))
            active = np.array([len(m) >= 2 for m in members])
            if not active.any():
                continue
            sampler = _Sampler(problem, rng, members, batch_size, n_second)
            state = State.starting_from(jax.tree.map(lambda p, nodes=nodes: p[nodes - 1], run.params))
            stepper = Stepper(problem, optimizer, active / active.sum())
            step_size = StepSize(learning_rate, tol)
            exact_cost = ExactCost(problem, roots, nodes, members) if tol > 0 else None

        if stepper.compiles:
            compiling = time.perf_counter()
            stepper.take(state, sampler.blank(), 0, 0, learning_rate)
            run.compile_seconds += time.perf_counter() - compiling
            stepper.seconds[:] = 0.0

        checkpoints = Checkpoints(n_checkpoints)
        best = (state, run.params)
        done = 0
        while done < n_iter and not step_size.settled:
            with clock:
                n_steps = min(WINDOW, n_iter - done)
                state, loss = stepper.take(state, sampler.draw(), done, n_steps, step_size.rate)
                done += n_steps
                _check_finite(state.params, loss, done, step_size.rate)
                params = _with_blocks(run.params, state.params, nodes, active)
                if exact_cost is not None:
                    if step_size.ask(exact_cost(params)):
                        best = (state, params)
                    if step_size.fell:
                        state = best[0]  # shorter steps set out from the best place found
            checkpoints.add((clock.seconds, run.n_iter + done, params))
        if exact_cost is not None:
            params = best[1]
        run.params = params
        run.n_iter += done
        run.n_updates += done * len(roots)  # one that too few points reach too, which costs little
        others = clock.seconds - before_level - stepper.seconds.sum()
        run.critical_path_seconds += stepper.seconds.max() + others / len(roots)
        run.converged &= step_size.settled
        run.checkpoints += checkpoints.ending_with((clock.seconds, run.n_iter, params))
    return run


class _Clock:
    """Adds up the wall time of its contexts.

    They are blocks of code.
    """

    seconds = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._began


def _with_blocks(params: Any, blocks: Any, nodes: np.ndarray, active: np.ndarray) -> Any:
    """Parameters of the tree with those of the active blocks put in."""

    def put(whole: np.ndarray, part: Any) -> np.ndarray:
        whole = whole.copy()
        whole[nodes[active] - 1] = np.asarray(part)[active]
        return whole

    return jax.tree.map(put, params, blocks)


def _check_finite(params: Any, loss: float, iteration: int, learning_rate: float) -> None:
    if np.isfinite(loss) and all(np.isfinite(np.asarray(leaf)).all() for leaf in jax.tree.leaves(params)):
        return
    raise FloatingPointError(
        f"learning_rate={learning_rate}: cost {loss}, or a parameter not finite, after {iteration} steps; "
        "expected a lower one, or scale_inputs=True"
    )
