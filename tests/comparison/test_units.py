"""Similarities and projections do not depend on the unit of distances and features."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from cladebench.comparison import protocol
from cladebench.comparison.pictures import projection

X = np.random.default_rng(0).normal(size=(20, 4))
D = squareform(pdist(X))


@pytest.mark.parametrize("power", [-600, 600])
def test_similarities_of_distances_are_the_same_in_any_unit(power):
    np.testing.assert_array_equal(protocol._similarities(np.ldexp(D, power)), protocol._similarities(D))


@pytest.mark.parametrize("power", [-600, 600])
@pytest.mark.parametrize(("values", "distances"), [(X, False), (D, True)])
def test_points_are_drawn_the_same_in_any_unit(values, distances, power):
    right, rows = projection(values, distances)
    found, same = projection(np.ldexp(values, power), distances)
    np.testing.assert_array_equal(same, rows)
    np.testing.assert_array_equal(found, right)
    assert np.linalg.matrix_rank(found) == 2
