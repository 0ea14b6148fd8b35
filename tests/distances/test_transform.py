"""Distances that map samples serve as transformers."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cladebench import distances
from cladebench.distances import DCA, LMNN, Euclidean
from cladebench.distances._mapped import MappedDistance

X, Y = load_iris(return_X_y=True)
MAPPED = distances.discover(MappedDistance)


@pytest.fixture(scope="module", params=sorted(MAPPED))
def fitted(request):
    cls = MAPPED[request.param]
    return cls(**cls.contract_params).fit(X[::2], Y[::2])


def test_these_are_transformers():
    assert set(MAPPED) >= {"BoostMetric", "DCA", "Euclidean", "GBLMNN", "ITML", "LMNN", "RandomProjection"}


def test_the_distance_is_the_euclidean_one_of_the_images(fitted):
    images = fitted.transform(X)
    assert images.shape == (len(X), len(fitted.get_feature_names_out()))
    np.testing.assert_allclose(cdist(images, images[:9]), fitted.pairwise(X, X[:9]), rtol=1e-9, atol=1e-12)
    # Where a row is mapped to depends on no other row, to the last bit.
    assert np.array_equal(fitted.transform(X[3:5]), images[3:5])


def test_the_images_are_no_view_of_what_was_given(fitted):
    given = X.copy()
    fitted.transform(given)[:] = 7.0
    assert np.array_equal(given, X)


def test_the_output_may_be_a_table_with_names(fitted):
    name = type(fitted).__name__.lower()
    table = fitted.set_output(transform="pandas").transform(X[:4])
    fitted.set_output(transform="default")
    assert isinstance(table, pd.DataFrame) and table.columns[0] == f"{name}0"
    assert np.array_equal(table.to_numpy(), fitted.transform(X[:4]))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (X[:, :2], "X has 2 features, but .* is expecting 4 features as input"),
        (np.full((1, 4), np.nan), "NaN"),
        (np.ma.array(X[:1], mask=[[True, False, False, False]]), "masked"),
    ],
)
def test_wrong_rows_are_refused(fitted, rows, message):
    with pytest.raises(ValueError, match=message):
        fitted.transform(rows)


def test_a_pipeline_takes_them():
    for distance in (LMNN(), DCA(n_components=2)):
        model = make_pipeline(StandardScaler(), distance, KNeighborsClassifier(3)).fit(X[::2], Y[::2])
        assert model.score(X[1::2], Y[1::2]) > 0.9
    assert model[:-1].get_feature_names_out().tolist() == ["dca0", "dca1"]


def test_sparse_rows_stay_sparse_where_nothing_is_learned():
    rows = sparse.random_array((20, 9), density=0.2, rng=np.random.default_rng(0), format="csr")
    images = Euclidean().fit(rows).transform(rows)
    assert sparse.issparse(images) and np.array_equal(images.toarray(), rows.toarray())
