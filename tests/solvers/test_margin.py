from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import margin as reference
from cladebench.solvers import margin as solver
from cladebench.validation import as_floats
from instruction_sets import each_number_of_threads


def instance(n: int, P: int, K: int, seed: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, K, n)
    X = rng.normal(size=(n, P))
    if kind == "separable":
        X = X * 0.05 + rng.normal(size=(K, P))[labels] * 4
    elif kind == "small integers":  # hinges that are exactly zero, rows that are equal
        X = rng.integers(-1, 2, size=(n, P)).astype(float)
    elif kind == "constant features":
        X[:, ::2] = 1.0
        X[:, 1::3] = 0.0
    elif kind == "one cluster":  # the others have no member
        labels[:] = K - 1
    elif kind == "zero":
        X[:] = 0.0
    return X, labels


KINDS = ("normal", "separable", "small integers", "constant features", "one cluster", "zero")
instances = st.builds(
    lambda n, P, K, seed, kind: (*instance(n, P, K, seed, kind), K),
    st.integers(1, 40),
    st.sampled_from([1, 2, 5, 7, 8, 9, 16, 17]),
    st.integers(2, 8),
    st.integers(0, 10**6),
    st.sampled_from(KINDS),
)
WEIGHTS: dict[str, dict[str, float]] = {
    "group": {"group": 0.02},
    "l1": {"l1": 0.01},
    "sparse group": {"group": 0.01, "l1": 0.005},
    "ridge": {"ridge": 0.01},
    "all": {"group": 0.01, "l1": 0.002, "ridge": 0.003},
    "tiny": {"group": 1e-7, "l1": 1e-8},
    "none": {},
}


@settings(max_examples=150)
@given(instances, st.floats(0.0, 3.0))
def test_loss_and_costs_are_their_twins(case: Any, size: float) -> None:
    X, labels, K = case
    W = np.random.default_rng(len(X)).normal(size=(K, X.shape[1])) * size
    loss, gradient = solver.squared_hinge(X, labels, W)
    expected, expected_gradient = reference.squared_hinge(X, labels, W)
    assert loss == pytest.approx(expected, rel=1e-12, abs=1e-15)
    np.testing.assert_allclose(
        gradient, expected_gradient, rtol=1e-11, atol=1e-12 * (1 + abs(expected_gradient).max())
    )
    costs = reference.assignment_costs(X, W)
    np.testing.assert_allclose(
        solver.assignment_costs(X, W), costs, rtol=1e-11, atol=1e-12 * (1 + costs.max())
    )


@pytest.mark.parametrize("K", [2, 3, 4, 5, 6, 7, 8, 9, 60])
@pytest.mark.parametrize("P", [100, 37])
def test_loss_over_several_chunks(K: int, P: int) -> None:
    X, labels = instance(1000 + K, P, K, K, "normal")
    W = np.random.default_rng(K).normal(size=(K, P)) / np.sqrt(P)
    loss, gradient = solver.squared_hinge(X, labels, W)
    expected, expected_gradient = reference._loss_and_gradient(X, labels, W)
    assert loss == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(gradient, expected_gradient, atol=1e-13 * abs(expected_gradient).max() + 1e-16)
    costs = solver.assignment_costs(X, W)
    assert costs[np.arange(len(X)), labels].sum() / costs.size == pytest.approx(loss, rel=1e-12)


@given(instances)
def test_gradient_is_the_slope(case: Any) -> None:
    X, labels, K = case
    rng = np.random.default_rng(X.shape[1])
    W, direction = rng.normal(size=(2, K, X.shape[1]))
    t = 1e-6
    _, gradient = solver.squared_hinge(X, labels, W)
    above, _ = solver.squared_hinge(X, labels, W + t * direction)
    below, _ = solver.squared_hinge(X, labels, W - t * direction)
    assert (above - below) / (2 * t) == pytest.approx(float(np.sum(gradient * direction)), rel=1e-4, abs=1e-5)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 12), st.floats(0.0, 2.0))
