"""What becomes of constraints on their way down a forest."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.distances import HierarchyForest
from cladebench.paper.protocol import scaled
from cladebench.papers.hfd import protocol
from cladebench.papers.hfd.supervision import links_in_trees
from cladebench.reference import hierarchy_forest as plain
from task_draws import drawn_cell


def counted_by_walking(forest, X, must_link, cannot_link):
    """Every constraint walks down by itself, and leaves its mark on the splits on its way."""
    marked, splits = 0, 0
    met, parted = {"must": 0, "cannot": 0}, {"must": 0, "cannot": 0}
    for t in range(min(10, len(forest.n_nodes_))):
        tree = forest.tree(t)
        paths = [plain.path(tree, x) for x in X]
        marks = set()
        for sort, links in (("must", must_link), ("cannot", cannot_link)):
            for a, b in links:
                common = [node for node in set(paths[a]) & set(paths[b]) if tree.right[node] != 0]
                met[sort] += len(common)
                parted[sort] += paths[a][-1] != paths[b][-1]
                marks |= set(common) if sort == "cannot" else set()
        marked += len(marks)
        splits += int((tree.right != 0).sum())
    found = {"supervised_splits": marked / splits} if splits else {}
    if met["must"] and parted["cannot"]:
        found["parted_ratio"] = (parted["must"] / met["must"]) / (parted["cannot"] / met["cannot"])
    return found


@given(st.integers(0, 10**6), st.integers(8, 30), st.integers(0, 12), st.integers(0, 25), st.integers(2, 12))
@settings(max_examples=30, deadline=None)
def test_links_are_followed_as_far_as_both_of_their_rows_go(seed, n, n_must, n_cannot, n_trees):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    pairs = rng.permutation(np.array(list(itertools.combinations(range(n), 2))))
    must, cannot = pairs[:n_must], pairs[n_must : n_must + n_cannot]
    forest = HierarchyForest(n_trees, min_node_size=2, random_state=seed)
    forest.fit(X, must_link=must, cannot_link=cannot)
    assert links_in_trees(forest, X, must, cannot) == pytest.approx(
        counted_by_walking(forest, X, must, cannot)
    )


def test_a_split_without_a_cannot_link_is_the_same_whatever_the_must_links():
    # What makes the count the method's own: the core learns semi-supervised where a cannot-link is, and only there.
    X = np.random.default_rng(0).normal(size=(40, 3))
    links = np.array([(0, 1), (2, 3), (4, 5)])
    free = HierarchyForest(4, random_state=0).fit(X, must_link=links)
    assert links_in_trees(free, X, links, []) == {"supervised_splits": 0.0}
    np.testing.assert_array_equal(free.weights_, HierarchyForest(4, random_state=0).fit(X).weights_)
    held = HierarchyForest(4, random_state=0).fit(X, must_link=links, cannot_link=links[:1] + 1)
    share = links_in_trees(held, X, links, links[:1] + 1)["supervised_splits"]
    assert 4 / len(held.weights_) <= share < 1  # the roots at least
    assert not np.array_equal(held.weights_[0], free.weights_[0])


def test_ignored_constraints_supervise_no_split_and_random_splits_are_not_asked():
    X = np.random.default_rng(1).normal(size=(20, 3))
    links = np.array(list(itertools.combinations(range(20), 2)))
    must, cannot = links[::2], links[1::2]
    ignored = HierarchyForest(3, constraints="ignored", random_state=0).fit(X, cannot_link=links)
    walked = counted_by_walking(ignored, X, must, cannot)
    assert links_in_trees(ignored, X, must, cannot) == {**walked, "supervised_splits": 0.0}
    assert links_in_trees(ignored, X, must, [])["supervised_splits"] == 0.0
    used = HierarchyForest(3, random_state=0).fit(X, cannot_link=links)
    assert links_in_trees(used, X, must, links)["supervised_splits"] == 1.0
    drawn = HierarchyForest(3, splits="random", random_state=0).fit(X)
    del walked["supervised_splits"]
    assert links_in_trees(drawn, X, must, cannot).keys() == walked.keys()


def test_a_forest_of_leaves_says_nothing():
    X = np.random.default_rng(1).normal(size=(4, 3))
    assert links_in_trees(HierarchyForest(2, random_state=0).fit(X), X, [(2, 3)], [(0, 1)]) == {}


def test_records_of_forests_have_what_became_of_the_constraints():
    task = {"rows": 60, "folds": {"n": 2}, "constraints": {"per_class": 20}}

    def cell(**params):
        method = MethodPlan("HFD", "HierarchyForest", {"n_trees": 4, **params})
        return drawn_cell("hfd", method, task=task, fold=1)

    def measured(**params):
        return protocol.PROTOCOL.run(cell(**params)).metrics

    drawn, spec = cell().task, cell().spec
    X = scaled(drawn.of(cell().data.X), "zscore")[drawn.train]
    must, cannot = (drawn.among_training(pairs) for pairs in (drawn.must_link, drawn.cannot_link))
    forest = HierarchyForest(4, random_state=spec.seed).fit(X, must_link=must, cannot_link=cannot)
    walked = counted_by_walking(forest, X, must, cannot)
    assert walked["supervised_splits"] > 0 and walked["parted_ratio"] != 1
    assert measured().items() >= walked.items()
    assert measured(constraints="ignored")["supervised_splits"] == 0.0
    blind = measured(splits="random")
    assert "supervised_splits" not in blind and blind["parted_ratio"] != walked["parted_ratio"]
