"""The learner itself, on problems whose optimum is known, and slaves that share variables."""

import numpy as np
import pytest

from cladebench.solvers.dual_decomposition import (
    Energy,
    LatentProblem,
    SlaveProblem,
    l1,
    l2,
    learn,
    nonnegative,
)


class Bowl(LatentProblem):
    """Loss |w - goal| in each weight: the least over completions of a maximum over one multiplier."""

    def __init__(self, goal: np.ndarray) -> None:
        self.goal, self.relaxed, self.moved = goal, 0, 0.0

    def complete(self, w: np.ndarray) -> Energy:
        return Energy(np.zeros(len(w)), 0.0)

    def relax(self, w: np.ndarray) -> Energy:
        self.relaxed += 1
        sign = np.sign(w - self.goal)
        return Energy(-sign, float(sign @ self.goal))

    def squared_slope(self) -> float:
        return 0.0

    def move(self, step: float) -> None:
        self.moved += step


def test_steps_go_downhill_to_the_optimum() -> None:
    goals = [np.array([1.0, 3.0]), np.array([2.0, 3.5]), np.array([2.5, -1.0])]
    for stochastic in (False, True):
        found = learn(
            [Bowl(goal) for goal in goals], np.zeros(2), tau=0.0, step=0.3,
            stochastic=stochastic, max_iter=2000, tol=0.0, constraint=lambda w: w,
        )  # fmt: skip
        # Sums of distances are least at the medians, 2 and 3: 1.5 + 4.5.
        assert found.objective == pytest.approx(6.0, rel=0.02)
        assert found.weights == pytest.approx([2.0, 3.0], abs=0.1)
        assert found.objective == found.path.min() and len(found.path) <= 2000


@pytest.mark.parametrize("stochastic", [False, True])
def test_polyak_s_steps_go_to_an_optimum_of_0_and_to_twice_any_other(stochastic: bool) -> None:
    apart = [np.array([1.0, 3.0]), np.array([2.0, 3.5]), np.array([2.5, -1.0])]
    for goals, most in ((apart[:1] * 3, 1e-6), (apart, 2 * 6.0)):
        found = learn(
            [Bowl(goal) for goal in goals], np.zeros(2), tau=0.0, polyak=True, weight_step=0.5,
            stochastic=stochastic, max_iter=500, tol=0.0, constraint=lambda w: w,
        )  # fmt: skip
        assert found.objective <= most < found.path[0]


class Held(Bowl):
    """With a multiplier whose slope is 2, so that its square counts in the length of a step."""

    def squared_slope(self) -> float:
        return 4.0


def test_polyak_s_first_step_by_hand() -> None:
    # From w = 2: the objective is 3 * 2 + (9 - 2) + (10 - 2), its slope 3 - 1 - 1; both multipliers have slopes of 2.
    held = [Held(np.array([9.0])), Held(np.array([10.0]))]
    found = learn(held, np.full(1, 2.0), tau=3.0, polyak=True, weight_step=0.25, max_iter=2, tol=0.0)
    length = 21.0 / (2 * 4.0 + 0.25 * 1.0**2)
    w = 2.0 - length * 0.25 * 1.0
    assert found.path == pytest.approx([21.0, 3 * w + 19 - 2 * w])
    assert held[0].moved == pytest.approx(length + (w + 19) / 8.25)
    # One problem after the other: its loss alone, with the whole of the regulariser, at the weights that are met.
    held = [Held(np.array([9.0])), Held(np.array([9.0]))]
    learn(held, np.full(1, 2.0), tau=3.0, polyak=True, weight_step=0.25, max_iter=1, tol=0.0, stochastic=True)
    first = 13.0 / (4.0 + 0.25 * 2.0**2)
    w = 2.0 - first * 0.25 * 2.0
    assert sorted(one.moved for one in held) == pytest.approx(sorted([first, (2 * w + 9) / 5.0]))


def test_an_objective_below_0_takes_no_step_by_polyak_s_rule() -> None:
    below = Bowl(np.array([1.0]))
    below.complete = lambda w: Energy(np.zeros(1), -5.0)
    found = learn([below], np.zeros(1), tau=0.0, polyak=True, max_iter=3, constraint=lambda w: w)
    assert found.path.tolist() == [-4.0] * 3


def test_losses_that_are_not_finite_are_an_error_whatever_the_others_are() -> None:
    problems = [Bowl(np.ones(1)) for _ in range(3)]
    for problem, constant in zip(problems, (np.inf, 1.0, -np.inf), strict=True):
        problem.complete = lambda w, constant=constant: Energy(np.zeros(1), constant)
    with pytest.raises(ValueError, match=r"^the objective is nan in round 1: "):
        learn(problems, np.zeros(1))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of sums that overflow
def test_steps_that_are_too_long_are_an_error() -> None:
    for tau, step in ((1e200, 1.0), (1.0, 1e308)):
        with pytest.raises(ValueError, match=r"^the objective is (inf|nan) in round \d+: .* less than step="):
            learn(
                [Bowl(np.array([9.0]))], np.ones(1), regularizer=l2, tau=tau, step=step, weight_step=10.0,
                constraint=lambda w: w,
            )  # fmt: skip


