"""Judge paired differences: orders, equality within a margin, bounds, single events.

``docs/verdicts.md`` says the same in words, with examples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cladebench.audit.verdict.verdict_types import (
    CONTRADICTED,
    DIRECTION_ONLY,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.audit.verdict.verdict_wording import by_test, finite, p_text
from cladebench.bench.statistics.paired_tests import Difference, one_sample, sign_flip
from cladebench.notation import significant


@dataclass(frozen=True)
class PairedDifferences:
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
) -> PairedDifferences:
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
        See `cladebench.bench.statistics.intervals.mean_interval`.
    """
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    size = float((np.abs(left).mean() + np.abs(right).mean()) / 2) if scale is None else scale
    differences = _without_rounding(sign * (left - right) + margin, size)
    gap = one_sample(differences, point=point, overlap=overlap)
    return PairedDifferences(
        gap, differences.size, sign_flip(differences), sign, margin, size, tie, label, or_equal, gap.p_value()
    )


def hardest(comparisons: Sequence[PairedDifferences]) -> int:
    """Find the comparison that decides a claim against several.

    Where some are ahead it is the one that is so most clearly, else the one that is hardest to tell behind.
    """
    ahead = [i for i, comparison in enumerate(comparisons) if comparison.gap.value < 0]
    if ahead:
        return min(ahead, key=lambda i: comparisons[i].p_value)
    return max(range(len(comparisons)), key=lambda i: comparisons[i].p_value)


def against_each(decides: PairedDifferences, n: int) -> PairedDifferences:
    """Correct the comparison that decides for having been found among n.

    To be above all of them each test has to show it, so that the largest p-value counts as it is (Berger 1982); that
    one of them is ahead is one of n chances to err, so that the smallest counts n times.

    References
    ----------
    Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24.
    """
    p = min(1.0, n * decides.p_value) if decides.gap.value < 0 else decides.p_value
    return replace(decides, p_value=p, against=n)


def judge_order(comparison: PairedDifferences, p_adjusted: float, rules: Rules, *, tests: int) -> Outcome:
    """Judge an order by its paired test, corrected over the family.

    Parameters
    ----------
    comparison : PairedDifferences
    p_adjusted : float
    rules : Rules
    tests : int
        Size of the family. The detectable difference is stated at the level of Holm's first step. A test that passes
        there passes whatever the others say.
    """
    gap, tie = comparison.gap, comparison.tie
    numbers = _of_pairs(comparison, rules, tests)
    label = comparison.label
    if comparison.against > 1:
        best = f"; best mean {comparison.best}" if comparison.best else ""
        which = "clearest" if gap.value < 0 else "least clear"  # see `hardest`
        label += f" (the {which} of {comparison.against} comparisons{best})"
    if comparison.exact:
        if abs(gap.value) <= tie and not comparison.or_equal:
            return Outcome(WITHIN_NOISE, f"{label}: equal", **numbers)
        if gap.value >= 0:
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
        return Outcome(verdict, f"{label}: {said}, paired t, adjusted {p_text(p_adjusted)}", **numbers)
    if gap.value > 0:
        verdict, said = DIRECTION_ONLY, "on the claimed side"
        if gap.value < comparison.margin:
            said = "behind by less than the margin, but not significantly less"
    else:
        verdict, said = WITHIN_NOISE, "no difference shown"
    return Outcome(
        verdict,
        f"{label}: {said}, adjusted {p_text(p_adjusted)}; {_could_see(comparison, numbers)}",
        **numbers,
    )


def judge_same(comparison: PairedDifferences, margin: float, rules: Rules) -> Outcome:
    """Judge "about the same": two one-sided paired t tests against a margin.

    Parameters
    ----------
    comparison : PairedDifferences
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
            REPRODUCED, f"{label}: within {limit}{by_test('two one-sided paired t', agree, gap)}", **numbers
        )
    if differ <= rules.alpha:
        return Outcome(
            CONTRADICTED, f"{label}: more than {limit} apart{by_test('paired t', differ, gap)}", **numbers
        )
    said = f"shown neither within {limit} ({p_text(agree)}) nor beyond ({p_text(differ)})"
    return Outcome(WITHIN_NOISE, f"{label}: {said}; {_could_see(comparison, numbers)}", **numbers)


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


def judge_once(
    left: np.ndarray, right: np.ndarray, *, sign: float, label: str, point: bool = False
) -> Outcome:
    """Judge what is said of one result: one repetition shows it.

    Without such a repetition the answer stays open, unless nothing varies.

    The reason states how often it may happen all the same: n repetitions without exclude at 5% a rate above
    ``1 - 0.05^(1 / n)``.
    """
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    differences = _without_rounding(sign * (left - right), float(np.abs(right).mean()))
    n, best, times = differences.size, float(differences.max()), int((differences > 0).sum())
    numbers: dict[str, Any] = {"measured": sign * best, "n": n, "difference": sign * best}
    said = f"{label}: in {times} of {n}"
    if times:
        return Outcome(REPRODUCED, said, **numbers)
    if point:
        return Outcome(CONTRADICTED, f"{said}; nothing varies between repetitions", **numbers)
    said += f", which cannot exclude that it is in up to {1 - 0.05 ** (1 / n):.0%} of further repetitions"
    return Outcome(WITHIN_NOISE, said, **numbers)


def _of_pairs(comparison: PairedDifferences, rules: Rules, tests: int) -> dict[str, Any]:
    """The numbers that every verdict on paired differences states."""
    gap = comparison.gap
    half = gap.half_width(1 - rules.alpha)
    difference = comparison.sign * (gap.value - comparison.margin)
    return {
        "measured": difference,
        "low": finite(difference - half),
        "high": finite(difference + half),
        "n": comparison.n,
        "difference": difference,
        "detectable": finite(gap.detectable(rules.alpha / tests, rules.power)),
    }


def _without_rounding(differences: np.ndarray, scale: float) -> np.ndarray:
    """Set differences as small as rounding to zero.

    Only the order of a sum can have made them; a test would find them significant.
    """
    return np.where(np.abs(differences) <= 1e-9 * scale, 0.0, differences)


def _could_see(comparison: PairedDifferences, numbers: dict[str, Any]) -> str:
    """The power of a test that decided nothing."""
    return f"{comparison.n} pairs would show a difference of {significant(numbers['detectable'])}"
