"""From numbers to verdicts. ``docs/verdicts.md`` says the same in words, with examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cladebench.audit.statistics import against_published
from cladebench.audit.verdict_types import (
    CONTRADICTED,
    DIRECTION_ONLY,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.bench.intervals import mean_interval
from cladebench.bench.samples import paired_ratio
from cladebench.bench.statistics import Difference, one_sample, sign_flip
from cladebench.notation import as_given, significant
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
        See `cladebench.bench.intervals.mean_interval`.
    """
    if seeds_alone and len(values) > 1:
        return _judge_seeds(values, printed, gap, tolerance)
    ours = mean_interval(values, point=point, overlap=overlap)
    half = printed.half_width(tolerance)
    matters = half + (printed.unit if gap is None else gap)
    found = against_published(ours, printed.value, published_sd, n_published, one_draw=one_draw)
    numbers: dict[str, Any] = {
        "measured": ours.mean,
        "low": _finite(ours.low),
        "high": _finite(ours.high),
        "n": ours.n,
        "difference": found.value,
        "detectable": _finite(found.detectable(rules.alpha, rules.power) + half),
        "p_value": found.beyond(half).p_value() if math.isfinite(found.se) else None,
    }
    if math.isnan(ours.sd):
        return not_testable("n too small: a single repetition gives no interval", **numbers)
    size = (
        f"measured {significant(ours.mean)}, {significant(abs(found.value))} from the printed {printed.text}"
    )
    agree, differ = found.within(matters), found.beyond(half).p_value()
    if agree <= rules.alpha:
        what = f"less than the {significant(matters)} that matters"
        return Outcome(REPRODUCED, f"{size}: {what}{_by('two one-sided tests', agree, found)}", **numbers)
    if differ <= rules.alpha:
        what = "more than rounding" if not tolerance else "more than the tolerance"
        return Outcome(CONTRADICTED, f"{size}: {what}{_by('Welch t', differ, found)}", **numbers)
    draw = "; the paper's number is of one draw of the data" if one_draw else ""
    reason = (
        f"{size}: neither a difference ({_p(differ)}) nor agreement within {significant(matters)} ({_p(agree)}) "
        f"is shown{draw}; {ours.n} repetitions would show a difference of {significant(numbers['detectable'])}"
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


@dataclass(frozen=True)
class Comparison:
    """Paired differences before the family's correction.

    They are oriented so that a positive mean speaks for the claim.

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
        Size of what is compared, against which rounding is told from a difference.
    tie : float
        Differences up to this size count as none.
    label : str
        What was compared, for the reason.
    or_equal : bool
        The claim admits equality.
    p_value : float
        Two-sided, of the paired t test.
    against : int
        With how many the left side is compared, of which this one decides.
    best : str
        The one of these with the best mean, with it, where it is another.
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
    p_value: float
    against: int = 1
    best: str = ""

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
        See `cladebench.bench.intervals.mean_interval`.
    """
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    size = float((np.abs(left).mean() + np.abs(right).mean()) / 2) if scale is None else scale
    differences = _without_rounding(sign * (left - right) + margin, size)
    gap = one_sample(differences, point=point, overlap=overlap)
    return Comparison(
        gap, differences.size, sign_flip(differences), sign, margin, size, tie, label, or_equal, gap.p_value()
    )


def hardest(comparisons: Sequence[Comparison]) -> int:
    """Find the comparison that decides a claim against several.

    Where some are ahead it is the one that is so most clearly, else the one that is hardest to tell behind.
    """
    ahead = [i for i, found in enumerate(comparisons) if found.gap.value < 0]
    if ahead:
        return min(ahead, key=lambda i: comparisons[i].p_value)
    return max(range(len(comparisons)), key=lambda i: comparisons[i].p_value)


def against_each(decides: Comparison, n: int) -> Comparison:
    """Correct the comparison that decides for having been found among n.

    To be above all of them each test has to show it, so that the largest p-value counts as it is (Berger 1982); that
    one of them is ahead is one of n chances to err, so that the smallest counts n times.

    References
    ----------
    Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24.
    """
    p = min(1.0, n * decides.p_value) if decides.gap.value < 0 else decides.p_value
    return replace(decides, p_value=p, against=n)


def judge_order(comparison: Comparison, p_adjusted: float, rules: Rules, *, tests: int) -> Outcome:
    """Judge an order by its paired test, corrected over the family.

    Parameters
    ----------
    comparison : Comparison
    p_adjusted : float
    rules : Rules
    tests : int
        Size of the family. What could have been detected is stated at the level that Holm's first step leaves to each
        test, for that is what it takes whatever the others say.
    """
    gap, tie = comparison.gap, comparison.tie
    numbers = _of_pairs(comparison, rules, tests)
    label = comparison.label
    if comparison.against > 1:
        best = f"; best mean {comparison.best}" if comparison.best else ""
        label += f" (the least clear of {comparison.against} comparisons{best})"
    if comparison.exact:
        if abs(gap.value) <= tie and not comparison.or_equal:
            return Outcome(WITHIN_NOISE, f"{label}: equal", **numbers)
        if gap.value > 0 or (gap.value == 0 and comparison.or_equal):
            return Outcome(REPRODUCED, f"{label}: holds; nothing varies between repetitions", **numbers)
        return Outcome(CONTRADICTED, f"{label}: the opposite; nothing varies between repetitions", **numbers)
    if not math.isfinite(gap.se):
        return not_testable(f"{label}: n too small: a single pair gives no test", **numbers)
    numbers |= {"p_value": comparison.p_value, "p_exact": comparison.p_exact, "p_adjusted": p_adjusted}
    half = gap.half_width(1 - rules.alpha)
    if gap.value - half >= -tie and gap.value + half <= tie:
        return Outcome(WITHIN_NOISE, f"{label}: equal to within {significant(tie)}", **numbers)
    if p_adjusted <= rules.alpha:
        verdict, said = (REPRODUCED, "holds") if gap.value > 0 else (CONTRADICTED, "the opposite")
        return Outcome(verdict, f"{label}: {said}, paired t, adjusted {_p(p_adjusted)}", **numbers)
    verdict, said = (
        (DIRECTION_ONLY, "on the claimed side") if gap.value > 0 else (WITHIN_NOISE, "no difference shown")
    )
    return Outcome(
        verdict, f"{label}: {said}, adjusted {_p(p_adjusted)}; {_could_see(comparison, numbers)}", **numbers
    )


def judge_same(comparison: Comparison, margin: float, rules: Rules) -> Outcome:
    """Judge "about the same": two one-sided paired t tests against a margin.

    Parameters
    ----------
    comparison : Comparison
        Without a margin of its own.
    margin : float
        Differences smaller than this do not matter.
    rules : Rules
    """
    gap, label = comparison.gap, comparison.label
    numbers = _of_pairs(comparison, rules, 1)
    if not math.isfinite(gap.se):
        return not_testable(f"{label}: n too small: a single pair gives no test", **numbers)
    agree, differ = gap.within(margin), gap.beyond(margin).p_value()
    if not comparison.exact:
        numbers |= {"p_value": agree if agree <= rules.alpha else differ}
    limit = significant(margin)
    if agree <= rules.alpha:
        return Outcome(
            REPRODUCED, f"{label}: within {limit}{_by('two one-sided paired t', agree, gap)}", **numbers
        )
    if differ <= rules.alpha:
        return Outcome(
            CONTRADICTED, f"{label}: more than {limit} apart{_by('paired t', differ, gap)}", **numbers
        )
    said = f"shown neither within {limit} ({_p(agree)}) nor beyond ({_p(differ)})"
    return Outcome(WITHIN_NOISE, f"{label}: {said}; {_could_see(comparison, numbers)}", **numbers)


def _of_pairs(comparison: Comparison, rules: Rules, tests: int) -> dict[str, Any]:
    """The numbers that every verdict on paired differences states."""
    gap = comparison.gap
    half = gap.half_width(1 - rules.alpha)
    difference = comparison.sign * (gap.value - comparison.margin)
    return {
        "measured": difference,
        "low": _finite(difference - half),
        "high": _finite(difference + half),
        "n": comparison.n,
        "difference": difference,
        "detectable": _finite(gap.detectable(rules.alpha / tests, rules.power)),
    }


def judge_bound(
    left: np.ndarray, right: np.ndarray, *, sign: float, label: str, point: bool = False
) -> Outcome:
    """Judge a bound that must hold in every repetition.

    One violation contradicts it, one repetition cannot show it.

    The reason states how often it may be violated all the same: n repetitions without exclude at 5% a rate above
    ``1 - 0.05^(1 / n)``.
    """
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
    said = f"{label}: holds in all {differences.size}"
    if not point:
        rate = 1 - 0.05 ** (1 / differences.size)
        said += f", which cannot exclude that up to {rate:.0%} of further repetitions violate it"
    return Outcome(REPRODUCED, said, **numbers)


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
    """Judge a ratio of paired positive measurements against a claimed range.

    On the logarithmic scale.
    """
    ratio, logs = paired_ratio(left, right)
    ours = mean_interval(logs, point=point, level=1 - rules.alpha, overlap=overlap)
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
        return Outcome(REPRODUCED, said, **numbers)
    if high < bottom or low > top:
        same_side = (low > 1 and (at_least or 0.0) >= 1) or (high < 1 and (at_most or math.inf) <= 1)
        return Outcome(DIRECTION_ONLY if same_side else CONTRADICTED, said, **numbers)
    return Outcome(WITHIN_NOISE, f"{said}; the interval is partly inside", **numbers)


def _without_rounding(differences: np.ndarray, scale: float) -> np.ndarray:
    """Set differences as small as rounding to zero.

    Only the order of a sum can have made them; a test would find them significant.
    """
    return np.where(np.abs(differences) <= 1e-9 * scale, 0.0, differences)


def _could_see(comparison: Comparison, numbers: dict[str, Any]) -> str:
    """The power of a test that decided nothing."""
    return f"{comparison.n} pairs would show a difference of {significant(numbers['detectable'])}"


def _p(value: float) -> str:
    return f"p = {significant(value, 2)}"


def _by(test: str, p: float, gap: Difference) -> str:
    """Which test spoke, and how clearly; nothing where nothing varies."""
    return "; nothing varies between repetitions" if gap.se == 0 else f", {test}, {_p(p)}"


def claimed_range(low: float | None, high: float | None) -> str:
    """Write a range with one end that may be open.

    For example ``at least 10 and at most 100``.
    """
    ends = (("at least", low), ("at most", high))
    return " and ".join(f"{word} {as_given(value)}" for word, value in ends if value is not None)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0)) if value < math.inf else math.inf
