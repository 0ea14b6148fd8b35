"""The learner by cutting planes, against one convex programme with all clusterings."""

from itertools import combinations, product

import cvxpy as cp
import numpy as np
import pytest

from cladebench.solvers.augmented_clustering import energy_less_error
from cladebench.solvers.cutting_planes import AugmentedProblem, learn_by_planes
from cladebench.solvers.dual_decomposition import Energy, l1, l2, learn, nonnegative
from cladebench.solvers.exemplar_learning import ClusteringProblem
from cladebench.solvers.given_distances import StackedDistances


def clustering_problems(
    seed: int, n_sets: int = 2, n: int = 5, n_distances: int = 3
) -> list[ClusteringProblem]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n_sets):
        labels = np.array([0, 0, 1, 1, 1])[:n]
        apart = (labels[:, None] != labels) * np.arange(n_distances)[:, None, None]
        stack = rng.uniform(0.0, 2.0, (n_distances, n, n)) + apart
        made.append(ClusteringProblem(StackedDistances(np.ascontiguousarray(stack)), labels, price=2.0))
    return made


def all_energies(problem: ClusteringProblem) -> list[Energy]:
    """Energy less error of every clustering, as functions of the weights."""
    stack, labels = problem.distances.stack, problem.labels
    n, found = len(labels), []
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            others = [p for p in range(n) if p not in chosen]
            for to in product(chosen, repeat=len(others)):
                assignment = np.arange(n)
                assignment[others] = to
                rest = energy_less_error(
                    np.zeros((n, n)),
                    labels,
                    problem.price,
                    problem.alpha,
                    problem.beta,
                    np.array(chosen),
                    assignment,
                )
                found.append(Energy(stack[:, others, list(to)].sum(axis=1), rest))
    return found


def optimum(problems, w, regularizer: str, tau: float, is_nonnegative: bool) -> float:
    """The least objective for the completions at w."""
    v = cp.Variable(len(w), nonneg=is_nonnegative)
    terms = [tau * (cp.norm1(v) if regularizer == "l1" else cp.sum_squares(v))]
    for problem in problems:
        own, others = problem.complete(w), all_energies(problem)
        slopes = np.array([own.features - each.features for each in others])
        terms.append(cp.max(slopes @ v + np.array([own.rest - each.rest for each in others])))
    return cp.Problem(cp.Minimize(sum(terms))).solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("is_nonnegative", [True, False])
@pytest.mark.parametrize(("regularizer", "tau"), [("l1", 1.0), ("l1", 0.1), ("l2", 0.3), ("l2", 0.0)])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_that_of_the_convex_programme(seed, regularizer, tau, is_nonnegative) -> None:
    problems = clustering_problems(seed)
    found = learn_by_planes(
        problems, np.full(3, 0.5), regularizer=regularizer, tau=tau, nonnegative=is_nonnegative, tol=1e-5
    )
    assert found.converged and found.gap <= 1e-5
    least = optimum(problems, found.weights, regularizer, tau, is_nonnegative)
    assert found.objective == pytest.approx(least, rel=1e-4, abs=1e-6)
    assert found.bound <= least * (1 + 1e-6) + 1e-6
    assert not is_nonnegative or found.weights.min() >= 0.0


@pytest.mark.parametrize(("regularizer", "function"), [("l1", l1), ("l2", l2)])
def test_relaxed_losses_are_never_below(regularizer, function) -> None:
    problems = clustering_problems(7, n_sets=3)
    relaxed = learn(problems, np.full(3, 0.5), regularizer=function, constraint=nonnegative, max_iter=3000, tol=0.0,
                    step=0.3, weight_step=0.03)  # fmt: skip
    found = learn_by_planes(problems, relaxed.weights, regularizer=regularizer, tol=1e-4)
    assert found.objective <= relaxed.objective * (1 + 1e-9)
    assert found.bound > 0.0


class Distance(AugmentedProblem):
    """Loss |w - goal|, of which two solutions are known; minima are as far off as is allowed."""

    def __init__(self, goal: float) -> None:
        self.goal, self.asked = goal, []

    def complete(self, w):
        return Energy(np.zeros(1), 0.0)

    def augment(self, w, tol):
        self.asked.append(tol)
        sign = 1.0 if w[0] > self.goal else -1.0
        return Energy(np.array([-sign]), sign * self.goal), -abs(w[0] - self.goal) - min(tol, 0.5)

    relax = squared_slope = move = None  # of dual decomposition


def test_minima_that_are_bounded_alone_are_asked_for_more_closely_as_the_gap_closes() -> None:
    problems = [Distance(1.0), Distance(3.0), Distance(4.0)]
    found = learn_by_planes(problems, np.zeros(1), tau=0.0, tol=1e-3)
    assert found.converged and found.weights == pytest.approx([3.0], abs=0.01)
    assert 3.0 <= found.objective <= 3.0 * 1.001 and found.bound <= 3.0
    assert problems[0].asked[0] == np.inf and min(problems[0].asked) <= 1e-3


def test_planes_that_were_too_few_leave_their_gap() -> None:
    found = learn_by_planes(clustering_problems(1), np.full(3, 0.5), tol=1e-9, max_iter=2)
    assert not found.converged and found.gap > 1e-9 and len(found.path) == 2


def test_an_objective_that_is_not_finite_is_an_error() -> None:
    far = Distance(1.0)
    far.augment = lambda w, tol: (Energy(np.zeros(1), 0.0), -np.inf)
    with pytest.raises(ValueError, match=r"^the objective is inf; expected smaller"):
        learn_by_planes([far], np.ones(1))
