"""What is drawn for a repetition, over random data and plans: what the plan says, and no method has a part in it."""

import dataclasses
import itertools
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cladebench.bench.cell_spec import CellSpec, Limits
from cladebench.bench.constraints import _pair_number
from cladebench.bench.task import Task, TaskError, draw_task, folds_of

SPEC = CellSpec("p", "d", "m", {}, 0, 7, Limits(10, 100))


def data_of(labels=None, n=None, sha="1" * 64, parts=None, n_training=None):
    """What a draw sees of a data set."""
    labels = None if labels is None else np.asarray(labels, dtype=np.intp)
    n = len(labels) if n is None else n
    return SimpleNamespace(
        name="toy", labels=labels, n_samples=n, parts=parts or {}, content_sha256=sha, n_training=n_training
    )


def draw(data, how=None, repetition=0, fold=None, **spec) -> Task:
    return draw_task(
        dataclasses.replace(SPEC, task=how or {}, repetition=repetition, fold=fold, **spec), data
    )


seeds = st.integers(0, 2**31)


@st.composite
def labelled(draw, min_size=2, max_size=40, classes=4):
    """Labels of which each of 0, 1, ... occurs, in any order."""
    given = draw(st.lists(st.integers(0, classes - 1), min_size=min_size, max_size=max_size))
    return np.unique(given, return_inverse=True)[1]


def test_nothing_asked_for_is_all_rows_in_their_order():
    task = draw(data_of([0, 1, 0, 1]))
    for places in (task.rows, task.train, task.test):
        assert places.tolist() == [0, 1, 2, 3]
    assert task.labels.tolist() == [0, 1, 0, 1] and not task.held_out
    assert task.must_link.shape == task.cannot_link.shape == (0, 2)
    assert draw(data_of(n=3)).labels is None


@given(st.integers(1, 60), st.integers(1, 80), seeds)
def test_rows_are_different_and_in_the_order_of_the_data(n, asked, seed):
    task = draw(data_of(n=n), {"rows": asked}, root_seed=seed)
    assert len(task.rows) == min(n, asked)
    assert (np.diff(task.rows) > 0).all() and task.rows[0] >= 0 and task.rows[-1] < n
    assert task.train.tolist() == task.test.tolist() == list(range(len(task.rows)))
    values = np.arange(n) * 2
    assert task.of(values).tolist() == (2 * task.rows).tolist()


@given(st.integers(2, 60), st.floats(0.001, 0.999), st.booleans(), seeds)
def test_a_share_is_that_number_of_rows(n, share, shuffled, seed):
    asked = round(share * n)
    how = {"share": share, "shuffled": shuffled}
    if not 0 < asked < n:
        with pytest.raises(
            TaskError,
            match=rf"^task\.share: \S+ of the {n} rows of toy is {asked}; expected some, not all$",
        ):
            draw(data_of(n=n), how, root_seed=seed)
        return
    drawn, same = (
        draw(data_of(n=n), how, root_seed=seed),
        draw(data_of(n=n), {**how, "share": asked / n}, root_seed=seed),
    )
    rows = draw(data_of(n=n), {"rows": asked, "shuffled": shuffled}, root_seed=seed)
    assert drawn.rows.tolist() == rows.rows.tolist() == same.rows.tolist()
    assert drawn.digest == rows.digest and not drawn.held_out


def test_a_share_is_drawn_without_a_look_at_labels():
    """How many rows each class has varies as it does between samples of a population."""
    data = data_of([0] * 30 + [1] * 10)
    sizes = [len(draw(data, {"share": 0.5}, repetition).rows) for repetition in range(100)]
    counts = [int((draw(data, {"share": 0.5}, r).labels == 1).sum()) for r in range(100)]
    assert set(sizes) == {20} and len(set(counts)) > 3
    # Hypergeometric: mean 5, variance 20 * 1/4 * 3/4 * 20/39.
    assert np.mean(counts) == pytest.approx(5, abs=0.5) and 1 < np.var(counts) < 3


