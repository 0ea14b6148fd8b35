"""The random forest distance: the core against its twin and scikit-learn, and what is learned where little is given."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from cladebench.distances import RandomForestDistance
from cladebench.reference import pair_forest as reference


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Rows on a grid (ties, duplicates, constant features) with pairs that may repeat and contradict one another."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    levels = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(levels, size=(n, d)) - 1.0
    if draw(st.booleans()):
        X = X + 1e-3 * rng.normal(size=X.shape)  # numbers that single precision rounds
    pairs = [rng.permuted(np.tile(np.arange(n), (draw(st.integers(1, 20)), 1)), axis=1)[:, :2] for _ in "mc"]
    return {
        "X": X,
        "must_link": pairs[0],
        "cannot_link": pairs[1],
        "others": rng.normal(size=(3, d)).round(1),
    }


@given(problems(), st.integers(1, 3), st.sampled_from(["sqrt", "log2", None, 1]))
@settings(max_examples=60)
def test_it_is_the_twin(problem: dict[str, Any], min_samples_leaf: int, max_features: Any) -> None:
    X, pairs = problem["X"], {name: problem[name] for name in ("must_link", "cannot_link")}
    chosen = {"n_estimators": 4, "min_samples_leaf": min_samples_leaf, "max_features": max_features}
    ours = RandomForestDistance(**chosen, random_state=3).fit(X, **pairs)
    # What units do is tested below; those of `fit` are powers of two.
    in_units = [rows / ours.scale_ for rows in (X, problem["others"])]
    forest = reference.fit_pairs(in_units[0], **pairs, **chosen, random_state=3)
    expected = reference.random_forest_distance(forest, in_units[1], in_units[0])
    np.testing.assert_allclose(ours.pairwise(problem["others"], X), expected, rtol=1e-14, atol=0)
    D = ours.pairwise(X)
    assert np.array_equal(D, D.T) and D.min() >= 0 and D.max() <= 1


def drawn_pairs(y: np.ndarray, n: int) -> dict[str, np.ndarray]:
    pairs = np.random.default_rng(0).integers(len(y), size=(n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


def test_every_pair_reaches_the_leaf_of_scikit_learn() -> None:
    # More rows than a block has. Half the pairs were trained on, so that many a feature is next to a threshold.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(290, 6)).astype(np.float32).astype(np.float64)
    X[:, 0] = X[:, 0].round(1)
    pairs = drawn_pairs((X[:, 1] > 0) + 2 * (X[:, 2] > 0), 400)
    ours = RandomForestDistance(n_estimators=3, random_state=0).fit(X, **pairs)
    forest = reference.fit_pairs(X / ours.scale_, **pairs, n_estimators=3, random_state=0)
    A, B = X[:261] / ours.scale_, X / ours.scale_
    i, j = (table.ravel() for table in np.indices((len(A), len(B))))
    features = reference.pair_features(A[i], B[j])
    for t, estimator in enumerate(forest.estimators_):
        first, last = ours.trees_["first_node"][t : t + 2]
        # A forest of this tree alone, whose leaves say where they stand.
        ours_alone = RandomForestDistance().fit(X)
        ours_alone.trees_ = {name: nodes[first:last] for name, nodes in ours.trees_.items()} | {
            "first_node": np.array([0, last - first]),
            "value": np.arange(last - first, dtype=np.float64),
        }
        assert np.array_equal(ours_alone.pairwise(X[:261], X).ravel(), estimator.apply(features))
    shares = forest.predict_proba(features)[:, 1]
    np.testing.assert_allclose(ours.pairwise(X[:261], X).ravel(), shares, rtol=1e-14, atol=0)


def test_it_tells_classes_of_flowers_apart() -> None:
    X, y = load_iris(return_X_y=True)
    train = np.random.default_rng(0).permutation(len(X)) < 100
    distance = RandomForestDistance(n_estimators=50, random_state=0)
    distance.fit(X[train], **drawn_pairs(y[train], 600))
    nearest = distance.kneighbors(X[~train], 5, return_distance=False)
    assert (y[train][nearest] == y[~train][:, None]).mean() > 0.9
    D, same = distance.pairwise(X[~train]), y[~train][:, None] == y[~train]
    assert D[same].mean() < 0.2 and D[~same].mean() > 0.8


def test_position_matters_and_not_the_difference_alone() -> None:
    # Rows left of 0 belong together if near one another; rows right of 0 all belong together.
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 1))
    groups = np.where(X[:, 0] < 0, np.floor(10 * X[:, 0]), 0)
    distance = RandomForestDistance(n_estimators=50, random_state=0).fit(X, **drawn_pairs(groups, 4000))
    assert distance.pairwise([[-0.85]], [[-0.25]])[0, 0] > 0.9
    assert distance.pairwise([[0.85]], [[0.25]])[0, 0] < 0.1


def test_with_one_sort_of_constraints_or_none_it_is_constant() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    pairs = [[0, 1], [2, 3]]
    for given_pairs, value in (({"must_link": pairs}, 0.0), ({"cannot_link": pairs}, 1.0), ({}, 0.5)):
        distance = RandomForestDistance(n_estimators=3).fit(X, **given_pairs)
        assert (distance.pairwise(X) == value).all()
        assert distance.kneighbors(X, 2, return_distance=False).tolist() == [[0, 1]] * 6


def test_contradictory_pairs_share_a_leaf() -> None:
    X = np.arange(8.0)[:, None] ** 2
    pairs = np.array([[0, 1], [2, 3], [4, 6], [5, 7]])
    distance = RandomForestDistance(n_estimators=400, random_state=0)
    D = distance.fit(X, must_link=pairs, cannot_link=pairs).pairwise(X)
    assert np.abs(D[pairs[:, 0], pairs[:, 1]] - 0.5).max() < 0.1


@pytest.mark.parametrize("units", [2.0**60, 2.0**-200])
def test_the_unit_of_a_feature_does_not_matter(units: float) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    pairs = drawn_pairs(np.arange(40) // 10, 200)
    one, other = (RandomForestDistance(n_estimators=5, random_state=0) for _ in range(2))
    D = one.fit(X, **pairs).pairwise(X)
    assert np.array_equal(other.fit(X * [1.0, units], **pairs).pairwise(X * [1.0, units]), D)
    far = np.array([[0.0, units], [0.0, units * 2.0**120]])
    with pytest.raises(ValueError, match=r"^Y\[1, 1\] is .*: expected at most .* in magnitude.*rescale Y"):
        other.pairwise(far[:1], far)


def test_the_same_forest_on_any_number_of_threads() -> None:
    X = np.random.default_rng(1).normal(size=(300, 5))
    pairs = drawn_pairs(np.arange(300) % 3, 500)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            distance = RandomForestDistance(n_estimators=20, random_state=0).fit(X, **pairs)
            found.append(distance.pairwise(X, X[:270]))
    assert np.array_equal(*found)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("n_estimators", 0), ("max_features", "all"), ("max_features", 0), ("max_features", True)],
        *[("min_samples_leaf", 0), ("min_samples_leaf", 0.5)],
    ],
)
def test_parameters_that_make_no_sense(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name}={value!r}: expected"):
        RandomForestDistance(**{name: value}).fit(np.eye(3), must_link=[[0, 1]], cannot_link=[[0, 2]])


def test_more_features_at_a_node_than_there_are_is_all_of_them() -> None:
    X, pairs = np.random.default_rng(0).normal(size=(20, 2)), drawn_pairs(np.arange(20) % 2, 60)
    every, more = (
        RandomForestDistance(n_estimators=5, max_features=m, random_state=0).fit(X, **pairs).pairwise(X)
        for m in (None, 9)
    )
    assert np.array_equal(every, more)
