"""Steps of GHC in the core against those that JAX traces, whose gradient is automatic."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter, Router, init_routers
from cladebench.methods.ghc.session import double_precision
from cladebench.methods.ghc.steps import Samples, State, Stepper, TrainingProblem
from ghc_cases import nested, small
from instruction_sets import each_instruction_set

pytestmark = pytest.mark.usefixtures("quickly_compiled")
# One shape for each number of leaves spares compilations.
N_STEPS, N_BLOCKS, N_PAIRS, N_SECOND, N_FEATURES = 5, 3, 7, 4, 9
ROUTERS = (LinearRouter(), NeuralRouter(3, "tanh"), NeuralRouter(8, "relu"))


def drawn(rng: np.random.Generator, n_points: int) -> Samples:
    shape = (N_STEPS, N_BLOCKS, N_PAIRS)
    i, shift = rng.integers(n_points, size=shape), rng.integers(1, n_points, size=shape)
    k = rng.integers(n_points, size=(*shape, N_SECOND))
    return (
        i.astype(np.int32),
        ((i + shift) % n_points).astype(np.int32),
        rng.normal(size=shape),
        k.astype(np.int32),
    )


def started(rng: np.random.Generator, router: Router, n_leaves: int, scale: float) -> State:
    params = init_routers(router, rng, N_BLOCKS * (2 * n_leaves - 2), N_FEATURES)
    shaped = jax.tree.map(lambda p: scale * p.reshape(N_BLOCKS, 2 * n_leaves - 2, *p.shape[1:]), params)
    return State.starting_from(shaped)


def leaves(state: State) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(state)]


@given(
    st.sampled_from(ROUTERS),
    st.sampled_from([2, 8]),
    st.sampled_from(["sgd", "adam"]),
    st.sampled_from([0.0, 0.1]),
    st.booleans(),
    st.sampled_from([0.1, 1.0, 30.0, 1000.0]),
    st.sampled_from([2, 30, 400]),
    st.integers(0, 10**6),
)
@settings(max_examples=10)
@example(LinearRouter(), 8, "adam", 0.1, True, 1000.0, 2, 0)
@example(NeuralRouter(3, "tanh"), 4, "sgd", 0.1, False, 30.0, 400, 1)
def test_steps_of_the_core_are_those_of_jax(
    router: Router,
    n_leaves: int,
    optimizer: Any,
    penalty: float,
    leaf_term: bool,
    scale: float,
    n_points: int,
    seed: int,
) -> None:
    """A scale of 1000 saturates the routers, to probabilities that are no normal numbers; two points make ties."""
    rng = np.random.default_rng(seed)
    weights = np.array([0.5, 0.5, 0.0])
    with double_precision():
        X = jnp.asarray(np.round(rng.standard_normal((n_points, N_FEATURES)), 1))
        problem = TrainingProblem(
            router, n_leaves, X, np.zeros((n_points, n_points)), 1.0, penalty, leaf_term
        )
        state, samples = started(rng, router, n_leaves, scale), drawn(rng, n_points)
        core, traced = (Stepper(problem, optimizer, weights) for _ in range(2))
        traced.compiles = True
        found, cost = core.take(state, samples, 2, N_STEPS - 1, 0.01)
        expected, expected_cost = traced.take(state, samples, 2, N_STEPS - 1, 0.01)
    assert not core.compiles
    assert cost == pytest.approx(expected_cost, rel=1e-9, abs=1e-12)
    for one, other in zip(found.moments, expected.moments, strict=True):
        jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-8, atol=1e-10), one, other)
    # Where a gradient is rounding, Adam steps into the direction of that.
    for after, other, mean in zip(
        *map(jax.tree.leaves, (found.params, expected.params, expected.moments.first)), strict=True
    ):
        sure = (np.abs(mean) > 1e-9) | (optimizer == "sgd")
        np.testing.assert_allclose(after[sure], np.asarray(other)[sure], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_steps_do_not_depend_on_the_instruction_set(router: Router) -> None:
    rng = np.random.default_rng(3)
    state, samples = started(rng, router, 8, 1.0), drawn(rng, 50)
    found = []
    with double_precision():
        problem = TrainingProblem(
            router, 8, jnp.asarray(rng.standard_normal((50, N_FEATURES))), None, 1.0, 0.01
        )
        for _ in each_instruction_set():
            after, cost = Stepper(problem, "adam", np.ones(N_BLOCKS)).take(state, samples, 0, N_STEPS, 0.3)
            found.append((cost, *(leaf.tobytes() for leaf in leaves(after))))
    assert found.count(found[0]) == len(found)


def test_a_subclass_that_scores_otherwise_is_traced() -> None:
    class Doubled(LinearRouter):
        def apply(self, params: dict[str, jax.Array], X: jax.Array) -> jax.Array:
            return 2.0 * super().apply(params, X)

    X, _ = nested()
    doubled, plain = (small(router=router, n_iter=50).fit(X) for router in (Doubled(), LinearRouter()))
    assert doubled.compile_seconds_ > 0.0 == plain.compile_seconds_
    assert doubled.objective_ != plain.objective_


def test_a_router_that_is_traced_meets_the_same_samples() -> None:
    class Same(LinearRouter):
        pass

    X, _ = nested()
    for training in ("full_tree", "blockwise"):
        # Longer steps overshoot, and magnify rounding.
        short = {"training": training, "n_iter": 50, "learning_rate": 0.1}
        traced, core = (small(router=r, **short).fit(X) for r in (Same(), LinearRouter()))
        assert traced.objective_ == pytest.approx(core.objective_, rel=1e-9)


def test_the_critical_path_is_that_of_the_slowest_block() -> None:
    """With all points but three below one of the blocks, that one takes most of the time."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((400, 8)), 40.0 + rng.standard_normal((3, 8))])
    fitted = small(n_leaves=8, training="blockwise", block_depth=1, n_iter=500, batch_size=64, tol=0.0).fit(X)
    assert fitted.trace_["seconds"][-1] / 3 < fitted.critical_path_seconds_ < fitted.trace_["seconds"][-1]


