import pandas as pd
import pytest

from cladebench.bench.store.gate import gate


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
    assert (result.failures, result.notes) == ([], [])


def test_missing_cells_of_a_method_on_a_data_set_are_one_line():
    result = gate(ledger(("m", "missing"), ("n", "missing"), ("m", "missing")))
    assert result.failures == [
        "p/d/m: 2 runs missing, first p/d/m/s/0: why",
        "p/d/n: 1 run missing, first p/d/n/s/1: why",
    ]


@pytest.mark.parametrize("status", ["error", "timeout", "out_of_memory"])
def test_each_kind_of_failure_fails(status):
    result = gate(ledger(("m", "ok"), ("m", status)))
    assert result.failures == [f"p/d/m/s/1: {status}: why"]


def test_a_declared_failure_passes_and_is_said():
    result = gate(ledger(("m", "timeout")), EXPECTED)
    assert not result.failures and result.notes == ["p/d/m/s/0: timeout, as declared (too large)"]


def test_a_declaration_covers_its_own_status_and_method_only():
    assert gate(ledger(("m", "error")), EXPECTED).failures
    assert gate(ledger(("n", "timeout")), EXPECTED).failures


def test_a_declared_failure_that_did_not_happen_is_said():
    result = gate(ledger(("m", "ok")), EXPECTED)
    assert not result.failures and "no run failed so" in result.notes[0]
    assert gate(ledger(("n", "ok")), EXPECTED).notes == []  # not planned here


def test_unavailable_data_pass_and_are_said_once():
    result = gate(ledger(("m", "unavailable"), ("n", "unavailable")))
    assert not result.failures and result.notes == ["p/d: 2 runs unavailable: why"]


def test_what_is_unavailable_is_listed_by_data_set():
    found = ledger(*[("m", "unavailable")] * 3)
    found["dataset"], found["reason"] = ["e", "d", "e"], ["first", "other", "later"]
    assert gate(found).notes == ["p/d: 1 runs unavailable: other", "p/e: 2 runs unavailable: first"]


def test_what_is_declared_of_one_data_set_is_not_declared_of_another():
    found = ledger(("m", "timeout"), ("m", "timeout"))
    found.loc[1, "dataset"] = "e"
    result = gate(found, EXPECTED)
    assert result.failures == ["p/d/m/s/1: timeout: why"] and len(result.notes) == 1


def test_equal_causes_are_one_line_whatever_their_seconds():
    found = ledger(("m", "timeout"), ("n", "timeout"), ("n", "error"), ("m", "error"), ("o", "timeout"))
    found["reason"] = [
        *("10.4 s of CPU time, limit 10.0 s", "11 s of CPU time, limit 10.0 s"),
        *("ValueError: a", "ValueError: b", "9.1 s of wall time, limit 9.0 s"),
    ]
    assert gate(found).failures == [
        "2 runs, first p/d/m/s/0: timeout: 10.4 s of CPU time, limit 10.0 s",
        "p/d/n/s/2: error: ValueError: a",
        "p/d/m/s/3: error: ValueError: b",
        "p/d/o/s/4: timeout: 9.1 s of wall time, limit 9.0 s",
    ]


def test_declared_failures_of_one_reason_are_one_line():
    result = gate(ledger(*[("m", "timeout")] * 3), EXPECTED)
    assert result.notes == ["3 runs, first p/d/m/s/0: timeout, as declared (too large)"]
