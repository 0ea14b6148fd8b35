"""The cross-check of facility location fails when the solver is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.crosscheck import facility_location as module

pytestmark = pytest.mark.usefixtures("iris_alone")


def certificates():
    return list(module.certificates("smoke", 0))


def failing():
    return {c.name for c in certificates() if not c.passed}


def changed(monkeypatch, change):
    solve = module.facility_location
    monkeypatch.setattr(
        module, "facility_location", lambda *given, **options: change(solve(*given, **options))
    )


def test_all_pass_and_each_kind_is_there():
    found = certificates()
    assert all(c.passed for c in found)
    assert {c.name for c in found} == {"value", "optimum", "bound", "relaxation"}
    assert {c.instance.rsplit("-", 2)[0] for c in found} == {
        "uniform",
        "clusters",
        "asymmetric",
        "signed-prices",
        "iris",
    }
    assert len({c.id for c in found}) == len(found) and {c.topic for c in found} == set(module.TOPICS)


def test_a_value_below_the_optimum_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, value=found.value - 1e-5 * abs(found.value)))
    assert failing() == {"value", "optimum"}


def test_other_exemplars_fail(monkeypatch):
    def worse(found):
        exemplars = np.setdiff1d(np.arange(len(found.assignment)), found.exemplars)[:2]
        return replace(found, exemplars=exemplars)

    changed(monkeypatch, worse)
    assert failing() == {"value"}


def test_another_assignment_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, assignment=np.roll(found.assignment, 1)))
    assert failing() == {"value"}


def test_worse_exemplars_with_their_own_value_fail(monkeypatch):
    solve = module.facility_location

    def everyone(d, **options):
        chosen = np.arange(len(d))
        return replace(
            solve(d, **options),
            exemplars=chosen,
            assignment=chosen,
            value=module.reference.value_of(d, chosen),
        )

    monkeypatch.setattr(module, "facility_location", everyone)
    assert failing() == {"optimum"}


def test_a_bound_above_the_optimum_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, bound=found.bound + 2e-4 * abs(found.bound)))
    assert failing() == {"bound"}


def test_a_loose_bound_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, bound=found.bound - 1e-2 * abs(found.bound)))
    assert failing() == {"relaxation"}


def test_prices_allow_about_so_many_exemplars():
    d = module.between(np.random.default_rng(0).normal(size=(60, 2)))
    numbers = [len(module.facility_location(module.with_prices(d, k)).exemplars) for k in (2, 4, 8)]
    assert numbers == sorted(numbers) and numbers[0] <= 4 and 2 <= numbers[1] <= 9 and numbers[2] >= 6
