"""The GHC estimator: what a fit gives, routers, reproducibility, bad input."""

import os
import subprocess
import sys
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from cladebench.methods import GHC
from cladebench.methods.ghc.objective import exact_objective
from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter, Router, route
from cladebench.metrics import dasgupta_cost, dendrogram_purity
from cladebench.metrics.similarity import LinearKernel, Similarity
from ghc_cases import TRAININGS, as_bytes, nested, small


@pytest.mark.parametrize("training", TRAININGS)
@pytest.mark.parametrize("router", ["linear", "neural"])
def test_training_lowers_the_cost_and_finds_the_blobs(router: str, training: str) -> None:
    X, labels = nested()
    ghc = small(router=router, training=training).fit(X)
    trace = ghc.trace_
    assert {len(column) for column in trace.values()} == {len(trace["cost"])}
    assert set(trace) == {"seconds", "iterations", "objective", "cost"}
    assert trace["seconds"][0] == 0 and (np.diff(trace["seconds"]) > 0).all()
    assert trace["iterations"][0] == 0 and (np.diff(trace["iterations"]) > 0).all()
    assert trace["iterations"][-1] == ghc.n_iter_ > 0
    assert ghc.objective_ == trace["objective"][-1] < trace["objective"][0]
    assert ghc.discrete_cost_ == trace["cost"][-1]
    S = Similarity("exp")(X)
    assert ghc.objective_ == pytest.approx(exact_objective(ghc.path_probabilities(X), S), rel=1e-12)
    assert ghc.discrete_cost_ == pytest.approx(dasgupta_cost(ghc.hierarchy_, S), rel=1e-12)
    assert dendrogram_purity(ghc.hierarchy_, labels) == 1.0
    # The two far pairs of blobs are the first split.
    assert len(np.unique(ghc.hierarchy_.cut(2) * 2 + labels // 2)) == 2
    assert ghc.mean_lca_entropy_ >= 0
    assert 0 < ghc.critical_path_seconds_ <= trace["seconds"][-1] * 1.5
    assert 0 < ghc.hierarchy_.n_leaves <= 8


@pytest.mark.parametrize("training", TRAININGS)
def test_the_cost_as_printed_draws_points_into_few_leaves(training: str) -> None:
    X, _ = nested()
    S = Similarity("exp")(X)
    printed, whole = (small(training=training, leaf_term=term).fit(X) for term in (False, True))
    for ghc, term in ((printed, False), (whole, True)):
        exact = exact_objective(ghc.path_probabilities(X), S, leaf_term=term)
        assert ghc.objective_ == ghc.trace_["objective"][-1] == pytest.approx(exact, rel=1e-12)
    # Its least value is 0, which no other tree has; the term is what keeps points apart.
    start = printed.trace_["objective"][0]
    assert printed.objective_ < 0.1 * start and printed.discrete_cost_ > 1.5 * whole.discrete_cost_
    assert 2 * printed.hierarchy_.n_leaves < whole.hierarchy_.n_leaves


@pytest.mark.parametrize("training", TRAININGS)
def test_read_out_routing_and_prediction_agree(training: str) -> None:
    X, _ = nested()
    ghc = small(training=training).fit(X)
    P = ghc.path_probabilities(X)
    leaves = ghc.route(X)
    assert np.array_equal(ghc.predict(X), ghc.labels_)
    assert P.shape == (40, 15)
    np.testing.assert_allclose(P[:, 0], 1.0)
    np.testing.assert_allclose(P[:, 7:].sum(axis=1), 1.0)
    np.testing.assert_allclose(P[:, 1::2] + P[:, 2::2], P[:, :7], rtol=1e-12)
    # Greedy routing follows the likelier child at each node.
    node = np.zeros(40, dtype=int)
    for _ in range(3):
        left, right = P[np.arange(40), 2 * node + 1], P[np.arange(40), 2 * node + 2]
        node = 2 * node + 1 + (left < right)
    assert np.array_equal(node, leaves)
    # Points share a node of the hierarchy if and only if they share a leaf.
    together = ghc.hierarchy_.leaf_of[:, None] == ghc.hierarchy_.leaf_of
    assert np.array_equal(together, leaves[:, None] == leaves)
    assert len(np.unique(ghc.hierarchy_.leaf_of)) == ghc.hierarchy_.n_leaves


def test_prediction_never_enters_an_unused_node() -> None:
    X, _ = nested()
    ghc = small(training="exact", n_iter=1, n_clusters=40).fit(X)
    far = np.random.default_rng(1).uniform(-100, 100, size=(500, 2))
    used = np.unique(ghc.route(X))
    assert not np.isin(ghc.route(far), used).all(), "the case has no unused leaf: it tests nothing"
    nearest = {leaf: ghc.labels_[ghc.route(X) == leaf][0] for leaf in used}
    assert set(ghc.predict(far)) <= set(nearest.values())


def test_points_too_large_to_route_are_named() -> None:
    X, _ = nested()
    ghc = small(n_iter=10).fit(X)
    for use in (ghc.predict, ghc.route, ghc.path_probabilities):
        with pytest.raises(ValueError, match=r"X\[0, 1\] is 1e\+300: expected at most"):
            use([[0.0, 1e300]])


def test_greedy_routing_ties_and_closed_doors() -> None:
    assert route(np.zeros((7, 3))).tolist() == [7, 7, 7]
    assert route(np.array([[1.0, -1.0], [-1.0, 0.0], [0.0, -2.0]])).tolist() == [4, 6]
    used = np.ones(7, dtype=bool)
    used[[3, 4, 1, 5]] = False
    assert route(np.full((3, 2), 1.0), used).tolist() == [6, 6]


@dataclass(frozen=True)
class DeepRouter:
    """A user's router: two hidden layers."""

    width: int = 4

    def init(self, rng: np.random.Generator, n_features: int) -> list[np.ndarray]:
        sizes = [(n_features, self.width), (self.width, self.width), (self.width,)]
        return [rng.standard_normal(size) / np.sqrt(size[0]) for size in sizes]

    def apply(self, params: list[jax.Array], X: jax.Array) -> jax.Array:
        for weights in params[:-1]:
            X = jnp.tanh(X @ weights)
        return X @ params[-1]


@pytest.mark.parametrize("training", ["full_tree", "exact"])
def test_any_differentiable_function_routes(training: str) -> None:
    X, labels = nested()
    assert isinstance(DeepRouter(), Router)
    ghc = small(router=DeepRouter(), training=training).fit(X)
    assert [leaf.shape for leaf in ghc.params_] == [(14, 2, 4), (14, 4, 4), (14, 4)]
    assert ghc.objective_ < ghc.trace_["objective"][0]
    assert dendrogram_purity(ghc.hierarchy_, labels) > 0.9


def test_bad_parameters_of_the_neural_router_are_named() -> None:
    with pytest.raises(ValueError, match="hidden_size=0: expected an integer >= 1"):
        NeuralRouter(0)
    with pytest.raises(ValueError, match="activation='sigmoid': expected one of relu, tanh"):
        NeuralRouter(4, "sigmoid")  # type: ignore[arg-type]


def test_router_objects_are_what_the_names_stand_for() -> None:
    X, _ = nested()
    for name, router in (("linear", LinearRouter()), ("neural", NeuralRouter(4))):
        by_name = small(router=name, n_iter=50).fit(X)
        assert as_bytes(by_name.params_) == as_bytes(small(router=router, n_iter=50).fit(X).params_)
    assert as_bytes(clone(by_name).fit(X).params_) == as_bytes(by_name.params_)


@pytest.mark.parametrize("training", ["full_tree", "exact"])
def test_linear_kernel_gives_what_its_matrix_gives(training: str) -> None:
    X, _ = nested()
    params = {"training": training, "n_iter": 5}
    dense = small(similarity=lambda X: X @ X.T, **params).fit(X)
    low_rank = small(similarity=LinearKernel, **params).fit(X)
    assert low_rank.trace_["objective"][0] == pytest.approx(dense.trace_["objective"][0], rel=1e-10)
    assert low_rank.trace_["cost"][0] == pytest.approx(dense.trace_["cost"][0], rel=1e-10)
    assert low_rank.discrete_cost_ == pytest.approx(dasgupta_cost(low_rank.hierarchy_, X @ X.T), rel=1e-10)


@pytest.mark.parametrize("training", ["full_tree", "exact"])
def test_entropy_penalty_makes_routing_more_certain(training: str) -> None:
    X = np.random.default_rng(7).standard_normal((40, 2))
    params = {"training": training, "similarity": "inv", "n_iter": 300, "tol": 0.0, "learning_rate": 1.0}
    free = small(**params).fit(X)
    held = small(entropy_penalty=1.0, **params).fit(X)
    assert held.mean_lca_entropy_ < free.mean_lca_entropy_


def test_training_on_more_points_than_a_batch_routes() -> None:
    # More points than one batch routes: they are gathered instead of being routed all at once.
    X, labels = nested()
    X = np.repeat(X, 3, axis=0) + 0.01 * np.random.default_rng(1).standard_normal((120, 2))
    ghc = small(batch_size=16, n_second=2).fit(X)
    assert len(X) > 16 * (2 + 2)
    assert dendrogram_purity(ghc.hierarchy_, np.repeat(labels, 3)) == 1.0


SCRIPT = """
import os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(sys.argv[1])])
import numpy as np
from cladebench.methods import GHC
assert "jax" not in sys.modules, "importing the methods imports JAX"
import jax
X = np.random.default_rng(0).standard_normal((700, 57))
for params in ({"training": "full_tree"}, {"training": "exact", "n_leaves": 4}):
    ghc = GHC(n_iter=40, n_checkpoints=1, random_state=1, **params).fit(X)
    leaves = [np.ascontiguousarray(a).tobytes() for a in jax.tree.leaves(ghc.params_)]
    print(hash(b"".join(leaves)), ghc.objective_.hex(), ghc.discrete_cost_.hex())
assert jax.numpy.ones(1).dtype == "float32", "the precision of the process was changed"
"""


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    outputs = []
    for threads in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": threads}
        for name in ("XLA_FLAGS", "PJRT_NPROC"):
            environment.pop(name, None)
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, threads], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1] and len(outputs[0].splitlines()) == 2


