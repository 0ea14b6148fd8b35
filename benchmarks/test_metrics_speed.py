"""Measures of hierarchies against one pass over the data and against Higra and scikit-network, in one run."""

import json
import math
import subprocess
import sys
from pathlib import Path

import higra as hg
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from sklearn.datasets import make_blobs
from sknetwork.hierarchy import dasgupta_cost as sknetwork_cost

from cladebench import _core
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import (
    LinearKernel,
    Similarity,
    dasgupta_cost,
    dendrogram_purity,
    expected_dasgupta_cost,
    expected_dendrogram_purity,
    matched_scores,
)
from cladebench.reference import metrics as reference


def random_binary(n_samples: int, seed: int) -> Hierarchy:
    """A tree of merges of randomly drawn clusters."""
    rng = np.random.default_rng(seed)
    alive, rows = list(range(n_samples)), []
    for node in range(n_samples, 2 * n_samples - 1):
        pair = []
        for _ in range(2):
            k = int(rng.integers(len(alive)))
            pair.append(alive[k])
            alive[k] = alive[-1]
            alive.pop()
        alive.append(node)
        rows.append([*sorted(pair), node - n_samples])
    return Hierarchy.from_linkage(rows)


def higra_tree(tree: Hierarchy) -> hg.Tree:
    return hg.Tree(np.where(tree.parents < 0, np.arange(tree.n_nodes), tree.parents))


@pytest.mark.parametrize("shape", ["balanced", "random"])
def test_purity_against_higra(shape: str, ratios, seconds) -> None:
    n = 50_000
    k = np.arange(0, 2 * n - 2, 2)
    tree = (
        random_binary(n, seed=0)
        if shape == "random"
        else Hierarchy.from_linkage(np.column_stack([k, k + 1, np.arange(n - 1)]))
    )
    labels = np.random.default_rng(1).integers(0, 100, n)
    peer = higra_tree(tree)
    found: dict[str, float] = {}
    ours = seconds(lambda: found.update(ours=dendrogram_purity(tree, labels)))
    theirs = seconds(lambda: found.update(theirs=hg.dendrogram_purity(peer, labels)), repeats=1)
    assert math.isclose(found["ours"], found["theirs"], rel_tol=0, abs_tol=1e-12)
    ratios.add(f"purity, 50,000 x 100 classes, {shape} tree: Higra / ours", theirs / ours, ">= 10")


MILLION = """
import json, sys, time
from memory import peak_mebibytes
import numpy as np
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import LinearKernel, dasgupta_cost, dendrogram_purity
n = 1_000_000
rng = np.random.default_rng(0)
# Nodes in creation order, each merging two of the oldest clusters, samples shuffled.
parents = np.concatenate([np.repeat(np.arange(n, 2 * n - 1), 2), [-1]])
leaf_of = rng.permutation(n)
labels = rng.integers(0, 1000, n)
before = peak_mebibytes()
start = time.perf_counter()
tree = Hierarchy(parents, leaf_of)
layout = time.perf_counter() - start
purity = dendrogram_purity(tree, labels)
both = time.perf_counter() - start
peak = peak_mebibytes()
X = rng.normal(size=(n, 64))
start = time.perf_counter()
dasgupta_cost(tree, LinearKernel(X))
linear = time.perf_counter() - start
del X
start = time.perf_counter()
tree.class_counts(labels % 50)
counts = time.perf_counter() - start
print(json.dumps(dict(layout=layout, purity=both, peak=peak, linear=linear, counts=counts)))
"""


def test_one_million_samples(ratios) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MILLION], check=True, capture_output=True, text=True, cwd=Path(__file__).parent
    )
    figures = json.loads(done.stdout)
    ratios.add("tree layout, n = 1e6", figures["layout"], "< 1", "s")
    ratios.add("purity, n = 1e6, 1,000 classes, layout included", figures["purity"], "< 2", "s")
    ratios.add("  peak memory of its process", figures["peak"], "< 1024", "MiB")
    ratios.add("Dasgupta cost, linear kernel, n = 1e6, d = 64", figures["linear"], "< 5", "s")
    ratios.add("class counts, n = 1e6, 50 classes", figures["counts"], "< 0.5", "s")


