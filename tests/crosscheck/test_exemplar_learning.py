"""The cross-check of learning with exemplars fails when slaves, bounds or weights are wrong."""

from dataclasses import replace

import pytest

from cladebench.crosscheck import exemplar_learning as module
from cladebench.solvers.dual_decomposition import Energy
from solver_checks import failing, spoil

pytestmark = pytest.mark.usefixtures("iris_alone")


def test_another_minimum_of_slaves_fails(monkeypatch):
    class Wrong(module.ClusteringProblem):
        def relax(self, w):
            energy = super().relax(w)
            return Energy(energy.features, energy.rest + 1e-6)

    monkeypatch.setattr(module, "ClusteringProblem", Wrong)
    assert "slaves" in failing(module)


def test_a_bound_that_is_too_high_fails(monkeypatch):
    class High(module.ClusteringProblem):
        def relax(self, w):
            energy = super().relax(w)
            return Energy(energy.features, energy.rest + 3.0)

    monkeypatch.setattr(module, "ClusteringProblem", High)
    assert failing(module) == {"slaves", "bound", "optimum", "weights"}


def test_multipliers_that_do_not_sum_to_zero_fail(monkeypatch):
    class Drifting(module.ClusteringProblem):
        def move(self, step):
            super().move(step)
            self.offset = self.offset * 0.5

    monkeypatch.setattr(module, "ClusteringProblem", Drifting)
    assert failing(module) >= {"bound", "optimum"}


@pytest.mark.parametrize("factor", [0.99, 1.1])
def test_weights_of_another_objective_fail(monkeypatch, factor):
    spoil(monkeypatch, module, "learn", lambda found: replace(found, objective=found.objective * factor))
    assert failing(module) == {"weights"}
