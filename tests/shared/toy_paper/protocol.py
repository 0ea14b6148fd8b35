"""One function a method; the first repetition (or all) of a misbehaving method misbehaves."""

import contextlib
import ctypes
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from cladebench.bench.run.cell_io import Cell, CellOutput
from cladebench.hierarchy import Hierarchy
from cladebench.paper.protocol import Protocol


class Toy(Protocol):
    def measure(self, cell: Cell) -> CellOutput:
        trace = os.environ.get("TOY_TRACE")
        if trace:
            with open(trace, "a", encoding="utf-8") as file:
                file.write(f"{cell.spec.cell_id} {os.getpid()}\n")
        if cell.method.estimator == "take_up":
            return take_up(cell)
        if cell.method.estimator == "usurp":
            return usurp(cell, **cell.parameters)
        module, _, name = cell.method.estimator.rpartition(".")
        space = vars(importlib.import_module(module)) if module else globals()
        return space[name](cell.spec, cell.data, **cell.parameters)

    def validate(self, plan):
        plan.check_parameters({"good": ["alpha", "beta"], "bad": []})


def good(spec, data, alpha=0, beta=""):
    rng = np.random.default_rng(spec.seed)
    noise = rng.normal(size=5)
    return CellOutput(
        {"score": float(data.X[0, 0]) + noise.sum() + alpha, "objective": np.float32(alpha)},
        arrays={"noise": noise, "labels": data.labels},
        details={
            "converged": np.True_,
            "iterations": np.int64(3),
            "tolerance": 1e-3,
            "curve": [np.nan, 1.0],
            "beta": beta,
        },
    )


def _first_only(spec, data, misbehave):
    if spec.repetition == 0:
        misbehave()
    return good(spec, data)


def bad(spec, data):
    def misbehave():
        raise ValueError("a deliberate fault")

    return _first_only(spec, data, misbehave)


def hang(spec, data):
    return _first_only(spec, data, lambda: time.sleep(1000))


def spin(spec, data):
    def misbehave():
        while True:
            pass

    return _first_only(spec, data, misbehave)


def eat(spec, data):
    def misbehave():
        hoard = []
        while True:
            hoard.append(np.ones(4 * 2**20))
            time.sleep(0.01)

    return _first_only(spec, data, misbehave)


def reserve(spec, data):
    return _first_only(spec, data, lambda: np.ones(2**38))


def segfault(spec, data):
    return _first_only(spec, data, lambda: ctypes.string_at(0))


def leave(spec, data):
    return _first_only(spec, data, lambda: os._exit(7))


def shout(spec, data):
    def misbehave():
        for _ in range(400):
            sys.stdout.write("x" * 2**16)
        sys.stderr.write("the last word\n")
        raise RuntimeError("shouted")

    return _first_only(spec, data, misbehave)


def babble(spec, data):
    def misbehave():
        while True:
            print("x" * 2**12)

    return _first_only(spec, data, misbehave)


def mutter(spec, data):
    print("muttered in", spec.repetition)
    return good(spec, data)


def nan(spec, data):
    output = good(spec, data)
    if spec.repetition == 0:
        output.metrics["score"] = float("nan")
    return output


def family(spec, data):
    """Children that compute, while the cell itself only waits."""

    def misbehave():
        child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        print("child", child.pid, flush=True)
        child.wait()

    return _first_only(spec, data, misbehave)


def leftover(spec, data):
    """A child that goes on computing when the cell has ended."""
    if spec.repetition == 0:
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
    return good(spec, data)


def fork(spec, data):
    """A child that returns as if it were the worker."""
    if spec.repetition == 0:
        os.fork()
    return good(spec, data)


def close_streams(spec, data):
    def misbehave():
        sys.stdout.close()
        sys.stderr.close()

    return _first_only(spec, data, misbehave)


def close_pipes(spec, data):
    return _first_only(spec, data, lambda: os.closerange(3, 100))


