"""Workers that do not start, and what the parent sees, judges and keeps of those that run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from cladebench.bench.plan.cell_spec import CellSpec, Limits, MethodPlan, canonical_json
from cladebench.bench.run import watchdog
from cladebench.bench.run.watchdog import (
    ProcessGroup,
    Usage,
    Worker,
    WorkerFailure,
    breach,
    how_it_ended,
    import_limits,
)
from cladebench.bench.run.worker_answers import WorkerAnswer


def test_a_worker_that_cannot_start_leaves_no_file_open(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    before = os.listdir("/proc/self/fd")
    with pytest.raises(
        FileNotFoundError, match="no-python"
    ) as caught:  # what it holds cannot close files for us
        Worker("toy_paper", tmp_path, tmp_path / "log", threads=1)
    assert os.listdir("/proc/self/fd") == before and caught.value.__traceback__


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Gives a function that starts a worker whose Python is a shell script; the error's text and the script's id."""

    def run(script: str) -> tuple[str, int]:
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{script}\n")
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
        with pytest.raises(WorkerFailure) as caught:
            Worker("toy_paper", tmp_path, tmp_path / "log", threads=1)
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


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (0, "ended by itself with exit code 0"),
        (7, "ended by itself with exit code 7"),
        (-signal.SIGSEGV, "was killed by SIGSEGV"),
        (
            -signal.SIGKILL,
            "was killed by SIGKILL (not by the watchdog; perhaps by the system, out of memory)",
        ),
        (-200, "was killed by signal 200"),
    ],
)
def test_an_exit_code_in_words(code, said):
    assert how_it_ended(code) == f"the worker process {said}"


def test_a_limit_that_is_reached_is_not_broken():
    limits = Limits(10, 100, 20)
    assert breach(Usage(10, 20, 100), limits, 1) is None and breach(Usage(20, 20, 100), limits, 2) is None
    assert [
        breach(Usage(*used), limits, 1)[0] for used in ((10.1, 1, 1), (1, 20.1, 1), (10.1, 20.1, 100.1))
    ] == [*("timeout", "timeout", "out_of_memory")]


class Group2(ProcessGroup):
    """Uses what is said of each look."""

    def __init__(self, *looks, members=1):
        self.looks, self.there = list(looks), members

    def measure(self):
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]

    def members(self, *, now=False):
        return [None] * (self.there if now else 1)


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """Gives a function that makes a worker without a process, whose group uses what is said; it answers nothing."""

    def make(*looks, ended=None, members=1, takes=True):
        found = Worker.__new__(Worker)
        found.log, found._buffer = tmp_path / "log", b""
        found.log.write_bytes(b"before\n")
        found._output = watchdog.open_log(found.log)
        found._members = Group2(*looks, members=members)
        found._process = SimpleNamespace(poll=lambda: ended, returncode=ended)
        found.kills, found.sent = [], []
        found.kill = lambda: found.kills.append(found.group)
        found.group = 0
        found._send = lambda message: (found.sent.append(message), takes)[1]
        found._answers, found.other_end = os.pipe()
        ends.extend((found._answers, found.other_end))
        return found

    ends = []
    monkeypatch.setattr(watchdog, "POLL_SECONDS", 0.01)
    yield make
    for end in ends:
        os.close(end)


def spec(**limits):
    return CellSpec(
        "p", "d", "m", {}, 0, 7, Limits(**{"time_s": 10, "memory_mb": 100, "wall_s": 60, **limits})
    )


METHOD = MethodPlan("m", "E")


def test_what_earlier_cells_used_does_not_count(worker):
    """And what was seen once is not forgotten."""
    one = worker((1000.0, 5.0), (1004.0, 90.0), (1003.0, 20.0), (1011.0, 30.0))
    outcome = one.run(spec(), METHOD, [], {})
    assert (outcome.record, outcome.status) == (None, "timeout")
    assert (outcome.usage.cpu, outcome.usage.memory_mb) == (11.0, 90.0) and 0 < outcome.usage.wall < 60
    assert outcome.reason == "11.0 s of CPU time, limit 10.0 s" and outcome.changes == []
    assert len(one.kills) == 1


