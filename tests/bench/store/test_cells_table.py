"""The table of runs: its rows and types, parts of it, what it refuses."""

import re

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from cladebench.bench.plan.cell_spec import CellSpec, Limits
from cladebench.bench.store.cells_faults import _where_changed
from cladebench.bench.store.cells_table import COLUMNS, papers_in, read_cells
from cladebench.bench.store.store import RecordError, Store
from cladebench.input_files import InputFileError
from cladebench.measures import Measure
from run_records import record, table_of


def test_the_table_is_long_sorted_and_typed(tmp_path):
    store = Store(tmp_path)
    for item in (record(10), record(9, 1, "timeout"), record(9)):
        store.write_record(item)
    table = table_of(store)
    assert list(table.columns) == list(COLUMNS)
    columns = (table[name].astype(object) for name in ("setting", "repetition", "metric", "at"))
    shown = [tuple(None if pd.isna(x) else x for x in row) for row in zip(*columns, strict=True)]
    finished = [("a", "{}"), ("b", "{}"), ("near", '{"k":9}'), ("near", '{"k":10}')]
    assert shown == [
        *(('{"alpha":9}', 0, *found) for found in finished),
        ('{"alpha":9}', 1, None, "{}"),
        *(('{"alpha":10}', 0, *found) for found in finished),
    ]
    good, failed = table.iloc[0], table.iloc[4]
    assert (good["value"], good["converged"], good["iterations"], good["tolerance"]) == (1.0, True, 4, 1e-3)
    assert (good["data_kind"], good["data_source"], good["stand_in_for"]) == ("stand-in", "mirror", "glass")
    assert (good["params"], good["estimator"], good["git_commit"]) == ('{"alpha":9,"beta":2}', "E", "abc")
    assert (failed["status"], failed["reason"]) == ("timeout", "because") and np.isnan(failed["value"])
    assert (good["task"], good["n_rows"], good["n_train"], good["n_test"]) == ("d" * 64, 30, 20, 10)
    assert failed[["task", "n_rows", "n_train", "n_test", "fold"]].isna().all()
    assert str(table["iterations"].dtype) == "Int64" and str(table["converged"].dtype) == "boolean"


def test_blocks_have_rows_of_their_own_and_tasks_to_be_paired_by(tmp_path):
    store = Store(tmp_path)
    readings = [
        {"at": {}, "metrics": {"cost": 3.0}},
        *({"at": {}, "metrics": {"score": float(block)}, "block": block} for block in (1, 0)),
    ]
    for alpha in (1, 2):
        one = record(alpha)
        one |= {"readings": readings, "task": {"split": "official", "blocks": 2}}
        store.write_record(one)
    table = table_of(store)
    assert table["fold"].fillna(-1).tolist() == [-1, 0, 1] * 2
    assert table["value"].tolist() == [3.0, 0.0, 1.0] * 2
    tasks = table["task"].tolist()
    assert len(set(tasks)) == 3 and tasks[:3] == tasks[3:]


def test_folds_have_records_and_rows_of_their_own_in_their_order(tmp_path):
    store = Store(tmp_path)
    for fold in (10, 2):
        spec = CellSpec(
            "p", "d", "m", {"alpha": 1}, 3, 7, Limits(10, 100), fold=fold, task={"folds": {"n": 11}}
        )
        changes = {"fold": fold, "cell_id": spec.cell_id, "task": dict(spec.task), "seed": spec.seed}
        store.write_record(record(repetition=3, **changes))
    table = table_of(store)
    assert table.fold.tolist() == [2] * 4 + [10] * 4 and set(table.repetition) == {3}
    assert table.cell_id.str.rpartition("/")[2].unique().tolist() == ["3.2", "3.10"]
    assert len(list(tmp_path.rglob("*.json"))) == 2


def test_only_the_planned_cells_are_read_when_they_are_given(tmp_path):
    store = Store(tmp_path)
    store.write_record(record(1))
    store.write_record(record(2))
    missing = record(3)["cell_id"]
    assert set(table_of(store, [record(2)["cell_id"], missing]).setting) == {'{"alpha":2}'}
    store.write_parquet(tmp_path / "none.parquet", [])
    none = pd.read_parquet(tmp_path / "none.parquet")
    assert none.empty and list(none.columns) == list(COLUMNS)


