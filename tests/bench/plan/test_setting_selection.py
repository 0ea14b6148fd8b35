"""Which setting stands for a method: best means, ties, evaluation points, fixed settings, several rules."""

import math

import pandas as pd
import pytest

from cladebench.bench.plan.cell_spec import canonical_json, point_text, setting_id
from cladebench.bench.plan.setting_selection import Rule, agrees, select_settings


def records(*rows, paper="p"):
    """Rows of (method, alpha, repetition, score, objective); a score of None is a failed cell."""
    long = []
    for method, alpha, repetition, score, objective in rows:
        setting = {"alpha": alpha}
        base = {
            "paper": paper,
            "dataset": "d",
            "method": method,
            "setting": canonical_json(setting),
            "setting_id": setting_id(setting),
            "repetition": repetition,
            "fold": None,
            "cell_id": f"{paper}/d/{method}/{setting_id(setting)}/{repetition}",
            "at": "{}",
            "status": "error" if score is None else "ok",
        }
        if score is None:
            long.append({**base, "metric": None, "value": None})
        else:
            long += [
                {**base, "metric": "score", "value": score},
                {**base, "metric": "objective", "value": objective},
            ]
    return pd.DataFrame(long)


SELECTION = {
    "oracle": Rule("oracle", "best score", "score", "higher"),
    "label_free": Rule("label_free", "best objective", "objective", "lower"),
}


def chosen(frame):
    """The choices; None for the mean of a fixed setting."""
    return {
        (row.method, row.rule): (row.setting_id, None if math.isnan(row.mean) else row.mean, row.n)
        for row in frame.itertuples()
    }


def test_each_rule_takes_the_best_mean_over_repetitions():
    frame = records(
        ("m", 1, 0, 0.9, 5.0), ("m", 1, 1, 0.1, 5.0), ("m", 2, 0, 0.6, 6.0), ("m", 2, 1, 0.6, 6.0)
    )
    assert chosen(select_settings(frame, SELECTION)) == {
        ("m", "oracle"): (setting_id({"alpha": 2}), 0.6, 2),
        ("m", "label_free"): (setting_id({"alpha": 1}), 5.0, 2),
    }


def test_a_setting_with_a_failed_repetition_does_not_compete_with_a_complete_one():
    frame = records(
        ("m", 1, 0, 0.9, 1.0), ("m", 1, 1, None, None), ("m", 2, 0, 0.5, 2.0), ("m", 2, 1, 0.5, 2.0)
    )
    assert chosen(select_settings(frame, SELECTION))["m", "oracle"] == (setting_id({"alpha": 2}), 0.5, 2)


def test_where_all_are_incomplete_those_with_most_compete():
    frame = records(
        ("m", 1, 0, 0.9, 1.0), ("m", 2, 0, 0.5, 2.0), ("m", 2, 1, None, None), ("m", 1, 1, None, None)
    )
    assert chosen(select_settings(frame, SELECTION))["m", "oracle"] == (setting_id({"alpha": 1}), 0.9, 1)


def test_ties_go_to_the_smallest_number_whatever_the_order_of_rows():
    # As text "10" sorts before "9".
    frame = records(("m", 10, 0, 0.5, 1.0), ("m", 9, 0, 0.5, 1.0))
    for rows in (frame, frame[::-1]):
        assert {v[0] for v in chosen(select_settings(rows, SELECTION)).values()} == {setting_id({"alpha": 9})}


def test_no_row_without_a_finished_cell_or_the_metric():
    assert select_settings(records(("m", 1, 0, None, None)), SELECTION).empty
    other = {"oracle": Rule("oracle", "", "absent", "higher")}
    table = select_settings(records(("m", 1, 0, 0.5, 1.0)), other)
    assert table.empty and list(table.columns) == ["dataset", "method", "rule", "setting_id", "mean", "n"]


def test_wrong_use_is_refused():
    one, other = records(("m", 1, 0, 0.5, 1.0)), records(("m", 1, 0, 0.5, 1.0), paper="q")
    with pytest.raises(ValueError, match="several papers: p, q"):
        select_settings(pd.concat([one, other]), SELECTION)
    for direction in ("up", None):
        rules = SELECTION | {"third": Rule("third", "", "score", direction)}
        with pytest.raises(
            ValueError, match=rf"^selection\.third\.direction: {direction!r}; expected 'higher' or"
        ):
            select_settings(one, rules)


TWO = [("m", 1, 0, 0.9, 5.0), ("m", 2, 0, 0.6, 6.0), ("n", 1, 0, 0.2, 5.0), ("n", 3, 0, 0.1, 1.0)]


