"""What a measure can be under what a paper states.

A paper's ``feasibility.py`` has ``PROGRAMMES``: (metric, instances) -> a `Programme` that gives a `Range`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from cladebench.paper.printed import parse_printed

Interval: TypeAlias = tuple[Fraction, Fraction]


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


@dataclass(frozen=True)
class Programme:
    """What bounds a measure over some instances, and the form of claims.

    Attributes
    ----------
    bounds : callable
        ``bounds(metric, expects, facts, printed)``: `expects` of the claim, ``facts(dataset, "n_samples")``, and the
        interval of values that round to the printed number.
    form : mapping
        JSON schema of `expects`, with ``properties``; ``instances`` and ``assumed`` are allowed besides. ``$defs`` are
        those of ``claims.schema.json``.
    of_constants : bool
        The instances have one similarity for all pairs: the printed number is compared with the best of them.
    """

    bounds: Callable[[str, Mapping[str, Any], Callable[[str, str], int], Interval], Range]
    form: Mapping[str, Any]
    of_constants: bool = False


Programmes: TypeAlias = Mapping[tuple[str, str], Programme]

#: JSON schema of the numbers of samples of each class.
CLASS_SIZES: Mapping[str, Any] = {"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 1}}


def as_printed(text: str, scale: Fraction = Fraction(1)) -> Interval:
    """Give the exact interval of values that round to a number.

    It is divided by the scale (100 for per cent).
    """
    printed = parse_printed(text)
    value, unit = Fraction(str(printed.value)), Fraction(str(printed.unit))
    return (value - unit / 2) / scale, (value + unit / 2) / scale
