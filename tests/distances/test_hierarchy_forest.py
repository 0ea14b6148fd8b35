"""The forest of hierarchies: against its twin, its trees against what they are said to be."""

import copy
import hashlib
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.distances import Euclidean, HierarchyForest
from cladebench.reference import hierarchy_forest as reference
from cladebench.solvers.max_margin_split import max_margin_split
from instruction_sets import each_number_of_threads
from random_forests import forest_of, rows


def trees_of(forest: HierarchyForest) -> list:
    return [forest.tree(t) for t in range(forest.n_trees)]


@given(rows(), rows(5), st.integers(0, 2**31), st.integers(1, 6), st.data())
@settings(max_examples=60)
def test_distances_and_neighbors_are_those_of_the_twin(
    X: np.ndarray, others: np.ndarray, seed: int, min_node_size: int, data: st.DataObject
) -> None:
    others = np.resize(others, (len(others), X.shape[1]))
    forest = forest_of(X, 4, random_state=seed, min_node_size=min_node_size)
    trees = trees_of(forest)
    expected = np.array([[reference.distance(trees, a, b, 1.5) for b in X] for a in others])
    assert np.array_equal(forest.pairwise(others, X), expected)
    square = forest.pairwise(X)
    assert np.array_equal(square, square.T) and not np.diagonal(square).any() and square.max() <= 1
    own_list = data.draw(st.booleans(), "without X") and len(X) > 1
    k = data.draw(st.integers(1, len(X) - own_list), "k")
    per_tree = data.draw(st.sampled_from([None, 1, 2, 3, 50]), "per_tree")
    nearest = data.draw(st.booleans(), "nearest")
    refill = data.draw(st.booleans(), "refill")
    distances, index, _ = forest.neighbors_of(
        None if own_list else others,
        k,
        candidates_per_tree=per_tree,
        candidate_order="nearest" if nearest else "sampled",
        refill=refill,
    )
    for q, x in enumerate(X if own_list else others):
        found = reference.neighbors(
            trees, X, x, k, 1.5,
            per_tree=per_tree, left_out=q if own_list else None, nearest=nearest, seed=forest.seed_, refill=refill,
        )  # fmt: skip
        missing = k - len(found[1])
        assert missing == 0 or not refill
        assert index[q].tolist() == found[1] + missing * [-1]
        assert distances[q].tolist() == found[0] + missing * [np.inf]


def members(tree: object, X: np.ndarray) -> list[list[int]]:
    """Rows of each node."""
    held: list[list[int]] = [[] for _ in tree.right]
    for i, x in enumerate(X):
        for node in reference.path(tree, x):
            held[node].append(i)
    return held


def test_trees_are_what_they_are_said_to_be() -> None:
    X = np.random.default_rng(0).normal(size=(90, 7))
    X[20:40] = X[0]
    X[:, 4] = 3.0
    for min_node_size, drawn in ((1, 7), (5, None), (30, 2)):
        forest = forest_of(X, 5, min_node_size=min_node_size, n_split_features=drawn)
        for tree in trees_of(forest):
            held = members(tree, X)
            assert [len(node) for node in held] == tree.size.tolist()
            assert tree.features.shape == (np.count_nonzero(tree.right), drawn or 3)
            assert tree.weights.shape == (len(tree.features), (drawn or 3) + 1)
            for node, rows_in in enumerate(held):
                if tree.right[node]:
                    assert len(rows_in) > min_node_size
                    assert sorted(held[node + 1] + held[tree.right[node]]) == rows_in
                else:
                    assert len(rows_in) <= min_node_size or (X[rows_in] == X[0]).all()
            assert (np.diff(tree.features.astype(int), axis=1) > 0).all()
    drawn_ones = np.unique(forest.features_, axis=0)
    assert len(drawn_ones) > 5 and len(np.unique(forest.weights_[:, 0])) == len(forest.weights_)


