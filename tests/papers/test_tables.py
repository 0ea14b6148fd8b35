"""Tables made of records: what is shown, where it comes from, and what happens when nothing is there."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from cladebench.papers.artifact_types import Artifact, ArtifactContext
from cladebench.papers.tables import (
    basis_notes,
    chosen_rows,
    comparison_table,
    fewer_rows,
    mean_and_spread,
    rows_used,
    settings_table,
    status_table,
    with_spread,
)


def records(*rows):
    columns = ["dataset", "method", "setting", "setting_id", "repetition", "metric", "value", "status"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["cell_id"] = (
        "p/"
        + frame.dataset
        + "/"
        + frame.method
        + "/"
        + frame.setting_id
        + "/"
        + frame.repetition.astype(str)
    )
    return frame.assign(cpu_seconds=1.0, peak_memory_mb=100.0, params=frame.setting)


@pytest.fixture
def context():
    frame = records(
        ("glass", "A", "{}", "default", 0, "purity", 0.4, "ok"),
        ("glass", "A", "{}", "default", 1, "purity", 0.6, "ok"),
        ("glass", "B", '{"k":1}', "s1", 0, "purity", 0.1, "ok"),
        ("glass", "B", '{"k":2}', "s2", 0, "purity", 0.9, "ok"),
        ("digits", "A", "{}", "default", 0, None, np.nan, "unavailable"),
        ("digits", "B", '{"k":1}', "s1", 0, "purity", 0.3, "ok"),
    )
    choices = pd.DataFrame(
        [("glass", "B", "oracle", "s2", 0.9, 1), ("glass", "B", "label_free", "s1", 0.1, 1)],
        columns=["dataset", "method", "rule", "setting_id", "mean", "n"],
    )
    published = pd.DataFrame(
        [
            ("time-a", "Table 1", "glass", "A", "seconds", 3.0, 0.1, "3.0 ± 0.1"),
            ("purity-a", "Table 1", "glass", "A", "purity", 0.47, 0.02, "0.47 ± 0.02"),
        ],
        columns=["claim", "artifact", "dataset", "method", "metric", "value", "spread", "printed"],
    )
    return ArtifactContext(
        paper="p",
        package="p",
        scope="smoke",
        records=frame,
        published=published,
        choices=choices,
        methods={"A": {"label": "A", "role": "method"}, "B": {"label": "B*", "role": "extra"}},
        datasets={
            "glass": {"title": "Glass", "stand_in_for": None, "n_samples": 214},
            "digits": {"title": "Digits", "stand_in_for": "the paper's digits", "n_samples": 1797},
        },
        load_arrays=lambda cell: {},
    )


def test_published_measured_and_their_cells(context):
    table = comparison_table(
        context, artifact="Table 1", metric="purity", datasets=["glass", "digits"], number="{:.2f}".format
    )
    a, b = table.frame.to_dict("records")
    assert a["glass: published"] == "0.47 ± 0.02"  # of the two numbers that the paper prints there
    assert table.claims == {(0, "glass: published"): "purity-a"}
    assert a["glass: label-free"] == "0.50 ± 0.14 (2)"
    assert a["glass: oracle"] == "no choice"
    assert table.sources[0, "glass: label-free"] == ("p/glass/A/default/0", "p/glass/A/default/1")
    assert (b["glass: label-free"], b["glass: oracle"]) == ("0.10 (1)", "0.90 (1)")
    assert table.sources[1, "glass: oracle"] == ("p/glass/B/s2/0",)


def test_what_is_missing_says_why_and_stand_ins_are_named(context):
    table = comparison_table(
        context, artifact="Table 1", metric="purity", datasets=["glass", "digits"], number="{:.2f}".format
    )
    assert table.frame["digits: label-free"].iloc[0] == "unavailable"
    assert any("stands in for the paper's digits" in note for note in table.notes)


def test_not_planned_and_missing_are_told_apart(context):
    missing = records(("glass", "C", "{}", "default", 0, None, np.nan, "missing"))
    context = dataclasses.replace(
        context,
        records=pd.concat([context.records, missing], ignore_index=True),
        methods={**context.methods, "C": {"label": "C", "role": "method"}},
    )
    table = comparison_table(
        context, artifact="Table 1", metric="purity", datasets=["glass", "digits"], number="{:.2f}".format
    )
    assert table.frame.loc[2, ["glass: label-free", "digits: label-free"]].tolist() == [
        "missing",
        "not planned",
    ]


def test_rows_used():
    assert rows_used('{"n_samples":100,"k":2}', 214) == 100
    assert (
        rows_used('{"n_samples":1000}', 214)
        == rows_used('{"n_samples":null}', 214)
        == rows_used("{}", 214)
        == 214
    )


def test_fewer_rows_says_nothing_where_all_were_used():
    cells = pd.DataFrame(
        [("A", "ok", '{"n_samples":1000}'), ("B", "ok", "{}"), ("C", "timeout", '{"n_samples":10}')],
        columns=["method", "status", "params"],
    )
    assert fewer_rows(cells, 900) == ""
    assert fewer_rows(cells[cells.method == "A"], 30475) == "1,000 of 30,475"
    assert fewer_rows(cells, 30475) == "1,000 of 30,475 (all for B)"


def test_basis_is_told_from_the_records(context):
    sampled = '{"k":1,"n_samples":100}', '{"k":2,"n_samples":100}'
    frame = records(
        *(
            ("glass", "A", text, f"s{k}", r, "purity", 0.5, "ok")
            for k, text in enumerate(sampled)
            for r in range(3)
        ),
        ("glass", "B", "{}", "default", 0, "purity", 0.5, "ok"),
        # Of C one setting did not finish, and of another one repetition: neither competes.
        *(("glass", "C", f'{{"k":{k}}}', f"s{k}", r, "purity", 0.5, "ok") for k in (0, 1) for r in range(3)),
        *(("glass", "C", '{"k":2}', "s2", r, "purity", 0.5, "ok") for r in range(2)),
        ("glass", "C", '{"k":3}', "s3", 0, None, np.nan, "missing"),
        ("digits", "A", sampled[0], "s0", 0, "purity", 0.5, "ok"),
    )
    context = dataclasses.replace(context, records=frame)
    shown = [(d, f"{m}, new", context.rows(d, m)) for d in ("glass", "digits") for m in "ABC"]
    assert basis_notes(context, shown) == (
        "Rows used: glass all (100 of 214 for A, new); digits 100 of 1,797.",
        "Repetitions: 1 to 3 (1 for B, new) (3 for C, new).",
        "Settings to choose from: 1 to 2 (A, new), 2 finished of 4 (C, new).",
        "Missing: 1 of the 17 cells that are planned for this.",
    )
    assert basis_notes(context, []) == ()
    assert basis_notes(context, [("glass", "B", context.rows("glass", "B"))]) == ("Repetitions: 1.",)


def test_the_basis_stands_below_every_comparison(context):
    table = comparison_table(
        context, artifact="Table 1", metric="purity", datasets=["glass", "digits"], number="{:.2f}".format
    )
    assert "Repetitions: 2 (1 for B*)." in table.notes
    assert "Settings to choose from: 1 to 2 (B*)." in table.notes
    assert not any(note.startswith("Rows used") for note in table.notes)


def test_a_single_setting_needs_no_choice(context):
    assert chosen_rows(context, "glass", "A", "purity", "oracle").value.tolist() == [0.4, 0.6]
    assert chosen_rows(context, "glass", "B", "purity", "label_free").setting_id.tolist() == ["s1"]


def test_settings_are_shown_of_methods_that_have_a_choice(context):
    table = settings_table(context, {"purity": "{:.1f}".format})
    found = table.frame.to_dict("records")
    assert [(row["method"], row["rule"], row["setting"], row["purity"]) for row in found] == [
        ("B", "oracle", "k: 2", "0.9"),
        ("B", "label-free", "k: 1", "0.1"),
    ]
    assert table.sources[0, "purity"] == ("p/glass/B/s2/0",)


def test_mean_and_spread():
    assert mean_and_spread(np.array([1.0, 3.0])) == (2.0, pytest.approx(np.sqrt(2)), 2)
    mean, spread, n = mean_and_spread(np.array([5.0]))
    assert (mean, n) == (5.0, 1) and np.isnan(spread)
    assert mean_and_spread(np.array([]))[2] == 0
    assert with_spread(np.array([5.0]), "{:.1f}".format) == "5.0 (1)"


def test_status_table_counts_cells_not_metrics(context):
    frame = status_table(context).frame.set_index(["dataset", "method"])
    assert frame.loc[("glass", "A"), "cells"] == 2
    assert frame.loc[("digits", "A"), "ok"] == 0
    assert frame.loc[("digits", "A"), "other"] == "1 unavailable"


def test_status_table_shows_a_dash_where_nothing_ran(context):
    context.records.loc[context.records.status != "ok", ["cpu_seconds", "peak_memory_mb"]] = np.nan
    frame = status_table(context).frame.set_index(["dataset", "method"])
    assert frame.loc[("digits", "A"), ["cpu_seconds", "median_cpu_seconds"]].tolist() == ["–", "–"]


def test_status_table_counts_planned_cells_without_a_record(context):
    missing = records(*(("glass", "A", "{}", "default", r, None, np.nan, "missing") for r in (2, 3)))
    context = dataclasses.replace(context, records=pd.concat([context.records, missing], ignore_index=True))
    table = status_table(context)
    row = table.frame.set_index(["dataset", "method"]).loc[("glass", "A")]
    assert (row.cells, row.ok, row.other) == (4, 2, "2 missing")
    assert table.notes[0] == "missing: 2 cells that are planned in this scope and have no record."


def test_an_artifact_is_a_table_or_a_figure():
    with pytest.raises(ValueError, match="expected 'table' or 'figure'"):
        Artifact("x", "picture", "", "", "", lambda context: None)
