r"""Compute the continuous cost J' (section 2.3), exact and sampled.

The tree is complete and binary. Nodes are numbered as in a heap: the root is 0, the children of inner node v are 2v + 1
(left) and 2v + 2 (right); with L leaves the inner nodes are 0..L-2, the leaves L-1..2L-2. ``path_probs[x, v]`` is Pr[x
-> v].

.. math::
    J'(\theta) = \sum_{(x, x')} Sim(x, x') \sum_v \Pr[v = lca(x, x')] \, n_v,
    \qquad n_v = \sum_{x''} \Pr[x'' \to v],

with Pr[v = lca] = P[x,l]P[x',r] + P[x,r]P[x',l] at an inner node with children l and r, and P[x,v]P[x',v] at a leaf.

Where this differs from the paper: (1) the paper writes no leaf term, without which the cost is zero as soon as all
points share a leaf, so two points that share a leaf have it as their lowest common ancestor (``leaf_term=False`` gives
the printed cost); (2) the paper sums over "pairs of points", taken here as pairs of distinct points, each once
(``pairs="unordered"``) or twice ("ordered"). With these two, hard routing (path_probs in {0, 1}) makes J' equal
Dasgupta's cost of the read-out hierarchy, in which the points of one leaf are one multi-way leaf; self-pairs would add
sum_x Sim(x, x) n_leaf(x).

Functions that take ``xp`` compute in NumPy or in jax.numpy by one formula.
"""

from __future__ import annotations

import sys
from functools import partial
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from scipy import sparse

from cladebench.metrics.similarity import LinearKernel


class LowRank(NamedTuple):
    """Sim = F F' with its diagonal taken out; never expanded."""

    factor: Any
    diagonal: Any


#: A dense (n, n) array with a zero diagonal, or a factor; of NumPy or JAX arrays.
Similarities: TypeAlias = Any


def as_similarities(similarity: Any) -> Similarities:
    """Check a similarity and put it into the form used here.

    Parameters
    ----------
    similarity : ndarray of shape (n, n) or LinearKernel
        Symmetric. The diagonal does not enter the cost.

    Returns
    -------
    ndarray of shape (n, n) with a zero diagonal, or LowRank

    Raises
    ------
    ValueError
        If the matrix is sparse, or not square, finite and symmetric, or so large that the cost would overflow.
    """
    if isinstance(similarity, LinearKernel):
        with np.errstate(over="ignore"):
            diagonal = np.sum(similarity.X**2, axis=1)
        _check_magnitude(float(diagonal.max()), len(diagonal))
        return LowRank(similarity.X, diagonal)
    if sparse.issparse(similarity):
        raise ValueError(
            "similarity is a sparse matrix: expected a dense array (its toarray()) or a LinearKernel"
        )
    dense = np.array(similarity, dtype=np.float64)
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise ValueError(f"similarity has shape {dense.shape}: expected a square matrix")
    np.fill_diagonal(dense, 0.0)
    if not np.isfinite(dense).all():
        raise ValueError("similarity holds NaN or infinity: expected finite values")
    largest = float(max(-dense.min(initial=0.0), dense.max(initial=0.0)))
    _check_magnitude(largest, len(dense))
    allowed = 1e-9 * largest
    for start in range(0, len(dense), 512):  # in blocks: no second n x n array
        rows = slice(start, start + 512)
        if (np.abs(dense[rows] - dense[:, rows].T) > allowed).any():
            raise ValueError("similarity is not symmetric: expected Sim(x, x') = Sim(x', x)")
    return dense


def _check_magnitude(largest: float, n_points: int) -> None:
    limit = sys.float_info.max / n_points**3
    if largest > limit:
        raise ValueError(
            f"similarity reaches {largest:g}: expected at most {limit:.3g} in magnitude, beyond which the cost of "
            f"{n_points} points overflows; rescale it"
        )


