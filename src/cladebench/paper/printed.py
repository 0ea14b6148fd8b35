"""Read a paper's printed numbers: value, spread, and last place's unit."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from cladebench.input_files import shown

_NUMBER = r"[-+−]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][-+−]?[0-9]{1,3})?"
_PRINTED = re.compile(
    rf"(?P<value>{_NUMBER}) ?%? ?(?:(?:±|\+-|\+/-|\\pm) ?(?P<spread>{_NUMBER})|\((?P<bracket>{_NUMBER})\))? ?%?"
)


@dataclass(frozen=True)
class Printed:
    """A printed number.

    Attributes
    ----------
    text : str
        As printed.
    value : float
    unit : float
        One unit in the last printed place: 0.01 for ``0.47``, 1000 for ``6.97e5``.
    spread : float or None
        What stands after ``±`` (or in brackets); None when nothing does.
    """

    text: str
    value: float
    unit: float
    spread: float | None = None

    def half_width(self, extra: float) -> float:
        """Give half the width of the printed interval, at least `extra`.

        The values in it round to this number.
        """
        return max(self.unit / 2, extra)


def unit_of(number: str) -> float:
    """Give the last place's unit: ``'6.97e5'`` -> 1000.0, ``'7000'`` -> 1.0."""
    exponent = Decimal(_plain(number)).as_tuple().exponent
    assert isinstance(exponent, int)  # the pattern admits neither NaN nor infinity
    return float(Decimal(1).scaleb(exponent))


def parse_printed(text: str) -> Printed:
    """Read a number as a paper prints it.

    Parameters
    ----------
    text : str
        For example ``0.46 ± 0.01``, ``6.97e5``, ``7,000``, ``94.40%`` or ``0.46 (0.01)``. A percent sign is
        dropped: the measure says what is printed in percent.

    Returns
    -------
    Printed

    Raises
    ------
    ValueError
        If it is not a number, is beyond what a float can hold, or its spread is negative.
    """
    match = _PRINTED.fullmatch(" ".join(str(text).split())) if len(str(text)) <= 100 else None
    if match is None:
        raise ValueError(
            f"{shown(text)} is not a printed number; expected for example '0.46 ± 0.01' or '6.97e5'"
        )
    value, unit = float(_plain(match["value"])), unit_of(match["value"])
    spread_text = match["spread"] or match["bracket"]
    spread = None if spread_text is None else float(_plain(spread_text))
    if unit == 0 or not all(map(math.isfinite, (value, unit, spread or 0.0))):
        raise ValueError(f"{shown(text)}: too large or too small a number")
    if spread is not None and spread < 0:
        raise ValueError(f"{shown(text)}: the spread is negative")
    return Printed(str(text).strip(), value, unit, spread)


def _plain(number: str) -> str:
    return number.replace("−", "-").replace(",", "")
