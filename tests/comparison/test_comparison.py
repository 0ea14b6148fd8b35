"""A comparison from its file to its page: failures are rows, scores are right, stale runs are made again."""

import json
import re
import shutil
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

from cladebench.bench.statistics.run_scores import COLUMNS
from cladebench.bench.store.store import Store
from cladebench.comparison.as_plan import WHOLE, read_plan
from cladebench.comparison.records import collect
from cladebench.comparison.records import scores as scores_of
from cladebench.input_files import InputFileError
from cladebench.workflow.comparison_jobs import jobs_of
from comparison_runs import run_all
from page_sizes import BROWSER, measure_pages, too_large
from page_tags import Page


@pytest.fixture(scope="module")
def scores(finished):
    return pd.read_csv(finished / "scores.csv", keep_default_na=False, na_values=[""])


def row(scores, method, measure="ari", data="patients"):
    found = scores[(scores.method == method) & (scores.measure == measure) & (scores.data == data)]
    assert len(found)
    return found.iloc[0]


def test_the_columns_are_those_that_were_promised(finished, scores):
    assert list(scores.columns) == list(COLUMNS)
    differences = pd.read_csv(finished / "differences.csv")
    assert list(differences.columns) == [
        *("data", "method", "rival", "measure", "difference", "low", "high", "p", "p_adjusted", "verdict")
    ]


@pytest.mark.parametrize(
    ("method", "status", "reason"),
    [
        ("Short", "error", "labels of shape (17,); expected (18,)"),
        ("Floats", "error", "float64; expected whole numbers"),
        ("Dies", "error", "killed by SIGKILL"),
        ("nowhere.Method", "not_applicable", "nowhere is not installed"),
    ],
)
def test_a_bad_method_is_a_row_with_status_and_reason(scores, method, status, reason):
    found = row(scores, method.rpartition(".")[2])
    assert (found.status, found.n) == (status, 0) and reason in found.reason


@pytest.mark.parametrize("method", ["Loud", "Writes", "Forks"])
def test_prints_writes_and_forks_do_no_harm(scores, method):
    assert row(scores, method)["mean"] == row(scores, "Mine")["mean"] or row(scores, method).n == 2


def test_random_methods_are_always_in_and_near_chance(scores):
    assert abs(row(scores, "RandomClusters")["mean"]) < 0.3
    assert abs(row(scores, "RandomTree", "dasgupta_ratio")["mean"] - 1) < 0.15


def test_separated_groups_are_found_within_the_range(scores):
    found = row(scores, "Mine")
    assert found["mean"] > 0.8 and found.high <= 1 and found.chance == 0
    tree = row(scores, "Linked", "dendrogram_purity")
    assert 0 < tree.chance < tree["mean"] <= 1


def test_distances_go_to_classes_that_take_them_alone(scores):
    assert row(scores, "BirchTree", "silhouette", "travel").status == "not_applicable"
    assert row(scores, "Agglomerative", "silhouette", "travel")["mean"] > 0.5
    settings = scores[(scores.method == "AgglomerativeClustering") & (scores.data == "travel")].setting
    assert {json.loads(text)["linkage"] for text in settings} == {"average"}
    assert row(scores, "AgglomerativeClustering", "silhouette", "travel")["mean"] > 0.5


def test_labels_have_no_part_where_there_are_none(scores):
    plain = scores[scores.data == "plain"]
    assert not set(plain.measure) & {"ari", "ami", "dendrogram_purity"}
    assert row(scores, "Mine", "agreement", "plain")["mean"] > 0.7


def test_the_setting_of_the_best_silhouette_counts(finished):
    run = collect(finished)
    silhouettes = run.values[run.values.measure == "silhouette"].dropna(subset="value")
    means = silhouettes.groupby(["data", "method", "setting"]).value.mean()
    for (data, _, method), setting in run.chosen.items():
        if (data, method) in means.index.droplevel("setting"):
            assert means[data, method][setting] == means[data, method].max()


def test_the_page_holds_all_and_leads_to_its_cells(finished):
    text = (finished / "index.html").read_text(encoding="utf-8")
    tags = Page(text)
    assert "A &lt;small&gt; comparison" in text and "<small> comparison" not in text
    assert all(source.startswith("data:") for source in tags.resources) and tags.resources
    records = {name for name in tags.files() if name.startswith("cells/")}
    assert tags.lost() == []
    assert tags.files() - records == {"scores.csv", "differences.csv", "scores.tex", "runs.csv"}
    assert all((finished / unquote(name)).exists() for name in tags.files())
    assert {"cells/comparison/patients/Mine/", "cells/comparison/patients/Dies/"} <= records
    whole = {name.split("/")[2:4] == ["patients.all", "Mine"] for name in records if name.endswith(".json")}
    assert True in whole and "Dies" not in text.partition("Runs on all rows")[2].partition("</table>")[0]
    assert "killed by SIGKILL" in text and "Unsteady" in text.partition("other clusters: ")[2][:60]


