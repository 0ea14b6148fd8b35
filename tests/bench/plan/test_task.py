"""What is drawn for a repetition, over random data and plans: what the plan says, and no method has a part in it."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cladebench.bench.plan.cell_spec import Limits
from cladebench.bench.plan.task import TaskError
from task_draws import data_of, draw, labelled, seeds


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
