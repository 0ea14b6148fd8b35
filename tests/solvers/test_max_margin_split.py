from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.crosscheck._pairs import PairedNode
from cladebench.crosscheck.max_margin_split import local_optima
from cladebench.reference import max_margin_split as reference
from cladebench.reference.random_numbers import random_numbers, seed_of
from cladebench.solvers import max_margin_split as solver
from instruction_sets import each_instruction_set
from solver_checks import hold

#: Relative rounding of sums in single precision.
SINGLE = 2e-6
KINDS = ("normal", "small integers", "duplicates", "constant features", "zero", "far away")


def instance(
    n: int, d: int, must: int, cannot: int, seed: int, kind: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "small integers":  # scores that are equal, hinges that are exactly zero
        X = rng.integers(-1, 2, size=(n, d)).astype(float)
    elif kind == "duplicates":
        X = X[rng.integers(0, max(1, n // 3), n)]
    elif kind == "constant features":
        X[:, ::2] = 1.0
    elif kind == "zero":
        X[:] = 0.0
    elif kind == "far away":
        X += 30.0
    if n < 2:
        must = cannot = 0
    # Drawn from few points: some pairs come twice, some are both must-link and cannot-link.
    pairs = np.array([rng.choice(min(n, 7), 2, replace=False) for _ in range(must + cannot)]).reshape(-1, 2)
    return X, pairs[:must], pairs[must:]


instances = st.builds(
    instance,
    st.sampled_from([1, 2, 3, 8, 17, 40]),
    st.sampled_from([1, 2, 5, 16]),
    st.sampled_from([0, 1, 6, 30]),
    st.sampled_from([0, 1, 5, 30]),
    st.integers(0, 10**6),
    st.sampled_from(KINDS),
)
constrained = instances.filter(lambda case: len(case[2]) > 0)


def twin(case: Any, **values: float) -> reference.SplitProblem:
    return reference.make_problem(*case, **values)


def objective(case: Any, w: np.ndarray) -> float:
    return (
        reference.objective(twin(case), w)
        if len(case[2])
        else reference.balanced_objective(twin(case), w, 0.25)
    )


@settings(max_examples=120)
@given(
    instances, st.booleans(), st.sampled_from(sorted(solver.STARTS)), st.integers(0, 4), st.integers(0, 100)
)
def test_objective_is_the_twin_and_never_rises(
    case: Any, subgradient: bool, start: str, supervised_rounds: int, seed: int
) -> None:
    fit = solver.max_margin_split(
        *case,
        subgradient=subgradient,
        start=start,
        supervised_rounds=supervised_rounds,
        max_steps=200,
        max_rounds=20,
        random_state=seed,
    )
    assert fit.constrained == bool(len(case[2]))
    assert np.isfinite(fit.weights).all() and fit.weights.shape == (case[0].shape[1] + 1,)
    assert fit.objective == pytest.approx(objective(case, fit.weights), rel=1e-9, abs=1e-12)
    # Scores are sums of large numbers in single precision where points lie far from 0.
    size = 1.0 + float(np.abs(case[0]).max() * np.abs(fit.weights).sum())
    assert fit.trace[-1] == pytest.approx(fit.objective, abs=10 * SINGLE * size)
    assert fit.rounds == len(fit.trace) and fit.warm_up <= supervised_rounds
    if not (fit.constrained and subgradient):  # Algorithm 1 takes its last point, whatever it is worth
        for part in (fit.trace[: fit.warm_up], fit.trace[fit.warm_up :]):
            assert (np.diff(part) <= 0).all()


def fixed(case: Any, w: np.ndarray, **values: Any) -> Any:
    return _core.FixedSplit(*case, solver.split_settings(**values), w)


def int_pairs(case: Any) -> Any:
    return np.ascontiguousarray(case[0]), case[1].astype(np.int64), case[2].astype(np.int64)


@settings(max_examples=60)
@given(constrained, st.integers(0, 10**6))
def test_labels_and_gradient_are_the_twin(case: Any, seed: int) -> None:
    X = case[0]
    rng = np.random.default_rng(seed)
    # Multiples of 1/4: what is computed in single precision is exact for the small integers, ties and all.
    w, at = rng.integers(-8, 9, size=(2, X.shape[1] + 1)) / 4.0
    it = twin(case)
    loss, gradient = fixed(int_pairs(case), w).evaluate(at)
    labels = reference.choose_labels(it, w)
    norm = it.weight / 2 * float(at @ at)
    size = 1.0 + float(np.abs(X).max() * np.abs(at).sum())
    exact = np.array_equal(X, np.round(X))
    if exact or size < 60:  # else labels of scores near 0 may differ by rounding
        assert loss + norm == pytest.approx(reference.fixed_objective(it, labels, at), abs=SINGLE * size)
    w_loss, _ = fixed(int_pairs(case), w).evaluate(w)
    assert w_loss + it.weight / 2 * float(w @ w) == pytest.approx(
        reference.objective(it, w), abs=SINGLE * size * 10
    )
    step = rng.normal(size=at.shape) * 1e-3
    other, _ = fixed(int_pairs(case), w).evaluate(at + step)
    assert other >= loss + gradient @ step - 4 * SINGLE * size  # a subgradient
    if not exact and len(np.unique(X, axis=0)) == len(X):  # smooth there
        expected = reference.fixed_subgradient(it, labels, at) - it.weight * at
        np.testing.assert_allclose(gradient, expected, atol=SINGLE * size * (1 + np.abs(X).max()))


@pytest.mark.parametrize("seed", range(25))
def test_convex_problem_against_the_programme(seed: int) -> None:
    kind = KINDS[seed % len(KINDS)]
    case = instance(5 + seed, 1 + seed % 6, seed % 4 * 5, 1 + seed % 9, seed, kind)
    w = np.random.default_rng(seed).normal(size=case[0].shape[1] + 1)
    it = twin(case)
    # The labels of the core, in single precision, are those of the twin unless a score vanishes.
    labels = reference.choose_labels(it, w.astype(np.float32).astype(float))
    _, exact = reference.solve_fixed(it, labels)
    for gap in (0.1, 0.01, 1e-4):
        best, value, bound, _ = fixed(int_pairs(case), w).minimise(0 * w, gap, 2000)
        assert value - bound <= gap * value + 1e-6
        assert bound <= exact * (1 + 1e-5) + 1e-7 <= (value + 2e-7) * (1 + 2e-5)
        size = 1.0 + float(np.abs(case[0]).max() * np.abs(best).sum())
        assert value == pytest.approx(
            reference.fixed_objective(it, labels, best), rel=1e-5, abs=SINGLE * size
        )
    _, value, bound, _ = fixed(int_pairs(case), w, subgradient=True, step_tolerance=0.0).minimise(
        0 * w, 1, 20_000
    )
    assert bound == 0 and exact * (1 - 1e-5) - 1e-7 <= value
    if kind != "far away":  # where Algorithm 1 is slow
        assert value <= 1.1 * exact + 0.02


@pytest.mark.parametrize("seed", range(8))
def test_steps_of_algorithm_1_are_the_twins(seed: int) -> None:
    case = instance(12, 3, 6, 7, seed, "normal")
    w = np.random.default_rng(seed).normal(size=4)
    it = twin(case)
    labels = reference.choose_labels(it, w)
    radius = np.sqrt((2.0 + it.unconstrained) / it.weight)
    at = w
    for r in range(1, 41):
        at = at - reference.fixed_subgradient(it, labels, at) / (it.weight * r)
        at *= min(1.0, radius / np.linalg.norm(at))
    split = fixed(int_pairs(case), w, subgradient=True, step_tolerance=0.0)
    last, value, _, steps = split.minimise(w, 1, 40)
    assert steps == 41  # and the start
    np.testing.assert_allclose(last, at, rtol=1e-3)
    assert value == pytest.approx(reference.fixed_objective(it, labels, at), rel=1e-3)


@pytest.mark.parametrize("start", solver.STARTS)
def test_rounds_of_algorithm_2_end_by_the_weights(start: str) -> None:
    case = instance(30, 3, 10, 12, 3, "normal")
    stops = [
        solver.max_margin_split(
            *case, subgradient=True, start=start, supervised_rounds=0, max_rounds=r, random_state=0
        )
        for r in range(1, 21)
    ]
    changes = []
    for before, after in pairwise(stops):
        if after.rounds == before.rounds:
            break
        split = fixed(int_pairs(case), before.weights, subgradient=True)
        assert np.array_equal(split.minimise(before.weights, 1, 5000)[0], after.weights)
        norms = [np.linalg.norm(fit.weights) for fit in (before, after)]
        changes.append(np.linalg.norm(after.weights - before.weights) / max(norms))
    assert (np.array(changes[:-1]) > 0.01).all() and (changes[-1] <= 0.01 or after.rounds == 20)


def points_of_a_ball(seed: int, radius: float, size: int) -> Iterator[np.ndarray]:
    """Uniform ones: normal directions by the polar method, the size-th root of a uniform number as their length."""
    uniform = (2.0**-53 * (bits >> 11) for bits in random_numbers(seed_of(seed, 0)))
    while True:
        w: list[float] = []
        while len(w) < size:
            a, b = 2 * next(uniform) - 1, 2 * next(uniform) - 1
            square = a * a + b * b
            if 0 < square < 1:
                w.append(a * np.sqrt(-2 * np.log(square) / square))
        yield np.array(w) * radius * next(uniform) ** (1 / size) / np.linalg.norm(w)


@pytest.mark.parametrize("seed", range(4))
def test_algorithm_1_begins_at_a_random_point_in_each_round(seed: int) -> None:
    case = instance(30, 3, 10, 12, seed, "normal")
    given = {"subgradient": True, "restart": True, "step_tolerance": 0.1}
    stops = [
        solver.max_margin_split(*case, **given, supervised_rounds=0, max_rounds=r, random_state=seed)
        for r in range(1, 6)
    ]
    drawn = points_of_a_ball(int(np.random.default_rng(seed).integers(2**63)), np.sqrt(3.0 / 0.01), 4)
    next(drawn)  # of the first round
    apart = []
    for before, after, start in zip(stops, stops[1:], drawn, strict=False):
        if after.rounds == before.rounds:
            break
        split = fixed(int_pairs(case), before.weights, subgradient=True, step_tolerance=0.1)
        np.testing.assert_allclose(split.minimise(start, 1, 5000)[0], after.weights, rtol=1e-9)
        warm = split.minimise(before.weights, 1, 5000)[0]
        apart.append(np.linalg.norm(warm - after.weights) / np.linalg.norm(after.weights))
    assert max(apart) > 0.01
    assert (stops[0].weights != solver.max_margin_split(*case, **given, random_state=seed + 9).weights).any()


def test_first_rounds_of_algorithm_2_are_not_cut_short() -> None:
    case = instance(30, 3, 5, 6, 3, "normal")
    fit = solver.max_margin_split(*case, subgradient=True, tolerance=1e9)
    assert (fit.warm_up, fit.rounds) == (3, 4)  # any change is small enough, once all points count


def test_random_starts_differ() -> None:
    case = instance(30, 3, 10, 12, 3, "normal")
    for start in solver.STARTS:
        fits = {solver.max_margin_split(*case, start=start, random_state=k).objective for k in range(8)}
        assert (len(fits) > 1) == (start == "random")


@settings(max_examples=60)
@given(constrained, st.sampled_from([1e-3, 0.1, 10.0]))
def test_start_is_the_twin(case: Any, ridge: float) -> None:
    X, must, cannot = case
    v = solver.scatter_direction(X, must, cannot, ridge=ridge)
    if not (X[cannot[:, 0]] != X[cannot[:, 1]]).any():
        assert (v == 0).all()
        return
    expected = reference.start(twin(case), ridge)

    def ratio(u: np.ndarray) -> float:
        differences = X[must[:, 0]] - X[must[:, 1]]
        trace = np.square(differences).sum() / max(len(must), 1)
        added = ridge * trace / X.shape[1] if trace > 0 else 1.0
        apart = np.square((X[cannot[:, 0]] - X[cannot[:, 1]]) @ u).mean()
        return float(apart / (np.square(differences @ u).sum() / max(len(must), 1) + added * u @ u))

    assert np.linalg.norm(v) == pytest.approx(1.0) and v[np.argmax(np.abs(v))] > 0
    assert ratio(v) == pytest.approx(ratio(expected), rel=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_no_lower_than_the_minimum_over_all_labels(seed: int) -> None:
    for case in (
        instance(6, 1 + seed % 3, seed % 3, 2 + seed % 2, seed, "normal"),
        instance(7, 2, 0, 0, seed, "normal"),
    ):
        hold(local_optima("drawn", PairedNode("node", *case), 0))


@pytest.mark.parametrize("seed", range(8))
def test_end_is_a_fixed_point(seed: int) -> None:
    # With tolerance 0 rounds end when labels stay: the weights are the best for their own labels.
    case = instance(30, 3, 10, 12, seed, "normal") if seed % 2 else instance(30, 3, 0, 0, seed, "normal")
    fit = solver.max_margin_split(*case, tolerance=0.0, gap=1e-3, random_state=seed)
    assert fit.converged
    it = twin(case)
    if fit.constrained:
        _, best = reference.solve_fixed(it, reference.choose_labels(it, fit.weights))
    else:
        s = it.X @ fit.weights
        positive = np.clip((s >= 0).sum(), 8, 22)
        y = np.where(np.argsort(np.argsort(-s, kind="stable")) < positive, 1, -1)
        _, best = reference.solve_labelled(it, y)
    assert 0 <= fit.gap <= 1e-3 * fit.objective * (1 + 1e-3)
    assert best * (1 - 1e-6) <= fit.objective <= best * (1 + 1e-3) + 1e-5


def test_separable_clusters_are_found() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 4)) + np.outer(2 * y - 1, [6.0, 0, 0, 0]) + 5.0
    a, b = rng.integers(0, 60, size=(2, 80))
    pairs = np.column_stack([a, b])[a != b]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    for fit in (
        solver.max_margin_split(X, pairs[same], pairs[~same]),
        solver.max_margin_split(X, pairs[same], pairs[~same], subgradient=True),
        solver.max_margin_split(X, pairs[:0], pairs[~same][:1], start="through-zero"),
        solver.max_margin_split(X, membership=0.5, random_state=0),
    ):
        side = X @ fit.weights[:-1] + fit.weights[-1] > 0
        assert fit.converged and (np.array_equal(side, y == 1) or np.array_equal(side, y == 0))


def test_same_bits_on_every_instruction_set_and_again() -> None:
    X, must, cannot = instance(300, 21, 30, 30, 1, "normal")
    found = []
    for _ in chain(each_instruction_set(), ["again"]):
        for pairs in ((must, cannot), (must, cannot[:0])):
            fit = solver.max_margin_split(X, *pairs, random_state=3)
            found.append((fit.weights.tobytes(), fit.trace.tobytes(), fit.gap, fit.objective))
    assert len(set(found)) == 2
    assert solver.max_margin_split(X, random_state=4).weights.tobytes() not in {each[0] for each in found}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": np.zeros((0, 2))}, r"X has shape \(0, 2\)"),
        ({"X": [[0.0], [np.nan]]}, r"X\[1, 0\] is nan"),
        (
            {"X": [[0.0], [-2e15]]},
            r"X\[1, 0\] is -2000000000000000.0; expected numbers of magnitude <= 1e\+15",
        ),
        ({"must_link": [[0, 1, 2]]}, r"must_link has shape \(1, 3\)"),
        ({"must_link": [[0.0, 1.0]]}, "must_link has dtype float64"),
        ({"cannot_link": [[0, 1], [1, 2]]}, r"cannot_link\[1\] is \[1, 2\]; expected rows 0..1"),
        ({"cannot_link": [[-1, 0]]}, r"cannot_link\[0\] is \[-1, 0\]"),
        ({"cannot_link": [[1, 1]]}, r"cannot_link\[0\] is \[1, 1\]; expected two different rows"),
        ({"weight": 0}, "weight is 0; expected a finite number > 0"),
        ({"unconstrained": -1.0}, "unconstrained is -1.0; expected a finite number >= 0"),
        ({"share": 1.5}, "share is 1.5; expected a finite number > 0 and <= 1"),
        ({"membership": 0.6}, "membership is 0.6; expected a finite number >= 0 and <= 0.5"),
        ({"gap": np.inf}, "gap is inf"),
        ({"max_rounds": 0}, "max_rounds is 0; expected at least 1"),
        ({"supervised_rounds": -1}, "supervised_rounds is -1; expected at least 0"),
    ],
)
def test_bad_input(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        solver.max_margin_split(**({"X": [[0.0], [1.0]]} | changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"subgradient": 1}, "subgradient is 1; expected True or False"),
        ({"restart": "no"}, "restart is 'no'; expected True or False"),
        ({"max_steps": 2.0}, "max_steps is 2.0"),
    ],
)
def test_input_of_another_type(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        solver.max_margin_split([[0.0], [1.0]], **changes)
