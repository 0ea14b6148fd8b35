"""Forests as sparse maps: against proximities by their definitions, and against the forests themselves."""

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

from cladebench.distances import HierarchyForest, RandomForestProximity
from cladebench.distances import leaf_map as maps
from cladebench.distances.leaf_map import LeafMap
from cladebench.reference import hierarchy_forest as walks
from cladebench.reference import leaf_proximity as reference
from instruction_sets import each_number_of_threads
from random_forests import rows

#: How far sums of single and of double precision are apart, at most.
SINGLE = {"rtol": 2e-7, "atol": 1e-15}
EXACT = {"rtol": 1e-13, "atol": 1e-15}

rng = np.random.default_rng(0)
CLASSES = rng.integers(3, size=90)
X = rng.normal(size=(3, 4))[CLASSES] + rng.normal(size=(90, 4))
NEW = X[::9] + 0.5


def random_forest(X: np.ndarray, y: np.ndarray, **params: object) -> RandomForestProximity:
    return RandomForestProximity(**{"n_estimators": 7, "random_state": 0, **params}).fit(X, y)


def hierarchy_forest(X: np.ndarray, **params: object) -> HierarchyForest:
    given = {"n_trees": 6, "splits": "random", "min_node_size": 2, "certainty": 1.5, "random_state": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all distances may be 0
        return HierarchyForest(**{**given, **params}).fit(X)


def reached(forest: RandomForestProximity, X: np.ndarray) -> np.ndarray:
    return forest.forest_.apply(forest._single("X", X))


def drawn(forest: RandomForestProximity, n: int) -> np.ndarray:
    samples = forest.forest_.estimators_samples_
    return np.array([[int((rows == i).sum()) for rows in samples] for i in range(n)])


@given(rows(), rows(most=4), st.integers(0, 99), st.integers(1, 4), st.sampled_from(["leaf", "oob", "gap"]))
@settings(max_examples=60)
def test_proximities_of_a_random_forest_are_those_of_the_twin(
    X: np.ndarray, new: np.ndarray, seed: int, min_samples_leaf: int, weights: str
) -> None:
    new = np.resize(new, (len(new), X.shape[1]))
    y = np.random.default_rng(seed).integers(2, size=len(X))
    forest = random_forest(X, y, n_estimators=5, min_samples_leaf=min_samples_leaf, random_state=seed)
    Q, of_new = forest.leaf_map(weights=weights), forest.leaf_map(new, weights)
    fitted, queries, bags = reached(forest, X), reached(forest, new), drawn(forest, len(X))
    of_bags = {"leaf": (None, None), "oob": (bags, bags), "gap": (bags, bags)}[weights]
    P = Q.proximity(dense=True)
    np.testing.assert_allclose(P, reference.proximity(weights, fitted, fitted, *of_bags), **EXACT)
    expected = reference.proximity(weights, queries, fitted, None, of_bags[1])
    np.testing.assert_allclose(of_new.proximity(Q).toarray(), expected, **EXACT)
    np.testing.assert_allclose((of_new @ of_new.W @ Q.right.T).toarray(), expected, **EXACT)
    V = np.random.default_rng(seed).normal(size=(len(X), 2))
    np.testing.assert_allclose(of_new.operator(Q) @ V, expected @ V, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(Q.operator().T @ V[:, 0], P.T @ V[:, 0], rtol=1e-12, atol=1e-13)
    k = 1 + seed % len(X)
    distance, index = of_new.neighbors(k, Q)
    P = of_new.proximity(Q, dense=True)
    assert np.array_equal(index, np.argsort(-P, axis=1, kind="stable")[:, :k])
    np.testing.assert_allclose(distance, 1 - np.take_along_axis(P, index, axis=1), **EXACT)
    if weights == "leaf":
        for one, other in zip((distance, index), forest.kneighbors(new, k), strict=True):
            assert np.array_equal(one, other)


@given(rows(), rows(most=4), st.integers(0, 99), st.integers(1, 14))
@settings(max_examples=60)
def test_distances_of_a_hierarchy_forest_are_those_of_its_map(
    X: np.ndarray, new: np.ndarray, seed: int, min_node_size: int
) -> None:
    new = np.resize(new, (len(new), X.shape[1]))
    forest = hierarchy_forest(X, n_trees=3, random_state=seed, min_node_size=min_node_size)
    trees = [forest.tree(t) for t in range(3)]
    Q, of_new = forest.leaf_map(), forest.leaf_map(new)
    expected = np.array([[walks.unrounded_distance(trees, a, b, 1.5) for b in X] for a in new])
    D = of_new.proximity(Q, dense=True)
    np.testing.assert_allclose(D, expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(D, forest.pairwise(new, X), **SINGLE)
    np.testing.assert_allclose((Q @ Q.W @ Q.T).toarray(), forest.pairwise(X), **SINGLE)
    assert (forest.leaf_map(X) != Q).nnz == 0
    ways = [[walks.path(tree, x) for tree in trees] for x in X]
    assert np.diff(Q.indptr).tolist() == [2 * sum(len(way) - 1 for way in own) for own in ways]
    leaves = np.array([[way[-1] for way in own] for own in ways])
    P = forest.leaf_map(weights="leaf").proximity(dense=True)
    assert np.array_equal(P, reference.proximity("leaf", leaves, leaves))
    k = 1 + seed % len(X)
    distance, index = of_new.neighbors(k, Q)
    assert np.array_equal(distance, np.sort(D, axis=1)[:, :k])
    assert np.array_equal(distance, np.take_along_axis(D, index, axis=1))


@pytest.mark.parametrize("n_trees", [7, 10, 64])
def test_one_minus_the_proximity_is_the_distance(n_trees: int) -> None:
    forest = random_forest(X, CLASSES, n_estimators=n_trees)
    D = forest.pairwise(NEW, X)
    P = forest.leaf_map(NEW).proximity(forest.leaf_map(), dense=True)
    shared = np.rint(n_trees * P)
    assert np.array_equal(shared / n_trees, P) and np.array_equal((n_trees - shared) / n_trees, D)
    np.testing.assert_allclose(1 - P, D, rtol=0, atol=2**-53)
    if n_trees == 64:
        assert np.array_equal(1 - P, D)


@pytest.mark.parametrize("min_samples_leaf", [1, 6])
def test_rows_of_gap_sum_to_one_and_vote_as_the_forest_out_of_bag(min_samples_leaf: int) -> None:
    params = {"n_estimators": 60, "min_samples_leaf": min_samples_leaf, "random_state": 0}
    forest = random_forest(X, CLASSES, **params)
    Q = forest.leaf_map(weights="gap")
    np.testing.assert_allclose(Q.operator() @ np.ones(len(X)), 1, **EXACT)
    assert not Q.proximity().diagonal().any()  # no row votes for itself
    other = RandomForestClassifier(oob_score=True, **params).fit(X, CLASSES)
    indicators = np.eye(3)[CLASSES]
    np.testing.assert_allclose(Q.operator() @ indicators, other.oob_decision_function_, **EXACT)
    votes = forest.leaf_map(NEW, "gap").operator(Q) @ indicators
    np.testing.assert_allclose(votes, other.predict_proba(NEW), **EXACT)


def test_a_row_in_all_bags_has_no_entry_and_no_proximity() -> None:
    forest = random_forest(X, CLASSES, n_estimators=1)
    in_bag = drawn(forest, len(X))[:, 0] > 0
    for weights in ("oob", "gap"):
        Q = forest.leaf_map(weights=weights)
        assert np.array_equal(np.diff(Q.indptr) == 0, in_bag)
        assert np.array_equal(np.asarray(Q.proximity().sum(axis=1)) == 0, in_bag)


def test_rows_that_are_given_are_in_no_bag() -> None:
    forest = random_forest(X, CLASSES)
    for weights in ("oob", "gap"):
        Q = forest.leaf_map(X, weights)
        assert (np.diff(Q.indptr) == 7).all() and (np.diff(forest.leaf_map(weights=weights).indptr) < 7).any()
    assert (forest.leaf_map(X) != forest.leaf_map()).nnz == 0


@pytest.mark.parametrize("weights", ["leaf", "oob", "gap"])
def test_what_is_written_into_a_map_does_not_change_the_forest(weights: str) -> None:
    forest = random_forest(X, CLASSES)
    Q = forest.leaf_map(weights=weights)
    before = Q.copy()
    Q.data[:], Q.indices[:] = 7.0, 0
    again = forest.leaf_map(weights=weights)
    leaves, looked_up = forest.leaf_map(), forest._rows_in_leaves.T.tocsr()
    for one, other in ((again, before), (leaves, looked_up)):
        for name in ("data", "indices", "indptr"):
            mine, theirs = getattr(one, name), getattr(other, name)
            assert mine.dtype == theirs.dtype and np.array_equal(mine, theirs)


@pytest.mark.parametrize("weights", ["leaf", "oob", "gap", "distance"])
def test_rows_copies_and_pickles_are_maps_and_nothing_else_is(weights: str) -> None:
    forest = hierarchy_forest(X) if weights == "distance" else random_forest(X, CLASSES)
    Q = forest.leaf_map(weights=weights)
    assert sparse.issparse(Q) and isinstance(Q, sparse.csr_array) and Q.weights == weights
    P = Q.proximity(dense=True)
    for again in (Q.copy(), copy.copy(Q), copy.deepcopy(Q), pickle.loads(pickle.dumps(Q))):
        assert isinstance(again, LeafMap) and np.array_equal(again.proximity(dense=True), P)
    chosen = np.array([5, 2, 2, 77])
    columns = np.arange(len(X)) if weights == "gap" else chosen  # the right factor is of the fitted rows
    for part, of in ((Q[chosen], chosen), (Q[:4], slice(4)), (Q[np.arange(90) < 4], slice(4))):
        assert isinstance(part, LeafMap) and part.weights == weights
        assert np.array_equal(part.proximity(Q, dense=True), P[of])
    assert np.array_equal(Q[chosen].proximity(dense=True), P[np.ix_(chosen, columns)])
    Q.copy().data[:] = 0
    assert np.array_equal(Q.proximity(dense=True), P)
    plain = (
        Q.T,
        Q.T.T,
        2 * Q,
        -Q,
        Q @ Q.W,
        Q @ Q.T,
        Q[:, :2],
        Q[:4, :],
        Q[3],
        abs(Q),
        Q.proximity(),
    )
    assert not any(
        isinstance(other, LeafMap) for other in (*plain, sparse.vstack([Q, Q]), Q.W, sparse.csr_array(Q))
    )


def test_nearest_rows_do_not_depend_on_blocks_and_a_row_of_zeros_is_filled(monkeypatch) -> None:
    forest = random_forest(X, CLASSES, n_estimators=3)
    Q, of_new = forest.leaf_map(weights="gap"), forest.leaf_map(NEW)
    for left, other in ((Q, None), (of_new, forest.leaf_map()), (hierarchy_forest(X).leaf_map(), None)):
        P = left.proximity(other, dense=True)
        # By the proximities: 1 less these may make equal what is not.
        order, D = (P, P) if left.weights == "distance" else (-P, 1 - P)
        for block in (1, 400, 2**22):
            monkeypatch.setattr(maps, "BLOCK", block)
            distance, index = left.neighbors(90, other)
            assert np.array_equal(index, np.argsort(order, axis=1, kind="stable"))
            np.testing.assert_allclose(distance, np.take_along_axis(D, index, axis=1), **EXACT)
            distance, near = forest.kneighbors(NEW, 20)
            whole = forest.pairwise(NEW, X.copy())
            assert np.array_equal(near, np.argsort(whole, axis=1, kind="stable")[:, :20])
            assert np.array_equal(distance, np.sort(whole, axis=1)[:, :20])
    assert Q[[]].neighbors(3)[1].shape == (0, 3)


def test_maps_do_not_depend_on_threads() -> None:
    large = np.random.default_rng(1).normal(size=(5000, 4))
    found = []
    for _ in each_number_of_threads((1, 2)):
        forest = hierarchy_forest(large, min_node_size=1)
        found.append([forest.leaf_map(), forest.leaf_map(large[::2] + 0.1), forest.leaf_map(weights="leaf")])
    for one, other in zip(*found, strict=True):
        for name in ("indptr", "indices", "data"):
            assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("unknown", ["distance", "gap"])
def test_what_makes_no_sense_is_refused(unknown: str) -> None:
    forest = hierarchy_forest(X) if unknown == "gap" else random_forest(X, CLASSES)
    with pytest.raises(NotFittedError):
        type(forest)().leaf_map()
    for weights in (unknown, None, 3):
        with pytest.raises(ValueError, match=r"^weights=.*: expected one of .*leaf"):
            forest.leaf_map(weights=weights)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features"):
        forest.leaf_map(X[:, :3])
    spoilt = X.copy()
    spoilt[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X\[3, 1\] is NaN"):
        forest.leaf_map(spoilt)
    Q = forest.leaf_map(weights="leaf")
    for k in (0, 91, 2.5):
        with pytest.raises((TypeError, ValueError), match=r"^n_neighbors"):
            Q.neighbors(k)
    others = random_forest(X, CLASSES, n_estimators=3)
    for other in (
        X,
        sparse.csr_array(Q),
        others.leaf_map(),
        random_forest(X, CLASSES).leaf_map(weights="oob"),
    ):
        with pytest.raises(
            ValueError, match=r"^other: .*; expected a map of the same forest, with weights 'leaf' and"
        ):
            Q.proximity(other)


def kept_in_a_file(forest: HierarchyForest, path: Path) -> HierarchyForest:
    forest.save(path)
    return HierarchyForest.load(path)


def test_maps_of_other_forests_are_refused_and_those_of_kept_ones_are_not(tmp_path: Path) -> None:
    coarse = [
        random_forest(X, CLASSES, n_estimators=3, min_samples_leaf=10, random_state=k) for k in range(9)
    ]
    columns = [forest.leaf_map().shape[1] for forest in coarse]
    first, second = np.flatnonzero(np.array(columns) == max(columns, key=columns.count))[:2]
    pairs = [
        (hierarchy_forest(X[:3]), hierarchy_forest(X[3:6]), ("distance", "leaf")),
        (hierarchy_forest(X), hierarchy_forest(X, certainty=2.0), ("distance", "leaf")),
        (coarse[first], coarse[second], ("leaf", "oob", "gap")),
    ]
    # One split parts equal trees of other bags: proximities by bags must not be mixed.
    steps, apart = np.repeat([[0.0], [1.0]], 20, axis=0), np.repeat([0, 1], 20)
    pairs.append((*(random_forest(steps, apart, random_state=seed) for seed in (0, 1)), ("oob", "gap")))
    for forest, another, weights in pairs:
        for kind in weights:
            Q, wrong = forest.leaf_map(weights=kind), another.leaf_map(weights=kind)
            assert Q.shape[1] == wrong.shape[1]
            for call in (Q.proximity, Q.operator, lambda R, Q=Q: Q[:2].neighbors(1, R[:1])):
                with pytest.raises(ValueError, match=r"^other: a map of another forest; expected a map of"):
                    call(wrong)
            kept = [pickle.loads(pickle.dumps(forest)), copy.deepcopy(forest)]
            if isinstance(forest, HierarchyForest):
                kept += [kept_in_a_file(forest, tmp_path / "forest"), HierarchyForest.join([forest])]
            for same in kept:
                P = Q.proximity(same.leaf_map(weights=kind), dense=True)
                assert np.array_equal(P, Q.proximity(dense=True))
