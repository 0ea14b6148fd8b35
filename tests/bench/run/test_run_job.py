"""Jobs in real worker processes: each fault stays in its cell, and leaves a record that says what happened."""

import dataclasses
import fcntl
import itertools
import json
import os
import re
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
import psutil
import pytest

from cladebench import datasets
from cladebench.bench.plan.cell_spec import Limits
from cladebench.bench.plan.jobs import expand
from cladebench.bench.run import run_job as running
from cladebench.bench.run import watchdog
from cladebench.bench.run.progress import Progress
from cladebench.bench.run.run_job import JobLocked, _remove_half_written, run_job
from cladebench.bench.run.watchdog import LOG_KEPT, ProcessGroup, Usage, Worker, breach
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import RecordError, Store
from cladebench.measures import Measure


def run(job, root):
    lines = []
    summary = run_job(job, Store(root), Progress(len(job.cells), lines.append))
    return summary, [Store(root).read_record(c.spec.cell_id) for c in job.cells], lines


@pytest.fixture(autouse=True)
def light_workers(monkeypatch):
    """Let workers start without scikit-learn, which takes most of a start and which the toys do not use."""
    monkeypatch.setattr(
        running._Origins, "modules", lambda self, method: ["numpy.random", "toy_paper.protocol"]
    )


@pytest.fixture(scope="module")
def good(jobs, tmp_path_factory):
    """A finished run of the good cells: its folder and records."""
    root = tmp_path_factory.mktemp("good")
    return root, run(jobs["good"], root)[1]


def with_limits(job, first):
    """The job with other limits on its first cell, and a minute and more for the others."""
    if first is None:
        return job
    limits = [first, *(Limits(30, 600, 240) for _ in job.cells[1:])]
    cells = [
        dataclasses.replace(cell, spec=dataclasses.replace(cell.spec, limits=its))
        for cell, its in zip(job.cells, limits, strict=True)
    ]
    return dataclasses.replace(job, cells=tuple(cells))


def named(job, name, **params):
    """The job of one method with a name and parameters of its own."""
    method = dataclasses.replace(job.methods[0], name=name, params=params)
    cells = [
        dataclasses.replace(cell, spec=dataclasses.replace(cell.spec, method=name)) for cell in job.cells
    ]
    return dataclasses.replace(job, methods=(method,), cells=tuple(cells))


def joined(jobs):
    """The cells of several jobs in one.

    A worker that the first cell of a job has ended is replaced for its second one, which leaves it to the next job:
    one start for each fault, where jobs by themselves have two.
    """
    jobs = list(jobs)
    return dataclasses.replace(
        jobs[0],
        methods=tuple(job.methods[0] for job in jobs),
        cells=tuple(cell for job in jobs for cell in job.cells),
    )


def in_pairs(records):
    return list(zip(records[::2], records[1::2], strict=True))


FAULTS = {
    "bad": ("error", "ValueError: a deliberate fault"),
    "hang": ("timeout", "wall limit 1.0 s"),
    "deaf": ("timeout", "wall limit 1.0 s"),
    "close-pipes": ("error", "ended by itself with exit code 1"),
    "forge": ("error", "answered with something else than the run's record"),
    "spin": ("timeout", "s of CPU time, limit 1.0 s"),
    "family": ("timeout", "s of CPU time, limit 1.0 s"),
    "eat": ("out_of_memory", "MB resident, limit 250 MB"),
    "segfault": ("error", "killed by SIGSEGV"),
    "leave": ("error", "ended by itself with exit code 7"),
}
#: On the cells that end by them, in place of the plan's. A second is enough, for their worker has run a cell and so
#: has imported all; the next cell keeps all the time that a busy machine takes.
TIGHT = {
    "hang": Limits(30, 600, 1),
    "deaf": Limits(30, 600, 1),
    "spin": Limits(1, 600, 240),
    "family": Limits(1, 600, 240),
}


