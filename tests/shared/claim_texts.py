"""Claims files of few claims, to be changed; the objects of their schemas."""


def claim_text(name: str, kind: str, **keys: str) -> str:
    """A claim of a file: its place, its quote and these keys."""
    given = {"id": name, "kind": kind, "place": '{section: "1"}', "quote": "q", **keys}
    return "  - " + "    ".join(f"{key}: {value}\n" for key, value in given.items())


MEASURE = "{dataset: d, metric: m, direction: higher}"
BETTER = "{left: {method: A}, is: better, than: {method: B}}"
ORDER = "claims:\n" + claim_text("a", "order", measure=MEASURE, expects=BETTER)
SECOND = claim_text("b", "order", measure=MEASURE, expects=BETTER)
PRINTED = """
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {dataset: d, metric: m}
    columns: {d: {}}
    rows: {A: {method: A, printed: ["1"]}, B: {method: B, printed: ["2"]}}
claims:
"""
TABLE = """
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {}
    columns:
      d sp: {dataset: d, metric: sp}
      d-time: {dataset: d, metric: seconds, not_testable: times of another machine}
    rows:
      A: {method: A, printed: ["94.40", "1986.9"]}
      B: {method: B, where: {k: 3}, printed: ["-", "5.2"]}
    best: {d-time: B}
claims: []
"""


def objects(schema):
    """Yield the parts of a schema that describe an object, but for its conditions."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        schema = [part for key, part in schema.items() if key not in ("if", "then", "else")]
    if isinstance(schema, list):
        for part in schema:
            yield from objects(part)
