"""One claim, from its samples to its outcome."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from cladebench.datasets.registry import info
from verdicts.claims import Claim, Printed
from verdicts.records import Sample
from verdicts.t_tests import difference, mean_of

STANCE = {
    "reproduced": "supports",
    "direction only": "undecided",
    "within noise": "undecided",
    "contradicted": "contradicts",
    "inconsistent": "contradicts",
    "uninformative": "not testable",  # a number that is possible and says nothing
    "not testable": "not testable",
}
#: No p-value, and yet one of the family that is corrected.
ONE_PAIR = "one pair"
#: Distances below this share of the numbers are rounding.
ROUNDING = 1e-9


@dataclass
class Outcome:
    verdict: str
    measured: float | None = None
    p: float | None = None
    adjusted: float | None = None
    stand_in: bool = False
    chosen: bool = False
    test: Any = None  # what a family's correction waits for
    only: str = ""  # the one verdict that methods without records could not overturn
    parts: tuple[str, ...] = ()

    @property
    def stance(self) -> str:
        return STANCE[self.verdict]


@functools.cache  # many choices leave both samples as they are
def pairs(left: Sample | float, right: Sample | float) -> tuple[np.ndarray, np.ndarray, bool, float]:
    """Values of the same tasks, whether nothing varies, and how much what is held out overlaps."""
    sides = [side for side in (left, right) if isinstance(side, Sample)]
    exact = all(side.exact for side in sides)
    if exact:
        a, b = (side.array[0] if isinstance(side, Sample) else side for side in (left, right))
        return np.array([a]), np.array([b]), True, 0.0
    varying = [side for side in sides if not side.exact]
    tasks = [task for task in varying[0].values if all(task in side.values for side in varying)]

    def values(side: Sample | float) -> np.ndarray:
        if not isinstance(side, Sample):
            return np.full(len(tasks), side)
        return np.array([side.array[0] if side.exact else side.values[task] for task in tasks])

    overlap = max(side.overlap(tasks) for side in varying)
    return values(left), values(right), False, overlap


def judge_value(claim: Claim, sample: Sample, scale: float, alpha: float, spread: str) -> Outcome:
    printed = claim.printed
    assert printed is not None
    ours = sample.array * scale
    half = max(printed.unit / 2, amount(claim.says("tolerance"), printed, 0.0))
    gap = amount(claim.says("gap"), printed, printed.unit)
    if claim.says("seeds_alone") and len(ours) > 1:
        outside = max(min(ours) - printed.value, printed.value - max(ours))
        verdict = "reproduced" if outside <= (half + gap) * (1 + ROUNDING) else "contradicted"
        return Outcome(verdict, float(ours.mean()))
    # A deterministic method is a point.
    found = difference(
        ours[:1] if sample.exact else ours,
        printed.value,
        printed.spread,
        claim.says("repetitions", 1),
        spread,
        claim.says("one_draw", False),
        sample.overlap(list(sample.values)),
    )
    measured = float(ours.mean())
    if len(ours) == 1 and not sample.exact:
        return Outcome("not testable", measured)
    p = found.beyond(half * (1 + ROUNDING))
    agrees = found.within((half + gap) * (1 + ROUNDING)) <= alpha
    verdict = "reproduced" if agrees else "contradicted" if p <= alpha else "within noise"
    return Outcome(verdict, measured, p, test="value")


def amount(given: dict[str, float] | None, printed: Printed, otherwise: float) -> float:
    if given is None:
        return otherwise
    return given["absolute"] if "absolute" in given else given["relative"] * abs(printed.value)


def compare(claim: Claim, left: Sample | float, right: Sample | float, sign: float, alpha: float) -> Outcome:
    """An order before its correction; `sign` is 1 where the left side should be above."""
    a, b, exact, overlap = pairs(left, right)
    if len(a) == 0:
        return Outcome("not testable")
    relation = claim.expects["is"]
    gaps = a - b
    if relation in {"never_above", "never_below"}:
        worst = float(gaps.max() if relation == "never_above" else gaps.min())
        broken = worst > 0 if relation == "never_above" else worst < 0
        if broken:
            return Outcome("contradicted", worst)
        return Outcome("not testable" if len(a) == 1 and not exact else "reproduced", worst)
    if relation in {"once_above", "once_below"}:
        best = float(gaps.max() if relation == "once_above" else gaps.min())
        once = best > 0 if relation == "once_above" else best < 0
        return Outcome("reproduced" if once else "contradicted" if exact else "within noise", best)
    measured = mean_of(gaps, overlap)
    if len(a) == 1 and not exact:
        return Outcome("not testable", measured.value, test=None if relation == "same" else ONE_PAIR)
    if relation == "same":
        margin = claim.expects["margin"]
        p, agrees = measured.beyond(margin), measured.within(margin)
        verdict = "reproduced" if agrees <= alpha else "contradicted" if p <= alpha else "within noise"
        spoke = agrees if verdict == "reproduced" else p
        return Outcome(verdict, measured.value, spoke if measured.error > 0 else None)
    margin = allowed(claim.expects)
    found = Outcome("", measured.value)
    found.test = (
        measured,
        measured.shifted(sign * margin),
        sign,
        claim.expects.get("tie", 0.0),
        relation == "no_worse",
    )
    return found


def allowed(expects: dict[str, Any]) -> float:
    """How much the left side of an order may fall short; negative where it must be ahead ``by`` that much."""
    return float(expects.get("margin", -expects.get("by", 0.0)))


def settle(found: Outcome, adjusted: float | None, alpha: float) -> Outcome:
    """The verdict of an order or trend once its p-value is corrected."""
    plain, mean, sign, tie, admits_equality = found.test
    signed = sign * mean.value
    if mean.error == 0:
        if abs(mean.value) <= 0 or abs(plain.value) <= tie:
            verdict = "reproduced" if admits_equality and signed >= 0 else "within noise"
        else:
            verdict = "reproduced" if signed > 0 else "contradicted"
        return replace(found, verdict=verdict)
    assert adjusted is not None
    low, high = plain.interval(alpha)
    if -tie <= low and high <= tie and tie > 0:
        verdict = "within noise"
    elif adjusted <= alpha:
        verdict = "reproduced" if signed > 0 else "contradicted"
    else:
        verdict = "direction only" if signed > 0 else "within noise"
    return replace(found, verdict=verdict, adjusted=adjusted)


def judge_ratio(claim: Claim, left: Sample | float, right: Sample | float, alpha: float) -> Outcome:
    a, b, exact, overlap = pairs(left, right)
    if claim.expects.get("means"):
        return judge_ratio_of_means(claim, a, b, exact, overlap, alpha)
    if len(a) == 0 or min(a.min(), b.min()) <= 0:
        return Outcome("not testable")
    found = mean_of(np.log(a / b), overlap)
    measured = float(np.exp(found.value))
    if len(a) == 1 and not exact:
        return Outcome("not testable", measured)
    low, high = found.interval(alpha)
    least = np.log(claim.expects["at_least"]) if "at_least" in claim.expects else -np.inf
    most = np.log(claim.expects["at_most"]) if "at_most" in claim.expects else np.inf
    if least <= low and high <= most:
        return Outcome("reproduced", measured)
    if low <= most and high >= least:
        return Outcome("within noise", measured)
    right_side = (least >= 0 and low > 0) or (most <= 0 and high < 0)
    return Outcome("direction only" if right_side else "contradicted", measured)


def judge_ratio_of_means(
    claim: Claim, a: np.ndarray, b: np.ndarray, exact: bool, overlap: float, alpha: float
) -> Outcome:
    """Each limit by the t interval of its own difference: a is k times b."""
    if len(a) == 0 or b.mean() <= 0 or a.mean() < 0:
        return Outcome("not testable")
    measured = float(a.mean() / b.mean())
    if len(a) == 1 and not exact:
        return Outcome("not testable", measured)

    if mean_of(b, overlap).interval(alpha)[0] <= 0:
        return Outcome("within noise", measured)

    def from_limit(k: float) -> tuple[float, float]:
        return mean_of(a - k * b, overlap).interval(alpha)

    inside, outside, one = True, False, from_limit(1.0)
    right_side = False
    if "at_least" in claim.expects:
        low, high = from_limit(claim.expects["at_least"])
        inside, outside = inside and low >= 0, outside or high < 0
        right_side |= claim.expects["at_least"] >= 1 and one[0] > 0
    if "at_most" in claim.expects:
        low, high = from_limit(claim.expects["at_most"])
        inside, outside = inside and high <= 0, outside or low > 0
        right_side |= claim.expects["at_most"] <= 1 and one[1] < 0
    if inside:
        return Outcome("reproduced", measured)
    if not outside:
        return Outcome("within noise", measured)
    return Outcome("direction only" if right_side else "contradicted", measured)


def compare_trend(claim: Claim, samples: Sequence[Sample], alpha: float) -> Outcome:
    log = claim.expects.get("log", [])
    x = np.array([float(entry["x"]) for entry in claim.expects["points"]])
    x = np.log(x) if "x" in log else x
    varying = [sample for sample in samples if not sample.exact]
    tasks: list[Any] = [None]
    if varying:
        tasks = [task for task in varying[0].values if all(task in sample.values for sample in varying)]
    if not tasks:
        return Outcome("not testable")
    rows = [[s.array[0] if s.exact else s.values[task] for s in samples] for task in tasks]
    y = np.log(rows) if "y" in log else np.array(rows)
    slopes = np.array([np.polyfit(x, row, 1)[0] for row in y])
    ((kind, bound),) = claim.expects["slope"].items()
    mean = mean_of(slopes - bound, max((sample.overlap(tasks) for sample in varying), default=0.0))
    if len(tasks) == 1 and varying:
        return Outcome("not testable", mean.value, test=ONE_PAIR)
    found = Outcome("", mean.value)
    found.test = (mean, mean, 1.0 if kind == "at_least" else -1.0, 0.0, True)
    return found


@functools.cache
def share_of_orders(printed: tuple[float, ...], measured: tuple[float, ...]) -> float:
    """Of all orders of the measured numbers, the share that agrees or disagrees with the printed ones as much."""
    couples = list(itertools.combinations(range(len(printed)), 2))
    agreed = [np.sign(printed[i] - printed[j]) for i, j in couples]
    orders = np.array(list(itertools.permutations(measured)))
    found = sum(a * np.sign(orders[:, i] - orders[:, j]) for a, (i, j) in zip(agreed, couples, strict=True))
    return float((np.abs(found) >= np.abs(found[0])).mean())


def compare_ranking(printed: Sequence[float], measured: Sequence[float]) -> Outcome:
    if len(printed) < 5 or np.ptp(printed) == 0 or np.ptp(measured) == 0:
        return Outcome("not testable")
    tau = stats.kendalltau(printed, measured)
    found = Outcome("", float(tau.statistic), float(tau.pvalue))
    if len(printed) <= 8 and len({*printed}) + len({*measured}) < 2 * len(printed):
        found.p = share_of_orders(tuple(printed), tuple(measured))
    found.test = "ranking"
    return found


def settle_ranking(found: Outcome, adjusted: float, alpha: float) -> Outcome:
    assert found.measured is not None
    shown = "reproduced" if found.measured > 0 else "contradicted"
    return replace(found, verdict=shown if adjusted <= alpha else "within noise", adjusted=adjusted)


def combine(stances: Sequence[str], verdicts: Sequence[str], needed: int) -> str:
    """The outcome of a sentence from those of its parts."""
    supported = stances.count("supports")
    undecided, unknown = stances.count("undecided"), stances.count("not testable")
    if supported >= needed:
        return "reproduced"
    if supported + undecided + unknown < needed:
        against = {v for v, stance in zip(verdicts, stances, strict=True) if stance == "contradicts"}
        return "inconsistent" if against == {"inconsistent"} else "contradicted"
    if supported + undecided < needed:
        return "not testable"
    return "direction only" if supported + verdicts.count("direction only") >= needed else "within noise"


def judge_possible(claim: Claim, low: float, high: float, open_: bool, whole: float) -> Outcome:
    """From the proven bounds; `open_` where no instance at hand answers, `whole` the length of the measure's range."""
    assert claim.printed is not None
    half = claim.printed.unit / 2
    below, above = claim.printed.value + half <= low, claim.printed.value - half > high
    assumed = "assumed" in claim.expects
    if claim.expects["instances"].startswith("constant"):
        return Outcome(
            "reproduced" if above else "uninformative" if below and not assumed else "not testable"
        )
    if below or above:
        return Outcome("not testable" if assumed else "inconsistent")
    if open_:
        return Outcome("not testable")
    narrow = np.isfinite(whole) and high - low <= 0.05 * whole
    return Outcome("reproduced" if narrow else "uninformative")


