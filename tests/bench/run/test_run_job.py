"""Jobs in real worker processes: what their cells leave, what is kept, and who may run them."""

import dataclasses
import fcntl
import json
import os
import re
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from cladebench import datasets
from cladebench.bench.plan.jobs import expand
from cladebench.bench.run import run_job as running
from cladebench.bench.run.run_job import JobLocked, _remove_half_written, run_job
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import RecordError, Store
from cladebench.measures import Measure
from job_runs import changed_cells, joined, named, run, score_of

pytestmark = pytest.mark.usefixtures("light_workers")


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
    first = jobs["good"].cells[:1]
    folds = [changed_cells(first, fold=fold, task={"folds": {"n": 2}}) for fold in (0, 1)]
    job = dataclasses.replace(jobs["good"], cells=folds[0] + folds[1])
    _, records, _ = run(job, tmp_path)
    assert [(r["status"], r["fold"]) for r in records] == [("ok", 0), ("ok", 1)]
    assert len({r["drawn"]["digest"] for r in records}) == 2
    assert run(job, tmp_path)[0].reused == 2


def test_a_cell_takes_up_what_it_had_kept(jobs, tmp_path):
    folder = Store(tmp_path).path(jobs["take-up"].cells[0].spec.cell_id, ".kept")
    _, (interrupted, _), _ = run(jobs["take-up"], tmp_path)
    assert interrupted["status"] == "error" and [path.name for path in folder.iterdir()] == [
        interrupted["key"][:16]
    ]
    summary, (record, _), _ = run(jobs["take-up"], tmp_path)
    assert summary.statuses == {"ok": 2} and score_of(record) == 42.0
    assert record["details"]["kept"] == record["key"][:16] and not folder.exists()


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
    full = next(job for job in expand(plan, "full", root_seed=3) if job.methods[0].name == "good")
    run(full, tmp_path)
    planned = {c.spec.cell_id for c in full.cells}
    shared = [r for r in records if r["cell_id"] in planned]
    assert len(shared) == 2
    for record in shared:
        other = Store(tmp_path).read_record(record["cell_id"])
        assert all(other[key] == record[key] for key in ("readings", "key", "seed"))
        paths = [Store(folder).path(record["cell_id"], ".npz") for folder in (root, tmp_path)]
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_methods_in_one_job_leave_what_they_leave_apart(jobs, good, tmp_path, started):
    parts = [jobs[name] for name in ("good", "skipped")]
    together = joined(parts)
    summary, records, _ = run(together, tmp_path)
    assert summary.statuses == {"ok": 4, "not_applicable": 2} and len(started) == 1
    alone = [*good[1], *run(parts[1], tmp_path / "alone")[1]]
    for record, other in zip(records, alone, strict=True):
        assert all(record[key] == other[key] for key in ("cell_id", "key", "readings", "estimator", "params"))
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
def test_a_worker_is_replaced_only_where_sources_were_edited(jobs, tmp_path, monkeypatch, started, edited):
    monkeypatch.setattr(
        running._Origins, "renew", lambda self, method: edited and method.estimator == "mutter"
    )
    run(joined([jobs["good"], jobs["mutter"]]), tmp_path)
    assert len(started) == 1 + edited


def test_each_cell_of_a_job_meets_the_parameters_of_its_own_method(jobs, tmp_path):
    _, records, _ = run(joined([jobs["good"], named(jobs["good"], "other", gamma=7)]), tmp_path)
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


def test_leftovers_that_another_job_removes_first_are_no_error(jobs, tmp_path, monkeypatch):
    """Jobs on the settings of one method share a folder."""
    monkeypatch.setattr(Path, "glob", lambda folder, _: iter([folder / ".default-0.json.1.tmp"]))
    _remove_half_written(Store(tmp_path), jobs["skipped"])


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
