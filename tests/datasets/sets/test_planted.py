"""Planted hierarchies: what is promised of them holds, and their bytes are pinned."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from cladebench import datasets
from cladebench.datasets.sets import planted
from cladebench.hierarchy import Hierarchy

PINNED = {
    "planted-splits": (
        "3206c6d1ccc55c966f212dc0be21a110cd8826591ef6bdcee76ff9134b210c31",
        "7649870106c39f84780b61bf34e9c51dfeaca085cfcd94955ab483785d82bbae",
    ),
    "planted-shared": (
        "bda8f08e98abfdd588451d435a4858ea781ebe38cfbed71a9be0a18711ed1909",
        "390ca2af1d2c270d188262cdb5e769326d04330a9c16c89e3a06c3b0b9b45b48",
    ),
}


@pytest.fixture(scope="module", params=[0, 3])
def pair(request):
    return [datasets.load(name, request.param) for name in PINNED]


@pytest.mark.parametrize("name", PINNED)
def test_planted_data_are_pinned(name):
    """A change of NumPy's random stream must not pass unseen: records would no longer be comparable."""
    assert tuple(datasets.load(name, draw).content_sha256 for draw in (0, 4)) == PINNED[name]


def test_each_split_has_four_features_of_its_own(pair):
    splits, _ = pair
    tree = Hierarchy(splits.class_parents, np.arange(16))
    means = np.array([splits.X[splits.labels == c].mean(axis=0) for c in range(16)])
    names, own = np.array(splits.feature_names), set()
    for node in np.flatnonzero(np.bincount(tree.parents[:-1], minlength=31) > 0):
        left, right = ([c for c in range(16) if below(tree, c, child)] for child in tree.children(node))
        used = [f for f in range(100) if (means[left, f] < -0.5).all() and (means[right, f] > 0.5).all()]
        others = np.setdiff1d(np.arange(16), [*left, *right])
        assert len(used) == 4 and (np.abs(means[np.ix_(others, used)]) < 0.5).all()
        assert len({name.partition(",")[0] for name in names[used]}) == 1
        own |= set(used)
    assert len(own) == 60
    assert {names[f].split()[0] for f in range(100) if f not in own} == {"idle"}
    within = splits.X - means[splits.labels]
    assert within.std() == pytest.approx(1, abs=0.02)


def below(tree, c, node):
    while c not in (-1, node):
        c = tree.parents[c]
    return c == node


def test_shared_features_are_the_same_points_turned(pair):
    splits, shared = pair
    assert (splits.labels == shared.labels).all()
    np.testing.assert_allclose(pdist(splits.X[:400]), pdist(shared.X[:400]), atol=1e-4)
    idle = [name.startswith("idle") for name in splits.feature_names]
    assert idle == [name.startswith("idle") for name in shared.feature_names] and sum(idle) == 40
    np.testing.assert_array_equal(splits.X[:, idle], shared.X[:, idle])


def test_shared_features_serve_every_split_alike(pair):
    """Of the squared difference of a split's two sides no four features have more than a small share."""
    splits, shared = pair
    for data, least, most in ((splits, 0.8, 1.0), (shared, 0.0, 0.5)):
        means = np.array([data.X[data.labels == c].mean(axis=0) for c in range(16)])
        for left, right in ((range(8), range(8, 16)), (range(4), range(4, 8)), ([0], [1])):
            gaps = np.square(means[list(left)].mean(axis=0) - means[list(right)].mean(axis=0))
            share = np.sort(gaps)[-4:].sum() / gaps.sum()
            assert least < share <= most


def test_means_are_those_of_the_tree():
    means = planted.class_means()
    assert means.shape == (16, 60) and set(np.unique(means)) == {-1, 0, 1}
    assert (np.abs(means).sum(axis=1) == 16).all()  # four levels of four features
    # The later two classes part, the further apart they are.
    gaps = np.square(means[:, None] - means[None]).sum(axis=-1)
    assert gaps[0, [1, 2, 4, 8]].tolist() == [16.0, 24.0, 32.0, 40.0]


def test_classes_are_of_one_size_in_random_order(pair):
    for data in pair:
        assert np.bincount(data.labels).tolist() == [100] * 16
        assert (np.diff(data.labels) != 0).sum() > 1300
        assert not np.signbit(data.X[data.X == 0]).any()
        np.testing.assert_array_equal(data.X, np.round(data.X, planted.DECIMALS))