def forge(spec, data, what="text", wait=True):
    """Writes into every descriptor, the worker's pipe among them; it takes what it forges from the worker's frames."""

    def misbehave():
        variables = _variables_of_callers("record", "message")
        token, record = variables["message"]["token"], dict(variables["record"])
        record.update(cpu_seconds=0.0, wall_seconds=0.0, peak_memory_mb=1.0)
        good = {"status": "ok", "readings": [{"at": {}, "metrics": {"score": 1e6}}]}
        lines = {
            "text": b"no record\n",
            "bytes": b"\xff\xfe\xed\xa0\x80\n",
            "no token": _line(None, record | good),
            "key": _line(token, record | good | {"key": "0" * 64}),
            "arrays": _line(token, record | good | {"arrays": ["x"], "arrays_sha256": "0" * 64}),
        }
        for descriptor in range(3, 100):
            with contextlib.suppress(OSError):
                os.write(descriptor, lines[what])
        if wait:
            time.sleep(1000)

    return _first_only(spec, data, misbehave)


def _line(token, record):
    return json.dumps({"token": token, "record": record, "changes": []}).encode() + b"\n"


def _variables_of_callers(*names):
    found, frame = {}, sys._getframe()
    while frame is not None:
        found = {name: frame.f_locals[name] for name in names if name in frame.f_locals} | found
        frame = frame.f_back
    return found


def patch(spec, data, whats=()):
    """Counts what it finds changed, then changes some of it for those that come after it."""
    changed = [
        "TOY_PATCH" in os.environ,
        "PATH" not in os.environ,
        Path.cwd() == Path(os.sep),
        sys.path[0] == "toy",
        np.random.default_rng is len,
        np.geterr()["divide"] == "raise",
        Hierarchy.cut is len,
        "__len__" in vars(Hierarchy),
        sys.modules["json"] is None,
        json.loads is len,
    ]
    if spec.repetition == 0:
        changes = {
            "os.environ": lambda: os.environ.update(TOY_PATCH="1"),
            "os.environ, less": lambda: os.environ.pop("PATH"),
            "the working folder": lambda: os.chdir(os.sep),
            "sys.path": lambda: sys.path.insert(0, "toy"),
            "numpy.random.default_rng": lambda: setattr(np.random, "default_rng", len),
            "numpy.geterr": lambda: np.seterr(divide="raise"),
            "Hierarchy.cut": lambda: setattr(Hierarchy, "cut", len),
            "Hierarchy.__len__": lambda: setattr(Hierarchy, "__len__", len),
            "sys.modules.json": lambda: sys.modules.update(json=None),
            "json.loads": lambda: setattr(json, "loads", len),
            "an import": lambda: importlib.import_module("scipy.signal"),
        }
        for what in whats:
            changes[what]()
    return CellOutput({"score": float(sum(changed))})


def flood(spec, data):
    """Writes into the worker's pipe without end."""

    def misbehave():
        while True:
            for descriptor in range(3, 100):
                with contextlib.suppress(OSError):
                    os.write(descriptor, b"x" * 2**16)

    return _first_only(spec, data, misbehave)


def deaf(spec, data):
    """Ignores every signal that can be ignored."""

    def misbehave():
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
        time.sleep(1000)

    return _first_only(spec, data, misbehave)


def global_generators(spec, data):
    """Code that reaches for global generators."""
    return CellOutput({"score": random.random() + float(np.random.rand())})  # noqa: NPY002


def take_up(cell):
    """Is interrupted when it has kept something, and takes it up when it is run again."""
    file = cell.kept / "half"
    if not file.exists():
        file.parent.mkdir(parents=True)
        file.write_text("21")
        raise RuntimeError("interrupted")
    return CellOutput({"score": 2.0 * float(file.read_text())}, details={"kept": cell.kept.name})


def usurp(cell, place, what):
    """Puts something else in the place of a file of the run."""
    if cell.spec.repetition == 0:
        record = cell.kept.parent.with_suffix(".json")
        log = cell.kept.parents[5] / "logs" / f"{'.'.join(cell.spec.cell_id.split('/')[:3])}.cells.log"
        path = {"record": record, "arrays": record.with_suffix(".npz"), "log": log}[place]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if what == "folder":
            path.mkdir()
            (path / "inner").write_text("")
        if what == "fifo":
            os.mkfifo(path)
    return good(cell.spec, cell.data)


def slow(spec, data):
    time.sleep(0.25)
    return good(spec, data)


PROTOCOL = Toy()