def test_a_fault_stays_in_its_cell(jobs, tmp_path):
    job = joined(with_limits(jobs[method], TIGHT.get(method)) for method in FAULTS)
    summary, records, lines = run(job, tmp_path)
    for (method, (status, reason)), (first, second) in zip(FAULTS.items(), in_pairs(records), strict=True):
        assert first["method"] == second["method"] == method
        assert first["status"] == status and reason in first["reason"], (method, first["reason"])
        assert second["status"] == "ok" and second["reason"] is None, (method, second["reason"])
        assert second["log_tail"] is None
        assert first["cpu_seconds"] >= 0 and first["wall_seconds"] > 0, method
        limits = first["limits"]
        if status == "timeout":
            assert first["wall_seconds"] > limits["wall_s"] or first["cpu_seconds"] > limits["time_s"]
            assert first["wall_seconds"] < 300
        if status == "out_of_memory":
            assert limits["memory_mb"] < first["peak_memory_mb"] < 10 * limits["memory_mb"]
        if method == "segfault":
            assert "Fatal Python error: Segmentation fault" in first["log_tail"]  # and where it was
        if method == "family":
            child = int(first["log_tail"].split()[-1])
            assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE
    statuses = [part for status, _ in FAULTS.values() for part in (status, "ok")]
    assert summary.statuses == Counter(statuses) and summary.reused == 0
    for i, (line, record, status) in enumerate(zip(lines, records, statuses, strict=True)):
        where = f"[{i + 1}/{len(lines)}] toy_paper nested-blobs {record['method']} #{record['repetition']}"
        assert line.startswith(f"{where}: {status} ")
    ledger = json.loads((tmp_path / "jobs" / f"{job.name}.json").read_text())
    assert [row["status"] for row in ledger["cells"]] == statuses


@pytest.mark.parametrize("method", ["leftover", "fork", "close-streams"])
def test_what_a_good_cell_leaves_behind_does_not_meet_the_next(jobs, tmp_path, method, monkeypatch):
    started = []
    original = Worker.__init__
    monkeypatch.setattr(
        Worker, "__init__", lambda self, *args: (started.append(self), original(self, *args))[1]
    )
    summary, records, _ = run(jobs[method], tmp_path)
    assert summary.statuses == {"ok": 2}, [record["reason"] for record in records]
    assert [record["repetition"] for record in records] == [0, 1]
    assert method != "leftover" or len(started) == 2


def score_of(record):
    return record["readings"][0]["metrics"]["score"]


def test_a_metric_that_no_measure_describes_costs_no_cell_but_stops_the_table(good, tmp_path):
    root, records = good
    ids = [record["cell_id"] for record in records]
    described = {name: Measure(name, "") for name in records[0]["readings"][0]["metrics"]}
    unknown = {name: entry for name, entry in described.items() if name != "objective"}
    table, name = tmp_path / "cells.parquet", re.escape(f"{records[0]['setting_id']}-0.json")
    with pytest.raises(RecordError, match=rf"{name}.*metric 'objective' is described neither.*toy_paper"):
        Store(root).write_parquet(table, ids, {"toy_paper": unknown})
    assert not table.exists()
    assert [Store(root).read_record(name) for name in ids] == records
    Store(root).write_parquet(table, ids, {"toy_paper": described})
    assert set(read_cells(table)["metric"]) == set(described)


def test_folds_are_cells_that_meet_tasks_of_their_own(jobs, tmp_path):
    first = jobs["good"].cells[0]
    cells = tuple(
        dataclasses.replace(first, spec=dataclasses.replace(first.spec, fold=fold, task={"folds": {"n": 2}}))
        for fold in (0, 1)
    )
    _, records, _ = run(dataclasses.replace(jobs["good"], cells=cells), tmp_path)
    assert [(r["status"], r["fold"]) for r in records] == [("ok", 0), ("ok", 1)]
    assert len({r["drawn"]["digest"] for r in records}) == 2
    summary, _, _ = run(dataclasses.replace(jobs["good"], cells=cells), tmp_path)
    assert summary.reused == 2


def test_a_cell_takes_up_what_it_had_kept(jobs, tmp_path):
    folder = Store(tmp_path).path(jobs["take-up"].cells[0].spec.cell_id, ".kept")
    _, (interrupted, _), _ = run(jobs["take-up"], tmp_path)
    assert interrupted["status"] == "error" and [path.name for path in folder.iterdir()] == [
        interrupted["key"][:16]
    ]
    summary, (record, _), _ = run(jobs["take-up"], tmp_path)
    assert summary.statuses == {"ok": 2} and score_of(record) == 42.0
    assert record["details"]["kept"] == record["key"][:16] and not folder.exists()


#: What takes the place of a file, and what is said then. Where nothing is, the file was written over.
USURPED = {
    ("record", "folder"): "put something else in the place of its record",
    ("record", "fifo"): "put something else in the place of its record",
    ("record", "gone"): None,
    ("arrays", "folder"): "arrays cannot be written",
    ("arrays", "fifo"): None,
    ("arrays", "gone"): None,
}


