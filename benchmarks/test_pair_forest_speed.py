"""The random forest distance of all pairs: the core against scikit-learn and the twin, in one run."""

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from cladebench import _core
from cladebench.distances import RandomForestDistance
from cladebench.reference import pair_forest as reference

N_TREES = 50


def classes(n: int, d: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Overlapping classes, and 30,000 pairs of their rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n)
    X = rng.normal(size=(10, d))[y] + 1.5 * rng.normal(size=(n, d))
    pairs = rng.integers(n, size=(150_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return X, {"must_link": pairs[same][:10_000], "cannot_link": pairs[~same][:20_000]}


def test_queries(ratios: Any, seconds: Callable[..., float]) -> None:
    for n, d in ((9_000, 256), (15_000, 10)):
        X, pairs = classes(n, d)
        found: dict[str, Any] = {}
        trained = seconds(
            lambda: found.update(
                ours=RandomForestDistance(n_estimators=N_TREES, random_state=0).fit(X, **pairs)
            ),
            repeats=1,
        )
        ours = found["ours"]
        ratios.add(
            f"random forest distance, {n:,} x {d}, 30,000 pairs, {N_TREES} trees: training", trained, unit="s"
        )
        per_pair_and_tree = 1e9 / (n * N_TREES)
        for n_queries in (256, 16, 1):
            queries = X[:n_queries]
            with threadpool_limits(1):
                took = seconds(lambda: ours.pairwise(queries, X))
            target = "<= 20" if n_queries == 256 else None
            ratios.add(
                f"  {n_queries} rows against all, one thread, a pair and tree",
                per_pair_and_tree * took / n_queries,
                target,
                "ns",
            )
        by_all = seconds(lambda: ours.pairwise(X[:512], X))
        ratios.add(
            f"  512 rows against all on {_core.max_threads()} threads",
            per_pair_and_tree * by_all / 512,
            unit="ns",
        )
        forest = reference.fit_pairs(X / ours.scale_, **pairs, n_estimators=N_TREES, random_state=0)
        rows = X / ours.scale_

        def by_scikit_learn() -> np.ndarray:
            # What its users write: features of pairs for one query after another.
            return np.vstack(
                [
                    forest.predict_proba(reference.pair_features(np.tile(q, (n, 1)), rows))[:, 1]
                    for q in rows[:4]
                ]
            )

        with threadpool_limits(1):
            theirs = seconds(lambda: found.update(theirs=by_scikit_learn()), repeats=1)
            few = seconds(lambda: ours.pairwise(X[:256], X), repeats=1)
        np.testing.assert_allclose(ours.pairwise(X[:4], X), found["theirs"], rtol=1e-12)
        ratios.add("  scikit-learn with features of pairs / ours", (theirs / 4) / (few / 256), ">= 5")
        few_rows = rows[:40]
        twin = seconds(lambda: reference.random_forest_distance(forest, rows[:2], few_rows), repeats=1)
        ratios.add("  twin / ours", (twin / 80) / (few / (256 * n)))
