"""ITML, against the plain twin, the conditions of optimality and the cone programme."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.distances import ITML
from cladebench.distances import itml as module
from cladebench.distances._linear import inverse_root
from cladebench.reference import itml as reference
from instruction_sets import each_instruction_set

Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


def fit_core(problem: Problem, *args: float) -> tuple[np.ndarray, np.ndarray, float, int, bool]:
    A, *rest = _core.fit_itml(*problem, *args)
    d = problem[0].shape[1]
    return A.reshape(d, d), *rest


def random_problem(seed: int, n: int, d: int, n_pairs: int) -> Problem:
    rng = np.random.default_rng(seed)
    pairs = rng.integers(n, size=(n_pairs, 2))
    pairs[:, 1] = np.where(pairs[:, 0] == pairs[:, 1], (pairs[:, 1] + 1) % n, pairs[:, 1])
    return rng.normal(size=(n, d)), pairs, np.where(rng.random(n_pairs) < 0.5, 1.0, -1.0)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Pairs of different rows of a coarse grid: repeated, contradictory, of one sort alone, in one direction alone."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 9))
    values = draw(st.lists(st.integers(-1, 2), min_size=n * d, max_size=n * d))
    X = np.reshape(values, (n, d)).astype(float)
    X[:, 0] += 4 * np.arange(n)
    pair = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)
    pairs = draw(st.lists(pair, min_size=1, max_size=40))
    signs = draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=len(pairs), max_size=len(pairs)))
    return X, np.array(pairs, dtype=np.int64), np.array(signs)


@given(problems(), st.sampled_from([0.01, 1.0, 30.0]), st.integers(1, 4))
@settings(max_examples=120, deadline=None)
def test_blocks_of_projections_are_the_projections_one_by_one(problem, gamma, n_sweeps) -> None:
    A, dual, residual, n_iter, converged = fit_core(problem, 2.0, 30.0, gamma, 1e-3, n_sweeps)
    expected = reference.fit_itml(*problem, 2.0, 30.0, gamma, 1e-3, n_sweeps)
    assert (n_iter, converged) == (expected.n_iter, expected.converged)
    np.testing.assert_allclose(A, expected.A, rtol=0, atol=1e-7 * np.abs(expected.A).max())
    np.testing.assert_allclose(dual, expected.dual, rtol=1e-6, atol=1e-6 * expected.dual.max(initial=1e-12))
    assert residual == pytest.approx(expected.residual, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(("d", "n_pairs"), [(1, 9), (7, 40), (33, 100), (130, 70)])
def test_all_widths_of_blocks_and_all_instruction_sets(d: int, n_pairs: int) -> None:
    problem = random_problem(d, 30, d, n_pairs)
    found = [fit_core(problem, 0.5 * d, 3.0 * d, 2.0, 0.0, 3) for _ in each_instruction_set()]
    expected = reference.fit_itml(*problem, 0.5 * d, 3.0 * d, 2.0, 0.0, 3)
    np.testing.assert_allclose(found[0][0], expected.A, atol=1e-10 * np.abs(expected.A).max())
    assert np.array_equal(found[0][0], found[0][0].T)
    for other in found[1:]:
        assert np.array_equal(other[0], found[0][0]) and np.array_equal(other[1], found[0][1])


def check_optimal(problem: Problem, A: np.ndarray, dual: np.ndarray, start: np.ndarray, gamma: float) -> None:
    """The conditions of Karush, Kuhn and Tucker."""
    X, pairs, signs = problem
    V = X[pairs[:, 0]] - X[pairs[:, 1]]
    bounds = 1.0 / (1.0 / start - signs * dual / gamma)
    p = np.einsum("ij,jk,ik->i", V, A, V)
    assert (dual >= 0).all() and (bounds > 0).all() and np.linalg.eigvalsh(A)[0] > 0
    np.testing.assert_allclose(
        np.linalg.inv(A), np.eye(len(A)) + (V.T * (signs * dual)) @ V, rtol=1e-5, atol=1e-5
    )
    assert (signs * (p / bounds - 1.0) <= 1e-4).all(), "a bound is not kept"
    np.testing.assert_allclose(dual * (p - bounds), 0.0, atol=1e-4 * max(1.0, (dual * p).max()))


@given(problems(), st.sampled_from([0.1, 1.0]))
@settings(max_examples=60, deadline=None)
def test_at_convergence_the_conditions_of_optimality_hold(problem, gamma) -> None:
    A, dual, _, _, converged = fit_core(problem, 8.0, 30.0, gamma, 1e-9, 20_000)
    assert converged
    check_optimal(problem, A, dual, np.where(problem[2] > 0, 8.0, 30.0), gamma)


def test_the_estimator_solves_the_problem_that_it_documents() -> None:
    X, pairs, signs = random_problem(5, 25, 4, 30)
    must, cannot = pairs[signs > 0], pairs[signs < 0]
    found = ITML(0.5, tol=1e-9, max_iter=20_000).fit(1000.0 * X, must_link=must, cannot_link=cannot)
    assert found.converged_ and found.residual_ <= 1e-9 and found.n_iter_ > 1
    squares = np.square(X[:, None] - X).sum(axis=2)[np.triu_indices(len(X), 1)]
    assert [found.upper_, found.lower_] == pytest.approx(1e6 * np.percentile(squares, [5, 95]))
    problem = X, np.concatenate([must, cannot]), np.sort(-signs) * -1.0
    start = np.where(problem[2] > 0, found.upper_, found.lower_) / 1e6
    check_optimal(problem, found.components_.T @ found.components_, 1e6 * found.dual_, start, 0.5)


def test_the_larger_gamma_the_better_the_bounds_are_kept() -> None:
    X, pairs, signs = random_problem(6, 25, 4, 8)
    worst = []
    for gamma in (0.01, 1.0, 100.0):
        found = ITML(gamma, max_iter=2000).fit(X, must_link=pairs[signs > 0], cannot_link=pairs[signs < 0])
        squares = np.square(found.pairwise(X)[tuple(pairs.T)])
        worst.append(np.where(signs > 0, squares / found.upper_, found.lower_ / squares).max())
    assert worst[0] > worst[1] > worst[2]


def test_the_covariance_as_prior_is_a_map_beforehand() -> None:
    X, pairs, signs = random_problem(7, 40, 3, 30)
    given = {"must_link": pairs[signs > 0], "cannot_link": pairs[signs < 0]}
    root = inverse_root(np.cov(X.T, bias=True), 0.1)
    found, mapped = ITML(prior="covariance").fit(X, **given), ITML().fit(X @ root.T, **given)
    np.testing.assert_allclose(found.pairwise(X), mapped.pairwise(X @ root.T), rtol=1e-7)
    none = ITML(prior="covariance").fit(X)
    np.testing.assert_allclose(none.components_, root)


def test_pairs_of_equal_rows_bear_nothing() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    X[1] = X[0]
    must, cannot = np.array([[2, 3], [4, 5]]), np.array([[2, 6], [7, 8]])
    plain = ITML().fit(X, must_link=must, cannot_link=cannot)
    more = ITML().fit(
        X, must_link=np.vstack([must, [[0, 1]]]), cannot_link=np.vstack([[[1, 0]], cannot, [[0, 1]]])
    )
    np.testing.assert_allclose(more.components_.T @ more.components_, plain.components_.T @ plain.components_)
    assert np.flatnonzero(more.dual_ == 0).tolist()[0] == 2 and len(more.dual_) == 7
    assert more.dual_[3] == more.dual_[6] == 0.0
    alone = ITML().fit(X, cannot_link=[[0, 1]])
    assert np.array_equal(alone.components_, np.eye(2)) and alone.converged_ and alone.n_iter_ == 0
    equal = ITML().fit(np.ones((4, 2)), must_link=[[0, 1]], cannot_link=[[2, 3]])
    assert np.array_equal(equal.components_, np.eye(2)) and np.isnan(equal.upper_)


def test_constraints_that_contradict_each_other_end_between_the_bounds() -> None:
    X = np.random.default_rng(1).normal(size=(30, 2))
    pair = [[0, 1]] * 3
    found = ITML(tol=1e-6, max_iter=5000).fit(X, must_link=pair, cannot_link=pair)
    assert found.converged_
    assert found.upper_ < found.pairwise(X[:2])[0, 1] ** 2 < found.lower_


def test_bounds_of_a_sample_are_near_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(2).normal(size=(400, 3))
    whole = ITML().fit(X)
    monkeypatch.setattr(module, "MAX_SAMPLED_PAIRS", 20_000)
    some = ITML().fit(X)
    assert some.upper_ != whole.upper_
    assert [some.upper_, some.lower_] == pytest.approx([whole.upper_, whole.lower_], rel=0.1)


@given(st.integers(0, 10_000), st.integers(2, 40), st.booleans())
@settings(max_examples=60, deadline=None)
def test_bounds_by_bins_are_centres_of_a_histogram(seed: int, n: int, coarse: bool) -> None:
    X = np.random.default_rng(seed).normal(size=(n, 2))
    X = np.round(X) if coarse else X
    found = ITML(bounds="bins").fit(X)
    left, right = np.triu_indices(n, 1)
    if len(left) > 100:
        draw = np.random.default_rng(0)
        left = draw.integers(n, size=100)
        right = (left + draw.integers(1, n, size=100)) % n
    squares = ((X[left] - X[right]) ** 2).sum(axis=1)
    squares = squares[squares > 0]
    if not len(squares):
        assert np.isnan(found.upper_) and np.isnan(found.lower_)
        return
    edges = np.linspace(squares.min(), squares.max(), 101)
    centres = (edges[1:] + edges[:-1]) / 2
    assert [found.upper_, found.lower_] == pytest.approx([centres[4], centres[94]])


def test_bounds_by_bins_need_not_be_percentiles() -> None:
    X = np.random.default_rng(3).exponential(size=(60, 2))
    by_bins, by_rank = (ITML(bounds=how).fit(X) for how in ("bins", "percentiles"))
    assert by_bins.lower_ > by_rank.lower_ and by_bins.upper_ > by_rank.upper_
    assert 0 < by_bins.upper_ < by_bins.lower_
