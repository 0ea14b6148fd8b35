"""Write the numbers of verdicts and of their reasons."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from cladebench.bench.statistics.paired_tests import Difference
from cladebench.notation import as_given, significant

#: In the reason of a claim made of others, before the counts of its parts by verdict.
PARTS = " parts must hold: "
#: Between two statements of a reason; not within quotes or brackets.
_BETWEEN = re.compile(r'; (?=(?:[^"]*"[^"]*")*[^"]*$)(?![^()]*\))')
#: What a sentence may begin with: other words may be ids, which keep their letters.
_WORDS = re.compile(
    r"(?:a|and|at|best|claimed|contradicted|decided|direction|does|fewer|holds|implied|inconsistent|it|learning|measured|methods"
    r"|missing|neither|no|not|nothing|one|open|other|ours|printed|random|remarks|reproduced|seconds|the|they|too|with|within"
    r"|without) "
)


def in_sentences(reason: str) -> str:
    """Write the statements of a reason as sentences.

    >>> in_sentences('measured 3: more than rounding; open with "a; b"; the same answer with 1 of 2 other choices')
    'Measured 3: more than rounding. Open with "a; b". The same answer with 1 of 2 other choices.'
    """
    sentences = [""]
    for part in _BETWEEN.split(reason):
        begun = _WORDS.match(f"{part} ") is not None
        if sentences[-1] and not (begun or part[:1].isdigit() or part[:1].isupper()):
            sentences[-1] += f"; {part}"
        elif sentences[-1]:
            sentences.append(part[:1].upper() + part[1:] if begun else part)
        else:
            sentences[-1] = part
    if len(sentences) == 1:
        return reason
    if _WORDS.match(f"{sentences[0]} "):
        sentences[0] = sentences[0][:1].upper() + sentences[0][1:]
    return " ".join(part if part.endswith(".") else f"{part}." for part in sentences)


def p_text(value: float) -> str:
    """Write a p-value: ``p = 0.05``."""
    return f"p = {significant(value, 2)}"


def by_test(test: str, p: float, gap: Difference) -> str:
    """Which test spoke, and how clearly; nothing where nothing varies."""
    return "; nothing varies between repetitions" if gap.se == 0 else f", {test}, {p_text(p)}"


def claimed_range(low: float | None, high: float | None, write: Callable[[float], str] = as_given) -> str:
    """Write a range, as ``at least 10 and at most 100``."""
    ends = (("at least", low), ("at most", high))
    return " and ".join(f"{word} {write(value)}" for word, value in ends if value is not None)


def finite(value: float) -> float | None:
    """Give a number, or None where it is not finite."""
    return value if math.isfinite(value) else None
