"""The one view of a run's results: which cells a question finds, and which values are pairs."""

import numpy as np
import pytest

from audit_records import cells, failed, frame
from cladebench.bench.plan.setting_selection import Rule
from cladebench.bench.samples.results import Results, not_recorded
from cladebench.bench.samples.samples import constant, overlap_of_pairs, pair

RULES = {
    "best": Rule("best", "best score", "score", "higher"),
    "near": Rule("near", "best near", "near", "higher", at={"k": 5}),
    "fixed": Rule("fixed", "first", setting={"a": 1}),
}


def results(*rows, **how):
    return Results(frame(*rows), RULES, **how)


def ask(found, method="m", metric="score", rule="best", **more):
    return found.sample({"dataset": "d", "method": method, "metric": metric, **more}, rule)


def test_the_same_repetitions_of_other_tasks_share_none():
    found = results(
        cells("d", "m", {"score": [1, 2, 3]}), cells("d", "n", {"score": [1, 2, 3]}, tasks=["x", "y", "z"])
    )
    assert [side.size for side in pair(ask(found), ask(found, "n"))] == [0, 0]
    found = results(
        cells("d", "m", {"score": [1, 2, 3]}),
        cells("d", "n", {"score": [3, 1]}, tasks=["d, draw 2", "d, draw 0"]),
    )
    assert [side.tolist() for side in pair(ask(found), ask(found, "n"))] == [[1, 3], [1, 3]]


def test_a_sample_has_the_values_by_task_and_says_where_they_are_from():
    found = ask(
        results(
            cells("d", "m", {"score": [1, 2], "other": [5, 6]}, {"a": 1}, "the data"),
            cells("e", "m", {"score": [9]}),
        )
    )
    assert found.values.to_dict() == {"d, draw 0": 1.0, "d, draw 1": 2.0}
    assert (found.problem, found.notes, found.rule, found.point, found.overlap) == (
        "",
        (),
        "",
        False,
        0.0,
    )
    assert (found.cells, found.setting, found.stand_in_for) == ("toy/d/m/a1/*", '{"a": 1}', "the data")


@pytest.mark.parametrize(
    ("values", "deterministic", "point"),
    [([1], ["m"], True), ([1, 2], ["m"], False), ([1], ["n"], False), ([1], [], False)],
)
def test_one_repetition_of_a_deterministic_method_is_exact(values, deterministic, point):
    assert ask(results(cells("d", "m", {"score": values}), deterministic=deterministic)).point is point


@pytest.mark.parametrize(
    ("sizes", "held_out", "point"),
    [
        ({"d": 100}, None, True),
        ({"d": 120}, None, False),  # rows were drawn
        ({"e": 100}, None, False),  # the data are drawn
        ({"d": 100}, (80, 20), False),
    ],
)
def test_one_repetition_is_not_exact_where_data_or_rows_are_drawn(sizes, held_out, point):
    found = results(cells("d", "m", {"score": [1]}, held_out=held_out), deterministic=["m"], sizes=sizes)
    assert ask(found).point is point


@pytest.mark.parametrize(
    ("held_out", "sizes", "expected"),
    [
        *(
            (None, *found)
            for found in ((None, 0.0), ({"d": 100}, 0.0), ({"d": 400}, 1 / 3), ({"e": 100}, 0.0))
        ),
        ((80, 20), None, 20 / 80),
        ((80, 20), {"d": 100}, 20 / 80),
        ((80, 20), {"d": 400}, 20 / 380),
        ((80, 20), {"e": 100}, 0.0),
        ((50, 50), None, 1.0),
    ],
)
def test_draws_overlap_in_rows_held_out_against_all_that_they_are_drawn_from(held_out, sizes, expected):
    """Where the data are drawn anew for each repetition, they have nothing in common."""
    found = ask(results(cells("d", "m", {"score": [1, 2, 3]}, held_out=held_out), sizes=sizes))
    assert found.overlap == pytest.approx(expected)


@pytest.mark.parametrize(("size", "expected", "point"), [(100, 0.0, True), (400, 1 / 3, False)])
def test_the_official_test_part_is_no_draw(size, expected, point):
    how = {"sizes": {"d": size}, "official": {("d", "m")}, "deterministic": ["m"]}
    found = ask(results(cells("d", "m", {"score": [1, 2, 3]}, held_out=(80, 20)), **how))
    assert found.overlap == pytest.approx(expected)
    one = results(cells("d", "m", {"score": [1]}, held_out=(80, 20)), **how)
    assert ask(one).point is point


