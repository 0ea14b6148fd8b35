"""Training of GHC: blocks, the greedy start, several starts, stopping."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.methods.ghc import start as start_module
from cladebench.methods.ghc import training as training_module
from cladebench.methods.ghc.objective import as_similarities, log_path_probabilities
from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter, init_routers, left_margins, route
from cladebench.methods.ghc.schedule import Checkpoints, StepSize
from cladebench.methods.ghc.session import double_precision
from cladebench.methods.ghc.start import greedy_start
from cladebench.methods.ghc.steps import TrainingProblem
from cladebench.methods.ghc.training import ExactCost, blocks_of, members_of
from cladebench.metrics import dasgupta_cost
from cladebench.metrics.similarity import LinearKernel, Similarity
from cladebench.reference import ghc as reference
from ghc_cases import TRAININGS, as_bytes, nested, small


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


def test_start_is_where_training_starts() -> None:
    X, _ = nested()
    one, other = (small(n_iter=100, start_steps=n).fit(X) for n in (1, 30))
    assert one.trace_["objective"][0] > other.trace_["objective"][0]


class Watched:
    """A source of random numbers that remembers from how many points one was chosen."""

    def __init__(self) -> None:
        self.rng, self.pools = np.random.default_rng(0), list[int]()

    def choice(self, pool: np.ndarray) -> int:
        self.pools.append(len(pool))
        return int(self.rng.choice(pool))

    def __getattr__(self, name: str) -> object:
        return getattr(self.rng, name)


def test_the_first_point_of_a_split_is_drawn_from_the_node_or_from_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, _ = nested()
    S = as_similarities(Similarity("exp")(X))
    pools, opposites = {}, {}
    for first_from in ("node", "data"):
        rng, asked_for = Watched(), list[int]()
        monkeypatch.setattr(
            start_module, "similarity_row", lambda S, i, to=asked_for: (to.append(i), S[i])[1]
        )
        with double_precision():
            greedy_start(LinearRouter(), 4, rng, jnp.asarray(X), S, first_from=first_from)  # type: ignore[arg-type]
        pools[first_from] = rng.pools
        pairs = zip(asked_for[::2], asked_for[1::2], strict=True)
        opposites[first_from] = [right == np.argmin(S[left] + np.eye(40)[left]) for left, right in pairs]
    assert pools["node"][0] == 40 and sum(pools["node"][1:]) == 40
    assert set(pools["data"]) == {40} and len(pools["data"]) > 1
    # The opposite of the first point is the least similar of the same points.
    assert all(opposites["data"]) and opposites["node"][0] and not all(opposites["node"])


def test_the_scale_of_the_first_weights() -> None:
    for router in (LinearRouter, NeuralRouter):
        one, ten = (router(scale=scale).init(np.random.default_rng(0), 3) for scale in (1.0, 10.0))
        for name in one:
            np.testing.assert_allclose(ten[name], 10 * np.asarray(one[name]))
    X, _ = nested()
    by_name = small(router="neural", init_scale=0.1, activation="relu", n_iter=10).fit(X)
    by_object = small(router=NeuralRouter(4, "relu", 0.1), n_iter=10).fit(X)
    assert as_bytes(by_name.params_) == as_bytes(by_object.params_)


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


def asked(costs: list[float], tol: float = 0.1) -> list[tuple[bool, float, bool]]:
    """Whether each cost is the least, the rate after it, and whether training has settled."""
    step_size = StepSize(9.0, tol)
    return [(step_size.ask(cost), step_size.rate, step_size.settled) for cost in costs]


def test_steps_shorten_when_the_cost_stalls_and_training_settles_after_the_last_time() -> None:
    found = asked([100.0] * 13)
    assert [rate for _, rate, _ in found] == [9.0] * 4 + [3.0] * 4 + [1.0] * 5
    assert [settled for *_, settled in found] == [False] * 12 + [True]
    assert [least for least, *_ in found] == [True] + [False] * 12


def test_a_fall_of_the_cost_buys_patience_and_a_smaller_one_does_not() -> None:
    stalls = [100.0, 95.0, 94.0, 93.0]
    assert asked([*stalls, 89.9])[-1] == (True, 9.0, False)
    assert asked([*stalls, 90.1])[-1] == (True, 3.0, False)  # the least so far, and not by a tenth
    # Slow progress adds up: none of these falls is by a tenth of the one before.
    assert [rate for _, rate, _ in asked([100 * 0.96**k for k in range(12)])] == [9.0] * 12
    # What counts is the cost at the last fall, not the lucky one since.
    assert asked([*stalls, 89.9, 85.0, 95.0, 95.0, 80.0])[-1] == (True, 9.0, False)


def test_the_rule_says_when_steps_were_shortened() -> None:
    step_size = StepSize(1.0, 0.1)
    fell = []
    for _ in range(13):
        step_size.ask(1.0)
        fell.append(step_size.fell)
    assert [k for k, fallen in enumerate(fell) if fallen] == [4, 8, 12]


def test_costs_of_similarities_below_zero_fall_too() -> None:
    assert [rate for _, rate, _ in asked([-100.0, -112.0, -124.0, -137.0, -151.0, -167.0])] == [9.0] * 6
    assert asked([-100.0, -101.0, -102.0, -103.0, -104.0])[-1][1] == 3.0


@given(st.integers(1, 5), st.integers(0, 60))
def test_checkpoints_are_evenly_spaced_and_end_with_the_last(wanted: int, n: int) -> None:
    checkpoints = Checkpoints(wanted)
    for k in range(1, n + 1):
        checkpoints.add((float(k), 10 * k, None))
    kept = checkpoints.ending_with((99.0, 10 * n, "last"))
    assert kept[-1] == (99.0, 10 * n, "last")
    at = [iteration for _, iteration, _ in kept]
    assert len(set(np.diff([0, *at[:-1]]))) <= 1 and at == sorted(set(at))
    assert min(n, wanted) <= len(kept) <= 2 * wanted or n == 0


@pytest.mark.parametrize("leaf_term", [False, True])
@pytest.mark.parametrize("low_rank", [False, True])
def test_the_exact_cost_of_a_level_is_that_of_each_block_over_its_points(
    low_rank: bool, leaf_term: bool
) -> None:
    """Against the plain twin: the parameters and similarities of each block by themselves."""
    rng = np.random.default_rng(2)
    router = LinearRouter()
    sizes = set()
    for _ in range(4):
        X = rng.standard_normal((9, 2))
        similarity = LinearKernel(np.abs(X)) if low_rank else Similarity("exp")(X)
        dense = np.abs(X) @ np.abs(X).T if low_rank else similarity
        with double_precision():
            problem = TrainingProblem(
                router, 8, jnp.asarray(X), as_similarities(similarity), 1.0, 0.0, leaf_term
            )
            params = init_routers(router, rng, 14, 2)
            margins = np.asarray(left_margins(router, params, problem.X))
            for roots, nodes in blocks_of(8, 2):
                members = members_of(roots, route(margins))
                expected = 0.0
                for block, points in zip(nodes, members, strict=True):
                    sizes.add(len(points))
                    if len(points) >= 2:
                        own = {name: leaf[block - 1] for name, leaf in params.items()}
                        log_P = log_path_probabilities(np.asarray(left_margins(router, own, X[points])), np)
                        expected += reference.exact_objective(
                            np.exp(log_P), dense[np.ix_(points, points)], leaf_term=leaf_term
                        )
                found = ExactCost(problem, roots, nodes, members)(params)
                assert found == pytest.approx(expected, rel=1e-10)
    assert sizes >= {0, 1, 2, 9}


@pytest.mark.parametrize("training", ["full_tree", "blockwise"])
def test_training_ends_when_its_cost_has_settled(training: str) -> None:
    X, _ = nested()
    settled = small(training=training, n_iter=20_000, tol=0.01).fit(X)
    levels = 1 if training == "full_tree" else 2
    assert settled.converged_
    assert levels * 13 * 250 <= settled.n_iter_ < levels * 20_000 and settled.n_iter_ % 250 == 0
    assert settled.trace_["iterations"][-1] == settled.n_iter_
    # A level's last cost is the least of its checkpoints: what is kept is the best that was met.
    assert settled.objective_ == settled.trace_["objective"].min()
    assert not small(training=training, n_iter=12 * 250, tol=0.01).fit(X).converged_


def test_without_a_tolerance_steps_are_of_one_size_and_the_last_parameters_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, _ = nested()
    monkeypatch.setattr(training_module, "ExactCost", None)  # is not even asked
    ghc = small(n_iter=600, tol=0.0, learning_rate=0.1).fit(X)
    assert (ghc.n_iter_, ghc.converged_) == (600, False)


def test_the_parameters_of_least_exact_cost_are_kept_and_shorter_steps_set_out_from_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Costs are made up: the first is the least, so that the end is where training was after one window."""
    X, _ = nested()
    costs, rates = iter([1.0, *[2.0] * 12]), []
    take = training_module.Stepper.take
    monkeypatch.setattr(
        training_module.Stepper, "take", lambda *args: (rates.append(args[-1]), take(*args))[1]
    )
    monkeypatch.setattr(training_module.ExactCost, "__call__", lambda self, params: next(costs))
    ghc = small(n_iter=20_000, tol=0.1, n_checkpoints=20).fit(X)
    assert rates == [3.0] * 5 + [1.0] * 4 + [pytest.approx(1 / 3)] * 4
    first = small(n_iter=250, tol=0.0).fit(X)
    assert (ghc.n_iter_, ghc.converged_) == (13 * 250, True)
    assert as_bytes(ghc.params_) == as_bytes(first.params_)
    # After a fall of the step size training sets out from the kept parameters: less far than four windows took it.
    trace = dict(zip(ghc.trace_["iterations"].tolist(), ghc.trace_["objective"].tolist(), strict=True))
    assert trace[250] == trace[3250] == first.objective_
    away = {k: abs(trace[k] - trace[250]) for k in (1250, 1500, 2250, 2500)}
    assert away[1500] < away[1250] and away[2500] < away[2250]


def test_convergence_is_reported() -> None:
    X, _ = nested()
    assert small(training="exact", n_iter=500).fit(X).converged_
    short = small(training="exact", n_iter=2).fit(X)
    assert not short.converged_ and short.n_iter_ == 2
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
    with pytest.raises(FloatingPointError, match=r"cost:? nan"):
        small(router=BrokenRouter(), training=training, n_iter=100).fit(nested()[0])
