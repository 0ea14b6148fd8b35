"""What a task holds out: folds, shares, official splits and blocks."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cladebench.bench.plan.task import TaskError, folds_of
from task_draws import data_of, draw, labelled, seeds


@given(labelled(), st.integers(2, 7), st.booleans(), st.integers(0, 3), seeds)
def test_folds_cover_all_rows_once_and_are_balanced(labels, n, stratified, repetition, seed):
    assume(n <= len(labels))
    how = {"folds": {"n": n, "stratified": stratified}, "shuffled": True}
    folds = [draw(data_of(labels), how, repetition, fold, root_seed=seed) for fold in range(n)]
    assert sorted(np.concatenate([task.test for task in folds])) == list(range(len(labels)))
    for task in folds:
        assert sorted([*task.train, *task.test]) == list(range(len(labels)))
        assert task.held_out and task.rows.tolist() == folds[0].rows.tolist()
    sizes = [len(task.test) for task in folds]
    assert max(sizes) - min(sizes) <= 1
    if stratified:
        for label in np.unique(labels):
            counts = [int((task.labels[task.test] == label).sum()) for task in folds]
            assert max(counts) - min(counts) <= 1


def test_folds_of_other_repetitions_are_others_and_stratified_by_default():
    labels = np.repeat([0, 1], 20)
    tests = [draw(data_of(labels), {"folds": {"n": 2}}, repetition, 0).test for repetition in range(10)]
    assert len({tuple(test) for test in tests}) == 10
    assert all((labels[test] == 0).sum() == 10 for test in tests)
    loose = [
        draw(data_of(labels), {"folds": {"n": 2, "stratified": False}}, repetition, 0).test
        for repetition in range(10)
    ]
    assert any((labels[test] == 0).sum() != 10 for test in loose)
    assert [list(folds_of(how)) for how in ({"folds": {"n": 3}}, {"test": 0.5})] == [[0, 1, 2], [None]]


@given(labelled(min_size=12), st.integers(2, 4), st.booleans(), st.sampled_from([{"test": 0.4}, {}]), seeds)
def test_inner_folds_cover_the_training_places_once_and_are_balanced(labels, n, known, how, seed):
    how = {"shuffled": True, **how}
    task = draw(data_of(labels if known else None, n=len(labels)), how, root_seed=seed)
    inner = list(task.inner_folds(n))
    assert sorted(np.concatenate([fold.test for fold in inner])) == task.train.tolist() and len(inner) == n
    for fold in inner:
        assert sorted([*fold.train, *fold.test]) == task.train.tolist()
        assert (np.diff(fold.train) > 0).all() and fold.held_out and fold.rows is task.rows
        assert fold.labels is task.labels
    sizes = [len(fold.test) for fold in inner]
    assert max(sizes) - min(sizes) <= 1
    if known:
        for label in np.unique(labels):
            counts = [int((task.labels[fold.test] == label).sum()) for fold in inner]
            assert max(counts) - min(counts) <= 1


def test_inner_folds_are_those_of_the_task_and_of_no_method():
    data = data_of(np.repeat([0, 1], 20))
    how = {"folds": {"n": 2}}

    def inner(repetition=0, fold=0, n=2, **spec):
        task = draw(data, how, repetition, fold, **spec)
        return tuple(tuple(part.test) for part in task.inner_folds(n)), task

    same = [inner()[0], inner(method="other")[0], inner(setting={"a": 1})[0]]
    assert len(set(same)) == 1
    assert len({inner(repetition)[0] for repetition in range(10)}) == 10
    assert inner(fold=1)[0] != same[0] != inner(root_seed=8)[0]
    of_other_data = draw(data_of(data.labels, sha="2" * 64), how, 0, 0).inner_folds(2)
    assert tuple(tuple(part.test) for part in of_other_data) != same[0]
    task = inner()[1]
    assert len({part.digest for n in (2, 3) for part in task.inner_folds(n)} | {task.digest}) == 6
    # Places are drawn: no stride of the training places is a fold.
    assert {tuple(task.train[::2]), tuple(task.train[1::2])}.isdisjoint(same[0])


def test_inner_folds_keep_the_constraints_among_their_training_places():
    how = {"constraints": {"must_link": 30, "cannot_link": 40}}
    task = draw(data_of(np.repeat([0, 1], 20)), how)
    for fold in task.inner_folds(3):
        for kind in ("must_link", "cannot_link"):
            pairs = getattr(task, kind).tolist()
            kept = [pair for pair in pairs if pair[0] in fold.train and pair[1] in fold.train]
            assert getattr(fold, kind).tolist() == kept and 0 < len(kept) < len(pairs)


def test_as_many_inner_folds_as_training_rows_are_the_most():
    task = draw(data_of(n=5), {"test": 0.4})
    assert [len(fold.test) for fold in task.inner_folds(3)] == [1, 1, 1]
    for n in (1, 4):
        with pytest.raises(TaskError, match=f"^inner folds: {n} of 3 training rows; expected from 2"):
            list(task.inner_folds(n))


@given(labelled(min_size=4), st.floats(0.05, 0.95), st.booleans(), seeds)
def test_the_share_is_held_out_of_each_class(labels, share, known, seed):
    assume(1 <= int(share * len(labels) + 1e-9) < len(labels))
    data = data_of(labels if known else None, n=len(labels))
    task = draw(data, {"test": share}, root_seed=seed)
    assert sorted([*task.train, *task.test]) == list(range(len(labels)))
    assert len(task.test) == int(share * len(labels) + 1e-9)
    if known:
        for label, size in Counter(labels.tolist()).items():
            assert abs((labels[task.test] == label).sum() - share * size) < 1 + 1e-6


@given(st.integers(2, 40), st.data(), seeds)
def test_the_official_split_holds_out_the_rows_behind_the_training_part(n, choice, seed):
    data = data_of(np.arange(n) % 2, n_training=choice.draw(st.integers(1, n - 1)))
    task = draw(data, {"split": "official"}, root_seed=seed)
    assert task.train.tolist() == list(range(data.n_training))
    assert task.test.tolist() == list(range(data.n_training, n)) and task.held_out
    for how in ({"shuffled": True}, {"rows": n - 1}, {"rows": n - 1, "shuffled": True, "label_noise": 0.5}):
        try:
            drawn = draw(data, {"split": "official", **how}, root_seed=seed)
        except TaskError:
            assert data.n_training in (1, n - 1) and "rows" in how
            continue
        assert sorted([*drawn.train, *drawn.test]) == list(range(len(drawn.rows)))
        assert (drawn.rows[drawn.train] < data.n_training).all()
        assert (drawn.rows[drawn.test] >= data.n_training).all()
        plain = draw(data, {key: value for key, value in how.items() if key != "label_noise"}, root_seed=seed)
        assert drawn.rows.tolist() == plain.rows.tolist()
        true = data.labels[drawn.rows]
        assert set(np.flatnonzero(drawn.labels != true)) <= set(drawn.train)


@given(st.integers(2, 30), st.integers(2, 5), st.booleans(), seeds)
def test_blocks_are_parts_of_the_test_rows(n, n_blocks, shuffled, seed):
    data = data_of(np.arange(40) % 3, n_training=40 - n)
    how = {"split": "official", "blocks": n_blocks, "shuffled": shuffled}
    if n < n_blocks:
        with pytest.raises(TaskError, match=rf"^task\.blocks: {n_blocks} blocks; expected .* {n} rows$"):
            draw(data, how, root_seed=seed)
        return
    task = draw(data, how, root_seed=seed)
    assert sorted(np.concatenate(task.blocks)) == task.test.tolist()
    assert all((np.diff(block) > 0).all() for block in task.blocks)
    assert max(map(len, task.blocks)) - min(map(len, task.blocks)) <= 1
    for label in range(3):
        counts = [int((data.labels[task.rows[block]] == label).sum()) for block in task.blocks]
        assert max(counts) - min(counts) <= 1
    other = draw(data, {**how, "label_noise": 0.1, "shuffled": False}, root_seed=seed)
    for one, two in zip(task.blocks, other.blocks, strict=True):
        assert set(task.rows[one]) == set(other.rows[two])
    assert draw(data, {"split": "official"}, root_seed=seed).blocks == ()