NEAR = (
    cells("d", "m", {"score": [1, 2]}),
    *(cells("d", "m", {"near": [k, 2 * k]}, at={"k": k}) for k in (1, 5, 10)),
)


def test_a_metric_is_read_at_the_point_that_is_named_or_at_the_plans():
    found = results(*NEAR, at={"k": 5})
    assert ask(found, metric="near").values.tolist() == [5, 10]
    assert ask(found, metric="near", at={"k": 10.0}).values.tolist() == [10, 20]
    assert ask(found, metric="score").values.tolist() == [1, 2]  # read once: no point is meant
    said = 'm on d: near is recorded at {"k":1}, {"k":5}, {"k":10}, not at '
    assert ask(found, metric="near", at={"k": 7}).problem == said + '{"k":7}'
    assert ask(found, metric="near", at={}).problem == said + "{}"
    assert ask(results(*NEAR), metric="near").problem == said + "{}"
    assert ask(found, metric="score", at={"k": 5}).problem.endswith('recorded at {}, not at {"k":5}')
    assert found.points("d", "m", "near") == [{"k": 1}, {"k": 5}, {"k": 10}]
    assert found.points("d", "m", "score") == [{}] and found.points("d", "m", "absent") == []
    assert found.measured("d", "m", "near").value.tolist() == [5, 10]
    assert found.measured("d", "m", "near", at={"k": 1}).value.tolist() == [1, 2]


def test_a_choice_is_shown_where_the_rule_read_it():
    found = results(*NEAR, cells("d", "m", {"other": [1, 2]}, at={"k": 5}), at={"k": 10})
    assert found.point_of_choice("d", "m", "near", "near") == {"k": 5}
    assert found.point_of_choice("d", "m", "other", "near") is None  # chosen by another metric
    assert found.point_of_choice("d", "m", "near", "best") is None
    assert found.point_of_choice("d", "m", "near", "absent") is None
    once = results(cells("d", "m", {"near": [7]}), at={"k": 10})
    assert once.point_of_choice("d", "m", "near", "near") is None  # read once, at no point


def test_where_some_cells_read_a_metric_once_that_is_meant():
    once = cells("d", "m", {"near": [7]}, tasks=["once"])
    rest = cells("d", "m", {"near": [1, 5]}, at={"k": 5})[1:]
    found = results(once, rest, at={"k": 5})
    assert found.measured("d", "m", "near").value.tolist() == ask(found, metric="near").values.tolist() == [7]


GRID = (
    *(cells("d", "m", {"score": [1, 1]}, {"a": 1, "b": b}) for b in (1, 2)),
    *(cells("d", "m", {"score": [b, b + 2]}, {"a": 2, "b": b}) for b in (3, 4)),
)


def test_rules_and_parts_of_settings_narrow_what_stands_for_a_method():
    found = results(*GRID)
    assert ask(found).setting == '{"a": 2, "b": 4}' and ask(found).rule == "best"
    assert ask(found, rule="fixed").setting == '{"a": 1, "b": 1}'
    assert ask(found, where={"a": 1}).setting == '{"a": 1, "b": 1}'  # a tie: the smaller
    assert ask(found, where={"a": 2}).setting == '{"a": 2, "b": 4}'
    assert ask(found, where={"a": 1, "b": 2}).setting == '{"a": 1, "b": 2}'
    assert ask(found, where={"a": 1, "b": 2}).rule == ""
    assert ask(found, where={"b": 3}, rule="fixed").setting == '{"a": 2, "b": 3}'  # no choice is left
    assert (
        ask(found, where={"a": 2}, rule="fixed").problem
        == "no setting of m on d is selected under the rule 'fixed'"
    )
    assert ask(found, where={"a": 7}).problem == 'no run of m on d with {"a": 7} in these results'
    assert ask(found, selection="fixed", rule="best").setting == ask(found, rule="fixed").setting
    assert ask(found, rule="near").problem == "no setting of m on d is selected under the rule 'near'"
    assert found.measured("d", "m", "score", where={"b": 4}).value.tolist() == [4, 6]
    assert len(found.rows("d", "m", {"a": 1})) == 4 and len(found.rows("d", "m")) == 8
    assert found.rows("d", "absent").empty and found.rows("e", "m").empty


