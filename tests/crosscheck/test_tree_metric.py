"""The cross-check of tree metrics fails when the kernel is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.crosscheck import tree_metric as module
from cladebench.crosscheck.certificate import ROUNDING
from solver_checks import failing, spoil

pytestmark = pytest.mark.usefixtures("iris_alone")


def test_another_residual_fails(monkeypatch):
    spoil(monkeypatch, module, "fit_tree_metric", lambda fit: replace(fit, residual=fit.residual * 1.001))
    assert failing(module) >= {"residual", "all-topologies"}


def test_distances_that_are_no_paths_fail(monkeypatch):
    def bent(fit):
        D = fit.distances.copy()
        D[0, 1] = D[1, 0] = 3.0 * D.max()
        return replace(fit, distances=D)

    spoil(monkeypatch, module, "fit_tree_metric", bent)
    assert failing(module) >= {"residual", "four-point"}


def test_longer_lengths_fail(monkeypatch):
    spoil(monkeypatch, module, "fit_branch_lengths", lambda fit: replace(fit, residual=fit.residual * 1.0001))
    assert failing(module) == {"lengths", "lengths-random"}


def test_a_search_below_the_optimum_fails(monkeypatch):
    solve = module.fit_tree_metric

    def too_good(D, **options):
        fit = solve(D, **options)
        return fit if options else replace(fit, residual=fit.residual * 0.9)

    monkeypatch.setattr(module, "fit_tree_metric", too_good)
    assert failing(module) == {"residual", "all-topologies"}


def test_another_tree_of_neighbour_joining_fails(monkeypatch):
    joined = module._core.neighbor_joining

    class Core:
        @staticmethod
        def neighbor_joining(D):
            order = np.roll(np.arange(len(D)), 1)
            return joined(np.ascontiguousarray(D[np.ix_(order, order)]))

    monkeypatch.setattr(module, "_core", Core)
    assert failing(module) == {"neighbour-joining"}


def test_groups_are_halves_of_classes():
    X = np.repeat([[0.0, 0.0], [3.0, 4.0]], 4, axis=0)
    labels = np.repeat([0, 1], 4)
    D = module.class_distances(X, labels, 3, np.random.default_rng(0))
    assert D.shape == (3, 3) and D[0, 2] == pytest.approx(0.0, abs=ROUNDING)
    assert D[0, 1] == D[1, 0] == pytest.approx(np.hypot(2.0, 2.0))
