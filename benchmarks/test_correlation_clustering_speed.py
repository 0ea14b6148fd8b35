"""Correlation clustering: the relaxation's time and gap, kernels against their twins, a fit of the SVM."""

import numpy as np
import pytest

from cladebench import _core
from cladebench.distances import SVMCluster
from cladebench.reference import correlation_clusterings as twin
from cladebench.solvers import correlation_clustering


def gaussians(n: int, seed: int, n_dims: int = 20, n_clusters: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Clusters in the first half of the dimensions, wide noise in the others; squared differences, and clusters."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_clusters, size=n)
    X = rng.normal(size=(n, n_dims))
    half = n_dims // 2
    X[:, :half] += 2.0 * rng.normal(size=(n_clusters, half))[y]
    X[:, half:] *= 5.0
    return np.square(X[:, None] - X).transpose(2, 0, 1), y


def similarity(n: int, kind: str) -> np.ndarray:
    if kind == "random":  # the relaxation is far from integral
        S = np.triu(np.random.default_rng(0).normal(size=(n, n)), 1)
        return S + S.T
    stack, _ = gaussians(n, 0)
    D = np.sqrt(stack[: 10 if kind == "clean" else 20].sum(axis=0))
    return np.median(D) - D


@pytest.mark.parametrize("kind", ["clean", "noisy", "random"])
@pytest.mark.parametrize("n", [100, 250, 500])
def test_relaxation(n: int, kind: str, ratios, seconds) -> None:
    S = similarity(n, kind)
    found = correlation_clustering(S, random_state=0)
    ratios.add(
        f"relaxation, n={n}, {kind}: time",
        seconds(lambda: correlation_clustering(S, random_state=0), repeats=1),
        unit="s",
    )
    ratios.add(
        f"relaxation, n={n}, {kind}: bound / value - 1", 100.0 * (found.bound / found.value - 1.0), unit="%"
    )
    ratios.add(
        f"greedy, n={n}, {kind}: time", seconds(lambda: correlation_clustering(S, method="greedy")), unit="s"
    )


def test_against_a_linear_programme(ratios, seconds) -> None:
    S = similarity(30, "random")
    slow = seconds(lambda: twin.relaxation(S), repeats=1)
    fast = seconds(lambda: correlation_clustering(S, tol=1e-4))
    ratios.add("relaxation to 1e-4, n=30: HiGHS with all triangles / kernel", slow / fast, ">= 1")


def test_search_for_violated_triangles(ratios, seconds) -> None:
    x = np.triu(np.random.default_rng(0).uniform(size=(100, 100)), 1)
    x = x + x.T + np.eye(100)
    slow = seconds(lambda: twin.violated_triangles(x, 1e-6), repeats=1)
    ratios.add(
        "violated triangles, n=100: twin / kernel",
        slow / seconds(lambda: _core.violated_triangles(x, 1e-6)),
        ">= 10",
    )


@pytest.mark.parametrize("method", ["relaxation", "greedy"])
def test_a_fit(method: str, ratios, seconds) -> None:
    sets = [gaussians(100, seed) for seed in range(10)]
    model = SVMCluster(method=method)
    time = seconds(lambda: model.fit([stack for stack, _ in sets], [y for _, y in sets]), repeats=1)
    ratios.add(f"SVM-cluster, {method}, 10 sets of 100: time", time, unit="s")
    ratios.add(f"SVM-cluster, {method}, 10 sets of 100: rounds", model.n_iter_, unit="")
