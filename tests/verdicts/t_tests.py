"""The tests of docs/verdicts.md: means, their differences, and what is shown of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit


@dataclass(frozen=True)
class Mean:
    """A mean, or a difference of means, with its standard error; exact where that is 0."""

    value: float
    error: float
    df: float
    n: int

    def beyond(self, bound: float) -> float:
        """Two-sided p-value of what is left of the distance from 0 beyond `bound`."""
        left = max(0.0, abs(self.value) - bound)
        if self.error == 0:
            return 0.0 if left > 1e-12 * max(1.0, abs(self.value)) else 1.0
        return float(2 * stdtr(self.df, -left / self.error))

    def within(self, bound: float) -> float:
        """P-value of two one-sided tests that the distance from 0 is less than `bound`."""
        room = bound - abs(self.value)
        if self.error == 0:
            return 0.0 if room >= -1e-12 * max(1.0, bound) else 1.0
        return float(stdtr(self.df, -room / self.error))

    def interval(self, alpha: float) -> tuple[float, float]:
        half = float(stdtrit(self.df, 1 - alpha / 2)) * self.error if self.error else 0.0
        return self.value - half, self.value + half

    def shifted(self, by: float) -> Mean:
        return Mean(self.value + by, self.error, self.df, self.n)


def mean_of(values: np.ndarray, overlap: float = 0.0) -> Mean:
    """Mean of results whose rows held out overlap: variance (1/n + test/training) times that of one."""
    n = len(values)
    if n == 1 or np.ptp(values) == 0:
        return Mean(float(values[0]), 0.0, max(n - 1, 1), n)
    return Mean(float(values.mean()), float(np.sqrt(values.var(ddof=1) * (1 / n + overlap))), n - 1, n)


def difference(
    ours: np.ndarray,
    printed: float,
    theirs: float | None,
    n_theirs: int,
    spread: str,
    one_draw: bool,
    overlap: float,
) -> Mean:
    """Welch's difference of our mean and a printed one."""
    n = len(ours)
    own = 0.0 if n == 1 or np.ptp(ours) == 0 else float(ours.var(ddof=1))
    # One draw is one value of the distribution of ours, whose mean is that value.
    times = 1 / n + overlap + (1.0 if one_draw else 0.0)
    parts = []
    if theirs is None:
        times += 0.0 if one_draw else 1 / n_theirs
    elif n_theirs > 1 or spread == "se":
        parts.append((theirs**2 / (1 if spread == "se" else n_theirs), n_theirs - 1))
    parts.append((own * times, n - 1))
    total = sum(variance for variance, _ in parts)
    weight = sum(variance**2 / df for variance, df in parts if variance > 0)
    df = total**2 / weight if weight > 0 else 1.0
    return Mean(float(ours.mean()) - printed, float(np.sqrt(total)), df, n)


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, (len(p) - rank) * p[index])
        adjusted[index] = min(1.0, running)
    return adjusted.tolist()
