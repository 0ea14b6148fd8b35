"""Distances after a linear map, against SciPy's and scikit-learn's."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.covariance import empirical_covariance, shrunk_covariance

from cladebench.distances import Euclidean, RandomProjection
from cladebench.distances._linear import check_shrinkage, inverse_root

X = np.random.default_rng(0).normal(size=(60, 4)) @ np.random.default_rng(1).normal(size=(4, 4))
OTHERS = np.random.default_rng(2).normal(size=(7, 4))


def test_euclidean_is_that_of_scipy() -> None:
    assert np.array_equal(Euclidean().fit(X).pairwise(X, OTHERS), cdist(X, OTHERS))


@pytest.mark.parametrize("shrinkage", [0.0, 0.1, 0.7, 1.0])
def test_the_root_is_that_of_the_shrunk_covariance_of_scikit_learn(shrinkage: float) -> None:
    covariance = empirical_covariance(X)
    root = inverse_root(covariance, shrinkage)
    np.testing.assert_allclose(root.T @ root, np.linalg.inv(shrunk_covariance(covariance, shrinkage)))


def test_a_covariance_without_an_inverse_is_refused() -> None:
    flat = empirical_covariance(np.column_stack([X, X[:, 0]]))
    with pytest.raises(ValueError, match="singular with shrinkage=0"):
        inverse_root(flat, 0.0)
    assert np.isfinite(inverse_root(flat, 1e-6)).all()
    assert np.array_equal(inverse_root(np.zeros((2, 2)), 0.1), np.eye(2))
    for wrong in (-0.1, 1.1, np.nan, "0.1", True):
        with pytest.raises(ValueError, match=f"shrinkage={wrong!r}"):
            check_shrinkage(wrong)


def test_a_random_projection_keeps_squared_distances_in_expectation() -> None:
    a, b = X[:1], X[1:2]
    for n_components in (1, 3):
        squares = [
            RandomProjection(n_components=n_components, random_state=seed).fit(X).pairwise(a, b).item() ** 2
            for seed in range(600)
        ]
        assert np.mean(squares) == pytest.approx(cdist(a, b).item() ** 2, rel=0.25)
    assert RandomProjection(n_components=3, random_state=0).fit(X).components_.shape == (3, 4)
