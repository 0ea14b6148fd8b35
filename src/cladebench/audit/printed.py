"""Numbers as a paper prints them: value, spread, and the unit of the last printed place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_NUMBER = r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+−]?\d+)?"
_PRINTED = re.compile(
    rf"\s*(?P<value>{_NUMBER})\s*%?\s*(?:(?:±|\+-|\+/-|\\pm)\s*(?P<spread>{_NUMBER})|\((?P<bracket>{_NUMBER})\))?\s*%?\s*"
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

    def half_width(self, extra: float = 0.0) -> float:
        """Half the width of the interval of values that round to this number, or `extra` where that is more."""
        return max(self.unit / 2, extra)


def unit_of(number: str) -> float:
    """One unit in the last printed place: ``'6.97e5'`` -> 1000.0, ``'0.470'`` -> 0.001, ``'7000'`` -> 1.0."""
    exponent = Decimal(_plain(number)).as_tuple().exponent
    assert isinstance(exponent, int)  # the pattern admits neither NaN nor infinity
    return float(Decimal(1).scaleb(exponent))


def parse_printed(text: str) -> Printed:
    """Read a number as a paper prints it.

    Parameters
    ----------
    text : str
        For example ``0.46 ± 0.01``, ``6.97e5``, ``7,000``, ``94.40%`` or ``0.46 (0.01)``. A percent sign is
        dropped: the claim's query scales the measurement instead.

    Returns
    -------
    Printed

    Raises
    ------
    ValueError
        If it is not a number, or its spread is negative.
    """
    match = _PRINTED.fullmatch(str(text))
    if match is None:
        raise ValueError(f"{text!r} is not a printed number; expected for example '0.46 ± 0.01' or '6.97e5'")
    spread_text = match["spread"] or match["bracket"]
    spread = None if spread_text is None else float(_plain(spread_text))
    if spread is not None and spread < 0:
        raise ValueError(f"{text!r}: the spread is negative")
    return Printed(str(text).strip(), float(_plain(match["value"])), unit_of(match["value"]), spread)


def _plain(number: str) -> str:
    return number.replace("−", "-").replace(",", "")
