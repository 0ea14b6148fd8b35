"""The real Snakemake: what it plans, what it leaves, and what a kill, a rerun or another number of cores changes."""

import os
import re
import shutil
import signal
import subprocess
import time

import pandas as pd
import pytest

from cladebench.audit.claims_file import load_claims
from cladebench.audit.kinds import queries
from cladebench.bench.plan.jobs import expand
from cladebench.bench.store.cells_table import read_cells
from cladebench.paper.catalogue import load_artifacts, load_plan
from cladebench.paper.choices import load_choices
from cladebench.report.artifact_files import read_table
from cladebench.workflow.workplan import Workplan

CELLS = "results/smoke/cells.parquet"
UNDISTURBED = "undisturbed.parquet"
#: Columns that are measured anew in each run, or say where and how it ran.
MEASURED = ["cpu_seconds", "wall_seconds", "peak_memory_mb", "git_commit", "git_dirty", "machine", "threads"]


def reproducible(path):
    """What two runs of the same cells must agree on, bit for bit."""
    cells = read_cells(path)
    cells = cells[~cells.metric.fillna("").str.contains("seconds")]
    return cells.drop(columns=MEASURED).reset_index(drop=True)


def records(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("cells/**/*.json")}


def test_the_default_target_plans_every_job(example):
    planned = example.run("--dry-run").stdout
    for rule, count in (
        ("cells", 2),
        ("collect", 1),
        ("audit", 1),
        ("artifacts_examplepaper", 1),
        ("report", 1),
        ("gate", 1),
    ):
        assert any(line.split() == [rule, str(count)] for line in planned.splitlines()), planned


@pytest.fixture(scope="module")
def finished(tmp_path_factory, snakemake, example_package):
    """The example, run on two cores and never cut off."""
    python_path, name = example_package
    run = snakemake(tmp_path_factory.mktemp("finished"), [name], python_path)
    run.take_certificates()  # the smoke run of all papers makes its own
    run.screen = run.run("--quiet", "rules").stderr
    shutil.copy(run.folder / CELLS, run.folder / UNDISTURBED)
    return run


@pytest.fixture
def undisturbed(finished):
    """The table of its cells; not to be changed."""
    return finished.folder / UNDISTURBED


def test_the_example_of_the_documentation_runs_from_end_to_end(finished):
    example, screen = finished, finished.screen
    out = example.folder / "results" / "smoke"
    # A line for each job that has ended: its name, its cells, its seconds; the cells of all and the time left.
    for name in ("Ward", "Random"):
        assert re.search(
            rf"^examplepaper\.nested-blobs\.{name}: 3 ok; 0 kept; [0-9.]+ s  \[", screen, re.MULTILINE
        )
    # Two jobs that end together both say that all is done.
    ended = re.findall(r"\[(3 of 6 runs, about [0-9]+ (?:s|min) left|6 of 6 runs)\]$", screen, re.MULTILINE)
    assert len(ended) == 2 and "6 of 6 runs" in ended, screen
    assert re.search(r"^2 tables and figures in results/smoke$", screen, re.MULTILINE)
    audit = pd.read_csv(out / "audit.csv")
    assert set(audit.claim) == set(load_claims_of(example)) and audit.verdict.notna().all()
    index = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert "Ward&#39;s tree is far purer than a random tree." in index
    assert 'class="away-finding"' not in index
    assert "gate: passed" in (out / "gate.txt").read_text()
    assert "Nothing to be done" in (again := example.run()).stdout + again.stderr
    # A gate that is not passed fails the run and leaves what it found.
    record = next((out / "cells").rglob("*.json"))
    record.unlink()
    closed = example.run("--forcerun", "gate", "--quiet", "rules", check=False)
    said = (out / "gate.txt").read_text()
    assert closed.returncode != 0 and "gate: failed" in said and "try failed runs again" in said
    assert not (out / "jobs" / "gate.open").exists()
    # A step that fails says why, although the default profile keeps Snakemake quiet about rules and their logs.
    (out / "cells.parquet").write_bytes(b"damaged")
    broken = example.run("results/smoke/audit.csv", "--quiet", "rules", check=False)
    assert broken.returncode != 0 and "cladebench audit: results/smoke/cells.parquet" in broken.stderr