def test_seeds_matter() -> None:
    X, _ = nested()
    one, two = (small(n_iter=100, random_state=seed).fit(X) for seed in (0, 1))
    assert as_bytes(one.params_) != as_bytes(two.params_)


def test_checkpoints_do_not_change_the_result() -> None:
    X, _ = nested()
    for training in TRAININGS:
        few, many = (small(training=training, n_checkpoints=n).fit(X) for n in (1, 6))
        assert as_bytes(few.params_) == as_bytes(many.params_)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_leaves": 12}, "n_leaves=12: expected a power of two"),
        ({"n_leaves": 2**17}, "n_leaves=131072: expected at most 65536"),
        ({"router": 3}, "router=3"),
        ({"similarity": 2}, "similarity=2"),
        ({"similarity": lambda X: np.ones((3, 3))}, "3 points, X has 40"),
        ({"similarity": lambda X: np.full((40, 40), np.nan)}, "NaN"),
        ({"similarity": lambda X: sparse.csr_array(X @ X.T)}, "sparse matrix: expected a dense array"),
        (
            {"similarity": lambda X: np.full((40, 40), 1e306)},
            "similarity reaches 1e+306: expected at most 2.81e+303",
        ),
        ({"similarity": lambda X: LinearKernel(X * 1e200)}, "similarity reaches inf: expected at most"),
        ({"similarity": lambda X: np.arange(1600.0).reshape(40, 40)}, "not symmetric"),
    ],
)
def test_bad_parameters_are_named(params: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError) as caught:
        small(**params).fit(nested()[0])
    assert words in str(caught.value)


