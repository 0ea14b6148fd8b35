"""Similarities against their formulas, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform

from cladebench.metrics import LinearKernel, Similarity

FORMULAS = {
    "exp_sq": lambda d: np.exp(-0.3 * d**2),
    "exp": lambda d: np.exp(-d),
    "inv": lambda d: 1 / (1 + d),
    "inv_sq": lambda d: 1 / (1 + d**2),
}
X = np.random.default_rng(0).normal(size=(12, 4)) * [1, 10, 0.1, 3] + 2


@pytest.mark.parametrize("kind", FORMULAS)
def test_kinds_follow_their_formulas(kind) -> None:
    S = Similarity(kind, gamma=0.3)(X)
    for i in range(len(X)):
        for j in range(len(X)):
            assert np.isclose(S[i, j], FORMULAS[kind](np.linalg.norm(X[i] - X[j])), rtol=1e-12)


def test_cosine() -> None:
    points = np.array([[1.0, 0], [2, 0], [0, 3], [-1, 0], [0, 0]])
    expected = [[1, 1, 0, -1, 0], [1, 1, 0, -1, 0], [0, 0, 1, 0, 0], [-1, -1, 0, 1, 0], [0, 0, 0, 0, 0]]
    assert np.allclose(Similarity("cosine")(points), expected, atol=1e-15)


@given(
    arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(-100, 100)),
    st.sampled_from(["exp_sq", "exp", "inv", "inv_sq", "cosine"]),
    st.sampled_from(["raw", "zscore", "unit", "minmax"]),
)
def test_similarities_are_symmetric_finite_and_bounded(points: np.ndarray, kind, features) -> None:
    S = Similarity(kind, gamma="1/d", features=features)(points)
    assert S.shape == (len(points), len(points)) and np.array_equal(S, S.T)
    assert np.isfinite(S).all() and S.max() <= 1 and S.min() >= (-1 if kind == "cosine" else 0)
    if kind != "cosine":
        assert (np.diagonal(S) == 1).all()


def test_gamma() -> None:
    d_sq = [np.sum((X[i] - X[j]) ** 2) for i in range(len(X)) for j in range(i)]
    assert np.isclose(Similarity().resolved_gamma(X), 1 / np.median(d_sq), rtol=1e-12)
    odd = X[:11]  # 55 pairs: the median is one of them, and so has the similarity exp(-1)
    assert np.isclose(np.median(Similarity()(odd)[np.triu_indices(len(odd), 1)]), np.exp(-1))
    assert Similarity(gamma="1/d").resolved_gamma(X) == 1 / 4
    assert Similarity(gamma=np.float32(2.5)).resolved_gamma(X) == 2.5
    for gamma in ("median", "1/d", 0.02):
        similarity = Similarity(gamma=gamma, features="zscore")
        again = Similarity(gamma=similarity.resolved_gamma(X), features="zscore")
        assert np.array_equal(similarity(X), again(X))


def test_features() -> None:
    constant = np.column_stack([X, np.full(len(X), 0.1)])
    z = Similarity(features="zscore").transform(constant)
    assert (
        np.allclose(z[:, :4].mean(axis=0), 0)
        and np.allclose(z[:, :4].std(axis=0), 1)
        and (z[:, 4] == 0).all()
    )
    scaled = Similarity(features="minmax").transform(constant)
    assert (scaled.min(axis=0) == 0).all() and scaled.max(axis=0).tolist() == [1, 1, 1, 1, 0]
    unit = Similarity(features="unit").transform(np.vstack([X, np.zeros(4)]))
    assert np.allclose(np.linalg.norm(unit, axis=1), [1] * len(X) + [0])
    assert np.array_equal(Similarity().transform(X), X)


def test_a_linear_kernel_is_shown_by_its_size() -> None:
    assert repr(LinearKernel(X)) == "LinearKernel(X of shape (12, 4))"


def test_one_sample() -> None:
    for gamma in (1.0, "median"):
        assert Similarity(gamma=gamma)([[1.0, 2.0]]).tolist() == [[1.0]]


def test_the_median_is_of_pairs_that_differ_where_most_are_equal() -> None:
    points = np.array([[0.0]] * 8 + [[1.0], [3.0]])  # 28 pairs at 0, 8 at 1, 8 at 3, and one at 2
    assert Similarity().resolved_gamma(points) == 1 / 4
    assert np.array_equal(Similarity()(points), Similarity(gamma=1 / 4)(points))
    for rows in (1, 5):
        equal = np.full((rows, 2), 0.1)
        assert Similarity().resolved_gamma(equal) == 1.0
        assert (Similarity()(equal) == 1).all() and (Similarity(gamma=1.0)(equal) == 1).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "rbf"}, "kind is 'rbf'; expected one of exp_sq"),
        ({"features": "pca"}, "features is 'pca'"),
        ({"gamma": "scale"}, "gamma is 'scale'"),
        ({"gamma": np.array([1, 2])}, r"gamma is array\(\[1, 2\]\)"),
        ({"gamma": 1j}, "gamma is 1j"),
        ({"kind": np.array(["exp", "inv"])}, r"kind is array"),
    ],
)
def test_bad_parameters(parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Similarity(**parameters)


@pytest.mark.parametrize("of", [Similarity(), LinearKernel])
@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.0, np.nan]], r"X\[0, 1\] is nan"),
        ([[np.inf]], r"X\[0, 0\] is inf"),
        ([1.0, 2.0], "X has shape"),
        ([["a"]], "X is not an array of numbers"),
        ([[1.0], [2.0, 3.0]], "X is not an array of numbers"),
        (csr_array(np.eye(3)), "^X is sparse; expected a dense array$"),
        (np.empty((0, 2)), "X has shape"),
        (np.empty((2, 0)), "X has shape"),
    ],
)
def test_bad_features(of, points, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        of(points)


def formula(points, kind, features):
    """What is computed without a thought of the range of floats."""
    if features == "unit":
        points = points / np.linalg.norm(points, axis=1, keepdims=True)
    if features in ("zscore", "minmax"):
        shift, scale = points.min(axis=0), np.ptp(points, axis=0)
        if features == "zscore":
            shift, scale = points.mean(axis=0), points.std(axis=0)
        points = (points - shift) / scale
    if kind == "cosine":
        directions = points / np.linalg.norm(points, axis=1)[:, None]
        cosine = np.clip(directions @ directions.T, -1.0, 1.0)
        np.fill_diagonal(cosine, 1.0)
        return (cosine + cosine.T) / 2.0
    d_sq = pdist(points, "sqeuclidean")
    matrix = squareform(np.exp(-(1.0 / np.median(d_sq)) * d_sq))
    np.fill_diagonal(matrix, 1.0)
    return matrix


SCALE_FREE = [
    *(("cosine", features) for features in ("raw", "zscore", "unit")),
    *(("exp_sq", features) for features in ("raw", "zscore", "unit", "minmax")),
]


@pytest.mark.parametrize("unit", [1.0, 1e-30, 1e40, 1 / 3])
@pytest.mark.parametrize(("kind", "features"), SCALE_FREE)
def test_ordinary_values_give_the_formula_to_the_last_bit(kind, features, unit) -> None:
    points = np.random.default_rng(1).normal(size=(50, 13)) * unit
    assert np.array_equal(Similarity(kind, features=features)(points), formula(points, kind, features))


@pytest.mark.parametrize("power", [-1000, -565, 532, 1015])
@pytest.mark.parametrize(("kind", "features"), SCALE_FREE)
def test_the_unit_does_not_matter_where_squares_leave_the_floats(kind, features, power) -> None:
    similarity = Similarity(kind, features=features)
    if power > 0 and (kind, features) == ("exp_sq", "raw"):
        with pytest.raises(ValueError, match=r"^X\[.* beyond which sums of squared distances overflow"):
            similarity(np.ldexp(X, power))
        return
    assert np.array_equal(similarity(np.ldexp(X, power)), similarity(X))
    if features in ("zscore", "unit", "minmax"):
        assert np.array_equal(similarity.transform(np.ldexp(X, power)), similarity.transform(X))


def test_the_cosine_of_tiny_rows_beside_huge_ones() -> None:
    points = np.array([[1e-170, 0], [2e-170, 0], [0, 1e300], [1e-320, 1e-320]])
    half = np.sqrt(0.5)
    expected = [[1, 1, 0, half], [1, 1, 0, half], [0, 0, 1, half], [half, half, half, 1]]
    np.testing.assert_allclose(Similarity("cosine")(points), expected, rtol=1e-15)


def test_features_whose_squares_overflow_are_refused() -> None:
    for kind in ("exp_sq", "exp", "inv", "inv_sq"):
        with pytest.raises(ValueError, match=r"X\[1, 1\] is 1e\+200: expected at most 2\.23e\+153"):
            Similarity(kind)(np.diag([1.0, 1e200, 1.0]))


def test_a_gamma_that_no_float_holds_is_refused() -> None:
    points = np.array([[1e-170], [3e-170], [7e-170]])
    assert np.isclose(np.median(Similarity()(points)[np.triu_indices(3, 1)]), np.exp(-1))
    with pytest.raises(ValueError, match=r"^gamma='median' is inf: .*rescale X"):
        Similarity().resolved_gamma(points)
    with pytest.raises(ValueError, match=r"^X has rows whose squared distance vanishes .*; shift or rescale"):
        Similarity()(np.array([[0.0], [1e-170], [2e-170], [3e-170], [1.0]]))


@pytest.mark.parametrize("gamma", [np.inf, -np.inf, np.nan, 0.0, -1.0, True, None, "mean"])
def test_gamma_is_positive_and_finite_or_a_rule(gamma) -> None:
    with pytest.raises(ValueError, match=r"gamma is .*; expected 'median', '1/d' or a positive number"):
        Similarity(gamma=gamma)
