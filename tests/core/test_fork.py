"""The child of a fork computes what its parent computed, after the parent used the threads of the core and others'."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from cladebench import _core
from cladebench.distances import HierarchyForest, RandomForestDistance, RandomForestProximity
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import dasgupta_cost
from cladebench.solvers import linkage

DEADLINE = 120.0  # seconds of a child that takes one: it is killed if it hangs
X = np.random.default_rng(0).normal(size=(1000, 4))
LINKS = np.arange(400).reshape(2, 100, 2)


def cost() -> object:
    parents, leaf_of, _ = _core.perch(X)
    return dasgupta_cost(Hierarchy(parents, leaf_of), np.abs(X @ X.T))


def neighbors(forest: HierarchyForest | RandomForestDistance | RandomForestProximity) -> object:
    forest.fit(X, np.arange(len(X)) % 3, must_link=LINKS[0], cannot_link=LINKS[1])
    distances, indices = forest.kneighbors(n_neighbors=3)
    return distances.tolist(), indices.tolist()


CASES: dict[str, Callable[[], object]] = {
    "dasgupta_cost": cost,
    "linkage": lambda: linkage(X).tolist(),
    "HierarchyForest": lambda: neighbors(HierarchyForest(n_trees=4, random_state=0)),
    "RandomForestDistance": lambda: neighbors(RandomForestDistance(n_estimators=8, random_state=0)),
    "RandomForestProximity": lambda: neighbors(RandomForestProximity(n_estimators=8, random_state=0)),
}


def child_agrees(name: str, expected: object) -> str:
    """Compute a case in a fork of this process; what became of it."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if CASES[name]() == expected and _core.max_threads() == 1 else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return "agrees" if os.waitstatus_to_exitcode(status) == 0 else "differs or fails"
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


def main(name: str) -> None:
    """In a process of several threads: one case before a fork and after it."""
    assert _core.max_threads() == 3
    expected = CASES[name]()
    found = child_agrees(name, expected)
    assert found == "agrees", found
    assert _core.max_threads() == 3 and CASES[name]() == expected


@pytest.mark.parametrize("name", CASES)
def test_a_forked_child_agrees(name: str) -> None:
    threads = {"OMP_NUM_THREADS": "3", "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, __file__, name],
        env={**os.environ, **threads},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    main(sys.argv[1])