def test_dense_cost(ratios, seconds) -> None:
    n = 4_601
    X, _ = make_blobs(n, 57, centers=20, random_state=0)
    tree = Hierarchy.from_linkage(linkage(X, "average"))
    S = Similarity()(X)
    found: dict[str, float] = {}
    one_pass = seconds(lambda: np.sum(S), repeats=15)
    ours = seconds(lambda: found.update(ours=dasgupta_cost(tree, S)), repeats=15)
    ratios.add("Dasgupta cost, dense, n = 4,601: ours / np.sum(S)", ours / one_pass, "<= 3")

    # Only the call is timed; their inputs (a sparse matrix, an edge list) are made before.
    off_diagonal = S.copy()
    np.fill_diagonal(off_diagonal, 0.0)
    adjacency, dendrogram = sp.csr_matrix(off_diagonal), tree.to_linkage()
    theirs = seconds(
        lambda: found.update(sknetwork=sknetwork_cost(adjacency, dendrogram, weights="uniform")), repeats=1
    )
    ratios.add("Dasgupta cost, dense, n = 4,601: scikit-network / ours", theirs / ours, ">= 5")

    i, j = np.triu_indices(n, k=1)
    graph = hg.UndirectedGraph(n)
    graph.add_edges(i, j)
    peer, weights = higra_tree(tree), S[i, j]
    theirs = seconds(
        lambda: found.update(higra=hg.dasgupta_cost(peer, weights, graph, mode="similarity")), repeats=1
    )
    ratios.add("Dasgupta cost, dense, n = 4,601: Higra / ours", theirs / ours, ">= 5")
    assert math.isclose(found["ours"], found["higra"], rel_tol=1e-12)
    # scikit-network's cost is a mean over edges, by weight, and is added up in single precision.
    assert math.isclose(found["ours"], found["sknetwork"] * off_diagonal.sum() / 2, rel_tol=1e-4)


def test_sparse_cost(ratios, seconds) -> None:
    n, k = 200_000, 10
    X = np.random.default_rng(0).normal(size=(n, 1))
    rank = np.argsort(X[:, 0])
    position = np.empty(n, dtype=np.int64)
    position[rank] = np.arange(n)
    step = np.r_[-(k // 2) : 0, 1 : k // 2 + 1]
    neighbours = rank[np.clip(position[:, None] + step, 0, n - 1)]  # the nearest on a line
    graph = sp.csr_array((np.ones(n * k), neighbours.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    tree = Hierarchy.from_linkage(linkage(X[:2000], "average"))
    small = graph[:2000, :2000].tocsr()
    assert math.isclose(dasgupta_cost(tree, small), reference.dasgupta_cost(tree, small), rel_tol=1e-12)
    big = random_binary(n, seed=2)
    ratios.add(
        "Dasgupta cost, 2e6 stored entries, n = 200,000",
        seconds(lambda: dasgupta_cost(big, graph)),
        unit="s",
    )


def test_measures_against_their_twins(ratios, seconds) -> None:
    n = 300
    X, labels = make_blobs(n, 5, centers=6, random_state=0)
    tree = Hierarchy.from_linkage(linkage(X, "average"))
    S, kernel = Similarity()(X), LinearKernel(X)
    for name, ours, twin in [
        (
            "purity",
            lambda: dendrogram_purity(tree, labels),
            lambda: reference.dendrogram_purity(tree, labels),
        ),
        ("Dasgupta cost, dense", lambda: dasgupta_cost(tree, S), lambda: reference.dasgupta_cost(tree, S)),
        (
            "Dasgupta cost, linear kernel",
            lambda: dasgupta_cost(tree, kernel),
            lambda: reference.dasgupta_cost(tree, kernel),
        ),
    ]:
        assert math.isclose(ours(), twin(), rel_tol=1e-9)
        ratios.add(f"{name}, n = 300: twin / ours", seconds(twin, repeats=1) / seconds(ours))


def test_expectations(ratios, seconds) -> None:
    n = 4_601
    X, labels = make_blobs(n, 57, centers=20, random_state=0)
    tree, S = Hierarchy.from_linkage(linkage(X, "average")), Similarity()(X)
    purity = seconds(lambda: expected_dendrogram_purity(tree, labels))
    cost = seconds(lambda: expected_dasgupta_cost(tree, S))
    ratios.add("expected purity and Dasgupta cost (dense), n = 4,601", 1e3 * (purity + cost), "< 250", "ms")


@pytest.mark.parametrize("n", [10_000, 100_000])
def test_matching_against_scipy(n: int, ratios, seconds) -> None:
    k = 2_000
    rng = np.random.default_rng(0)
    true = rng.integers(0, k, n)
    found = np.where(rng.random(n) < 0.7, true, rng.integers(0, k, n))
    ratios.add(
        f"matched scores, {n:,} samples, {k:,} clusters",
        seconds(lambda: matched_scores(true, found)),
        "<= 1",
        "s",
    )
    labels = rng.permutation(true)
    counts = sp.coo_array((np.ones(n), (labels, found)), shape=(k, k)).tocsr()
    # Each class has a column of its own for when it is matched to none.
    alone = sp.hstack([counts, sp.eye_array(k)]).tocsr()
    alone.data[:] = np.where(alone.indices < k, alone.data + 1.0, 1.0)
    peer = seconds(lambda: min_weight_full_bipartite_matching(alone, maximize=True))
    ratios.add(
        "  one matching: scipy / kernel, which also counts",
        peer / seconds(lambda: _core.most_matched(labels, found)),
        ">= 1",
    )