def test_what_a_cell_puts_in_the_place_of_a_file_stays_in_its_cell(jobs, tmp_path):
    job = joined(
        named(jobs["usurp"], f"usurp-{place}-{what}", place=place, what=what) for place, what in USURPED
    )
    for _ in range(2):  # a second run meets what the first has left
        _, records, _ = run(job, tmp_path)
        for (case, said), (first, second) in zip(USURPED.items(), in_pairs(records), strict=True):
            assert (first["status"], second["status"]) == ("error" if said else "ok", "ok"), case
            assert (said or "") in (first["reason"] or ""), case


@pytest.mark.parametrize("what", ["folder", "fifo", "gone"])
def test_what_a_cell_puts_in_the_place_of_its_log_stays_in_its_cell(jobs, tmp_path, what):
    job = named(jobs["usurp"], "usurp", place="log", what=what)
    for again in range(2):
        summary, (first, second), _ = run(job, tmp_path)
        assert summary.statuses == {"error": 1, "ok": 1} and second["status"] == "ok"
        assert "put something else in the place of its log" in first["reason"]
        log = tmp_path / "logs" / f"{job.name}.cells.log"
        assert again or second["cell_id"] in log.read_text()


#: What the parent finds where it reads an answer (test_answers.py has all of it), and where it looks at the arrays.
FORGED = {
    "bytes": "no JSON in UTF-8",
    "no token": "it was not written by the worker",
    "key": "key is not the run's",
    "arrays": "the arrays of toy_paper/nested-blobs/forge-arrays/default/0 are gone",
}


def test_a_forged_answer_is_an_error_of_its_cell(jobs, tmp_path):
    forging = [named(jobs["forge"], f"forge-{what}".replace(" ", "-"), what=what) for what in FORGED]
    summary, records, _ = run(joined(forging), tmp_path)
    for (what, why), (first, second) in zip(FORGED.items(), in_pairs(records), strict=True):
        assert first["status"] == "error" and why in first["reason"], (what, first["reason"])
        assert second["status"] == "ok" and score_of(second) < 1e6, (what, second["reason"])
    assert summary.statuses == {"error": len(FORGED), "ok": len(FORGED)}


def test_lines_too_many_do_not_meet_the_next_cell(jobs, tmp_path):
    _, (_, second), _ = run(named(jobs["forge"], "forge", what="text", wait=False), tmp_path)
    assert (second["status"], second["repetition"]) == ("ok", 1)


#: What leaves the worker to the next cell comes first: a worker that has run other cells may have imported all.
HARMLESS = ((), ("an import",))
#: As many in a cell as a note names.
PATCHES = (
    ("os.environ", "the working folder", "sys.path", "numpy.geterr", "Hierarchy.cut"),
    ("os.environ, less", "numpy.random.default_rng", "Hierarchy.__len__", "sys.modules.json", "json.loads"),
)


def test_what_a_cell_patches_does_not_meet_the_next(jobs, tmp_path):
    cells = (*HARMLESS, *PATCHES)
    job = joined(named(jobs["patch"], f"patch-{i}", whats=list(whats)) for i, whats in enumerate(cells))
    _, records, _ = run(job, tmp_path)
    assert [(r["status"], score_of(r)) for r in records] == [("ok", 0.0)] * len(records)
    log = Store(tmp_path).log_path(job.name).read_text()
    heads = [line.removeprefix("--- ") for line in log.splitlines() if line.startswith("---")]
    ids = [record["cell_id"] for record in records]
    assert [head for head in heads if head in ids] == ids
    notes = {before: head for before, head in itertools.pairwise(heads) if head not in ids}
    for whats, (first, _) in zip(cells, in_pairs(records), strict=True):
        note = notes.pop(first["cell_id"], "")
        said = note.startswith("a new worker for the next run: this one changed ")
        assert said == (whats in PATCHES), (whats, note)
        assert not said or all(what.partition(",")[0] in note for what in whats), note
    assert notes == {}


