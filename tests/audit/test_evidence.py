"""Kinds of evidence: data by the paper's recipe are told from its own, and from others."""

from audit_records import cells, claims_of, frame, judged

RECIPE = """
claims:
  - id: o
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: dendrogram_purity}
    for_each: {dataset: [real, made, beyond]}
    expects: {left: {method: A}, is: better, than: {method: B}}
  - {id: s, kind: sentence, place: {section: "1"}, quote: q, expects: {all_of: [o/real, o/made]}}
  - {id: t, kind: sentence, place: {section: "1"}, quote: q, expects: {all_of: ["o/*"]}}
"""


def test_data_that_are_generated_by_the_recipe_are_not_the_papers_own(tmp_path):
    rows = [
        row | ({"data_kind": "synthetic"} if dataset != "real" else {})
        for dataset in ("real", "made", "beyond")
        for method, mean in (("A", 0.7), ("B", 0.5))
        for row in cells(dataset, method, {"dendrogram_purity": [mean, mean + 0.01, mean - 0.01]})
    ]
    found = judged(claims_of(tmp_path, RECIPE), frame(rows), beyond=["beyond"]).evidence
    assert found.to_dict() == {
        "o/real": "paper data",
        "o/made": "paper recipe",
        "o/beyond": "other data",
        "s": "paper recipe",
        "t": "other data",
    }
