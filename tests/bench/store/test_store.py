import hashlib
import json
import os

import numpy as np
import pytest

from cladebench.bench.plan.cell_spec import STATUSES, CellSpec, Limits
from cladebench.bench.store.store import ArraysLost, RecordError, Store
from cladebench.files import remove, write_atomically
from cladebench.input_files import validator
from run_records import record


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
