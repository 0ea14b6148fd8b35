import hashlib
import json
import os
import re

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from cladebench.bench.plan.cell_spec import STATUSES, CellSpec, Limits, MethodPlan
from cladebench.bench.run.run_cell import blank_record
from cladebench.bench.store.cells_faults import _where_changed
from cladebench.bench.store.cells_table import COLUMNS, papers_in, read_cells
from cladebench.bench.store.store import ArraysLost, RecordError, Store
from cladebench.files import remove, write_atomically
from cladebench.input_files import InputFileError, validator
from cladebench.measures import Measure

PROVENANCE = {
    "git_commit": "abc",
    "git_dirty": False,
    "core_build": "b",
    "code_digest": "c",
    "versions": {"numpy": "1"},
    "machine": {"cpu": "x"},
}
DATA = {"kind": "stand-in", "source": "mirror", "stand_in_for": "glass", "content_sha256": "5", "files": {}}


def record(alpha=1, repetition=0, status="ok", **changes):
    spec = CellSpec("p", "d", "m", {"alpha": alpha}, repetition, 7, Limits(10, 100))
    base = blank_record(spec, MethodPlan("m", "E", {"beta": 2}), PROVENANCE)
    base.update(
        status=status, data=DATA, key="0" * 64, cpu_seconds=1.5, wall_seconds=2.0, peak_memory_mb=50.0
    )
    if status == "ok":
        base.update(
            readings=[
                {"at": {}, "metrics": {"b": 2.5, "a": 1.0}},
                {"at": {"k": 10}, "metrics": {"near": 0.5}},
                {"at": {"k": 9.0}, "metrics": {"near": 0.25}},
            ],
            drawn={"digest": "d" * 64, "rows": 30, "train": 20, "test": 10},
            details={"converged": True, "iterations": 4, "tolerance": 1e-3},
        )
    else:
        base.update(reason="because", data=None, key=None)
    return {**base, **changes}


def table_of(store, cell_ids=None):
    store.write_parquet(store.root / "cells.parquet", cell_ids)
    return read_cells(store.root / "cells.parquet")


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


def test_arrays_come_back_and_have_stable_bytes(tmp_path):
    store, item = Store(tmp_path), record()
    cell_id = item["cell_id"]
    arrays = {
        "x": np.arange(6.0).reshape(2, 3),
        "empty": np.zeros((0, 2), dtype=np.int32),
        "scalar": np.array(True),
    }
    store.write_arrays(cell_id, arrays)
    before = store.path(cell_id, ".npz").read_bytes()
    digest = store.write_arrays(cell_id, dict(reversed(arrays.items())))
    assert store.path(cell_id, ".npz").read_bytes() == before
    store.write_record({**item, "arrays": sorted(arrays), "arrays_sha256": digest})
    back = store.load_arrays(cell_id)
    assert list(back) == store.read_record(cell_id)["arrays"] == ["empty", "scalar", "x"]
    assert all(np.array_equal(back[k], v) and back[k].dtype == v.dtype for k, v in arrays.items())


def test_arrays_that_need_pickle_are_neither_written_nor_read(tmp_path):
    store, cell_id = Store(tmp_path), record()["cell_id"]
    with pytest.raises(ValueError):
        store.write_arrays(cell_id, {"x": np.array([{}])})
    store.write_record(record())
    with pytest.raises(RecordError, match="has no arrays"):
        store.load_arrays(cell_id)
    path = store.path(cell_id, ".npz")
    np.savez(path, x=np.array([{}]))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    store.write_record(record(arrays=["x"], arrays_sha256=digest))
    with pytest.raises(ValueError, match="allow_pickle"):
        store.load_arrays(cell_id)


class Planned:
    spec = CellSpec("p", "d", "m", {"alpha": 1}, 0, 7, Limits(10, 100))


