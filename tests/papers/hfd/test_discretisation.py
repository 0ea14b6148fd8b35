"""Clusters that are nearest to a rotation of the eigenvectors' rows."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from cladebench.methods._spectral import cut_rows
from cladebench.papers.hfd import graph_clustering
from cladebench.papers.hfd.discretisation import discretised, first_rotation


def nearness(Z, labels):
    """The greatest inner product of the indicators of a partition with a rotation of Z."""
    return np.linalg.svd(Z.T @ np.eye(Z.shape[1])[list(labels)], compute_uv=False).sum()


def turned_blocks(sizes, noise, seed):
    """Indicators of blocks, each row of another length, noisy, all turned by one rotation."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.eye(len(sizes))[labels] * rng.uniform(0.2, 3.0, size=(len(labels), 1))
    rows += noise * rng.normal(size=rows.shape)
    return rows @ ortho_group.rvs(len(sizes), random_state=rng), labels


@pytest.mark.parametrize("sizes", [(3, 3), (9, 1), (2, 5, 4), (1, 2, 3, 4, 20)])
@pytest.mark.parametrize("seed", range(5))
def test_exact_blocks_are_found_whatever_the_rotation(sizes, seed):
    rows, labels = turned_blocks(sizes, 0.0, seed)
    assert adjusted_rand_score(labels, discretised(rows, seed)) == 1.0


@pytest.mark.parametrize(("n", "k"), [(9, 2), (7, 3)])
@pytest.mark.parametrize("seed", range(10))
def test_no_partition_is_nearer_where_blocks_are_clear(n, k, seed):
    rows, _ = turned_blocks(np.bincount(np.arange(n) % k), 0.05, seed)
    Z = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    best = max(nearness(Z, labels) for labels in product(range(k), repeat=n))
    assert nearness(Z, discretised(rows, seed)) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_neither_half_step_changes_what_is_given(seed):
    rows = np.random.default_rng(seed).normal(size=(60, 4))
    labels = discretised(rows, seed)
    Z = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    U, _, Vt = np.linalg.svd(Z.T @ np.eye(4)[labels])
    assert np.array_equal(labels, np.argmax(Z @ U @ Vt, axis=1))


def test_the_first_rotation_has_rows_of_other_directions():
    Z = np.array(
        [
            [1.0, 0.0, 0.0],
            [0.8, 0.6, 0.0],
            [0.0, 1.0, 0.0],
            [0.6, 0.0, 0.8],
            [0.0, 0.6, 0.8],
            [-1.0, 0.0, 0.0],
        ]
    )
    # Next the first one at a right angle, opposite or not, then the least sum of both cosines.
    assert np.array_equal(first_rotation(Z, 0), Z[[0, 2, 3]].T)


def test_it_agrees_with_a_public_program():
    X, _ = make_blobs(150, centers=4, cluster_std=2.0, random_state=3)
    far, near = NearestNeighbors(n_neighbors=10).fit(X).kneighbors()
    W = graph_clustering.graph(near, graph_clustering.gaussian(far, 1.0))
    peer = SpectralClustering(4, affinity="precomputed", assign_labels="discretize", random_state=0)
    ours = discretised(cut_rows(W, 4), 0)
    assert adjusted_rand_score(peer.fit_predict(W.toarray()), ours) > 0.95
