"""BoostMetric, against the plain twin and the semidefinite programme."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.distances import BoostMetric
from cladebench.distances.boost_metric import nearest_by_class
from cladebench.reference import boost_metric as reference


def overlapping(seed: int, n: int = 60, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Classes that no metric separates, and some make better: the objective has a minimum, not at zero."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    X[:, 0] += 2 * y
    X[:, 1] -= y
    return X, y


@st.composite
def coarse(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Rows on a coarse grid: ties, equal rows, constant features; classes of any size, of one row or one in all."""
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    values = draw(st.lists(st.integers(-1, 2), min_size=n * d, max_size=n * d))
    y = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return np.reshape(values, (n, d)).astype(float), np.array(y)


@given(coarse(), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_targets_and_impostors_are_those_of_the_definition(data, n_targets, n_impostors) -> None:
    X, y = data
    codes = np.unique(y, return_inverse=True)[1]
    targets, impostors = nearest_by_class(X, codes, n_targets, n_impostors)
    found = [
        (i, j, k)
        for i in range(len(X))
        for j in targets[i][targets[i] >= 0]
        for k in impostors[i][impostors[i] >= 0]
    ]
    expected = reference.triplets(X, y, n_targets, n_impostors)
    assert np.array_equal(np.reshape(found, (-1, 3)), expected)
    assert BoostMetric(n_targets, n_impostors, max_iter=1).fit(X, y).n_triplets_ == len(expected)


@given(coarse(), st.sampled_from([0.0, 0.05]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_ties_equal_rows_and_odd_classes(data, v, corrective) -> None:
    # The leading eigenvalue may be double, and the matrix another than the twin's: the objective is the twin's at it.
    X, y = data
    found = BoostMetric(trace_penalty=v, tol=1e-9, max_iter=6, corrective=corrective).fit(X, y)
    triplets = reference.triplets(X, y, 3, 3)
    pairs = triplets[:, [0, 1, 0, 2]].reshape(-1, 2)
    if not len(triplets) or (X[pairs[:, 0]] == X[pairs[:, 1]]).all():
        assert np.array_equal(found.components_, np.eye(X.shape[1])) and found.converged_
        return
    A, unit = reference.matrices(X, triplets)
    if found.n_iter_ == 0:
        assert np.linalg.eigvalsh(A.mean(axis=0))[-1] <= v + 2e-9
        assert np.array_equal(found.components_, np.eye(X.shape[1]))
        return
    M = found.components_.T @ found.components_ * unit
    assert found.objective_ == pytest.approx(reference.objective(A, M, v), rel=1e-9, abs=1e-9)
    assert found.objective_ < np.log(len(triplets))


@pytest.mark.parametrize(("seed", "v"), [(0, 1e-7), (1, 1e-7), (3, 0.05)])
def test_boosting_is_that_of_the_twin(seed: int, v: float) -> None:
    X, y = overlapping(seed)
    A, unit = reference.matrices(X, reference.triplets(X, y, 3, 3))
    for n_iter in (1, 2, 5):
        found = BoostMetric(trace_penalty=v, tol=1e-7, max_iter=n_iter).fit(X, y)
        expected = reference.boost(A, v, 1e-7, n_iter)
        assert found.n_iter_ == expected.n_iter == n_iter
        M = found.components_.T @ found.components_ * unit
        np.testing.assert_allclose(M, expected.M, atol=1e-4 * np.trace(M))
        assert found.objective_ == pytest.approx(expected.objective, abs=1e-8)


@pytest.mark.parametrize(("seed", "v"), [(0, 1e-7), (1, 1e-7), (3, 0.05), (4, 0.1)])
def test_the_gap_bounds_what_is_left_and_corrective_steps_leave_nothing(seed: int, v: float) -> None:
    X, y = overlapping(seed)
    A, unit = reference.matrices(X, reference.triplets(X, y, 3, 3))
    _, least = reference.programme(A, v)
    stagewise = BoostMetric(trace_penalty=v, tol=1e-7).fit(X, y)
    assert stagewise.converged_
    assert least + 1e-4 < stagewise.objective_ <= least + stagewise.gap_ + 1e-5
    corrective = BoostMetric(trace_penalty=v, tol=1e-7, corrective=True).fit(X, y)
    assert corrective.converged_ and abs(corrective.gap_) < 1e-5
    assert corrective.objective_ == pytest.approx(least, abs=1e-5)
    for found in (stagewise, corrective):  # no direction is left
        margins = np.tensordot(A, found.components_.T @ found.components_ * unit, axes=2)
        u = np.exp(margins.min() - margins)
        assert np.linalg.eigvalsh(np.tensordot(u / u.sum(), A, axes=1))[-1] <= v + 2e-7


def test_units_do_not_matter_and_a_useless_feature_is_dropped() -> None:
    X, y = overlapping(4)
    one, other = BoostMetric(max_iter=30).fit(X, y), BoostMetric(max_iter=30).fit(1000.0 * X, y)
    np.testing.assert_allclose(one.pairwise(X), other.pairwise(1000.0 * X), rtol=1e-6)
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([y + 0.3 * rng.normal(size=60), 2.0 * rng.normal(size=60)])
    weights = np.square(BoostMetric().fit(X, y).components_).sum(axis=0)
    assert weights[1] < 0.05 * weights[0]


def test_classes_that_a_metric_separates_end_the_fit_at_max_iter() -> None:
    X = np.array([[0.0, 0], [0.1, 0], [0, 0.1], [5, 5], [5.1, 5], [5, 5.1]])
    for corrective in (False, True):
        found = BoostMetric(max_iter=25, corrective=corrective).fit(X, [0, 0, 0, 1, 1, 1])
        assert found.n_iter_ == 25 and not found.converged_
        assert -1e6 < found.objective_ < -100  # it falls by so much a step, not ever faster
        D = found.pairwise(X)
        assert D[:3, :3].max() < D[:3, 3:].min()


def test_one_class_or_classes_of_one_row_leave_the_euclidean_distance() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    for y in ([0] * 6, range(6)):
        found = BoostMetric().fit(X, y)
        assert found.n_triplets_ == 0 and np.array_equal(found.components_, np.eye(2))