@pytest.fixture
def with_arrays(tmp_path):
    """A store with one record and its arrays, the record, and the arrays' file."""
    store, item = Store(tmp_path), record()
    digest = store.write_arrays(item["cell_id"], {"x": np.arange(100.0)})
    item |= {"arrays": ["x"], "arrays_sha256": digest}
    store.write_record(item)
    return store, item, store.path(item["cell_id"], ".npz")


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_job_is_forgotten_for_what_breaks_the_schema_unless_damage_alone_is_asked_for(tmp_path):
    store, item = Store(tmp_path), record()
    store.write_record(item)
    store.job_path("job").parent.mkdir(parents=True, exist_ok=True)
    store.job_path("job").write_text("{}")
    store.path(item["cell_id"]).write_text(json.dumps(item | {"status": "fine"}))
    assert store.forget_damaged("job", [item["cell_id"]], thoroughly=False) == []
    assert store.job_path("job").exists()
    assert len(store.forget_damaged("job", [item["cell_id"]])) == 1
    assert not store.job_path("job").exists()
    assert store.forget_damaged("job", [item["cell_id"]]) == []  # it has none to forget


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.unlink(), "are gone"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "are damaged"),
        (flip, "are damaged"),
        (lambda path: np.savez(path, x=np.arange(100.0)), "are damaged"),
        (lambda path: (path.unlink(), path.mkdir()), "cannot be read: Is a directory"),
    ],
    ids=["gone", "short", "one bit", "others", "folder"],
)
def test_arrays_that_are_not_those_of_the_record_are_noticed(with_arrays, damage, words):
    store, item, path = with_arrays
    assert store.arrays_fault(item) is None and store.load_arrays(item["cell_id"])["x"][99] == 99
    assert store.ledger([Planned()]).status.tolist() == ["ok"]
    damage(path)
    fault = store.arrays_fault(item)
    assert fault.startswith(f"{path}: the arrays of {item['cell_id']} ") and fault.endswith(words)
    with pytest.raises(ArraysLost, match=words):
        store.load_arrays(item["cell_id"])
    (row,) = store.ledger_rows([Planned()])
    assert (row["status"], row["reason"]) == ("missing", fault)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "fine"},
        {"readings": []},
        {"readings": [{"at": {}, "metrics": {}}]},
        {"readings": [{"at": {}, "metrics": {"a": "high"}}]},
        {"readings": [{"at": {"k": [1]}, "metrics": {"a": 1.0}}]},
        {"readings": [{"metrics": {"a": 1.0}}]},
        {"drawn": None},
        {"fold": -1},
        {"extra": 1},
        {"key": None},
        {"status": "error", "reason": None, "readings": []},
        {"status": "error", "reason": "x", "readings": [{"at": {}, "metrics": {"a": 1.0}}]},
        {"arrays": ["x"]},
        {"arrays_sha256": "0" * 64},
        {"details": {"iterations": 10**30}},
        {"details": {"iterations": -(2**63) - 1}},
        {"details": {"converged": "yes"}},
        {"details": {"tolerance": "small"}},
    ],
)
def test_records_are_checked_when_written(tmp_path, changes):
    with pytest.raises(ValueError, match="record p/d/m/"):
        Store(tmp_path).write_record(record(**changes))
    assert not list(tmp_path.rglob("*.json"))


