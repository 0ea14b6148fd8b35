"""Similarities of given distances: those of the features, in any unit."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from cladebench.metrics import Similarity, similarity_of_distances

X = np.random.default_rng(0).normal(size=(20, 4))
D = squareform(pdist(X))


def test_they_are_those_of_the_features_with_these_distances():
    np.testing.assert_allclose(similarity_of_distances(D), Similarity()(X))


def test_the_median_is_of_pairs_that_are_apart():
    distances = np.array([[0.0, 0, 1, 2], [0, 0, 1, 2], [1, 1, 0, 2], [2, 2, 2, 0]])
    apart = [1, 2, 1, 2, 2]
    np.testing.assert_allclose(
        similarity_of_distances(distances), np.exp(-(distances**2) / np.median(np.square(apart)))
    )


@pytest.mark.parametrize("power", [-600, 600])
def test_they_are_the_same_in_any_unit(power):
    np.testing.assert_array_equal(similarity_of_distances(np.ldexp(D, power)), similarity_of_distances(D))


def test_where_nothing_is_apart_all_are_1():
    assert (similarity_of_distances(np.zeros((3, 3))) == 1).all()
    assert similarity_of_distances([[0.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("distances", "said"),
    [(D[:4], r"shape \(4, 20\); expected \(n_samples, n_samples"), ([[np.nan]], "is nan")],
)
def test_what_is_no_matrix_of_distances_is_refused(distances, said):
    with pytest.raises(ValueError, match=said):
        similarity_of_distances(distances)
