"""The cross-check of learning with exemplars fails when slaves, bounds or weights are wrong."""

from dataclasses import replace

import pytest

from cladebench.crosscheck import exemplar_learning as module
from cladebench.solvers.dual_decomposition import Energy

pytestmark = pytest.mark.usefixtures("iris_alone")


def certificates():
    return list(module.certificates("smoke", 0))


def failing():
    return {c.name for c in certificates() if not c.passed}


def test_all_pass_and_each_kind_is_there():
    found = certificates()
    assert all(c.passed for c in found)
    assert {c.name for c in found} == {"slaves", "bound", "optimum", "weights"}
    assert len({c.id for c in found}) == len(found) == 8 and {c.topic for c in found} == set(module.TOPICS)


def test_another_minimum_of_slaves_fails(monkeypatch):
    class Wrong(module.ClusteringProblem):
        def relax(self, w):
            energy = super().relax(w)
            return Energy(energy.features, energy.rest + 1e-6)

    monkeypatch.setattr(module, "ClusteringProblem", Wrong)
    assert "slaves" in failing()


def test_a_bound_that_is_too_high_fails(monkeypatch):
    class High(module.ClusteringProblem):
        def relax(self, w):
            energy = super().relax(w)
            return Energy(energy.features, energy.rest + 3.0)

    monkeypatch.setattr(module, "ClusteringProblem", High)
    assert failing() == {"slaves", "bound", "optimum", "weights"}


def test_multipliers_that_do_not_sum_to_zero_fail(monkeypatch):
    class Drifting(module.ClusteringProblem):
        def move(self, step):
            super().move(step)
            self.offset = self.offset * 0.5

    monkeypatch.setattr(module, "ClusteringProblem", Drifting)
    assert failing() >= {"bound", "optimum"}


@pytest.mark.parametrize("factor", [0.99, 1.1])
def test_weights_of_another_objective_fail(monkeypatch, factor):
    learn = module.learn

    def changed(*given, **options):
        found = learn(*given, **options)
        return replace(found, objective=found.objective * factor)

    monkeypatch.setattr(module, "learn", changed)
    assert failing() == {"weights"}
