"""Tables of other people's results: summed up by method and by variant; imported scores."""

import pandas as pd
import pytest

from cladebench.published.tables import AGREEMENTS, by_method, by_variant, imported_scores
from made_up_runs import made_up_run


def test_agreement_is_summed_up_by_method():
    rows = pd.DataFrame(
        [
            ("a", 2, "Ward", "{}", "fastcluster_ward", 1.0, 0.5, 0.5, 1.0, ""),
            ("b", 2, "Ward", "{}", "fastcluster_ward", 0.2, 0.7, 0.9, 1.0, "not explained"),
        ],
        columns=list(AGREEMENTS),
    )
    (found,) = by_method(rows)
    assert (found["n"], found["same"], found["least"], found["ours"]) == (2, 1, 0.2, 0.6)
    assert found["reasons"] == "not explained (1)"


def test_the_best_labelling_of_a_data_set_counts_for_a_published_variant():
    scored = pd.DataFrame(
        [("a", "x (published)", 0.2), ("a", "x (published)", 0.8), ("b", "x (published)", 0.4)],
        columns=["data", "method", "mean"],
    )
    assert by_variant(scored).loc["x"].tolist() == [pytest.approx(0.6), 2.0]


def test_of_several_labellings_none_is_named(tmp_path):
    run = made_up_run({"d": {"mine": [0.5, 0.5]}}, tmp_path)
    rows = [{"method": "a", "data": "d", "measure": "ari", "score": 1}]
    imported = {"file": "t.csv", "rows": rows}
    (one,) = imported_scores(imported, run.values, run.plan.measures).itertuples()
    assert (one.labels, one.method, one.mean, one.chance, one.n) == ("classes", "a (imported)", 1, 0, 1)
    run.values.loc[1, "labels"] = "others"
    assert imported_scores(imported, run.values, run.plan.measures)["labels"].tolist() == [""]
    assert imported_scores({}, run.values, run.plan.measures).empty
