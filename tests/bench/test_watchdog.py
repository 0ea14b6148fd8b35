"""Workers that do not start: the message says how, and no process stays behind."""

import sys
import time
from pathlib import Path

import psutil
import pytest

from cladebench.bench import watchdog
from cladebench.bench.watchdog import Worker, WorkerFailure


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Gives a function that starts a worker whose Python is a shell script; the error's text and the script's id."""

    def run(script: str) -> tuple[str, int]:
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{script}\n")
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
        with pytest.raises(WorkerFailure) as caught:
            Worker("toy_paper", "good", {}, tmp_path, tmp_path / "log", threads=1)
        return str(caught.value), int(Path(tmp_path, "pid").read_text())

    return run


def is_gone(pid: int) -> bool:
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    "script", ["echo no such library; exit 3", 'read -r _ < "/dev/fd/$4"; echo no such library; exit 3']
)
def test_a_worker_that_ends_at_once_says_how_and_shows_its_output(start, script):
    said, pid = start(script)
    assert said.startswith(
        "the worker could not be started: the worker process ended by itself with exit code 3\n"
    )
    assert said.endswith("no such library\n") and is_gone(pid)


def test_a_worker_that_never_answers_is_ended(start, monkeypatch):
    monkeypatch.setattr(watchdog, "STARTUP_SECONDS", 1.0)
    said, pid = start("exec sleep 300")
    assert said.startswith("the worker could not be started: gave no answer in 1 s")
    assert is_gone(pid)


def test_output_that_is_no_text_is_shown_as_far_as_it_is(start):
    said, _ = start("printf 'before \\377 after'; exit 3")
    assert said.endswith("\nbefore \ufffd after")
