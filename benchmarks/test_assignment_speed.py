"""The assignment against a public min-cost flow and integer programmes, these against each other; growth and memory."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cladebench.crosscheck.assignment import bounds, margin_costs
from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.assignment_flow import assignment_value, balanced_assignment_flow
from cladebench.solvers.assignment_programme import SOLVERS, timed_assignment_ilp

#: OR-tools' integer costs: of a million steps, which is coarse, and spares it scaling phases.
RESOLUTION = 2**20

SOLVE = """
import json, sys, time
from memory import peak_mebibytes
import numpy as np
from cladebench.solvers.assignment import balanced_assignment

n, K = int(sys.argv[1]), int(sys.argv[2])
cost = np.random.default_rng(0).normal(size=(n, K)) + np.linspace(0.0, 1.0, K)
times = []
for _ in range(3):
    start = time.perf_counter()
    balanced_assignment(cost, 9 * n // (10 * K), -(-11 * n // (10 * K)))
    times.append(time.perf_counter() - start)
print(json.dumps({"seconds": min(times), "megabytes": peak_mebibytes()}))
"""


def margins(n: int, n_clusters: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return margin_costs(rng.normal(size=(n, 20)), n_clusters, rng)


@pytest.mark.skipif(importlib.util.find_spec("ortools") is None, reason="needs OR-tools")
@pytest.mark.parametrize("n_clusters", [2, 5, 20, 50])
def test_against_the_public_flow(n_clusters: int, ratios, seconds) -> None:
    n = 30_000
    cost = margins(n, n_clusters)
    lower, upper = bounds(n, n_clusters)
    value = assignment_value(cost, balanced_assignment(cost, lower, upper))
    flow = balanced_assignment_flow(cost, lower, upper, RESOLUTION)
    assert value <= flow.value <= value + n * np.ptp(cost, axis=1).max() / RESOLUTION
    ratio = flow.seconds / seconds(lambda: balanced_assignment(cost, lower, upper), repeats=5)
    ratios.add(f"assignment, n=30,000, K={n_clusters}: OR-tools / kernel", ratio, ">= 10")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_clusters", [2, 5])
def test_against_the_integer_programme(n_clusters: int, solver, ratios, seconds) -> None:
    n = 2_000
    cost = margins(n, n_clusters)
    lower, upper = bounds(n, n_clusters)
    value = assignment_value(cost, balanced_assignment(cost, lower, upper))
    slow = timed_assignment_ilp(cost, lower, upper, solver, repeats=3)
    assert slow.value == pytest.approx(value, rel=1e-7)
    ratio = slow.seconds_solve / seconds(lambda: balanced_assignment(cost, lower, upper), repeats=5)
    ratios.add(f"assignment, n=2,000, K={n_clusters}: {solver} / kernel", ratio, ">= 100")
    if importlib.util.find_spec("ortools") is not None:
        flow = balanced_assignment_flow(cost, lower, upper, repeats=3)
        ratio = slow.seconds_solve / flow.seconds_solve
        # What section 4.2 of Zhou et al. (2015) times, of which this is no target.
        ratios.add(f"assignment, n=2,000, K={n_clusters}: {solver} / OR-tools", ratio)


@pytest.mark.parametrize(("n", "n_clusters"), [(50, 3), (2_000, 2), (30_000, 2), (30_000, 5)])
def test_a_call_in_a_loop(n: int, n_clusters: int, ratios, seconds) -> None:
    cost = margins(n, n_clusters)
    lower, upper = bounds(n, n_clusters)

    def calls() -> None:
        for _ in range(10):
            balanced_assignment(cost, lower, upper)

    ratios.add(f"assignment, n={n:,}, K={n_clusters}: one call", 1e5 * seconds(calls), unit="us")


def test_growth_and_memory(ratios) -> None:
    # Processes of their own, so that the peak of memory is this solver's.
    used = {}
    for n in (100_000, 1_000_000):
        command = [sys.executable, "-c", SOLVE, str(n), "10"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent)
        used[n] = json.loads(done.stdout)
        ratios.add(f"assignment, n={n:,}, K=10: time", used[n]["seconds"], unit="s")
    growth = used[1_000_000]["seconds"] / used[100_000]["seconds"]
    ratios.add("assignment, K=10: time of n=1,000,000 / n=100,000", growth, "<= 15")
    ratios.add("assignment, n=1,000,000, K=10: peak memory", used[1_000_000]["megabytes"], "< 2048", "MB")