def test_prox_is_its_twin(seed: int, K: int, P: int, step: float) -> None:
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(K, P)) * rng.integers(0, 2, size=(K, P))
    weights = {"group": rng.uniform(0, 1, P) * rng.integers(0, 2, P), "l1": rng.uniform(0, 1, P)}
    expected = reference.prox(W, step, **weights)
    np.testing.assert_allclose(solver.sparse_group_prox(W, step, **weights), expected, rtol=1e-12, atol=1e-15)


def slope(X: np.ndarray, labels: np.ndarray, W: np.ndarray, weights: dict[str, float]) -> float:
    """Norm of the least subgradient of the whole objective, by the twins."""
    _, gradient = reference.squared_hinge(X, labels, W)
    gradient = gradient + 2.0 * weights.get("ridge", 0.0) * W
    least = reference.least_subgradient(W, gradient, weights.get("group", 0.0), weights.get("l1", 0.0))
    return float(np.linalg.norm(least))


@settings(max_examples=60)
@given(instances, st.sampled_from(sorted(WEIGHTS)))
def test_fit_is_as_low_as_the_twin(case: Any, name: str) -> None:
    X, labels, K = case
    weights = WEIGHTS[name]
    fit = solver.fit_margin(X, labels, K, tol=1e-7, **weights)
    twin = reference.fista(X, labels, K, tol=1e-7, max_iter=3000, **weights)
    assert np.isfinite(fit.W).all()
    # Penalties of 1e-7 can take any first-order method tens of thousands of steps on data that are separable.
    assert fit.converged or (name == "tiny" and fit.n_iter == 1000)
    if name != "tiny":
        assert fit.objective <= twin.objective * (1 + 1e-6) + 1e-8
        if twin.converged and weights:
            assert twin.objective <= fit.objective * (1 + 1e-6) + 1e-8
    # Convexity bounds how far apart two points may be, at whichever step either stopped.
    apart = float(np.linalg.norm(fit.W - twin.W))
    gap = fit.objective - twin.objective
    assert gap <= slope(X, labels, fit.W, weights) * apart + 1e-12
    assert -gap <= slope(X, labels, twin.W, weights) * apart + 1e-12
    assert fit.objective == pytest.approx(
        reference.objective(X, labels, fit.W, **weights), rel=1e-10, abs=1e-14
    )
    assert fit.residual == pytest.approx(reference.residual(X, labels, fit.W, **weights), rel=1e-2, abs=1e-10)
    assert fit.converged == (fit.residual <= 1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_fit_is_as_low_as_the_cone_programme(kind: str, name: str) -> None:
    X, labels = instance(25, 4, 3, 7, kind)
    fit = solver.fit_margin(X, labels, 3, tol=1e-8, **WEIGHTS[name])
    exact = reference.fit_margin(X, labels, 3, **WEIGHTS[name])
    # A penalty of 1e-7 beside a loss that vanishes: many short steps along the edges of the margins.
    hard = kind == "separable" and name == "tiny"
    assert fit.converged or hard
    assert fit.objective == pytest.approx(exact.objective, rel=1e-6, abs=1e-7 if hard else 1e-8)


@pytest.mark.parametrize(("n", "P", "K"), [(1, 1, 2), (2, 1, 6), (3, 20, 8), (30, 1, 2), (2, 3, 2)])
def test_fit_of_few_rows_or_features(n: int, P: int, K: int) -> None:
    X, labels = instance(n, P, K, n, "normal")
    for name, weights in WEIGHTS.items():
        fit = solver.fit_margin(X, labels, K, tol=1e-8, **weights)
        twin = reference.fista(X, labels, K, tol=1e-8, max_iter=2000, **weights)
        assert fit.converged or name == "tiny"
        assert fit.objective == pytest.approx(twin.objective, rel=1e-6, abs=1e-6 if name == "tiny" else 1e-8)


def test_weights_of_each_feature() -> None:
    X, labels = instance(60, 6, 3, 1, "normal")
    rng = np.random.default_rng(0)
    weights = {name: rng.uniform(0, 0.05, 6) for name in ("group", "l1", "ridge")}
    fit = solver.fit_margin(X, labels, 3, tol=1e-9, **weights)
    assert fit.objective == pytest.approx(reference.fit_margin(X, labels, 3, **weights).objective, rel=1e-7)
    assert reference.dual_bound(X, labels, fit.W, **weights) == pytest.approx(fit.objective, rel=1e-6)


@given(instances, st.sampled_from(sorted(WEIGHTS)), st.integers(0, 5))
def test_objective_never_rises(case: Any, name: str, max_iter: int) -> None:
    X, labels, K = case
    W = np.random.default_rng(1).normal(size=(K, X.shape[1]))
    start = solver.fit_margin(X, labels, K, W=W, max_iter=0, **WEIGHTS[name])
    np.testing.assert_array_equal(start.W, W)
    some = solver.fit_margin(X, labels, K, W=W, max_iter=max_iter, tol=0.0, **WEIGHTS[name])
    more = solver.fit_margin(X, labels, K, W=W, max_iter=max_iter + 1, tol=0.0, **WEIGHTS[name])
    assert some.n_iter <= max_iter
    assert some.objective <= start.objective * (1 + 1e-13)
    assert more.objective <= some.objective * (1 + 1e-13)


@given(
    instances.filter(lambda case: len(case[0]) > 5),
    st.sampled_from(["group", "sparse group", "all", "ridge"]),
)
def test_warm_start_ends_where_a_cold_one_does(case: Any, name: str) -> None:
    X, labels, K = case
    cold = solver.fit_margin(X, labels, K, tol=1e-8, **WEIGHTS[name])
    far = np.random.default_rng(2).normal(size=cold.W.shape) * 3
    warm = solver.fit_margin(X, labels, K, W=far, tol=1e-8, **WEIGHTS[name])
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6, abs=1e-9)
    again = solver.fit_margin(X, labels, K, W=cold.W, tol=1e-7, **WEIGHTS[name])
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.W, cold.W)


