"""One claim about two methods, X ahead of Y, and records that are known."""

from audit_records import NOISE, cells

X, Y = cells("a", "X", {"m": 3.0 + NOISE}), cells("a", "Y", {"m": 1.0 + NOISE[::-1]})


def said(kind: str, expects: str, direction: str = "higher") -> str:
    """The text of a file with the claim ``c``."""
    return f"""
claims:
  - id: c
    kind: {kind}
    place: {{section: "1"}}
    quote: q
    measure: {{dataset: a, metric: m, direction: {direction}}}
    expects: {expects}
"""
