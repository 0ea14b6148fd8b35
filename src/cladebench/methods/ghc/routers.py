"""Route by functions f(x; theta_v): how well points fit nodes (section 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np

from cladebench.validation import check_choice, check_int, check_real


@runtime_checkable
class Router(Protocol):
    """Describe what a routing function offers: any differentiable function will do.

    The two methods describe the router of ONE node; `GHC` maps them over the nodes. `apply` must be written in
    jax.numpy, and the object must be hashable and immutable (a frozen dataclass is both): it is a static argument
    of compiled code, and equal routers share what has been compiled.
    """

    def init(self, rng: np.random.Generator, n_features: int) -> Any:
        """Draw the parameters of one node.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of the random numbers.
        n_features : int
            Length of a point.

        Returns
        -------
        pytree of floats and float arrays
            The parameters theta_v.
        """
        ...

    def apply(self, params: Any, X: jax.Array) -> jax.Array:
        """Score points at one node.

        Parameters
        ----------
        params : pytree
            What `init` returned.
        X : jax.Array of shape (n_points, n_features)
            Points; standardised if ``GHC(scale_inputs=True)``.

        Returns
        -------
        jax.Array of shape (n_points,)
            Scores, any real numbers: the softmax over two siblings' scores is the routing probability.
        """
        ...


@dataclass(frozen=True)
class LinearRouter:
    """Route by w'x + b (GHC-L).

    It starts at w ~ N(0, scale^2 / n_features), b = 0.

    Parameters
    ----------
    scale : float, default=1.0
        Of the weights at the start.
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        check_real("scale", self.scale, 0.0, open_minimum=True)

    def init(self, rng: np.random.Generator, n_features: int) -> dict[str, Any]:
        """Draw the parameters of one node."""
        return {"weights": self.scale * rng.standard_normal(n_features) / np.sqrt(n_features), "bias": 0.0}

    def apply(self, params: dict[str, jax.Array], X: jax.Array) -> jax.Array:
        """Score points at one node."""
        return X @ params["weights"] + params["bias"]


@dataclass(frozen=True)
class NeuralRouter:
    """A network with one hidden layer, v'a(W'x + c) + b (GHC-N).

    The paper (section 4) says "feed-forward neural networks with a single hidden layer" and gives neither the
    width nor the activation a. Weights start with variance scale^2 / fan-in, biases at zero.

    Parameters
    ----------
    hidden_size : int, default=16
        Width of the hidden layer.
    activation : {"tanh", "relu"}, default="tanh"
        a. tanh bounds the score by the norm of v, so that an outlier cannot saturate a router by its size alone.
    scale : float, default=1.0
        Of the weights at the start.
    """

    hidden_size: int = 16
    activation: Literal["tanh", "relu"] = "tanh"
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_int("hidden_size", self.hidden_size, minimum=1)
        check_choice("activation", self.activation, ("relu", "tanh"))
        check_real("scale", self.scale, 0.0, open_minimum=True)

    def init(self, rng: np.random.Generator, n_features: int) -> dict[str, Any]:
        """Draw the parameters of one node."""
        return {
            "hidden_weights": self.scale
            * rng.standard_normal((n_features, self.hidden_size))
            / np.sqrt(n_features),
            "hidden_bias": np.zeros(self.hidden_size),
            "output_weights": self.scale * rng.standard_normal(self.hidden_size) / np.sqrt(self.hidden_size),
            "output_bias": 0.0,
        }

    def apply(self, params: dict[str, jax.Array], X: jax.Array) -> jax.Array:
        """Score points at one node."""
        activation = jnp.tanh if self.activation == "tanh" else jax.nn.relu
        hidden = activation(X @ params["hidden_weights"] + params["hidden_bias"])
        return hidden @ params["output_weights"] + params["output_bias"]


def router_of(
    given: str | Router, hidden_size: int, activation: Literal["tanh", "relu"], scale: float
) -> Router:
    """Give the router of a name, or the router that is given.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if isinstance(given, str):
        check_choice("router", given, ("linear", "neural"))
        return LinearRouter(scale) if given == "linear" else NeuralRouter(hidden_size, activation, scale)
    if not isinstance(given, Router):
        raise ValueError(f"router={given!r}: expected 'linear', 'neural' or an object with init and apply")
    return given


def init_routers(router: Router, rng: np.random.Generator, n_nodes: int, n_features: int) -> Any:
    """Draw ``n_nodes`` routers' parameters, stacked along a leading axis (float64)."""
    drawn = [router.init(rng, n_features) for _ in range(n_nodes)]
    return jax.tree.map(
        lambda *leaves: np.stack([np.asarray(leaf, dtype=np.float64) for leaf in leaves]), *drawn
    )


def left_margins(router: Router, params: Any, X: jax.Array) -> jax.Array:
    """Score left children less right ones: (n_inner, n_points).

    ``params`` is stacked over all nodes but the root, in heap order, so siblings alternate.
    """
    scores = jax.vmap(router.apply, in_axes=(0, None))(params, X)
    return scores[0::2] - scores[1::2]


#: `left_margins`, compiled.
compiled_left_margins = jax.jit(left_margins, static_argnames=("router",))


def route(margins: np.ndarray, used: np.ndarray | None = None) -> np.ndarray:
    """Route each point greedily, to the heap number of its leaf.

    Parameters
    ----------
    margins : ndarray of shape (n_inner, n_points)
        From `left_margins`. Ties go left.
    used : ndarray of bool of shape (n_nodes,), optional
        Nodes that may be entered; all by default. An entered inner node has a child that may be entered.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    n_inner, n_points = margins.shape
    if used is None:
        used = np.ones(2 * n_inner + 1, dtype=bool)
    points = np.arange(n_points)
    position = np.zeros(n_points, dtype=np.intp)
    for _ in range(n_inner.bit_length()):
        left = 2 * position + 1
        goes_left = used[left] & ((margins[position, points] >= 0) | ~used[left + 1])
        position = np.where(goes_left, left, left + 1)
    return position


def entered(leaves: np.ndarray, n_leaves: int) -> np.ndarray:
    """Say which nodes lie on the way to some leaves.

    Parameters
    ----------
    leaves : ndarray of int of shape (n_points,)
        Heap numbers of leaves.
    n_leaves : int
        Of the complete tree.

    Returns
    -------
    ndarray of bool of shape (2 n_leaves - 1,)
        The root is left out: all enter it.
    """
    reached = np.zeros(2 * n_leaves - 1, dtype=bool)
    while leaves[0] > 0:
        reached[leaves] = True
        leaves = (leaves - 1) // 2
    return reached
