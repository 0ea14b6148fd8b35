"""How the workflow ends: at once, and with nothing left alive."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from cladebench.workflow.ending import let_end

#: In the place of Snakemake: deaf, with a job that is as deaf, and a guarded worker in a session of its own.
DEAF = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
if sys.argv[-1] == "job":
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    guard = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r _; kill -s KILL -- "-$0"', str(worker.pid)],
        stdin=subprocess.PIPE, start_new_session=True,
    )
    pids = [os.getppid(), os.getpid(), worker.pid, guard.pid]
    with open("pids.tmp", "w") as file:
        file.write(" ".join(map(str, pids)))
    os.rename("pids.tmp", "pids")
    time.sleep(600)
subprocess.run([sys.executable, __file__, "job"])
"""

#: In the place of Snakemake: hears, and ends by itself a moment later.
POLITE = """
import signal, sys, time
def heard(*_):
    time.sleep(0.1)
    open("ended", "w").close()
    sys.exit(1)
signal.signal(signal.SIGINT, heard)
open("pids", "w").close()
time.sleep(600)
"""

SHORT = """
import os, time
open("pids", "w").close()
while not os.path.exists("go"):
    time.sleep(0.01)
"""

START = """
import sys
from pathlib import Path
from cladebench.workflow.start import snakemake
sys.exit(snakemake(Path(sys.argv[1]), Path("none"), 1, [], []))
"""
#: The same, and each signal comes once more while the workflow ends.
TWICE = """
import os, signal
from cladebench.workflow import ending
end = ending.end
def end_amid_signals(process):
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), number)
    end(process)
ending.end = end_amid_signals
"""


@pytest.fixture
def start(tmp_path):
    """Start the workflow with something in the place of Snakemake."""
    begun = []

    def starter(source: str, on_interrupt=signal.SIG_DFL, begin="") -> subprocess.Popen:
        package = tmp_path / "path" / "snakemake"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "__main__.py").write_text(source)
        process = subprocess.Popen(
            [sys.executable, "-c", begin + START, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": str(package.parent)},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, on_interrupt),
        )
        begun.append(process)
        wait_for(tmp_path / "pids")
        return process

    yield starter
    for process in begun:
        process.kill()
        process.communicate()


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, "it did not start"
        time.sleep(0.01)


def living(pids: list[int]) -> list[int]:
    return [
        pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_alive_of_what_hears_no_signal(start, tmp_path, number):
    process = start(DEAF)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(living(pids)) == 4
    process.send_signal(number)  # to it alone
    _, error = process.communicate(timeout=60)
    assert process.returncode == 128 + number and living(pids) == []
    assert error == f"cladebench: stopped; finished runs are in {tmp_path}: the same command goes on\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_stop_the_ending(start, tmp_path, number):
    process = start(DEAF, begin=TWICE)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    process.send_signal(number)  # the ending sends another
    _, error = process.communicate(timeout=60)
    assert process.returncode == 128 + number and living(pids) == [] and "Traceback" not in error


def test_what_hears_the_signal_ends_by_itself(start, tmp_path):
    process = start(POLITE)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130 and (tmp_path / "ended").exists()


def test_a_signal_that_is_ignored_ends_nothing(start, tmp_path):
    process = start(SHORT, on_interrupt=signal.SIG_IGN)
    os.killpg(process.pid, signal.SIGINT)
    (tmp_path / "go").touch()
    assert process.communicate(timeout=60)[1] == "" and process.returncode == 0


def test_no_timer_holds_up_the_end_and_other_threads_finish():
    timer = threading.Timer(3600, lambda: None)
    go = threading.Event()
    other = threading.Thread(target=go.wait, daemon=True)
    for thread in (timer, other):
        thread.start()
    try:
        let_end()
        timer.join(60)
        assert not timer.is_alive() and other.is_alive()
    finally:
        timer.cancel()
        go.set()
        gc.unfreeze()
