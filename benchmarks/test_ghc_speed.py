"""GHC: the exact gradient at spambase's size, exact against full-tree training, exact cost against its twin."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cladebench import datasets
from cladebench.methods import GHC
from cladebench.methods.ghc.exact import value_and_gradient
from cladebench.methods.ghc.objective import as_similarities, exact_objective
from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter, init_routers
from cladebench.methods.ghc.session import double_precision
from cladebench.methods.ghc.steps import State, Stepper, TrainingProblem
from cladebench.metrics.similarity import LinearKernel, Similarity
from cladebench.reference import ghc as reference

N_LEAVES = 16


@pytest.mark.parametrize("router", [LinearRouter(), NeuralRouter(16)], ids=["linear", "neural"])
def test_full_gradient_at_the_size_of_spambase(
    router: Any, ratios: Any, seconds: Callable[..., float]
) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4601, 57))
    params = init_routers(router, rng, 2 * N_LEAVES - 2, 57)
    name = type(router).__name__
    for kind, similarity in (("dense", Similarity("inv")(X)), ("linear-kernel", LinearKernel(X))):
        with double_precision():
            on_device = jax.tree.map(jnp.asarray, (X, as_similarities(similarity)))

            def gradient(on_device: Any = on_device) -> None:
                jax.block_until_ready(value_and_gradient(router, params, *on_device))

            gradient()  # compiles
            ratios.add(f"GHC {name}, one full {kind} gradient, 4601 x 57", seconds(gradient), "< 2", "s")


@pytest.mark.parametrize("router", [LinearRouter(), NeuralRouter(8)], ids=["linear", "neural"])
@pytest.mark.parametrize(
    ("n", "d", "n_pairs", "n_second"), [(214, 9, 32, 8), (200, 64, 32, 8), (4601, 57, 128, 2)]
)
def test_steps_of_the_core_against_those_of_jax(
    router: Any, n: int, d: int, n_pairs: int, n_second: int, ratios: Any, seconds: Callable[..., float]
) -> None:
    """At the sizes of glass, digits and spambase."""
    rng = np.random.default_rng(0)
    shape = (250, 1, n_pairs)
    i = rng.integers(n, size=shape)
    pairs = (i, (i + rng.integers(1, n, size=shape)) % n, rng.integers(n, size=(*shape, n_second)))
    first, second, others = (points.astype(np.int32) for points in pairs)
    samples = (first, second, rng.random(shape), others)
    with double_precision():
        problem = TrainingProblem(router, N_LEAVES, jnp.asarray(rng.standard_normal((n, d))), None, 1.0, 0.01)
        drawn = init_routers(router, rng, 2 * N_LEAVES - 2, d)
        state = State.starting_from(jax.tree.map(lambda p: p[None], drawn))
        core, traced = (Stepper(problem, "sgd", np.ones(1)) for _ in range(2))
        traced.compiles = True
        traced.take(state, samples, 0, 0, 1.0)  # compiles
        fast = seconds(lambda: core.take(state, samples, 0, 250, 1.0))
        slow = seconds(lambda: traced.take(state, samples, 0, 250, 1.0), repeats=3)
    ratios.add(f"GHC {type(router).__name__}, {n} x {d}, a step of the core", fast / 250 * 1e6, None, "us")
    ratios.add("  a step that JAX traces, in steps of the core", slow / fast)


def glass() -> np.ndarray:
    try:
        return datasets.load("glass").X
    except datasets.DataUnavailable:
        # Of glass's size: correlated features of unequal scales.
        rng = np.random.default_rng(0)
        return rng.standard_normal((214, 9)) @ rng.standard_normal((9, 9)) * np.logspace(-1, 1, 9)


@pytest.mark.parametrize("router", ["linear", "neural"])
def test_exact_training_reaches_the_cost_of_full_tree_training(router: str, ratios: Any) -> None:
    X = glass()
    fractions, with_compilation = [], []
    for seed in range(5):
        common: dict[str, Any] = {"router": router, "random_state": seed, "similarity": "inv_sq"}
        sampled = GHC(training="full_tree", **common).fit(X)
        exact = GHC(training="exact", n_checkpoints=200, **common).fit(X)
        target = sampled.trace_["objective"][-1]
        reached = exact.trace_["objective"] <= target
        spent = exact.trace_["seconds"][reached.argmax()] if reached.any() else np.inf
        fractions.append(spent / sampled.trace_["seconds"][-1])
        if seed == 0:  # later fits compile nothing
            with_compilation.append(
                (spent + exact.compile_seconds_) / (sampled.trace_["seconds"][-1] + sampled.compile_seconds_)
            )
    ratios.add(
        f"GHC {router}, exact / full-tree time to its cost, median of 5",
        float(np.median(fractions)),
        "<= 0.1",
    )
    ratios.add(
        "  seeds of 5 that reach it (L-BFGS from one start)",
        float(np.isfinite(fractions).sum()),
        None,
        "of 5",
    )
    ratios.add("  the same with compilation, first seed", with_compilation[0])


def test_exact_cost_against_its_twin(ratios: Any, seconds: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    P = reference.path_probabilities(rng.standard_normal((20, 2 * N_LEAVES - 1)))
    S = Similarity("inv")(X)
    assert exact_objective(P, S) == pytest.approx(reference.exact_objective(P, S), rel=1e-10)
    fast = seconds(lambda: exact_objective(P, S))
    slow = seconds(lambda: reference.exact_objective(P, S), repeats=1)
    ratios.add("GHC exact cost against its twin, n = 20, L = 16", slow / fast)