def test_each_method_and_data_set_has_a_choice_of_its_own_under_each_rule():
    other = records(("m", 1, 0, 0.1, 9.0), ("m", 2, 0, 0.2, 8.0)).assign(dataset="e")
    table = select_settings(pd.concat([records(*TWO), other]), SELECTION)
    ids = [setting_id({"alpha": alpha}) for alpha in (1, 1, 1, 3, 2, 2)]
    assert table.setting_id.tolist() == ids
    assert table[["dataset", "method", "rule"]].values.tolist() == [
        [dataset, method, rule]
        for dataset, method in (("d", "m"), ("d", "n"), ("e", "m"))
        for rule in ("oracle", "label_free")
    ]
    turned = select_settings(records(*TWO), dict(reversed(SELECTION.items())))
    assert turned.rule.tolist() == ["label_free", "oracle"] * 2
    assert select_settings(records(*TWO), {}).empty


def fixed(**setting):
    return {"fixed": Rule("fixed", "fixed", setting=setting)}


def test_a_fixed_setting_is_taken_whatever_it_scores_and_missing_where_it_is_not_there():
    frame = records(*TWO)
    assert chosen(select_settings(frame, fixed(alpha=2))) == {
        ("m", "fixed"): (setting_id({"alpha": 2}), None, 1)
    }
    assert select_settings(frame, fixed(alpha=4)).empty
    assert select_settings(frame, fixed(beta=1)).empty


def test_a_fixed_part_leaves_the_rest_to_the_cells_that_finished_and_the_order_of_settings():
    def with_beta(alpha, beta, repetitions):
        rows = records(*(("m", alpha, r, 0.5, 1.0) for r in range(repetitions)))
        setting = {"alpha": alpha, "beta": beta}
        cells = [f"p/d/m/{setting_id(setting)}/{r}" for r in rows.repetition]
        return rows.assign(setting=canonical_json(setting), setting_id=setting_id(setting), cell_id=cells)

    frame = pd.concat([with_beta(1, 10, 2), with_beta(1, 9, 2), with_beta(1, 1, 1), with_beta(2, 0, 3)])
    found = chosen(select_settings(frame, fixed(alpha=1)))
    assert found == {("m", "fixed"): (setting_id({"alpha": 1, "beta": 9}), None, 2)}


def at(frame, metric, point, values):
    """The same cells with one metric read at one more point."""
    rows = frame[frame.metric == "score"].assign(metric=metric, at=point_text(point))
    return rows.assign(value=[values[setting] for setting in rows.setting_id])


def test_a_rule_reads_its_metric_at_its_own_point():
    one, two = (setting_id({"alpha": alpha}) for alpha in (1, 2))
    frame = records(("m", 1, 0, 0.5, 1.0), ("m", 2, 0, 0.5, 1.0))
    frame = pd.concat(
        [
            frame,
            at(frame, "near", {"k": 1}, {one: 0.1, two: 0.9}),
            at(frame, "near", {"k": 5}, {one: 0.8, two: 0.7}),
        ]
    )
    rules = {f"at {k}": Rule(f"at {k}", "", "near", "higher", at={"k": k}) for k in (1, 5.0, 7)} | {
        "score": Rule("score", "", "score", "higher", at={"k": 5})
    }
    assert chosen(select_settings(frame, rules)) == {
        ("m", "at 1"): (two, 0.9, 1),
        ("m", "at 5.0"): (one, 0.8, 1),
        ("m", "score"): (one, 0.5, 1),  # a metric that is read once is the same at every point; a tie
    }


def test_folds_count_as_cells():
    one, two = (setting_id({"alpha": alpha}) for alpha in (1, 2))
    frame = records(("m", 1, 0, 0.9, 1.0), ("m", 2, 0, 0.6, 1.0))
    folds = pd.concat([frame.assign(fold=fold, cell_id=frame.cell_id + f".{fold}") for fold in (0, 1)])
    lost = folds[~((folds.setting_id == one) & (folds.fold == 1))]
    assert chosen(select_settings(folds, SELECTION))["m", "oracle"] == (one, 0.9, 2)
    assert chosen(select_settings(lost, SELECTION))["m", "oracle"] == (two, 0.6, 2)


@pytest.mark.parametrize(
    ("where", "fits"),
    [
        ({}, True),
        ({"a": 1}, True),
        ({"a": 1.0, "b": "x"}, True),
        ({"a": 1, "b": "y"}, False),
        ({"a": 2, "b": "x"}, False),
        ({"c": 1}, False),
        ({"c": None}, False),
    ],
)
def test_a_setting_agrees_when_all_named_values_do(where, fits):
    assert agrees('{"a":1,"b":"x"}', where) is fits
