"""The cross-check of tree metrics fails when the kernel is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.crosscheck import tree_metric as module
from cladebench.crosscheck.certificate import ROUNDING

pytestmark = pytest.mark.usefixtures("iris_alone")


def certificates():
    return list(module.certificates("smoke", 0))


def failing():
    return {c.name for c in certificates() if not c.passed}


def test_all_pass_and_each_kind_is_there():
    found = certificates()
    assert all(c.passed for c in found)
    assert {c.name for c in found} == {
        "residual",
        "four-point",
        "lengths",
        "lengths-random",
        "neighbour-joining",
        "all-topologies",
    }
    assert len({c.id for c in found}) == len(found) and {c.topic for c in found} == set(module.TOPICS)


def changed(monkeypatch, name, change):
    solve = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **options: change(solve(*given, **options)))


def test_another_residual_fails(monkeypatch):
    changed(monkeypatch, "fit_tree_metric", lambda fit: replace(fit, residual=fit.residual * 1.001))
    assert failing() >= {"residual", "all-topologies"}


def test_distances_that_are_no_paths_fail(monkeypatch):
    def bent(fit):
        D = fit.distances.copy()
        D[0, 1] = D[1, 0] = 3.0 * D.max()
        return replace(fit, distances=D)

    changed(monkeypatch, "fit_tree_metric", bent)
    assert failing() >= {"residual", "four-point"}


def test_longer_lengths_fail(monkeypatch):
    changed(monkeypatch, "fit_branch_lengths", lambda fit: replace(fit, residual=fit.residual * 1.0001))
    assert failing() == {"lengths", "lengths-random"}


def test_a_search_below_the_optimum_fails(monkeypatch):
    solve = module.fit_tree_metric

    def too_good(D, **options):
        fit = solve(D, **options)
        return fit if options else replace(fit, residual=fit.residual * 0.9)

    monkeypatch.setattr(module, "fit_tree_metric", too_good)
    assert failing() == {"residual", "all-topologies"}


def test_another_tree_of_neighbour_joining_fails(monkeypatch):
    joined = module._core.neighbor_joining

    class Core:
        @staticmethod
        def neighbor_joining(D):
            order = np.roll(np.arange(len(D)), 1)
            return joined(np.ascontiguousarray(D[np.ix_(order, order)]))

    monkeypatch.setattr(module, "_core", Core)
    assert failing() == {"neighbour-joining"}


def test_groups_are_halves_of_classes():
    X = np.repeat([[0.0, 0.0], [3.0, 4.0]], 4, axis=0)
    labels = np.repeat([0, 1], 4)
    D = module.class_distances(X, labels, 3, np.random.default_rng(0))
    assert D.shape == (3, 3) and D[0, 2] == pytest.approx(0.0, abs=ROUNDING)
    assert D[0, 1] == D[1, 0] == pytest.approx(np.hypot(2.0, 2.0))
