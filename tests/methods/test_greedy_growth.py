import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.methods._greedy import GreedyTopDown, Node, Split

Rule = Callable[[np.ndarray], Split | None]


class Toy(GreedyTopDown):
    """Splits by a rule that sees the samples alone, and keeps a record of the nodes it was asked to split."""

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        rule: Rule,
        n_leaves: Any = None,
        n_splits: Any = 2,
        min_leaf_size: Any = 1,
        max_depth: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.rule = rule
        self.n_leaves = n_leaves
        self.n_splits = n_splits
        self.min_leaf_size = min_leaf_size
        self.max_depth = max_depth
        self.random_state = random_state

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Any:
        self.asked: list[Node] = []
        self.asked_samples: list[list[int]] = []
        return super()._build(X, y)

    def _split(self, node: Node) -> Split | None:
        assert np.array_equal(node.samples, np.sort(node.samples))
        self.asked.append(node)
        self.asked_samples.append(node.samples.tolist())
        return self.rule(node.samples)


def chunks(n_splits: int, score: Callable[[np.ndarray], float] = len) -> Rule:
    """Cut the samples, in their order, into parts of nearly equal sizes."""

    def rule(samples: np.ndarray) -> Split:
        return Split(np.arange(len(samples)) * n_splits // len(samples), float(score(samples)))

    return rule


def line(n: int) -> np.ndarray:
    return np.arange(float(n))[:, None]


def leaves(tree: Any) -> np.ndarray:
    return np.flatnonzero(np.diff(tree.child_ptr) == 0)


# ---------------------------------------------------------------- against the algorithm as printed


def algorithm_1(
    n_samples: int, rule: Rule, n_leaves: int, n_splits: int, min_leaf_size: int, max_depth: float
) -> tuple[list[int], list[list[int]], list[int]]:
    """Parents, samples and order of splits: every leaf is clustered anew in every round, nothing is cached."""
    parents, samples, depths, standing, order = [-1], [list(range(n_samples))], [0], [0], []
    while len(standing) < n_leaves:
        best, best_split = None, None
        for node in standing:
            size = len(samples[node])
            if size < n_splits or size <= min_leaf_size or depths[node] >= max_depth:
                continue
            split = rule(np.array(samples[node]))
            if split is not None and (best_split is None or split.score > best_split.score):
                best, best_split = node, split
        if best is None or best_split is None:
            break
        standing.remove(best)
        order.append(best)
        for cluster in range(max(best_split.labels) + 1):
            standing.append(len(parents))
            parents.append(best)
            depths.append(depths[best] + 1)
            samples.append([i for i, j in zip(samples[best], best_split.labels, strict=True) if j == cluster])
    return parents, samples, order


@settings(max_examples=150, deadline=None)
@given(
    n_samples=st.integers(1, 25),
    n_splits=st.integers(2, 5),
    n_scores=st.integers(1, 6),  # one score: nothing but ties
    min_leaf_size=st.integers(1, 4),
    max_depth=st.none() | st.integers(0, 4),
    salt=st.integers(0, 1000),
    data=st.data(),
)
def test_growth_is_algorithm_1(
    n_samples: int,
    n_splits: int,
    n_scores: int,
    min_leaf_size: int,
    max_depth: int | None,
    salt: int,
    data: st.DataObject,
) -> None:
    def rule(samples: np.ndarray) -> Split | None:
        random = np.random.default_rng([salt, *samples])
        if random.random() < 0.1:
            return None
        n_parts = int(random.integers(2, n_splits + 1))
        labels = random.permutation(np.arange(len(samples)) % n_parts)
        return Split(labels, float(random.integers(n_scores)) - 2.0)

    n_leaves = data.draw(st.integers(1, n_samples if n_samples >= n_splits else 1))
    parents, samples, order = algorithm_1(
        n_samples, rule, n_leaves, n_splits, min_leaf_size, np.inf if max_depth is None else max_depth
    )
    fitted = Toy(
        1,
        rule=rule,
        n_leaves=n_leaves,
        n_splits=n_splits,
        min_leaf_size=min_leaf_size,
        max_depth=max_depth,
    ).fit(line(n_samples))
    tree = fitted.hierarchy_
    assert tree.parents.tolist() == parents
    assert [sorted(tree.samples(node).tolist()) for node in range(tree.n_nodes)] == samples
    ranks = tree.node_data["order"]
    assert [int(np.flatnonzero(ranks == t)[0]) for t in range(len(order))] == order
    assert (ranks == -1).sum() == tree.n_leaves == fitted.n_leaves_grown_
    assert np.array_equal(tree.heights, np.where(ranks < 0, 0, len(order) - ranks))
    assert (tree.parents < np.arange(tree.n_nodes)).all()
    assert np.array_equal(tree.node_data["score"][order], fitted.trace_["score"])
    assert np.array_equal(np.isnan(tree.node_data["score"]), ranks < 0)


def test_each_leaf_is_clustered_once_and_the_last_ones_never() -> None:
    fitted = Toy(5, rule=chunks(2)).fit(line(32))
    tree = fitted.hierarchy_
    asked = [node.index for node in fitted.asked]
    # The root, and the children of all splits but the last.
    last = int(np.argmax(tree.node_data["order"]))
    assert asked == [v for v in range(tree.n_nodes) if tree.parents[v] != last]
    assert len(asked) == 7
    assert fitted.asked_samples == [sorted(tree.samples(v).tolist()) for v in asked]


def test_no_split_is_sought_where_one_leaf_will_do() -> None:
    fitted = Toy(1, rule=chunks(2)).fit(line(8))
    assert fitted.asked == []
    assert fitted.hierarchy_.n_nodes == fitted.n_leaves_grown_ == 1
    assert fitted.hierarchy_.node_data["order"].tolist() == [-1]


# ---------------------------------------------------------------- order, heights, ends


def test_the_largest_score_is_split_next_and_cuts_replay_it() -> None:
    # Scores grow to the left: the leftmost leaf is always next.
    fitted = Toy(6, rule=chunks(2, lambda samples: -samples[0])).fit(line(32))
    assert fitted.trace_["n_leaves"].tolist() == [2, 3, 4, 5, 6]
    assert (np.diff(fitted.trace_["seconds"]) >= 0).all()
    assert [np.bincount(fitted.hierarchy_.cut(m)).tolist() for m in (1, 2, 3, 4, 6)] == [
        [32],
        [16, 16],
        [8, 8, 16],
        [4, 4, 8, 16],
        [1, 1, 2, 4, 8, 16],
    ]


@pytest.mark.filterwarnings("ignore:.*labels_ has")
@pytest.mark.parametrize("n_splits", [2, 3, 4])
def test_a_tree_with_fewer_leaves_is_a_cut_of_one_with_more(n_splits: int) -> None:
    def rule_of(node_seed: int, samples: np.ndarray) -> Split:
        random = np.random.default_rng(node_seed)
        return Split(random.permutation(np.arange(len(samples)) % n_splits), random.random())

    class Seeded(Toy):
        def _split(self, node: Node) -> Split | None:
            return rule_of(node.seed, node.samples)

    whole = Seeded(40, rule=chunks(2), n_splits=n_splits).fit(line(60))
    for m in (2, 5, 9, 20):
        part = Seeded(m, rule=chunks(2), n_splits=n_splits).fit(line(60))
        same = whole.hierarchy_.cut(part.n_leaves_grown_)
        assert np.array_equal(part.hierarchy_.cut(60), same)
        assert np.array_equal(part.trace_["score"], whole.trace_["score"][: len(part.trace_["score"])])
    other = Seeded(40, rule=chunks(2), n_splits=n_splits, random_state=1).fit(line(60))
    assert not np.array_equal(other.hierarchy_.leaf_of, whole.hierarchy_.leaf_of)


def test_among_equal_scores_the_leaf_made_first_is_split() -> None:
    tree = Toy(8, rule=chunks(2, lambda samples: 0.0)).fit(line(8)).hierarchy_
    assert tree.node_data["order"].tolist() == [*range(7), *[-1] * 8]
    assert tree.parents.tolist() == [-1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]


@pytest.mark.parametrize(
    ("n_splits", "n_leaves", "grown"),
    [(2, 7, 7), (3, 2, 3), (3, 3, 3), (3, 4, 5), (4, 2, 4), (4, 4, 4), (4, 5, 7), (4, 6, 7), (5, 6, 9)],
)
def test_the_last_split_may_overshoot(n_splits: int, n_leaves: int, grown: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = Toy(n_leaves, rule=chunks(n_splits), n_splits=n_splits).fit(line(64))
    assert fitted.n_leaves_grown_ == fitted.hierarchy_.n_leaves == grown <= n_leaves + n_splits - 2
    # Never more clusters than asked for: the cut stops before the split that overshoots.
    fewer = grown - n_splits + 1
    assert fitted.labels_.max() + 1 == (n_leaves if grown == n_leaves else fewer)
    # And where there are fewer, a warning says which numbers can be met.
    words = [
        f"Toy: labels_ has {fewer} cluster{'s' if fewer > 1 else ''}, as the tree skips n_clusters={n_leaves}; "
        f"expected n_clusters={fewer} or {grown}"
    ]
    assert [str(w.message) for w in caught if w.category is UserWarning] == (
        words if grown > n_leaves else []
    )


@pytest.mark.parametrize(("n_clusters", "n_flat"), [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (6, 5), (7, 7)])
def test_the_warning_is_about_n_clusters_and_not_about_n_leaves(n_clusters: int, n_flat: int) -> None:
    estimator = Toy(n_clusters, rule=chunks(3), n_splits=3, n_leaves=9)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = estimator.fit(line(64)).labels_
    assert labels.max() + 1 == n_flat
    assert [f"skips n_clusters={n_clusters};" in str(w.message) for w in caught] == [True] * (
        n_flat < n_clusters
    )


def test_no_warning_where_the_samples_are_the_reason() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = Toy(3, rule=chunks(2)).fit([[0.0]] * 3 + [[1.0]] * 3)
    assert fitted.labels_.max() + 1 == fitted.n_leaves_grown_ == 2


def test_infinite_scores_are_scores() -> None:
    tree = Toy(3, rule=chunks(2, lambda s: np.inf if s[0] else -np.inf)).fit(line(8)).hierarchy_
    assert tree.node_data["order"].tolist() == [0, -1, 1, -1, -1]


def test_nodes_up_to_min_leaf_size_are_not_split() -> None:
    fitted = Toy(20, rule=chunks(2), min_leaf_size=5).fit(line(40))
    tree = fitted.hierarchy_
    below = np.isin(np.arange(tree.n_nodes), leaves(tree))
    assert tree.sizes[below].max() <= 5 < tree.sizes[~below].min()
    assert fitted.n_leaves_grown_ == 8 < 20


@pytest.mark.parametrize("max_depth", [0, 1, 3])
def test_max_depth_ends_growth(max_depth: int) -> None:
    fitted = Toy(20, rule=chunks(2), max_depth=max_depth).fit(line(40))
    assert fitted.hierarchy_.depths.max() == max_depth
    assert fitted.n_leaves_grown_ == 2**max_depth


def test_equal_samples_are_not_split() -> None:
    fitted = Toy(3, rule=chunks(2)).fit(np.full((6, 2), 1.25))
    assert fitted.hierarchy_.n_nodes == 1
    assert fitted.asked == []
    assert fitted.trace_["n_leaves"].shape == fitted.trace_["seconds"].shape == (0,)
    # The first and the last equal, but not the one between: that can be split.
    assert Toy(2, rule=chunks(2)).fit([[0.0], [1.0], [0.0]]).hierarchy_.n_nodes == 3
    # Equal ones within a node of their own.
    tree = Toy(4, rule=chunks(2)).fit([[0.0]] * 3 + [[1.0]] * 3).hierarchy_
    assert [tree.samples(v).tolist() for v in leaves(tree)] == [[0, 1, 2], [3, 4, 5]]


def test_nodes_smaller_than_n_splits_are_not_split() -> None:
    tree = Toy(8, rule=chunks(3), n_splits=3).fit(line(8)).hierarchy_
    assert sorted(tree.sizes[leaves(tree)].tolist()) == [1, 1, 1, 1, 1, 1, 2]


def test_a_tree_may_be_as_deep_as_it_has_samples() -> None:
    def peel(samples: np.ndarray) -> Split:
        return Split((np.arange(len(samples)) > 0).astype(int), 0.0)

    fitted = Toy(1500, rule=peel).fit(line(1500))
    assert fitted.hierarchy_.depths.max() == 1499
    assert np.array_equal(fitted.labels_, np.arange(1500))
    assert all(len(node.samples) == 0 for node in fitted.asked)  # split, and let go


# ---------------------------------------------------------------- what a split hands on


def test_models_facts_and_the_path_to_a_node() -> None:
    paths: dict[int, list[Any]] = {}

    class WithModels(Toy):
        def _split(self, node: Node) -> Split | None:
            split = super()._split(node)
            if split is not None:
                split.models = np.full((2, 3), 10.0 * node.index) + np.arange(2)[:, None]
                split.facts = {"objective": float(node.index)}
                paths[node.index] = [
                    above.models[position].tolist()
                    for above, position in node.path()
                    if above.models is not None
                ]
            return split

    X = np.column_stack([np.arange(16.0)] * 3)
    tree = WithModels(8, rule=chunks(2, lambda samples: 0.0)).fit(X).hierarchy_
    models, objective = tree.node_data["models"], tree.node_data["objective"]
    assert models.shape == (15, 2, 3)
    inner = tree.node_data["order"] >= 0
    assert np.isnan(models[~inner]).all() and np.isnan(objective[~inner]).all()
    assert objective[inner].tolist() == list(range(7))
    assert models[3].tolist() == [[30.0] * 3, [31.0] * 3]
    # Node 5 is the first child of node 2, which is the second child of the root.
    assert paths[5] == [[20.0] * 3, [1.0] * 3]
    assert paths[0] == []


def test_nothing_of_the_data_stays_behind() -> None:
    fitted = Toy(3, rule=chunks(2)).fit(line(9))
    assert not hasattr(fitted, "_X")

    def fails(samples: np.ndarray) -> Split:
        raise OSError

    failing = Toy(3, rule=fails)
    with pytest.raises(OSError):
        failing.fit(line(9))
    assert not hasattr(failing, "_X")


GOOD = np.array([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("split", "words"),
    [
        (Split([0, 0, 1, 1], 1.0), r"labels are a list; expected an ndarray of integers, shape \(4,\)"),
        (Split(GOOD * 1.0, 1.0), "labels are of dtype float64; expected an ndarray of integers"),
        (Split(GOOD > 0, 1.0), "labels are of dtype bool; expected an ndarray of integers"),
        (Split(None, 1.0), "labels are a NoneType; expected"),
        (Split(GOOD[:2], 1.0), r"labels have shape \(2,\); expected \(4,\), the cluster of each sample"),
        (Split(GOOD[:, None], 1.0), r"labels have shape \(4, 1\); expected \(4,\)"),
        (Split(GOOD - 1, 1.0), r"labels run from -1 to 0; expected 0..2 at most \(n_splits=3\)"),
        (Split(np.arange(4), 1.0), r"labels run from 0 to 3; expected 0..2 at most \(n_splits=3\)"),
        (Split(GOOD * 2, 1.0), r"clusters of \[2, 0, 2\] samples; expected .* none of them empty"),
        (Split(GOOD + 1, 1.0), r"clusters of \[0, 2, 2\] samples"),
        (Split(GOOD * 0, 1.0), r"clusters of \[4, 0\] samples; expected two clusters or more"),
        (Split(GOOD, np.nan), "the score is nan; expected a number that is not NaN"),
        (Split(GOOD, "1"), "the score is '1'; expected a number"),
        (Split(GOOD, 1.0, np.zeros(2)), r"models have shape \(2,\); expected \(2, n_features\)"),
        (Split(GOOD, 1.0, np.zeros((3, 2))), r"models have shape \(3, 2\); expected \(2, n_features\)"),
        (GOOD, "returned ndarray; expected a Split, or None where the node cannot be split"),
    ],
)
def test_what_is_no_split_is_refused(split: Any, words: str) -> None:
    with pytest.raises(ValueError, match=rf"^Toy\._split, node 0 \(4 samples, depth 0\): {words}"):
        Toy(2, rule=lambda samples: split, n_splits=3).fit(line(4))


def test_the_node_of_a_bad_split_is_named() -> None:
    def rule(samples: np.ndarray) -> Split:
        return chunks(2)(samples) if len(samples) > 5 else Split(np.zeros(len(samples), int), 0.0)

    with pytest.raises(ValueError, match=r"node 3 \(5 samples, depth 2\): clusters of \[5, 0\]"):
        Toy(20, rule=rule).fit(line(20))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_labels_may_be_any_integers(dtype: type) -> None:
    fitted = Toy(2, rule=lambda samples: Split(GOOD.astype(dtype), 1.0)).fit(line(4))
    assert fitted.labels_.tolist() == GOOD.tolist()


def test_the_samples_of_a_node_cannot_be_written_to() -> None:
    def rule(samples: np.ndarray) -> Split:
        with pytest.raises(ValueError, match="read-only"):
            samples[0] = 0
        return chunks(2)(samples)

    assert Toy(4, rule=rule).fit(line(8)).n_leaves_grown_ == 4


class Halves(GreedyTopDown):
    """No more than what a subclass has to have."""

    def __init__(self, n_clusters: int = 2, *, n_leaves: int | None = None, n_splits: int = 2) -> None:
        self.n_clusters = n_clusters
        self.n_leaves = n_leaves
        self.n_splits = n_splits

    def _split(self, node: Node) -> Split:
        return chunks(self.n_splits)(node.samples)


class Bare(GreedyTopDown):
    def __init__(self, n_clusters: int = 2) -> None:
        self.n_clusters = n_clusters

    _split = Halves._split


def test_a_subclass_needs_no_parameters_but_its_own() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the global generator is what is looked at
    fitted = Halves(5, n_leaves=9, n_splits=3).fit(line(30))
    assert fitted.n_leaves_grown_ == 9 and fitted.labels_.max() + 1 == 5
    assert Bare(4).fit(line(30)).labels_.max() + 1 == 4
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    assert set(Halves().get_params()) == {"n_clusters", "n_leaves", "n_splits"}


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_leaves": 1}, "n_leaves=1 is below n_clusters=2: expected at least as many leaves as clusters"),
        ({"n_leaves": 9}, "n_leaves=9 exceeds the number of samples, n_samples=8"),
        ({"n_splits": 9}, "n_splits=9 exceeds the number of samples, n_samples=8"),
    ],
)
def test_bad_parameters(params: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Toy(2, rule=chunks(2), **params).fit(line(8))


def test_more_splits_than_samples_matter_only_where_something_is_split() -> None:
    assert Toy(1, rule=chunks(5), n_splits=5).fit(line(3)).hierarchy_.n_nodes == 1