def test_imports_do_not_count_as_the_time_of_the_cell(worker):
    one = worker((0.0, 1.0), (99.0, 1.0), (100.0, 1.0), (105.0, 1.0), (111.0, 1.0))
    lines = [None, "imported", None, None]
    one._receive = lambda: (
        (line := lines.pop(0)) and canonical_json({"token": one.sent[0]["token"], line: True}).encode()
    )
    outcome = one.run(spec(), METHOD, ["torch"], {})
    assert outcome.reason == "11.0 s of CPU time, limit 10.0 s" and lines == []


def test_imports_have_limits_of_their_own(worker):
    one = worker((0.0, 1.0), (179.0, 1.0), (181.0, 1.0))
    outcome = one.run(spec(), METHOD, ["torch"], {})
    assert (outcome.status, outcome.usage.cpu) == ("timeout", 181.0)
    assert outcome.reason == "while modules were imported: 181.0 s of CPU time, limit 180.0 s"
    assert import_limits(Limits(500, 100, 20)) == Limits(500, 100, 570)
    assert import_limits(Limits(5, 100, 900)) == Limits(180, 100, 900)


def test_a_cell_that_waits_too_long_is_stopped(worker):
    outcome = worker((0.0, 1.0)).run(spec(wall_s=0.05), METHOD, [], {})
    assert outcome.status == "timeout" and "wall limit 0.1 s" in outcome.reason.replace("0.05", "0.1")
    assert outcome.usage.wall > 0.05


def test_a_worker_that_is_gone_is_an_error_with_its_wall_time(worker):
    outcome = worker((0.0, 1.0), ended=3).run(spec(), METHOD, [], {})
    assert (outcome.status, outcome.reason) == ("error", how_it_ended(3))
    assert outcome.usage.wall > 0 and outcome.log_tail == ""


def test_a_worker_that_takes_no_commands_is_an_error(worker):
    one = worker((0.0, 1.0), takes=False)
    one._process.wait = lambda timeout: -signal.SIGSEGV
    assert one.run(spec(), METHOD, [], {}).reason == how_it_ended(-signal.SIGSEGV)

    def still_there(timeout):
        raise subprocess.TimeoutExpired("worker", timeout)

    one._process.wait = still_there
    outcome = one.run(spec(), METHOD, [], {})
    assert (outcome.status, outcome.reason) == ("error", "the worker process no longer takes commands")
    assert len(one.kills) == 2


def test_what_a_record_says_of_its_cell_counts_but_the_memory_that_was_seen(worker, monkeypatch):
    """The whole group's may be more than the worker's own."""
    record = {"peak_memory_mb": 70.0, "cpu_seconds": 2.0, "wall_seconds": 3.0}
    looks = []

    def receive():
        looks.append(1)
        return b"a line" if len(looks) == 3 else None

    for seen, peak in ((90.0, 90.0), (50.0, 70.0)):
        one = worker((0.0, 1.0), (0.5, seen), (0.5, 1.0))
        one._receive = receive
        met = []
        monkeypatch.setattr(
            watchdog,
            "read_answer",
            lambda *given, met=met: (met.append(given), WorkerAnswer(record, ["sys.path"]))[1],
        )
        outcome = one.run(spec(), METHOD, [], {})
        assert (outcome.record, outcome.status, outcome.reason) == (record, None, None)
        assert (outcome.usage, outcome.changes) == (Usage(2.0, 3.0, peak), ["sys.path"])
        assert one.kills == [] and met[0][:2] == (b"a line", one.sent[0]["token"])
        assert (one.sent[0]["spec"], one.sent[0]["method"]) == (spec().as_dict(), METHOD.as_dict())
        looks.clear()


def test_a_wrong_answer_ends_the_worker(worker):
    one = worker((0.0, 1.0))
    os.write(one.other_end, b"no answer\nanother\n")
    outcome = one.run(spec(), METHOD, [], {})
    assert outcome.status == "error" and len(one.kills) == 1
    assert outcome.reason.endswith("answered with something else than the run's record: no JSON in UTF-8")


def test_each_cell_has_a_token_of_its_own(worker):
    one = worker((0.0, 1.0), ended=0)
    for _ in range(2):
        one.run(spec(), METHOD, [], {})
    first, second = (message["token"] for message in one.sent)
    assert first != second and min(len(first), len(second)) == 32


