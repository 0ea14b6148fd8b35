import pandas as pd
import pytest

from cladebench.bench.cell_spec import canonical_json, setting_id
from cladebench.bench.gate import gate
from cladebench.bench.selection import select_settings


def ledger(*rows):
    columns = ["cell_id", "paper", "dataset", "method", "setting_id", "repetition", "status", "reason"]
    return pd.DataFrame(
        [
            (f"p/d/{method}/s/{i}", "p", "d", method, "s", i, status, "why")
            for i, (method, status) in enumerate(rows)
        ],
        columns=columns,
    )


EXPECTED = [{"paper": "p", "dataset": "d", "method": "m", "status": "timeout", "reason": "too large"}]


def test_a_clean_run_passes():
    result = gate(ledger(("m", "ok"), ("n", "not_applicable")))
    assert (result.exit_code, result.failures, result.notes) == (0, [], [])


def test_missing_cells_of_a_method_on_a_data_set_are_one_line():
    result = gate(ledger(("m", "missing"), ("n", "missing"), ("m", "missing")))
    assert result.exit_code == 1 and result.failures == [
        "p/d/m: 2 cells missing, first p/d/m/s/0: why",
        "p/d/n: 1 cell missing, first p/d/n/s/1: why",
    ]


@pytest.mark.parametrize("status", ["error", "timeout", "out_of_memory"])
def test_each_kind_of_failure_fails(status):
    result = gate(ledger(("m", "ok"), ("m", status)))
    assert result.exit_code == 1 and result.failures == [f"p/d/m/s/1: {status}: why"]


def test_a_declared_failure_passes_and_is_said():
    result = gate(ledger(("m", "timeout")), EXPECTED)
    assert result.exit_code == 0 and result.notes == ["p/d/m/s/0: timeout, as declared (too large)"]


def test_a_declaration_covers_its_own_status_and_method_only():
    assert gate(ledger(("m", "error")), EXPECTED).exit_code == 1
    assert gate(ledger(("n", "timeout")), EXPECTED).exit_code == 1


def test_a_declared_failure_that_did_not_happen_is_said():
    result = gate(ledger(("m", "ok")), EXPECTED)
    assert result.exit_code == 0 and "no cell failed so" in result.notes[0]
    assert gate(ledger(("n", "ok")), EXPECTED).notes == []  # not planned here


def test_unavailable_data_pass_and_are_said_once():
    result = gate(ledger(("m", "unavailable"), ("n", "unavailable")))
    assert result.exit_code == 0 and result.notes == ["p/d: 2 cells unavailable: why"]


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
    "oracle": {"metric": "score", "direction": "max"},
    "label_free": {"metric": "objective", "direction": "min"},
}


def chosen(frame):
    return {(row.method, row.rule): (row.setting_id, row.mean, row.n) for row in frame.itertuples()}


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
    other = {"oracle": {"metric": "absent", "direction": "max"}}
    table = select_settings(records(("m", 1, 0, 0.5, 1.0)), other)
    assert table.empty and list(table.columns) == ["dataset", "method", "rule", "setting_id", "mean", "n"]


def test_wrong_use_is_refused():
    one, other = records(("m", 1, 0, 0.5, 1.0)), records(("m", 1, 0, 0.5, 1.0), paper="q")
    with pytest.raises(ValueError, match="several papers: p, q"):
        select_settings(pd.concat([one, other]), SELECTION)
    with pytest.raises(ValueError, match="'up' is neither"):
        select_settings(one, {"oracle": {"metric": "score", "direction": "up"}})
