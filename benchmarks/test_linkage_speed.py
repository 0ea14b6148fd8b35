"""Linkage without a matrix: against SciPy, and against fastcluster, genieclust, quitefastmst where they are there."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.cluster.hierarchy
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.neighbors import kneighbors_graph

from cladebench import linkage

FIT = """
import json, sys, time
from memory import peak_mebibytes
import numpy as np
from cladebench import linkage

n, d, method, metric = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5]
k = int(sys.argv[5]) or None
X = np.random.default_rng(0).normal(size=(n, d))
linkage(X[:100], method, metric)
before, start = peak_mebibytes(), time.perf_counter()
linkage(X, method, metric, k)
print(json.dumps({"seconds": time.perf_counter() - start, "megabytes": peak_mebibytes() - before}))
"""


def alone(n: int, d: int, method: str, metric: str = "euclidean", k: int = 0) -> dict[str, Any]:
    """Seconds, and memory beyond X, in a process of its own."""
    command = [sys.executable, "-c", FIT, str(n), str(d), method, metric, str(k)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("kind", ["normal", "blobs"])
@pytest.mark.parametrize("method", ["ward", "single", "centroid"])
def test_against_fastcluster(method: str, kind: str, ratios, seconds: Callable[..., float]) -> None:
    fastcluster = pytest.importorskip("fastcluster")
    X = np.random.default_rng(0).normal(size=(50_000, 10))
    if kind == "blobs":
        X = make_blobs(50_000, 10, centers=20, random_state=0)[0]
    own = seconds(lambda: linkage(X, method), repeats=1)
    theirs = seconds(lambda: fastcluster.linkage_vector(X, method), repeats=1)
    name = f"{method}, 50,000 x 10, {kind}"
    ratios.add(f"{name}: fastcluster / ours", theirs / own, ">= 3" if method == "ward" else None)


@pytest.mark.parametrize("d", [10, 50])
@pytest.mark.parametrize("kind", ["normal", "blobs"])
@pytest.mark.parametrize("method", ["complete", "average"])
def test_pairs_against_fastcluster(
    method: str, kind: str, d: int, ratios, seconds: Callable[..., float]
) -> None:
    fastcluster = pytest.importorskip("fastcluster")
    n = 20_000
    X = np.random.default_rng(0).normal(size=(n, d))
    if kind == "blobs":
        X = make_blobs(n, d, centers=20, random_state=0)[0]
    own = seconds(lambda: linkage(X, method), repeats=1)
    theirs = seconds(lambda: fastcluster.linkage(X, method), repeats=1)
    ratios.add(f"{method}, {n:,} x {d}, {kind}: fastcluster / ours", theirs / own, ">= 2")


@pytest.mark.parametrize(
    ("method", "metric"),
    [("average", "sqeuclidean"), ("ward", "euclidean"), ("complete", "euclidean"), ("average", "euclidean")],
)
def test_against_scipy(method: str, metric: str, ratios, seconds: Callable[..., float]) -> None:
    X = np.random.default_rng(0).normal(size=(10_000, 10))
    own = seconds(lambda: linkage(X, method, metric), repeats=1)
    theirs = seconds(lambda: scipy.cluster.hierarchy.linkage(X, method, metric), repeats=1)
    ratios.add(f"{method}, {metric}, 10,000 x 10: SciPy / ours", theirs / own)


def test_spanning_tree_of_a_million_points(ratios, seconds: Callable[..., float]) -> None:
    quitefastmst = pytest.importorskip("quitefastmst")
    X = np.random.default_rng(0).normal(size=(1_000_000, 2))
    own = seconds(lambda: linkage(X, "single"), repeats=1)
    theirs = seconds(lambda: quitefastmst.mst_euclid(X), repeats=1)
    ratios.add("single, 1,000,000 x 2: ours / quitefastmst", own / theirs, "<= 2")


@pytest.mark.parametrize(("n", "d"), [(20_000, 10), (200_000, 2)])
def test_single_against_genieclust(n: int, d: int, ratios, seconds: Callable[..., float]) -> None:
    genieclust = pytest.importorskip("genieclust")
    X = np.random.default_rng(0).normal(size=(n, d))
    own = seconds(lambda: linkage(X, "single"))
    # Without its correction it is single linkage. One object keeps its tree for the next fit of the same rows.
    theirs = seconds(lambda: genieclust.Genie(1, gini_threshold=1.0).fit(X))
    ratios.add(f"single, {n:,} x {d}: genieclust / ours", theirs / own)


def test_memory_of_ward(ratios) -> None:
    used = alone(50_000, 10, "ward")
    ratios.add("ward, 50,000 x 10: memory above X", used["megabytes"], "< 60", "MB")


@pytest.mark.parametrize("d", [10, 50])
@pytest.mark.parametrize("method", ["complete", "average"])
def test_memory_of_pairs(method: str, d: int, ratios) -> None:
    used = alone(20_000, d, method)
    ratios.add(f"{method}, 20,000 x {d}: memory above X", used["megabytes"], "< 400", "MB")


@pytest.mark.parametrize("method", ["complete", "average"])
def test_growth_of_pairs(method: str, ratios) -> None:
    for n in (5_000, 20_000, 50_000, 200_000):
        used = alone(n, 2, method)
        ratios.add(f"{method}, {n:,} x 2: time", used["seconds"], unit="s")
        ratios.add(f"{method}, {n:,} x 2: memory above X", used["megabytes"], "< 512", "MB")


def test_cosine_of_embeddings(ratios) -> None:
    used = alone(50_000, 384, "average", "cosine")
    ratios.add("average cosine, 50,000 x 384: time", used["seconds"], "< 300", "s")
    ratios.add("average cosine, 50,000 x 384: memory above X", used["megabytes"], "< 1024", "MB")


@pytest.mark.parametrize("d", [2, 10])
@pytest.mark.parametrize("method", ["ward", "single"])
def test_growth(method: str, d: int, ratios) -> None:
    for n in (5_000, 20_000, 50_000, 200_000):
        if d == 10 and n > 50_000:
            continue
        ratios.add(f"{method}, {n:,} x {d}: time", alone(n, d, method)["seconds"], unit="s")


@pytest.mark.parametrize("kind", ["normal", "blobs"])
def test_along_neighbors_against_all(kind: str, ratios, seconds: Callable[..., float]) -> None:
    X = np.random.default_rng(0).normal(size=(100_000, 10))
    if kind == "blobs":
        X = make_blobs(100_000, 10, centers=20, random_state=0)[0]
    along = seconds(lambda: linkage(X, "ward", connectivity=10), repeats=1)
    among_all = seconds(lambda: linkage(X, "ward"), repeats=1)
    ratios.add(f"ward, 100,000 x 10, {kind}: without a graph / 10 neighbours", among_all / along)


@pytest.mark.parametrize("method", ["ward", "complete", "average"])
def test_along_neighbors_against_scikit_learn(method: str, ratios, seconds: Callable[..., float]) -> None:
    X = np.random.default_rng(0).normal(size=(20_000, 10))
    own = seconds(lambda: linkage(X, method, connectivity=10), repeats=1)

    def theirs() -> None:
        graph = kneighbors_graph(X, 10)
        AgglomerativeClustering(1, linkage=method, connectivity=graph, compute_full_tree=True).fit(X)

    ratios.add(
        f"{method}, 20,000 x 10, 10 neighbours: scikit-learn / ours", seconds(theirs, repeats=1) / own, ">= 5"
    )


@pytest.mark.parametrize("n", [50_000, 200_000, 500_000])
@pytest.mark.parametrize("method", ["ward", "complete", "average"])
def test_growth_along_neighbors(method: str, n: int, ratios) -> None:
    used = alone(n, 10, method, k=10)
    ratios.add(f"{method}, {n:,} x 10, 10 neighbours: time", used["seconds"], unit="s")
    ratios.add(f"{method}, {n:,} x 10, 10 neighbours: memory above X", used["megabytes"], "< 1024", "MB")
