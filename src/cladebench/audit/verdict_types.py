"""Verdicts, the thresholds they are reached by, and the outcome of judging one claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

REPRODUCED = "reproduced"
WITHIN_NOISE = "within noise"
DIRECTION_ONLY = "direction only"
CONTRADICTED = "contradicted"
ANALOGUE_HOLDS = "analogue holds"
ANALOGUE_FAILS = "analogue fails"
NOT_TESTABLE = "not testable"

#: All verdicts, in the order of tables.
VERDICTS = (
    REPRODUCED,
    WITHIN_NOISE,
    DIRECTION_ONLY,
    CONTRADICTED,
    ANALOGUE_HOLDS,
    ANALOGUE_FAILS,
    NOT_TESTABLE,
)


@dataclass(frozen=True)
class Rules:
    """The thresholds of the verdicts.

    Attributes
    ----------
    alpha, power : float
        Level of the tests, and the power at which the detectable difference is stated.
    share : float
        Largest detectable difference, as a share of the value judged, with which agreement counts for something.
        Beyond it the sample is too small, and the verdict is "not testable".
    shares : mapping of str to float
        The same for single metrics.
    ratio_share : float
        The same for ratios.
    """

    alpha: float = 0.05
    power: float = 0.8
    share: float = 0.25
    shares: Mapping[str, float] = field(default_factory=dict)
    ratio_share: float = 0.5

    def share_for(self, metric: str | None) -> float:
        """The share that holds for one metric."""
        return self.shares.get(metric or "", self.share)


@dataclass(frozen=True)
class Outcome:
    """A verdict and what it rests on.

    Attributes
    ----------
    verdict, reason : str
    measured, low, high : float or None
        What we measured and its interval: the mean for a value, left minus right for an order, the ratio for a ratio.
    n : int or None
        Repetitions (values), pairs (orders), parts (sentences) or certificates.
    difference : float or None
        Measured minus published for a value; left minus right for an order.
    detectable : float or None
        The smallest difference that would have been found with 80% power.
    p_value, p_exact, p_adjusted : float or None
        The t test (for a value: of the difference beyond its rounding), the exact sign-flip test, and the first
        corrected over its family.
    supported : bool
        Whether the verdict speaks for the claim; on stand-in data it decides between "analogue holds" and "fails".
    """

    verdict: str
    reason: str
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    difference: float | None = None
    detectable: float | None = None
    p_value: float | None = None
    p_exact: float | None = None
    p_adjusted: float | None = None
    supported: bool = False

    def on_stand_in(self) -> Outcome:
        """The same outcome when the data are not the paper's own."""
        if self.verdict == NOT_TESTABLE:
            return self
        verdict = ANALOGUE_HOLDS if self.supported else ANALOGUE_FAILS
        return replace(self, verdict=verdict, reason=f"on stand-in data {self.verdict}: {self.reason}")


def not_testable(reason: str, **numbers: Any) -> Outcome:
    """Say why a claim could not be judged."""
    return Outcome(NOT_TESTABLE, reason, **numbers)