def test_one_question_asked_twice_is_answered_from_one_search():
    found = results(*GRID)
    assert ask(found) is ask(found, x=3)
    assert ask(found) is not ask(found, where={"a": 1})
    assert ask(found, at={}) is not ask(found, rule="fixed", at={})


def test_failed_cells_are_told_and_half_of_them_end_it():
    def some(n_failed):
        return ask(
            results(
                cells("d", "m", {"score": range(4 - n_failed)}),
                failed("d", "m", "timeout", "60 s", range(4 - n_failed, 4)),
            )
        )

    assert some(0).notes == ()
    assert some(2).notes == ("m on d: 2 of 4 runs timeout: 60 s",) and len(some(2).values) == 2
    assert some(3).problem == "m on d: 3 of 4 runs timeout: 60 s" and some(3).values.empty
    assert some(4).problem == "m on d: 4 of 4 runs timeout: 60 s"
    assert (
        ask(results(cells("d", "m", {"other": [1]}))).problem == "m on d: the metric 'score' is not recorded"
    )


@pytest.mark.parametrize("grid", [False, True])
def test_what_stands_for_a_method_takes_half_of_its_cells_as_a_verdict_does(grid):
    """Cells of another setting, which is not chosen, do not count."""
    other = cells("d", "m", {"score": [-1]}, {"a": 2}) if grid else []
    for n_failed in range(5):
        lost = failed("d", "m", "timeout", "60 s", range(4 - n_failed, 4), {"a": 1})
        found = results(cells("d", "m", {"score": range(4 - n_failed)}, {"a": 1}), lost, other)
        for rule in ("best", "fixed"):
            judged, shown = ask(found, rule=rule), found.chosen("d", "m", "score", rule).value
            assert shown.tolist() == judged.values.tolist()
            said = found.unfinished("d", "m", rule)
            assert (said == "3 of 4 runs timeout: 60 s") == (n_failed == 3 and bool(judged.problem))
            assert (said == "") != (n_failed == 3 and bool(judged.problem))


def test_several_points_of_a_cell_are_one_cell():
    rows = [*NEAR, failed("d", "m", "error", "boom", [2, 3])]
    assert ask(results(*rows)).notes == ("m on d: 2 of 4 runs error: boom",)
    assert "3 of 5" in ask(results(*rows, failed("d", "m", "error", "boom", [4]))).problem


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_figure_shows_the_setting_of_the_verdict_though_cells_failed(lost):
    rows = [
        cells("d", "m", {"score": [9, 9, 9][: 3 - lost]}, {"a": 1}),
        failed("d", "m", "timeout", "60 s", range(3 - lost, 3), {"a": 1}),
        cells("d", "m", {"score": [5, 6, 7]}, {"a": 2}),
    ]
    found = results(*rows)
    for rule in ("best", "fixed"):
        verdict, figure = ask(found, rule=rule), found.chosen("d", "m", "score", rule)
        if lost < 2 or rule == "best":
            assert figure.value.tolist() == verdict.values.tolist()
            assert figure.task.tolist() == verdict.values.index.tolist()
            assert set(figure.setting) == {verdict.setting}
        else:
            assert verdict.problem == "m on d: 2 of 3 runs timeout: 60 s"
            assert figure.empty and found.unfinished("d", "m", rule) == "2 of 3 runs timeout: 60 s"
    assert ask(found).setting == ('{"a": 1}' if lost == 0 else '{"a": 2}')


def test_where_all_cells_but_those_of_one_setting_failed_the_rule_still_chooses():
    rows = [
        cells("d", "m", {"score": [5, 6]}, {"a": 2}),
        failed("d", "m", "error", "boom", range(2), {"a": 1}),
    ]
    found = results(*rows)
    assert ask(found).values.tolist() == found.chosen("d", "m", "score", "best").value.tolist() == [5, 6]
    assert found.chosen("d", "m", "score", "fixed").empty
    assert ask(found, rule="fixed").problem == "no setting of m on d is selected under the rule 'fixed'"
    nothing = results(
        failed("d", "m", "error", "boom", range(2), {"a": 1}),
        failed("d", "m", "error", "boom", range(2), {"a": 2}),
    )
    assert ask(nothing).problem == "m on d: 4 of 4 runs error: boom"


