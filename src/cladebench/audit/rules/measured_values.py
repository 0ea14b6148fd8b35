"""From measured values and ratios to verdicts.

``docs/verdicts.md`` says the same in words, with examples.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cladebench.audit.rules.against_published import against_published
from cladebench.audit.verdict.verdict_types import (
    CONTRADICTED,
    DIRECTION_ONLY,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.audit.verdict.verdict_wording import by_test, claimed_range, finite, p_text
from cladebench.bench.samples.samples import paired_ratio
from cladebench.bench.statistics.intervals import mean_interval, ratio_of_means
from cladebench.bench.statistics.paired_tests import one_sample
from cladebench.notation import significant
from cladebench.paper.printed import Printed


def judge_value(
    values: np.ndarray,
    printed: Printed,
    rules: Rules,
    *,
    gap: float | None = None,
    point: bool = False,
    n_published: int | None = None,
    published_sd: float | None = None,
    one_draw: bool = False,
    seeds_alone: bool = False,
    tolerance: float = 0.0,
    overlap: float = 0.0,
) -> Outcome:
    """Judge a printed value by tests of agreement and of difference.

    Parameters
    ----------
    values : ndarray of shape (n,)
    printed : Printed
    rules : Rules
    gap : float, optional
        The smallest difference that matters; one unit of the last printed place where none is given.
    point : bool, default=False
        A deterministic method: one value is enough.
    n_published : int, optional
        Repetitions behind the printed value.
    published_sd : float, optional
        Standard deviation over them.
    one_draw : bool, default=False
        The printed value is of one draw of data that we draw anew in each repetition.
    seeds_alone : bool, default=False
        Our values differ by the method's seeds alone: the nearest of what they span is held against the printed value,
        without a test.
    tolerance : float, default=0
        Half-width of the published interval where the claim allows more than the printed rounding.
    overlap : float, default=0
        See `cladebench.bench.statistics.intervals.mean_interval`.
    """
    if seeds_alone and len(values) > 1:
        return _judge_seeds(values, printed, gap, tolerance)
    ours = mean_interval(values, point=point, overlap=overlap)
    half = printed.half_width(tolerance)
    matters = half + (printed.unit if gap is None else gap)
    difference = against_published(ours, printed.value, published_sd, n_published, one_draw=one_draw)
    numbers: dict[str, Any] = {
        "measured": ours.mean,
        "low": finite(ours.low),
        "high": finite(ours.high),
        "n": ours.n,
        "difference": difference.value,
        "detectable": finite(difference.detectable(rules.alpha, rules.power) + half),
        "p_value": difference.beyond(half).p_value() if math.isfinite(difference.se) else None,
    }
    if math.isnan(ours.sd):
        return not_testable("n too small: a single repetition gives no interval", **numbers)
    size = f"measured {significant(ours.mean)}, {significant(abs(difference.value))} from the printed {printed.text}"
    agree, differ = difference.within(matters), difference.beyond(half).p_value()
    if agree <= rules.alpha:
        what = f"less than the {significant(matters)} that matters"
        return Outcome(
            REPRODUCED, f"{size}: {what}{by_test('two one-sided tests', agree, difference)}", **numbers
        )
    if differ <= rules.alpha:
        what = "more than rounding" if not tolerance else "more than the tolerance"
        return Outcome(CONTRADICTED, f"{size}: {what}{by_test('Welch t', differ, difference)}", **numbers)
    draw = "; the paper's number is of one draw of the data" if one_draw else ""
    reason = (
        f"{size}: neither a difference ({p_text(differ)}) nor agreement within {significant(matters)} "
        f"({p_text(agree)}) is shown{draw}; "
        f"{ours.n} repetitions would show a difference of {significant(numbers['detectable'])}"
    )
    return Outcome(WITHIN_NOISE, reason, **numbers)


def _judge_seeds(values: np.ndarray, printed: Printed, gap: float | None, tolerance: float) -> Outcome:
    """Judge a printed value by the range that seeds span.

    Between what agrees and what differs there is no doubt.
    """
    low, high, mean = float(values.min()), float(values.max()), float(values.mean())
    away = max(low - printed.value, printed.value - high, 0.0)
    matters = printed.half_width(tolerance) + (printed.unit if gap is None else gap)
    agrees = away <= matters * (1 + 1e-9)
    span = f"{len(values)} seeds give {significant(low)} to {significant(high)}"
    size = f"{significant(away)} from the printed {printed.text}"
    what = f"{'no ' if agrees else ''}more than the {significant(matters)} that matters"
    return Outcome(
        REPRODUCED if agrees else CONTRADICTED,
        f"{span}, {size}: {what}",
        measured=mean,
        low=low,
        high=high,
        n=len(values),
        difference=mean - printed.value,
    )


def judge_ratio(
    left: np.ndarray,
    right: np.ndarray,
    rules: Rules,
    *,
    at_least: float | None,
    at_most: float | None,
    point: bool = False,
    label: str = "",
    overlap: float = 0.0,
    means: bool = False,
) -> Outcome:
    """Judge a ratio of paired positive measurements against a claimed range.

    Compare on the logarithmic scale. With `means` judge the ratio of the means, by Fieller's interval.
    """
    if means:
        ours = ratio_of_means(left, right, point=point, level=1 - rules.alpha, overlap=overlap)
        ratio, low, high, factor = ours.mean, ours.low, ours.high, math.inf
    else:
        ratio, logs = paired_ratio(left, right)
        ours = mean_interval(logs, point=point, level=1 - rules.alpha, overlap=overlap)
        low, high = _exp(ours.low), _exp(ours.high)
        factor = _exp(one_sample(logs, point=point, overlap=overlap).detectable(rules.alpha, rules.power))
    bottom = -math.inf if at_least is None else at_least * (1 - 1e-12)
    top = math.inf if at_most is None else at_most * (1 + 1e-12)
    numbers: dict[str, Any] = {
        "measured": ratio,
        "low": finite(low) if math.isfinite(high) else None,
        "high": finite(high),
        "n": ours.n,
        "detectable": finite(factor - 1),
    }
    what = "ratio of means" if means else "ratio"
    said = f"{label}: {what} {significant(ratio)}; claimed {claimed_range(at_least, at_most)}"
    if math.isnan(ours.sd):
        return not_testable(f"{said}; n too small: a single pair gives no interval", **numbers)
    if bottom <= low and high <= top:
        return Outcome(REPRODUCED, said, **numbers)
    if high < bottom or low > top:
        same_side = (low > 1 and (at_least or 0.0) >= 1) or (high < 1 and (at_most or math.inf) <= 1)
        return Outcome(DIRECTION_ONLY if same_side else CONTRADICTED, said, **numbers)
    return Outcome(WITHIN_NOISE, f"{said}; the interval is partly inside", **numbers)


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0)) if value < math.inf else math.inf
