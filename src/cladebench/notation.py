"""How numbers are written, in tables, reasons and pages alike."""

from __future__ import annotations

import re


def significant(value: float, digits: int = 4) -> str:
    """Write a measured number as papers print it: ``0.4800``, ``214``, ``6.970e5``."""
    padded = 0 < abs(value) < 1 or abs(value) >= 9999.5  # trailing zeros are digits too
    return _exponent(f"{value:#.{digits}g}" if padded else f"{value:.{digits}g}")


def as_given(value: float) -> str:
    """Write a claim's number in as many digits as it has.

    For example ``0.05``, ``500``, ``2e6``.
    """
    return _exponent(f"{value:g}")


def _exponent(text: str) -> str:
    return re.sub(r"e([+-])0*(\d)", lambda found: f"e{found[1].strip('+')}{found[2]}", text)
