"""From records to tables: each run, labelling and measure, what chance counts, and how far draws agree."""

import json
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from cladebench.bench.store.store import Store
from cladebench.comparison import records as module
from cladebench.comparison.as_plan import WHOLE, read_plan
from cladebench.comparison.records import collect, scores, table_of_runs
from cladebench.comparison.shown_measures import LABELLED, UNLABELLED
from cladebench.workflow.comparison_jobs import jobs_of
from made_up_runs import made_up_run

NAN = float("nan")


def test_only_settings_that_count_are_counted(tmp_path):
    run = made_up_run({"d": {"mine": [0.5], "a": [0.4]}}, tmp_path)
    raw = run.values[run.values["method"] == "mine"].assign(setting="raw", value=0.9)
    both = pd.concat([raw, run.values])
    assert run.counted(both)["value"].tolist() == [0.5, 0.4]
    assert replace(run, chosen={**run.chosen, ("d", "classes", "mine"): "raw"}).counted(both)[
        "value"
    ].tolist() == [*(0.9, 0.4)]
    assert replace(run, chosen={}).counted(both).empty


def test_names_are_those_of_the_file_in_its_order(tmp_path):
    run = made_up_run({"z": {"mine": [0.5], "a": [0.4]}, "y": {"b": [0.1]}}, tmp_path)
    assert (run.names("data"), run.names("method")) == (["z", "y"], ["mine", "a", "b"])


def test_each_labelling_of_a_run_has_its_measures_and_the_memory_of_the_run():
    run = {"method": "m", "setting": "{}", "repetition": 0, "status": "ok", "reason": "", "n_rows": 9}
    run |= {"dataset": "d", "cell_id": "c", "peak_memory_mb": 70.0}
    points = [json.dumps({"labels": name, "k": k}) for name, k in (("one", 2), ("two", 3))]
    good = [
        {**run, "at": at, "metric": metric, "value": value}
        for at, values in zip(points, ((0.1, 0.2), (0.3, 0.4)), strict=True)
        for metric, value in zip(("ari", "ami"), values, strict=True)
    ]
    gone = {
        "status": "error",
        "reason": "it broke",
        "at": "{}",
        "metric": None,
        "value": NAN,
        "peak_memory_mb": 80.0,
    }
    failed = [{**run, **gone, "cell_id": "f"}, {**run, **gone, "cell_id": "e", "dataset": "e" + WHOLE}]
    found = table_of_runs(pd.DataFrame([*good, *failed]))
    columns = ["labels", "k", "measure", "value"]
    assert {*found[found["cell"] == "c"][columns].itertuples(index=False, name=None)} == {
        *(("one", 2, "ari", 0.1), ("one", 2, "ami", 0.2), ("one", 2, "memory_mb", 70.0)),
        *(("two", 3, "ari", 0.3), ("two", 3, "ami", 0.4), ("two", 3, "memory_mb", 70.0)),
    }
    measures = [
        (name, k, measure) for name, k in (("one", 2), ("two", 3)) for measure in ("ari", "ami", "memory_mb")
    ]
    own = found[found["cell"] == "f"]
    assert sorted(own[columns[:3]].itertuples(index=False, name=None)) == sorted(measures)
    assert own["value"].isna().all() and {*own["draw"]} == {"d/0"}
    (alone,) = found[found["cell"] == "e"].itertuples()  # of its data no run ended well
    assert (alone.data, alone.labels, alone.status, alone.is_whole) == ("e", "", "error", True)
    assert pd.isna(alone.measure)


@pytest.fixture(scope="module")
def collected(finished):
    return collect(finished)


@pytest.fixture(scope="module")
def records(finished):
    """Each record, by its cell's id."""
    cells = [cell.spec.cell_id for job in jobs_of(read_plan(finished)) for cell in job.cells]
    return {cell: Store(finished).read_record(cell) for cell in cells}