@pytest.mark.parametrize(
    ("function", "changed"),
    [
        ("late_pulp.patch_library", "pulp.lpSum"),
        ("late_pandas.patch_pandas", "DataFrame.mean"),
        ("late_sklearn.configure_sklearn", "sklearn.get_config"),
    ],
)
def test_a_library_that_a_cell_is_the_first_to_use_is_watched_too(
    jobs, tmp_path, monkeypatch, function, changed
):
    monkeypatch.undo()  # workers import what they import outside these tests
    method = dataclasses.replace(jobs["patch"].methods[0], estimator=f"toy_paper.{function}")
    _, records, _ = run(dataclasses.replace(jobs["patch"], methods=(method,)), tmp_path)
    assert [(r["status"], score_of(r)) for r in records] == [("ok", 0.0)] * 2
    log = Store(tmp_path).log_path(jobs["patch"].name).read_text()
    assert "a new worker for the next run: this one changed" in log and changed in log


def test_a_machine_full_of_processes_is_not_searched_at_every_look(monkeypatch):
    scans = []

    def pids():
        scans.append(1)
        time.sleep(0.02)
        return [os.getpid()]

    monkeypatch.setattr(psutil, "pids", pids)
    group = ProcessGroup(os.getpgid(0))
    looks = [group.members() for _ in range(100)]
    assert len(scans) < 20 and all([p.pid for p in look] == [os.getpid()] for look in looks)


def test_a_process_born_since_the_last_look_is_found_when_asked_for_now(monkeypatch):
    there = []
    monkeypatch.setattr(psutil, "pids", lambda: there)
    monkeypatch.setattr(watchdog, "SCAN_PAUSE", 1e12)
    group = ProcessGroup(os.getpgid(0))
    assert group.members() == []
    there.append(os.getpid())
    assert group.members() == []
    assert [p.pid for p in group.members(now=True)] == [os.getpid()]


def test_long_output_is_cut_and_the_end_of_it_recorded(jobs, tmp_path):
    _, (first, second), _ = run(jobs["shout"], tmp_path)
    assert first["status"] == "error" and second["status"] == "ok"
    assert "the last word" in first["log_tail"] and first["log_tail"].rstrip().endswith(
        "RuntimeError: shouted"
    )
    log = Store(tmp_path).log_path("toy_paper.nested-blobs.shout")
    assert LOG_KEPT < log.stat().st_size < 2 * LOG_KEPT  # of 25 MiB
    assert "the middle of the output is left out" in log.read_text()


def test_what_a_run_prints_stands_below_its_name(jobs, tmp_path):
    _, records, _ = run(jobs["mutter"], tmp_path)
    log = Store(tmp_path).log_path("toy_paper.nested-blobs.mutter").read_text()
    told = [log.index(f"muttered in {i}") for i in range(len(records))]
    names = [log.index(f"--- {record['cell_id']}") for record in records]
    assert sorted(told + names) == [place for pair in zip(names, told, strict=True) for place in pair]


