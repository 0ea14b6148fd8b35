"""Four distances between histograms by their formulas, one pair at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence


def histogram_distance(x: Sequence[float], y: Sequence[float], kind: str, width: float = 1.0) -> float:
    """Compute two rows' "chi2", "squared_l2", "l1" or kernel's "rbf" distance.

    O(n_features). See :func:`cladebench.metrics.histogram_distances.histogram_distances`.
    """
    if kind == "chi2":
        return 0.5 * sum((a - b) ** 2 / (a + b) for a, b in zip(x, y, strict=True) if a + b > 0)
    if kind == "l1":
        return sum(abs(a - b) for a, b in zip(x, y, strict=True))
    if kind == "squared_l2":
        return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    return math.sqrt(kernel(x, x, width) + kernel(y, y, width) - 2 * kernel(x, y, width))


def kernel(x: Sequence[float], y: Sequence[float], width: float) -> float:
    """exp(-||x - y||^2 / width)."""
    return math.exp(-histogram_distance(x, y, "squared_l2") / width)


def mean_squared_distance(X: Sequence[Sequence[float]]) -> float:
    """Average the squared distances of different rows, in O(n^2 n_features)."""
    n = len(X)
    total = sum(histogram_distance(X[i], X[j], "squared_l2") for i in range(n) for j in range(n) if i != j)
    return total / (n * (n - 1))