def test_the_first_steps_by_hand() -> None:
    # The slope is 1 for tau and -1 for the loss, 3 times: w = 0, then 0 + s (3 - 2) / sqrt(1), ...
    problems = [Bowl(np.array([100.0])) for _ in range(3)]
    found = learn(problems, np.zeros(1), tau=2.0, step=0.5, weight_step=4.0, max_iter=3, tol=0.0)
    # sign(0) = 0 at the start: the slope of l1 is 0 there.
    w1 = 0.5 * 4.0 * 3.0
    w2 = w1 + 0.5 / np.sqrt(2) * 4.0 * 1.0
    assert found.path == pytest.approx([300.0, 300 - 3 * w1 + 2 * w1, 300 - 3 * w2 + 2 * w2])
    assert found.weights == pytest.approx([w2])
    assert problems[0].moved == pytest.approx(0.5 * (1 + 1 / np.sqrt(2) + 1 / np.sqrt(3)))


def test_regularizers_and_projections() -> None:
    w = np.array([-2.0, 0.0, 3.0])
    assert l1(w)[0] == 5.0 and l1(w)[1].tolist() == [-1.0, 0.0, 1.0]
    assert l2(w)[0] == 13.0 and l2(w)[1].tolist() == [-4.0, 0.0, 6.0]
    assert nonnegative(w).tolist() == [0.0, 0.0, 3.0]
    box = learn(
        [Bowl(np.array([9.0]))], np.zeros(1), tau=0.0, constraint=lambda w: np.clip(w, 0, 4), max_iter=200
    )
    assert box.weights.tolist() == [4.0]
    ridge = learn([Bowl(np.array([9.0]))], np.zeros(1), tau=0.25, regularizer=l2, max_iter=3000, tol=0.0)
    assert ridge.weights == pytest.approx([2.0], abs=0.02)  # 0.25 w^2 + 9 - w


def test_completions_come_each_so_many_rounds_and_the_end_when_nothing_falls() -> None:
    for rounds, completions in ((1, 20), (3, 7), (7, 3), (50, 1)):
        assert learn([Bowl(np.ones(1))], np.zeros(1), rounds=rounds, max_iter=20).completions == completions
    found = learn([Bowl(np.ones(1))], np.ones(1), tau=0.0, max_iter=500)
    assert found.converged and len(found.path) == 51
    assert not learn([Bowl(np.ones(1))], np.zeros(1), max_iter=50).converged


def test_stochastic_rounds_meet_each_problem_once_in_an_order_that_is_drawn() -> None:
    met: list[int] = []

    class Noted(Bowl):
        def __init__(self, number: int) -> None:
            super().__init__(np.ones(1))
            self.number = number

        def move(self, step: float) -> None:
            met.append(self.number)

    learn(
        [Noted(k) for k in range(6)],
        np.zeros(1),
        stochastic=True,
        max_iter=4,
        random=np.random.RandomState(1),
    )
    rounds = [met[i : i + 6] for i in range(0, 24, 6)]
    assert all(sorted(one) == list(range(6)) for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1


def test_in_a_stochastic_round_what_is_latent_is_completed_for_the_weights_that_are_met() -> None:
    seen: list[float] = []

    class Noted(Bowl):
        def complete(self, w: np.ndarray) -> Energy:
            seen.append(float(w[0]))
            return super().complete(w)

    problems = [Noted(np.array([9.0])) for _ in range(2)]
    learn(problems, np.zeros(1), tau=0.0, stochastic=True, max_iter=2, rounds=2)
    # At the start of the round, for the objective; then each at its turn; in the second round T = 2 keeps it.
    assert seen == [0.0, 0.0, 0.0, 1.0]


def test_multipliers_of_shared_variables_sum_to_zero_whatever_the_number_of_copies() -> None:
    class Fixed:
        def __init__(self, variables, copies) -> None:
            self.variables, self.copies = np.array(variables), np.array(copies, dtype=float)

        def minimize(self, w, multipliers):
            return self.copies, Energy(np.ones(1), 1.0)

    problem = SlaveProblem(
        [Fixed([0, 1], [1, 0]), Fixed([1, 2], [1, 1]), Fixed([1], [0])], 3, lambda w: Energy(w, 0.0)
    )
    bound = problem.relax(np.zeros(1))
    assert bound.rest == 3.0 and bound.features.tolist() == [3.0]
    assert problem.complete(np.full(1, 7.0)).features.tolist() == [7.0]
    problem.move(3.0)
    assert [own.tolist() for own in problem.multipliers] == [[0.0, -1.0], [2.0, 0.0], [-1.0]]
    assert problem.squared_slope() == pytest.approx(1 / 9 + 4 / 9 + 1 / 9)
    # The multipliers are part of the bound: -1 x 0 of the first, 2 x 1 of the second, -1 x 0 of the third.
    assert problem.relax(np.zeros(1)).rest == 3.0 + 2.0