def test_each_number_of_a_record_is_in_one_row(collected, records):
    expected = set()
    for cell, record in records.items():
        whole = record["dataset"].endswith(WHOLE)
        data, draw = record["dataset"].removesuffix(WHOLE), f"{record['dataset']}/{record['repetition']}"
        setting = json.dumps(record["setting"], sort_keys=True, separators=(",", ":"))
        for reading in record["readings"]:
            at = reading["at"]["labels"], reading["at"]["k"]
            numbers = {**reading["metrics"], "memory_mb": record["peak_memory_mb"]}
            where = data, record["method"], setting, draw, cell, whole
            expected |= {
                (*where, *at, name, pytest.approx(value).expected) for name, value in numbers.items()
            }
    columns = ["data", "method", "setting", "draw", "cell", "is_whole", "labels", "k", "measure", "value"]
    tables = [collected.values[collected.values["measure"] != "agreement"], collected.whole]
    found = pd.concat(table[table["status"] == "ok"] for table in tables)
    assert len(found) == len(expected) and {*found[columns].itertuples(index=False, name=None)} == expected
    assert collected.whole["is_whole"].all() and not collected.values["is_whole"].any()


def test_a_run_that_failed_has_a_row_without_value_for_each_measure_of_its_data(collected, records):
    failed = {cell: record for cell, record in records.items() if record["status"] != "ok"}
    rows = pd.concat([collected.values, collected.whole])
    for cell, record in failed.items():
        own = rows[rows["cell"] == cell]
        others = rows[(rows["data"] == own["data"].iloc[0]) & (rows["status"] == "ok")]
        known = {*others[["labels", "k", "measure"]].itertuples(index=False, name=None)}
        known = {one for one in known if one[2] != "agreement"}
        assert {*own[["labels", "k", "measure"]].itertuples(index=False, name=None)} == known
        assert len(own) == len(known) and own["value"].isna().all()
        assert {*own["status"]} == {record["status"]} and {*own["reason"]} == {record["reason"]}
    assert {"error", "not_applicable"} <= {record["status"] for record in failed.values()}


def test_agreement_is_that_of_neighbouring_draws_on_the_rows_of_both(collected, records, finished):
    rows = collected.values[collected.values["measure"] == "agreement"]
    draws = collected.values[
        (collected.values["measure"] == "n_clusters") & (collected.values["status"] == "ok")
    ]
    expected = {}
    for key, own in draws.groupby(["data", "labels", "method", "setting", "k"]):
        for pair in pairwise(own.sort_values("repetition")["cell"]):
            one, other = (Store(finished).load_arrays(cell) for cell in pair)
            left, right = (
                dict(zip(arrays["rows"], arrays[f"clusters_{key[-1]}"], strict=True))
                for arrays in (one, other)
            )
            both = sorted(left.keys() & right.keys())
            assert 2 <= len(both) < len(left)
            labels = [left[i] for i in both], [right[i] for i in both]
            if any(1 < len({*one}) < len(both) for one in labels):  # else no data could disagree
                expected[*key, " ".join(pair)] = adjusted_rand_score(*labels)
    found = {
        (*key, draw): value
        for *key, draw, value in rows[
            ["data", "labels", "method", "setting", "k", "draw", "value"]
        ].itertuples(index=False, name=None)
    }
    assert found == pytest.approx(expected) and len(rows) == len(expected) > 10
    assert {*rows["status"]} == {"ok"}


def test_two_trivial_clusterings_have_no_agreement_and_one_has(tmp_path, monkeypatch):
    one, two = np.zeros(6, dtype=int), np.array([0, 0, 0, 1, 1, 1])
    draws = [one, two, one, np.arange(6)]
    store = SimpleNamespace(
        load_arrays=lambda cell: {"rows": np.arange(6), "clusters_3": draws[int(cell[-1])]}
    )
    monkeypatch.setattr(module, "Store", lambda folder: store)
    run = made_up_run({"d": {"a": [1.0, 2.0, 1.0, 6.0]}}, tmp_path, measures=["n_clusters"])
    assert module._agreement(run)["value"].tolist() == [0.0, 0.0]


def test_scores_have_the_measures_of_clusters_trees_and_costs_alone(collected):
    measures = {*scores(collected)["measure"].dropna()}
    assert measures == {*LABELLED, *UNLABELLED, "fit_seconds", "memory_mb"}
