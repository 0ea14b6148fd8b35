"""Papers of other shapes than the built-in ones, each a small folder, from plan to verdict and page."""

import json
from pathlib import Path

import pandas as pd
import pytest

from cladebench.bench.store.cells_table import read_cells

TOYS = Path(__file__).parent / "toys"
NAMES = ("toy_distance", "toy_unlabelled", "toy_sets")
MAX_LINES = 80


@pytest.fixture(scope="module")
def toys(tmp_path_factory, snakemake):
    """A finished smoke run of all three: the folder of its results."""
    run = snakemake(tmp_path_factory.mktemp("toys"), list(NAMES), TOYS)
    run.take_certificates()
    run.run()
    return run.folder / "results" / "smoke"


@pytest.mark.parametrize("name", NAMES)
def test_a_paper_takes_few_lines(name):
    files = [path for path in (TOYS / name).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert sum(len(path.read_text().splitlines()) for path in files) <= MAX_LINES


def test_every_claim_has_a_verdict_and_every_paper_a_page(toys):
    assert (toys / "gate.txt").read_text().endswith("gate: passed\n")
    audit = pd.read_csv(toys / "audit.csv").set_index("claim")
    # Each order is so clear on the generated data that any sound comparison must find it.
    assert dict(audit.verdict) == dict.fromkeys(
        ["beats-the-blind/1", "beats-the-blind/9", "compact", "learned"], "reproduced"
    )
    for name in NAMES:
        page = (toys / "report" / f"{name}.html").read_text()
        assert "reproduced" in page and "No cell" not in page


def test_folds_are_shared_by_all_methods_and_read_at_every_point(toys):
    cells = read_cells(toys / "cells.parquet")
    cells = cells[(cells.paper == "toy_distance") & (cells.metric == "accuracy")]
    assert sorted({json.loads(at)["k"] for at in cells["at"]}) == [1, 5, 9]
    by_task = cells.groupby("task").agg(
        methods=("method", "nunique"), repetitions=("repetition", "nunique"), folds=("fold", "nunique")
    )
    assert len(by_task) == 2 * 3 and (by_task == [3, 1, 1]).all(axis=None)
    assert (cells.n_train + cells.n_test == cells.n_rows).all() and set(cells.n_test) == {80}
    # Two repetitions of three folds are no six independent results: the interval must know. The data are drawn anew
    # for each repetition, so that six of the fifteen pairs of results have rows in common.
    audit = {claim["claim"]: claim for claim in json.loads((toys / "audit.json").read_text())["claims"]}
    claim = audit["beats-the-blind/9"]
    behind = tuple(pattern.removesuffix("*") for pattern in claim["cells"])
    read = cells[(cells["at"] == '{"k":9}') & cells.cell_id.map(lambda name: name.startswith(behind))]
    values = read.pivot(index="task", columns="method", values="value")
    gaps = values["plain"] - values["blind"]
    assert claim["n"] == 6 and claim["measured"] == pytest.approx(gaps.mean())
    correlation = 6 / 15 * 80 / 240
    half = 2.5706 * gaps.std() * (1 / 6 + correlation / (1 - correlation)) ** 0.5
    assert claim["high"] - claim["measured"] == pytest.approx(half, rel=1e-3)


def test_a_setting_is_chosen_on_an_inner_split_and_judged_on_the_rows_held_out(toys):
    cells = read_cells(toys / "cells.parquet")
    cells = cells[(cells.paper == "toy_distance") & (cells.method == "blind") & (cells["at"] == '{"k":5}')]
    means = cells.pivot_table(index="setting_id", columns="metric", values="value")
    audit = pd.read_csv(toys / "audit.csv").set_index("claim")
    row = audit.loc["beats-the-blind/1"]
    assert (row.selection, row.selection_beside) == ("inner", "best")
    assert f"/blind/{means.inner_accuracy.idxmax()}/" in row.cells
    assert f"/blind/{means.accuracy.idxmax()}/" in row.cells_beside
    assert len(means) == 2


def test_data_without_labels_and_problems_of_several_sets_have_tasks_too(toys):
    cells = read_cells(toys / "cells.parquet")
    unlabelled = cells[cells.paper == "toy_unlabelled"]
    assert set(unlabelled.n_rows) == {100} and unlabelled.groupby("repetition").task.nunique().eq(1).all()
    sets = cells[cells.paper == "toy_sets"]
    assert set(sets["at"]) == {'{"set":0}', '{"set":1}'} and set(sets.n_rows) == {0}
    # Each repetition is another draw of the data, and all methods meet the same.
    assert sets.task.nunique() == sets.data_sha256.nunique() == 4
    assert sets.groupby("task").method.nunique().eq(2).all()


def test_the_setting_was_chosen_without_labels(toys):
    table = json.loads((toys / "tables" / "toy_unlabelled" / "settings.json").read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert [(row["method"], row["setting"]) for row in rows] == [("kmeans", "n_clusters: 4")]