@given(instances, st.integers(0, 1000))
def test_renaming_clusters_renames_models(case: Any, seed: int) -> None:
    X, labels, K = case
    order = np.random.default_rng(seed).permutation(K)
    fit = solver.fit_margin(X, labels, K, tol=1e-9, group=0.01, ridge=0.02)
    renamed = solver.fit_margin(X, order[labels], K, tol=1e-9, group=0.01, ridge=0.02)
    assert renamed.objective == pytest.approx(fit.objective, rel=1e-9)
    np.testing.assert_allclose(renamed.W[order], fit.W, atol=1e-5 * (1 + abs(fit.W).max()))


def test_large_penalties_give_zero_models() -> None:
    X, labels = instance(50, 10, 3, 0, "normal")
    for weights in ({"group": 10.0}, {"l1": 10.0}):
        fit = solver.fit_margin(X, labels, 3, W=np.ones((3, 10)), **weights)
        assert fit.converged and fit.residual == 0.0 and not fit.W.any()
        assert fit.objective == fit.loss == pytest.approx(2 / 3)


def test_separable_data_without_penalty() -> None:
    X, labels = instance(40, 5, 3, 0, "separable")
    fit = solver.fit_margin(X, labels, 3)
    assert fit.converged and fit.loss < 1e-10 and abs(fit.W).max() < 100


def test_penalties_choose_among_equal_features() -> None:
    # A column twice: the group penalty shares, a heavier l1 weight leaves it to the other.
    X, labels = instance(80, 3, 2, 0, "normal")
    X = np.column_stack([X, X[:, 0]])
    fit = solver.fit_margin(X, labels, 2, l1=np.array([2e-3, 1e-3, 1e-3, 1e-3]), tol=1e-9)
    assert not fit.W[:, 0].any() and fit.W[:, 3].any()