@given(labelled(), st.booleans(), seeds)
def test_of_each_class_as_many_rows_as_asked(labels, shuffled, seed):
    fewest = np.bincount(labels).min()
    how = {"rows": {"per_class": int(fewest)}, "shuffled": shuffled}
    task = draw(data_of(labels), how, root_seed=seed)
    assert np.bincount(labels[task.rows]).tolist() == [fewest] * (labels.max() + 1)
    assert len(set(task.rows)) == len(task.rows) and task.labels.tolist() == labels[task.rows].tolist()
    assert shuffled or (np.diff(task.rows) > 0).all()


def test_every_row_of_a_class_can_come_with_every_one_of_another():
    data, how = data_of([0, 1, 0, 1]), {"rows": {"per_class": 1}}
    drawn = {tuple(draw(data, how, repetition).rows) for repetition in range(60)}
    assert drawn == {(0, 1), (0, 3), (1, 2), (2, 3)}


@given(labelled(), st.sampled_from(["rows", "classes"]), st.data(), seeds)
def test_parts_have_every_row_once_and_of_classes_all_rows(labels, of, chosen, seed):
    things = len(labels) if of == "rows" else labels.max() + 1
    assume(things > 1)
    n = chosen.draw(st.integers(2, int(things)))
    how = {"parts": {"n": n, "of": of}}
    parts = [draw(data_of(labels), how, repetition, root_seed=seed) for repetition in range(n)]
    assert np.sort(np.concatenate([part.rows for part in parts])).tolist() == list(range(len(labels)))
    assert all((np.diff(part.rows) > 0).all() and not part.held_out for part in parts)
    sizes = [len(part.rows if of == "rows" else set(part.labels)) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    if of == "classes":
        assert sum(sizes) == things
    with pytest.raises(TaskError, match=rf"^task\.parts: part {n + 1} of {n}, of {things} {of}$"):
        draw(data_of(labels), how, n, root_seed=seed)


def test_parts_are_dealt_out_by_chance():
    data, how = data_of(n=4), {"parts": {"n": 2}}
    assert len({tuple(draw(data, how, root_seed=seed).rows) for seed in range(60)}) == 6


@given(labelled(min_size=20), seeds)
def test_shuffled_rows_are_the_same_rows_with_their_labels(labels, seed):
    task = draw(data_of(labels), {"rows": 15, "shuffled": True}, root_seed=seed)
    plain = draw(data_of(labels), {"rows": 15}, root_seed=seed)
    assert sorted(task.rows) == plain.rows.tolist()
    assert task.labels.tolist() == labels[task.rows].tolist()
    assert task.of(labels[:, None])[:, 0].tolist() == task.labels.tolist()


def test_every_row_and_every_order_can_come():
    data = data_of(n=4)
    drawn = [draw(data, {"rows": 2}, repetition).rows for repetition in range(60)]
    assert {tuple(rows) for rows in drawn} == set(itertools.combinations(range(4), 2))
    orders = {tuple(draw(data_of(n=3), {"shuffled": True}, r).rows) for r in range(60)}
    assert orders == set(itertools.permutations(range(3)))


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


def possible(places, labels, same):
    return {
        (int(a), int(b))
        for a, b in itertools.combinations(sorted(places), 2)
        if (labels[a] == labels[b]) == same
    }


@given(labelled(max_size=25), st.sampled_from([{}, {"test": 0.4}, {"shuffled": True}]), st.data(), seeds)
def test_constraints_are_true_different_and_among_training_rows(labels, how, choice, seed):
    assume(how != {"test": 0.4} or len(labels) >= 4)
    train = draw(data_of(labels), how, root_seed=seed)
    true = labels[train.rows]
    pairs = {name: possible(train.train, true, name == "must_link") for name in ("must_link", "cannot_link")}
    counts = {name: choice.draw(st.integers(0, len(found))) for name, found in pairs.items()}
    task = draw(data_of(labels), {**how, "constraints": counts}, root_seed=seed)
    for name, found in pairs.items():
        drawn = [tuple(sorted(pair)) for pair in getattr(task, name).tolist()]
        assert getattr(task, name).shape == (counts[name], 2)
        assert len(set(drawn)) == len(drawn) == counts[name]
        assert set(drawn) <= found
        own = task.train[task.among_training(getattr(task, name))]
        assert own.tolist() == getattr(task, name).tolist()
    every = draw(
        data_of(labels), {**how, "constraints": {k: len(v) for k, v in pairs.items()}}, root_seed=seed
    )
    for name, found in pairs.items():
        assert {tuple(sorted(pair)) for pair in getattr(every, name).tolist()} == found


def as_sets(pairs):
    return {tuple(sorted(pair)) for pair in pairs.tolist()}


@given(labelled(max_size=25), st.sampled_from([{}, {"test": 0.4}, {"shuffled": True}]), st.data(), seeds)
def test_pairs_of_any_kind_are_different_and_told_apart_by_label(labels, how, choice, seed):
    assume(how != {"test": 0.4} or len(labels) >= 4)
    train = draw(data_of(labels), how, root_seed=seed)
    true = labels[train.rows]
    must, cannot = (possible(train.train, true, same) for same in (True, False))
    count = choice.draw(st.integers(1, max(1, len(must | cannot))))
    assume(must | cannot)
    task = draw(data_of(labels), {**how, "constraints": {"pairs": count}}, root_seed=seed)
    assert len(task.must_link) + len(task.cannot_link) == count
    assert as_sets(task.must_link) <= must and as_sets(task.cannot_link) <= cannot
    assert len(as_sets(task.must_link) | as_sets(task.cannot_link)) == count


def test_every_pair_comes_alike():
    labels = np.array([0, 0, 1, 0, 2])
    met = Counter()
    for repetition in range(400):
        task = draw(data_of(labels), {"constraints": {"pairs": 3}}, repetition)
        met.update(as_sets(task.must_link) | as_sets(task.cannot_link))
    assert set(met) == set(itertools.combinations(range(5), 2))
    assert all(abs(n - 120) < 4 * np.sqrt(400 * 0.3 * 0.7) for n in met.values())


@given(
    labelled(min_size=3, max_size=25), st.sampled_from([{}, {"shuffled": True}]), st.integers(2, 40), seeds
)
def test_each_class_has_its_constraints_or_all_that_there_are(labels, how, count, seed):
    task = draw(data_of(labels), {**how, "constraints": {"per_class": count}}, root_seed=seed)
    true = labels[task.rows]
    must, cannot = as_sets(task.must_link), as_sets(task.cannot_link)
    assert len(must) == len(task.must_link) and len(cannot) == len(task.cannot_link)
    assert must <= possible(task.train, true, True) and cannot <= possible(task.train, true, False)
    n_classes, drawn = labels.max() + 1, Counter(true[a] for a, _ in must)
    touched = Counter(true[place] for pair in cannot for place in pair)
    for label, size in Counter(labels.tolist()).items():
        assert drawn[label] == min(count // 2, size * (size - 1) // 2)
        there_are = size * (len(labels) - size)
        assert touched[label] >= min(count - count // 2, there_are)
    every = len(possible(task.train, true, False))
    assert len(cannot) <= min(every, n_classes * (count - count // 2))


@pytest.mark.parametrize(("n_must", "n_cannot"), [(7, 14), (14, 7), (0, 5), (5, 0)])
def test_a_class_may_have_more_constraints_of_one_kind(n_must, n_cannot):
    labels = np.repeat(np.arange(3), 20)
    task = draw(
        data_of(labels), {"constraints": {"per_class": {"must_link": n_must, "cannot_link": n_cannot}}}
    )
    assert len(as_sets(task.must_link)) == 3 * n_must and len(as_sets(task.cannot_link)) == 3 * n_cannot
    assert (labels[task.must_link] == np.repeat(np.arange(3), n_must)[:, None]).all()
    assert (labels[task.cannot_link] == np.repeat(np.arange(3), n_cannot)[:, None]).any(axis=1).all()
    assert as_sets(task.cannot_link) <= possible(range(60), labels, False)


def test_one_number_for_each_class_is_halved():
    labels = np.repeat(np.arange(3), 20)
    one = draw(data_of(labels), {"constraints": {"per_class": 21}})
    two = draw(data_of(labels), {"constraints": {"per_class": {"must_link": 10, "cannot_link": 11}}})
    assert np.array_equal(one.must_link, two.must_link) and np.array_equal(one.cannot_link, two.cannot_link)


@pytest.mark.parametrize("sizes", [(30, 30), (4, 40, 2, 1), (20, 5, 5)])
def test_a_cannot_link_is_drawn_for_one_class_and_no_later_one(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    for repetition in range(20):
        task = draw(data_of(labels), {"constraints": {"per_class": 21}}, repetition)
        taken = labels[task.cannot_link]
        start = 0
        for label, size in enumerate(sizes):
            before = int((taken[:start] == label).any(axis=1).sum())
            own = min(11, size * (len(labels) - size) - before)
            assert (taken[start : start + own] == label).any(axis=1).all()
            start += own
        assert start == len(taken) == len(as_sets(task.cannot_link))


def test_every_constraint_of_a_class_can_come():
    labels = np.array([0, 0, 0, 1, 1, 2])
    met = [Counter(), Counter()]
    for repetition in range(300):
        task = draw(data_of(labels), {"constraints": {"per_class": 3}}, repetition)
        for found, pairs in zip(met, (task.must_link, task.cannot_link), strict=True):
            found.update(as_sets(pairs))
    for found, same in zip(met, (True, False), strict=True):
        assert set(found) == possible(range(6), labels, same)


@given(st.integers(0, 2**40), st.integers(1, 2**20))
def test_pairs_are_numbered_without_a_gap(number, some):
    for numbers in (
        np.arange(some % 50),
        np.array([number, number + 1]),
        some * (some + 1) // 2 + np.arange(-1, 2),
    ):
        i, j = _pair_number(numbers).T
        assert (i >= 0).all() and (i < j).all() and (j * (j - 1) // 2 + i == numbers).all()


@pytest.mark.parametrize("k", [2**27, 2**28, 2**30])
def test_pairs_are_numbered_where_the_root_is_rounded_up(k):
    assert _pair_number(np.array([k * (k - 1) // 2 - 1, k * (k - 1) // 2])).tolist() == [
        [k - 2, k - 1],
        [0, k],
    ]


@pytest.mark.parametrize(
    "how", [{"pairs": 200}, {"per_class": 60}, {"must_link": 50, "cannot_link": 50}], ids=str
)
def test_noisy_labels_tell_constraints_apart_where_the_plan_says_so(how):
    labels = np.repeat([0, 1, 2], 20)

    def met(noise, **more):
        task = draw(data_of(labels), {"test": 0.25, "label_noise": noise, "constraints": how | more})
        return task, as_sets(task.must_link), as_sets(task.cannot_link)

    clean, noisy = met(0.3), met(0.3, labels="noisy")
    assert clean[1:] == met(0.0)[1:] == met(0.3, labels="clean")[1:] == met(0.0, labels="noisy")[1:]
    for (_, *links), told_by in ((clean, labels), (noisy, noisy[0].labels)):
        for found, same in zip(links, (True, False), strict=True):
            assert found and all((told_by[a] == told_by[b]) == same for a, b in found)
    assert noisy[1:] != clean[1:] and noisy[0].labels.tolist() == clean[0].labels.tolist()
    if "pairs" in how:
        assert noisy[1] | noisy[2] == clean[1] | clean[2]


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


@pytest.mark.parametrize("count", [1, 4])  # of 6: drawn one by one, and listed
def test_every_constraint_can_come(count):
    labels = np.array([0, 0, 0, 0, 1])
    met = Counter()
    for repetition in range(200):
        task = draw(data_of(labels), {"constraints": {"must_link": count}}, repetition)
        met.update(tuple(sorted(pair)) for pair in task.must_link.tolist())
    assert set(met) == possible(range(5), labels, True)
    assert min(met.values()) > 0.5 * 200 * count / 6


@given(labelled(min_size=6), st.floats(0.01, 1.0), st.sampled_from([{}, {"test": 0.3}]), seeds)
def test_label_noise_changes_its_share_of_the_training_labels_and_no_other(labels, share, how, seed):
    assume(len(np.unique(labels)) > 1)
    task = draw(data_of(labels), {**how, "label_noise": share}, root_seed=seed)
    changed = np.flatnonzero(task.labels != labels)
    assert len(changed) == round(share * len(task.train))
    assert set(changed) <= set(task.train)
    assert set(task.labels) <= set(labels)


def test_noise_gives_each_other_class_alike_and_leaves_the_data_as_they_are():
    labels = np.repeat([0, 1, 2], 300)
    data = data_of(labels)
    task = draw(data, {"label_noise": 1.0})
    assert data.labels.tolist() == labels.tolist()
    counts = Counter(zip(labels.tolist(), task.labels.tolist(), strict=True))
    assert set(counts) == {(a, b) for a in range(3) for b in range(3) if a != b}
    assert min(counts.values()) > 100
    # Constraints are by the true labels all the same.
    noisy = draw(data, {"label_noise": 1.0, "constraints": {"must_link": 50}})
    assert all(labels[a] == labels[b] for a, b in noisy.must_link)


EVERYTHING = {
    "rows": 30,
    "shuffled": True,
    "test": 0.5,
    "constraints": {"must_link": 5, "cannot_link": 5},
    "label_noise": 0.2,
}
LABELS = np.tile([0, 1, 2], 20)


def same(left, right, *names):
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in names)


DRAWN = ("rows", "train", "test", "labels", "must_link", "cannot_link")


@pytest.mark.parametrize(
    "change",
    [
        {"method": "another"},
        {"setting": {"alpha": 3}},
        {"threads": 4},
        {"limits": Limits(1, 1)},
    ],
)
def test_neither_method_nor_setting_nor_limits_change_a_draw(change):
    left, right = draw(data_of(LABELS), EVERYTHING), draw(data_of(LABELS), EVERYTHING, **change)
    assert same(left, right, *DRAWN) and left.digest == right.digest


@pytest.mark.parametrize("change", [{"paper": "q"}, {"dataset": "e"}, {"root_seed": 8}, {"repetition": 1}])
def test_paper_data_set_seed_and_repetition_change_every_draw(change):
    left, right = draw(data_of(LABELS), EVERYTHING), draw(data_of(LABELS), EVERYTHING, **change)
    assert not any(same(left, right, name) for name in DRAWN)
    assert left.digest != right.digest


def test_problems_that_share_draws_meet_the_same_rows_folds_and_noise():
    how = {"rows": 30, "folds": {"n": 5}, "label_noise": 0.3, "constraints": {"pairs": 20}}
    for fold in range(5):
        own = draw(data_of(LABELS), how, fold=fold)
        other = draw(data_of(LABELS), {**how, "draws": "d"}, fold=fold, dataset="e")
        assert same(own, other, *DRAWN) and own.digest == other.digest
        less = draw(data_of(LABELS), {**how, "label_noise": 0.1, "draws": "d"}, fold=fold, dataset="e")
        assert same(own, less, "rows", "train", "test") and less.digest != own.digest
        truth = LABELS[own.rows]
        replaced = less.labels != truth
        assert 0 < replaced.sum() < (own.labels != truth).sum()
        assert (own.labels[replaced] == less.labels[replaced]).all()
        assert not same(own, draw(data_of(LABELS), how, fold=fold, dataset="e"), "test")


def test_what_else_is_drawn_changes_no_draw():
    def alone(*keys):
        return draw(data_of(LABELS), {key: EVERYTHING[key] for key in keys})

    whole = draw(data_of(LABELS), EVERYTHING)
    assert same(whole, alone("rows", "shuffled"), "rows")
    assert sorted(whole.rows) == alone("rows").rows.tolist()
    assert same(whole, alone("rows", "shuffled", "test"), "train", "test")
    base = ("rows", "shuffled", "test")
    assert same(whole, alone(*base, "constraints"), "must_link", "cannot_link")
    assert same(whole, alone(*base, "label_noise"), "labels")
    more = draw(data_of(LABELS), {**EVERYTHING, "constraints": {"must_link": 9, "cannot_link": 0}})
    assert same(whole, more, "rows", "train", "test", "labels")


def test_the_digest_hears_all_that_is_drawn_and_the_data():
    found = {draw(data_of(LABELS), EVERYTHING).digest}
    plans = [
        {},
        {"rows": 30},
        {"rows": 29},
        {"rows": {"per_class": 9}},
        {"share": 0.3},
        {"parts": {"n": 3}},
        {"parts": {"n": 3, "of": "classes"}},
        {"shuffled": True},
        {"test": 0.5},
        {"test": 0.4},
        {"constraints": {"must_link": 1}},
        {"constraints": {"cannot_link": 1}},
        {"label_noise": 0.02},
        {"constraints": {"pairs": 3}},
        {"constraints": {"per_class": 3}},
        *({**EVERYTHING, **change} for change in ({"label_noise": 0.3}, {"constraints": {"must_link": 6}})),
    ]
    digests = [draw(data_of(LABELS), how).digest for how in plans]
    digests += [draw(data_of(LABELS), {"folds": {"n": 3}}, fold=fold).digest for fold in range(3)]
    digests += [draw(data_of(LABELS, sha="2" * 64)).digest, draw(data_of(LABELS), repetition=1).digest]
    found |= set(digests)
    assert len(found) == 1 + len(digests)
    assert all(len(text) == 64 and int(text, 16) >= 0 for text in found)
    again = [draw(data_of(LABELS), how).digest for how in plans]
    assert again == digests[: len(plans)]


def test_the_digest_is_fixed_for_all_time():
    # A change of the rule would part the results of old runs from those of new ones.
    assert (
        draw(data_of([0, 1, 0, 1], sha="a" * 64), {"test": 0.5}, 2).digest
        == "f2a2663c0bc6cb02a2b1374337471784bb44741749d108f84697f11c1d338ff0"
    )


@pytest.mark.parametrize(
    ("how", "digest"),
    [
        ({"folds": {"n": 3}}, "c5a01678e5ed84fc"),
        ({"test": 0.3}, "2210d05f6f1c8683"),
        ({"rows": 30, "shuffled": True}, "b419dc5315492fde"),
        ({"share": 0.5, "shuffled": True}, "b419dc5315492fde"),
        ({"rows": {"per_class": 9}}, "c20222071af578ec"),
        ({"constraints": {"must_link": 5, "cannot_link": 5}}, "d0f6f25fba4e52da"),
        (
            {"constraints": {"must_link": 400, "cannot_link": 400}},
            "83389854d747ead9",
        ),  # listed, and drawn one by one
        ({"label_noise": 0.2}, "e07f6cf858623dc2"),
        ({"split": "official"}, "0f9ce1ca9aa2c44a"),
        ({"constraints": {"pairs": 50}}, "57d3d6ad972a182c"),
        ({"constraints": {"pairs": 1500}}, "95ce504c7db6b1ed"),
        ({"constraints": {"per_class": 21}}, "252d3b085dec02df"),
        ({"label_noise": 0.2, "constraints": {"per_class": 20, "labels": "noisy"}}, "811e5d8be494ae2b"),
    ],
    ids=str,
)
def test_every_draw_is_fixed_for_all_time(how, digest):
    labels = [k * k % 3 for k in range(60)]
    task = draw(data_of(labels, sha="a" * 64, n_training=45), how, 2, 1 if "folds" in how else None)
    assert task.digest.startswith(digest)


@pytest.mark.parametrize(
    ("labels", "how", "said"),
    [
        (None, {"folds": {"n": 2}}, r"^task\.folds: toy has no labels$"),
        (None, {"constraints": {"must_link": 1}}, r"^task\.constraints: toy has no labels$"),
        (None, {"label_noise": 0.5}, r"^task\.label_noise: toy has no labels$"),
        ([0] * 4, {"label_noise": 0.5}, r"^task\.label_noise: the drawn rows have one class only$"),
        (
            [0, 0, 1, 1],
            {"folds": {"n": 5}},
            r"^task\.folds\.n: 5 folds; expected at most one for each of 4 rows$",
        ),
        (
            [0, 0, 0, 1],
            {"constraints": {"must_link": 4}},
            r"^task\.constraints\.must_link: 4 pairs; expected at most 3, as in the training rows$",
        ),
        (
            [0, 0, 0, 1],
            {"constraints": {"cannot_link": 4}},
            r"^task\.constraints\.cannot_link: 4 pairs; expected at most 3, as in the training rows$",
        ),
        (
            [0, 0, 0, 1],
            {"constraints": {"pairs": 7}},
            r"^task\.constraints\.pairs: 7 pairs; expected at most 6, as in the training rows$",
        ),
        (None, {"rows": {"per_class": 1}}, r"^task\.rows: toy has no labels$"),
        (None, {"parts": {"n": 2, "of": "classes"}}, r"^task\.parts: toy has no labels$"),
        ([0, 0, 0, 1], {"parts": {"n": 3, "of": "classes"}}, r"^task\.parts: part 1 of 3, of 2 classes$"),
        (
            [0, 0, 0, 1],
            {"rows": {"per_class": 2}},
            r"^task\.rows\.per_class: 2 rows of each class; expected at most 1, as one class has$",
        ),
        (None, {"split": "official"}, r"^task\.split: toy has no official split$"),
        ([0, 1], {"test": 0.1}, r"^task: toy: 2 training and 0 test rows; expected 1 or more of each$"),
    ],
)
def test_what_the_data_cannot_give_is_named_by_its_key(labels, how, said):
    with pytest.raises(TaskError, match=said):
        draw(data_of(labels, n=4 if labels is None else None), how, fold=0 if "folds" in how else None)
    if labels is None and "folds" in how:
        assert draw(data_of(n=4), {"folds": {"n": 2, "stratified": False}}, fold=0).test.size == 2


def test_of_data_made_of_parts_nothing_is_drawn():
    parts = data_of(n=9, parts={"one": None})
    task = draw(parts)
    assert len(task.rows) == len(task.train) == len(task.test) == 0 and not task.held_out
    with pytest.raises(
        TaskError,
        match=r"^task: toy has training and test sets; expected a plan that draws nothing from them$",
    ):
        draw(parts, {"rows": 3})
    with pytest.raises(TaskError, match=r"expected a plan that draws nothing from them$"):
        draw(parts, {"share": 0.5})


def test_what_is_drawn_does_not_depend_on_what_else_is():
    data = data_of([0, 1] * 20)
    for how in ({"folds": {"n": 4}}, {"test": 0.25}):
        plain, shuffled = draw(data, how, 0), draw(data, {**how, "shuffled": True}, 0)
        assert not np.array_equal(plain.rows, shuffled.rows)
        assert set(plain.rows[plain.test]) == set(shuffled.rows[shuffled.test])
        assert np.array_equal(shuffled.labels, data.labels[shuffled.rows])
    few = draw(data, {"constraints": {"must_link": 1, "cannot_link": 9}}, 0)
    many = draw(data, {"constraints": {"must_link": 30, "cannot_link": 9}}, 0)
    assert np.array_equal(few.cannot_link, many.cannot_link)
    turned = draw(data, {"constraints": {"must_link": 30, "cannot_link": 9}, "shuffled": True}, 0)
    for kind, same in (("must_link", True), ("cannot_link", False)):
        pairs = getattr(turned, kind)
        assert {frozenset(pair) for pair in turned.rows[pairs].tolist()} == {
            frozenset(pair) for pair in many.rows[getattr(many, kind)].tolist()
        }
        assert ((turned.labels[pairs[:, 0]] == turned.labels[pairs[:, 1]]) == same).all()
