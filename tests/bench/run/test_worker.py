"""What a worker sets before cells run in it; what it does with them is in test_run_job.py."""

import json
import os
import resource
import sys
from types import SimpleNamespace

import pytest

from cladebench.bench.run import worker

PAGE = 4096


@pytest.fixture
def kernel(monkeypatch):
    """A kernel that says that so many pages are reserved, and keeps the limit that it is given."""
    given = SimpleNamespace(pages=1000, hard=resource.RLIM_INFINITY, limits=[])

    class Statm:
        def __init__(self, path):
            assert path == "/proc/self/statm"

        def read_text(self):
            if given.pages is None:
                raise FileNotFoundError
            return f"{given.pages} 7 8 9\n"

    monkeypatch.setattr(worker, "Path", Statm)
    monkeypatch.setattr(resource, "getpagesize", lambda: PAGE)
    monkeypatch.setattr(resource, "getrlimit", lambda what: (5, given.hard))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: given.limits.append((what, limits)))
    monkeypatch.setattr(worker, "ADDRESS_HEADROOM_MB", 2)
    return given


@pytest.mark.parametrize(
    ("hard", "soft"),
    [
        (resource.RLIM_INFINITY, 1000 * PAGE + 12 * 2**20),
        (2**40, 1000 * PAGE + 12 * 2**20),
        (2**20, 2**20),  # no more than the system allows
    ],
)
def test_the_address_space_ends_beyond_what_is_reserved_and_may_be_used(kernel, hard, soft):
    kernel.hard = hard
    worker._limit_address_space(10)
    assert kernel.limits == [(resource.RLIMIT_AS, (soft, hard))]


def test_where_the_kernel_does_not_tell_nothing_is_limited(kernel):
    kernel.pages = None
    worker._limit_address_space(10)
    assert kernel.limits == []


def test_threads_are_those_of_the_core_alone(monkeypatch):
    monkeypatch.setenv("ELSEWHERE", "kept")
    monkeypatch.setenv("OMP_NUM_THREADS", "9")
    found = worker.worker_environment(3)
    several = {name for name, value in found.items() if value == "3" and ("THREADS" in name or "CPU" in name)}
    assert several >= {"OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT"} and found["OPENBLAS_NUM_THREADS"] == "1"
    assert found["ELSEWHERE"] == "kept"


def test_a_worker_says_where_it_crashed_and_leaves_no_core(monkeypatch):
    done = []
    monkeypatch.setattr(worker.faulthandler, "enable", lambda: done.append("enabled"))
    monkeypatch.setattr(worker.resource, "setrlimit", lambda which, limits: done.append((which, limits[0])))
    commands, end = os.pipe()
    os.close(end)
    worker.main(commands, os.open(os.devnull, os.O_WRONLY))
    assert done == ["enabled", (worker.resource.RLIMIT_CORE, 0)]


def test_a_worker_looks_for_modules_where_its_job_does_and_in_no_place_twice(monkeypatch):
    monkeypatch.setattr(worker.faulthandler, "enable", lambda: None)
    monkeypatch.setattr(worker.resource, "setrlimit", lambda which, limits: None)
    monkeypatch.setattr(sys, "path", ["/here"])
    commands, end = os.pipe()
    os.write(end, json.dumps({"sys_path": ["/there", "/here"]}).encode() + b"\n")
    os.close(end)
    worker.main(commands, os.open(os.devnull, os.O_WRONLY))
    assert sys.path == ["/here", "/there"]
