import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from cladebench import datasets
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.bench.plan.task import draw_task
from cladebench.bench.run import run_cell as cell
from cladebench.bench.run.cell_io import CellOutput, Reading
from cladebench.bench.run.run_cell import cell_key, check_output, load_data, run_cell
from cladebench.input_files import validator

PROVENANCE = {
    "git_commit": None,
    "git_dirty": None,
    "core_build": "b",
    "code_digest": "c",
    "versions": {"python": "3.11.4", "numpy": "1", "cladebench": "1", "pandas": "1"},
    "machine": {},
}


def run(jobs, method, index=0, package="toy_paper"):
    job = jobs[method]
    return run_cell(job.cells[index].spec, job.methods[0], package, PROVENANCE)


def test_a_good_cell_gives_a_complete_plain_record(jobs):
    record, arrays = run(jobs, "good")
    assert validator("record").is_valid(
        record | {"arrays_sha256": "0" * 64}
    )  # whoever stores them fills it in
    (reading,) = record["readings"]
    assert record["status"] == "ok" and reading["at"] == {} and reading["metrics"]["objective"] == 10.0
    data = datasets.load("nested-blobs")
    assert record["drawn"] == {
        "digest": draw_task(jobs["good"].cells[0].spec, data).digest,
        **dict.fromkeys(("rows", "train", "test"), data.n_samples),
    }
    assert record["details"]["curve"] == [None, 1.0] and record["details"]["iterations"] == 3
    assert record["arrays"] == sorted(arrays) == ["labels", "noise"]
    assert record["data"]["content_sha256"] == datasets.load("nested-blobs").content_sha256
    assert record["params"] == {"alpha": 10, "beta": "x"}
    assert record["cpu_seconds"] >= 0 and record["wall_seconds"] > 0 and record["peak_memory_mb"] > 10


def test_a_cell_is_a_pure_function_of_its_specification(jobs):
    for method in ("good", "globals"):
        (first, arrays), (second, again) = run(jobs, method), run(jobs, method)
        assert first["readings"] == second["readings"] and first["key"] == second["key"]
        assert all(np.array_equal(arrays[name], again[name]) for name in arrays)


@pytest.mark.parametrize(
    ("method", "status", "reason"),
    [
        ("bad", "error", "ValueError: a deliberate fault"),
        ("nan", "error", "ValueError: metric 'score' is nan, not a finite number"),
        ("reserve", "out_of_memory", "MemoryError: Unable to allocate 2.00 TiB"),
    ],
)
def test_faults_become_statuses(jobs, capfd, method, status, reason):
    record, arrays = run(jobs, method)
    assert validator("record").is_valid(record)
    assert record["status"] == status and record["reason"].startswith(reason)
    assert record["readings"] == [] and arrays == {}
    assert "Traceback" in capfd.readouterr().err


def test_a_missing_protocol_is_an_error_of_the_cell(jobs):
    record, _ = run(jobs, "good", package="json")
    assert record["status"] == "error" and "json.protocol" in record["reason"]


def test_unavailable_data_are_sought_once(jobs, monkeypatch):
    calls = []

    def load(name, draw):
        calls.append(name)
        raise datasets.DataUnavailable("nested-blobs: in no source")

    monkeypatch.setattr(datasets, "load", load)
    monkeypatch.setattr(cell, "_loaded", {})
    monkeypatch.setattr(cell, "_unavailable", {})
    for index in (0, 1):
        record, _ = run(jobs, "good", index)
        assert (record["status"], record["reason"]) == ("unavailable", "nested-blobs: in no source")
        assert validator("record").is_valid(record)
    assert calls == ["nested-blobs"]


def test_damaged_data_are_an_error_not_an_absence(jobs, monkeypatch):
    def load(name, draw):
        raise datasets.ChecksumMismatch("f", "mirror", "a", "b", "nothing was kept")

    monkeypatch.setattr(datasets, "load", load)
    monkeypatch.setattr(cell, "_loaded", {})
    record, _ = run(jobs, "good")
    assert record["status"] == "error" and "wrong bytes in mirror" in record["reason"]


