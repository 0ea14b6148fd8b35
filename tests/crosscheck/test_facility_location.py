"""The cross-check of facility location fails when the solver is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.crosscheck import facility_location as module
from solver_checks import failing, spoil

pytestmark = pytest.mark.usefixtures("iris_alone")


def changed(monkeypatch, change):
    spoil(monkeypatch, module, "facility_location", change)


def test_a_value_below_the_optimum_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, value=found.value - 1e-5 * abs(found.value)))
    assert failing(module) == {"value", "optimum"}


def test_other_exemplars_fail(monkeypatch):
    def worse(found):
        exemplars = np.setdiff1d(np.arange(len(found.assignment)), found.exemplars)[:2]
        return replace(found, exemplars=exemplars)

    changed(monkeypatch, worse)
    assert failing(module) == {"value"}


def test_another_assignment_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, assignment=np.roll(found.assignment, 1)))
    assert failing(module) == {"value"}


def test_worse_exemplars_with_their_own_value_fail(monkeypatch):
    solve = module.facility_location

    def everyone(d, **options):
        chosen = np.arange(len(d))
        value = module.reference.value_of(d, chosen)
        return replace(solve(d, **options), exemplars=chosen, assignment=chosen, value=value)

    monkeypatch.setattr(module, "facility_location", everyone)
    assert failing(module) == {"optimum"}


def test_a_bound_above_the_optimum_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, bound=found.bound + 2e-4 * abs(found.bound)))
    assert failing(module) == {"bound"}


def test_a_loose_bound_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, bound=found.bound - 1e-2 * abs(found.bound)))
    assert failing(module) == {"relaxation"}


def test_prices_allow_about_so_many_exemplars():
    d = module.between(np.random.default_rng(0).normal(size=(60, 2)))
    numbers = [len(module.facility_location(module.with_prices(d, k)).exemplars) for k in (2, 4, 8)]
    assert numbers == sorted(numbers) and numbers[0] <= 4 and 2 <= numbers[1] <= 9 and numbers[2] >= 6
