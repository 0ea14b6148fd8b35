"""From numbers to verdicts. ``docs/verdicts.md`` says the same in words, with examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cladebench.audit.printed import Printed
from cladebench.audit.statistics import Difference, against_published, mean_interval, one_sample, sign_flip
from cladebench.audit.verdict_types import (
    CONTRADICTED,
    DIRECTION_ONLY,
    REPRODUCED,
    VERDICTS,
    WITHIN_NOISE,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.bench.samples import paired_ratio
from cladebench.notation import as_given, significant

#: Strength of a part within a sentence; a part that is not testable is counted as unknown.
_STRENGTH = {REPRODUCED: 3, DIRECTION_ONLY: 2, WITHIN_NOISE: 1, CONTRADICTED: 0}


def judge_value(
    values: np.ndarray,
    printed: Printed,
    rules: Rules,
    *,
    metric: str | None = None,
    point: bool = False,
    n_published: int | None = None,
    published_sd: float | None = None,
    one_draw: bool = False,
    tolerance: float = 0.0,
    overlap: float = 0.0,
) -> Outcome:
    """Judge a printed value against our repetitions.

    Parameters
    ----------
    values : ndarray of shape (n,)
    printed : Printed
    rules : Rules
    metric : str, optional
        Its share in `rules` holds.
    point : bool, default=False
        A deterministic method: one value is enough.
    n_published : int, optional
        Repetitions behind the printed value.
    published_sd : float, optional
        Standard deviation over them.
    one_draw : bool, default=False
        The printed value is of one draw of data that we draw anew in each repetition.
    tolerance : float, default=0
        Half-width of the published interval where the claim allows more than the printed rounding.
    overlap : float, default=0
        See `cladebench.audit.statistics.mean_interval`.
    """
    ours = mean_interval(values, point=point, overlap=overlap)
    half = printed.half_width(tolerance)
    gap = against_published(ours, printed.value, published_sd, n_published, one_draw=one_draw)
    detectable = gap.detectable(rules.alpha, rules.power) + half
    numbers: dict[str, Any] = {
        "measured": ours.mean,
        "low": _finite(ours.low),
        "high": _finite(ours.high),
        "n": ours.n,
        "difference": gap.value,
        "detectable": _finite(detectable),
        "p_value": gap.beyond(half).p_value() if math.isfinite(gap.se) else None,
    }
    if math.isnan(ours.sd):
        return not_testable("n too small: a single repetition gives no interval", **numbers)
    rounding = half * (1 + 1e-9)
    reach = gap.half_width(1 - rules.alpha) + rounding
    if abs(gap.value) > reach:
        return Outcome(
            CONTRADICTED,
            f"measured {significant(ours.mean)}, {significant(abs(gap.value))} from the printed {printed.text}; "
            f"rounding and noise explain {significant(reach)}",
            **numbers,
        )
    limit = rules.share_for(metric) * max(abs(printed.value), printed.unit)
    if half > limit:
        what = "the claim's tolerance" if tolerance else "the rounding of the printed number"
        return not_testable(
            f"{what}, {significant(half)}, is more than the {significant(limit)} that would be needed",
            **numbers,
        )
    if detectable > limit:
        draw = " (the paper's is one draw of the data)" if one_draw else ""
        return not_testable(_too_small(ours.n, detectable, limit) + draw, **numbers)
    if abs(gap.value) <= rounding:
        agrees = "is the printed value as rounded" if not tolerance else "lies within the tolerance"
        return Outcome(REPRODUCED, f"the mean {significant(ours.mean)} {agrees}", supported=True, **numbers)
    return Outcome(
        WITHIN_NOISE,
        f"{significant(abs(gap.value))} from the printed value; rounding and noise explain {significant(reach)}",
        supported=True,
        **numbers,
    )


@dataclass(frozen=True)
class Comparison:
    """Paired differences, oriented so that a positive mean speaks for the claim, before the family's correction.

    Attributes
    ----------
    gap : Difference
        Mean of the oriented differences (margin included), its standard error and degrees of freedom.
    n : int
        Pairs.
    p_exact : float or None
    sign : float
        +1 when the claim says higher, -1 when lower.
    margin : float
        Allowance in the claim's favour, contained in ``gap``.
    scale : float
        Size of what is compared; the detectable difference is held against it.
    tie : float
        Differences up to this size count as none.
    label : str
        What was compared, for the reason.
    or_equal : bool
        The claim admits equality.
    """

    gap: Difference
    n: int
    p_exact: float | None
    sign: float
    margin: float
    scale: float
    tie: float
    label: str
    or_equal: bool

    @property
    def exact(self) -> bool:
        """Nothing varies: the difference is known."""
        return self.gap.se == 0


def compare(
    left: np.ndarray,
    right: np.ndarray,
    *,
    sign: float,
    margin: float = 0.0,
    tie: float = 0.0,
    scale: float | None = None,
    point: bool = False,
    label: str = "",
    or_equal: bool = False,
    overlap: float = 0.0,
) -> Comparison:
    """Set up the paired comparison of an order.

    Parameters
    ----------
    left, right : ndarray of shape (n,)
        Measurements, paired by task.
    sign : {1.0, -1.0}
        +1 when the claim says that left is higher.
    margin : float, default=0
        How far left may fall behind and still satisfy the claim ("no worse").
    tie : float, default=0
        Differences up to this size count as none.
    scale : float, optional
        Default: the mean size of both sides.
    point : bool, default=False
        Both sides are known exactly.
    label : str
        For the reason.
    or_equal : bool, default=False
        The claim admits equality ("no worse", "at most").
    overlap : float, default=0
        See `cladebench.audit.statistics.mean_interval`.
    """
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    size = float((np.abs(left).mean() + np.abs(right).mean()) / 2) if scale is None else scale
    differences = _without_rounding(sign * (left - right) + margin, size)
    gap = one_sample(differences, point=point, overlap=overlap)
    return Comparison(gap, differences.size, sign_flip(differences), sign, margin, size, tie, label, or_equal)


def judge_order(
    comparison: Comparison, p_adjusted: float, rules: Rules, metric: str | None = None, *, tests: int
) -> Outcome:
    """Judge an order by its paired test, corrected over the family.

    Parameters
    ----------
    comparison : Comparison
    p_adjusted : float
    rules : Rules
    metric : str, optional
        Its share in `rules` holds.
    tests : int
        Size of the family. What could have been detected is stated at the level that Holm's first step leaves to each
        test, for that is what it takes whatever the others say.
    """
    gap, tie = comparison.gap, comparison.tie
    half = gap.half_width(1 - rules.alpha)
    detectable = gap.detectable(rules.alpha / tests, rules.power)
    difference = comparison.sign * (gap.value - comparison.margin)
    numbers: dict[str, Any] = {
        "measured": difference,
        "low": _finite(difference - half),
        "high": _finite(difference + half),
        "n": comparison.n,
        "difference": difference,
        "detectable": _finite(detectable),
    }
    if not comparison.exact and math.isfinite(gap.se):
        numbers |= {"p_value": gap.p_value(), "p_exact": comparison.p_exact, "p_adjusted": p_adjusted}
    label = comparison.label
    if comparison.exact:
        if abs(gap.value) <= tie and not comparison.or_equal:
            return Outcome(WITHIN_NOISE, f"{label}: equal", **numbers)
        if gap.value > 0 or (gap.value == 0 and comparison.or_equal):
            return Outcome(REPRODUCED, f"{label}: holds; nothing varies", supported=True, **numbers)
        return Outcome(CONTRADICTED, f"{label}: the opposite; nothing varies", **numbers)
    if not math.isfinite(gap.se):
        return not_testable(f"{label}: n too small: a single pair gives no test", **numbers)
    if gap.value - half >= -tie and gap.value + half <= tie:
        return Outcome(WITHIN_NOISE, f"{label}: equal to within {significant(tie)}", **numbers)
    if p_adjusted <= rules.alpha:
        if gap.value > 0:
            return Outcome(
                REPRODUCED,
                f"{label}: holds, adjusted p = {significant(p_adjusted, 2)}",
                supported=True,
                **numbers,
            )
        return Outcome(
            CONTRADICTED, f"{label}: the opposite, adjusted p = {significant(p_adjusted, 2)}", **numbers
        )
    limit = rules.share_for(metric) * comparison.scale
    if detectable > limit:
        return not_testable(f"{label}: {_too_small(comparison.n, detectable, limit)}", **numbers)
    if gap.value > 0:
        reason = f"{label}: right side, adjusted p = {significant(p_adjusted, 2)}"
        return Outcome(DIRECTION_ONLY, reason, supported=True, **numbers)
    return Outcome(
        WITHIN_NOISE, f"{label}: not told apart, adjusted p = {significant(p_adjusted, 2)}", **numbers
    )


def judge_bound(
    left: np.ndarray, right: np.ndarray, *, sign: float, label: str, point: bool = False
) -> Outcome:
    """Judge a bound that must hold in every repetition: one violation contradicts it, one repetition cannot show it."""
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    differences = _without_rounding(sign * (left - right), float(np.abs(right).mean()))
    worst = float(differences.min())
    numbers: dict[str, Any] = {"measured": sign * worst, "n": differences.size, "difference": sign * worst}
    violated = int((differences < 0).sum())
    if violated:
        reason = f"{label}: violated in {violated} of {differences.size}, by up to {significant(-worst)}"
        return Outcome(CONTRADICTED, reason, **numbers)
    if differences.size == 1 and not point:
        return not_testable(f"{label}: n too small: it holds in a single repetition", **numbers)
    return Outcome(REPRODUCED, f"{label}: holds in all {differences.size}", supported=True, **numbers)


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
) -> Outcome:
    """Judge a ratio of paired positive measurements, on the logarithmic scale, against the claimed range."""
    ratio, logs = paired_ratio(left, right)
    ours = mean_interval(logs, point=point, overlap=overlap)
    gap = one_sample(logs, point=point, overlap=overlap)
    low, high = _exp(ours.low), _exp(ours.high)
    bottom = 0.0 if at_least is None else at_least * (1 - 1e-12)
    top = math.inf if at_most is None else at_most * (1 + 1e-12)
    factor = _exp(gap.detectable(rules.alpha, rules.power))
    numbers: dict[str, Any] = {
        "measured": ratio,
        "low": _finite(low) if math.isfinite(high) else None,
        "high": _finite(high),
        "n": ours.n,
        "detectable": _finite(factor - 1),
    }
    said = f"{label}: ratio {significant(ratio)}, claimed {claimed_range(at_least, at_most)}"
    if math.isnan(ours.sd):
        return not_testable(f"{said}; n too small: a single pair gives no interval", **numbers)
    if bottom <= low and high <= top:
        return Outcome(REPRODUCED, said, supported=True, **numbers)
    if high < bottom or low > top:
        same_side = (low > 1 and (at_least or 0.0) >= 1) or (high < 1 and (at_most or math.inf) <= 1)
        return Outcome(DIRECTION_ONLY if same_side else CONTRADICTED, said, supported=same_side, **numbers)
    if factor - 1 > rules.ratio_share:
        return not_testable(f"{said}; {_too_small(ours.n, factor - 1, rules.ratio_share)}", **numbers)
    return Outcome(WITHIN_NOISE, f"{said}; the interval reaches into it", supported=True, **numbers)


def combine(parts: Sequence[Outcome], at_least: int) -> Outcome:
    """Judge a sentence of which at least so many parts must hold.

    A part that could not be tested is unknown: the sentence is contradicted when even all unknown parts could not
    save it, and not testable when it takes unknown parts to hold. Otherwise it is as strong as its `at_least`-th
    strongest part.
    """
    known = sorted((p for p in parts if p.verdict in _STRENGTH), key=lambda p: -_STRENGTH[p.verdict])
    alive = [p for p in known if p.verdict != CONTRADICTED]
    unknown = len(parts) - len(known)
    if len(alive) + unknown < at_least:
        failed = len(parts) - len(alive) - unknown
        return Outcome(
            CONTRADICTED, f"{failed} of {len(parts)} parts contradicted, {at_least} must hold", n=len(parts)
        )
    if len(alive) < at_least:
        reasons = list(dict.fromkeys(p.reason for p in parts if p.verdict not in _STRENGTH))
        more = f"; and {len(reasons) - 2} more reasons" if len(reasons) > 2 else ""
        reason = f"{unknown} of {len(parts)} parts not testable: {'; '.join(reasons[:2])}{more}"
        return not_testable(reason, n=len(parts))
    weakest = alive[at_least - 1]
    counts = [
        f"{sum(p.verdict == v for p in parts)} {v}" for v in VERDICTS if any(p.verdict == v for p in parts)
    ]
    reason = f"{at_least} of {len(parts)} parts must hold: {', '.join(counts)}"
    return Outcome(weakest.verdict, reason, n=len(parts), supported=weakest.supported)


def _without_rounding(differences: np.ndarray, scale: float) -> np.ndarray:
    """Differences that only the order of a sum can have made count as none; else a test would find them significant."""
    return np.where(np.abs(differences) <= 1e-9 * scale, 0.0, differences)


def _too_small(n: int, detectable: float, limit: float) -> str:
    found, needed = significant(detectable), significant(limit)
    return f"n too small: n = {n} can detect no less than {found}, and {needed} would be needed"


def claimed_range(low: float | None, high: float | None) -> str:
    """Write a range of which one end may be open: ``at least 10 and at most 100``."""
    ends = (("at least", low), ("at most", high))
    return " and ".join(f"{word} {as_given(value)}" for word, value in ends if value is not None)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0)) if value < math.inf else math.inf
