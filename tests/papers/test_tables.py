"""Tables made of records: what is shown, where it comes from, and what happens when nothing is there."""

import numpy as np
import pandas as pd
import pytest

from cladebench.papers.base import Artifact, ArtifactContext
from cladebench.papers.tables import (
    chosen_rows,
    comparison_table,
    mean_and_spread,
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
    return frame.assign(cpu_seconds=1.0, peak_memory_mb=100.0)


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
            "glass": {"title": "Glass", "stand_in_for": None},
            "digits": {"title": "Digits", "stand_in_for": "the paper's digits"},
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
    assert frame.loc[("digits", "A"), "other"] == "unavailable"


def test_status_table_shows_a_dash_where_nothing_ran(context):
    context.records.loc[context.records.status != "ok", ["cpu_seconds", "peak_memory_mb"]] = np.nan
    frame = status_table(context).frame.set_index(["dataset", "method"])
    assert frame.loc[("digits", "A"), "median_cpu_seconds"] == "–"


def test_an_artifact_is_a_table_or_a_figure():
    with pytest.raises(ValueError, match="expected 'table' or 'figure'"):
        Artifact("x", "picture", "", "", "", lambda context: None)