def test_constant_columns_and_duplicates() -> None:
    X, labels = nested()
    X[:, 1] = 5.0
    X[1::2] = X[::2]
    labels[1::2] = labels[::2]
    for training in TRAININGS:
        ghc = small(training=training).fit(X)
        assert np.array_equal(ghc.labels_[1::2], ghc.labels_[::2])
        assert np.isfinite(as_values(ghc.params_)).all()


def test_the_default_similarity_takes_data_that_are_mostly_equal_rows() -> None:
    rows = np.random.default_rng(0).normal([6.0, 6.0], size=(10, 2))
    X = np.vstack([np.full((40, 2), 0.1), rows])
    ghc = GHC(n_leaves=2, n_iter=200, random_state=0).fit(X)
    assert ghc.labels_.tolist() == [0] * 40 + [1] * 10


def test_equal_points_share_one_leaf() -> None:
    X = np.full((40, 2), 2.5)
    for training in TRAININGS:
        ghc = small(training=training, similarity="inv", n_clusters=2, n_iter=20).fit(X)
        assert ghc.hierarchy_.n_nodes == 1
        assert ghc.labels_.tolist() == [0] * 40
        assert ghc.discrete_cost_ == 40 * 39 / 2 * 40


def test_similarities_of_zero_train_to_a_defined_result() -> None:
    X, _ = nested()
    for training in TRAININGS:
        ghc = small(training=training, similarity=lambda X: np.zeros((len(X), len(X))), n_iter=20).fit(X)
        assert ghc.objective_ == ghc.discrete_cost_ == 0.0


def test_one_and_two_points() -> None:
    for training in ("full_tree", "exact"):
        one = small(training=training, n_clusters=1).fit([[1.0, 2.0]])
        assert (one.objective_, one.n_iter_, one.converged_) == (0.0, 0, True)
        assert one.hierarchy_.n_nodes == 1
        two = small(training=training, n_clusters=2, n_iter=50).fit([[0.0, 1.0], [3.0, 4.0]])
        assert two.discrete_cost_ == pytest.approx(2 * np.exp(-np.sqrt(18.0)))


def as_values(params: object) -> np.ndarray:
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(params)])


def test_a_feature_counts_in_any_unit() -> None:
    X, _ = nested()
    S = Similarity("exp")(X)
    right = small(similarity=lambda _: S).fit(X)
    for power in (-600, -1000, 100):
        other = X * np.ldexp(1.0, [power] + [0] * (X.shape[1] - 1))
        ghc = small(similarity=lambda _: S).fit(other)
        assert as_bytes(ghc.params_) == as_bytes(right.params_)
        assert ghc.predict(other).tolist() == right.predict(X).tolist()
