"""Which rows of a table stand for running their cells again."""

import dataclasses
import os

import pytest

from cladebench import datasets
from cladebench.bench.provenance.provenance import collect
from cladebench.bench.run import kept_rows
from cladebench.bench.run.kept_rows import ANY_CODE, SAME_CODE, judge
from cladebench.bench.run.run_cell import not_applicable_record, run_cell
from cladebench.bench.store.cells_table import as_table, nullable_types, rows_of
from cladebench.datasets.settings import OFFLINE

CODE = {
    "sources": ("code_digest", "0" * 64, "other sources, which any-code keeps"),
    "core": ("core_build", "0" * 64, "another core, which any-code keeps"),
    "libraries": (
        "versions",
        '{"numpy":"1.0.0","python":"3.11.1"}',
        "other versions of libraries, which any-code keeps",
    ),
    "no libraries": ("versions", "[]", "other versions of libraries, which any-code keeps"),
}
ROWS = {
    "seed": ("seed", 1, "another seed"),
    "repetition": ("repetition", 77, "another place in the plan"),
    "setting": ("setting", '{"n":3}', "another place in the plan"),
    "estimator": ("estimator", "KMeans", "another estimator"),
    "params": ("params", '{"n_init":77}', "other parameters"),
    "data": ("data_sha256", "0" * 64, "other data"),
    "kind": ("data_kind", "real", "other data"),
    "stand-in": ("stand_in_for", "iris", "other data"),
    "no data": ("data_sha256", None, "no data"),
    "task": ("task", "0" * 64, "another task"),
    "no task": ("task", None, "no task"),
    "fold": ("fold", 3, "another task"),
    "status": ("status", "not_applicable", "another status than the plan's"),
    "value": ("value", float("nan"), "a value that its measure does not allow"),
    "no value": ("value", None, "a value that its measure does not allow"),
    "metric": ("metric", "no such metric", "a value that its measure does not allow"),
    "no metric": ("metric", None, "a value that its measure does not allow"),
}


@pytest.fixture(scope="module")
def now():
    return kept_rows._made_with("toy_paper", "good")


@pytest.fixture
def made(jobs, now, monkeypatch):
    """Two cells that are run, one that is not, and their rows."""
    job = dataclasses.replace(
        jobs["good"],
        cells=(*jobs["good"].cells[:2], *jobs["skipped"].cells[:1]),
        methods=(*jobs["good"].methods, *jobs["skipped"].methods),
    )
    monkeypatch.setattr(kept_rows, "_made_with", lambda package, estimator: now)
    provenance = {**collect(now["sources"]), "versions": {**now["versions"], "cladebench": "0"}}
    rows = []
    for cell in job.cells:
        method = job.method_of(cell.spec)
        if cell.not_applicable:
            record = not_applicable_record(cell.spec, method, provenance, cell.not_applicable)
        else:
            record, _ = run_cell(cell.spec, method, "toy_paper", provenance)
        rows += rows_of(record)
    for row in rows:
        row.pop("_order")
    return job, as_table(rows).to_pandas(types_mapper=nullable_types)


def test_the_first_cell_of_each_fault_is_named():
    found = kept_rows.KeptRows(frozenset(), {"a": "one", "b": "one", "c": "two", "d": "two"}, frozenset())
    assert found.said == "2 runs with one (first a), 2 runs with two (first c)"


def changed(table, cell, column, value):
    values = table[column].astype(object)
    values[(table["cell_id"] == cell).to_numpy()] = value
    return table.assign(**{column: values.astype(table[column].dtype)})


