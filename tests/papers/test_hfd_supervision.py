"""How many splits of a forest a cannot-link reaches."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import datasets
from cladebench.bench.cell_io import Cell
from cladebench.bench.cell_spec import CellSpec, Limits, MethodPlan
from cladebench.bench.task import draw_task
from cladebench.distances import HierarchyForest
from cladebench.papers.hfd import protocol
from cladebench.papers.hfd.supervision import supervised_splits
from cladebench.papers.protocol import scaled
from cladebench.reference import hierarchy_forest as plain


def counted_by_walking(forest, X, cannot_link):
    """Every constraint walks down by itself, and leaves its mark on the splits on its way."""
    marked, splits = 0, 0
    for t in range(len(forest.n_nodes_)):
        tree = forest.tree(t)
        paths = [plain.path(tree, x) for x in X]
        marks = set()
        for a, b in cannot_link:
            marks |= {node for node in set(paths[a]) & set(paths[b]) if tree.right[node] != 0}
        marked += len(marks)
        splits += int((tree.right != 0).sum())
    return marked / splits


@given(st.integers(0, 10**6), st.integers(8, 30), st.integers(0, 25))
@settings(max_examples=25, deadline=None)
def test_the_share_is_that_of_the_nodes_where_both_rows_of_a_constraint_still_are(seed, n, n_links):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    links = pairs[rng.choice(len(pairs), n_links, replace=False)]
    forest = HierarchyForest(3, min_node_size=2, random_state=seed).fit(X, cannot_link=links)
    assert supervised_splits(forest, X, links) == pytest.approx(counted_by_walking(forest, X, links))


def test_a_split_without_a_cannot_link_is_the_same_whatever_the_must_links():
    # What makes the count the method's own: the core learns semi-supervised where a cannot-link is, and only there.
    X = np.random.default_rng(0).normal(size=(40, 3))
    links = np.array([(0, 1), (2, 3), (4, 5)])
    free = HierarchyForest(4, random_state=0).fit(X, must_link=links)
    assert supervised_splits(free, X, np.empty((0, 2))) == 0.0
    np.testing.assert_array_equal(free.weights_, HierarchyForest(4, random_state=0).fit(X).weights_)
    held = HierarchyForest(4, random_state=0).fit(X, must_link=links, cannot_link=links[:1] + 1)
    share = supervised_splits(held, X, links[:1] + 1)
    assert 4 / len(held.weights_) <= share < 1  # the roots at least
    assert not np.array_equal(held.weights_[0], free.weights_[0])


def test_ignored_constraints_reach_no_split_and_a_forest_of_leaves_has_no_share():
    X = np.random.default_rng(1).normal(size=(20, 3))
    links = np.array(list(itertools.combinations(range(20), 2)))
    ignored = HierarchyForest(3, constraints="ignored", random_state=0).fit(X, cannot_link=links)
    assert supervised_splits(ignored, X, links) == 0.0
    used = HierarchyForest(3, random_state=0).fit(X, cannot_link=links)
    assert supervised_splits(used, X, links) == 1.0
    assert np.isnan(supervised_splits(HierarchyForest(2, random_state=0).fit(X[:4]), X[:4], [(0, 1)]))


def test_records_of_max_margin_forests_have_the_share_of_their_training_rows():
    task = {"rows": 60, "folds": {"n": 2}, "constraints": {"per_class": 20}}
    spec = CellSpec("hfd", "nested-blobs", "HFD", {}, 0, 7, Limits(60, 2000), task=task, fold=1)
    data = datasets.load("nested-blobs")
    drawn = draw_task(spec, data)

    def measured(**params):
        method = MethodPlan("HFD", "HierarchyForest", {"n_trees": 4, **params})
        return protocol.PROTOCOL.run(Cell(spec, method, data, drawn)).metrics

    X = scaled(drawn.of(data.X), "zscore")[drawn.train]
    links = drawn.among_training(drawn.cannot_link)
    forest = HierarchyForest(4, random_state=spec.seed).fit(
        X, must_link=drawn.among_training(drawn.must_link), cannot_link=links
    )
    share = counted_by_walking(forest, X, links)
    assert share > 0
    assert measured()["supervised_splits"] == pytest.approx(share)
    assert measured(constraints="ignored")["supervised_splits"] == 0.0
    assert "supervised_splits" not in measured(splits="random")
