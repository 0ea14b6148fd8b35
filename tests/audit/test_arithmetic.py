"""The numbers beside the verdicts on printed numbers alone: what is measured, and by how much it is off."""

import pytest
import yaml

from audit_records import cells, claims_of, frame, judged
from cladebench.audit import verdict_types as o

TABLE = """
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {metric: m, direction: higher}
    columns: {d: {dataset: d}, e: {dataset: e}, mean: {dataset: mean}}
    rows:
      A: {method: A, printed: ["0.61", "0.63", "0.62"]}
      B: {method: B, printed: ["0.59", "0.63", "0.65"]}
      Zero: {method: Z, printed: ["0", "0.0", "0.00"]}
"""


@pytest.fixture
def arithmetic(tmp_path):
    """Gives a function that judges one claim on printed numbers."""

    def judge(expects: dict, published: str | None = None, name: str = "claim"):
        block = {
            "id": name,
            "kind": "arithmetic",
            "place": {"section": "1"},
            "quote": "q",
            "expects": expects,
        }
        block |= {"published": published} if published else {"measure": {"direction": "higher"}}
        claims = claims_of(tmp_path, TABLE + yaml.safe_dump({"claims": [block]}))
        return judged(claims, frame(cells("d", "X", {"m": [0.5]}))).loc[name]

    return judge


@pytest.mark.parametrize(
    ("expects", "published", "measured", "difference", "n"),
    [
        ({"left": "t/d/a", "is": "better", "than": ["t/d/b", "t/e/b"]}, None, 0.61, -0.02, 2),
        ({"left": "t/d/a", "is": "lower", "than": ["t/d/b", "t/e/b"]}, None, 0.61, 0.02, 2),
        ({"left": "t/d/a", "is": "better", "than": 0.5}, None, 0.61, 0.11, 1),
        ({"average_of": ["t/d/a", "t/d/b", "t/e/b"]}, "0.62", 0.61, -0.01, 3),
        ({"difference_of": ["t/d/a", "t/d/b"]}, "0.05", 0.02, -0.03, 2),
        ({"ratio_of": ["t/d/b", "t/mean/b"]}, "0.80", 0.59 / 0.65, 0.59 / 0.65 - 0.8, 2),
        ({"ratio_of": ["t/d/zero", "t/mean/b"]}, "0.5", 0.0, -0.5, 2),
        ({"fact": "n_samples", "dataset": "spambase"}, "4600", 4601, 1, 1),
    ],
)
def test_numbers_are_those_of_the_comparison(arithmetic, expects, published, measured, difference, n):
    row = arithmetic(expects, published)
    assert (row.measured, row.difference) == pytest.approx((measured, difference))
    assert row.n == n


def test_a_printed_average_is_no_part_of_itself(arithmetic):
    """Its own name fits the pattern of its parts."""
    row = arithmetic({"average_of": ["t/*/a", "t/e/b"]}, "0.50", name="t/own/a")
    assert (row.n, row.verdict) == (4, o.CONTRADICTED)
    assert row.measured == pytest.approx((0.61 + 0.63 + 0.62 + 0.63) / 4)


@pytest.mark.parametrize(
    ("published", "verdict"),
    [("0.920", o.CONTRADICTED), ("0.922", o.REPRODUCED), ("0.951", o.REPRODUCED), ("0.953", o.CONTRADICTED)],
)
def test_a_ratio_is_as_loose_as_the_rounding_of_both_numbers(arithmetic, published, verdict):
    """0.59 / 0.63 is 0.9365; rounding of the two moves it by 0.0154, the printed one's own by 0.0005 more."""
    assert arithmetic({"ratio_of": ["t/d/b", "t/e/b"]}, published).verdict == verdict


def test_a_ratio_to_what_is_printed_as_zero_cannot_be_judged(arithmetic):
    row = arithmetic({"ratio_of": ["t/d/a", "t/d/zero"]}, "2")
    assert (row.verdict, row.reason) == (o.NOT_TESTABLE, "the second number is printed as zero")


@pytest.mark.parametrize(("relation", "verdict"), [("no_worse", o.REPRODUCED), ("better", o.WITHIN_NOISE)])
def test_equal_numbers_are_no_worse_and_not_better(arithmetic, relation, verdict):
    row = arithmetic({"left": "t/e/a", "is": relation, "than": ["t/e/b"]})
    assert (row.verdict, row.measured, row.difference, row.n) == (verdict, 0.63, 0.0, 1)