GOOD: dict[str, Any] = {
    "router": "linear",
    "hidden_size": 0,
    "X": np.zeros((5, 2)),
    "params": np.zeros((1, 2, 3)),
    "first_moment": np.zeros((1, 2, 3)),
    "second_moment": np.zeros((1, 2, 3)),
    "first": np.zeros((4, 1, 6), np.int32),
    "second": np.ones((4, 1, 6), np.int32),
    "similarity": np.ones((4, 1, 6)),
    "others": np.zeros((4, 1, 6, 2), np.int32),
    "n_steps": 4,
    "adam": False,
    "leaf_term": True,
    "entropy_penalty": 0.0,
    "learning_rate": 1.0,
    "steps_before": 0,
}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"router": "cubic"}, "'linear', 'tanh' or 'relu'"),
        ({"params": np.zeros((1, 3, 3))}, "params: expected shape"),
        ({"params": np.zeros((1, 4, 3))}, "params: expected shape"),
        ({"params": np.zeros((1, 2, 4))}, "params: expected shape"),
        ({"router": "tanh", "hidden_size": 2}, "params: expected shape"),
        ({"first_moment": np.zeros((1, 2, 2))}, "moments: expected"),
        ({"second_moment": np.zeros((2, 2, 3))}, "moments: expected"),
        ({"second": np.ones((4, 1, 5), np.int32)}, "samples: expected"),
        ({"similarity": np.ones((3, 1, 6))}, "samples: expected"),
        ({"others": np.zeros((4, 2, 6, 2), np.int32)}, "samples: expected"),
        ({"n_steps": 5}, "samples: expected"),
        ({"second": np.full((4, 1, 6), 5, np.int32)}, "a sample is point 5: expected 0..4"),
        ({"others": np.full((4, 1, 6, 2), -1, np.int32)}, "a sample is point -1"),
    ],
)
def test_what_would_reach_other_memory_is_refused(bad: dict[str, Any], words: str) -> None:
    _core.router_steps(**GOOD)
    with pytest.raises(ValueError, match=words):
        _core.router_steps(**{**GOOD, **bad})
