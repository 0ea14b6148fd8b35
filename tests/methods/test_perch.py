"""The PERCH estimator: order of arrival, collapsed mode, purity on separated clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.methods import Perch
from cladebench.metrics import dendrogram_purity
from cladebench.reference.perch import perch as twin

ROTATIONS = ["none", "masking", "masking+balance"]


def test_a_bound_on_the_leaves_may_be_beyond_the_samples() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    free, bounded = (Perch(max_leaves=k, random_state=0).fit(X).hierarchy_ for k in (None, 2**31 - 1))
    assert np.array_equal(free.parents, bounded.parents) and np.array_equal(free.leaf_of, bounded.leaf_of)


@pytest.mark.parametrize("rotations", ROTATIONS)
def test_samples_are_numbered_as_the_rows(rotations: str) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    tree = Perch(rotations=rotations, random_state=5).fit(X).hierarchy_
    order = np.random.RandomState(5).permutation(60)
    parents, arrived_at, _ = twin(X[order], rotations)
    assert np.array_equal(tree.parents, parents)
    assert np.array_equal(tree.leaf_of[order], arrived_at)


@given(st.integers(0, 10_000), st.sampled_from(["masking", "masking+balance"]))
def test_separated_clusters_come_out_pure_in_any_order(seed: int, rotations: str) -> None:
    # Any two clusters' boxes lie farther apart than a cluster's box is long, so that boxes prove what they must.
    random = np.random.default_rng(seed)
    n_clusters = int(random.integers(2, 7))
    labels = random.integers(0, n_clusters, 60)
    labels[:n_clusters] = np.arange(n_clusters)
    X = random.uniform(0, 1, (60, 2))
    X[:, 0] += 10.0**labels
    model = Perch(n_clusters, rotations=rotations, random_state=seed).fit(X)
    assert dendrogram_purity(model.hierarchy_, labels) == 1.0


def test_collapsed_mode_shares_leaves() -> None:
    X = np.random.default_rng(0).normal(size=(100, 3))
    model = Perch(4, max_leaves=10, random_state=0).fit(X)
    assert model.hierarchy_.n_leaves == 10
    assert len(np.unique(model.labels_)) == 4
    assert Perch(4, max_leaves=100, random_state=0).fit(X).hierarchy_.n_leaves == 100


def test_equal_samples_are_separate_leaves() -> None:
    model = Perch(random_state=0).fit(np.ones((30, 4)))
    assert model.hierarchy_.n_leaves == 30
    assert not np.any(model.hierarchy_.heights)
