"""How numbers are written, in tables, reasons and pages alike."""

from __future__ import annotations

import math
import re


def significant(value: float, digits: int = 4) -> str:
    """Write a measured number as papers print it: ``0.4800``, ``214``, ``6.970e5``."""
    padded = 0 < abs(value) < 1 or abs(value) >= 9999.5  # trailing zeros are digits too
    return _exponent(f"{value:#.{digits}g}" if padded else f"{value:.{digits}g}")


def as_given(value: float) -> str:
    """Write a claim's number, such as ``0.05``, ``500`` or ``2e6``."""
    return _exponent(f"{value:g}")


def two_decimals(value: float) -> str:
    """Write a score with two decimals, a large one with three digits.

    A dash where there is none.
    """
    if not math.isfinite(value):
        return "–"
    return f"{value:z.2f}".replace("-", "−") if abs(value) < 100 else significant(value, 3)


def commas(value: float) -> str:
    """Write a whole number with commas: ``24,708``."""
    return f"{value:,.0f}"


def duration(seconds: float) -> str:
    """Write seconds in words: ``4.2 s``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _exponent(text: str) -> str:
    if "e" not in text:
        return text
    return re.sub(r"e([+-])0*(\d)", lambda match: f"e{match[1].strip('+')}{match[2]}", text)
