"""The random forest distance, its growth and all pairs: the core against scikit-learn and the twin, in one run."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from cladebench import _core
from cladebench.distances import RandomForestDistance
from cladebench.reference import pair_forest as reference

N_TREES, N_PAIRS = 20, 30_000


def classes(n: int, d: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Overlapping classes, and pairs of their rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n)
    X = rng.normal(size=(10, d))[y] + 1.5 * rng.normal(size=(n, d))
    pairs = rng.integers(n, size=(8 * N_PAIRS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return X, {"must_link": pairs[same][: N_PAIRS // 2], "cannot_link": pairs[~same][: N_PAIRS // 2]}


@pytest.mark.parametrize(("n", "d"), [(8_800, 256), (15_200, 10)])
def test_all_pairs(n: int, d: int, ratios: Any, seconds: Callable[..., float]) -> None:
    X, pairs = classes(n, d)
    found: dict[str, Any] = {}
    ours = RandomForestDistance(n_estimators=N_TREES, random_state=0)
    size = f"random forest distance, {n:,} x {d}, {N_PAIRS:,} pairs"
    with threadpool_limits(1):
        grown = seconds(lambda: ours.fit(X, **pairs), repeats=1) / N_TREES
        features, different = reference.training_pairs(X / ours.scale_, **pairs)
        forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=1)
        by_theirs = seconds(lambda: forest.fit(features, different), repeats=1) / N_TREES
    ratios.add(f"{size}: a tree, one thread", grown, unit="s")
    ratios.add("  scikit-learn / ours, one thread", by_theirs / grown, ">= 5")
    took = {}
    with threadpool_limits(1):
        for n_queries in (256, 16, 1):
            queries = X[:n_queries]
            took[n_queries] = seconds(lambda rows=queries: ours.pairwise(rows, X)) / (n_queries * n * N_TREES)
            target = "<= 20" if n_queries == 256 else None
            ratios.add(
                f"  {n_queries} x {n:,} on one thread, a pair and tree", 1e9 * took[n_queries], target, "ns"
            )
    with threadpool_limits(1):
        nearest = seconds(lambda: ours.kneighbors(X[:256], 50))
    ratios.add(
        f"  50 neighbours of 256 rows, all pairs / ours, {N_TREES} trees",
        took[256] * 256 * n * N_TREES / nearest,
    )
    by_all = seconds(lambda: ours.pairwise(X[:512], X)) / (512 * n * N_TREES)
    ratios.add(f"  512 x {n:,} on {_core.max_threads()} threads, a pair and tree", 1e9 * by_all, unit="ns")

    rows = X / ours.scale_

    def by_scikit_learn() -> None:
        # What its users write: the features of one row with all others, one row after another.
        found["theirs"] = np.vstack(
            [
                forest.predict_proba(reference.pair_features(row[None] + 0 * rows, rows))[:, 1]
                for row in rows[:4]
            ]
        )

    with threadpool_limits(1):
        theirs = seconds(by_scikit_learn, repeats=1) / (4 * n * N_TREES)
    assert np.corrcoef(ours.pairwise(X[:4], X).ravel(), found["theirs"].ravel())[0, 1] > 0.5  # another forest
    ratios.add("  scikit-learn on features of pairs / ours, 256 rows", theirs / took[256], ">= 5")
    twin = seconds(lambda: reference.random_forest_distance(ours.trees_, rows[:2], rows[:40]), repeats=1)
    ratios.add("  twin / ours, 256 rows", twin / (80 * N_TREES) / took[256])
