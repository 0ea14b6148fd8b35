"""The cross-check of facility location fails when the solver is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.crosscheck import facility_location as module
from solver_checks import failing, spoil

pytestmark = pytest.mark.usefixtures("iris_alone")


def other_exemplars(found):
    return np.setdiff1d(np.arange(len(found.assignment)), found.exemplars)[:2]


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        (lambda found: {"value": found.value - 1e-5 * abs(found.value)}, {"value", "optimum"}),
        (lambda found: {"exemplars": other_exemplars(found)}, {"value"}),
        (lambda found: {"assignment": np.roll(found.assignment, 1)}, {"value"}),
        (lambda found: {"bound": found.bound + 2e-4 * abs(found.bound)}, {"bound"}),
        (lambda found: {"bound": found.bound - 1e-2 * abs(found.bound)}, {"relaxation"}),
    ],
    ids=["value below the optimum", "other exemplars", "other assignment", "bound above", "loose bound"],
)
def test_another_result_fails(monkeypatch, change, failed):
    spoil(monkeypatch, module, "facility_location", lambda found: replace(found, **change(found)))
    assert failing(module) == failed


def test_worse_exemplars_with_their_own_value_fail(monkeypatch):
    solve = module.facility_location

    def everyone(d, **options):
        chosen = np.arange(len(d))
        value = module.reference.value_of(d, chosen)
        return replace(solve(d, **options), exemplars=chosen, assignment=chosen, value=value)

    monkeypatch.setattr(module, "facility_location", everyone)
    assert failing(module) == {"optimum"}


def test_prices_allow_about_so_many_exemplars():
    d = module.between(np.random.default_rng(0).normal(size=(60, 2)))
    numbers = [len(module.facility_location(module.with_prices(d, k)).exemplars) for k in (2, 4, 8)]
    assert numbers == sorted(numbers) and numbers[0] <= 4 and 2 <= numbers[1] <= 9 and numbers[2] >= 6
