"""The cross-check of node splits: it passes where the descent ends, and sees points that are no local optimum."""

import dataclasses

import numpy as np
import pytest

from cladebench.crosscheck.node_split import ALPHA, TOLERANCE, _left_to_gain, certificates
from cladebench.methods._max_margin import Penalties, balance_bounds, split_node


def test_all_pass_and_say_how_far_the_global_optimum_is():
    found = list(certificates("smoke", 0))
    assert all(one.passed for one in found), [one.id for one in found if not one.passed]
    local = [one for one in found if one.id.endswith("-local")]
    assert len(local) * 2 == len(found)
    assert all(abs(one.gap) < 1e-5 for one in local)
    assert all(one.gap > -1e-5 for one in found)


@pytest.fixture
def split():
    X = np.random.default_rng(5).normal(size=(10, 4))
    none = np.zeros(4)
    penalties = Penalties(none + ALPHA / 8, none, none)
    bounds = balance_bounds(10, 2, 0.1)
    options = {"slack": 0.1, "n_init": 1, "max_iter": 100, "w_tol": 1e-7}
    return X, split_node(X, 2, penalties, **options, random=np.random.RandomState(0)), penalties, bounds


def test_models_that_are_not_optimal_are_seen(split):
    X, found, penalties, bounds = split
    assert _left_to_gain(X, found, penalties, *bounds)[1] < TOLERANCE
    spoiled = dataclasses.replace(found, W=0.9 * found.W)
    assert _left_to_gain(X, spoiled, penalties, *bounds)[1] > 100 * TOLERANCE


def test_labels_that_can_be_bettered_are_seen(split):
    X, found, penalties, bounds = split
    moved, _ = _left_to_gain(X, found, penalties, *bounds)
    assert moved == pytest.approx(found.objective, rel=1e-9)
    swapped = found.labels.copy()
    swapped[[np.argmin(swapped), np.argmax(swapped)]] = 1, 0
    worse = (
        np.square(np.maximum(0, 1 - (X @ (found.W[swapped] - found.W[1 - swapped]).T).diagonal())).sum() / 20
    )
    assert worse + penalties.value(found.W) > moved * (1 + 1e-3)