def test_parquet_has_the_same_bytes_whatever_the_order_of_writing(tmp_path):
    items = [record(10), record(9, 1, "timeout"), record(9)]
    for folder, order in (("one", items), ("two", items[::-1])):
        store = Store(tmp_path / folder)
        for item in order:
            store.write_record(item)
        store.write_parquet(tmp_path / f"{folder}.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_a_part_of_the_table_is_what_the_whole_has_there(tmp_path):
    store, path = Store(tmp_path), tmp_path / "cells.parquet"
    one = record(9)
    other = {**one, "paper": "other", "cell_id": one["cell_id"].replace("p/", "other/", 1)}
    for item in (record(10), record(9, 1, "timeout"), other):
        store.write_record(item)
    store.write_parquet(path)
    whole = read_cells(path)
    assert papers_in(path) == {"p", "other"}
    for paper in papers_in(path):
        rows = whole[whole["paper"] == paper].reset_index(drop=True)
        assert not rows.empty and read_cells(path, paper=paper).equals(rows)
        assert read_cells(path, paper=paper, columns=["value", "cell_id"]).equals(rows[["value", "cell_id"]])
    runs = whole.drop_duplicates("cell_id").reset_index(drop=True)
    assert len(runs) == 3 < len(whole) and read_cells(path, one_row_a_run=True).equals(runs)
    assert read_cells(path, paper="none").empty


@pytest.mark.parametrize("kind", ["large_string", "dictionary", "binary", "null"])
def test_texts_may_be_kept_in_several_ways(tmp_path, kind):
    store, path = Store(tmp_path), tmp_path / "cells.parquet"
    store.write_record(record(1, status="timeout"))
    store.write_parquet(path)
    table, found = pyarrow.parquet.read_table(path), read_cells(path)
    name = "metric" if kind == "null" else "method"
    column = table[name]
    if kind == "dictionary":
        column = column.dictionary_encode()
    elif kind == "null":
        column = pyarrow.nulls(len(column))
    else:
        column = column.cast(pyarrow.type_for_alias(kind))
    pyarrow.parquet.write_table(table.set_column(table.column_names.index(name), name, column), path)
    assert read_cells(path).equals(found) and isinstance(found["method"].dtype, pd.StringDtype)


@pytest.mark.parametrize(
    ("value", "span", "refused"),
    [
        (1.0, (0.0, 1.0), False),
        (1.0 + 5e-7, (0.0, 1.0), False),
        (1.0 + 2e-6, (0.0, 1.0), True),
        (-5e-7, (0.0, 1.0), False),
        (-2e-6, (0.0, 1.0), True),
        (2e6 + 1.0, (-3.0, 2e6), False),  # rounding is relative to a large bound
        (2e6 + 3.0, (-3.0, 2e6), True),
        (-3.0 - 4e-6, (-3.0, 2e6), True),
        (-1e300, (-np.inf, np.inf), False),
        (-0.1, (0.0, np.inf), True),
        (0.1, (-np.inf, 0.0), True),
    ],
)
def test_a_value_outside_the_range_of_its_measure_stops_the_table(tmp_path, value, span, refused):
    store, item, table = Store(tmp_path), record(), tmp_path / "cells.parquet"
    item["readings"] = [{"at": {}, "metrics": {"a": 1e9, "b": value}}]
    store.write_record(item)
    store.write_record(record(2, status="timeout"))  # has neither metric nor value
    measures = {"p": {"a": Measure("a", ""), "b": Measure("b", "", range=span)}}
    if not refused:
        store.write_parquet(table, measures=measures)
        assert sorted(read_cells(table)["value"].dropna()) == sorted([1e9, value])
        return
    said = f"{store.path(item['cell_id'])}: metric 'b' is {value!r}; its measure allows {span[0]:g} to {span[1]:g}"
    with pytest.raises(RecordError, match=re.escape(said)):
        store.write_parquet(table, measures=measures)
    assert not table.exists() and store.read_record(item["cell_id"]) == item
    store.write_parquet(table)
    assert table.exists()


def test_a_row_that_is_ok_without_a_value_is_refused_wherever_it_stands(tmp_path):
    store, table = Store(tmp_path), tmp_path / "cells.parquet"
    store.write_record(record())
    store.write_parquet(table)
    frame = read_cells(table)
    for place in (0, len(frame) - 1):
        frame.assign(value=frame["value"].where(frame.index != place)).to_parquet(table, index=False)
        with pytest.raises(
            InputFileError, match="expected a metric and a finite value where the status is ok"
        ):
            read_cells(table)


def test_a_row_differs_from_the_one_before_also_where_one_of_them_is_empty():
    table = pyarrow.table({"a": [None, None, "x", "x", None, "y", "y"], "row": list(range(7))})
    assert _where_changed(table, ["a"])["row"].to_pylist() == [0, 2, 4, 5]