@given(rows(40), st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 6), st.booleans())
@settings(max_examples=60)
def test_a_node_whose_split_leaves_too_few_rows_is_a_leaf(
    X: np.ndarray, seed: int, min_node_size: int, least: int, random: bool
) -> None:
    given = {
        "random_state": seed,
        "min_node_size": min_node_size,
        "splits": "random" if random else "max-margin",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all distances may be 0
        free, forest = forest_of(X, 3, **given), forest_of(X, 3, min_leaf_size=least, **given)
    for plain, tree in zip(trees_of(free), trees_of(forest), strict=True):
        assert [len(node) for node in members(tree, X)] == tree.size.tolist()
        assert len(tree.right) == 1 or tree.size[tree.right == 0].min() >= least
        # In preorder the two trees agree up to the first split that is not made.
        children = [
            (plain.size[v + 1], plain.size[right]) if right else () for v, right in enumerate(plain.right)
        ]
        stops = [v for v, sizes in enumerate(children) if sizes and min(sizes) < least]
        if not stops:
            assert all(np.array_equal(a, b) for a, b in zip(plain, tree, strict=True))
            continue
        first = stops[0]
        n_splits = np.count_nonzero(plain.right[:first])
        assert tree.right[first] == 0 and np.array_equal(tree.size[: first + 1], plain.size[: first + 1])
        assert np.array_equal(tree.weights[:n_splits], plain.weights[:n_splits])
        assert np.array_equal(tree.features[:n_splits], plain.features[:n_splits])


def test_a_forest_without_a_minimum_leaf_size_is_the_one_it_was() -> None:
    # Of trees grown before there was one; whole numbers, so that no bit depends on the machine.
    X = np.random.default_rng(5).integers(-9, 10, size=(200, 6)).astype(float)
    forest = HierarchyForest(4, splits="random", random_state=11).fit(X)
    digest = hashlib.sha256()
    for array in (forest.n_nodes_, forest.right_, forest.size_, forest.features_):
        digest.update(np.ascontiguousarray(array).tobytes())
    assert digest.hexdigest() == "2c51c985538736d7d3f47a19e6d6b5320cc38c78fb4475c8e40544cb8361e023"


def test_rows_that_cannot_be_parted_share_a_leaf() -> None:
    equal = np.full((20, 3), 1.25)
    forest = forest_of(equal, 2)
    assert forest.n_nodes_.tolist() == [1, 1] and not forest.pairwise(equal, equal + 5).any()
    distance, index = forest.kneighbors(n_neighbors=19, candidates_per_tree=2)
    assert not distance.any() and index[3].tolist() == [i for i in range(20) if i != 3]
    # One row stands apart, in one feature of many that are drawn one at a time: other draws are tried.
    X = np.zeros((12, 3))
    X[7, 1] = 1.0
    sizes = [tree.size.tolist() for tree in trees_of(forest_of(X, 10, n_split_features=1))]
    assert all(sorted(found[1:]) == [1, 11] for found in sizes)


def test_chains_of_rows() -> None:
    # Each feature tells one row from all others: they are taken away one by one.
    X = np.eye(90) * np.random.default_rng(0).uniform(1.0, 2.0, 90)
    forest = forest_of(X, 2, n_split_features=1)
    trees = trees_of(forest)
    assert all(max(len(reference.path(tree, x)) for x in X) > 60 for tree in trees)
    D = forest.pairwise(X)
    for i, j in np.random.default_rng(0).integers(90, size=(60, 2)):
        assert D[i, j] == reference.distance(trees, X[i], X[j], 1.5)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :7]
    for per_tree in (None, 90):
        distance, index = forest.kneighbors(n_neighbors=7, candidates_per_tree=per_tree)
        assert np.array_equal(index, order)
        assert np.array_equal(distance, np.take_along_axis(D, order, axis=1))
    index = forest.kneighbors(n_neighbors=7, candidates_per_tree=4)[1]
    for i in (0, 40, 89):
        found = reference.neighbors(trees, X, X[i], 7, 1.5, per_tree=4, left_out=i, seed=forest.seed_)
        assert index[i].tolist() == found[1]


def test_no_result_depends_on_threads_or_ranges() -> None:
    X = np.random.default_rng(2).normal(size=(300, 9))
    pairs = np.random.default_rng(3).integers(300, size=(80, 2))
    given = {"must_link": pairs[pairs[:, 0] < pairs[:, 1]], "cannot_link": pairs[pairs[:, 0] > pairs[:, 1]]}

    def all_of(forest: HierarchyForest) -> list[np.ndarray]:
        found = [forest.right_, forest.size_, forest.features_, forest.weights_, forest.pairwise(X[:50], X)]
        for arguments in ((None, 7), (X[::3] + 0.1, 7)):
            found += forest.kneighbors(*arguments)
            found += forest.neighbors_of(*arguments, candidates_per_tree=4)
        return found

    one, two = (all_of(forest_of(X, 12, **given)) for _ in each_number_of_threads((1, 2)))
    parts = [forest_of(X, count, first_tree=first, **given) for first, count in ((7, 5), (0, 3), (3, 4))]
    joined = HierarchyForest.join(parts)
    assert joined.n_trees == 12 and joined.first_tree == 0
    for other in (two, all_of(joined)):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert not np.array_equal(forest_of(X, 12, random_state=4).weights_[:5], one[3][:5])