def load_claims_of(example):
    import sys

    sys.path.insert(0, example.environment["PYTHONPATH"])
    try:
        return load_claims(example.papers[0]).claims
    finally:
        sys.path.pop(0)


def test_cores_do_not_change_cells(example, undisturbed):
    example.run(CELLS, cores=1, config=("threads=2",))
    pd.testing.assert_frame_equal(
        reproducible(example.folder / CELLS), reproducible(undisturbed), check_exact=True
    )


def test_a_killed_run_goes_on_where_it_was(example, undisturbed):
    running = subprocess.Popen(
        example.command(CELLS, cores=1),
        env=example.environment,
        cwd=example.folder,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while not records(example.folder) and time.monotonic() < deadline and running.poll() is None:
        time.sleep(0.02)
    locks = example.folder / ".snakemake" / "locks"
    # While it lives it keeps its lock, and others are told whose it is. It is stopped, so that it cannot end
    # meanwhile.
    os.killpg(running.pid, signal.SIGSTOP)
    refused = example.remove_stale_lock()
    assert (
        refused.returncode == 1 and f"another run is at work here (process {running.pid} on" in refused.stderr
    )
    assert refused.stderr.count("\n") == 1 and list(locks.glob("*.lock"))
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = records(example.folder)
    assert before, "the run was to be killed after its first record"

    refused = example.run(CELLS, check=False)
    assert refused.returncode != 0 and "--unlock" in refused.stdout + refused.stderr
    removed = example.remove_stale_lock()
    assert removed.returncode == 0, removed.stderr
    assert removed.stdout.startswith("the last run was cut off: its lock is removed")
    assert not list(locks.glob("*.lock"))
    example.run(CELLS)
    after = records(example.folder)
    assert {path: after[path] for path in before} == before, "a finished cell was run again"
    pd.testing.assert_frame_equal(
        reproducible(example.folder / CELLS), reproducible(undisturbed), check_exact=True
    )


def test_a_wrong_configuration_says_key_and_allowed_values(example):
    done = example.run("--dry-run", check=False, config=("thread=2",))
    assert done.returncode != 0
    assert "thread" in done.stderr + done.stdout and "threads" in done.stderr + done.stdout


@pytest.mark.timeout(1700)
@pytest.mark.parametrize("paper", ["ghc", "hmmc"])
def test_a_smoke_run_leaves_every_cell_ok_and_every_claim_judged(smoke, paper):
    out = smoke.folder / "results" / "smoke"
    cells = read_cells(out / "cells.parquet")
    cells = cells[cells.paper == paper]
    planned = {c.spec.cell_id for job in expand(load_plan(paper), "smoke") for c in job.cells}
    assert set(cells.cell_id) == planned
    assert set(cells.status) == {"ok"}, cells[cells.status != "ok"][["cell_id", "reason"]]
    audit = pd.read_csv(out / "audit.csv")
    assert list(audit.columns[:10]) == [
        *("claim", "paper", "place", "published", "measured", "low", "high", "n", "verdict", "reason")
    ]
    claims = load_claims(paper).claims
    assert set(audit.claim[audit.paper == paper]) == set(claims)
    # A misspelt metric would leave its claims not testable for ever.
    asked = {str(query["metric"]) for c in claims.values() for query in queries(c) if query.get("metric")}
    register = load_choices(load_plan(paper).package)
    asked |= {
        m for entry in register for e in entry.effects for m in e.get("metrics", [e.get("metric")]) if m
    }
    assert asked <= set(cells.metric)
    assert audit.verdict.notna().all()


@pytest.mark.timeout(1700)
@pytest.mark.parametrize("paper", ["ghc", "hmmc"])
def test_a_smoke_run_leaves_every_table_and_figure(smoke, paper):
    out = smoke.folder / "results" / "smoke"
    for artifact in load_artifacts(load_plan(paper).package):
        if artifact.kind == "table":
            table = read_table(out / "tables" / paper / f"{artifact.id}.json")
            assert len(table.frame) or artifact.id == "unstated-similarity"  # of data that are not at hand
        else:
            assert (out / "figures" / paper / f"{artifact.id}.svg").stat().st_size > 1000


@pytest.mark.timeout(1700)
def test_readings_of_hmmc_are_rows_of_their_own(smoke):
    """One fit is read at three numbers of leaves, and the study at two numbers of clusters."""
    cells = read_cells(smoke.folder / "results" / "smoke" / "cells.parquet")
    cells = cells[cells.paper == "hmmc"]
    leaves = cells[(cells.method == "HMMC") & (cells.metric == "n_leaves")]
    one = leaves[leaves.cell_id == leaves.cell_id.iloc[0]]
    assert dict(zip(one["at"], one.value, strict=True)) == {
        '{"leaf_factor":1}': 8.0,
        '{"leaf_factor":1.5}': 12.0,
        '{"leaf_factor":2}': 16.0,
    }
    study = cells[(cells.method == "assignment-study") & (cells.metric == "excess")]
    assert set(study["at"]) == {'{"n_splits":2}', '{"n_splits":5}'}
    assert (study.value.abs() < 1e-7).all() and set(study.n_rows) == {100}


@pytest.mark.timeout(1700)
def test_all_methods_of_a_repetition_met_the_same_task(smoke):
    """Repetitions of ghc shuffle rows; hmmc's study alone draws rows; hfd draws folds; others draw data."""
    cells = read_cells(smoke.folder / "results" / "smoke" / "cells.parquet")
    cells = cells[cells.method != "assignment-study"]
    by_task = cells.groupby(["paper", "dataset", "repetition", "fold"], dropna=False)
    assert (by_task.task.nunique() == 1).all()
    tasks = cells.groupby("paper").task.nunique().to_dict()
    assert tasks == {"exemplar": 2, "ghc": 2, "hfd": 4, "hmmc": 2, "taxonomy": 2}


@pytest.mark.timeout(1700)
def test_the_certificates_of_a_smoke_run_have_passed(smoke):
    certificates = pd.read_csv(smoke.folder / "results" / "smoke" / "certificates.csv")
    assert len(certificates) and certificates.passed.all()


@pytest.mark.timeout(1700)
def test_the_report_of_a_smoke_run_opens_from_disk_and_stays_small(smoke):
    report = smoke.folder / "results" / "smoke" / "report"
    pages = list(report.rglob("*.html"))
    assert len(pages) >= 3
    assert sum(path.stat().st_size for path in report.rglob("*") if path.is_file()) < 10_000_000
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "http-equiv" not in text and 'src="http' not in text and "@import" not in text


@pytest.mark.timeout(1700)
def test_snakemake_report_has_captions_and_categories(smoke):
    smoke.run("--report", "report.zip", timeout=1600)
    assert (smoke.folder / "report.zip").stat().st_size > 100_000


def test_only_the_jobs_that_import_a_file_depend_on_it():
    plan = Workplan({"scope": "full", "papers": ["ghc"]})

    job_of = {method.name: name for name, job in plan.jobs.items() for method in job.methods}

    def depends(method, file):
        return any(path.endswith(file) for path in plan.sources(job_of[method]))

    assert depends("Perch", "methods/perch.py") and not depends("HKMeans", "methods/perch.py")
    assert depends("GHC-N-FT", "methods/ghc/training.py") and not depends("HAC-C", "methods/ghc/training.py")
    # helpers two imports away count too
    assert depends("HAC-C", "metrics/similarity.py") and depends("HKMeans", "methods/base.py")
    assert all(depends(method, "papers/ghc/protocol.py") for method in ("Perch", "HKMeans", "GHC-N-FT"))
