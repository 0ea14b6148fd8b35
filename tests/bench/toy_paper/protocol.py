"""One function a method; the first repetition (or all) of a misbehaving method misbehaves."""

import contextlib
import ctypes
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np

from cladebench.bench.cell_io import Cell, CellOutput
from cladebench.papers.protocol import Protocol


class Toy(Protocol):
    def measure(self, cell: Cell) -> CellOutput:
        trace = os.environ.get("TOY_TRACE")
        if trace:
            with open(trace, "a", encoding="utf-8") as file:
                file.write(f"{cell.spec.cell_id} {os.getpid()}\n")
        return globals()[cell.method.estimator](cell.spec, cell.data, **cell.parameters)

    def validate(self, plan):
        plan.check_parameters({"good": ["alpha", "beta"], "bad": []})


def good(spec, data, alpha=0, beta=""):
    rng = np.random.default_rng(spec.seed)
    noise = rng.normal(size=5)
    return CellOutput(
        {"score": float(data.X[0, 0]) + noise.sum() + alpha, "objective": np.float32(alpha)},
        {"noise": noise, "labels": data.labels},
        {
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


def forge(spec, data):
    """Writes into every descriptor, the worker's pipe among them."""

    def misbehave():
        for descriptor in range(3, 100):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"no record\n")
        time.sleep(1000)

    return _first_only(spec, data, misbehave)


def flood(spec, data):
    """Writes into the worker's pipe without end."""

    def misbehave():
        while True:
            for descriptor in range(3, 20):
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


def slow(spec, data):
    time.sleep(0.25)
    return good(spec, data)


def core_and_blas(spec, data):
    """Sums that would differ in the last digits if they were split among threads."""
    from scipy.cluster.hierarchy import linkage

    from cladebench.hierarchy import Hierarchy
    from cladebench.metrics import dasgupta_cost

    a = np.random.default_rng(spec.seed).normal(size=(300, 300))
    cost = dasgupta_cost(Hierarchy.from_linkage(linkage(a)), np.exp(-np.abs(a + a.T)))
    return CellOutput(
        {"score": float(np.dot(a.ravel(), a.ravel())), "cost": cost},
        {"product": a @ a.T},
        {"omp_threads": os.environ["OMP_NUM_THREADS"]},
    )


PROTOCOL = Toy()
