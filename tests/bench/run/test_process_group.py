"""The processes of a cell: who they are and what they use."""

import os
import time
from collections import namedtuple
from contextlib import nullcontext
from types import SimpleNamespace

import psutil

from cladebench.bench.run import watchdog
from cladebench.bench.run.watchdog import ProcessGroup


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


Linux = namedtuple("Linux", "user system children_user children_system")
Other = namedtuple("Other", "user system")


class Seen:
    """A process as psutil shows it; gone where it has no times."""

    def __init__(self, times, mib):
        self.times, self.mib = times, mib

    def oneshot(self):
        return nullcontext()

    def cpu_times(self):
        if self.times is None:
            raise psutil.NoSuchProcess(1)
        return self.times

    def memory_info(self):
        return SimpleNamespace(rss=self.mib * 2**20)


def test_a_group_uses_what_its_processes_and_their_ended_children_use(monkeypatch):
    there = [Seen(Linux(1, 2, 4, 8), 30), Seen(None, 50), Seen(Other(16, 32), 3)]
    monkeypatch.setattr(ProcessGroup, "members", lambda self: there)
    assert ProcessGroup(1).measure() == (63, 33)
    there.clear()
    assert ProcessGroup(1).measure() == (0, 0)
