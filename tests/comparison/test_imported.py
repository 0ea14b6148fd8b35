"""Scores of other people's runs: shown marked, in no test, never mixed with ours."""

import json
import re

import pandas as pd
import pytest

from cladebench import datasets
from cladebench.comparison import page
from cladebench.comparison.as_plan import as_document
from cladebench.comparison.shown_measures import importable
from cladebench.comparison.spec import read_comparison
from cladebench.input_files import InputFileError
from made_up_runs import made_up_run


def test_a_comparison_names_the_file(inputs):
    text = "data:\n  patients: {file: patients.csv, label: diagnosis}\nscores: their.csv\nmethods: [Agglomerative]\n"
    (inputs / "comparison.yaml").write_text(text)
    with pytest.raises(InputFileError, match=r"their\.csv: cannot be read: No such file"):
        read_comparison(inputs / "comparison.yaml")
    (inputs / "their.csv").write_text("method,data,score\nAgglomerative,patients,0.25\n")
    found = read_comparison(inputs / "comparison.yaml")
    document = as_document(found)
    assert document["imported"]["rows"][0]["measure"] == "ari"
    assert str(inputs) not in json.dumps(document["imported"])
    (inputs / "comparison.yaml").write_text(text.replace("scores: their.csv\n", ""))
    without = as_document(read_comparison(inputs / "comparison.yaml"))
    assert without == document | {"imported": {}}, "the runs are the same"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the page of a made-up run with imported scores."""
    draws = {
        "mine": [0.5, 0.52, 0.51, 0.5],
        "a": [0.3, 0.31, 0.3, 0.29],
        "RandomClusters": [0.0, 0.01, 0.0, 0.0],
    }

    def away(name):
        raise datasets.DatasetError(f"{name} is away")

    monkeypatch.setattr(datasets, "load", away)

    def write(rows, folder="out"):
        measures = ("ari", "ami", "silhouette", "fit_seconds", "memory_mb")
        run = made_up_run({"d": draws, "e": draws}, tmp_path / folder, measures=measures, mine="mine")
        if rows:
            run.document["imported"] = {"file": "their.csv", "sha256": "f" * 64, "rows": rows}
        monkeypatch.setattr(page, "collect", lambda folder: run)
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "plan.json").write_text(json.dumps(run.document))
        return run, page.write_page(tmp_path / folder).read_text(encoding="utf-8")

    return write


THEIRS = [
    {"method": "a", "data": "d", "measure": "ari", "score": 0.9},
    {"method": "<b>", "data": "e", "measure": "ami", "score": 0.8},
]


def test_imported_scores_stand_in_the_table_marked_and_in_no_test(written, tmp_path):
    _, plain = written([], "plain")
    _, text = written(THEIRS)
    first = text.partition('id="partitions"')[2].partition("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', first, re.DOTALL)
    cells = {name: re.sub(r"<.*?>", " ", row) for name, row in rows}
    assert re.findall(r"[\d.]+", cells["a (imported)"])[:1] == ["0.90"]
    assert re.findall(r"[\d.]+", cells["a"])[:1] == ["0.30"], "ours is as it was"
    assert "0.80" in cells["&lt;b&gt; (imported)"]
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids)) and not any(" " in one for one in ids)
    said = text.partition('id="imported">')[2].partition("</p>")[0]
    assert "their.csv" in said and "no interval, and enters no paired test" in said
    assert 'id="imported"' not in plain
    for name in ("differences.csv", "figures/costs.svg"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "plain" / name).read_bytes(), name
    sentences = [
        page_text.partition('<ol class="says">')[2].partition("</ol>")[0] for page_text in (plain, text)
    ]
    assert sentences[0] == sentences[1]
    for heading in ("differences", "ranks"):
        assert "(imported)" not in text.partition(f'id="{heading}"')[2].partition("<h2")[0]


def test_scores_csv_has_a_row_each_with_their_status(written, tmp_path):
    written([], "plain")
    written(THEIRS)
    before, after = (pd.read_csv(tmp_path / name / "scores.csv") for name in ("plain", "out"))
    pd.testing.assert_frame_equal(after.iloc[: len(before)], before, check_dtype=False)
    new = after.iloc[len(before) :]
    assert new["method"].tolist() == ["a (imported)", "<b> (imported)"]
    assert new["n"].tolist() == [1, 1] and new["status"].tolist() == ["imported"] * 2
    assert new["reason"].tolist() == ["their.csv"] * 2
    assert new["mean"].tolist() == [0.9, 0.8] and new["chance"].tolist() == [0, 0]
    assert new[["low", "high"]].isna().all(axis=None)
    assert new["labels"].tolist() == ["classes"] * 2
    assert r"a (imported) & 0.90 & –".replace("–", "--") in (tmp_path / "out" / "scores.tex").read_text()


def test_every_measure_that_may_be_imported_is_shown_by_some_table():
    shown = {*("ari", "ami"), *("dendrogram_purity", "dasgupta_ratio"), *("silhouette", "calinski_harabasz")}
    assert set(importable(True)) == shown
