"""Exact training: L-BFGS on the whole cost.

Its gradient is a few matrix products.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

from cladebench.methods.ghc.objective import (
    Similarities,
    lca_entropy,
    log_path_probabilities,
    ordered_cost,
)
from cladebench.methods.ghc.routers import Router, left_margins
from cladebench.methods.ghc.steps import TrainingProblem
from cladebench.methods.ghc.training import TrainingRun
from cladebench.threads import one_thread


def normalised_cost(
    router: Router,
    params: Any,
    X: jax.Array,
    similarities: Similarities,
    scale: float,
    entropy_penalty: float,
    pairs: tuple[jax.Array, jax.Array],
    leaf_term: bool = True,
) -> jax.Array:
    """Compute J' per pair, point and scale, plus entropy.

    J' / (pairs x points x scale), plus the weighted mean entropy over the given pairs (none: no penalty).
    """
    n = X.shape[0]
    log_probs = log_path_probabilities(left_margins(router, params, X))
    cost = ordered_cost(jnp.exp(log_probs), similarities, leaf_term) / (scale * n * n * (n - 1))
    i, j = pairs
    if i.shape[0] > 0:
        cost += entropy_penalty * jnp.mean(lca_entropy(log_probs[i], log_probs[j]))
    return cost


@partial(jax.jit, static_argnames=("router", "leaf_term"))
def value_and_gradient(
    router: Router,
    params: Any,
    X: jax.Array,
    similarities: Similarities,
    scale: float = 1.0,
    entropy_penalty: float = 0.0,
    pairs: tuple[Any, Any] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)),
    leaf_term: bool = True,
) -> tuple[jax.Array, Any]:
    """Compute `normalised_cost` and its gradient in ``params``.

    O(n^2 L), or O(n L rank) for a low-rank similarity.
    """
    return jax.value_and_grad(normalised_cost, argnums=1)(
        router, params, X, similarities, scale, entropy_penalty, pairs, leaf_term
    )


def train_exact(
    problem: TrainingProblem,
    params: Any,
    entropy_pairs: tuple[np.ndarray, np.ndarray],
    *,
    n_iter: int,
    tol: float,
    n_checkpoints: int,
) -> TrainingRun:
    """Train the whole tree on all points at once.

    Parameters
    ----------
    problem : TrainingProblem
        Points and similarities.
    params : pytree of ndarray
        Start: parameters of all nodes but the root.
    entropy_pairs : pair of ndarray of int
        Pairs over which the entropy penalty is averaged; not read where its weight is 0.
    n_iter : int
        Most iterations of L-BFGS.
    tol : float
        Converged when an iteration lowers `normalised_cost` by less than this (by this fraction of it, should it exceed
        1). 0: when it stays the same.
    n_checkpoints : int
        Checkpoints, at geometrically spaced iterations.

    Returns
    -------
    TrainingRun

    Raises
    ------
    FloatingPointError
        If the cost stops being finite.
    """
    template, structure = jax.tree.flatten(params)
    ends = np.cumsum([leaf.size for leaf in template])[:-1]
    similarities = jax.tree.map(jnp.asarray, problem.similarities)
    none = np.zeros(0, dtype=np.int64)
    pairs = entropy_pairs if problem.entropy_penalty > 0 else (none, none)

    def unflatten(flat: np.ndarray) -> Any:
        parts = np.split(flat, ends)
        return jax.tree.unflatten(
            structure, [part.reshape(leaf.shape) for part, leaf in zip(parts, template, strict=True)]
        )

    def flatten(tree: Any) -> np.ndarray:
        return np.concatenate([np.asarray(leaf).ravel() for leaf in jax.tree.leaves(tree)])

    def cost(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = value_and_gradient(
            problem.router, unflatten(flat), problem.X, similarities,
            problem.scale, problem.entropy_penalty, pairs, problem.leaf_term,
        )  # fmt: skip
        if not np.isfinite(float(value)):
            raise FloatingPointError(
                f"exact cost: {float(value)} after {run.n_iter} iterations; expected routers with scale_inputs=True"
            )
        return float(value), flatten(gradient)

    start = flatten(params)
    run = TrainingRun(params)
    compiling = time.perf_counter()
    cost(start)
    run.compile_seconds = time.perf_counter() - compiling

    wanted = set(np.geomspace(1, n_iter, n_checkpoints).round().astype(int).tolist())
    states = [(0.0, 0, start)]
    began = time.perf_counter()

    def checkpoint(flat: np.ndarray) -> None:
        run.n_iter += 1
        if run.n_iter in wanted:
            states.append((time.perf_counter() - began, run.n_iter, flat.copy()))

    # A BLAS with more threads would sum long dot products in another order.
    with one_thread("blas"):
        minimum = minimize(
            cost, start, jac=True, method="L-BFGS-B", callback=checkpoint,
            options={"maxiter": n_iter, "maxfun": 2 * n_iter + 20, "ftol": tol, "gtol": 1e-9},
        )  # fmt: skip
    run.critical_path_seconds = time.perf_counter() - began
    if states[-1][1] != run.n_iter:
        states.append((run.critical_path_seconds, run.n_iter, minimum.x))
    run.params = unflatten(minimum.x)
    run.checkpoints = [(seconds, iteration, unflatten(flat)) for seconds, iteration, flat in states]
    run.converged = bool(minimum.success)
    return run
