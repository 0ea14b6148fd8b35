"""The cross-check of correlation clustering fails when what it checks is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.crosscheck import correlation_clustering as module
from solver_checks import failing, spoil

pytestmark = pytest.mark.usefixtures("iris_alone")


def changed(monkeypatch, change):
    spoil(monkeypatch, module, "correlation_clustering", change)


def test_another_value_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, value=found.value * 1.001 + 1e-6))
    assert "value" in failing(module)


def test_a_partition_better_than_the_best_fails(monkeypatch):
    spoil(monkeypatch, module.reference, "partition_programme", lambda found: (found[0], 0.9 * found[1]))
    assert failing(module) == {"value"}


def test_a_bound_below_the_best_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, bound=0.9 * found.bound))
    assert failing(module) >= {"bound", "multipliers", "relaxation"}


def test_a_slack_bound_fails(monkeypatch):
    changed(monkeypatch, lambda found: replace(found, bound=1.1 * found.bound))
    assert failing(module) == {"multipliers", "relaxation"}


def test_shares_that_violate_a_triangle_fail(monkeypatch):
    def bent(found):
        x = found.relaxed.copy()
        x[0, 1:] = x[1:, 0] = 1.0
        x[1, 2] = x[2, 1] = 0.0
        return replace(found, relaxed=x)

    changed(monkeypatch, bent)
    assert failing(module) == {"feasible"}


def test_another_objective_fails(monkeypatch):
    def other(fitted):
        fitted.objective_ *= 1.01
        return fitted

    spoil(monkeypatch, module.SVMCluster, "fit", other)
    assert failing(module) == {"objective"}


def test_instances_have_similarities_of_either_sign():
    for _, X in module._points(10, 1, 0):
        S = module._similarity(X)
        assert np.array_equal(S, S.T)
        positive = (S[np.triu_indices(10, 1)] > 0).mean()
        assert 0.4 <= positive <= 0.6
