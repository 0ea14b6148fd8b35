"""Runs that are killed: by SIGKILL, by the user, by the scheduler. Real processes, started as a user starts them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from cladebench.bench.store.store import Store

DRIVER = """
import sys
from cladebench.bench.provenance import core_build as build
build.check_core_is_fresh = lambda: None  # whether the core is fresh is not the matter here
from cladebench.bench.run import run_job
# Workers start without scikit-learn, which takes most of a start and which the toys do not use.
run_job._Origins.modules = lambda self, method: ["numpy.random", "toy_paper.protocol"]
from cladebench.cli import main
sys.exit(main(sys.argv[1:]))
"""


def command(method: str, out: Path) -> list[str]:
    options = [
        "run",
        "--paper",
        "toy_paper",
        "--scope",
        "smoke",
        "--method",
        method,
        "--out",
        str(out),
        "--seed",
        "3",
    ]
    return [sys.executable, "-c", DRIVER, *options]


def environment(trace: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "shared"), "TOY_TRACE": str(trace)}


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@contextlib.contextmanager
def started(method: str, out: Path, trace: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command(method, out),
        env=environment(trace),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Ignored, as by a shell in the background, it would stay ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def traced(trace: Path) -> list[tuple[str, int]]:
    """(cell, pid) of each cell that was begun."""
    lines = trace.read_text().splitlines() if trace.exists() else []
    return [(line.split()[0], int(line.split()[1])) for line in lines]


def gone(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True


def results(out: Path) -> dict[str, tuple]:
    return {
        r["cell_id"]: (
            r["status"],
            r["readings"],
            r["key"],
            Store(out).path(r["cell_id"], ".npz").read_bytes(),
        )
        for r in Store(out).iter_records()
    }


def finish(method: str, out: Path, trace: Path) -> str:
    done = subprocess.run(
        command(method, out), env=environment(trace), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


STOPS = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}


def test_a_run_that_is_stopped_goes_on_where_it_was(tmp_path):
    """Again and again, in each way; what is there at last is what a run gives that nobody stops."""
    out, trace = tmp_path / "out", tmp_path / "trace"
    finish("slow", tmp_path / "undisturbed", tmp_path / "other-trace")
    undisturbed = results(tmp_path / "undisturbed")
    finished, begun, twice = {}, 0, 0
    for number, code in STOPS.items():
        before = finished
        with started("slow", out, trace) as process:
            wait_for(lambda least=begun + 2: len(traced(trace)) >= least)
            process.send_signal(number)
            assert process.wait(timeout=20) == code
            worker = traced(trace)[-1][1]
            wait_for(lambda pid=worker: gone(pid))
        begun, finished = len(traced(trace)), results(out)
        # One that was under way, if there was one, is run twice.
        assert begun - twice - len(finished) in (0, 1)
        twice = begun - len(finished)
        assert before.items() <= finished.items() <= undisturbed.items()
        assert len(before) < len(finished) < len(undisturbed), "the run was not stopped half-way"
    output = finish("slow", out, trace)
    assert results(out) == undisturbed and len(undisturbed) == 12
    assert output.count("(kept)") == len(finished)
    runs = Counter(cell for cell, _ in traced(trace))
    assert runs.total() == len(undisturbed) + twice and max(runs.values()) <= 1 + len(STOPS)
    assert not [path for path in out.rglob("*.tmp")]


def test_the_children_of_a_cell_die_with_the_run(tmp_path):
    out, trace = tmp_path / "out", tmp_path / "trace"
    log = Store(out).log_path("toy_paper.nested-blobs.brood")
    with started("brood", out, trace) as process:
        wait_for(lambda: log.exists() and "child" in log.read_text())
        process.kill()
    child = int(log.read_text().split("child")[1].split()[0])
    wait_for(lambda: gone(child) and gone(traced(trace)[-1][1]))


def test_an_unwritable_folder_is_said_in_one_line(tmp_path):
    blocked = tmp_path / ("x" * 300)
    done = subprocess.run(
        command("good", blocked / "out"), env=environment(tmp_path / "trace"), capture_output=True, text=True
    )
    assert done.returncode == 1
    assert (
        len(done.stderr.splitlines()) == 1
        and str(blocked) in done.stderr
        and "cannot be written" in done.stderr
    )
