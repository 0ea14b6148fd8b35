from __future__ import annotations

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets.content import features_sha256
from cladebench.datasets.sets import generators
from cladebench.hierarchy import Hierarchy


def test_nested_blobs_are_pinned():
    """A change of NumPy's random stream must not pass unseen: records would no longer be comparable."""
    first, last = datasets.load("nested-blobs", 0), datasets.load("nested-blobs", 4)
    digests = [features_sha256(data.X, data.labels) for data in (first, last)]
    assert digests == [
        "b8fbe41b4d5a17926ca2fee8119a5ad71fe83aa49a991eca39dd8a277ac73255",
        "11717d9e2918a4e6e45d4a2070813900dbde929005d2d13dee59d9a969c3ffb3",
    ]


@pytest.mark.parametrize("branching", [(2,), (3,), (2, 2, 2), (2, 3), (3, 1, 2)])
def test_balanced_tree(branching):
    parents = generators.balanced_tree(branching)
    n_classes = int(np.prod(branching))
    assert parents[-1] == -1 and (parents[:-1] > np.arange(len(parents) - 1)).all()
    depth = np.zeros(len(parents), dtype=int)
    for node in range(len(parents) - 2, -1, -1):
        depth[node] = depth[parents[node]] + 1
    assert np.flatnonzero(np.bincount(parents[:-1], minlength=len(parents)) == 0).tolist() == list(
        range(n_classes)
    )
    for level, children in enumerate(branching):
        at_level = np.flatnonzero(depth == level)
        assert (np.bincount(parents[:-1], minlength=len(parents))[at_level] == children).all()


def test_the_class_tree_is_the_one_of_the_centres():
    data = datasets.load("nested-blobs", 1)
    assert data.class_parents is not None
    tree = Hierarchy.from_parents(data.class_parents, np.arange(8))
    assert tree.n_leaves == 8
    # By construction siblings' centres are 2 steps of length 2 apart at most, plus the noise of a mean of 30.
    centres = np.array([data.X[data.labels == c].mean(axis=0) for c in range(8)])
    for a in range(0, 8, 2):
        assert np.linalg.norm(centres[a] - centres[a + 1]) < 2 * 2.0 + 2.0
    halves = [centres[:4].mean(axis=0), centres[4:].mean(axis=0)]
    assert np.linalg.norm(halves[0] - halves[1]) > 4.0