def test_overlap_of_uneven_folds_is_that_of_their_mean_share():
    rows = cells("d", "m", {"score": [1, 2]}, held_out=(80, 20))
    rows[1] |= {"n_train": 50, "n_test": 50}
    assert ask(results(rows)).overlap == pytest.approx(0.35 / 0.65)


def test_the_overlap_of_pairs_is_that_of_the_tasks_that_are_shared():
    """Twice three folds of ten rows; of one repetition a method has finished only two."""

    def folds(method, finished):
        rows = []
        for repetition, fold in finished:
            test = len(range(fold, 10, 3))
            (row,) = cells("d", method, {"score": [fold]}, held_out=(10 - test, test))
            at = f"{repetition}.{fold}"
            rows.append(
                row | {"repetition": repetition, "fold": fold, "task": at, "cell_id": f"{method}{at}"}
            )
        return rows

    every = [(repetition, fold) for repetition in (0, 1) for fold in range(3)]
    found = results(folds("m", every), folds("n", every[1:]), sizes={"d": 20})
    left, right = ask(found), ask(found, "n")
    assert left.overlap == pytest.approx(_odds(1 / 3 * (2 / 5 + 3 / 5 / 2)))
    # Of 5 * 4 pairs (in both orders) 2 + 6 are of one repetition; tests of 3, 3, 4, 3, 3 rows.
    expected = pytest.approx(_odds(0.32 * (8 / 20 + 12 / 20 / 2)))
    assert overlap_of_pairs((left, right)) == right.overlap == expected
    assert overlap_of_pairs((left, constant(1.0))) == left.overlap


def test_a_change_is_of_the_same_repetition_and_fold_of_another_problem():
    def folds(dataset, method, values):
        rows = []
        for at, value in values.items():
            (row,) = cells(dataset, method, {"score": [value]}, held_out=(80, 20))
            repetition, fold = at
            name = f"{dataset} {repetition}.{fold}"
            rows.append(
                row
                | {
                    "repetition": repetition,
                    "fold": fold,
                    "task": name,
                    "cell_id": f"toy/{dataset}/{method}/default/{repetition}.{fold}",
                }
            )
        return rows

    clean = {(r, f): 10 * r + f for r in (0, 1) for f in (0, 1)}
    found = results(
        folds("clean", "m", {at: 1000 + value for at, value in clean.items()}),
        folds("d", "m", {(1, 1): 999, (1, 0): 1000, (0, 1): 1001}),
        folds("clean", "n", clean),
        folds("d", "n", {(2, 0): 5}),
    )
    changed = ask(found, change_from="clean")
    assert changed.values.to_dict() == {"d 1.1": -12, "d 1.0": -10, "d 0.1": 0}
    assert (changed.cells, changed.changed_from) == ("toy/d/m/default/*", "toy/clean/m/default/*")
    assert changed.overlap == ask(found).overlap == pytest.approx(0.25)
    assert ask(found, "n", change_from="clean").problem == "the two problems share no repetition and fold"
    assert (
        ask(found, "o", change_from="clean").problem
        == "no run of o on d in these results; no run of o on clean in these results"
    )


def _odds(share):
    return share / (1 - share)


def test_records_that_cannot_be_pairs_are_no_sample():
    twice = cells("d", "m", {"score": [1, 2, 3]}, tasks=["x", "y", "x"])
    assert ask(results(twice)).problem == "m on d: score is recorded twice for the task of repetition 2"
    lost = cells("d", "m", {"score": [1, 2]}, tasks=["x", None])
    assert ask(results(lost)).problem == "m on d: score: a record does not say which task it met"
    odd = cells("d", "m", {"score": [1, np.inf, np.nan]})
    assert ask(results(odd)).problem == "m on d: score is not finite in 2 of 3"
    assert all(ask(results(rows)).values.empty for rows in (twice, lost, odd))


def test_of_what_is_recorded_nothing_is_said():
    assert not_recorded("near", {"k": 5}, {"near": ['{"k":5}']}) == ""