def n_points_of(similarities: Similarities) -> int:
    """Count the points."""
    return (similarities.factor if isinstance(similarities, LowRank) else similarities).shape[0]


def mean_magnitude(similarities: Similarities) -> float:
    """Compute the mean abs(Sim) over pairs of distinct points.

    A low rank gets the Cauchy-Schwarz bound. A mean of 0 becomes 1.
    """
    n = n_points_of(similarities)
    if isinstance(similarities, LowRank):
        value = float(np.mean(similarities.diagonal))
    else:
        value = float(sum(np.abs(row).sum() for row in similarities)) / max(n * (n - 1), 1)
    return value if value > 0 else 1.0


def similarity_row(similarities: Similarities, i: int) -> np.ndarray:
    """Give the similarities of point i to all points.

    Its own entry has no meaning.
    """
    if isinstance(similarities, LowRank):
        return similarities.factor @ similarities.factor[i]
    return similarities[i]


def similarity_pairs(similarities: Similarities, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Give the similarities of pairs (i, j) of distinct points."""
    if isinstance(similarities, LowRank):
        return np.sum(similarities.factor[i] * similarities.factor[j], axis=-1)
    return similarities[i, j]


def similarities_among(similarities: Similarities, members: np.ndarray) -> Similarities:
    """Give the similarities of some points, numbered in ascending order.

    What was given where these are all.
    """
    if len(members) == n_points_of(similarities):
        return similarities
    if isinstance(similarities, LowRank):
        return LowRank(similarities.factor[members], similarities.diagonal[members])
    return similarities[np.ix_(members, members)]


def similarity_product(similarities: Similarities, P: Any) -> Any:
    """Multiply Sim by P, with a diagonal of zero."""
    if isinstance(similarities, LowRank):
        product = similarities.factor @ (similarities.factor.T @ P)
        return product - similarities.diagonal[:, None] * P
    return similarities @ P


def log_path_probabilities(margins: Any, xp: ModuleType = jnp) -> Any:
    """Log of Pr[x -> v] from the margins of `routers.left_margins`: (n_points, n_nodes).

    Sums log-sigmoids of score differences along the path, so that nothing overflows and no probability becomes an
    exact zero whose logarithm would be needed.
    """
    log_left, log_right = -xp.logaddexp(0.0, -margins), -xp.logaddexp(0.0, margins)
    level = xp.zeros((1, margins.shape[1]))
    levels = [level]
    first = 0
    while first < margins.shape[0]:
        width = level.shape[0]
        here = slice(first, first + width)
        children = xp.stack([level + log_left[here], level + log_right[here]], axis=1)
        level = children.reshape(2 * width, -1)
        levels.append(level)
        first += width
    return xp.concatenate(levels).T


def pair_masses(P: Any, product: Any, leaf_term: bool = True, xp: ModuleType = jnp) -> Any:
    """Sum Sim Pr[v = lca] over ordered pairs, from Sim P: (n_nodes,)."""
    n_inner = P.shape[1] // 2
    inner = 2.0 * xp.sum(P[:, 1::2] * product[:, 2::2], axis=0)
    leaves = xp.sum(P[:, n_inner:] * product[:, n_inner:], axis=0)
    return xp.concatenate([inner, leaves if leaf_term else xp.zeros_like(leaves)])


def expected_cost(P: np.ndarray, similarities: Similarities, leaf_term: bool = True) -> float:
    """Compute J' of path probabilities, each unordered pair once."""
    masses = pair_masses(P, similarity_product(similarities, P), leaf_term, np)
    return 0.5 * float(masses @ P.sum(axis=0))


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def ordered_cost(P: jax.Array, similarities: Similarities, leaf_term: bool = True) -> jax.Array:
    """Compute J' over ordered pairs of distinct points.

    Value and gradient in P need one product Sim P.
    """
    return _ordered_cost_forward(P, similarities, leaf_term)[0]


def _ordered_cost_forward(P: jax.Array, similarities: Similarities, leaf_term: bool) -> tuple[jax.Array, Any]:
    product = similarity_product(similarities, P)
    masses, sizes = pair_masses(P, product, leaf_term), jnp.sum(P, axis=0)
    return jnp.dot(masses, sizes), (product, masses, sizes, similarities)


def _ordered_cost_backward(leaf_term: bool, residuals: Any, cotangent: jax.Array) -> tuple[jax.Array, Any]:
    # Sim is symmetric, so d(l' Sim r)/dl = Sim r and d/dr = Sim l: the forward product serves the gradient too.
    product, masses, sizes, similarities = residuals
    n_inner = sizes.shape[0] // 2
    siblings = jnp.stack([product[:, 2::2], product[:, 1::2]], axis=2).reshape(product.shape[0], -1)
    gradient = jnp.pad(siblings * jnp.repeat(sizes[:n_inner], 2), ((0, 0), (1, 0)))
    if leaf_term:
        gradient = gradient.at[:, n_inner:].add(product[:, n_inner:] * sizes[n_inner:])
    return cotangent * (2.0 * gradient + masses), jax.tree.map(jnp.zeros_like, similarities)


ordered_cost.defvjp(_ordered_cost_forward, _ordered_cost_backward)


def lca_probabilities(P: Any, Q: Any, xp: ModuleType = jnp) -> Any:
    """Compute Pr[v = lca] from pairs' path probabilities: (..., n_nodes)."""
    n_inner = P.shape[-1] // 2
    inner = P[..., 1::2] * Q[..., 2::2] + P[..., 2::2] * Q[..., 1::2]
    return xp.concatenate([inner, P[..., n_inner:] * Q[..., n_inner:]], axis=-1)


def lca_entropy(log_p: Any, log_q: Any, xp: ModuleType = jnp) -> Any:
    """Compute pairs' lca entropy in nats from log path probabilities: (...,)."""
    n_inner = log_p.shape[-1] // 2
    inner = xp.logaddexp(log_p[..., 1::2] + log_q[..., 2::2], log_p[..., 2::2] + log_q[..., 1::2])
    log_lca = xp.concatenate([inner, log_p[..., n_inner:] + log_q[..., n_inner:]], axis=-1)
    return -xp.sum(xp.exp(log_lca) * log_lca, axis=-1)


def draw_sample(
    rng: np.random.Generator, counts: Any, shape: tuple[int, ...], n_second: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw pairs of distinct points and, for each, a second sample.

    All are uniform, with replacement and independent; only the members of a pair differ.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    counts : int or ndarray that broadcasts to ``shape``
        Points to draw from, 0..count - 1. A count below two has no pair: what is drawn must get weight zero.
    shape : tuple of int
        Shape of the array of pairs.
    n_second : int
        Points of a second sample.

    Returns
    -------
    first, second, others : ndarray of shape (*shape), (*shape) and (*shape, n_second)
    """
    n = np.maximum(np.broadcast_to(counts, shape), 1)
    first = rng.integers(n)
    shift = rng.integers(np.maximum(n - 1, 1))
    others = rng.integers(n[..., None], size=(*shape, n_second))
    return first, (first + 1 + shift) % n, others


def mean_pair_cost(
    P: Any, Q: Any, second: Any, similarity: Any, leaf_term: bool = True, xp: ModuleType = jnp
) -> Any:
    """Average Sim sum_v Pr[v = lca] (second sample's share at v).

    Parameters
    ----------
    P, Q : array of shape (b, n_nodes)
        Path probabilities of the members of the pairs.
    second : array of shape (b, s, n_nodes)
        Path probabilities of the second samples.
    similarity : array of shape (b,)
        Similarities of the pairs.
    leaf_term : bool, default=True
        Whether a leaf is the lowest common ancestor of the points that share it.
    """
    fractions = xp.mean(second, axis=1)
    counted = slice(None if leaf_term else P.shape[-1] // 2)
    terms = lca_probabilities(P, Q, xp)[:, counted] * fractions[:, counted]
    return xp.mean(similarity * xp.sum(terms, axis=-1))


def _checked(path_probs: Any, similarity: Any, pairs: str) -> tuple[np.ndarray, Similarities, float]:
    if pairs not in ("unordered", "ordered"):
        raise ValueError(f"pairs={pairs!r}: expected 'unordered' or 'ordered'")
    similarities = as_similarities(similarity)
    P = np.asarray(path_probs, dtype=np.float64)
    n_leaves = (P.shape[1] + 1) // 2 if P.ndim == 2 else 0
    if n_leaves < 2 or P.shape[1] != 2 * n_leaves - 1 or n_leaves & (n_leaves - 1):
        raise ValueError(
            f"path_probs has shape {P.shape}: expected (n_points, 2 L - 1) with L >= 2 a power of two"
        )
    if len(P) != n_points_of(similarities):
        raise ValueError(f"path_probs has {len(P)} rows, similarity {n_points_of(similarities)} points")
    return P, similarities, 1.0 if pairs == "ordered" else 0.5


def exact_objective(
    path_probs: Any,
    similarity: Any,
    pairs: Literal["unordered", "ordered"] = "unordered",
    leaf_term: bool = True,
) -> float:
    """Compute J' from path probabilities, as matrix products.

    Sum over inner v of 2 n_v P_l' Sim P_r, and the leaves.

    Parameters
    ----------
    path_probs : array-like of shape (n_points, 2 L - 1)
        Pr[x -> v], heap order.
    similarity : array-like of shape (n_points, n_points) or LinearKernel
        Symmetric; the diagonal does not enter.
    pairs : {"unordered", "ordered"}, default="unordered"
        Each pair of distinct points once or twice.
    leaf_term : bool, default=True
        Whether a leaf is the lowest common ancestor of the points that share it; the paper prints no such term.

    Returns
    -------
    float
        J', in units of similarity x points.

    Raises
    ------
    ValueError
        If the shapes do not fit, or the similarity is not finite and symmetric.

    Notes
    -----
    O(n^2 L) time; O(n L rank) for a linear kernel.
    """
    P, similarities, factor = _checked(path_probs, similarity, pairs)
    return 2 * factor * expected_cost(P, similarities, leaf_term)


def sampled_objective(
    rng: np.random.Generator,
    path_probs: Any,
    similarity: Any,
    batch_size: int = 64,
    n_second: int = 16,
    pairs: Literal["unordered", "ordered"] = "unordered",
    n_draws: int = 1,
    leaf_term: bool = True,
) -> np.ndarray:
    """Estimate J' without bias from pairs with second samples (section 3).

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    path_probs, similarity, pairs, leaf_term
        As in `exact_objective`; at least two points.
    batch_size : int, default=64
        Pairs of one estimate, b.
    n_second : int, default=16
        Points of the second sample of each pair, |S'|. The paper scales their sum by |X| / |S|, a slip: only
        |X| / |S'| makes it an estimate of n_v.
    n_draws : int, default=1
        Independent estimates.

    Returns
    -------
    ndarray of shape (n_draws,)

    Raises
    ------
    ValueError
        As in `exact_objective`.
    """
    P, similarities, factor = _checked(path_probs, similarity, pairs)
    n = len(P)
    if n < 2:
        raise ValueError("path_probs has one row: expected at least two points, there is no pair to sample")
    estimates = np.empty(n_draws)
    for draw in range(n_draws):
        i, j, k = draw_sample(rng, n, (batch_size,), n_second)
        estimates[draw] = mean_pair_cost(
            P[i], P[j], P[k], similarity_pairs(similarities, i, j), leaf_term, np
        )
    return factor * n * (n - 1) * n * estimates
