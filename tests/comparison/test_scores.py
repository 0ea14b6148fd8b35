"""The table of scores: intervals of draws that overlap, what chance gives, how failures are summed up."""

import math
from dataclasses import replace

import numpy as np
import pytest
from made_up_runs import made_up_run
from scipy import stats

from cladebench.comparison.scores import scores

NAN = float("nan")
DRAWS = {
    "mine": [0.5, 0.6, 0.55, 0.7],
    "low": [-0.5, -0.4, 0.6, -0.45],
    "high": [1.0, 0.9, 1.0, 0.7],
    "some": [0.5, NAN, NAN, 0.4],
    "gone": [NAN] * 4,
    "RandomClusters": [0.01, -0.01, 0.02, 0.0],
    "RandomTree": [0.11, 0.12, 0.13, 0.14],
}
MEASURES = [
    "ari",
    "silhouette",
    "agreement",
    "dasgupta_ratio",
    "dendrogram_purity",
    "dendrogram_purity_permuted",
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    run = made_up_run({"d": DRAWS}, tmp_path_factory.mktemp("run"), measures=MEASURES)
    permuted = run.values["measure"] == "dendrogram_purity_permuted"
    halved = np.where(permuted, run.values["value"] / 2, run.values["value"])
    found = scores(replace(run, values=run.values.assign(value=halved)))
    return found.set_index(["measure", "method"])


def test_intervals_are_those_of_draws_that_overlap(table):
    row, draws = table.loc["ari", "mine"], np.array(DRAWS["mine"])
    half = stats.t.ppf(0.975, 3) * draws.std(ddof=1) * math.sqrt(1 / 4 + 1)
    assert (row["mean"], row.n) == (pytest.approx(draws.mean()), 4)
    assert (row.low, row.high) == (pytest.approx(draws.mean() - half), pytest.approx(draws.mean() + half))


def test_intervals_stay_in_the_range_of_the_measure(table):
    assert table.loc["ari", "low"].low == -0.5 and table.loc["ari", "high"].high == 1
    assert table.loc["silhouette", "low"].low == -1


def test_agreement_has_no_interval(table):
    row = table.loc["agreement", "mine"]
    assert (
        math.isnan(row.low) and math.isnan(row.high) and row["mean"] == pytest.approx(np.mean(DRAWS["mine"]))
    )


def test_chance_is_known_computed_or_what_random_clusters_earn(table):
    purity = np.mean(DRAWS["mine"])
    expected = {
        "ari": 0,
        "agreement": 0,
        "dasgupta_ratio": 1,
        "dendrogram_purity": purity / 2,
        "silhouette": np.mean(DRAWS["RandomClusters"]),
    }
    found = {measure: table.loc[measure, "mine"].chance for measure in expected}
    assert found == pytest.approx(expected)


def test_failures_are_counted_with_the_first_reason(table):
    ended = {
        name: tuple(table.loc["ari", name][["n", "status", "reason"]]) for name in ("mine", "some", "gone")
    }
    assert ended == {
        "mine": (4, "ok", ""),
        "some": (2, "error", "2 of 4 draws: it broke"),
        "gone": (0, "error", "it broke"),
    }
    assert table.loc["ari", "some"]["mean"] == pytest.approx(0.45)