def test_output_without_end_is_stopped(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(watchdog, "LOG_LIMIT", 2**20)
    job = joined(jobs[method] for method in ("babble", "flood"))
    _, records, _ = run(job, tmp_path)
    for first, second in in_pairs(records):
        assert (first["status"], first["reason"]) == ("error", "more than 1 MB of output"), first["method"]
        assert second["status"] == "ok", first["method"]
    assert Store(tmp_path).log_path(job.name).stat().st_size < 2 * LOG_KEPT


def test_good_cells_have_records_and_arrays(good):
    root, records = good
    assert [r["status"] for r in records] == ["ok"] * 4
    assert [r["readings"][0]["metrics"]["objective"] for r in records] == [10, 10, 9, 9]
    arrays = Store(root).load_arrays(records[0]["cell_id"])
    # Settings of one grid meet the same random numbers, repetitions do not.
    assert np.array_equal(arrays["noise"], Store(root).load_arrays(records[2]["cell_id"])["noise"])
    assert not np.array_equal(arrays["noise"], Store(root).load_arrays(records[1]["cell_id"])["noise"])
    provenance = records[0]["provenance"]
    assert set(provenance["versions"]) >= {"numpy", "scipy", "scikit-learn", "jax", "python"}
    assert len(provenance["core_build"]) == len(provenance["code_digest"]) == 64


def test_not_applicable_cells_are_recorded_and_not_run(jobs, tmp_path):
    for reused in (0, 2):
        summary, records, _ = run(jobs["skipped"], tmp_path)
        assert {(r["status"], r["reason"]) for r in records} == {("not_applicable", "has no meaning here")}
        assert summary.reused == reused and all(r["cpu_seconds"] is None for r in records)
    for changes in ({"key": "0" * 64}, {"reason": "had no meaning there"}):
        Store(tmp_path).write_record({**records[0], **changes})
        assert run(jobs["skipped"], tmp_path)[0].reused == 1


def test_results_do_not_depend_on_the_scope_nor_on_the_neighbours(plan, jobs, good, tmp_path):
    root, records = good
    full = {job.methods[0].name: job for job in expand(plan, "full", root_seed=3)}
    run(full["good"], tmp_path)
    planned = {c.spec.cell_id for c in full["good"].cells}
    shared = [r for r in records if r["cell_id"] in planned]
    assert len(shared) == 2
    for record in shared:
        other = Store(tmp_path).read_record(record["cell_id"])
        assert (other["readings"], other["key"], other["seed"]) == (
            record["readings"],
            record["key"],
            record["seed"],
        )
        paths = [Store(folder).path(record["cell_id"], ".npz") for folder in (root, tmp_path)]
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_methods_in_one_job_leave_what_they_leave_apart(jobs, good, tmp_path, monkeypatch):
    parts = [jobs[name] for name in ("good", "skipped")]
    together = joined(parts)
    started = []
    original = Worker.__init__
    monkeypatch.setattr(
        Worker, "__init__", lambda self, *args: (started.append(self), original(self, *args))[1]
    )
    summary, records, _ = run(together, tmp_path)
    assert summary.statuses == {"ok": 4, "not_applicable": 2} and len(started) == 1
    alone = [*good[1], *run(parts[1], tmp_path / "alone")[1]]
    for record, other in zip(records, alone, strict=True):
        assert [record[key] for key in ("cell_id", "key", "readings", "estimator", "params")] == [
            other[key] for key in ("cell_id", "key", "readings", "estimator", "params")
        ]
    ledger = json.loads((tmp_path / "jobs" / f"{together.name}.json").read_text())
    assert [row["cell_id"] for row in ledger["cells"]] == [record["cell_id"] for record in records]


def test_sources_are_looked_at_once_before_a_worker_imports_them(jobs, tmp_path, monkeypatch):
    looked = []
    monkeypatch.setattr(running._Origins, "renew", lambda self, method: looked.append(method.estimator))
    began = time.monotonic()
    summary = run(jobs["good"], tmp_path)[0]
    assert looked == list(jobs["good"].estimators)
    assert 0 < summary.seconds <= time.monotonic() - began


@pytest.mark.parametrize("edited", [False, True])
def test_a_worker_is_replaced_only_where_sources_were_edited(jobs, tmp_path, monkeypatch, edited):
    started = []
    original = Worker.__init__
    monkeypatch.setattr(
        Worker, "__init__", lambda self, *args: (started.append(self), original(self, *args))[1]
    )
    monkeypatch.setattr(
        running._Origins, "renew", lambda self, method: edited and method.estimator == "mutter"
    )
    run(joined([jobs["good"], jobs["mutter"]]), tmp_path)
    assert len(started) == 1 + edited


def test_a_crash_in_a_job_on_two_data_sets_loses_only_its_cell(jobs, tmp_path):
    one = jobs["segfault"]
    two = tuple(
        dataclasses.replace(c, spec=dataclasses.replace(c.spec, dataset="second", entry="nested-blobs"))
        for c in one.cells
    )
    job = dataclasses.replace(one, datasets=("nested-blobs", "second"), cells=(*one.cells, *two))
    summary, records, _ = run(job, tmp_path)
    assert [(r["dataset"], r["status"]) for r in records] == [
        *[("nested-blobs", "error"), ("nested-blobs", "ok")],
        *[("second", "error"), ("second", "ok")],
    ]
    assert job.name == "toy_paper.nested-blobs-and-1-more.segfault" and summary.reused == 0
    (tmp_path / "cells" / "toy_paper" / "second" / "segfault" / ".x.json.1.tmp").write_text("half")
    again, kept, _ = run(job, tmp_path)
    assert again.reused == 2 and [kept[i] == records[i] for i in (1, 3)] == [True, True]
    assert not list((tmp_path / "cells").rglob(".*.tmp"))


def test_each_cell_of_a_job_meets_the_parameters_of_its_own_method(jobs, tmp_path):
    first = jobs["good"]
    second = dataclasses.replace(first.methods[0], name="other", params={"gamma": 7})
    cells = tuple(
        dataclasses.replace(cell, spec=dataclasses.replace(cell.spec, method="other")) for cell in first.cells
    )
    job = dataclasses.replace(first, methods=(*first.methods, second), cells=(*first.cells, *cells))
    _, records, _ = run(job, tmp_path)
    assert [record["params"].get("gamma") for record in records] == [None] * 4 + [7] * 4


def test_a_cell_alone_gives_what_it_gives_among_others(plan, jobs, tmp_path):
    job = next(job for job in expand(plan, "full", root_seed=3) if job.methods[0].name == "globals")
    _, together, _ = run(job, tmp_path / "together")
    _, alone, _ = run(dataclasses.replace(job, cells=job.cells[2:]), tmp_path / "alone")
    assert score_of(alone[0]) == score_of(together[2]) != score_of(together[1])


def test_one_or_two_threads_give_the_same_bits(plan, tmp_path):
    found = {}
    for threads in (1, 2):
        job = next(j for j in expand(plan, "smoke", threads=threads) if j.methods[0].name == "core")
        _, records, _ = run(job, tmp_path / str(threads))
        assert {r["details"]["omp_threads"] for r in records} == {str(threads)}
        arrays = [Store(tmp_path / str(threads)).path(r["cell_id"], ".npz").read_bytes() for r in records]
        found[threads] = ([r["readings"] for r in records], [r["key"] for r in records], arrays)
    assert found[1] == found[2]


def test_a_rerun_keeps_good_records_and_runs_the_others(jobs, good, tmp_path, monkeypatch):
    trace = tmp_path / "trace"
    monkeypatch.setenv("TOY_TRACE", str(trace))
    root, records = good
    before = [Store(root).path(r["cell_id"]).read_bytes() for r in records]
    summary, _, lines = run(jobs["good"], root)
    assert summary.reused == 4 and all(line.endswith("ok (kept)") for line in lines) and not trace.exists()
    assert [Store(root).path(r["cell_id"]).read_bytes() for r in records] == before
    run(jobs["bad"], tmp_path)
    summary, _, _ = run(jobs["bad"], tmp_path)
    assert summary.reused == 1
    ran = [line.split()[0] for line in trace.read_text().splitlines()]
    assert ran == [f"toy_paper/nested-blobs/bad/default/{i}" for i in (0, 1, 0)]


def test_records_of_other_inputs_are_made_again(jobs, good, tmp_path, monkeypatch):
    root, records = good
    job = dataclasses.replace(jobs["good"], cells=jobs["good"].cells[:1])
    cell_id = job.cells[0].spec.cell_id

    def reused():
        store = Store(tmp_path)
        store.write_arrays(cell_id, Store(root).load_arrays(cell_id))
        store.write_record(records[0])
        return run(job, tmp_path)[0].reused

    assert reused() == 1
    method = dataclasses.replace(job.methods[0], params={"beta": "y"})
    assert run(dataclasses.replace(job, methods=(method,)), tmp_path)[0].reused == 0
    monkeypatch.setattr("cladebench.bench.provenance.import_closure.code_digest", lambda files: "f" * 64)
    assert reused() == 0


def test_a_record_that_is_not_kept_is_gone_when_its_cell_starts(jobs, tmp_path, monkeypatch):
    def interrupted(workers, spec):
        raise KeyboardInterrupt

    run(jobs["bad"], tmp_path)
    failed = jobs["bad"].cells[0].spec.cell_id
    monkeypatch.setattr("cladebench.bench.run.run_job._Workers.run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_job(jobs["bad"], Store(tmp_path))
    assert not Store(tmp_path).path(failed).exists()


def test_a_good_record_outlives_its_data(jobs, good, monkeypatch):
    def away(name, draw):
        raise datasets.DataUnavailable("gone")

    def damaged(name, draw):
        raise datasets.ChecksumMismatch("f", "cache", "a", "b", "nothing was kept")

    root, _ = good
    monkeypatch.setattr(datasets, "load", away)
    assert run(jobs["good"], root)[0].reused == 4
    # The worker, which has the true loader, makes the records again.
    monkeypatch.setattr(datasets, "load", damaged)
    assert run(jobs["good"], root)[0].reused == 0


def test_a_damaged_record_is_made_again(jobs, good):
    root, records = good
    Store(root).path(records[1]["cell_id"]).write_text("{")
    assert run(jobs["good"], root)[0].reused == 3


def test_a_record_without_its_arrays_is_made_again(jobs, tmp_path):
    _, records, _ = run(jobs["good"], tmp_path)
    gone, damaged, *_ = (Store(tmp_path).path(record["cell_id"], ".npz") for record in records)
    before = [gone.read_bytes(), damaged.read_bytes()]
    gone.unlink()
    damaged.write_bytes(before[1][:-1])
    summary, again, lines = run(jobs["good"], tmp_path)
    assert summary.reused == 2 and [line.endswith("(kept)") for line in lines[:2]] == [True, True]
    assert [gone.read_bytes(), damaged.read_bytes()] == before
    assert [r["arrays_sha256"] for r in again] == [r["arrays_sha256"] for r in records]


def test_a_job_is_run_by_one_process_at_a_time(jobs, tmp_path):
    lock = tmp_path / "jobs" / ".toy_paper.nested-blobs.good.lock"
    lock.parent.mkdir()
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(JobLocked, match=r"toy_paper\.nested-blobs\.good: another process"):
            run(jobs["good"], tmp_path)


def test_leftovers_of_a_killed_write_are_removed(jobs, tmp_path):
    folder = Store(tmp_path).path(jobs["skipped"].cells[0].spec.cell_id).parent
    folder.mkdir(parents=True)
    (folder / ".default-0.json.1.tmp").write_text("half")
    run(jobs["skipped"], tmp_path)
    assert not list(folder.glob(".*"))


def test_leftovers_that_another_job_removes_first_are_no_error(jobs, tmp_path, monkeypatch):
    """Jobs on the settings of one method share a folder."""
    monkeypatch.setattr(Path, "glob", lambda folder, _: iter([folder / ".default-0.json.1.tmp"]))
    _remove_half_written(Store(tmp_path), jobs["skipped"])


def test_limits_are_judged_memory_first_and_cpu_by_thread():
    limits = Limits(10, 100, 20)
    assert breach(Usage(5, 5, 50), limits, 1) is None
    assert breach(Usage(11, 21, 101), limits, 1)[0] == "out_of_memory"
    assert breach(Usage(11, 5, 50), limits, 1) == ("timeout", "11.0 s of CPU time, limit 10.0 s")
    assert breach(Usage(11, 5, 50), limits, 2) is None
    assert "wall limit 20.0 s" in breach(Usage(1, 21, 50), limits, 1)[1]


def test_a_good_record_that_took_too_long_is_a_timeout(jobs, tmp_path, monkeypatch):
    """Its limit was broken between two looks of the watchdog."""
    ran = Worker.run

    def slow(worker, spec, *others):
        outcome = ran(worker, spec, *others)
        assert outcome.record["status"] == "ok"
        usage = dataclasses.replace(outcome.usage, wall=spec.limits.wall_limit + 1)
        return dataclasses.replace(outcome, usage=usage)

    monkeypatch.setattr(Worker, "run", slow)
    job = dataclasses.replace(jobs["good"], cells=jobs["good"].cells[:1])
    _, (record,), _ = run(job, tmp_path)
    assert record["status"] == "timeout" and "wall limit" in record["reason"]


def test_a_worker_that_fills_its_memory_is_replaced(jobs, tmp_path, monkeypatch):
    started = []
    original = Worker.__init__

    def counting(self, *args):
        started.append(self)
        original(self, *args)

    monkeypatch.setattr(Worker, "__init__", counting)
    small = Limits(30, 60)
    cells = tuple(
        dataclasses.replace(c, spec=dataclasses.replace(c.spec, limits=small)) for c in jobs["globals"].cells
    )
    run(dataclasses.replace(jobs["globals"], cells=cells), tmp_path)
    assert len(started) == 2  # an idle worker holds more than half of 60 MB


def test_nothing_of_a_worker_remains(jobs, tmp_path):
    before = set(psutil.Process().children(recursive=True))
    descriptors = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    run(jobs["bad"], tmp_path)
    assert set(psutil.Process().children(recursive=True)) == before
    assert len(os.listdir("/proc/self/fd") if descriptors else []) == len(descriptors)


def test_a_job_may_run_in_a_thread_which_gets_no_signals(jobs, tmp_path):
    found = []
    thread = threading.Thread(target=lambda: found.append(run(jobs["skipped"], tmp_path)))
    thread.start()
    thread.join()
    assert found[0][0].statuses == {"not_applicable": 2}