def test_a_record_without_arrays_removes_those_of_an_earlier_run(tmp_path):
    store = Store(tmp_path)
    store.write_arrays(record()["cell_id"], {"x": np.zeros(1)})
    store.write_record(record(status="error"))
    assert not list(tmp_path.rglob("*.npz"))


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", '{"cell_id": "p/d/m/s/0"}', "[" * 100_000, '{"a": ' * 900 + "1" + "}" * 900, "\0" * 500],
)
def test_a_damaged_record_counts_as_missing(tmp_path, damage):
    store, item = Store(tmp_path), record()
    store.write_record(item)
    store.path(item["cell_id"]).write_text(damage)
    with pytest.raises(RecordError):
        store.read_record(item["cell_id"])
    assert store.ledger([Planned()]).status.tolist() == ["missing"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file.json"
    write_atomically(path, b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["file.json"]


def test_records_on_disk_are_plain_json(tmp_path):
    store = Store(tmp_path)
    store.write_record(record())
    first = json.loads(store.path(record()["cell_id"]).read_text())["readings"][0]
    assert first == {"at": {}, "metrics": {"a": 1.0, "b": 2.5}}


def test_the_schema_knows_the_statuses():
    assert tuple(validator("record").schema["properties"]["status"]["enum"]) == STATUSES


def test_records_come_in_the_order_of_their_files(tmp_path):
    store = Store(tmp_path)
    for repetition in (2, 0, 1):
        store.write_record(record(repetition=repetition))
    assert [found["repetition"] for found in store.iter_records()] == [0, 1, 2]
    asked = [record(repetition=repetition)["cell_id"] for repetition in (1, 7, 0)]
    assert [found["repetition"] for found in store.iter_records(asked)] == [1, 0]


def test_what_is_removed_is_gone_with_its_arrays(tmp_path, with_arrays):
    store, item, path = with_arrays
    store.remove(item["cell_id"])
    assert not path.exists() and list(store.iter_records()) == []
    store.remove(item["cell_id"])  # and may be gone before


def test_the_ledger_of_no_runs_has_its_columns(tmp_path):
    assert {"cell_id", "status", "reason"} < set(Store(tmp_path).ledger([]).columns)


def test_the_ledger_tells_what_was_planned_and_what_was_done(tmp_path, with_arrays):
    store, item, path = with_arrays
    path.unlink()
    ledger = store.ledger([Planned])
    assert ledger.to_dict("records") == [
        {
            **{"cell_id": item["cell_id"], "paper": "p", "dataset": "d", "method": "m", "repetition": 0},
            **{"setting_id": item["setting_id"], "fold": None, "status": "missing"},
            "reason": f"{path}: the arrays of {item['cell_id']} are gone",
        }
    ]
    store.write_record(record(status="timeout", reason="10 s"))
    assert store.ledger([Planned])[["status", "reason"]].to_numpy().tolist() == [["timeout", "10 s"]]
    store.remove(item["cell_id"])
    ((status, reason),) = store.ledger([Planned])[["status", "reason"]].to_numpy().tolist()
    assert status == "missing" and reason.endswith("there is no record")


def test_a_record_must_be_of_the_cell_whose_place_it_has(tmp_path):
    store, item = Store(tmp_path), record()
    for change in (
        {"paper": "q"},
        {"method": "n"},
        {"repetition": 1},
        {"fold": 0},
        {"cell_id": "../d/m/s/0", "paper": ".."},
        {"cell_id": record(2)["cell_id"], "setting_id": record(2)["setting_id"]},
    ):
        store.write_record(item)
        store.path(item["cell_id"]).write_text(json.dumps(item | change))
        with pytest.raises(RecordError, match="the record is of another run"):
            store.read_record(item["cell_id"])


@pytest.mark.parametrize("change", [{"setting": {"alpha": 10**400}}, {"params": {"a": "\ud800"}}])
def test_a_record_that_no_table_can_hold_is_damaged(tmp_path, change):
    store, item = Store(tmp_path), record()
    store.write_record(item)
    store.path(item["cell_id"]).write_text(json.dumps(item | change))
    (fault,) = store.damaged([item["cell_id"], record(2)["cell_id"]], thoroughly=True)
    assert str(fault).startswith(f"{store.path(item['cell_id'])}: the record cannot be read: ")
    with pytest.raises(RecordError):
        store.write_parquet(tmp_path / "cells.parquet")


def other_things(path):
    """A folder with a file in it, a FIFO, and a link to nowhere at a path, one after the other."""
    for make in (
        lambda: ((path / "x").mkdir(parents=True), (path / "x" / "y").write_text("")),
        lambda: os.mkfifo(path),
        lambda: path.symlink_to(path.parent / "nowhere"),
    ):
        make()
        yield
        remove(path)


@pytest.mark.timeout(60)  # a FIFO is waited for
@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_what_is_no_file_is_a_damaged_record_and_makes_way(tmp_path, suffix):
    store, item = Store(tmp_path), record()
    item |= {"arrays": ["x"], "arrays_sha256": store.write_arrays(item["cell_id"], {"x": np.zeros(1)})}
    path = store.path(item["cell_id"], suffix)
    path.unlink(missing_ok=True)
    for _ in other_things(path):
        if suffix == ".json":
            assert list(store.damaged([item["cell_id"]], thoroughly=True)) or path.is_symlink()
            # A cell that has just run put it there, unless it is a link.
            said = store.misplaced(item["cell_id"])
            assert path.is_symlink() if said is None else said.endswith("in the place of its record")
            with pytest.raises(RecordError):
                store.read_record(item["cell_id"])
        else:
            assert store.arrays_fault(item)
        store.write_record(record(status="error"))
        assert store.read_record(item["cell_id"])["status"] == "error" and not list(tmp_path.rglob("*.npz"))
        store.remove(item["cell_id"])
        assert store.misplaced(item["cell_id"]) is None
    for _ in other_things(path):
        store.remove(item["cell_id"])
        assert not os.path.lexists(path)


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
