import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.methods._greedy import Node, Split
from greedy_toys import Rule, Toy, chunks, line


def leaves(tree: Any) -> np.ndarray:
    return np.flatnonzero(np.diff(tree.child_ptr) == 0)


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


def test_a_tree_may_be_as_deep_as_it_has_samples() -> None:
    def peel(samples: np.ndarray) -> Split:
        return Split((np.arange(len(samples)) > 0).astype(int), 0.0)

    fitted = Toy(1500, rule=peel).fit(line(1500))
    assert fitted.hierarchy_.depths.max() == 1499
    assert np.array_equal(fitted.labels_, np.arange(1500))
    assert all(len(node.samples) == 0 for node in fitted.asked)  # split, and let go


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
