"""Rankings: whether a column of printed numbers orders the methods as the measured one does.

What can be judged where the data are not the paper's own, and the printed values therefore cannot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from cladebench.audit.verdict_types import (
    CONTRADICTED,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.notation import significant

#: Of fewer methods no order is surprising: all 4! = 24 have p of 0.083 or more, two-sided.
LEAST_METHODS = 5


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
        Two-sided; exact where nothing is tied.
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

    References
    ----------
    Fieller, Hartley and Pearson (1957), Tests for rank correlation coefficients, Biometrika 44: the variance of
    atanh(tau) is about 0.437 / (n - 4).
    """
    n = len(printed)
    if n < LEAST_METHODS or not (np.ptp(printed) and np.ptp(measured)):
        return Concordance(math.nan, -1.0, 1.0, 1.0, n)
    found = stats.kendalltau(printed, measured)
    tau = float(found.statistic)
    reach = float(stats.norm.ppf(0.975)) * math.sqrt(0.437 / (n - 4))
    z = math.atanh(float(np.clip(tau, -1 + 1e-12, 1 - 1e-12)))
    return Concordance(tau, math.tanh(z - reach), math.tanh(z + reach), float(found.pvalue), n)


def judge_ranking(
    found: Concordance, p_adjusted: float, rules: Rules, missing: Sequence[str] = ()
) -> Outcome:
    """Judge the order of the methods of a column, corrected over the columns of the table.

    Parameters
    ----------
    found : Concordance
    p_adjusted : float
    rules : Rules
    missing : sequence of str
        Methods of the column that have no number here.
    """
    left_out = f"; left out: {', '.join(missing)}" if missing else ""
    if found.n < LEAST_METHODS:
        return not_testable(f"{found.n} methods are measured, {LEAST_METHODS} needed{left_out}", n=found.n)
    if math.isnan(found.tau):
        return not_testable(f"all {found.n} methods are equal{left_out}", n=found.n)
    numbers: dict[str, Any] = {
        "measured": found.tau,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "p_value": found.p_value,
        "p_adjusted": p_adjusted,
    }
    said = f"Kendall's tau-b {significant(found.tau, 2)} over {found.n} methods"
    said += f", adjusted p = {significant(p_adjusted, 2)}"
    if p_adjusted > rules.alpha:
        return Outcome(
            WITHIN_NOISE, f"{said}: the columns cannot be said to agree or to differ{left_out}", **numbers
        )
    return Outcome(REPRODUCED if found.tau > 0 else CONTRADICTED, f"{said}{left_out}", **numbers)
