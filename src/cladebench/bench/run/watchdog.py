"""Start a worker, hand it cells, and kill it at their limits."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from cladebench.bench.plan.cell_spec import CellSpec, Limits, MethodPlan, canonical_json
from cladebench.bench.run.worker import worker_environment
from cladebench.bench.run.worker_answers import WrongAnswer, read_answer
from cladebench.files import remove

POLL_SECONDS = 0.05
SCAN_PAUSE = 20  # times as long as it took is left between looks through all processes of the machine
STARTUP_SECONDS = 180.0
LOG_TAIL = 12000  # characters: a crash ends with a long list of modules.
LOG_LIMIT = 256 * 2**20  # bytes of output: a cell that writes more is killed before it fills the disk.
LOG_KEPT = 64 * 2**10  # bytes of a finished cell's output that are kept, beside its tail.


@dataclass(frozen=True)
class Usage:
    """Hold a cell's use: CPU and wall seconds, resident MiB."""

    cpu: float
    wall: float
    memory_mb: float


@dataclass(frozen=True)
class Ending:
    """Hold how a cell ended: its record, or a status and reason.

    `changes` names what the cell left changed in the process.
    """

    record: dict[str, Any] | None
    status: str | None
    reason: str | None
    usage: Usage
    log_tail: str
    changes: list[str] = field(default_factory=list)


def breach(usage: Usage, limits: Limits, threads: int) -> tuple[str, str] | None:
    """Give status and reason of the first broken limit, memory first."""
    if usage.memory_mb > limits.memory_mb:
        return "out_of_memory", f"{usage.memory_mb:.0f} MB resident, limit {limits.memory_mb:.0f} MB"
    if usage.cpu > limits.time_s * threads:
        return "timeout", f"{usage.cpu:.1f} s of CPU time, limit {limits.time_s * threads:.1f} s"
    if usage.wall > limits.wall_limit:
        return "timeout", (
            f"{usage.wall:.1f} s of wall time with {usage.cpu:.1f} s of CPU time, wall limit {limits.wall_limit:.1f} s"
        )
    return None


def import_limits(limits: Limits) -> Limits:
    """Give the limits of a cell's imports.

    They allow at least the time to start a worker on a busy machine.
    """
    least = Limits(STARTUP_SECONDS, limits.memory_mb)
    wall = max(limits.wall_limit, least.wall_limit)
    return replace(limits, time_s=max(limits.time_s, least.time_s), wall_s=wall)


def how_it_ended(returncode: int) -> str:
    """Put a worker's exit code in words."""
    if returncode >= 0:
        return f"the worker process ended by itself with exit code {returncode}"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        name = f"signal {-returncode}"
    hint = " (not by the watchdog; perhaps by the system, out of memory)" if name == "SIGKILL" else ""
    return f"the worker process was killed by {name}{hint}"


class ProcessGroup:
    """The living processes of a process group.

    Finding them means looking through all processes of the machine. Where there are thousands, this is done less often
    than the watchdog polls, which keeps it cheap; a new process is then noticed a little later.
    """

    def __init__(self, group: int) -> None:
        self._group = group
        self._members: list[psutil.Process] = []
        self._next_scan = 0.0

    def members(self, *, now: bool = False) -> list[psutil.Process]:
        """Give the processes of the last scan; `now` scans again."""
        begin = time.monotonic()
        if now or begin >= self._next_scan:
            self._members = []
            for pid in psutil.pids():
                with contextlib.suppress(OSError, psutil.Error):
                    if os.getpgid(pid) == self._group:
                        self._members.append(psutil.Process(pid))
            end = time.monotonic()
            self._next_scan = end + SCAN_PAUSE * (end - begin)
        return self._members

    def measure(self) -> tuple[float, float]:
        """Measure CPU seconds and resident MiB.

        Children that were waited for are included.
        """
        cpu, memory = 0.0, 0
        for member in self.members():
            with contextlib.suppress(psutil.Error), member.oneshot():
                times = member.cpu_times()
                cpu += times.user + times.system
                cpu += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
                memory += member.memory_info().rss
        return cpu, memory / 2**20


