"""Dependence: a sweep against its plain twin and against NumPy from scratch; many points by a factor."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cladebench.datasets import DataUnavailable, load
from cladebench.reference import dependence as twin
from cladebench.solvers.dependence import distances_structure, greedy_partition, squared_norm
from cladebench.solvers.gram import CenteredGram, center, center_factor

FIT = """
import json, sys, time
from memory import peak_mebibytes
import numpy as np
from sklearn.datasets import make_blobs
from cladebench.methods import CLUHSIC, NumericalTaxonomy

n, start, tree = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "tree"
X, y = make_blobs(n, 20, centers=8, cluster_std=3.0, random_state=0)
before = peak_mebibytes()
begin = time.perf_counter()
given = CLUHSIC(8, structure="2-ary", normalized=True) if not tree else NumericalTaxonomy(8)
fit = given.set_params(rank=200, start=start, random_state=0).fit(X)
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "before": before, "megabytes": peak_mebibytes(), "sweeps": fit.n_iter_}))
"""


def problem(n: int, k: int, rank: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A factor of groups that overlap, a tree of k clusters, and labels of which half are drawn."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, k, n)
    F = rng.normal(size=(n, rank)) + rng.normal(size=(k, rank))[groups]
    steps = np.arange(k, dtype=float)
    Y = distances_structure(np.abs(steps[:, None] - steps), squared=False)
    return F, Y, np.where(rng.uniform(size=n) < 0.5, groups, rng.integers(0, k, n))


def from_scratch(M: np.ndarray, Y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """One sweep of NumPy that takes the sums over pairs of clusters anew for each place of each point."""
    labels, k = labels.copy(), len(Y)

    def objective() -> float:
        P = np.eye(k)[labels]
        return float((P.T @ M @ P * Y).sum() / np.sqrt(squared_norm(P.sum(axis=0), Y)))

    for i in range(len(M)):
        found = []
        for c in range(k):
            labels[i] = c
            found.append(objective())
        labels[i] = int(np.argmax(found))
    return labels


@pytest.mark.parametrize("form", ["dense", "factor"])
@pytest.mark.parametrize("normalized", [True, False])
def test_one_sweep_against_the_twin(
    form: str, normalized: bool, ratios: Any, seconds: Callable[..., float]
) -> None:
    F, Y, labels = problem(1_740, 8)
    dense = center(F @ F.T)
    gram = dense if form == "dense" else center_factor(F)
    settings: dict[str, Any] = {"normalized": normalized, "max_sweeps": 1}
    found = greedy_partition(gram, Y, labels, **settings)
    plain = twin.greedy_partition(dense.values, Y, labels, **settings)
    assert np.array_equal(found.labels, plain[0])
    slow = seconds(lambda: twin.greedy_partition(dense.values, Y, labels, **settings), repeats=1)
    fast = seconds(lambda: greedy_partition(gram, Y, labels, **settings), repeats=10)
    how = f"{form}, {'normalised' if normalized else 'numerator'}"
    ratios.add(f"one sweep, n=1,740, k=8, {how}: twin / kernel", slow / fast, ">= 100")
    ratios.add("  the kernel", 1e3 * fast, unit="ms")
    ratios.add("  points moved", float(found.moves[0]), unit="")


def test_one_sweep_against_numpy_from_scratch(ratios: Any, seconds: Callable[..., float]) -> None:
    F, Y, labels = problem(300, 8)
    gram = center(F @ F.T)
    assert np.array_equal(
        from_scratch(gram.values, Y, labels), greedy_partition(gram, Y, labels, max_sweeps=1).labels
    )
    slow = seconds(lambda: from_scratch(gram.values, Y, labels), repeats=1)
    fast = seconds(lambda: greedy_partition(gram, Y, labels, max_sweeps=1), repeats=10)
    ratios.add("one sweep, n=300, k=8: NumPy from scratch / kernel", slow / fast, ">= 100")


@pytest.mark.parametrize("n", [1_740, 7_000])
def test_sweeps_to_the_end(n: int, ratios: Any, seconds: Callable[..., float]) -> None:
    F, Y, labels = problem(n, 8)
    forms: dict[str, CenteredGram] = {"dense": center(F @ F.T), "factor of rank 200": center_factor(F)}
    for name, gram in forms.items():
        sweeps = len(greedy_partition(gram, Y, labels).moves)
        took = seconds(lambda gram=gram: greedy_partition(gram, Y, labels))  # type: ignore[misc]
        ratios.add(f"{sweeps} sweeps to the end, n={n:,}, k=8, {name}", took, unit="s")


NIPS = """
import json, time
from memory import peak_mebibytes
from cladebench.datasets import load
from cladebench.methods import NumericalTaxonomy

X = load("nips").X
before = peak_mebibytes()
begin = time.perf_counter()
fit = NumericalTaxonomy(8, random_state=0).fit(X)
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "before": before, "megabytes": peak_mebibytes(), "sweeps": fit.n_iter_}))
"""


def run_alone(script: str, *arguments: str) -> dict[str, float]:
    """Run in a process of its own, so that the peak of memory is this fit's."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent)
    return dict(json.loads(done.stdout))


def test_taxonomy_of_nips(ratios: Any) -> None:
    try:
        load("nips")
    except DataUnavailable as reason:
        pytest.skip(str(reason))
    used = run_alone(NIPS)
    ratios.add("NTC, NIPS 1-12 (1,740 x 13,649), k=8: time", used["seconds"], "< 30", "s")
    ratios.add(f"  peak memory ({used['before']:.0f} MB before the fit)", used["megabytes"], "< 2048", "MB")
    ratios.add("  trees fitted", used["sweeps"], unit="")


KERNEL = """
import json, sys
from memory import peak_mebibytes
import numpy as np
from scipy import sparse
from cladebench.methods import NumericalTaxonomy

n, kind, rng = 6_000, sys.argv[1], np.random.default_rng(0)
X = rng.normal(size=(n, 20)) + 3 * rng.integers(3, size=(n, 1))
if kind == "equal rows":
    X[: n * 4 // 5] = 0.0
if kind == "sparse":
    X = sparse.random_array((n, 500), density=0.02, random_state=rng, format="csr")
method = NumericalTaxonomy(3, random_state=0)
method.fit(X[:50])
before = peak_mebibytes()
method.fit(X)
print(json.dumps({"copies": (peak_mebibytes() - before) * 2**20 / (8 * n * n)}))
"""


@pytest.mark.parametrize("kind", ["dense", "equal rows", "sparse"])
def test_memory_of_the_whole_kernel(kind: str, ratios: Any) -> None:
    copies = run_alone(KERNEL, kind)["copies"]
    ratios.add(f"NTC of 6,000 rows, {kind}: peak memory over the kernel", copies, "<= 1.1")


@pytest.mark.parametrize("start", ["spectral", "random"])
@pytest.mark.parametrize("structure", ["given", "tree"])
def test_many_points(start: str, structure: str, ratios: Any) -> None:
    used = run_alone(FIT, "50000", start, structure)
    name = "NTC" if structure == "tree" else "CLUHSIC"
    ratios.add(f"{name}, 50,000 x 20, rank 200, k=8, {start} start: time", used["seconds"], "< 120", "s")
    ratios.add(f"  peak memory ({used['before']:.0f} MB before the fit)", used["megabytes"], "< 1024", "MB")
    ratios.add("  trees fitted" if structure == "tree" else "  sweeps", used["sweeps"], unit="")