def test_results_do_not_depend_on_the_threads() -> None:
    rng = np.random.default_rng(0)
    for K in (2, 7):
        X, labels = rng.normal(size=(6000, 45)), rng.integers(0, K, 6000)
        found = set()
        for _ in each_number_of_threads():
            fit = solver.fit_margin(X, labels, K, group=1e-3, l1=1e-4, max_iter=20)
            loss, gradient = solver.squared_hinge(X, labels, fit.W)
            costs = solver.assignment_costs(X, fit.W)
            bits = (array.tobytes() for array in (fit.W, gradient, costs))
            found.add((fit.objective, fit.n_iter, loss, *bits))
        assert len(found) == 1


def test_rows_may_be_slices_and_of_other_types() -> None:
    X, labels = instance(30, 12, 3, 0, "small integers")
    W = np.random.default_rng(0).normal(size=(3, 12))
    expected = solver.squared_hinge(X, labels, W)[0]
    assert solver.squared_hinge(X.astype(np.int8), labels.astype(np.uint8), W)[0] == expected
    wide = np.zeros((30, 24))
    wide[:, ::2] = X
    assert solver.squared_hinge(wide[:, ::2], labels, np.asfortranarray(W))[0] == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": np.zeros(3)}, r"X has shape \(3,\)"),
        ({"X": np.zeros((0, 2))}, r"X has shape \(0, 2\)"),
        ({"X": np.zeros((3, 0))}, r"X has shape \(3, 0\)"),
        ({"X": np.array([[0.0, 1.0], [np.nan, 0.0], [0.0, 0.0]])}, r"X\[1, 0\] is nan; expected finite"),
        ({"X": np.array([[0.0, 1.0], [-np.inf, 0.0], [0.0, 0.0]])}, r"X\[1, 0\] is -inf; expected finite"),
        ({"X": np.full((3, 2), 1e200)}, "overflow"),
        ({"X": [["a", "b"]] * 3}, "X is not an array of numbers"),
        ({"X": [["1", "2"]] * 3}, "X is not an array of numbers: it has dtype <U1; expected real numbers"),
        (
            {"X": np.eye(3)[:, :2] * 1j},
            "X is not an array of numbers: it has dtype complex128; expected real",
        ),
        ({"W": np.eye(2, dtype=complex)}, "W is not an array of numbers: it has dtype complex128"),
        ({"group": 1j}, "group is not an array of numbers: it has dtype complex128"),
        ({"ridge": "1"}, "ridge is not an array of numbers: it has dtype <U1"),
        ({"labels": [0, 1]}, r"labels has shape \(2,\); expected \(3,\)"),
        ({"labels": [0, 1, 2]}, r"labels\[2\] is 2; expected a cluster 0..1"),
        ({"labels": [0, -1, 1]}, r"labels\[1\] is -1"),
        ({"labels": [0.0, 1.0, 1.0]}, "labels has dtype float64"),
        ({"n_clusters": 1, "labels": [0, 0, 0]}, "n_clusters is 1; expected at least 2"),
        ({"group": -1.0}, r"group\[0\] is -1.0"),
        ({"l1": [0.0, np.nan]}, r"l1\[1\] is nan"),
        ({"ridge": [1.0]}, r"ridge has shape \(1,\)"),
        ({"W": np.zeros((2, 3))}, r"W has shape \(2, 3\); expected \(2, 2\)"),
        ({"W": np.full((2, 2), np.inf)}, "W contains NaN"),
        ({"tol": -1.0}, "tol is -1.0"),
        ({"tol": np.nan}, "tol is nan"),
        ({"max_iter": -1}, "max_iter is -1; expected at least 0"),
        ({"max_iter": 10**30}, r"max_iter is 10{30}; expected at most 2\^63 - 1"),
        ({"n_clusters": 10**30}, r"n_clusters is 10{30}; expected at most 2\^63 - 1"),
    ],
)
def test_bad_input_of_the_fit(changes: dict[str, Any], words: str) -> None:
    arguments = {"X": np.eye(3)[:, :2], "labels": [0, 1, 1], "n_clusters": 2} | changes
    with pytest.raises(ValueError, match=words):
        solver.fit_margin(**arguments)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_clusters": 2.0}, "n_clusters is 2.0; expected an integer"),
        ({"max_iter": 5.0}, "max_iter is 5.0; expected an integer"),
        ({"tol": "a"}, "tol is 'a'; expected a real number"),
        ({"tol": None}, "tol is None; expected a real number"),
        ({"tol": 1j}, "tol is 1j; expected a real number"),
        ({"tol": True}, "tol is True; expected a real number"),
    ],
)
def test_input_of_another_type(changes: dict[str, Any], words: str) -> None:
    arguments = {"X": np.eye(3)[:, :2], "labels": [0, 1, 1], "n_clusters": 2} | changes
    with pytest.raises(TypeError, match=words):
        solver.fit_margin(**arguments)


