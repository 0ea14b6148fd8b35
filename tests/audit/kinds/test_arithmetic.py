"""Verdicts on printed numbers alone: what is measured, by how much it is off, and how far rounding reaches."""

import pytest
import yaml

from audit_records import cells, claims_of, frame, judged
from cladebench.audit.kinds.arithmetic import judge_arithmetic
from cladebench.audit.pipeline.whole_run import registry_fact
from cladebench.audit.verdict import verdict_types as o

TABLE = """
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {metric: m, direction: higher}
    columns: {d: {dataset: d}, e: {dataset: e}, mean: {dataset: mean}}
    rows:
      A: {method: A, printed: ["0.61", "0.63", "0.62"]}
      B: {method: B, printed: ["0.59", "0.63", "0.65"]}
      C: {method: C, printed: ["-", "0.63", "-"]}
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
        outcome = judge_arithmetic(claims.claims[name], claims, registry_fact)
        return outcome

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
        ({"left": "t/d/a", "is": "no_worse", "than": ["t/d/*"], "margin": 0.02}, None, 0.61, 0.02, 2),
        ({"left": "t/e/a", "is": "no_worse", "than": 0.64, "margin": 0.02}, None, 0.63, -0.01, 1),
        ({"fact": "n_samples", "dataset": "spambase"}, "4600", 4601, 1, 1),
        ({"fact": "n_features", "dataset": "spambase"}, "57", 57, 0, 1),
    ],
)
def test_numbers_are_those_of_the_comparison(arithmetic, expects, published, measured, difference, n):
    row = arithmetic(expects, published)
    assert (row.measured, row.difference) == pytest.approx((measured, difference))
    assert row.n == n


def test_a_printed_average_is_no_part_of_itself(arithmetic):
    """Its own name fits the pattern of its parts."""
    row = arithmetic({"average_of": ["t/*/a", "t/e/b"]}, "0.50", name="t/own/a")
    assert (row.n, row.verdict) == (4, o.INCONSISTENT)
    assert row.measured == pytest.approx((0.61 + 0.63 + 0.62 + 0.63) / 4)


@pytest.mark.parametrize(
    ("published", "verdict"),
    [("0.920", o.INCONSISTENT), ("0.922", o.REPRODUCED), ("0.951", o.REPRODUCED), ("0.953", o.INCONSISTENT)],
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


@pytest.mark.parametrize(
    ("expects", "published", "verdict", "reason"),
    [
        (
            {"fact": "n_samples", "dataset": "spambase"},
            "4600",
            o.INCONSISTENT,
            "spambase has 4601 samples, printed 4600",
        ),
        ({"fact": "n_classes", "dataset": "spambase"}, "2", o.REPRODUCED, "spambase has 2 classes"),
        (
            {"left": "t/e/a", "is": "no_worse", "than": 0.64, "margin": 0.02},
            None,
            o.REPRODUCED,
            "printed 0.63 (t/e/a) against 0.64, margin 0.02",
        ),
        ({"possible_at": 7}, "0.86", o.REPRODUCED, "6 of 7"),
        ({"possible_at": 7}, "100", o.REPRODUCED, "7 of 7"),
        ({"possible_at": 7}, "1.0", o.REPRODUCED, "7 of 7"),
        ({"possible_at": 7}, "1%", o.INCONSISTENT, "no share of 7 rounds to 1%; the nearest is 0/7"),
        # 0.6 lies between 0.55 and 0.65: 3 of 5, and 11 of 20 just so.
        ({"possible_at": 20}, "0.6", o.REPRODUCED, "12 of 20"),
        ({"possible_at": 4}, "0.8", o.REPRODUCED, "3 of 4"),
        # 5 of 99 are 5.0505%.
        ({"possible_at": 99}, "5.0%", o.INCONSISTENT, "no share of 99 rounds to 5.0%; the nearest is 5/99"),
        ({"average_of": ["t/d/a", "t/e/a"]}, "0.62", o.REPRODUCED, "the 2 printed numbers average 0.6200"),
        # The parts can be off by half a unit each, and so can their average: 0.01 in all.
        ({"average_of": ["t/d/a", "t/e/a"]}, "0.63", o.REPRODUCED, "the 2 printed numbers average 0.6200"),
        ({"average_of": ["t/d/a", "t/e/a"]}, "0.61", o.REPRODUCED, "the 2 printed numbers average 0.6200"),
        ({"average_of": ["t/d/a", "t/e/a"]}, "0.631", o.INCONSISTENT, "the 2 printed numbers average 0.6200"),
        (
            {"difference_of": ["t/e/a", "t/d/a"]},
            "0.035",
            o.INCONSISTENT,
            "the printed numbers differ by 0.02000",
        ),
        (
            {"difference_of": ["t/e/a", "t/d/a"]},
            "0.030",
            o.REPRODUCED,
            "the printed numbers differ by 0.02000",
        ),
        # 0.0 is at most 0.05, and 0.05 / 0.63 is 0.079.
        ({"ratio_of": ["t/e/zero", "t/e/b"]}, "0.08", o.REPRODUCED, "the printed numbers have the ratio 0"),
        ({"ratio_of": ["t/e/zero", "t/e/b"]}, "0.09", o.INCONSISTENT, "the printed numbers have the ratio 0"),
        (
            {"left": "t/d/a", "is": "worse", "than": 0.62},
            None,
            o.REPRODUCED,
            "printed 0.61 (t/d/a) against 0.62",
        ),
        (
            {"left": "t/d/a", "is": "higher", "than": ["t/d/*"]},
            None,
            o.REPRODUCED,
            "printed 0.61 (t/d/a) against 0.59 (t/d/b)",
        ),
        (
            {"left": "t/e/a", "is": "better", "than": ["t/d/a", "t/mean/b"]},
            None,
            o.INCONSISTENT,
            "printed 0.63 (t/e/a) against 0.65 (t/mean/b)",
        ),
        # Of equal rivals the first by name is told.
        (
            {"left": "t/e/a", "is": "no_worse", "than": ["t/e/b", "t/e/c"]},
            None,
            o.REPRODUCED,
            "printed 0.63 (t/e/a) against 0.63 (t/e/b): no worse",
        ),
        (
            {"left": "t/e/a", "is": "better", "than": ["t/e/c", "t/e/b"]},
            None,
            o.WITHIN_NOISE,
            "printed 0.63 (t/e/a) against 0.63 (t/e/b): equal as printed",
        ),
        (
            {"left": "t/d/zero", "is": "better", "than": ["t/e/zero"]},
            None,
            o.WITHIN_NOISE,
            "printed 0 (t/d/zero) against 0 (t/e/zero): equal as printed",
        ),
        (
            {"left": "t/d/a", "is": "better", "than": ["t/d/b", "t/e/b"], "tie": 0.02},
            None,
            o.WITHIN_NOISE,
            "printed 0.61 (t/d/a) against 0.63 (t/e/b): a tie, at most 0.02 apart",
        ),
        (
            {"left": "t/d/a", "is": "better", "than": ["t/d/b"], "tie": 0.02},
            None,
            o.WITHIN_NOISE,
            "printed 0.61 (t/d/a) against 0.59 (t/d/b): a tie, at most 0.02 apart",
        ),
        (
            {"left": "t/d/a", "is": "better", "than": ["t/d/b", "t/e/b"], "tie": 0.019},
            None,
            o.INCONSISTENT,
            "printed 0.61 (t/d/a) against 0.63 (t/e/b)",
        ),
    ],
)
def test_a_verdict_on_printed_numbers_says_what_it_compared(arithmetic, expects, published, verdict, reason):
    found = arithmetic(expects, published)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_a_tie_comes_with_its_difference(arithmetic):
    found = arithmetic({"left": "t/d/a", "is": "better", "than": ["t/d/b"], "tie": 0.02}, None)
    assert (found.measured, found.difference, found.n) == (0.61, pytest.approx(0.02), 1)


@pytest.mark.parametrize(
    ("expects", "published", "verdict"),
    [
        ({"left": "t/d/b", "is": "better", "than": ["t/d/*"]}, None, o.INCONSISTENT),
        ({"left": "t/d/b", "is": "no_worse", "than": ["t/d/*"], "margin": 0.02}, None, o.REPRODUCED),
        ({"left": "t/d/b", "is": "lower", "than": 0.6}, None, o.REPRODUCED),
        ({"average_of": ["t/d/b", "t/e/b"]}, "0.65", o.INCONSISTENT),
        ({"difference_of": ["t/d/a", "t/d/b"]}, "0.02", o.REPRODUCED),
        ({"difference_of": ["t/d/a", "t/d/b"]}, "0.05", o.INCONSISTENT),
        ({"ratio_of": ["t/d/b", "t/mean/b"]}, "0.91", o.REPRODUCED),
        ({"ratio_of": ["t/d/b", "t/mean/b"]}, "1", o.REPRODUCED),
        ({"ratio_of": ["t/d/b", "t/mean/b"]}, "0.80", o.INCONSISTENT),
        ({"fact": "n_classes", "dataset": "nowhere"}, "2", o.NOT_TESTABLE),
        ({"possible_at": 7}, "85.7%", o.REPRODUCED),
        ({"possible_at": 7}, "0.90", o.INCONSISTENT),
        ({"possible_at": 200}, "0.5%", o.REPRODUCED),
        ({"possible_at": 2}, "0.5%", o.INCONSISTENT),
    ],
)
def test_printed_numbers_agree_or_do_not(arithmetic, expects, published, verdict):
    assert arithmetic(expects, published).verdict == verdict


def test_arithmetic_needs_no_run(tmp_path):
    """Bold numbers are claims of their own."""
    shared = {"kind": "arithmetic", "place": {"section": "1"}, "quote": "q"}
    dearer = {"left": "t/d/b", "is": "worse", "than": 0.5}
    rows = {"fact": "n_samples", "dataset": "spambase"}
    blocks = [
        {"id": "dearer", "measure": {"direction": "lower"}, "expects": dearer} | shared,
        {"id": "rows", "published": "7000", "expects": rows} | shared,
    ]
    text = TABLE + "    best: {d: A, e: B}\n" + yaml.safe_dump({"claims": blocks})
    found = judged(claims_of(tmp_path, text), frame(cells("d", "X", {"m": [0.5]})))
    assert found[found.kind == "arithmetic"].verdict.to_dict() == {
        "t/bold/d": o.REPRODUCED,
        "t/bold/e": o.WITHIN_NOISE,
        "dearer": o.REPRODUCED,
        "rows": o.INCONSISTENT,
    }
    assert found.measured["rows"] == 4601
    assert "equal as printed" in found.reason["t/bold/e"]
