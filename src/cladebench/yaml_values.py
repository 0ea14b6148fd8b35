"""Give the meaning of YAML's plain text, and the limits of files."""

from __future__ import annotations

import math
import re
from typing import Any

#: Bounds of a file that a user writes; the largest of the project's own has 44 kB and 2,200 values.
MAX_BYTES = 2**20
MAX_VALUES = 50_000
MAX_DEPTH = 50
MAX_KEY = 200
#: Whole numbers beyond this fit no column of a table.
MAX_INTEGER = 2**63 - 1

_CONSTANTS = {"": None, "~": None} | {
    spelling: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for spelling in (word, word.title(), word.upper())
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
# YAML 1.1 makes booleans, dates, sexagesimal, octal and other numbers of these, YAML 1.2 text or another number.
_AMBIGUOUS = re.compile(
    r"(?i:yes|no|on|off)|[-+]?0[0-9]+|[-+]?0[box][0-9a-fA-F_]+|[-+]?[0-9][0-9.]*_[0-9._]*"
    r"|[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*)?"
)
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


class YamlError(ValueError):
    """The text is not allowed.

    The message is one line that begins with line and column.
    """


def plain_value(text: str) -> Any:
    """Return an unquoted text's value: null, true, false, number or text.

    Raises
    ------
    ValueError
        If it is a number that is not finite or too large, or if readers of YAML disagree about it, as for ``yes``,
        ``010`` and ``2026-01-31``.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _AMBIGUOUS.fullmatch(text):
        raise ValueError(
            f"versions of YAML disagree about {shown(text)}; expected true, false, a decimal number, or text in quotes"
        )
    if _INTEGER.fullmatch(text):
        if len(text) > 20 or abs(int(text)) > MAX_INTEGER:
            raise ValueError(f"{shown(text)} is too large; expected a whole number up to {MAX_INTEGER}")
        return int(text)
    if _NOT_FINITE.fullmatch(text) or (_FLOAT.fullmatch(text) and not math.isfinite(float(text))):
        raise ValueError(f"{shown(text)} is not allowed; expected a finite number")
    return float(text) if _FLOAT.fullmatch(text) else text


def shown(value: Any) -> str:
    """Write a value for a message, in at most 80 characters."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
