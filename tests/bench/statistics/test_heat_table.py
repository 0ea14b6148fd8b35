"""Tables of methods by data sets: what is in a cell, which labelling counts, in which order."""

import math

import pandas as pd

from cladebench.bench.statistics.heat_table import best_labellings, heat_table, latex
from cladebench.bench.statistics.run_scores import COLUMNS, STATUS
from cladebench.measures import MEASURES

NAN = math.nan


def row(data, method, mean, measure="ari", labels="l", status="ok"):
    return dict(
        zip(COLUMNS, (data, labels, method, "{}", measure, mean, NAN, NAN, 1, 0.0, status, ""), strict=True)
    )


def test_the_best_labelling_counts_for_each_method_and_one_without_scores_stays():
    rows = [
        row("d", "a", 0.2, labels="one"),
        row("d", "a", 0.8, labels="two"),
        row("d", "b", 0.9, labels="one"),
    ]
    rows += [row("d", "b", 0.1, labels="two"), row("d", "c", NAN, "fit_seconds", "one", "error")]
    found = best_labellings(pd.DataFrame(rows), ("ari", "silhouette"))
    kept = [*zip(found["method"], found["labels"], strict=True)]
    assert kept == [("a", "two"), ("b", "one"), ("c", "one")]


def table(rows, shown=("ari", "ami"), **more):
    return heat_table(pd.DataFrame(rows), shown, MEASURES, ["d", "e"], ["a", "b", "gone"], **more)


def test_methods_with_more_scores_go_first_then_the_better_mean():
    rows = [
        row("d", "a", 0.9),
        row("d", "b", 0.1),
        row("e", "b", 0.3),
        row("d", "theirs", 0.5, status=STATUS),
    ]
    rows += [row("e", "a", NAN, status="error"), row("d", "gone", NAN, status="timeout")]
    rows += [row("e", "theirs", 0.4, "ami", status=STATUS)]  # of another measure: no run failed
    found = table(rows)
    assert [one["method"] for one in found["rows"]] == ["b", "a", "theirs", "gone"]
    assert found["data"] == ["d", "e"] and found["measures"] == ["ari", "ami"] and found["higher"]
    (second,) = [one for one in found["rows"] if one["method"] == "a"]
    assert second["cells"][0]["mean"] == 0.9 and second["cells"][1] == {"status": "error", "reason": ""}
    (theirs,) = [one for one in found["rows"] if one["method"] == "theirs"]
    assert theirs["cells"][1] is None and theirs["means"] == {"ari": 0.5, "ami": 0.4}


def test_a_method_that_takes_no_data_has_no_row_and_one_that_failed_has():
    rows = [
        row("d", "a", 0.9),
        row("d", "b", NAN, status="not_applicable"),
        row("d", "gone", NAN, status="error"),
    ]
    assert [one["method"] for one in table(rows)["rows"]] == ["a", "gone"]


def test_where_lower_is_better_the_least_mean_goes_first():
    rows = [row("d", "a", 9.0, "dasgupta_cost"), row("d", "b", 3.0, "dasgupta_cost")]
    found = table(rows, ("dasgupta_cost",))
    assert [one["method"] for one in found["rows"]] == ["b", "a"] and not found["higher"]


def test_measures_without_labels_may_need_data_without_a_labelling():
    rows = [row("d", "a", 0.5, "silhouette"), row("e", "a", 0.4, "silhouette", "")]
    assert table(rows, ("silhouette",))["data"] == ["d", "e"]
    assert table(rows, ("silhouette",), unlabelled=("silhouette",))["data"] == ["e"]
    assert table(rows[:1], ("silhouette",), unlabelled=("silhouette",)) == {} == table(rows)


def test_latex_has_a_dash_where_nothing_is_and_a_status_where_runs_failed():
    rows = [row("d", "a", -0.5), row("e", "b", NAN, status="out_of_memory"), row("e", "a_1", 0.25)]
    text = latex(table(rows))
    assert r"a & $-$0.50 & -- " in text and r"b & -- & out of memory" in text and r"a\_1 & -- & 0.25" in text
    assert "tabular" in latex({})
