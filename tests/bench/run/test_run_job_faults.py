"""Jobs in real worker processes: each fault stays in its cell, and leaves a record that says what happened."""

import dataclasses
import itertools
import json
from collections import Counter

import psutil
import pytest

from cladebench.bench.plan.cell_spec import Limits
from cladebench.bench.run import watchdog
from cladebench.bench.run.watchdog import LOG_KEPT, Worker
from cladebench.bench.store.store import Store
from job_runs import changed_cells, in_pairs, joined, named, run, score_of

pytestmark = pytest.mark.usefixtures("light_workers")


def with_limits(job, first):
    """The job with other limits on its first cell, and a minute and more for the others."""
    if first is None:
        return job
    cells = changed_cells(job.cells[:1], limits=first) + changed_cells(
        job.cells[1:], limits=Limits(30, 600, 240)
    )
    return dataclasses.replace(job, cells=cells)


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
def test_what_a_good_cell_leaves_behind_does_not_meet_the_next(jobs, tmp_path, method, started):
    summary, records, _ = run(jobs[method], tmp_path)
    assert summary.statuses == {"ok": 2}, [record["reason"] for record in records]
    assert [record["repetition"] for record in records] == [0, 1]
    assert method != "leftover" or len(started) == 2


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


#: What the parent finds where it reads an answer (test_worker_answers.py has all of it), and where it looks at arrays.
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


def test_a_crash_in_a_job_on_two_data_sets_loses_only_its_cell(jobs, tmp_path):
    one = jobs["segfault"]
    two = changed_cells(one.cells, dataset="second", entry="nested-blobs")
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


def test_a_worker_that_fills_its_memory_is_replaced(jobs, tmp_path, started):
    cells = changed_cells(jobs["globals"].cells, limits=Limits(30, 60))
    run(dataclasses.replace(jobs["globals"], cells=cells), tmp_path)
    assert len(started) == 2  # an idle worker holds more than half of 60 MB
