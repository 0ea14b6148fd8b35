"""Tree metrics: neighbour joining against scikit-bio's, lengths and enumeration against the twin; the search."""

import time
import warnings

import numpy as np
import pytest

from cladebench import _core
from cladebench.reference import tree_metric as twin
from cladebench.solvers.tree_metric import fit_tree_metric


def random_distances(k: int, seed: int = 0) -> np.ndarray:
    """Independent uniform numbers: as far from a tree as it gets, and the longest searches."""
    upper = np.triu(np.random.default_rng(seed).uniform(size=(k, k)), 1)
    return upper + upper.T


def between_points(k: int, seed: int = 0) -> np.ndarray:
    """Distances between normal points in five dimensions."""
    X = np.random.default_rng(seed).normal(size=(k, 5))
    return np.linalg.norm(X[:, None] - X[None], axis=2)


@pytest.mark.parametrize("k", [10, 50, 200, 1000])
def test_neighbour_joining_against_scikit_bio(k: int, ratios, seconds) -> None:
    tree = pytest.importorskip("skbio.tree")
    stats = pytest.importorskip("skbio.stats.distance")
    D = between_points(k)
    named = stats.DistanceMatrix(D, [str(i) for i in range(k)])
    with warnings.catch_warnings():  # of negative lengths, which neighbour joining may give
        warnings.simplefilter("ignore")
        public = tree.nj(named)
        peer = seconds(lambda: tree.nj(named))
    everyone = frozenset(range(k))
    sides = [frozenset(int(tip.name) for tip in node.tips()) for node in public.non_tips()]
    theirs = {everyone - side if 0 in side else side for side in sides if 1 < len(side) < k - 1}
    edges = [(v, int(up)) for v, up in enumerate(_core.neighbor_joining(D)) if up >= 0]
    assert twin.splits_of_edges(edges, k) == theirs
    ratios.add(
        f"neighbour joining, k={k}: scikit-bio / kernel",
        peer / seconds(lambda: _core.neighbor_joining(D)),
        ">= 1",
    )


@pytest.mark.parametrize("k", [8, 20, 50])
def test_lengths_against_the_twin(k: int, ratios, seconds) -> None:
    D = random_distances(k)
    parents = _core.neighbor_joining(D)
    edges = [(v, int(up)) for v, up in enumerate(parents) if up >= 0]
    lengths = _core.nonnegative_lengths(D, parents)
    assert lengths[[v for v, _ in edges]] == pytest.approx(twin.fit_edges(D, edges)[0], abs=1e-9)

    def calls() -> None:
        for _ in range(100):
            _core.nonnegative_lengths(D, parents)

    slow, fast = seconds(lambda: twin.fit_edges(D, edges), repeats=1), seconds(calls) / 100.0
    ratios.add(f"lengths, k={k}: twin / kernel", slow / fast, ">= 10")
    ratios.add(f"lengths, k={k}: one call", 1e6 * fast, unit="us")


@pytest.mark.parametrize("k", [6, 7])
def test_all_topologies_against_the_twin(k: int, ratios, seconds) -> None:
    D = random_distances(k)
    slow = seconds(lambda: twin.best_topology(D), repeats=1)
    ratios.add(
        f"all topologies, k={k}: twin / kernel",
        slow / seconds(lambda: fit_tree_metric(D, topologies="all")),
        ">= 10",
    )


@pytest.mark.parametrize("k", [8, 20, 50, 100])
@pytest.mark.parametrize("kind", [random_distances, between_points])
def test_the_search(k: int, kind, ratios, seconds) -> None:
    D = kind(k)
    joined = fit_tree_metric(D, topologies="neighbor-joining").residual
    target = "<= 1" if k <= 50 else None
    ratios.add(
        f"search, k={k}, {kind.__name__}: time", seconds(lambda: fit_tree_metric(D), repeats=2), target, "s"
    )
    ratios.add(
        f"search, k={k}, {kind.__name__}: residual / that of joining", fit_tree_metric(D).residual / joined
    )


@pytest.mark.parametrize("kind", [random_distances, between_points])
def test_growth_of_the_search(kind, ratios) -> None:
    times = {}
    for k in (100, 200, 400):
        start = time.process_time()
        fit_tree_metric(kind(k))
        times[k] = time.process_time() - start
        ratios.add(f"search, k={k}, {kind.__name__}: CPU time", times[k], unit="s")
        if k > 100:
            ratios.add(f"search, {kind.__name__}: k={k} / k={k // 2}", times[k] / times[k // 2], "<= 5")


@pytest.mark.parametrize("n_starts", [1, 9])
@pytest.mark.parametrize("k", [7, 8])
def test_how_often_the_search_finds_the_optimum(k: int, n_starts: int, ratios) -> None:
    n, found = 200, 0
    for seed in range(n):
        D = random_distances(k, seed)
        best = fit_tree_metric(D, topologies="all").residual
        found += fit_tree_metric(D, n_starts=n_starts, random_state=0).residual <= best * (1 + 1e-8)
    ratios.add(
        f"search, k={k}, {n_starts} starts: optima found of random_distances", 100 * found / n, ">= 90", "%"
    )
