"""Planted hierarchies: what is promised of them holds, and their bytes are pinned."""

from __future__ import annotations

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets.sets import planted

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
