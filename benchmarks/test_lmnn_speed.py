"""LMNN's loss against the plain twin, its fit, and regression trees against scikit-learn's, in one run."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from cladebench import _core
from cladebench.distances import GBLMNN, LMNN
from cladebench.distances._triplets import find_targets
from cladebench.reference import lmnn as reference


def classes(n: int, d: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes, and features that tell less and less."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    means = 2.0 * rng.normal(size=(n_classes, d)) / np.sqrt(1.0 + np.arange(d))
    return means[y] + rng.normal(size=(n, d)), y


def test_loss(ratios: Any, seconds: Callable[..., float]) -> None:
    X, y = classes(300, 10, 3)
    targets = find_targets(X, y, 3)
    loss = _core.TripletLoss(y, targets, 0.5, 0.0)
    ours = seconds(lambda: loss.evaluate(X, X), 20)
    theirs = seconds(lambda: reference.triplet_loss(X, y, targets, 0.5), 1)
    ratios.add("LMNN loss with gradient, 300 x 10: plain twin / ours", theirs / ours, ">= 100")
    X, y = classes(4_000, 100, 10)
    Z = X / 2.0
    loss = _core.TripletLoss(y, find_targets(X, y, 3), 0.5, 0.0)
    with threadpool_limits(1):
        first = seconds(lambda: loss.evaluate(Z, Z), 1)
        ratios.add("LMNN loss, 4,000 x 100, one thread: all pairs", 1e3 * first, unit="ms")
        ratios.add("  from lists", 1e3 * seconds(lambda: loss.evaluate(Z, Z)), unit="ms")


def test_fit(ratios: Any, seconds: Callable[..., float]) -> None:
    X, y = classes(2_000, 30, 5)
    found: list[LMNN] = []
    with threadpool_limits(1):
        ours = seconds(lambda: found.append(LMNN().fit(X, y)), 1)
        boosted = seconds(lambda: GBLMNN(n_trees=100).fit(X, y), 1)
    ratios.add("LMNN fit, 2,000 x 30, 5 classes, one thread", ours, unit="s")
    ratios.add("  the gap that it leaves", found[0].gap_, "<= 0.01", unit="")
    ratios.add("GB-LMNN of 100 trees on it", boosted, unit="s")


def test_tree(ratios: Any, seconds: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    X, outputs = rng.normal(size=(4_000, 100)).round(1), rng.normal(size=(4_000, 100))
    builder = _core.TreeBuilder(X)
    with threadpool_limits(1):
        ours = seconds(lambda: builder.fit(outputs, 4))
        theirs = seconds(lambda: DecisionTreeRegressor(max_depth=4).fit(X, outputs), 1)
    ratios.add("regression tree, 4,000 x 100 to 100 outputs, one thread: scikit-learn / ours", theirs / ours)
    ratios.add("  ours", 1e3 * ours, unit="ms")
