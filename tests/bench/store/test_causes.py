"""Causes of failures: each once, whatever its numbers, with what it met."""

import pandas as pd

from cladebench.bench.store.causes import cause_of, causes, some_of

COLUMNS = ["cell_id", "status", "reason", "method", "estimator", "dataset"]


def test_numbers_are_no_part_of_a_cause():
    assert cause_of("killed after 60.25 s, 4000 MB") == "killed after # s, # MB"


def test_three_are_named_and_the_others_counted():
    assert [some_of("abcde"[:n], 3) for n in (1, 3, 5)] == ["a", "a, b, c", "a, b, c and 2 more"]
    assert some_of([], 3) == ""


def test_a_cause_has_what_it_met_once():
    rows = [
        ("c0", "ok", "", "A", "A", "d"),
        ("c1", "error", "A broke after 2 s", "A", "own.A", "d"),
        ("c1", "error", "A broke after 2 s", "A", "own.A", "d"),
        ("c2", "error", "B broke after 3.5 s", "B", "own.B", "e"),
        ("c3", "timeout", "A broke after 2 s", "A", "own.A", "d"),
    ]
    first, second = causes(pd.DataFrame(rows, columns=COLUMNS))
    assert first == {
        **{"status": "error", "reason": "A broke after 2 s", "cell": "c1", "n": 2},
        **{"methods": "A, B", "data": "d, e"},
    }
    assert (second["status"], second["n"], second["cell"]) == ("timeout", 1, "c3")