def test_numbers_of_other_types_are_numbers() -> None:
    arguments = {"X": np.eye(3)[:, :2], "labels": [0, 1, 1], "n_clusters": 2, "group": 0.01}
    expected = solver.fit_margin(**arguments, tol=0.5, max_iter=3)
    for tol, most in ((np.float32(0.5), np.uint8(3)), (Fraction(1, 2), 3)):
        assert np.array_equal(solver.fit_margin(**arguments, tol=tol, max_iter=most).W, expected.W)
    assert solver.fit_margin(**arguments, tol=np.inf).n_iter == 0
    objects = np.array([[1, 0.5], [0, 2**60], [0, True]], dtype=object)
    assert np.array_equal(as_floats("X", objects), [[1.0, 0.5], [0.0, 2.0**60], [0.0, 1.0]])
    for wrong, why in (
        (np.array([1, "2"], dtype=object), r"v\[1\] is '2'"),
        ([b"1"], r"it has dtype \|S1"),
        (np.array(["2020"], "M8[Y]"), "it has dtype datetime64"),
    ):
        with pytest.raises(ValueError, match=f"v is not an array of numbers: {why}"):
            as_floats("v", wrong)


def test_good_data_are_not_searched_for_what_is_not_finite(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(X: np.ndarray) -> int:
        raise AssertionError

    monkeypatch.setattr(solver._core, "first_nonfinite", unwanted)
    assert solver.fit_margin(np.eye(3), [0, 1, 1], 2).n_passes > 0


def test_the_solvers_are_found_in_the_package() -> None:
    from cladebench import solvers

    for name in ("MarginFit", "assignment_costs", "fit_margin", "sparse_group_prox", "squared_hinge"):
        assert name in solvers.__all__ and getattr(solvers, name) is getattr(solver, name)
    assert solvers.balanced_assignment([[0, 1], [1, 0]], 1, 1).tolist() == [0, 1]


def test_bad_input_of_the_rest() -> None:
    X = np.zeros((40, 3))
    X[33, 2] = np.nan
    for call in (
        lambda: solver.assignment_costs(X, np.zeros((2, 3))),
        lambda: solver.squared_hinge(X, np.zeros(40, dtype=int), np.zeros((2, 3))),
    ):
        with pytest.raises(ValueError, match=r"X\[33, 2\] is nan"):
            call()
    with pytest.raises(ValueError, match="W has 4 features; expected 3"):
        solver.assignment_costs(X, np.zeros((2, 4)), check=False)
    with pytest.raises(ValueError, match="at least 2 clusters"):
        solver.assignment_costs(X, np.zeros((1, 3)), check=False)
    with pytest.raises(ValueError, match="step is -1"):
        solver.sparse_group_prox(np.zeros((1, 3)), -1)
    with pytest.raises(TypeError, match="step is 'a'; expected a real number"):
        solver.sparse_group_prox(np.zeros((1, 3)), "a")
