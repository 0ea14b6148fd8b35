"""Distances between histograms against their plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import additive_chi2_kernel

from cladebench.metrics.histogram_distances import KINDS, histogram_distances, mean_squared_distance
from cladebench.reference import histogram_distances as twin

#: Many zeros and equal rows.
values = st.sampled_from([0.0, 0.0, 0.125, 0.25, 0.5, 1.0, 3.0]) | st.floats(0, 1e3).map(
    lambda v: round(v, 6)
)


@st.composite
def rows(draw, n_columns=None):
    shape = draw(st.integers(1, 6)), n_columns or draw(st.integers(1, 5))
    return draw(arrays(np.float64, shape, elements=values))


@st.composite
def two(draw):
    X = draw(rows())
    return X, draw(rows(n_columns=X.shape[1]))


def looped(X, Y, kind, width=1.0):
    return np.array([[twin.histogram_distance(x, y, kind, width) for y in Y.tolist()] for x in X.tolist()])


@pytest.mark.parametrize("kind", KINDS)
@given(two())
@settings(max_examples=50, deadline=None)
def test_distances_are_those_of_the_twin(kind, sides):
    X, Y = sides
    width = {"width": 2.5} if kind == "rbf" else {}
    found = histogram_distances(X, Y, kind, **width)
    assert found.shape == (len(X), len(Y))
    # The twin's kernel distance cancels near zero, where the fast one does not.
    np.testing.assert_allclose(
        found, looped(X, Y, kind, 2.5), rtol=1e-9, atol=3e-8 if kind == "rbf" else 1e-12
    )


@pytest.mark.parametrize("kind", KINDS)
@given(rows())
@settings(max_examples=50, deadline=None)
def test_one_set_is_symmetric_with_a_zero_diagonal(kind, X):
    found = histogram_distances(X, kind=kind)
    assert (found == found.T).all() and not np.diagonal(found).any() and (found >= 0).all()
    assert not np.signbit(found).any()
    equal = (X[:, None] == X[None]).all(axis=2)
    assert not found[equal].any()
    if kind != "rbf":
        np.testing.assert_array_equal(found, histogram_distances(X, X.copy(), kind))


@given(rows())
@settings(max_examples=50, deadline=None)
def test_the_width_is_the_mean_of_squared_distances(X):
    if len(X) > 1:
        mean = twin.mean_squared_distance(X.tolist())
        assert mean_squared_distance(X) == pytest.approx(mean, rel=1e-9, abs=1e-18)
        if mean > 1e-9:
            np.testing.assert_allclose(
                histogram_distances(X, kind="rbf"), looped(X, X, "rbf", mean), rtol=1e-9, atol=3e-8
            )


def test_arrays_that_cannot_be_written_to_are_read():
    X, Y = np.eye(3), np.ones((2, 3))
    expected = [histogram_distances(X, Y, kind) for kind in KINDS]
    for values in (X, Y):
        values.flags.writeable = False
    for kind, distances in zip(KINDS, expected, strict=True):
        np.testing.assert_array_equal(histogram_distances(X, Y, kind), distances)


def test_equal_rows_make_a_narrow_kernel():
    X = np.full((3, 2), 0.1)
    assert mean_squared_distance(X) == 0 and mean_squared_distance(X[:1]) == 0
    found = histogram_distances(X, [[0.1, 0.1], [0.1, 0.2]], "rbf")
    np.testing.assert_allclose(found, [[0, np.sqrt(2)]] * 3)


def test_near_points_do_not_cancel():
    found = histogram_distances([[1e-9], [0.0]], kind="rbf", width=1.0)
    assert found[0, 1] == pytest.approx(np.sqrt(2) * 1e-9, rel=1e-9)


@pytest.mark.parametrize("kind", ["squared_l2", "l1", "rbf"])
def test_negative_values_are_for_histograms_alone_forbidden(kind):
    X = [[-1.0, 2.0], [0.0, 1.0]]
    assert histogram_distances(X, kind=kind, **({"width": 2.0} if kind == "rbf" else {}))[0, 1] > 0
    with pytest.raises(ValueError, match=r"^X has -1\.0; expected no negative value"):
        histogram_distances(X)
    with pytest.raises(ValueError, match=r"^Y has -1\.0; expected no negative value"):
        histogram_distances(np.abs(X), X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], None, "l2"), "kind='l2': expected one of chi2, l1, rbf, squared_l2"),
        (([1.0],), r"X has shape \(1,\); expected rows"),
        ((np.zeros((0, 2)),), r"X has shape \(0, 2\)"),
        (([[1.0]], [[1.0, 2.0]]), "Y has 2 columns; expected 1, as X has"),
        (([[np.nan]],), "X has NaN or infinity"),
        (([[1.0]], [[np.inf]]), "Y has NaN or infinity"),
        (([[1.0]], None, "l1", 1.0), "width is 1.0, but kind is 'l1'"),
        (([[1.0]], None, "rbf", 0.0), "width is 0.0; expected a positive number"),
        (([[1.0]], None, "rbf", np.inf), "width is inf; expected a positive number"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        histogram_distances(*arguments)


def test_a_width_is_a_number():
    with pytest.raises(TypeError, match="width is 'a'; expected a real number"):
        histogram_distances([[1.0]], None, "rbf", "a")


def formula(X, Y, kind):
    """What is computed without a thought of the range of floats."""
    if kind == "chi2":
        return additive_chi2_kernel(X, Y) * -0.5 + 0.0
    squares = cdist(X, Y, "sqeuclidean")
    if kind == "rbf":
        return np.sqrt(-2 * np.expm1(-squares / (2 * X.var(axis=0, ddof=1).sum())))
    return squares if kind == "squared_l2" else cdist(X, Y, "cityblock")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", [1.0, 1e-30, 1e40, 1 / 3])
def test_ordinary_values_give_the_formula_to_the_last_bit(kind, unit):
    rng = np.random.default_rng(0)
    X, Y = rng.gamma(0.5, size=(60, 13)) * unit, rng.gamma(0.5, size=(40, 13)) * unit
    np.testing.assert_array_equal(histogram_distances(X, Y, kind), formula(X, Y, kind))


@pytest.mark.parametrize("power", [-1000, -565, 532, 1010])
@given(two())
@settings(max_examples=30, deadline=None)
def test_the_unit_does_not_matter_where_squares_leave_the_floats(power, sides):
    X, Y = sides
    x, y = np.ldexp(X, power), np.ldexp(Y, power)
    np.testing.assert_array_equal(histogram_distances(x, y), np.ldexp(histogram_distances(X, Y), power))
    np.testing.assert_array_equal(histogram_distances(x, y, "rbf"), histogram_distances(X, Y, "rbf"))


@pytest.mark.parametrize("small", [1e-170, 1e-300])
@pytest.mark.parametrize("large", [1.0, 1e140])
def test_small_differences_beside_large_values_count(small, large):
    X = np.array([[large, small], [large, 3 * small], [0.0, small], [0.0, 3 * small]])
    chi2 = histogram_distances(X)
    np.testing.assert_allclose(chi2[[0, 2], [1, 3]], 0.5 * small, rtol=1e-15)
    rbf = histogram_distances(X, kind="rbf", width=1e8)
    np.testing.assert_allclose(rbf[[0, 2], [1, 3]], np.sqrt(2) * 2 * small / 1e4, rtol=1e-15)
    own = histogram_distances(X[:2], kind="rbf")  # the mean of the squares of the one distance: exp(-1)
    assert own[0, 1] == pytest.approx(np.sqrt(2 - 2 / np.e))


def test_a_width_far_from_the_values():
    near = histogram_distances([[0.0], [1e-170]], kind="rbf", width=1.0)
    assert near[0, 1] == pytest.approx(np.sqrt(2) * 1e-170, rel=1e-15)
    far = histogram_distances([[0.0], [2e154]], kind="rbf", width=4e307)
    assert far[0, 1] == pytest.approx(np.sqrt(2 - 2 * np.exp(-10)), rel=1e-14)


@pytest.mark.parametrize(("kind", "value"), [("squared_l2", 1e160), ("l1", 1.7e308)])
def test_distances_that_no_float_holds_are_refused(kind, value):
    with pytest.raises(ValueError, match=f"^{kind} distances of values up to 2\\^[0-9]* overflow; rescale"):
        histogram_distances([[value], [-value]], kind=kind)
    with pytest.raises(ValueError, match=r"^the mean squared distance of values up to 2\^1024 overflows"):
        mean_squared_distance([[1.7e308], [0.0]])


def test_a_column_of_equal_numbers_adds_no_rounding_to_the_mean():
    assert mean_squared_distance([[0.1, 1e-30], [0.1, 3e-30], [0.1, 1e-30]]) == pytest.approx(8e-60 / 3)