def test_each_run_is_listed_with_its_scores_and_its_record(finished, scores):
    runs = pd.read_csv(finished / "runs.csv", keep_default_na=False, na_values=[""])
    records = [json.loads((finished / name).read_text()) for name in runs.record]
    assert {record["cell_id"] for record in records} == {
        cell.spec.cell_id for job in jobs_of(read_plan(finished)) for cell in job.cells
    }
    assert [record["status"] for record in records] == list(runs.status)
    own = runs[(runs.data == "patients") & (runs.method == "Mine") & (runs.draw != "all")]
    assert own.ari.mean() == pytest.approx(row(scores, "Mine")["mean"]) and len(own) == 2


def test_the_page_says_how_many_settings_each_method_had(finished):
    text = (finished / "index.html").read_text(encoding="utf-8").partition("Choice of settings")[2]
    said = text.partition("Settings on a data set: ")[2].partition(".</p>")[0]
    first, second = said.split("; ")
    assert first == "1 to 2 for AgglomerativeClustering"  # distances take no Ward
    assert second.startswith("1 for ") and {"Agglomerative", "BirchTree", "Mine"} <= set(
        second.removeprefix("1 for ").split(", ")
    )
    assert "Random" not in said and "nowhere" not in said


def test_numbers_of_the_tables_have_nine_digits(finished):
    lines = (finished / "scores.csv").read_text().splitlines()[1:]
    found = [number for line in lines for number in re.findall(r",-?[0-9]*\.([0-9]+)(?=,)", line)]
    assert len(found) > 100 and max(len(digits.lstrip("0")) for digits in found) <= 9


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_the_page_keeps_the_limits_and_fits_a_phone(finished):
    sizes = measure_pages(finished)
    assert set(sizes) == {"index.html"} and too_large(sizes) == []


def test_latex_has_a_row_a_method(finished):
    text = (finished / "scores.tex").read_text()
    assert text.count(r"\\") == len({line.split(" & ")[0] for line in text.splitlines() if " & " in line})
    assert "error" in text


SMALL = (
    "data: {patients: {file: patients.csv, label: diagnosis}}\n"
    'methods: ["other.py:Other"]\nrepetitions: 2\nlimits: {time_s: 20}\n'
)
OTHER = "import beside\nclass Other:\n    def fit(self, X):\n        self.labels_ = beside.cut(X)\n"


def digests(out):
    return {
        cell.spec.cell_id: Store(out).read_record(cell.spec.cell_id)["key"]
        for job in jobs_of(read_plan(out))
        for cell in job.cells
        if cell.spec.method == "Other"
    }


def test_a_method_that_hangs_is_stopped(inputs):
    text = SMALL.replace("other.py:Other", "hangs.py:Hangs").replace("time_s: 20", "wall_s: 2")
    (inputs / "comparison.yaml").write_text(text)
    (inputs / "hangs.py").write_text(
        "import time\n\n\nclass Hangs:\n    def fit(self, X):\n        time.sleep(1000)\n"
    )
    run_all(inputs / "comparison.yaml", inputs / "out")
    table = scores_of(collect(inputs / "out"))
    found = table[table.method == "Hangs"].iloc[0]  # on a busy machine nothing else may end in time either
    assert (found.status, found.n) == ("timeout", 0) and "wall limit" in found.reason


def test_an_edit_of_a_users_module_makes_runs_stale(inputs):
    (inputs / "comparison.yaml").write_text(SMALL)
    (inputs / "other.py").write_text(OTHER)
    (inputs / "beside.py").write_text("def cut(X):\n    return (X[:, 0] > 3).astype(int)\n")
    out = inputs / "out"
    run_all(inputs / "comparison.yaml", out)
    first = digests(out)
    run_all(inputs / "comparison.yaml", out)
    assert digests(out) == first
    (inputs / "beside.py").write_text("def cut(X):\n    return (X[:, 1] > 3).astype(int)\n")
    run_all(inputs / "comparison.yaml", out)
    again = digests(out)
    assert all(again[cell] != key for cell, key in first.items())


def test_a_file_that_changes_between_runs_is_noticed(inputs):
    (inputs / "comparison.yaml").write_text(SMALL.replace('"other.py:Other"', "Agglomerative"))
    out = inputs / "out"
    run_all(inputs / "comparison.yaml", out)
    cells = [cell.spec for job in jobs_of(read_plan(out)) for cell in job.cells]
    paths = [Store(out).path(spec.cell_id) for spec in cells]
    before = [path.read_text() for path in paths]
    collect(out)
    # One run met other data, or those on all rows did.
    for changed in ([True] + [False] * (len(cells) - 1), [spec.dataset.endswith(WHOLE) for spec in cells]):
        for path, text, other in zip(paths, before, changed, strict=True):
            record = json.loads(text)
            if other:
                record["data"]["content_sha256"] = "0" * 64
            path.write_text(json.dumps(record))
        with pytest.raises(InputFileError, match=r"data\.patients: its file changed between runs"):
            collect(out)


def test_lost_pages_come_back_with_equal_values(finished, tmp_path):
    from cladebench.comparison.page import write_page

    shutil.copytree(finished, tmp_path / "copy")
    write_page(tmp_path / "copy")
    for name in ("scores.csv", "differences.csv", "scores.tex", "index.html"):
        assert (tmp_path / "copy" / name).read_bytes() == (finished / name).read_bytes()
    assert np.isfinite(pd.read_csv(finished / "scores.csv")["n"]).all()
