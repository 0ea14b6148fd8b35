"""Training of GHC: blocks, the greedy start, several starts, stopping."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from ghc_cases import TRAININGS, as_bytes, nested, small

from cladebench.methods.ghc import start as start_module
from cladebench.methods.ghc.objective import as_similarities
from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter
from cladebench.methods.ghc.session import double_precision
from cladebench.methods.ghc.start import greedy_start
from cladebench.methods.ghc.training import blocks_of, members_of
from cladebench.metrics import dasgupta_cost
from cladebench.metrics.similarity import LinearKernel, Similarity

# ------------------------------------------------------------------------------------------------ blocks


@pytest.mark.parametrize("n_leaves", [2, 4, 8, 16, 32])
@pytest.mark.parametrize("block_depth", [1, 2, 3, 5])
def test_blocks_tile_the_tree(n_leaves: int, block_depth: int) -> None:
    below = []
    for roots, nodes in blocks_of(n_leaves, block_depth):
        for root, block in zip(roots, nodes, strict=True):
            inside = [root, *block]
            # In the block's own heap order, child k hangs below its parent (k - 1) // 2.
            for k in range(1, len(inside)):
                assert (inside[k] - 1) // 2 == inside[(k - 1) // 2]
                assert inside[k] % 2 == k % 2
            below.extend(block.tolist())
    assert sorted(below) == list(range(1, 2 * n_leaves - 1))


def test_members_are_the_points_below_the_root_of_a_block() -> None:
    leaves = np.array([7, 14, 8, 9, 11])
    assert [m.tolist() for m in members_of(np.array([1, 2]), leaves)] == [[0, 2, 3], [1, 4]]
    assert [m.tolist() for m in members_of(np.array([3, 4, 5, 6]), leaves)] == [[0, 2], [3], [4], [1]]
    assert [m.tolist() for m in members_of(np.array([0]), leaves)] == [[0, 1, 2, 3, 4]]


def test_blocks_of_full_depth_are_full_tree_training() -> None:
    X, _ = nested()
    whole = small(training="full_tree").fit(X)
    for depth in (3, 7):
        blocks = small(training="blockwise", block_depth=depth).fit(X)
        assert as_bytes(blocks.params_) == as_bytes(whole.params_)


def test_levels_of_blocks_are_trained_one_after_the_other() -> None:
    X, _ = nested()
    ghc = small(training="blockwise", n_iter=100, n_checkpoints=1, tol=0.0).fit(X)
    assert ghc.trace_["iterations"].tolist() == [0, 100, 200]
    assert not ghc.converged_
    assert ghc.critical_path_seconds_ < ghc.trace_["seconds"][-1]


# ------------------------------------------------------------------------------------------------ start


@pytest.mark.parametrize("kernel", ["dense", "linear"])
def test_start_splits_towards_the_more_similar_seed(kernel: str) -> None:
    rng = np.random.default_rng(4)
    X = np.repeat([[1.0, 0.0], [0.0, 1.0]], 15, axis=0) + 0.05 * rng.standard_normal((30, 2))
    S = as_similarities(LinearKernel(X) if kernel == "linear" else X @ X.T)
    with double_precision():
        params = greedy_start(LinearRouter(), 2, np.random.default_rng(0), jnp.asarray(X), S)
        margins = X @ (params["weights"][0] - params["weights"][1]) + params["bias"][0] - params["bias"][1]
    seed = np.random.default_rng(0)
    for _ in range(2):  # what was drawn before the first point
        LinearRouter().init(seed, 2)
    left = seed.choice(30)
    assert np.array_equal(margins >= 0, np.repeat([left < 15, left >= 15], 15))


def test_start_is_where_training_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = nested()
    monkeypatch.setattr(start_module, "N_STEPS", 1)
    one = small(n_iter=100).fit(X)
    monkeypatch.setattr(start_module, "N_STEPS", 30)
    other = small(n_iter=100).fit(X)
    assert one.trace_["objective"][0] > other.trace_["objective"][0]


# ------------------------------------------------------------------------------------------------ several starts


class Stream(np.random.RandomState):
    """A random state from which so many starts have been drawn."""

    def __init__(self, n_drawn: int) -> None:
        super().__init__(3)
        for _ in range(n_drawn):
            self.randint(2**31 - 1)


@pytest.mark.parametrize("training", TRAININGS)
def test_the_best_of_several_starts_is_kept(training: str) -> None:
    X = np.random.default_rng(5).standard_normal((40, 2))
    alone = [small(training=training, n_iter=20, random_state=seed).fit(X) for seed in map(Stream, (0, 1, 2))]
    best = small(training=training, n_iter=20, n_init=3, random_state=Stream(0)).fit(X)
    costs = [one.objective_ for one in alone]
    assert best.objectives_.tolist() == costs and len(set(costs)) == 3
    kept = alone[int(np.argmin(costs))]
    assert as_bytes(best.params_) == as_bytes(kept.params_)
    assert best.trace_["objective"].tolist() == kept.trace_["objective"].tolist()
    assert np.array_equal(best.hierarchy_.leaf_of, kept.hierarchy_.leaf_of)
    assert best.discrete_cost_ == kept.discrete_cost_ == dasgupta_cost(best.hierarchy_, Similarity("exp")(X))


def test_the_first_of_several_starts_is_the_only_one_of_one() -> None:
    X, _ = nested()
    one, many = (small(n_iter=100, n_init=n).fit(X) for n in (1, 2))
    assert many.objectives_[0] == one.objective_ == one.objectives_[0]


# ------------------------------------------------------------------------------------------------ stopping


def test_convergence_is_reported() -> None:
    X, _ = nested()
    assert small(training="exact", n_iter=500).fit(X).converged_
    short = small(training="exact", n_iter=2).fit(X)
    assert not short.converged_ and short.n_iter_ == 2
    stopped = small(n_iter=20000, tol=1e-3).fit(X)
    assert stopped.converged_ and 1000 <= stopped.n_iter_ < 20000
    assert not small(n_iter=600).fit(X).converged_


def test_divergence_is_an_error() -> None:
    X, _ = nested()
    with pytest.raises(FloatingPointError, match="learning_rate=1e\\+305"):
        small(router=NeuralRouter(4, "relu"), learning_rate=1e305, n_iter=100).fit(X)


@dataclass(frozen=True)
class BrokenRouter(LinearRouter):
    def apply(self, params: dict[str, jax.Array], X: jax.Array) -> jax.Array:
        return jnp.log(-1.0 - jnp.square(super().apply(params, X)))


@pytest.mark.parametrize("training", TRAININGS)
def test_a_router_that_gives_nan_is_an_error(training: str) -> None:
    with pytest.raises(FloatingPointError, match="cost is nan"):
        small(router=BrokenRouter(), training=training, n_iter=100).fit(nested()[0])
