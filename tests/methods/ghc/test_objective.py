"""GHC's continuous cost: against the literal sums, finite differences, its own samples, and Dasgupta's cost."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.hierarchy import Hierarchy
from cladebench.methods.ghc.exact import value_and_gradient
from cladebench.methods.ghc.objective import (
    as_similarities,
    draw_sample,
    exact_objective,
    lca_entropy,
    lca_probabilities,
    log_path_probabilities,
    mean_magnitude,
    sampled_objective,
)
from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter, init_routers, left_margins, route
from cladebench.methods.ghc.session import double_precision
from cladebench.metrics import dasgupta_cost
from cladebench.metrics.similarity import LinearKernel, Similarity
from cladebench.reference import ghc as reference

pytestmark = pytest.mark.usefixtures("quickly_compiled")


def random_case(n: int, n_leaves: int, seed: int, spread: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """Path probabilities and a similarity that may be negative."""
    rng = np.random.default_rng(seed)
    margins = spread * rng.standard_normal((n_leaves - 1, n))
    S = rng.standard_normal((n, n))
    return np.exp(log_path_probabilities(margins, np)), S + S.T


CASES = {
    "n": st.integers(1, 6),
    "n_leaves": st.sampled_from([2, 4, 8]),
    "seed": st.integers(0, 2**31),
}


@given(**CASES)
@settings(max_examples=25, deadline=None)
def test_exact_objective_is_the_literal_sum(n: int, n_leaves: int, seed: int) -> None:
    P, S = random_case(n, n_leaves, seed)
    for pairs in ("unordered", "ordered"):
        # Relative to the sum of magnitudes: terms of both signs may cancel.
        allowed = 1e-10 * reference.exact_objective(P, np.abs(S), pairs)
        for leaf_term in (True, False):
            expected = reference.exact_objective(P, S, pairs, leaf_term)
            assert abs(exact_objective(P, S, pairs, leaf_term) - expected) <= allowed


@given(**CASES)
@settings(max_examples=25, deadline=None)
def test_linear_kernel_is_its_matrix(n: int, n_leaves: int, seed: int) -> None:
    P, _ = random_case(n, n_leaves, seed)
    X = np.random.default_rng(seed).standard_normal((n, 3))
    assert exact_objective(P, LinearKernel(X)) == pytest.approx(
        exact_objective(P, X @ X.T), rel=1e-10, abs=1e-10
    )


@given(
    n=st.integers(1, 5),
    n_leaves=st.sampled_from([2, 4, 16]),
    seed=st.integers(0, 2**31),
    xp=st.sampled_from([np, jnp]),
)
@settings(max_examples=25, deadline=None)
def test_path_probabilities_are_products_along_paths(n: int, n_leaves: int, seed: int, xp: object) -> None:
    scores = 3.0 * np.random.default_rng(seed).standard_normal((n, 2 * n_leaves - 1))
    margins = (scores[:, 1::2] - scores[:, 2::2]).T
    with double_precision():
        log_probs = np.asarray(log_path_probabilities(xp.asarray(margins), xp))
    np.testing.assert_allclose(np.exp(log_probs), reference.path_probabilities(scores), rtol=1e-12)


@given(n_leaves=st.sampled_from([2, 4, 8]), seed=st.integers(0, 2**31))
@settings(max_examples=25, deadline=None)
def test_lca_distribution_and_entropy_of_a_pair(n_leaves: int, seed: int) -> None:
    P, _ = random_case(2, n_leaves, seed)
    expected = reference.lca_distribution(*P)
    assert expected.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(lca_probabilities(P[0], P[1], np), expected, rtol=1e-10, atol=1e-14)
    with np.errstate(divide="ignore"):
        logs = np.log(P)
    entropy = float(lca_entropy(logs[0], logs[1], np))
    assert entropy == pytest.approx(reference.lca_entropy(*P), rel=1e-9, abs=1e-12)


def test_extreme_scores_neither_overflow_nor_lose_the_entropy() -> None:
    with double_precision():
        log_probs = log_path_probabilities(jnp.asarray([[1e300, -1e5], [1e5, -1e300], [0.0, 1e300]]))
        entropy = lca_entropy(log_probs[0], log_probs[1])
        gradient = jax.grad(lambda m: lca_entropy(*log_path_probabilities(m)))(jnp.full((3, 2), 800.0))
    assert np.isfinite(np.asarray(log_probs)).all()
    assert float(entropy) == 0.0
    assert np.isfinite(np.asarray(gradient)).all()


@given(n=st.integers(1, 12), n_leaves=st.sampled_from([2, 4, 8, 16]), seed=st.integers(0, 2**31))
@settings(max_examples=50, deadline=None)
def test_hard_routing_gives_dasguptas_cost_of_the_read_out(n: int, n_leaves: int, seed: int) -> None:
    # J' = cost of the tree in which points that share a leaf are one multi-way leaf; self-pairs count in neither.
    rng = np.random.default_rng(seed)
    margins = rng.choice([-1.0, 0.0, 1.0], size=(n_leaves - 1, n))
    leaves = route(margins)
    P = np.exp(log_path_probabilities(np.where(margins >= 0, 1e4, -1e4), np))
    assert np.array_equal(P[:, n_leaves - 1 :].argmax(axis=1), leaves - (n_leaves - 1))
    S = Similarity("inv")(rng.standard_normal((n, 2)))
    parents = np.array([-1, *[(v - 1) // 2 for v in range(1, 2 * n_leaves - 1)]])
    tree = Hierarchy.from_parents(parents, leaves).pruned()
    for pairs in ("unordered", "ordered"):
        assert exact_objective(P, S, pairs) == pytest.approx(dasgupta_cost(tree, S, pairs), rel=1e-12)


def z_score(draws: np.ndarray, expected: float) -> float:
    return float((draws.mean() - expected) / (draws.std(ddof=1) / np.sqrt(len(draws))))


@pytest.mark.parametrize("leaf_term", [True, False])
@pytest.mark.parametrize("pairs", ["unordered", "ordered"])
@pytest.mark.parametrize("shape", [(2, 2), (7, 8), (30, 16)])
def test_sampled_objective_is_unbiased(shape: tuple[int, int], pairs: str, leaf_term: bool) -> None:
    P, _ = random_case(*shape, seed=1)
    S = Similarity("exp")(np.random.default_rng(0).standard_normal((shape[0], 2)))
    draws = sampled_objective(
        np.random.default_rng(5),
        P,
        S,
        batch_size=8,
        n_second=3,
        pairs=pairs,
        n_draws=4000,
        leaf_term=leaf_term,
    )
    expected = exact_objective(P, S, pairs, leaf_term)
    if (
        np.ptp(draws) <= 1e-12 * expected
    ):  # without leaves the one pair of two points costs the same in every draw
        assert not leaf_term and shape[0] == 2
        assert draws == pytest.approx(np.full(len(draws), expected), rel=1e-12)
        return
    assert abs(z_score(draws, expected)) < 4
    if shape[0] > 2:  # two points have one pair, whose cost leaves little to sample
        # The test has teeth: the scale that the paper prints, |X| / |S| for |X| / |S'|, is found out, ...
        assert abs(z_score(draws * 3 / 8, expected)) > 4
        # ... and so are estimates 3% off, a factor n / (n - 1), and the other convention of pairs.
        assert abs(z_score(draws * 1.03, expected)) > 4
        assert abs(z_score(draws * shape[0] / (shape[0] - 1), expected)) > 4
        assert abs(z_score(draws * 2, expected)) > 4


def test_samples_are_uniform_over_pairs_of_distinct_points() -> None:
    first, second, others = draw_sample(
        np.random.default_rng(0), np.array([[4], [3], [1], [0]]), (4, 30000), 2
    )
    assert (first[:2] != second[:2]).all()
    assert (first[2:] == 0).all() and (second[2:] == 0).all()
    counts = np.bincount(4 * first[0] + second[0], minlength=16).reshape(4, 4)
    assert np.abs(counts[~np.eye(4, dtype=bool)] - 2500).max() < 5 * np.sqrt(2500)
    assert np.abs(np.bincount(others[1].ravel(), minlength=3) - 20000).max() < 5 * np.sqrt(20000)


@dataclass(frozen=True)
class RadialRouter:
    """A router of a user's own: a Gaussian bump on top of a plane."""

    def init(self, rng: np.random.Generator, n_features: int) -> dict[str, object]:
        return {
            "centre": rng.standard_normal(n_features),
            "plane": rng.standard_normal(n_features),
            "log_width": 0.1,
        }

    def apply(self, params: dict[str, jax.Array], X: jax.Array) -> jax.Array:
        squared = jnp.sum((X - params["centre"]) ** 2, axis=1)
        return X @ params["plane"] + 2.0 * jnp.exp(-squared * jnp.exp(-params["log_width"]))