def open_log(path: Path) -> io.FileIO:
    """Open a log to append to.

    What is no file there, as a cell may leave it, makes way.
    """
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        remove(path)
    return open(path, "a+b", buffering=0)


class WorkerFailure(RuntimeError):
    """A worker process could not be started."""


class Worker:
    """A worker process, alone in its process group.

    The whole group is killed when a limit is broken and at the end. When this process itself dies, a small guard
    process, which waits for the end of a pipe, kills it. Children that a cell puts into other process groups escape
    the limits.

    Parameters
    ----------
    package : str
        The paper's package.
    root : Path
        Folder of the store.
    log : Path
        Takes the output of all cells.
    threads : int
        Threads of the core's loops.
    """

    def __init__(
        self,
        package: str,
        root: Path,
        log: Path,
        threads: int,
    ) -> None:
        self.log = log
        self._buffer = b""
        # Open as long as the worker lives: what stands at the path, a cell may change.
        self._output = open_log(log)
        offset = self._written()
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "cladebench.bench.run.worker", str(commands), str(answers)],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                env=worker_environment(threads),
                pass_fds=(commands, answers),
                start_new_session=True,
            )
        except BaseException:
            self._output.close()
            os.close(self._commands)
            os.close(self._answers)
            raise
        finally:
            os.close(commands)
            os.close(answers)
        self.group = self._process.pid
        self._members = ProcessGroup(self.group)
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", 'read -r _; kill -s KILL -- "-$0"', str(self.group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        job = {
            "sys_path": [path for path in sys.path if path],
            "package": package,
            "root": str(root.absolute()),
        }
        try:
            self._start(job, offset)
        except BaseException:
            self.stop()
            raise

    def _start(self, job: dict[str, Any], offset: int) -> None:
        start = time.monotonic()
        self._send(job)
        while time.monotonic() - start < STARTUP_SECONDS:
            line = self._receive()
            if line is not None:
                return
            if self._process.poll() is not None:
                break
        ended = self._process.poll()
        how = f"gave no answer in {STARTUP_SECONDS:.0f} s" if ended is None else how_it_ended(ended)
        raise WorkerFailure(f"the worker could not be started: {how}\n{self._tail(offset)}")

    def run(
        self, spec: CellSpec, method: MethodPlan, modules: Sequence[str], provenance: Mapping[str, Any]
    ) -> Ending:
        """Run one cell within its limits.

        Without a record in the outcome the worker is dead and must be stopped.

        The `modules` are imported first, with limits of their own: their imports do not count as the cell's time.
        """
        offset, start = self._written(), time.monotonic()
        before, _ = self._members.measure()
        usage = Usage(0.0, 0.0, 0.0)
        answer, verdict = None, None
        token = secrets.token_hex(16)
        imported = canonical_json({"token": token, "imported": True}).encode()
        importing, limits = bool(modules), import_limits(spec.limits) if modules else spec.limits
        sent = {"spec": spec.as_dict(), "method": method.as_dict(), "provenance": provenance}
        if not self._send({**sent, "modules": modules, "token": token}):
            verdict = "error", "the worker process no longer takes commands"
            with contextlib.suppress(subprocess.TimeoutExpired):
                verdict = "error", how_it_ended(self._process.wait(timeout=POLL_SECONDS))
        while verdict is None:
            line = self._receive()
            if importing and line == imported:
                importing, limits = False, spec.limits
                usage, start = Usage(0.0, 0.0, 0.0), time.monotonic()
                before, _ = self._members.measure()
                continue
            if line is not None:
                try:
                    answer = read_answer(line, token, spec, method, provenance)
                except WrongAnswer as error:
                    verdict = (
                        "error",
                        f"the worker process answered with something else than the run's record: {error}",
                    )
                break
            if self._process.poll() is not None:
                verdict = "error", how_it_ended(self._process.returncode)
                break
            cpu, memory = self._members.measure()
            usage = Usage(
                max(usage.cpu, cpu - before), time.monotonic() - start, max(usage.memory_mb, memory)
            )
            verdict = breach(usage, limits, spec.threads) or self._flood(offset)
            if importing and verdict is not None:
                verdict = verdict[0], f"while modules were imported: {verdict[1]}"
        if verdict is None and not self._is_log_in_place():
            answer, verdict = (
                None,
                ("error", f"{self.log}: the run put something else in the place of its log"),
            )
        if answer is None:
            self.kill()
            # A worker may be gone before it was looked at even once.
            usage = replace(usage, wall=max(usage.wall, time.monotonic() - start))
        else:
            record = answer.record
            peak = max(usage.memory_mb, record["peak_memory_mb"])
            usage = Usage(record["cpu_seconds"], record["wall_seconds"], peak)
        tail = self._tail(offset)
        self._shorten_log(offset, tail)
        status, reason = verdict or (None, None)
        if answer is None:
            return Ending(None, status, reason, usage, tail)
        return Ending(answer.record, status, reason, usage, tail, answer.changes)

    def is_clean(self, limits: Limits) -> bool:
        """Say whether earlier cells are no burden to the next.

        They may have left memory, processes or output.
        """
        alone = len(self._members.members(now=True)) == 1
        silent = not self._buffer and not select.select([self._answers], [], [], 0)[0]
        _, memory = self._members.measure()
        return alone and silent and memory <= limits.memory_mb / 2

    def kill(self) -> None:
        """Kill the whole process group at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End the worker; nothing is lost, for its records are written."""
        self.kill()
        # The guard has nothing left to do; left to end by itself, it would kill a group of that number once more.
        with self._guard:  # closes its pipe and waits for it
            self._guard.kill()
        self._output.close()
        os.close(self._commands)
        os.close(self._answers)

    def _written(self) -> int:
        """Bytes of output so far."""
        return os.fstat(self._output.fileno()).st_size

    def _is_log_in_place(self) -> bool:
        try:
            return os.path.samestat(os.lstat(self.log), os.fstat(self._output.fileno()))
        except OSError:
            return False

    def _send(self, message: dict[str, Any]) -> bool:
        """Send one line; False if the worker is gone."""
        data = memoryview((canonical_json(message) + "\n").encode())
        try:
            while data:
                data = data[os.write(self._commands, data) :]
        except BrokenPipeError:
            return False
        return True

    def _receive(self) -> bytes | None:
        """Read a line from the worker, or None within `POLL_SECONDS`."""
        deadline = time.monotonic() + POLL_SECONDS
        while b"\n" not in self._buffer and (left := deadline - time.monotonic()) > 0:
            if select.select([self._answers], [], [], left)[0]:
                chunk = os.read(self._answers, 2**20)
                self._buffer += chunk
                if not chunk:  # the worker is ending: leave it a moment
                    time.sleep(left)
                    break
        line, newline, rest = self._buffer.partition(b"\n")
        if not newline:
            return None
        self._buffer = rest
        return line

    def _flood(self, offset: int) -> tuple[str, str] | None:
        """The status and reason of a cell that writes without end."""
        if max(self._written() - offset, len(self._buffer)) > LOG_LIMIT:
            return "error", f"more than {LOG_LIMIT / 2**20:.0f} MB of output"
        return None

    def _shorten_log(self, offset: int, tail: str) -> None:
        """Keep the beginning and the end of a long output.

        Nothing is running that could write meanwhile.
        """
        if self._written() - offset > LOG_KEPT + 4 * LOG_TAIL:
            self._output.truncate(offset + LOG_KEPT)
            self._output.write(f"\n[the middle of the output is left out]\n{tail}".encode())

    def _tail(self, offset: int) -> str:
        """The end of what was written since `offset`."""
        start = max(offset, self._written() - 4 * LOG_TAIL)
        text = os.pread(self._output.fileno(), 4 * LOG_TAIL, start)
        return text.decode("utf-8", errors="replace")[-LOG_TAIL:]
