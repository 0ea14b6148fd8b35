"""The table of scores: intervals of draws that overlap, what chance gives, how failures are summed up."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cladebench.bench.statistics.run_scores import choose, score_table
from made_up_runs import made_up_run

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
    "ami",
    "silhouette",
    "calinski_harabasz",
    "agreement",
    "n_clusters",
    "fit_seconds",
    "dasgupta_ratio",
    "dendrogram_purity",
    "dendrogram_purity_permuted",
]


SHOWN = (
    *("ari", "ami", "dendrogram_purity", "dasgupta_ratio"),
    *("silhouette", "calinski_harabasz", "agreement", "fit_seconds", "memory_mb"),
)


def scores(run):
    """The table of scores of a run, whose random method is RandomClusters."""
    return score_table(run.values, run.plan.measures, SHOWN, SHOWN[4:7], "RandomClusters", overlap=1.0)


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
        "ami": 0,
        "agreement": 0,
        "dasgupta_ratio": 1,
        "dendrogram_purity": purity / 2,
        "silhouette": np.mean(DRAWS["RandomClusters"]),
        "calinski_harabasz": np.mean(DRAWS["RandomClusters"]),
        "fit_seconds": math.nan,
    }
    found = {measure: table.loc[measure, "mine"].chance for measure in expected}
    assert found == pytest.approx(expected, nan_ok=True)
    assert "n_clusters" not in table.index.get_level_values("measure")  # a fact, no score


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


def test_the_first_failure_of_several_is_told(tmp_path):
    run = made_up_run({"d": {"mine": [0.5, NAN, NAN]}}, tmp_path)
    run.values.loc[run.values["draw"] == "d/1", ["status", "reason"]] = "timeout", "it took long"
    (row,) = scores(run).itertuples()
    assert (row.status, row.reason) == ("timeout", "2 of 3 draws: it took long")


def test_one_draw_has_no_narrower_interval_than_the_range(tmp_path):
    (row,) = scores(made_up_run({"d": {"mine": [0.6]}}, tmp_path)).itertuples()
    assert (row.mean, row.low, row.high, row.n) == (0.6, -0.5, 1.0, 1)


def test_each_data_set_labelling_and_setting_has_a_row_and_a_chance_of_its_own(tmp_path):
    table = {
        name: {"mine": [value] * 2, "RandomClusters": [value / 10] * 2}
        for name, value in (("d", 0.4), ("e", 0.8))
    }
    run = made_up_run(table, tmp_path, measures=["silhouette"])
    other = run.values.assign(labels="others", value=run.values["value"] / 2)
    raw = run.values[run.values["method"] == "mine"].assign(setting='{"features":"raw"}', value=0.1)
    found = scores(replace(run, values=pd.concat([run.values, other, raw], ignore_index=True)))
    found = found[found["method"] == "mine"].set_index(["data", "labels", "setting"])
    assert found[["mean", "chance", "n"]].T.to_dict("list") == {
        ("d", "classes", "{}"): [0.4, pytest.approx(0.04), 2],
        ("e", "classes", "{}"): [0.8, pytest.approx(0.08), 2],
        ("d", "others", "{}"): [0.2, pytest.approx(0.02), 2],
        ("e", "others", "{}"): [0.4, pytest.approx(0.04), 2],
        ("d", "classes", '{"features":"raw"}'): [0.1, pytest.approx(0.04), 2],
        ("e", "classes", '{"features":"raw"}'): [0.1, pytest.approx(0.08), 2],
    }


def test_a_data_set_on_which_nothing_ran_is_a_row(tmp_path):
    run = made_up_run({"d": {"mine": [NAN, NAN]}}, tmp_path)
    (row,) = scores(replace(run, values=run.values.assign(labels="", measure=None))).itertuples()
    assert (row.data, row.n, row.status, row.reason) == ("d", 0, "error", "it broke")


def silhouettes(**by_setting):
    rows = [
        {
            "data": "d",
            "labels": "l",
            "method": "m",
            "setting": setting,
            "measure": measure,
            "value": value * factor,
        }
        for setting, values in by_setting.items()
        for measure, factor in (("ari", -1), ("silhouette", 1))
        for value in values
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("by_setting", "chosen"),
    [
        ({"a": [0.1, 0.2], "b": [0.3, 0.4]}, "b"),  # by the silhouette, not by labels
        ({"a": [-0.5, -0.1], "b": [-0.6, 0.1]}, "b"),  # by its mean
        ({"a": [0.3, 0.3], "b": [0.3, 0.3]}, "a"),  # of equals the first
        ({"a": [0.9, NAN], "b": [0.1, 0.1]}, "b"),  # by failures before all
        ({"a": [NAN, NAN], "b": [-1.0, NAN]}, "b"),
        ({"a": [NAN, NAN], "b": [NAN, NAN]}, "a"),
    ],
)
def test_the_setting_that_counts_is_that_of_the_best_silhouette(by_setting, chosen):
    assert choose(silhouettes(**by_setting), "silhouette") == {("d", "l", "m"): chosen}


def test_settings_are_chosen_for_each_data_set_labelling_and_method():
    best = silhouettes(a=[0.1], b=[0.2])
    parts = [best]
    for column in ("data", "labels", "method"):
        parts.append(silhouettes(a=[0.4], b=[0.3]).assign(**{column: "other"}))
    found = choose(pd.concat(parts), "silhouette")
    assert found == {
        **{("d", "l", "m"): "b"},
        **{("other", "l", "m"): "a", ("d", "other", "m"): "a", ("d", "l", "other"): "a"},
    }
