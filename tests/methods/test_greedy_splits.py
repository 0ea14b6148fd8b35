"""What a split hands on to the tree, what is refused of it, and what a subclass has to have."""

from typing import Any

import numpy as np
import pytest

from cladebench.methods._greedy import GreedyTopDown, Node, Split
from greedy_toys import Toy, chunks, line


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
