"""Ranges of a measure: proven ends, and values known to be taken."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Range:
    """Least and greatest value of a measure under stated assumptions.

    Attributes
    ----------
    low, high : Fraction
        Proven: no value lies outside.
    attained : tuple of (Fraction, Fraction)
        Intervals whose two ends are values of instances at hand, and which are filled in steps of at most `step`.
    step : Fraction
        The largest difference between neighbouring values that are taken within an interval.
    assumes : str
        Under what, in words.
    programme : str
        What proves the ends, in words.
    implies : str
        What else follows, where the caller asked.
    """

    low: Fraction
    high: Fraction
    attained: tuple[tuple[Fraction, Fraction], ...]
    step: Fraction
    assumes: str
    programme: str
    implies: str = ""

    def excludes(self, low: Fraction, high: Fraction) -> bool:
        """Whether no value can lie between `low` and `high`."""
        return high < self.low or low > self.high

    def takes(self, low: Fraction, high: Fraction) -> bool:
        """Whether a value between `low` and `high` is known to be taken.

        Neighbouring values are no further apart than `step`, so that none can jump over an interval that is as
        wide.
        """
        for first, last in self.attained:
            if low <= first <= high or low <= last <= high:
                return True
            if first < low and high < last and self.step <= high - low:
                return True
        return False
