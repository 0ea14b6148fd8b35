"""Programmes with binary variables: an optimum, or words that say why there is none."""

import itertools

import numpy as np
import pytest

from cladebench.reference.programmes import SOLVERS, minimize_binary
from cladebench.solvers import assignment_programme


def covering(dimension):
    """The programme of the fewest points that meet all lines of an affine space over three numbers.

    Any set of points is a start, and bounds are weak: 9 points are easy, 81 take hours.
    """
    points = list(itertools.product(range(3), repeat=dimension))
    lines = {
        frozenset((a, b, tuple((-x - y) % 3 for x, y in zip(a, b, strict=True))))
        for a, b in itertools.combinations(points, 2)
    }
    return np.ones(len(points)), [([(points.index(p), 1.0) for p in line], 1.0) for line in lines]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_point_that_is_not_known_to_be_best_is_refused(solver):
    assert minimize_binary(*covering(2), solver).sum() == 5
    with pytest.raises(RuntimeError, match=rf"^{solver} ended with '.*'; expected an optimal point$"):
        minimize_binary(*covering(4), solver, time_limit=0.5)


def test_a_timed_programme_that_is_stopped_is_refused(monkeypatch):
    def stopped(program, problem, solution, time_limit, solve=assignment_programme._time_cbc):
        """Solve, and say what CBC says at the limit of time, of the same point."""
        seconds = solve(program, problem, solution, time_limit)
        _, *entries = solution.read_text().splitlines(keepends=True)
        solution.write_text("".join(["Stopped on time - objective value 0.0\n", *entries]))
        return seconds

    assert assignment_programme.timed_assignment_ilp(np.eye(3), 1, 1, "CBC").value == 0
    monkeypatch.setattr(assignment_programme, "_time_cbc", stopped)
    with pytest.raises(RuntimeError, match=r"^CBC ended with status 'Solution Found'; expected 'Optimal'$"):
        assignment_programme.timed_assignment_ilp(np.eye(3), 1, 1, "CBC")
