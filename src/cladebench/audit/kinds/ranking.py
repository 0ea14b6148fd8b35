"""Rankings: does a measured column order methods as the printed one?

What can be judged where the data are not the paper's own, and the printed values therefore cannot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from cladebench.audit.claim_types import Claim
from cladebench.audit.judgement import Judgement, Waiting
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.kinds.value import Value
from cladebench.audit.reading import NO_RANDOM_METHOD, Reader
from cladebench.audit.table_parts import COLUMN, TablePart
from cladebench.audit.verdict.verdict_types import (
    CONTRADICTED,
    NOT_TESTABLE,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.bench.samples.samples import Sample, nothing
from cladebench.notation import significant

#: Of fewer methods no order is surprising: all 4! = 24 have p of 0.083 or more, two-sided.
LEAST_METHODS = 5
#: So many columns with ties are compared with all 8! = 40,320 orders; of more the normal approximation is near enough.
MOST_PERMUTED = 8


@dataclass(frozen=True)
class Concordance:
    """How far two columns order the same methods alike.

    Attributes
    ----------
    tau : float
        Kendall's tau-b; NaN where a column is constant, or of fewer than `LEAST_METHODS`.
    low, high : float
        Its 95% interval.
    p_value : float
        Two-sided; exact where nothing is tied or there are at most `MOST_PERMUTED` methods.
    n : int
        Methods.
    """

    tau: float
    low: float
    high: float
    p_value: float
    n: int


def concordance(printed: Sequence[float], measured: Sequence[float]) -> Concordance:
    """Compare two columns by Kendall's tau-b.

    Where the columns agree in all pairs, or in none, the interval is that of half a pair less: its formula has no
    width there, though so few methods can agree by chance.

    References
    ----------
    Fieller, Hartley and Pearson (1957), Tests for rank correlation coefficients, Biometrika 44: the variance of
    atanh(tau) is about 0.437 / (n - 4).
    """
    n = len(printed)
    if n < LEAST_METHODS or not (np.ptp(printed) and np.ptp(measured)):
        return Concordance(math.nan, -1.0, 1.0, 1.0, n)
    kendall = stats.kendalltau(printed, measured)
    tau = float(kendall.statistic)
    tied = len({*printed}) < n or len({*measured}) < n
    p_value = _p_of_all_orders(printed, measured) if tied and n <= MOST_PERMUTED else float(kendall.pvalue)
    most = 1 - 1 / math.comb(n, 2)
    z, reach = math.atanh(min(max(tau, -most), most)), float(stats.norm.ppf(0.975)) * _spread(n)
    return Concordance(tau, math.tanh(z - reach), math.tanh(z + reach), p_value, n)


def _spread(n: int) -> float:
    """Standard deviation of atanh(tau) of n methods."""
    return math.sqrt(0.437 / (n - 4))


def _p_of_all_orders(printed: Sequence[float], measured: Sequence[float]) -> float:
    """Compute the exact two-sided p of tau.

    The share of all orders of one column that agree, or disagree, with the other as much.
    """
    first, second = np.triu_indices(len(printed), 1)
    signs = np.sign(np.subtract(*np.asarray(printed, dtype=float)[[first, second]]))

    def score(orders: np.ndarray, axis: int) -> np.ndarray:
        orders = np.moveaxis(orders, axis, -1)
        return np.abs(np.sign(orders[..., first] - orders[..., second]) @ signs)

    test = stats.permutation_test(
        (np.asarray(measured, dtype=float),),
        score,
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
        vectorized=True,
    )
    return float(test.pvalue)


def judge_ranking(
    order: Concordance, p_adjusted: float, rules: Rules, missing: Sequence[str] = (), *, tests: int = 1
) -> Outcome:
    """Judge the order of the methods of a column.

    It is corrected over the columns of the table.

    Parameters
    ----------
    order : Concordance
    p_adjusted : float
    rules : Rules
    missing : sequence of str
        Methods of the column that have no number here.
    tests : int, default=1
        Size of the family. The tau that could have been found is stated at the level of Holm's first step.
    """
    left_out = f"; left out: {', '.join(missing)}" if missing else ""
    if order.n < LEAST_METHODS:
        return not_testable(f"{order.n} methods are measured, {LEAST_METHODS} needed{left_out}", n=order.n)
    if math.isnan(order.tau):
        return not_testable(f"all {order.n} methods are equal{left_out}", n=order.n)
    if tests * 2 / math.factorial(order.n) > rules.alpha:
        return not_testable(
            f"over {tests} columns no order of {order.n} methods could differ from chance{left_out}",
            n=order.n,
        )
    quantiles = stats.norm.isf(rules.alpha / tests / 2) + stats.norm.ppf(rules.power)
    detectable = math.tanh(float(quantiles) * _spread(order.n))
    numbers: dict[str, Any] = {
        "measured": order.tau,
        "low": order.low,
        "high": order.high,
        "n": order.n,
        "p_value": order.p_value,
        "p_adjusted": p_adjusted,
        "detectable": detectable,
    }
    said = f"Kendall's tau-b {significant(order.tau, 2)} over {order.n} methods"
    said += f", adjusted p = {significant(p_adjusted, 2)}"
    if p_adjusted > rules.alpha:
        said += ": neither agreement nor difference of the columns is shown"
        said += f"; a tau of {significant(detectable, 2)} would show"
        return Outcome(WITHIN_NOISE, f"{said}{left_out}", **numbers)
    return Outcome(REPRODUCED if order.tau > 0 else CONTRADICTED, f"{said}{left_out}", **numbers)


class Ranking(Kind):
    """A column orders the methods as it is printed.

    Its family are the columns of the table.
    """

    name = "ranking"
    detects = heads_column = True
    family = corrected = praises = True

    def from_table(self, part: TablePart) -> Iterator[Claim]:
        """Make a claim of each column: its methods come as printed."""
        if part.what == COLUMN and part.table.get("ranking"):
            yield Claim(
                id=part.id("ranking"),
                kind=self.name,
                place=part.place,
                quote=part.table.get("quote", ""),
                reading="the order of the methods of this column: Kendall's tau-b of printed and measured numbers",
                measure=part.measure,
                expects={"values": f"{part.id()}/*"},
                family=f"{part.table['id']}/ranking",
            )

    def references(self, claim: Claim) -> Iterator[str]:
        """Name the entries of the column."""
        yield from [claim.expects["values"]] if "values" in claim.expects else ()

    def judge(self, claim: Claim, by: Grounds) -> Waiting | Judgement:
        """Judge the agreement of the printed and the measured order."""
        printed, measured, samples, missing = [], [], [], []
        for name in by.claims.matching(claim.expects["values"]):
            entry = by.claims.claims[name]
            if entry.kind != Value.name or entry.published is None or not entry.measure.get("method"):
                continue
            sample = _read(entry.measure, by.reader)
            if sample.problem:
                missing.append(str(entry.measure["method"]))
                continue
            samples.append(sample)
            printed.append(entry.published.value)
            measured.append(float(sample.values.mean()))
        order: Concordance = concordance(printed, measured)
        said = "the methods in the printed order"
        judgement = Judgement(judge_ranking(order, 1.0, by.claims.rules, missing), tuple(samples), said)
        if judgement.outcome.verdict == NOT_TESTABLE:
            return judgement

        def outcome_at(p_adjusted: float, tests: int) -> Outcome:
            return judge_ranking(order, p_adjusted, by.claims.rules, missing, tests=tests)

        return order.p_value, outcome_at, judgement


def _read(query: Mapping[str, Any], reader: Reader) -> Sample:
    """Read an entry.

    In the random method's place the rows of its result are permuted.

    Random methods of the plan have no place in a ranking.
    """
    if reader.random is None:
        return reader.sample(query)
    return nothing(NO_RANDOM_METHOD) if reader.random.method else reader.of_random(query)