def test_parts_that_do_not_fit_are_not_joined() -> None:
    X = np.random.default_rng(2).normal(size=(20, 3))
    part = forest_of(X, 2)
    for other, words in (
        (forest_of(X, 2, first_tree=3), "first_tree=3: expected 2"),
        (forest_of(X, 2), "first_tree=0: expected 2"),
        (forest_of(X, 2, first_tree=2, certainty=1.0), r"certainty=1\.0 .* certainty=1\.5"),
        (forest_of(X, 2, first_tree=2, random_state=4), "seed_="),
        (forest_of(X, 2, first_tree=2, cannot_link=[[0, 1]]), "constraints_digest_="),
        (forest_of(X + 1, 2, first_tree=2), "different rows"),
    ):
        with pytest.raises(ValueError, match=words):
            HierarchyForest.join([part, other])
    with pytest.raises(ValueError, match="forests is empty"):
        HierarchyForest.join([])


def test_arguments_that_make_no_sense() -> None:
    X = np.random.default_rng(5).normal(size=(8, 4))
    forest = forest_of(X)
    for arguments, words in (
        ({"n_neighbors": 8}, "n_neighbors=8 exceeds the number of other fitted rows, n_samples - 1 = 7"),
        ({"X": X, "n_neighbors": 9}, "n_neighbors=9 exceeds the number of fitted rows, n_samples=8"),
        ({"candidates_per_tree": 0}, "candidates_per_tree=0: expected an integer >= 1"),
        ({"candidate_order": "any"}, "candidate_order='any'"),
    ):
        with pytest.raises(ValueError, match=words):
            forest.kneighbors(**arguments)
    for params, words in (
        ({"n_split_features": 5}, "n_split_features=5: expected at most the number of features, 4"),
        ({"share": 1.5}, r"share=1\.5: expected at most 1"),
        ({"membership": 0.6}, r"membership=0\.6: expected at most 0\.5"),
    ):
        with pytest.raises(ValueError, match=words):
            forest_of(X, **params)
    with pytest.raises(ValueError, match=r"t=6: expected 0\.\.5"):
        forest.tree(6)


def test_constraints_that_are_ignored_leave_no_trace() -> None:
    X = np.random.default_rng(7).normal(size=(60, 4))
    pairs = {"must_link": [[0, 1], [0, 1], [2, 3]], "cannot_link": [[4, 5]]}
    none, used, ignored = forest_of(X), forest_of(X, **pairs), forest_of(X, constraints="ignored", **pairs)
    assert ignored.constraints_digest_ == none.constraints_digest_ != used.constraints_digest_
    assert np.array_equal(ignored.weights_, none.weights_)
    assert np.array_equal(used.weights_, none.weights_)  # splits that are random read no constraints


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"weight": 1.0},
        {"unconstrained": 0.1},
        {"share": 1.0},
        {"tolerance": 5.0},
        {"max_rounds": 1},
        {"supervised_rounds": 0},
        {"ridge": 1.0},
        {"start": "through-zero"},
        {"solver": "subgradient"},
    ],
    ids=lambda params: "".join(params) or "none",
)
def test_parameters_of_splits_reach_them(params: dict) -> None:
    rng = np.random.default_rng(34)
    X, pairs = rng.normal(size=(60, 4)) + rng.normal(size=4), rng.permutation(60).reshape(-1, 2)
    given = {"must_link": pairs[:7], "cannot_link": pairs[7:20]}
    forest = HierarchyForest(1, n_split_features=4, random_state=0, **params).fit(X, **given)
    others = {name: value for name, value in params.items() if name != "solver"}
    root = max_margin_split(X, **given, **others, subgradient="solver" in params)
    assert np.array_equal(forest.weights_[0], root.weights[[*forest.features_[0], 4]])
    if params:
        assert not np.array_equal(root.weights, max_margin_split(X, **given).weights)


