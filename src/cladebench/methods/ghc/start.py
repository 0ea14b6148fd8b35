"""The greedy start (section 3, "Initialization"): one split after the other, top-down."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from cladebench.methods.ghc.objective import Similarities, similarity_row
from cladebench.methods.ghc.optimizers import update, zero_moments
from cladebench.methods.ghc.routers import Router, compiled_left_margins, init_routers, left_margins

#: Step size of the Adam steps for each split, and the points of one step. Unsaid in the paper.
LEARNING_RATE = 0.03
BATCH_SIZE = 128


@partial(jax.jit, static_argnames=("router",))
def _train_split(router: Router, pair: Any, X: jax.Array, signs: jax.Array, batches: jax.Array) -> Any:
    """Train siblings' routers by logistic regression: +1 left, -1 right.

    Each batch gives one Adam step.
    """

    def loss(pair: Any, batch: jax.Array) -> jax.Array:
        margins = left_margins(router, pair, X[batch])[0]
        return jnp.mean(jnp.logaddexp(0.0, -signs[batch] * margins))

    def step(t: jax.Array, state: Any) -> Any:
        pair, moments = state
        return update("adam", pair, jax.grad(loss)(pair, batches[t]), moments, t, LEARNING_RATE)

    return jax.lax.fori_loop(0, batches.shape[0], step, (pair, zero_moments(pair)))[0]


def greedy_start(
    router: Router,
    n_leaves: int,
    rng: np.random.Generator,
    X: jax.Array,
    similarities: Similarities,
    *,
    n_steps: int = 30,
    first_from: Literal["node", "data"] = "node",
) -> Any:
    """Draw and train the routers split by split.

    At each inner node, a random point p1 (of those that reach the node under greedy routing, or of all) goes left and
    the point least similar to p1 goes right; the two children's routers are trained by logistic regression to send each
    point to the more similar of the two, ties to the left. Then the points are routed and the next node follows.
    A node reached by fewer than two points keeps its randomly drawn routers.

    Parameters
    ----------
    router : Router
        Routing function.
    n_leaves : int
        A power of two, at least 2.
    rng : numpy.random.Generator
        Source of the random numbers.
    X : jax.Array of shape (n_points, n_features)
        Points as the routers see them.
    similarities : Similarities
        Of the points.
    n_steps : int, default=30
        Adam steps for each split. Unsaid in the paper.
    first_from : {"node", "data"}, default="node"
        Where p1 is drawn from, and its opposite searched: the points that reach the node, or all points, for the paper
        says "from the dataset".

    Returns
    -------
    pytree of ndarray
        Parameters of nodes 1..2 L - 2, stacked along a leading axis of length 2 L - 2.

    Notes
    -----
    O(L (n + steps x batch x router)) time.
    """
    n_points, n_features = X.shape
    params = init_routers(router, rng, 2 * n_leaves - 2, n_features)
    position = np.zeros(n_points, dtype=np.intp)
    for node in range(n_leaves - 1):
        members = np.flatnonzero(position == node)
        if len(members) == 0:
            continue
        rows = slice(2 * node, 2 * node + 2)  # of nodes 2 node + 1 and 2 node + 2
        pair = jax.tree.map(lambda p, rows=rows: p[rows], params)
        if len(members) >= 2:
            pool = members if first_from == "node" else np.arange(n_points)
            left = rng.choice(pool)
            others = pool[pool != left]
            to_left = similarity_row(similarities, left)
            right = others[np.argmin(to_left[others])]
            signs = np.where(to_left >= similarity_row(similarities, right), 1.0, -1.0)
            signs[left], signs[right] = 1.0, -1.0
            batches = members[rng.integers(len(members), size=(n_steps, min(BATCH_SIZE, n_points)))]
            pair = jax.tree.map(np.asarray, _train_split(router, pair, X, signs, batches))
            for stacked, trained in zip(jax.tree.leaves(params), jax.tree.leaves(pair), strict=True):
                stacked[rows] = trained
        margins = np.asarray(compiled_left_margins(router, pair, X))[0]
        position[members] = np.where(margins[members] >= 0, 2 * node + 1, 2 * node + 2)
    return params