@pytest.mark.parametrize("leaf_term", [True, False])
@pytest.mark.parametrize("kernel", ["dense", "linear"])
@pytest.mark.parametrize(
    "router",
    [LinearRouter(), NeuralRouter(3), NeuralRouter(3, "relu"), RadialRouter()],
    ids=["linear", "tanh", "relu", "user"],
)
def test_gradient_is_that_of_finite_differences(router: object, kernel: str, leaf_term: bool) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((9, 4))
    S = as_similarities(Similarity("inv")(X) if kernel == "dense" else LinearKernel(X))
    params = init_routers(router, rng, 14, 4)
    penalty, pairs = 0.3, (np.array([0, 1, 5]), np.array([4, 2, 8]))
    with double_precision():
        value, gradient = value_and_gradient(router, params, X, S, 0.7, penalty, pairs, leaf_term)

        def cost(at: object) -> float:
            return float(value_and_gradient(router, at, X, S, 0.7, penalty, pairs, leaf_term)[0])

        for _ in range(3):
            direction = jax.tree.map(lambda p: rng.standard_normal(p.shape), params)
            ahead = cost(jax.tree.map(lambda p, d: p + 1e-6 * d, params, direction))
            behind = cost(jax.tree.map(lambda p, d: p - 1e-6 * d, params, direction))
            slope = sum(
                float(np.sum(np.asarray(g) * d))
                for g, d in zip(jax.tree.leaves(gradient), jax.tree.leaves(direction), strict=True)
            )
            assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6, abs=1e-9)
        probs = np.exp(np.asarray(log_path_probabilities(left_margins(router, params, X))))
    i, j = pairs
    literal = reference.exact_objective(probs, S if kernel == "dense" else X @ X.T, "ordered", leaf_term)
    entropy = np.mean([reference.lca_entropy(probs[a], probs[b]) for a, b in zip(i, j, strict=True)])
    assert float(value) == pytest.approx(literal / (0.7 * 9 * 9 * 8) + penalty * entropy, rel=1e-10)


