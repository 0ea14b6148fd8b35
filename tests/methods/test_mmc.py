"""Flat max-margin clustering."""

import numpy as np
from sklearn.datasets import make_blobs

from cladebench.methods import HMMC, MMC
from cladebench.methods._max_margin import balance_bounds
from cladebench.metrics import rand_index


def blobs(std=0.3):
    X, y = make_blobs(150, 6, centers=5, cluster_std=std, center_box=(-4, 4), random_state=1)
    return X - X.mean(axis=0), y


def test_it_is_one_split_of_hmmc():
    X, _ = blobs(2.0)
    seed_of_the_root = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    flat = MMC(5, alpha=0.1, random_state=seed_of_the_root).fit(X)
    one_split = HMMC(5, n_splits=5, alpha=0.1, regularizer="l2", random_state=0).fit(X)
    assert np.array_equal(flat.labels_, one_split.labels_)
    assert np.array_equal(flat.models_, one_split.models_[0])


def test_separated_classes_are_found_in_balanced_clusters():
    X, y = blobs()
    model = MMC(5, random_state=0).fit(X)
    assert rand_index(y, model.labels_) == 1.0
    assert model.hierarchy_.n_nodes == 6
    lower, upper = balance_bounds(150, 5, 0.1)
    sizes = np.bincount(MMC(5, random_state=0).fit(blobs(3.0)[0]).labels_)
    assert lower <= sizes.min() <= sizes.max() <= upper


def test_without_balance_clusters_have_the_sizes_of_the_data():
    X, y = make_blobs([110, 10, 10, 10, 10], 6, cluster_std=0.3, center_box=(-4, 4), random_state=1)
    X -= X.mean(axis=0)
    found = {slack: MMC(5, slack=slack, random_state=0).fit(X).labels_ for slack in (0.1, 1.0, 100.0)}
    largest = {slack: np.bincount(labels).max() for slack, labels in found.items()}
    assert largest[0.1] <= balance_bounds(150, 5, 0.1)[1] and largest[1.0] <= 60  # 2 n/K
    assert rand_index(y, found[100.0]) == 1.0
    assert balance_bounds(150, 5, 100.0) == (1, 150)


def test_the_objective_never_rises():
    X, _ = blobs(3.0)
    model = MMC(5, alpha=1.0, random_state=0).fit(X)
    assert model.converged_
    assert (np.diff(model.objective_trace_) <= 1e-9).all()
    assert (model.models_ != 0).all()
