"""Distances after a linear map, against SciPy's and scikit-learn's."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.covariance import empirical_covariance, shrunk_covariance
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from cladebench.distances import Euclidean, Mahalanobis, RandomProjection, WithinClassMahalanobis

X = np.random.default_rng(0).normal(size=(60, 4)) @ np.random.default_rng(1).normal(size=(4, 4))
Y = np.array(["a", "b", "c"])[np.arange(60) % 3]
OTHERS = np.random.default_rng(2).normal(size=(7, 4))


def test_euclidean_is_that_of_scipy() -> None:
    assert np.array_equal(Euclidean().fit(X).pairwise(X, OTHERS), cdist(X, OTHERS))


@pytest.mark.parametrize("shrinkage", [0.0, 0.1, 0.7, 1.0])
def test_mahalanobis_is_that_of_scipy_with_the_shrunk_covariance(shrinkage: float) -> None:
    inverse = np.linalg.inv(shrunk_covariance(empirical_covariance(X), shrinkage))
    found = Mahalanobis(shrinkage=shrinkage).fit(X)
    np.testing.assert_allclose(found.pairwise(X, OTHERS), cdist(X, OTHERS, "mahalanobis", VI=inverse))
    np.testing.assert_allclose(found.components_.T @ found.components_, inverse)


def test_within_classes_it_is_the_pooled_covariance() -> None:
    model = LinearDiscriminantAnalysis(solver="lsqr", store_covariance=True).fit(X, Y)
    inverse = np.linalg.inv(shrunk_covariance(model.covariance_, 0.3))
    found = WithinClassMahalanobis(shrinkage=0.3).fit(X, Y)
    np.testing.assert_allclose(found.pairwise(X, OTHERS), cdist(X, OTHERS, "mahalanobis", VI=inverse))


def test_a_covariance_without_an_inverse_is_refused() -> None:
    flat = np.column_stack([X, X[:, 0]])
    with pytest.raises(ValueError, match="singular with shrinkage=0"):
        Mahalanobis(shrinkage=0).fit(flat)
    Mahalanobis(shrinkage=1e-6).fit(flat)
    for wrong in (-0.1, 1.1, np.nan, "0.1", True):
        for cls in (Mahalanobis, WithinClassMahalanobis):
            with pytest.raises(ValueError, match=f"shrinkage={wrong!r}"):
                cls(shrinkage=wrong).fit(X, Y)


def test_equal_samples_count_as_a_covariance_of_one() -> None:
    found = Mahalanobis().fit(np.ones((5, 2)))
    assert found.pairwise([[0.0, 0.0]], [[3.0, 4.0]]).tolist() == [[5.0]]
    assert np.array_equal(WithinClassMahalanobis().fit(X, np.arange(60)).components_, np.eye(4))


def test_a_random_projection_keeps_squared_distances_in_expectation() -> None:
    a, b = X[:1], X[1:2]
    for n_components in (1, 3):
        squares = [
            RandomProjection(n_components=n_components, random_state=seed).fit(X).pairwise(a, b).item() ** 2
            for seed in range(600)
        ]
        assert np.mean(squares) == pytest.approx(cdist(a, b).item() ** 2, rel=0.25)
    assert RandomProjection(n_components=3, random_state=0).fit(X).components_.shape == (3, 4)
    with pytest.raises(ValueError, match="n_components=0: expected an integer >= 1"):
        RandomProjection(n_components=0).fit(X)
