"""Write the numbers of verdicts and of their reasons."""

from __future__ import annotations

import math

from cladebench.bench.statistics import Difference
from cladebench.notation import as_given, significant


def p_text(value: float) -> str:
    """Write a p-value: ``p = 0.05``."""
    return f"p = {significant(value, 2)}"


def by_test(test: str, p: float, gap: Difference) -> str:
    """Which test spoke, and how clearly; nothing where nothing varies."""
    return "; nothing varies between repetitions" if gap.se == 0 else f", {test}, {p_text(p)}"


def claimed_range(low: float | None, high: float | None) -> str:
    """Write a range with one end that may be open.

    For example ``at least 10 and at most 100``.
    """
    ends = (("at least", low), ("at most", high))
    return " and ".join(f"{word} {as_given(value)}" for word, value in ends if value is not None)


def finite(value: float) -> float | None:
    """Give a number, or None where it is not finite."""
    return value if math.isfinite(value) else None
