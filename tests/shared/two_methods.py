"""One claim about two methods, X ahead of Y, and records that are known."""

from audit_records import NOISE, cells
from claim_texts import claim_text

X, Y = cells("a", "X", {"m": 3.0 + NOISE}), cells("a", "Y", {"m": 1.0 + NOISE[::-1]})


def said(kind: str, expects: str, direction: str = "higher") -> str:
    """The text of a file with the claim ``c``."""
    measure = f"{{dataset: a, metric: m, direction: {direction}}}"
    return "claims:\n" + claim_text("c", kind, measure=measure, expects=expects)
