"""Verdicts, the thresholds they are reached by, and the outcome of judging one claim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

REPRODUCED = "reproduced"
WITHIN_NOISE = "within noise"
DIRECTION_ONLY = "direction only"
CONTRADICTED = "contradicted"
DEPENDS = "depends"
UNINFORMATIVE = "uninformative"
INCONSISTENT = "inconsistent"
ANALOGUE_HOLDS = "analogue holds"
ANALOGUE_UNDECIDED = "analogue undecided"
ANALOGUE_FAILS = "analogue fails"
NOT_TESTABLE = "not testable"

#: All verdicts, in the order of tables.
VERDICTS = (
    REPRODUCED,
    WITHIN_NOISE,
    DIRECTION_ONLY,
    CONTRADICTED,
    DEPENDS,
    UNINFORMATIVE,
    INCONSISTENT,
    ANALOGUE_HOLDS,
    ANALOGUE_UNDECIDED,
    ANALOGUE_FAILS,
    NOT_TESTABLE,
)

#: What a result says of a claim.
Stance = Literal["supports", "undecided", "contradicts", "not testable"]
SUPPORTS: Stance = "supports"
UNDECIDED: Stance = "undecided"
CONTRADICTS: Stance = "contradicts"
UNTESTED: Stance = "not testable"

_STANCES: dict[str, Stance] = {
    REPRODUCED: SUPPORTS,
    DIRECTION_ONLY: UNDECIDED,
    WITHIN_NOISE: UNDECIDED,
    CONTRADICTED: CONTRADICTS,
    INCONSISTENT: CONTRADICTS,
    UNINFORMATIVE: UNTESTED,  # as judged at once: a printed number below a constant's
    NOT_TESTABLE: UNTESTED,
}
_ANALOGUES = {SUPPORTS: ANALOGUE_HOLDS, UNDECIDED: ANALOGUE_UNDECIDED, CONTRADICTS: ANALOGUE_FAILS}


@dataclass(frozen=True)
class Rules:
    """The thresholds of the verdicts.

    Attributes
    ----------
    alpha, power : float
        Level of the tests, and the power at which the detectable difference is stated.
    """

    alpha: float = 0.05
    power: float = 0.8


@dataclass(frozen=True)
class Outcome:
    """What one reading of the records says of a claim, and what that rests on.

    Attributes
    ----------
    verdict, reason : str
        Of reproduced, within noise, direction only, contradicted, inconsistent, not testable, and uninformative for a
        printed number that a constant beats. The others come of several readings (`cladebench.audit.settling`) or of
        data that stand in for the paper's.
    measured, low, high : float or None
        What we measured and its interval: the mean for a value, left minus right for an order, the ratio for a ratio.
    n : int or None
        Repetitions (values), pairs (orders), parts (sentences), methods (rankings) or certificates.
    difference : float or None
        Measured minus published for a value; left minus right for an order.
    detectable : float or None
        The smallest difference that would have been found with 80% power.
    p_value, p_exact, p_adjusted : float or None
        The t test (for a value: of the difference beyond its rounding), the exact sign-flip test, and the first
        corrected over its family.
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

    @property
    def stance(self) -> Stance:
        """Whether it speaks for the claim, against it, or for neither."""
        return _STANCES[self.verdict]

    def on_stand_in(self) -> Outcome:
        """The same outcome when the data are not the paper's own."""
        if self.verdict in (NOT_TESTABLE, INCONSISTENT, UNINFORMATIVE):
            return self
        return replace(
            self, verdict=_ANALOGUES[self.stance], reason=f"on stand-in data {self.verdict}: {self.reason}"
        )


def not_testable(reason: str, **numbers: Any) -> Outcome:
    """Say why a claim could not be judged."""
    return Outcome(NOT_TESTABLE, reason, **numbers)