def judge_arithmetic(
    claim: Claim, numbers: Callable[[str], list[Claim]], better: str | None, scale: float
) -> Outcome:
    """What needs no rerun; `numbers` are the claims with a printed number that a reference means."""
    expects, printed = claim.expects, claim.printed
    if "left" in expects:
        return _held(expects, numbers, better)
    assert printed is not None
    if "possible_at" in expects:
        n = expects["possible_at"]
        whole = np.arange(n + 1) / n * scale
        fits = bool(np.any(np.abs(whole - printed.value) <= printed.unit / 2 * (1 + ROUNDING)))
        return Outcome("reproduced" if fits else "inconsistent")
    if "fact" in expects:
        value, slack = float(getattr(info(expects["dataset"]), expects["fact"])), 0.0
    else:
        ((name, references),) = ((key, value) for key, value in expects.items() if key.endswith("_of"))
        parts = [part for reference in references for part in (c.printed for c in numbers(reference)) if part]
        low, high, value = _derived(name, [p.value for p in parts], [p.unit / 2 for p in parts])
        slack = max(high - value, value - low)
    room = (printed.unit / 2 + slack) * (1 + ROUNDING)
    return Outcome("reproduced" if abs(value - printed.value) <= room else "inconsistent", value)


def _derived(name: str, values: list[float], halves: list[float]) -> tuple[float, float, float]:
    """A number made of printed ones, and how far their rounding reaches."""
    if name == "average_of":
        value, slack = float(np.mean(values)), float(np.mean(halves))
        return value - slack, value + slack, value
    (a, b), (da, db) = values, halves
    if name == "difference_of":
        return a - b - da - db, a - b + da + db, a - b
    return (a - da) / (b + db), (a + da) / (b - db), a / b


def _held(expects: dict[str, Any], numbers: Callable[[str], list[Claim]], better: str | None) -> Outcome:
    (left,) = numbers(expects["left"])
    assert left.printed is not None
    value = left.printed.value
    if isinstance(expects["than"], list):
        others = {
            c.id: c.printed.value
            for text in expects["than"]
            for c in numbers(text)
            if c.printed and c.id != left.id
        }
        rest = list(others.values())
    else:
        rest = [expects["than"]]
    relation = expects["is"]
    sign = {"higher": 1.0, "lower": -1.0}.get(relation, 1.0 if better == "higher" else -1.0)
    sign = -sign if relation == "worse" else sign
    ahead = round(min(sign * (value - other) for other in rest) + expects.get("margin", 0.0), 12)
    if abs(ahead) <= expects.get("tie", 0.0) and (ahead != 0 or relation != "no_worse"):
        return Outcome("within noise", value)
    return Outcome("reproduced" if ahead >= 0 else "inconsistent", value)
