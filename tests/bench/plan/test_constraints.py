"""Constraints of a task: true, different, among its training rows, and each of them can come."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cladebench.bench.plan.constraints import _of_one_kind, _pair_number
from task_draws import data_of, draw, labelled, seeds


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


@pytest.mark.parametrize("count", [1, 4])  # of 6: drawn one by one, and listed
def test_every_constraint_can_come(count):
    labels = np.array([0, 0, 0, 0, 1])
    met = Counter()
    for repetition in range(200):
        task = draw(data_of(labels), {"constraints": {"must_link": count}}, repetition)
        met.update(tuple(sorted(pair)) for pair in task.must_link.tolist())
    assert set(met) == possible(range(5), labels, True)
    assert min(met.values()) > 0.5 * 200 * count / 6


def test_pairs_are_those_that_published_runs_have_drawn():
    labels = np.array([0, 1] * 10)
    same, other = (
        _of_one_kind(np.random.default_rng(3), np.arange(20), labels, 4, same=same) for same in (True, False)
    )
    assert same.tolist() == [[11, 17], [6, 8], [3, 5], [0, 2]]
    assert other.tolist() == [[1, 16], [3, 4], [3, 16], [0, 1]]