def test_no_cell_can_alter_the_data_of_another(monkeypatch):
    monkeypatch.setattr("cladebench.bench.run.run_cell._loaded", {})
    data = load_data("nested-blobs", 0)
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 0.0
    assert load_data("nested-blobs", 0) is data


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"score": 1.0}, "must return a CellOutput, got dict"),
        (CellOutput({}), "no metric"),
        (CellOutput(readings=[Reading({}, {"k": 1})]), "no metric"),
        (CellOutput({"b": 1.0}, {"x": np.zeros(1)}), "readings: expected each to be a Reading, got str"),
        (CellOutput(readings=[Reading({"b": float("nan")}, {"k": 1})]), "metric 'b' is nan"),
        (
            CellOutput(readings=[Reading({"b": 1.0}, {"k": 1}), Reading({"b": 2.0}, {"k": 1.0})]),
            """metric 'b' at {"k":1} is read twice""",
        ),
        (CellOutput({"b": 1.0}, readings=[Reading({"b": 2.0})]), "metric 'b' is read twice"),
        (
            CellOutput({"b": 1.0}, readings=[Reading({"b": 2.0}, {"k": 1})]),
            "metric 'b': read at evaluation points and at none",
        ),
        (CellOutput(readings=[Reading({"b": 1.0}, {"k": [1]})]), "evaluation point 'k': "),
        (CellOutput(readings=[Reading({"b": 1.0}, {3: 1})]), "the name of an evaluation point must be text"),
        (CellOutput({"a": 1.0, "b": float("inf")}), "metric 'b' is inf"),
        (CellOutput({"b": None}), "metric 'b' must be a number, got NoneType"),
        (CellOutput({"b": True}), "metric 'b' must be a number, got bool"),
        (CellOutput({"b": 1.0}, arrays={"x": np.array([{}])}), "array 'x': dtype object"),
        (CellOutput({"b": 1.0}, details={"x": object()}), "detail 'x' has no JSON form"),
        (CellOutput({"b": 1.0}, details={"converged": 1}), "detail 'converged' must be true or false, got 1"),
        (CellOutput({"b": 1.0}, details={"iterations": 1.5}), "detail 'iterations' must be a whole number"),
        (CellOutput({"b": 1.0}, details={"tolerance": "small"}), "detail 'tolerance' must be a number"),
        (
            CellOutput({"b": 1.0}, details={"x": {"y": [-(2**63) - 1]}}),
            "detail 'x': a whole number beyond 64 bits",
        ),
        (
            CellOutput({"b": 1.0}, details={"x": ["a\ud800"]}),
            "detail 'x': a text is not valid Unicode at character 1",
        ),
        (CellOutput({"b": 1.0}, details={"x": {"\ud800": 1}}), "detail 'x': a key is not valid Unicode"),
        (CellOutput({"b": 1.0}, details={"\ud800": 1}), "the name of a detail is not valid Unicode"),
        (CellOutput({3: 1.0}), "the name of a metric must be text, got int"),
        (CellOutput({"\udfff": 1.0}), "the name of a metric is not valid Unicode"),
    ],
)
def test_outputs_that_cannot_be_stored_are_refused_by_name(output, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_output(output)


def test_readings_are_kept_in_their_order_and_plain(jobs):
    given = [Reading({"b": 1.0}, {"k": np.int64(5), "width": "wide"}), Reading({"b": 2}, {"k": np.True_})]
    readings, _, _ = check_output(CellOutput({"once": 3}, given))
    assert [(dict(r.at), dict(r.metrics)) for r in readings] == [
        ({}, {"once": 3.0}),
        ({"k": 5, "width": "wide"}, {"b": 1.0}),
        ({"k": True}, {"b": 2.0}),
    ]
    assert type(readings[1].at["k"]) is int and readings[2].at["k"] is True


def test_blocks_are_those_of_the_task():
    given = [Reading({"b": 1.0}, {"k": 1}, block) for block in range(3)]
    assert [r.block for r in check_output(CellOutput({"a": 1.0}, given), 3)[0]] == [None, 0, 1, 2]
    assert len(check_output(CellOutput({}, given[1:]), 4)[0]) == 2
    for readings, n in ((given, 0), (given, 2)):
        with pytest.raises(ValueError, match=rf"""metric 'b' at {{"k":1}}: read in the blocks .* {n}$"""):
            check_output(CellOutput({}, readings), n)
    for readings in (
        [*given, given[0]],
        [*given, Reading({"b": 1.0}, {"k": 1}), Reading({"b": 1.0}, {"k": 1})],
    ):
        with pytest.raises(ValueError, match="is read twice"):
            check_output(CellOutput({}, readings), 3)
    with pytest.raises(ValueError, match="read in the blocks"):
        check_output(CellOutput({}, [*given, Reading({"b": 1.0}, {"k": 1})]), 3)


def test_the_task_of_a_cell_is_drawn_by_its_specification(jobs):
    spec = dataclasses.replace(jobs["good"].cells[0].spec, fold=1, task={"folds": {"n": 3}})
    record, _ = run_cell(spec, jobs["good"].methods[0], "toy_paper", PROVENANCE)
    n = datasets.load("nested-blobs").n_samples
    assert record["status"] == "ok" and record["cell_id"].endswith("/0.1")
    assert (record["fold"], record["task"]) == (1, {"folds": {"n": 3}})
    assert record["drawn"]["rows"] == n == record["drawn"]["train"] + record["drawn"]["test"]
    assert set(record["drawn"]) == {"digest", "rows", "train", "test"}
    linked = dataclasses.replace(spec, fold=None, task={"constraints": {"pairs": 30}})
    record, _ = run_cell(linked, jobs["good"].methods[0], "toy_paper", PROVENANCE)
    assert validator("record").is_valid(record | {"arrays_sha256": "0" * 64})
    assert record["drawn"]["must_link"] + record["drawn"]["cannot_link"] == 30
    too_many = dataclasses.replace(spec, task={"constraints": {"must_link": 10**9}})
    record, _ = run_cell(too_many, jobs["good"].methods[0], "toy_paper", PROVENANCE)
    assert record["status"] == "error" and record["drawn"] is None
    assert "TaskError: task.constraints.must_link: 1000000000 pairs" in record["reason"]


def test_a_problem_has_its_own_seeds_and_the_data_of_its_entry(jobs):
    plain = dataclasses.replace(jobs["good"].cells[0].spec, task={"rows": 120})
    spec = dataclasses.replace(plain, dataset="halves", entry="nested-blobs", task={"share": 0.5})
    record, _ = run_cell(spec, jobs["good"].methods[0], "toy_paper", PROVENANCE)
    whole, _ = run_cell(plain, jobs["good"].methods[0], "toy_paper", PROVENANCE)
    assert (record["dataset"], record["entry"], record["status"]) == ("halves", "nested-blobs", "ok")
    assert validator("record").is_valid(record | {"arrays_sha256": "0" * 64}) and "entry" not in whole
    assert record["data"] == whole["data"] and record["cell_id"].startswith("toy_paper/halves/")
    assert record["drawn"]["rows"] == whole["drawn"]["rows"] == datasets.load("nested-blobs").n_samples // 2
    assert record["drawn"]["digest"] != whole["drawn"]["digest"] and record["seed"] != whole["seed"]


def with_version(**changed):
    return {**PROVENANCE, "versions": {**PROVENANCE["versions"], **changed}}


def test_key_hears_what_changes_results_and_nothing_else(jobs):
    spec, method = jobs["good"].cells[0].spec, jobs["good"].methods[0]
    key = cell_key(spec, method, PROVENANCE, "d")
    calm = [
        (dataclasses.replace(spec, threads=2), method, PROVENANCE, "d"),
        (dataclasses.replace(spec, limits=spec.limits.scaled(2)), method, PROVENANCE, "d"),
        (spec, dataclasses.replace(method, label="other", role="extra"), PROVENANCE, "d"),
        (spec, method, {**PROVENANCE, "git_dirty": True, "machine": {"cpu": "x"}}, "d"),
        (spec, method, with_version(python="3.11.12"), "d"),
        (spec, method, with_version(cladebench="2"), "d"),
    ]
    assert {cell_key(*arguments) for arguments in calm} == {key}
    moved = [
        (dataclasses.replace(spec, root_seed=9), method, PROVENANCE, "d"),
        (dataclasses.replace(spec, setting={}), method, PROVENANCE, "d"),
        (spec, MethodPlan("good", "good", {"alpha": 1}), PROVENANCE, "d"),
        (spec, method, {**PROVENANCE, "code_digest": "x"}, "d"),
        (spec, method, {**PROVENANCE, "core_build": "x"}, "d"),
        (spec, method, with_version(numpy="2"), "d"),
        (spec, method, with_version(pandas="2"), "d"),
        (spec, method, with_version(more="1"), "d"),
        (spec, method, with_version(python="3.12.4"), "d"),
        (spec, method, PROVENANCE, "e"),
        (dataclasses.replace(spec, fold=0), method, PROVENANCE, "d"),
        (dataclasses.replace(spec, task={"rows": 5}), method, PROVENANCE, "d"),
    ]
    assert len({cell_key(*arguments) for arguments in moved} | {key}) == 13


def test_an_error_whose_text_cannot_be_written_is_recorded_all_the_same(jobs, monkeypatch):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    for error, reason in ((ValueError("\ud800 broken"), "ValueError: \\ud800 broken"), (Mute(), "Mute")):

        def raising(*_, error=error):
            raise error

        monkeypatch.setattr(cell, "load_data", raising)
        record, _ = run(jobs, "good")
        assert (record["status"], record["reason"]) == ("error", reason)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (MemoryError("no room"), "out_of_memory"),
        (RuntimeError("RESOURCE_EXHAUSTED: no room"), "out_of_memory"),
        (RuntimeError("no room"), "error"),
        (SystemExit(3), "error"),
        (KeyboardInterrupt(), "error"),
    ],
)
def test_whatever_is_raised_is_recorded(jobs, monkeypatch, error, status):
    def raising(*_):
        raise error

    monkeypatch.setattr(cell, "draw_task", raising)
    record, _ = run(jobs, "good")
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    assert (record["status"], record["reason"]) == (status, text)
    # What was known before it was raised is kept: by it the record is recognised.
    assert record["data"] is not None and record["key"] is not None and record["drawn"] is None


