"""First-order updates for pytrees of parameters."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp


class AdamMoments(NamedTuple):
    """Running means of the gradient and of its square."""

    first: Any
    second: Any


def zero_moments(params: Any) -> AdamMoments:
    """Give the moments before the first step."""
    zeros = jax.tree.map(jnp.zeros_like, params)
    return AdamMoments(zeros, zeros)


def update(
    optimizer: Literal["sgd", "adam"],
    params: Any,
    gradient: Any,
    moments: AdamMoments,
    step: jax.Array | int,
    learning_rate: jax.Array | float,
) -> tuple[Any, AdamMoments]:
    """Take one step down the gradient.

    Parameters
    ----------
    optimizer : {"sgd", "adam"}
        Plain stochastic gradient descent, or Adam with the constants of its paper (0.9, 0.999, 1e-8).
    params, gradient : pytree
        Of one structure.
    moments : AdamMoments
        State of Adam; passed through by SGD.
    step : int
        Number of steps taken before.
    learning_rate : float
        Step size.

    Returns
    -------
    params, moments
        After the step.

    References
    ----------
    D. Kingma, J. Ba, Adam: a method for stochastic optimization, ICLR 2015.
    """
    if optimizer == "sgd":
        return jax.tree.map(lambda p, g: p - learning_rate * g, params, gradient), moments
    decay, square_decay, floor = 0.9, 0.999, 1e-8
    first = jax.tree.map(lambda m, g: decay * m + (1 - decay) * g, moments.first, gradient)
    second = jax.tree.map(
        lambda m, g: square_decay * m + (1 - square_decay) * g * g, moments.second, gradient
    )
    rate = learning_rate / (1 - decay ** (step + 1))
    correction = 1 - square_decay ** (step + 1)
    params = jax.tree.map(
        lambda p, m, v: p - rate * m / (jnp.sqrt(v / correction) + floor), params, first, second
    )
    return params, AdamMoments(first, second)
