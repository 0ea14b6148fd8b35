"""A run is judged by the scores that count: its measures, its rope, and methods that scored."""

import math
from dataclasses import replace

import pandas as pd
import pytest
from scipy import stats

from cladebench.comparison.records import verdicts
from made_up_runs import made_up_run, scores


def test_each_measure_has_its_differences_and_trees_those_of_methods_with_trees(tmp_path):
    measures = ["ari", "ami", "dendrogram_purity", "dasgupta_ratio"]
    trees = {"dendrogram_purity": ["b", "RandomClusters"]}
    found = verdicts(made_up_run(scores(), tmp_path, mine="mine", measures=measures, without=trees))
    by_measure = found.differences.groupby("measure")["rival"].agg(list).to_dict()
    assert by_measure == {
        "ari": ["a", "b", "RandomClusters"],
        "ami": ["a", "b", "RandomClusters"],
        "dendrogram_purity": ["a"],
    }
    trees = {"dendrogram_purity": ["mine"]}
    found = verdicts(made_up_run(scores(), tmp_path, mine="mine", measures=measures, without=trees))
    assert set(found.differences["measure"]) == {"ari", "ami"}
    trees = {
        "dendrogram_purity": ["mine", "b", "RandomClusters"]
    }  # of one method there is nothing to compare
    found = verdicts(made_up_run(scores(), tmp_path, measures=measures, without=trees))
    assert set(found.differences["measure"]) == {"ari", "ami"}


def test_the_rope_is_that_of_the_file(tmp_path):
    table = scores({"mine": 0.5, "a": 0.49}, spread=0.001)
    wide, narrow = (
        verdicts(made_up_run(table, tmp_path, mine="mine", rope=rope, n_rows=20_000))
        for rope in (0.02, 0.005)
    )
    assert (wide.deciding["verdict"].item(), narrow.deciding["verdict"].item()) == ("level", "ahead")


def test_methods_that_never_scored_are_no_rivals(tmp_path):
    table = scores()
    table["d0"]["gone"] = [math.nan] * 10
    found = verdicts(made_up_run(table, tmp_path, mine="mine"))
    assert "gone" not in set(found.differences["rival"])
    assert "gone" not in found.ranks.failures_last.means
    table = {"d0": {"mine": [0.5, 0.6], "gone": [math.nan] * 2}}
    assert verdicts(made_up_run(table, tmp_path, mine="mine")).reference == ""


def test_scores_of_other_settings_do_not_count(tmp_path):
    run = made_up_run(scores(), tmp_path, mine="mine")
    other = run.values[run.values["method"] == "mine"].assign(setting='{"features":"raw"}', value=0.0)
    found = verdicts(replace(run, values=pd.concat([run.values, other])))
    pd.testing.assert_frame_equal(found.differences, verdicts(run).differences)


@pytest.mark.parametrize(("n_rows", "verdict"), [(20, "undecided"), (20_000, "ahead")])
def test_scores_of_few_rows_move_in_steps(tmp_path, n_rows, verdict):
    run = made_up_run({"d0": {"mine": [0.6, 0.6], "a": [0.4, 0.4]}}, tmp_path, mine="mine", n_rows=n_rows)
    (row,) = verdicts(run).deciding.itertuples()
    least = math.sqrt(1 / 2 + 1) / (n_rows / 2)
    assert row.verdict == verdict and row.p == pytest.approx(2 * stats.t.sf(0.2 / least, 1))
