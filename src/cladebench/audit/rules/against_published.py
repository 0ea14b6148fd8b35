"""How far our mean is from a published one."""

from __future__ import annotations

import math

from cladebench.bench.statistics.intervals import Interval
from cladebench.bench.statistics.paired_tests import Difference


def against_published(
    ours: Interval, published: float, sd: float | None, n: int | None, *, one_draw: bool = False
) -> Difference:
    """Difference of our mean and a published one (Welch).

    Parameters
    ----------
    ours : Interval
    published : float
        The printed mean.
    sd : float or None
        Printed standard deviation; None when the paper prints none: then ours is taken for theirs. Their mean varies
        too; with that left out, every third true mean of a single run would look contradicted.
    n : int or None
        Repetitions behind the printed mean; None when the paper does not say: then one.
    one_draw : bool, default=False
        The printed mean is of one draw of data that we draw anew in each repetition: it is one value from the
        distribution of ours, however many repetitions it averages.
    """
    parts: list[tuple[float, float]] = []
    if math.isnan(ours.sd):
        return Difference(ours.mean - published, math.inf, 1.0)
    if ours.sd > 0:
        theirs = 1.0 if one_draw else 1 / (n or 1) if sd is None else 0.0
        parts.append((ours.sd**2 * (ours.per_mean + theirs), ours.n - 1))
    if sd is not None and sd > 0 and n is not None and n > 1:
        parts.append((sd**2 / n, n - 1))
    variance = sum(v for v, _ in parts)
    df = variance**2 / sum(v**2 / d for v, d in parts) if parts else math.inf
    return Difference(ours.mean - published, math.sqrt(variance), df)