def test_algorithm_1_from_random_points_depends_on_the_seed() -> None:
    rng = np.random.default_rng(36)
    X, pairs = rng.normal(size=(60, 4)) + rng.normal(size=4), rng.permutation(60).reshape(-1, 2)

    def root(solver: str, seed: int) -> bytes:
        forest = HierarchyForest(1, n_split_features=4, solver=solver, random_state=seed)
        return forest.fit(X, must_link=pairs[:7], cannot_link=pairs[7:20]).weights_[0].tobytes()

    assert len({root("subgradient", seed) for seed in range(6)}) == 1
    found = [root("subgradient-from-random", seed) for seed in range(6)]
    assert len({*found, root("subgradient", 0)}) > 3 and root("subgradient-from-random", 5) == found[5]


def constrained(scale: float = 1.0, n_trees: int = 5, **params: object) -> HierarchyForest:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 6)) + y[:, None]
    pairs = rng.permutation([(a, b) for a in range(40) for b in range(a)])[:60]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    forest = HierarchyForest(n_trees, random_state=0, **params)
    return forest.fit(scale * X, must_link=pairs[same], cannot_link=pairs[~same])


def test_what_a_fitted_forest_says_does_not_change_with_its_parameters(tmp_path) -> None:
    forest = constrained()
    known = forest.pairwise(forest._fit_X)
    forest.set_params(certainty=3.0, n_trees=50, n_split_features=1, first_tree=7, candidates_per_tree=2)
    forest.save(tmp_path / "forest")
    for again in (
        HierarchyForest.load(tmp_path / "forest"),
        pickle.loads(pickle.dumps(forest)),
        copy.deepcopy(forest),
        HierarchyForest.join([forest]),
    ):
        np.testing.assert_array_equal(again.pairwise(forest._fit_X), known)
    loaded = HierarchyForest.load(tmp_path / "forest")
    assert (loaded.certainty, loaded.n_trees, loaded.first_tree, loaded.candidates_per_tree) == (0.5, 5, 0, 2)
    assert loaded.seconds_taken_up_ == HierarchyForest.join([forest]).seconds_taken_up_ == 0.0
    rest = constrained(n_trees=3, first_tree=5).set_params(certainty=0.1, first_tree=0)
    whole = HierarchyForest.join(iter([rest, forest]))
    np.testing.assert_array_equal(whole.pairwise(whole._fit_X), constrained(n_trees=8).pairwise(whole._fit_X))


def test_what_is_no_sequence_of_forests_is_not_joined() -> None:
    forest = constrained()
    with pytest.raises(TypeError, match=r"^forests is a HierarchyForest: expected a sequence"):
        HierarchyForest.join(forest)
    with pytest.raises(TypeError, match=r"^forests holds a Euclidean: expected HierarchyForests alone"):
        HierarchyForest.join([forest, Euclidean().fit(forest._fit_X)])
    with pytest.raises(
        ValueError, match=r"^first_tree=0: expected 5, the next one \(trees are there twice\)"
    ):
        HierarchyForest.join([forest, forest])


def test_features_so_small_that_no_split_parts_rows_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="all distances are 0; expected standardised features"):
        small = constrained(1e-8)
    assert not small.pairwise(small._fit_X).any()
    with pytest.warns(UserWarning, match="all distances are 0"):  # no split at all
        HierarchyForest(3, random_state=0).fit(1e-8 * np.random.default_rng(0).normal(size=(40, 6)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        constrained()
        HierarchyForest(2, random_state=0).fit(np.ones((20, 3)))  # equal rows
        HierarchyForest(2, random_state=0).fit(np.eye(3))  # no split
        HierarchyForest(2, random_state=0, min_leaf_size=30).fit(np.eye(59))
    with pytest.warns(UserWarning, match="^X: no split leaves min_leaf_size=30 rows on each side, and all"):
        HierarchyForest(2, random_state=0, min_leaf_size=30, n_split_features=1).fit(np.eye(61))


def test_features_that_single_precision_merges_are_warned_of() -> None:
    seconds = np.column_stack([np.arange(40) % 7, 1.7e9 + np.arange(40)])
    with pytest.warns(
        UserWarning, match=r"^feature 1: single precision leaves [12] of 40 different values"
    ) as seen:
        HierarchyForest(1, random_state=0, n_split_features=1).fit(seconds)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HierarchyForest(1, random_state=0, splits="random").fit(seconds)  # in double precision
