"""The copies of the project that mutants are planted in, each with a process that runs its tests."""

from __future__ import annotations

import compileall
import json
import os
import py_compile
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "src/cladebench"

# Outlives a killed run: its input ends with the run, in whatever way that ends, and then it removes the copies.
JANITOR = """
import os, shutil, sys, time
sys.stdin.read()
for _ in range(100):
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    if not os.path.exists(sys.argv[1]):
        break
    time.sleep(0.1)
"""


def copy_project(root: Path, to: Path) -> Path:
    """Copy the files that git knows or would add, and the compiled core; whoever edits the project disturbs no run."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)
    core = find_spec("cladebench._core") if (root / PACKAGE).exists() else None
    if core is not None and core.origin:
        shutil.copy2(core.origin, to / PACKAGE)
    return to


class Worker:
    """A copy of the project, and the process that runs its tests."""

    def __init__(self, root: Path, home: Path):
        self.root, self.home = home / "project", home
        shutil.copytree(root, self.root)
        # By hash, not by time and size: a mutant may have both of what it replaces.
        compileall.compile_dir(
            self.root / PACKAGE, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
        )
        (home / "tmp").mkdir()
        shutil.copytree(HERE / "site", home / "site")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(home / "site"), str(self.root / "src")]),
            "TMPDIR": str(home / "tmp"),
            "MPLBACKEND": "Agg",
            "JAX_PLATFORMS": "cpu",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self.root,
            env=environment,
            text=True,
            start_new_session=True,
        )

    def ask(self, **job: object) -> dict:
        """Have one job done: the `tests` (all by default) in the files of its `stages`, one stage after the other.

        `seconds` is the limit for all, `each` that for one test; with `hits`, blocks note there that they ran, and a
        failure stops nothing.
        """
        assert self.process.stdin and self.process.stdout
        print(
            json.dumps({"hits": "", "tests": None, "each": 300, **job}), file=self.process.stdin, flush=True
        )
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("a worker died")
        return json.loads(answer)


def work_through(workers: list[Worker], jobs: Iterable, do: Callable, after: Callable) -> None:
    """Give the jobs to the workers, each job to who is free; `after` sees the results one by one."""
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    results: queue.SimpleQueue = queue.SimpleQueue()
    n = sum(1 for job in jobs if waiting.put(job) is None)

    def serve(worker: Worker) -> None:
        try:
            while True:
                job = waiting.get_nowait()
                results.put((job, do(worker, job)))
        except queue.Empty:
            pass
        except BaseException as problem:
            results.put((None, problem))

    for worker in workers:
        threading.Thread(target=serve, args=(worker,), daemon=True).start()
    for _ in range(n):
        job, result = results.get()
        if isinstance(result, BaseException):
            raise result
        after(job, result)


class Progress:
    """A line now and then: how far, and how long it takes still."""

    def __init__(self, what: str, n: int):
        self.what, self.n, self.done, self.began, self.shown = what, n, 0, time.monotonic(), 0.0

    def step(self, note: str = "") -> None:
        """One more is done."""
        self.done += 1
        now = time.monotonic()
        if now - self.shown > (0.5 if sys.stdout.isatty() else 15) or self.done == self.n:
            self.shown = now
            left = (now - self.began) / self.done * (self.n - self.done)
            end = "\r" if sys.stdout.isatty() and self.done < self.n else "\n"
            print(f"{self.what}: {self.done} of {self.n}{note}, {left:.0f} s left     ", end=end, flush=True)
