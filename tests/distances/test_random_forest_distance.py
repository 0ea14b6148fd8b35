"""The random forest distance: the core against its twin and scikit-learn, and what is learned where little is given."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from cladebench import _core
from cladebench.crosscheck.learned_distances import pair_trees
from cladebench.distances import RandomForestDistance
from cladebench.reference import pair_forest as reference
from solver_checks import hold


def in_units(distance: RandomForestDistance, rows: np.ndarray) -> np.ndarray:
    """What zeros and units do is tested below; the units of `fit` are powers of two."""
    return np.asarray((rows - distance.zero_) / distance.scale_)


def grown(X: np.ndarray, pairs: dict[str, Any], **settings: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The forest of the core, and that of the twin."""
    settings = {"n_estimators": 1, "min_samples_leaf": 1, "seed": 0, "bootstrap": True} | settings
    links = [np.asarray(pairs[name], dtype=np.int64) for name in ("must_link", "cannot_link")]
    expected = reference.grow_forest(X, *links, **settings)
    ours = _core.grow_pair_forest(
        X.astype(np.float32), *links, n_trees=settings.pop("n_estimators"), **settings
    )
    return ours, dict(expected)


def same_trees(ours: dict[str, Any], expected: dict[str, Any]) -> None:
    assert ours.keys() == expected.keys()
    for name, nodes in expected.items():
        assert np.array_equal(ours[name], nodes), name


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Rows on a grid (ties, duplicates, constant features) with pairs that may repeat and contradict one another."""
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    levels = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(levels, size=(n, d)) - 1.0
    if draw(st.booleans()):
        X = X + 1e-3 * rng.normal(size=X.shape)  # numbers that single precision rounds
    if draw(st.booleans()):
        X[1:, 0] *= 2.0 ** rng.integers(-140, 100, size=n - 1)
        X[0, 0] = 2.0**20  # so that the other rows fit in
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
    chosen = {"n_estimators": 4, "min_samples_leaf": min_samples_leaf}
    n = 2 * X.shape[1]
    number = {"sqrt": int(np.sqrt(n)), "log2": int(np.log2(n)), None: n, 1: 1}[max_features]
    hold(pair_trees("drawn", X, *pairs.values(), 3, max_features, number, **chosen))
    ours = RandomForestDistance(max_features=max_features, **chosen, random_state=3).fit(X, **pairs)
    expected = reference.random_forest_distance(
        ours.trees_, in_units(ours, problem["others"]), in_units(ours, X)
    )
    np.testing.assert_allclose(ours.pairwise(problem["others"], X), expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("kind", ["normal", "grid", "heavy tails", "few must-links", "no structure"])
@pytest.mark.parametrize("min_samples_leaf", [1, 5])
def test_large_nodes_are_the_twin_s(kind: str, min_samples_leaf: int) -> None:
    # Nodes that are cut by counting in bins, and in bins of a bin, where the twin tries every value.
    rng = np.random.default_rng(5)
    n, y = 90, np.arange(90) % 5
    X = rng.normal(size=(5, 3))[y] + (9.0 if kind == "no structure" else 0.7) * rng.normal(size=(n, 3))
    if kind == "grid":
        X = X.round(1)
    elif kind == "heavy tails":
        X = np.sign(X) * np.abs(X) ** 40  # next to all in one bin of any level
    pairs = drawn_pairs(y, 600)
    if kind == "few must-links":
        pairs["must_link"] = pairs["must_link"][:9]
    same_trees(*grown(X, pairs, max_features=3, min_samples_leaf=min_samples_leaf, n_estimators=2))


@pytest.mark.parametrize(("n", "levels"), [(200, 0), (200, 4), (25_000, 0)])
def test_a_tree_without_chance_is_that_of_scikit_learn(n: int, levels: int) -> None:
    # Of 25,000 rows those of a node are copied, and copied again further down.
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(n, 4)), np.arange(n) % 4
    X[:, 0] += y
    X = (X if levels == 0 else (levels * X).round() / levels).astype(np.float32).astype(np.float64)
    pairs = drawn_pairs(y, 3000 if n == 200 else 9000)
    chosen = {"max_features": 8, "min_samples_leaf": 4}
    features, different = reference.training_pairs(X, **pairs)
    theirs = DecisionTreeClassifier(**chosen, random_state=0).fit(features, different).tree_
    features = features.astype(np.float64)
    links = [np.asarray(pairs[name], dtype=np.int64) for name in ("must_link", "cannot_link")]
    ours = _core.grow_pair_forest(X.astype(np.float32), *links, **chosen, bootstrap=False, seed=0, n_trees=1)

    # Where several cuts are equally good either may be taken, and what is below them differs: each node that both
    # have must lessen impurity by the same.
    def gain(rows: np.ndarray, feature: int, threshold: float) -> float:
        left = features[rows, feature] <= threshold
        parts = different[rows], different[rows][left], different[rows][~left]
        of_all, *of_sides = (len(part) * part.mean() * (1 - part.mean()) for part in parts)
        assert all(len(part) >= 4 for part in parts[1:])
        return float(of_all - sum(of_sides))

    waiting = [(0, 0, np.arange(len(features)))]
    n_same = 0
    while waiting:
        a, b, rows = waiting.pop()
        assert (ours["feature"][a] < 0) == (theirs.children_left[b] < 0)
        assert ours["value"][a] == pytest.approx(theirs.value[b, 0, 1], rel=1e-14)
        if ours["feature"][a] < 0:
            continue
        cut = [
            (int(f[k]), float(t[k]))
            for f, t, k in ((ours["feature"], ours["threshold"], a), (theirs.feature, theirs.threshold, b))
        ]
        assert gain(rows, *cut[0]) == pytest.approx(gain(rows, *cut[1]), rel=1e-9, abs=1e-9)
        if cut[0] == cut[1]:
            n_same += 1
            left = features[rows, cut[0][0]] <= cut[0][1]
            waiting.append((ours["left"][a], theirs.children_left[b], rows[left]))
            waiting.append((ours["right"][a], theirs.children_right[b], rows[~left]))
    assert n_same > (100 if levels == 0 else 20)


def test_it_tells_unseen_pairs_as_well_as_scikit_learn() -> None:
    X, y = load_digits(return_X_y=True)
    pairs = drawn_pairs(y[:900], 4000)
    tested = drawn_pairs(y[900:], 4000)
    ours = RandomForestDistance(n_estimators=40, random_state=0).fit(X[:900], **pairs)
    D = ours.pairwise(X[900:])
    features, different = reference.training_pairs(X, **pairs)
    theirs = RandomForestClassifier(40, random_state=0).fit(features, different)
    links = np.vstack([tested["must_link"], tested["cannot_link"]])
    truth = np.repeat([0, 1], [len(part) for part in tested.values()])
    shares = theirs.predict_proba(reference.pair_features(X[900 + links[:, 0]], X[900 + links[:, 1]]))[:, 1]
    losses = [np.mean((p - truth) ** 2) for p in (D[links[:, 0], links[:, 1]], shares)]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)


def drawn_pairs(y: np.ndarray, n: int) -> dict[str, np.ndarray]:
    pairs = np.random.default_rng(0).integers(len(y), size=(n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


def test_every_pair_reaches_its_leaf() -> None:
    # More rows than a block has. Half the pairs were trained on, so that many a feature is next to a threshold.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(290, 6)).astype(np.float32).astype(np.float64)
    X[:, 0] = X[:, 0].round(1)
    pairs = drawn_pairs((X[:, 1] > 0) + 2 * (X[:, 2] > 0), 400)
    ours = RandomForestDistance(n_estimators=1, random_state=0).fit(X, **pairs)
    # Leaves say where they stand.
    ours.trees_ = ours.trees_ | {"value": np.arange(len(ours.trees_["value"]), dtype=np.float64)}
    A, B = in_units(ours, X[:261:9]), in_units(ours, X)
    expected = [
        [reference.leaf_reached(ours.trees_, 0, features) for features in reference.pair_features(a[None], B)]
        for a in A
    ]
    assert np.array_equal(ours.pairwise(X[:261], X)[::9], expected)


@given(problems(), st.integers(1, 40))
@settings(max_examples=60)
def test_neighbors_are_those_of_all_distances(problem: dict[str, Any], n_estimators: int) -> None:
    X, pairs = problem["X"], {name: problem[name] for name in ("must_link", "cannot_link")}
    distance = RandomForestDistance(n_estimators=n_estimators, random_state=3).fit(X, **pairs)
    for k in (1, len(X)):
        found, near = distance.kneighbors(problem["others"], k)
        D = distance.pairwise(problem["others"], X)
        assert np.array_equal(near, np.argsort(D, axis=1, kind="stable")[:, :k])
        assert np.array_equal(found, np.take_along_axis(D, near, axis=1))


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("max_features", "all"), ("max_features", 0), ("max_features", True)],
        ("min_samples_leaf", 0.5),
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


def seconds() -> np.ndarray:
    """Seconds of a day, of which a forest can tell the halves of hours, and another feature."""
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(0, 86_400, 80), rng.integers(0, 1000, 80)]).astype(float)


@pytest.mark.parametrize(
    ("zero", "unit"), [(1.7e9, 1.0), (-1.7e9, 1.0), (2.0**45, 2.0**-20), (0.0, 2.0**-30)]
)
def test_the_zero_of_a_feature_does_not_matter(zero: float, unit: float) -> None:
    X = seconds()
    pairs = drawn_pairs((X[:, 0] // 1800 % 4).astype(int), 300)
    one, other = (RandomForestDistance(n_estimators=9, random_state=0) for _ in range(2))
    moved = (X + np.array([zero, 0.0])) * unit
    found, near = other.fit(moved, **pairs).kneighbors(moved[:9] + 3 * unit, 20)
    distance, index = one.fit(X, **pairs).kneighbors(X[:9] + 3, 20)
    assert np.array_equal(near, index) and np.array_equal(found, distance)
    assert one.zero_.tolist() == [0.0, 0.0] and other.zero_[0] == (moved[:, 0].min() if zero else 0.0)


def test_features_that_single_precision_merges_are_warned_of() -> None:
    X = np.column_stack([np.arange(40.0), 1 + 1e-12 * np.arange(40)])
    X[0, 1] = 0.0
    with pytest.warns(
        UserWarning, match="^feature 1: single precision leaves 2 of 40 different values"
    ) as seen:
        RandomForestDistance(n_estimators=2).fit(X, must_link=[[0, 1]], cannot_link=[[0, 2]])
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomForestDistance(n_estimators=2).fit(X[1:], must_link=[[0, 1]], cannot_link=[[0, 2]])


def test_a_tenth_of_the_values_may_be_lost_without_a_warning() -> None:
    links = {"must_link": [[0, 1]], "cannot_link": [[0, 2]]}
    values = np.arange(10.0)
    values[1] = values[2] + 1e-12
    X = np.column_stack([np.arange(10.0), values])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomForestDistance(n_estimators=2).fit(X, **links)
    X[3, 1] = X[4, 1] + 1e-12
    with pytest.warns(UserWarning, match="^feature 1: single precision leaves 8 of 10 different values"):
        RandomForestDistance(n_estimators=2).fit(X, **links)
    X = np.append(0.0, 1.7e9 + 100.0 * np.arange(100))[:, None]  # seconds, and 0 for none
    with pytest.warns(UserWarning, match="^feature 0: single precision leaves 79 of 101 different values"):
        RandomForestDistance(n_estimators=2).fit(X, **links)
