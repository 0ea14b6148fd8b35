"""A method of a user may use its rows as its own: its clusters are the same, and so is all else."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from cladebench import datasets
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.comparison.protocol import PROTOCOL
from task_draws import drawn_cell

BLOBS = datasets.load("nested-blobs")


class Means:
    """No `labels_`: its clusters are what it predicts of the rows."""

    def fit(self, X):
        self.means_ = KMeans(4, n_init=1, random_state=0).fit(X).cluster_centers_

    def predict(self, X):
        return np.square(X[:, None] - self.means_).sum(axis=2).argmin(axis=1)


class WritesInFit(Means):
    def fit(self, X):
        super().fit(X)
        X[:] = 0.0


class WritesInPredict(Means):
    def predict(self, X):
        found = super().predict(X)
        X[:] = 0.0
        return found


class FitsTwice:
    def fit(self, X):
        X[:] = 0.0

    def fit_predict(self, X):
        means = Means()
        means.fit(X)
        return means.predict(X)


def measured(method):
    plan = MethodPlan("M", f"{__name__}.{method.__name__}", {})
    return PROTOCOL.measure(drawn_cell("comparison", plan, BLOBS))


@pytest.mark.parametrize("method", [WritesInFit, WritesInPredict, FitsTwice])
def test_a_method_that_writes_into_its_rows_finds_the_same_clusters(method):
    before, right = BLOBS.X.copy(), measured(Means)
    (name,) = right.arrays.keys() - {"rows"}
    found = measured(method)
    assert len(np.unique(right.arrays[name])) == 4
    np.testing.assert_array_equal(found.arrays[name], right.arrays[name])
    for one, other in zip(found.readings, right.readings, strict=True):
        assert {**one.metrics, "fit_seconds": 0} == {**other.metrics, "fit_seconds": 0}
    np.testing.assert_array_equal(BLOBS.X, before)