@pytest.mark.parametrize("code", [SAME_CODE, ANY_CODE])
def test_rows_of_what_there_is_now_count(made, code):
    job, table = made
    found = judge(table, [job], code)
    assert found.cells == {cell.spec.cell_id for cell in job.cells} and len(found.cells) == 3
    assert (found.faults, found.said, found.other_code, found.notes("x")) == ({}, "", set(), [])


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("code", [SAME_CODE, ANY_CODE])
def test_rows_that_no_run_of_now_would_give_do_not(made, kind, code):
    job, table = made
    column, value, reason = ROWS[kind]
    first, second, third = (cell.spec.cell_id for cell in job.cells)
    found = judge(changed(table, second, column, value), [job], code)
    assert found.cells == {first, third} and dict(found.faults) == {second: reason}
    assert found.said == f"1 run with {reason} (first {second})"


def test_one_row_among_many_is_enough(made):
    job, table = made
    first = job.cells[0].spec.cell_id
    at = table.index[table["cell_id"] == first][-1]
    table.loc[at, "seed"] += 1
    assert dict(judge(table, [job]).faults) == {first: "another seed"}


@pytest.mark.parametrize("kind", CODE)
def test_rows_of_other_code_count_where_that_is_said_and_are_told(made, kind):
    job, table = made
    column, value, reason = CODE[kind]
    cell = job.cells[0].spec.cell_id
    other = changed(table, cell, column, value)
    assert dict(judge(other, [job]).faults) == {cell: reason}
    found = judge(other, [job], ANY_CODE)
    assert cell in found.cells and not found.faults and found.other_code == {cell}
    assert found.notes("x") == ["x: 1 run of other code counts"]


def test_a_value_out_of_the_range_of_its_measure_does_not_count(made):
    """But for rounding, as in records."""
    job, table = made
    cell = job.cells[0].spec.cell_id
    purity = changed(table[table["metric"] != "objective"], cell, "metric", "dendrogram_purity")
    for value, counts in ((1.0, True), (1 + 1e-7, True), (1.1, False), (-0.1, False)):
        assert (cell in judge(changed(purity, cell, "value", value), [job]).cells) is counts


def test_a_cell_that_the_plan_leaves_out_has_the_plan_s_reason(made):
    job, table = made
    cell = job.cells[2].spec.cell_id
    found = judge(changed(table, cell, "reason", "another"), [job])
    assert dict(found.faults) == {cell: "another reason than the plan's"}


def test_a_cell_that_failed_before_it_had_data_needs_none(made):
    job, table = made
    cell = job.cells[0].spec.cell_id
    failed = table.drop_duplicates("cell_id")
    for column, value in {"status": "error", "metric": None, "value": None, "task": None}.items():
        failed = changed(failed, cell, column, value)
    assert cell in judge(failed, [job]).cells
    for column in ("data_sha256", "data_kind", "stand_in_for"):
        failed = changed(failed, cell, column, None)
    assert cell in judge(failed, [job]).cells


def test_data_that_are_away_were_there_when_the_row_was_made(made, monkeypatch):
    """They are not sought in the network; those that are damaged are others."""
    job, table = made
    cell = job.cells[0].spec.cell_id
    other = changed(table, cell, "data_sha256", "0" * 64)
    asked, errors = [], []

    def load(name, draw):
        asked.append(os.environ[OFFLINE])
        raise errors[-1]("away")

    monkeypatch.setattr(datasets, "load", load)
    for before in (None, "0"):
        if before is not None:
            monkeypatch.setenv(OFFLINE, before)
        else:
            monkeypatch.delenv(OFFLINE, raising=False)
        errors.append(datasets.DataUnavailable)
        assert cell in judge(other, [job]).cells
        errors.append(datasets.DatasetError)
        assert judge(other, [job]).faults[cell] == "other data"
        assert os.environ.get(OFFLINE) == before
    assert set(asked) == {"1"}


def test_a_block_of_the_test_rows_has_a_task_of_its_own():
    class Task:
        digest, fold, blocks = "d", None, ((0, 1), (2,))

    tasks = kept_rows._tasks(Task)
    assert {fold for fold, _ in tasks} == {None, 0, 1} and len({digest for _, digest in tasks}) == 3
    assert (1, kept_rows.block_task("d", 1, 2)) in tasks and (None, "d") in tasks