def test_of_a_long_message_the_beginning_is_kept_on_one_line():
    text = cell._message(ValueError("a\n  b" + "c" * 1000))
    assert text == "a b" + "c" * 497


def test_seconds_are_those_of_the_process_and_its_ended_children(monkeypatch):
    times = SimpleNamespace(user=1.0, system=2.0, children_user=4.0, children_system=8.0, elapsed=100.0)
    monkeypatch.setattr(cell.os, "times", lambda: times)
    assert cell._cpu_seconds() == 15.0


@pytest.mark.parametrize(
    ("status", "platform", "mib"),
    [
        ("VmPeak:\t 9999 kB\nVmHWM:\t 3072 kB\nVmRSS:\t 5 kB\n", "linux", 3.0),
        ("VmPeak:\t 9999 kB\n", "linux", 2048.0),  # as the kernel counts, in KiB
        (None, "linux", 2048.0),
        (None, "darwin", 2.0),  # in bytes
    ],
)
def test_peak_memory_is_what_the_kernel_tells_in_whatever_unit(monkeypatch, status, platform, mib):
    class Status:
        def __init__(self, path):
            assert path == "/proc/self/status"

        def read_text(self):
            if status is None:
                raise FileNotFoundError
            return status

    monkeypatch.setattr(cell, "Path", Status)
    monkeypatch.setattr(cell.sys, "platform", platform)
    monkeypatch.setattr(cell.resource, "getrusage", lambda who: SimpleNamespace(ru_maxrss=2**21))
    assert cell._peak_memory_mb() == mib


