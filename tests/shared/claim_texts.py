"""Claims files of few claims, to be changed."""

CLAIM = """
  - id: {id}
    kind: {kind}
    place: {{section: "1"}}
    quote: q
    measure: {{dataset: d, metric: m, direction: higher}}
    expects: {expects}
"""
BETTER = "{left: {method: A}, is: better, than: {method: B}}"
ORDER = "claims:" + CLAIM.format(id="a", kind="order", expects=BETTER)
SECOND = CLAIM.format(id="b", kind="order", expects=BETTER)
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
