"""The multiple kernel machine: against two cone programmes, what its weights say, its problems of several classes.

scikit-learn's `check_estimator` hands over tables of numbers, where this machine takes a stack of kernel matrices.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.svm import SVC

from cladebench.classifiers import MultipleKernelSVM
from cladebench.classifiers._kernel_weights import TwoClassProblem
from cladebench.classifiers.multiple_kernel_svm import _scores_of_pairs
from cladebench.reference import multiple_kernel_svm as twin


def distances(views: np.ndarray, to: np.ndarray | None = None) -> np.ndarray:
    """Stack the l1 distances of views (n_distances, m, n_features) to those of training objects."""
    return np.abs(views[:, :, None] - (views if to is None else to)[:, None]).sum(axis=-1)


def views_of(y: np.ndarray, seed: int, apart: tuple[float, ...], n_features: int = 2) -> np.ndarray:
    """Make one view for each entry of ``apart``, in which neighbouring classes lie that far from each other."""
    rng = np.random.default_rng(seed)
    return np.array([rng.normal(size=(len(y), n_features)) + far * y[:, None] for far in apart])


def signs(y: np.ndarray) -> np.ndarray:
    return np.where(y == 1, 1.0, -1.0)


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, float, float]:
    n, k = draw(st.integers(2, 10)), draw(st.integers(1, 4))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    views = rng.normal(size=(k, n, 2))
    if draw(st.booleans()):
        views = np.round(views)  # equal objects, of one class and of both
    stack = distances(views)
    if draw(st.booleans()):
        stack[0] = draw(st.sampled_from([0.0, 1.0]))
    return stack, y, draw(st.sampled_from([0.01, 0.3, 10.0, 1000.0])), draw(st.sampled_from([0.2, 1.0, 5.0]))


@given(problems())
@settings(max_examples=15, deadline=None)
def test_the_objective_is_the_least_that_cone_programmes_find(
    problem: tuple[np.ndarray, np.ndarray, float, float],
) -> None:
    stack, y, C, sigma = problem
    model = MultipleKernelSVM(C=C, sigma=sigma).fit(stack, y)
    kernels = twin.kernels_of(stack)
    least, _ = twin.primal(kernels, signs(y), C, sigma)
    assert twin.dual(kernels, signs(y), C, sigma)[0] == pytest.approx(least, rel=1e-5)
    objective, gap = model.objectives_[0], model.gaps_[0]
    assert model.converged_ and 0 <= gap <= model.tol and (model.shifts_ == 0).all()
    assert objective * (1 - gap) <= least * (1 + 1e-6) and least <= objective * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("C", "sigma"), [(1000.0, 1.0), (0.8, 1.0), (30.0, 4.0), (1.0, 0.25)])
def test_weights_are_those_of_the_cone_programmes(seed: int, C: float, sigma: float) -> None:
    y = np.random.default_rng(seed).permutation(np.arange(16) % 2)
    stack = distances(views_of(y, seed, (1.5, 0.7, 0.0)))
    model = MultipleKernelSVM(C=C, sigma=sigma, tol=1e-6).fit(stack, y)
    kernels = twin.kernels_of(stack)
    for solve in (twin.primal, twin.dual):
        objective, weights = solve(kernels, signs(y), C, sigma)
        assert model.objectives_[0] == pytest.approx(objective, rel=3e-6)
        assert model.weights_ == pytest.approx(weights, abs=5e-3 * weights.max())
    assert model.problem_weights_ == pytest.approx(model.weights_[None])


def test_slope_and_curvature_are_those_of_the_objective() -> None:
    y = np.arange(14) % 2
    kernels = twin.kernels_of(distances(views_of(y, 3, (1.0, 0.5, 0.0))))
    problem, at, h = TwoClassProblem(kernels, signs(y), 3.0, 0.7), np.array([0.9, 0.4, 1.3]), 1e-3
    here = problem.machine(at, 1e-10)
    there = [[problem.machine(at + s * h * e, 1e-10) for s in (-1, 1)] for e in np.eye(3)]
    slopes = [(up.value - down.value) / (2 * h) for down, up in there]
    assert 0.7 - here.halves == pytest.approx(slopes, abs=1e-5)
    bends = [(down.halves - up.halves) / (2 * h) for down, up in there]
    assert problem.curvature(here) == pytest.approx(np.array(bends), rel=1e-3, abs=1e-5)
    assert problem.upper(here) == pytest.approx(here.value, rel=1e-6) and problem.lower(here) < here.value


def test_the_bound_shrinks_multipliers_until_no_weight_gains() -> None:
    y = np.arange(14) % 2
    problem = TwoClassProblem(twin.kernels_of(distances(views_of(y, 3, (1.0, 0.0)))), signs(y), 30.0, 0.7)
    machine = problem.machine(np.array([0.2, 0.1]), 1e-8)
    shrink = problem.lower(machine) / (machine.coefficients @ problem.y)
    assert 0 < shrink < 1 and shrink**2 * machine.halves.max() == pytest.approx(0.7)


def test_noise_gets_no_weight_beside_a_distance_that_separates() -> None:
    y = np.arange(30) % 3
    informative = views_of(y, 0, (8.0,))
    noise = np.random.default_rng(1).normal(size=(3, 30, 2))
    for multiclass in ("one_vs_rest", "one_vs_one"):
        model = MultipleKernelSVM(multiclass=multiclass).fit(
            distances(np.concatenate([informative, noise])), y
        )
        assert model.weights_[0] > 0 and (model.problem_weights_[:, 1:].sum(axis=1) == 0).any()
    assert (model.problem_weights_[:, 1:] == 0).all()  # of pairs


def test_the_order_of_distances_and_objects_changes_nothing() -> None:
    y = np.arange(24) % 3
    stack = distances(views_of(y, 5, (1.0, 0.0, 0.6, 2.0)))
    model = MultipleKernelSVM(tol=1e-6).fit(stack, y)
    rng = np.random.default_rng(0)
    order, rows = np.array([2, 0, 3, 1]), rng.permutation(24)
    other = MultipleKernelSVM(tol=1e-6).fit(stack[order][:, rows[:, None], rows], y[rows])
    assert other.problem_weights_ == pytest.approx(model.problem_weights_[:, order], abs=1e-2)
    assert other.objectives_ == pytest.approx(model.objectives_, rel=3e-6)
    again = clone(model).fit(stack, y)
    assert np.array_equal(again.problem_weights_, model.problem_weights_)


@pytest.mark.parametrize("multiclass", ["one_vs_rest", "one_vs_one"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("width", [1.0, 0.5])
def test_predictions_are_those_of_machines_with_the_learned_kernels(
    multiclass: str, n_classes: int, width: float
) -> None:
    y = np.arange(40) % n_classes
    views, new = views_of(y, 2, (1.5, 0.2)), views_of(np.arange(60) % n_classes, 9, (1.5, 0.2))
    stack, stack_new = distances(views), distances(new, views)
    model = MultipleKernelSVM(C=2.0, multiclass=multiclass, width=width).fit(stack, y)
    means = width * stack.sum(axis=(1, 2)) / (40 * 39)
    assert model.scales_ == pytest.approx(means)
    kernels, kernels_new = (np.exp(-s / means[:, None, None]) for s in (stack, stack_new))

    def value(weights: np.ndarray, rows: np.ndarray, positive: np.ndarray) -> np.ndarray:
        K = np.tensordot(weights, kernels, axes=1)[rows][:, rows]
        svc = SVC(C=2.0, kernel="precomputed", tol=1e-6).fit(K, positive)
        return svc.decision_function(np.tensordot(weights, kernels_new, axes=1)[:, rows])

    if n_classes == 2:
        expected = (value(model.weights_, np.arange(40), y == 1) > 0).astype(int)
        assert model.problem_weights_.shape == (1, 2)
    elif multiclass == "one_vs_rest":
        own = [value(w, np.arange(40), y == c) for c, w in enumerate(model.problem_weights_)]
        expected = np.argmax(own, axis=0)
        assert len(own) == 4
    else:
        wins, sums, pairs = (
            np.zeros((60, 4)),
            np.zeros((60, 4)),
            [(a, b) for a in range(4) for b in range(a + 1, 4)],
        )
        for (a, b), w in zip(pairs, model.problem_weights_, strict=True):
            rows = np.flatnonzero(np.isin(y, (a, b)))
            v = value(w, rows, y[rows] == a)
            np.add.at(wins, (slice(None), a), v > 0)
            np.add.at(wins, (slice(None), b), v <= 0)
            sums[:, a] += v
            sums[:, b] -= v
        expected = np.array(
            [max(range(4), key=lambda c: (w[c], s[c])) for w, s in zip(wins, sums, strict=True)]
        )
    assert model.weights_ == pytest.approx(model.problem_weights_.mean(axis=0))
    predicted = model.predict(stack_new)
    assert np.array_equal(predicted, expected)
    assert np.mean(predicted == np.arange(60) % n_classes) > 0.6
    assert model.score(stack_new, expected) == 1.0


def test_most_wins_count_and_values_settle_ties() -> None:
    # Pairs (0, 1), (0, 2), (1, 2): the first object wins with class 1, in the second each class wins once.
    values = np.array([[-0.1, 50.0, 0.1], [0.5, -0.2, 0.9], [0.1, -2.0, 0.3]])
    assert _scores_of_pairs(values, 3).argmax(axis=1).tolist() == [1, 1, 2]


def test_labels_may_be_strings() -> None:
    y = np.arange(12) % 3
    stack = distances(views_of(y, 1, (9.0,)))
    names = np.array(["oak", "ash", "elm"])
    model = MultipleKernelSVM().fit(stack, names[y].tolist())
    assert model.classes_.tolist() == ["ash", "elm", "oak"]
    assert model.predict(stack).tolist() == names[y].tolist()
    pair = y < 2
    two = MultipleKernelSVM().fit(stack[:, pair][:, :, pair], names[y[pair]])
    assert two.predict(stack[:, :, pair]).tolist()[:2] == ["oak", "ash"]


def test_distances_are_made_symmetric_and_diagonals_not_read() -> None:
    y = np.arange(20) % 2
    stack = distances(views_of(y, 4, (1.0, 0.3)))
    model = MultipleKernelSVM().fit(stack, y)
    lopsided = stack * (1.0 + np.triu(np.full((20, 20), 0.3), 1) - np.tril(np.full((20, 20), 0.3), -1))
    lopsided[:, range(20), range(20)] = 7.0
    other = MultipleKernelSVM().fit(lopsided, y)
    assert other.scales_ == pytest.approx(model.scales_)
    assert other.weights_ == pytest.approx(model.weights_, rel=1e-6)
    assert MultipleKernelSVM().fit(stack.astype(np.float32), y).weights_ == pytest.approx(
        model.weights_, rel=1e-2
    )


def test_units_of_distances_change_nothing() -> None:
    y = np.arange(20) % 2
    stack, units = distances(views_of(y, 4, (1.0, 0.3))), np.array([1e-3, 1e280])
    model, other = (MultipleKernelSVM().fit(s, y) for s in (stack, stack * units[:, None, None]))
    assert other.scales_ == pytest.approx(model.scales_ * units)
    assert other.weights_ == pytest.approx(model.weights_, rel=1e-6)


def test_with_a_hard_margin_the_price_of_weights_scales_them() -> None:
    y = np.arange(24) % 3
    stack = distances(views_of(y, 4, (3.0, 0.3)))
    model, dear = (
        MultipleKernelSVM(tol=1e-6).fit(stack, y),
        MultipleKernelSVM(tol=1e-6, sigma=16.0).fit(stack, y),
    )
    assert dear.weights_ == pytest.approx(model.weights_ / 4.0, rel=1e-2)
    assert np.array_equal(dear.predict(stack), model.predict(stack))


def test_a_kernel_that_is_not_positive_semidefinite_is_shifted() -> None:
    rng = np.random.default_rng(0)
    y, stack = np.arange(15) % 2, rng.uniform(0.0, 6.0, size=(2, 15, 15)) ** 2
    stack[1] = distances(rng.normal(size=(1, 15, 2)))[0]
    model = MultipleKernelSVM().fit(stack, y)
    kernels = twin.kernels_of(stack)
    assert (
        model.shifts_ == pytest.approx([-np.linalg.eigvalsh(kernels[0])[0], 0.0]) and model.shifts_[0] > 0.1
    )
    kernels[0] += model.shifts_[0] * np.eye(15)
    assert model.converged_
    assert model.objectives_[0] == pytest.approx(twin.primal(kernels, signs(y), 1000.0, 1.0)[0], rel=2e-4)


def test_one_class_is_always_predicted() -> None:
    stack = distances(np.random.default_rng(0).normal(size=(4, 5, 2)))
    model = MultipleKernelSVM().fit(stack, ["a"] * 5)
    assert model.predict(stack[:, :3]).tolist() == ["a"] * 3
    assert model.weights_.tolist() == [0.25] * 4 and model.problem_weights_.shape == (0, 4)
    assert model.converged_ and model.n_iter_ == 0
    assert MultipleKernelSVM().fit([[[0.0]]], [3]).predict([[[2.0], [0.0]]]).tolist() == [3, 3]


def test_distances_that_tell_nothing() -> None:
    y = np.array([0, 0, 0, 1, 1])
    zero = np.zeros((1, 5, 5))
    model = MultipleKernelSVM().fit(np.concatenate([zero, distances(views_of(y, 0, (9.0,)))]), y)
    assert model.weights_[0] == 0 < model.weights_[1] and model.scales_[0] == 1
    for C in (1000.0, 0.01):
        alone = MultipleKernelSVM(C=C).fit(zero, y)
        assert alone.converged_ and alone.weights_.tolist() == [0.0]
        assert alone.objectives_ == pytest.approx(2 * C * 2, rel=1e-4)
        assert alone.predict(zero).tolist() == [0] * 5  # the more common class


def test_equal_objects_of_different_classes() -> None:
    y = np.arange(40) % 2
    X = np.repeat(np.random.default_rng(0).normal(size=(1, 20, 2)), 2, axis=1)
    model = MultipleKernelSVM(C=1.0).fit(distances(X), y)
    assert model.converged_ and model.objectives_ == pytest.approx(40.0, rel=1e-3)
    assert MultipleKernelSVM().fit(distances(X), y).converged_


def test_steps_are_counted_and_the_lack_of_them_is_told() -> None:
    y = np.arange(60) % 3
    stack = distances(views_of(y, 8, (0.4, 0.3, 0.2, 0.0)))
    short, full = MultipleKernelSVM(max_iter=1).fit(stack, y), MultipleKernelSVM().fit(stack, y)
    assert short.n_iter_ == 1 and not short.converged_ and short.gaps_.max() > short.tol
    assert 1 < full.n_iter_ <= 30 and full.converged_
    assert (full.objectives_ <= short.objectives_ * (1 + 1e-4)).all()
    assert (short.objectives_ * (1 - short.gaps_) <= full.objectives_).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0.0}, "C=0.0"),
        ({"C": np.inf}, "C=inf"),
        ({"sigma": 0.0}, "sigma=0.0"),
        ({"multiclass": "all"}, "multiclass='all'"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"tol": 0.0}, "tol=0.0"),
    ],
)
def test_parameters_are_checked(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MultipleKernelSVM(**params).fit(np.ones((1, 2, 2)), [0, 1])
    assert set(MultipleKernelSVM().get_params()) == {"C", "sigma", "multiclass", "max_iter", "tol", "width"}


def test_stacks_are_checked() -> None:
    y, good = np.arange(6) % 2, np.ones((2, 6, 6))
    for value in (np.nan, np.inf, -1.0):
        bad = good.copy()
        bad[1, 2, 3] = value
        with pytest.raises(ValueError, match=r"^MultipleKernelSVM: stack\[1, 2, 3\] is"):
            MultipleKernelSVM().fit(bad, y)
        with pytest.raises(ValueError, match=r"^MultipleKernelSVM: stack\[1, 2, 3\] is"):
            MultipleKernelSVM().fit(good, y).predict(bad)
    with pytest.raises(ValueError, match="labels has shape"):
        MultipleKernelSVM().fit(good, y[:5])
    with pytest.raises(ValueError, match=r"expected \(n_distances, n, n\)"):
        MultipleKernelSVM().fit(good[:, :4], y)
    model = MultipleKernelSVM().fit(good, y)
    for wrong in (good[:1], good[:, :, :5], np.ones((3, 6, 6))):
        with pytest.raises(ValueError, match="expected 2 to 6, as in fit"):
            model.predict(wrong)
    with pytest.raises(ValueError, match="not fitted"):
        MultipleKernelSVM().predict(good)