def test_the_last_data_set_is_kept_and_no_other(monkeypatch):
    """Each draw is a data set of its own."""
    loaded = []

    def load(name, draw):
        loaded.append((name, draw))
        return SimpleNamespace(freeze=lambda: None)

    monkeypatch.setattr(datasets, "load", load)
    monkeypatch.setattr(cell, "_loaded", {})
    for name, draw in (("a", 0), ("a", 0), ("a", 1), ("a", 1), ("b", 1), ("a", 1)):
        load_data(name, draw)
    assert loaded == [("a", 0), ("a", 1), ("b", 1), ("a", 1)] and list(cell._loaded) == [("a", 1)]


@pytest.mark.parametrize(("n_draws", "draw"), [(1, 0), (2, 3)])
def test_a_repetition_meets_its_own_draw_where_data_are_drawn(monkeypatch, n_draws, draw):
    monkeypatch.setattr(datasets, "info", lambda name: SimpleNamespace(n_draws=n_draws))
    assert cell.draw_of("d", 3) == draw


def test_the_kernel_is_asked_to_count_the_peak_from_each_cell_on(jobs, tmp_path, monkeypatch):
    """Where it cannot, the cell runs all the same."""
    monkeypatch.setattr(cell, "_CLEAR_REFS", tmp_path / "clear_refs")
    run(jobs, "good")
    assert (tmp_path / "clear_refs").read_text() == "5"  # proc(5): resets the peak resident set size
    monkeypatch.setattr(cell, "_CLEAR_REFS", tmp_path / "none" / "clear_refs")
    assert run(jobs, "good")[0]["status"] == "ok"
