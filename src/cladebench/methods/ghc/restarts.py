"""Train from several greedy starts and keep the best.

The one with the least exact cost is kept.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from cladebench.methods.ghc.evaluation import TreeEvaluation, evaluate
from cladebench.methods.ghc.exact import train_exact
from cladebench.methods.ghc.objective import draw_sample
from cladebench.methods.ghc.routers import compiled_left_margins
from cladebench.methods.ghc.start import greedy_start
from cladebench.methods.ghc.steps import TrainingProblem
from cladebench.methods.ghc.training import TrainingRun, train_sampled

#: By what ``tol`` is divided to give the tolerance of L-BFGS: an iteration that samples nothing can tell small falls.
EXACT_TOL = 50_000


@dataclass(frozen=True)
class Training:
    """How to train, in the estimator's own words.

    `cladebench.methods.GHC` says what each parameter is.
    """

    training: Literal["full_tree", "blockwise", "exact"]
    n_iter: int
    n_init: int
    block_depth: int
    optimizer: Literal["sgd", "adam"]
    learning_rate: float
    batch_size: int
    n_second: int
    entropy_pairs: int
    n_checkpoints: int
    tol: float
    start_steps: int
    start_from: Literal["node", "data"]


class Best(NamedTuple):
    """Hold the kept run, its evaluated checkpoints, and every start's J'.

    J' is exact, at the end of the start.
    """

    run: TrainingRun
    results: list[TreeEvaluation]
    objectives: np.ndarray


def best_of_starts(
    settings: Training, problem: TrainingProblem, similarity: Any, rng: np.random.RandomState
) -> Best:
    """Train from ``settings.n_init`` starts, each with a seed drawn from ``rng``.

    The first among equals is kept.

    Parameters
    ----------
    settings : Training
    problem : TrainingProblem
        Points and similarities.
    similarity : ndarray or LinearKernel
        The similarities, as `dasgupta_cost` reads them.
    rng : RandomState
        Source of the seeds.
    """
    ends = []
    for _ in range(settings.n_init):
        run = train(settings, problem, rng.randint(2**31 - 1))
        trace = [compiled_left_margins(problem.router, params, problem.X) for _, _, params in run.checkpoints]
        worth = partial(evaluate, similarities=problem.similarities, similarity=similarity)
        ends.append((run, [worth(np.asarray(m), leaf_term=problem.leaf_term) for m in trace]))
    objectives = np.array([results[-1].objective for _, results in ends])
    return Best(*ends[int(np.argmin(objectives))], objectives)


def train(settings: Training, problem: TrainingProblem, seed: int) -> TrainingRun:
    """Train from one start, as ``settings.training`` says."""
    start_rng, train_rng = np.random.default_rng(seed).spawn(2)
    began = time.perf_counter()
    params = greedy_start(
        problem.router,
        problem.n_leaves,
        start_rng,
        problem.X,
        problem.similarities,
        n_steps=settings.start_steps,
        first_from=settings.start_from,
    )
    start_seconds = time.perf_counter() - began
    n_points = problem.X.shape[0]
    if n_points < 2:  # no pair, nothing to train on
        run = TrainingRun(params, [(0.0, 0, params)])
    elif settings.training == "exact":
        run = train_exact(
            problem,
            params,
            draw_sample(train_rng, n_points, (settings.entropy_pairs,), 0)[:2],
            n_iter=settings.n_iter,
            tol=settings.tol / EXACT_TOL,
            n_checkpoints=settings.n_checkpoints,
        )
    else:
        run = train_sampled(
            problem,
            params,
            train_rng,
            block_depth=problem.n_leaves if settings.training == "full_tree" else settings.block_depth,
            optimizer=settings.optimizer,
            learning_rate=settings.learning_rate,
            n_iter=settings.n_iter,
            batch_size=settings.batch_size,
            n_second=settings.n_second,
            tol=settings.tol,
            n_checkpoints=settings.n_checkpoints,
        )
    run.start_seconds = start_seconds
    return run
