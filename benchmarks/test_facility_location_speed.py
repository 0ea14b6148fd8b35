"""Facility location: gaps at n = 2,000; against integer programmes, affinity propagation and FasterPAM; memory."""

import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import AffinityPropagation

from cladebench.reference import facility_locations as twin
from cladebench.solvers import facility_location

#: kind -> prices that give about 10, 50 and 200 exemplars of 2,000 points.
PRICES = {
    "uniform-2": (12.0, 1.07, 0.134),
    "uniform-10": (15.0, 3.0, 1.2),
    "mixture-2": (12.0, 1.0, 0.13),
    "mixture-10": (42.0, 3.0, 0.3),
}


def costs(kind: str, n: int, price: float, seed: int = 0) -> np.ndarray:
    """Euclidean distances of points in a cube, or of a mixture of 50 Gaussians."""
    rng = np.random.default_rng(seed)
    name, dimensions = kind.split("-")
    X = rng.uniform(size=(n, int(dimensions)))
    if name == "mixture":
        X = X[rng.integers(0, 50, n)] + 0.05 * rng.normal(size=X.shape)
    squares = np.square(X).sum(axis=1)
    d = np.sqrt(np.maximum(0.0, squares[:, None] + squares[None] - 2.0 * (X @ X.T)))
    np.fill_diagonal(d, price)
    return d


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("kind", PRICES)
def test_gap_and_time_of_2000_points(kind: str, level: int, ratios, seconds) -> None:
    d = costs(kind, 2000, PRICES[kind][level])
    found = facility_location(d)
    name = f"{kind}, {len(found.exemplars)} exemplars"
    ratios.add(f"{name}: gap", 100.0 * found.gap, "<= 0.1", "%")
    ratios.add(f"{name}: time", seconds(lambda: facility_location(d), repeats=2), "<= 5", "s")


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("kind", ["uniform-2", "mixture-10"])
def test_against_affinity_propagation(kind: str, level: int, ratios) -> None:
    d = costs(kind, 2000, PRICES[kind][level])
    start = time.perf_counter()
    found = facility_location(d)
    mine = time.perf_counter() - start
    similarity = -d
    np.fill_diagonal(similarity, 0.0)
    start = time.perf_counter()
    with warnings.catch_warnings():  # it may not converge
        warnings.simplefilter("ignore")
        peer = AffinityPropagation(
            affinity="precomputed", preference=-np.diag(d), damping=0.9, max_iter=500, random_state=0
        ).fit(similarity)
    theirs = time.perf_counter() - start
    name = f"{kind}, {len(found.exemplars)} exemplars, AffinityPropagation / solver"
    ratios.add(f"{name}: time", theirs / mine, ">= 1")
    if len(peer.cluster_centers_indices_):
        value = twin.value_of(d, peer.cluster_centers_indices_)
        ratios.add(f"{name}: cost", value / found.value, ">= 1")


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("kind", ["uniform-2", "uniform-10", "mixture-10"])
def test_without_a_bound_against_fasterpam(kind: str, level: int, ratios, seconds) -> None:
    kmedoids = pytest.importorskip("kmedoids")
    d = costs(kind, 2000, PRICES[kind][level])
    found = facility_location(d, bound=False)
    without_prices = d - np.diag(np.diag(d))
    k = len(found.exemplars)
    peer = kmedoids.fasterpam(without_prices, k, init="random", random_state=0, n_cpu=1)
    theirs = seconds(lambda: kmedoids.fasterpam(without_prices, k, init="random", random_state=0, n_cpu=1))
    name = f"{kind}, {k} exemplars, without a bound"
    ratios.add(
        f"{name}: solver / FasterPAM", seconds(lambda: facility_location(d, bound=False)) / theirs, "<= 1.5"
    )
    ratios.add(f"{name}: cost / FasterPAM's", found.value / twin.value_of(d, peer.medoids), "<= 1.01")
    ratios.add(f"{name}: cost / bound", found.value / facility_location(d).bound)


@pytest.mark.parametrize("solver", ["CBC", "HiGHS"])
@pytest.mark.parametrize("kind", ["uniform-2", "mixture-10"])
def test_against_the_integer_programme(kind: str, solver, ratios, seconds) -> None:
    d = costs(kind, 80, 1.0)
    start = time.perf_counter()
    exact = twin.exemplars_ilp(d, solver, time_limit=300.0)
    theirs = time.perf_counter() - start
    found = facility_location(d)
    assert found.bound <= exact.value * (1 + 1e-9) and exact.value <= found.value * (1 + 1e-9)
    ratios.add(f"{kind}, n=80: {solver} / solver", theirs / seconds(lambda: facility_location(d)), ">= 100")


MEMORY = """
import sys
sys.path.insert(0, sys.argv[1])
from memory import peak_mebibytes
from test_facility_location_speed import costs
from cladebench.solvers import facility_location
import time
d = costs("uniform-2", 5000, 2.7)
before = peak_mebibytes()
start = time.perf_counter()
found = facility_location(d)
seconds = time.perf_counter() - start
print(peak_mebibytes() - d.nbytes / 2**20, seconds, found.gap, len(found.exemplars))
"""


def test_memory_of_5000_points(ratios) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(Path(__file__).parent)], capture_output=True, text=True, check=True
    )
    mebibytes, taken, gap, n_exemplars = map(float, done.stdout.split())
    ratios.add("n=5000: memory beside d, the interpreter included", mebibytes, "<= 1024", "MiB")
    ratios.add(f"n=5000, {n_exemplars:.0f} exemplars: time", taken, None, "s")
    ratios.add("n=5000: gap", 100.0 * gap, "<= 0.1", "%")