def test_commands_go_out_whole_or_not_at_all(tmp_path):
    one = Worker.__new__(Worker)
    read, one._commands = os.pipe()
    assert one._send({"b": 1, "a": "ä"}) is True
    assert os.read(read, 100) == '{"a":"ä","b":1}\n'.encode()
    os.close(read)
    assert one._send({"a": 1}) is False
    os.close(one._commands)


@pytest.mark.parametrize(
    ("memory", "members", "buffer", "unread", "clean"),
    [
        (50.0, 1, b"", b"", True),
        (50.1, 1, b"", b"", False),  # more than half of the limit
        (10.0, 2, b"", b"", False),
        (10.0, 1, b"a line", b"", False),
        (10.0, 1, b"", b"a line", False),
    ],
)
def test_a_clean_worker_is_alone_silent_and_small(worker, memory, members, buffer, unread, clean):
    one = worker((0.0, memory), members=members)
    one._buffer = buffer
    os.write(one.other_end, unread)
    assert one.is_clean(Limits(10, 100)) is clean


def test_lines_come_one_by_one_and_halves_wait(worker):
    one = worker((0.0, 1.0))
    assert one._receive() is None
    os.write(one.other_end, b"first\nsecond\nthi")
    assert [one._receive() for _ in range(3)] == [b"first", b"second", None]
    os.write(one.other_end, b"rd\n\n")
    assert [one._receive() for _ in range(3)] == [b"third", b"", None]


@pytest.mark.parametrize(("written", "buffered", "flood"), [(10, 10, False), (11, 0, True), (0, 11, True)])
def test_output_is_a_flood_from_a_byte_beyond_the_limit_on(worker, monkeypatch, written, buffered, flood):
    monkeypatch.setattr(watchdog, "LOG_LIMIT", 10)
    one = worker((0.0, 1.0))
    offset = one.log.stat().st_size
    one.log.write_bytes(b"before\n" + b"x" * written)
    one._buffer = b"x" * buffered
    assert (one._flood(offset) is not None) is flood


def test_of_a_long_output_12000_characters_are_told(worker):
    one = worker((0.0, 1.0))
    offset = one.log.stat().st_size
    one.log.write_bytes(b"before\n" + "é".encode() * 13000)
    assert one._tail(offset) == "é" * 12000


def test_of_a_long_output_the_beginning_and_the_end_are_kept(worker, monkeypatch):
    monkeypatch.setattr(watchdog, "LOG_TAIL", 5)
    monkeypatch.setattr(watchdog, "LOG_KEPT", 10)
    one = worker((0.0, 1.0))
    offset = one.log.stat().st_size
    for n, shortened in ((30, False), (31, True)):
        text = b"".join(b"%d" % (k % 10) for k in range(n))
        one.log.write_bytes(b"before\n" + text)
        tail = one._tail(offset)
        assert tail == text[-5:].decode()
        one._shorten_log(offset, tail)
        kept = b"0123456789\n[the middle of the output is left out]\n" + text[-5:]
        assert one.log.read_bytes() == b"before\n" + (kept if shortened else text)


def test_the_tail_begins_no_earlier_than_its_cell(worker):
    one = worker((0.0, 1.0))
    assert one._tail(one.log.stat().st_size) == "" and one._tail(3) == "ore\n"


def test_a_worker_that_ends_is_left_a_moment(monkeypatch):
    """No busy loop where its pipe is closed, and it itself not yet gone."""
    answers, other = os.pipe()
    os.close(other)
    worker = Worker.__new__(Worker)
    worker._buffer, worker._answers = b"", answers
    slept = []
    monkeypatch.setattr(watchdog.time, "sleep", slept.append)
    try:
        assert worker._receive() is None
    finally:
        os.close(answers)
    assert len(slept) == 1 and 0 < slept[0] <= watchdog.POLL_SECONDS


def test_a_link_in_the_place_of_a_log_makes_way_and_what_it_leads_to_stays(tmp_path):
    log, other = tmp_path / "log", tmp_path / "other"
    other.write_text("not ours")
    log.symlink_to(other)
    with watchdog.open_log(log) as file:
        file.write(b"a line")
    assert log.read_text() == "a line" and other.read_text() == "not ours"