@pytest.mark.parametrize(
    ("similarity", "words"),
    [
        (np.ones((3, 2)), "square"),
        (np.array([[0, 1, 1], [1, 0, np.nan], [1, np.nan, 0]]), "NaN"),
        (np.array([[0, 1, 1], [1, 0, 2], [1, 1, 0]]), "symmetric"),
        (np.ones((4, 4)), "3 rows"),
    ],
)
def test_bad_similarities_are_named(similarity: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        exact_objective(np.full((3, 3), 0.5), similarity)


@pytest.mark.parametrize("shape", [(3,), (3, 1), (3, 5), (3, 4)])
def test_bad_path_probabilities_are_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="power of two"):
        exact_objective(np.ones(shape), np.ones((3, 3)))


def test_pairs_and_too_few_points_are_named() -> None:
    with pytest.raises(ValueError, match="both"):
        exact_objective(np.ones((3, 3)), np.ones((3, 3)), "both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no pair"):
        sampled_objective(np.random.default_rng(0), np.ones((1, 3)), np.ones((1, 1)))


def test_mean_magnitude() -> None:
    S = np.array([[9.0, 1.0, -3.0], [1.0, 9.0, 2.0], [-3.0, 2.0, 9.0]])
    assert mean_magnitude(as_similarities(S)) == 2.0
    assert mean_magnitude(as_similarities(np.zeros((3, 3)))) == 1.0
    assert mean_magnitude(as_similarities(LinearKernel(np.array([[3.0, 4.0], [1.0, 0.0]])))) == 13.0
