"""Take steps of stochastic gradient descent on the sampled cost.

The core takes them for the paper's routers, JAX for any other. `run_traced_steps` is the twin of the core's: the same
samples give the same parameters, to rounding.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from cladebench import _core
from cladebench.methods.ghc.objective import (
    Similarities,
    lca_entropy,
    log_path_probabilities,
    mean_pair_cost,
)
from cladebench.methods.ghc.optimizers import AdamMoments, update, zero_moments
from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter, Router, left_margins

#: Members i and j of the pairs, their similarities and the second samples k, with axes (step, block, pair, ...).
Samples: TypeAlias = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class TrainingProblem:
    """Hold what is trained on: points for routers, and their similarities.

    The cost is divided by (pairs x points x scale): with scale the mean |Sim| it lies near (0, 1] on any data, which
    gives learning rates and the weight of the entropy penalty one meaning everywhere.
    """

    router: Router
    n_leaves: int
    X: jax.Array
    similarities: Similarities
    scale: float
    entropy_penalty: float
    leaf_term: bool = True


class State(NamedTuple):
    """Parameters and the moments that Adam keeps of their gradients.

    Axes are (block, node of the block, ...).
    """

    params: Any
    moments: AdamMoments

    @classmethod
    def starting_from(cls, params: Any) -> State:
        """Give the state before the first step."""
        return cls(params, zero_moments(params))


class Stepper:
    """Takes steps on all blocks of a level side by side.

    Parameters
    ----------
    problem : TrainingProblem
        Points and similarities.
    optimizer : {"sgd", "adam"}
        See `optimizers.update`.
    weights : ndarray of shape (n_blocks,)
        Of the blocks in the cost that `take` returns.

    Attributes
    ----------
    seconds : ndarray of shape (n_blocks,)
        What the steps of each block have taken; even shares where JAX computes all blocks at once.

    Notes
    -----
    Routers of the paper's two kinds are trained in the core; a subclass of theirs, which may score points otherwise,
    and any other router by JAX.
    """

    def __init__(
        self, problem: TrainingProblem, optimizer: Literal["sgd", "adam"], weights: np.ndarray
    ) -> None:
        self.problem, self.optimizer, self.weights = problem, optimizer, weights
        self.compiles = type(problem.router) not in (LinearRouter, NeuralRouter)
        self.seconds = np.zeros(len(weights))

    def take(
        self, state: State, samples: Samples, first_step: int, n_steps: int, learning_rate: float
    ) -> tuple[State, float]:
        """Take the first ``n_steps`` of the steps drawn.

        Parameters
        ----------
        state : State
            Before the steps.
        samples : Samples
            What at least so many steps have drawn.
        first_step : int
            Steps taken before, which Adam asks for.
        n_steps : int
            Steps to take.
        learning_rate : float
            Step size.

        Returns
        -------
        state : State
            After the steps.
        cost : float
            Mean sampled cost of the steps.
        """
        problem = self.problem
        if not self.compiles:
            return self._take_in_core(state, samples, first_step, n_steps, learning_rate)
        began = time.perf_counter()
        params, moments, cost = run_traced_steps(
            problem.router, self.optimizer, problem.entropy_penalty > 0, problem.leaf_term, *state, problem.X,
            self.weights, samples, first_step, n_steps, learning_rate, problem.entropy_penalty,
        )  # fmt: skip
        cost = float(cost)  # waits for it
        self.seconds += (time.perf_counter() - began) / len(self.seconds)
        return State(params, moments), cost

    def _take_in_core(
        self, state: State, samples: Samples, first_step: int, n_steps: int, learning_rate: float
    ) -> tuple[State, float]:
        problem, router = self.problem, self.problem.router
        kind, hidden_size = "linear", 0
        if isinstance(router, NeuralRouter):
            kind, hidden_size = router.activation, router.hidden_size
        i, j, similarity, k = samples
        given = (state.params, state.moments.first, state.moments.second)
        *flats, costs, seconds = _core.router_steps(
            kind, hidden_size, np.asarray(problem.X), *map(_packed, given), i, j, similarity, k, n_steps,
            self.optimizer == "adam", problem.leaf_term, problem.entropy_penalty, learning_rate, first_step,
        )  # fmt: skip
        self.seconds += seconds
        params, *moments = (_unpacked(flat, state.params) for flat in flats)
        return State(params, AdamMoments(*moments)), float(self.weights @ costs)


#: The order in which the core has a node's parameters.
_ORDER = ("weights", "bias", "hidden_weights", "hidden_bias", "output_weights", "output_bias")


def _packed(params: dict[str, Any]) -> np.ndarray:
    """One row for each node: (n_blocks, n_nodes, parameters of a node)."""
    leaves = [np.asarray(params[name]) for name in _ORDER if name in params]
    return np.concatenate([leaf.reshape(*leaf.shape[:2], -1) for leaf in leaves], axis=2)


def _unpacked(flat: np.ndarray, like: dict[str, Any]) -> dict[str, np.ndarray]:
    names = [name for name in _ORDER if name in like]
    shapes = [np.shape(like[name]) for name in names]
    rows = flat.reshape(*shapes[0][:2], -1)
    ends = np.cumsum([int(np.prod(shape[2:])) for shape in shapes])
    parts = np.split(rows, ends[:-1], axis=2)
    return {name: part.reshape(shape) for name, part, shape in zip(names, parts, shapes, strict=True)}


@partial(jax.jit, static_argnames=("router", "optimizer", "penalised", "leaf_term"))
def run_traced_steps(
    router: Router,
    optimizer: Literal["sgd", "adam"],
    penalised: bool,
    leaf_term: bool,
    params: Any,
    moments: AdamMoments,
    X: jax.Array,
    weights: jax.Array,
    samples: tuple[jax.Array, jax.Array, jax.Array, jax.Array],
    first_step: int,
    n_steps: int,
    learning_rate: float,
    entropy_penalty: float,
) -> tuple[Any, AdamMoments, jax.Array]:
    """Take steps on blocks side by side, and average costs.

    The mean is under ``weights``. The number of steps is traced, so any number up to the length of ``samples`` is one
    program.
    """
    batch_size, n_second = samples[3].shape[2:]
    # Where a batch would route more points than there are, all points are routed once and looked up.
    route_all = batch_size * (2 + n_second) >= X.shape[0]

    def block_loss(params: Any, i: jax.Array, j: jax.Array, similarity: jax.Array, k: jax.Array) -> jax.Array:
        points = X if route_all else X[jnp.concatenate([i, j, k.ravel()])]
        log_probs = log_path_probabilities(left_margins(router, params, points))
        if route_all:
            log_p, log_q, probs_k = log_probs[i], log_probs[j], jnp.exp(log_probs)[k]
        else:
            log_p, log_q = log_probs[:batch_size], log_probs[batch_size : 2 * batch_size]
            probs_k = jnp.exp(log_probs[2 * batch_size :]).reshape(batch_size, n_second, -1)
        loss = mean_pair_cost(jnp.exp(log_p), jnp.exp(log_q), probs_k, similarity, leaf_term)
        if penalised:
            loss += entropy_penalty * jnp.mean(lca_entropy(log_p, log_q))
        return loss

    def step(t: jax.Array, state: tuple[Any, AdamMoments, jax.Array]) -> tuple[Any, AdamMoments, jax.Array]:
        params, moments, total = state
        losses, gradient = jax.vmap(jax.value_and_grad(block_loss))(params, *(s[t] for s in samples))
        params, moments = update(optimizer, params, gradient, moments, first_step + t, learning_rate)
        return params, moments, total + jnp.dot(weights, losses)

    params, moments, total = jax.lax.fori_loop(0, n_steps, step, (params, moments, jnp.zeros(())))
    return params, moments, total / jnp.maximum(n_steps, 1)
