"""A job of several estimators: one process for all its cells, and each record with its own origin."""

import pytest

from cladebench.bench.plan.jobs import expand
from cladebench.bench.plan.plan_file import read_plan
from cladebench.bench.provenance import import_closure
from cladebench.bench.run import run_job as run_job_module
from cladebench.bench.run.progress import Progress
from cladebench.bench.run.run_job import run_job
from cladebench.bench.run.watchdog import Worker
from cladebench.bench.store.store import Store

PACKAGE = "toy_paper"


def run(job, root):
    summary = run_job(job, Store(root), Progress(len(job.cells), lambda line: None))
    return summary, {cell.spec.cell_id: Store(root).read_record(cell.spec.cell_id) for cell in job.cells}


def test_one_worker_serves_all_estimators_and_records_stay_when_jobs_are_cut_otherwise(
    edited_plan, tmp_path, monkeypatch
):
    path = edited_plan(
        "    methods: [good, globals]\n    repetitions: 3", "    methods: [good, globals]\n    repetitions: 1"
    )
    apart = expand(read_plan(path, PACKAGE), "full", root_seed=3)
    path.write_text(path.read_text().rstrip() + "\n    jobs: dataset\n")
    (together,) = expand(read_plan(path, PACKAGE), "full", root_seed=3)
    started = []
    original = Worker.__init__
    monkeypatch.setattr(
        Worker, "__init__", lambda self, *args: (started.append(self), original(self, *args))[1]
    )
    summary, records = run(together, tmp_path / "one")
    assert len(started) == 1 and summary.statuses == {"ok": len(together.cells)}
    for record in records.values():
        digest = import_closure.code_digest(import_closure.cell_sources(PACKAGE, record["estimator"]))
        assert record["provenance"]["code_digest"] == digest
    assert {record["estimator"] for record in records.values()} == set(together.estimators)
    # The key of a cell does not depend on the job that it is in, so all records are kept.
    kept = [run(job, tmp_path / "one") for job in apart]
    assert sum(summary.reused for summary, _ in kept) == len(together.cells)
    assert {cell: record for _, found in kept for cell, record in found.items()} == records


def fat_job(edited_plan):
    path = edited_plan(
        "    methods: [good, globals]\n    repetitions: 3", "    methods: [good, globals]\n    repetitions: 1"
    )
    path.write_text(path.read_text().rstrip() + "\n    jobs: dataset\n")
    (job,) = expand(read_plan(path, PACKAGE), "full", root_seed=3)
    return job


def test_a_part_of_a_job_locks_the_whole(edited_plan, tmp_path):
    whole = fat_job(edited_plan)
    part = whole.only(whole.datasets, ["globals"])
    assert part.name != whole.name and part.lock_name == whole.lock_name == whole.name
    with (
        run_job_module._lock(tmp_path / "jobs" / f".{whole.name}.lock"),
        pytest.raises(run_job_module.JobLocked),
    ):
        run(part, tmp_path)


def test_an_estimator_that_is_edited_before_its_first_cell_has_its_new_digest(
    edited_plan, tmp_path, monkeypatch
):
    job = fat_job(edited_plan)
    first, second = job.estimators
    started, looks = [], []
    init, renew = Worker.__init__, run_job_module._Origins.renew

    def edited(self, method):
        looks.append(method.estimator)
        if method.estimator == second and looks.count(second) == 1:
            monkeypatch.setattr(import_closure, "code_digest", lambda files: "edited")
        return renew(self, method)

    monkeypatch.setattr(run_job_module._Origins, "renew", edited)
    monkeypatch.setattr(Worker, "__init__", lambda self, *args: (started.append(self), init(self, *args))[1])
    _, records = run(job, tmp_path)
    digests = {record["estimator"]: record["provenance"]["code_digest"] for record in records.values()}
    assert digests[second] == "edited" != digests[first]
    assert len(started) == 2 and looks == [first, second]
