"""Claims about ratios and trends, with the bounds that go with them."""

import numpy as np
import pytest

from audit_records import NOISE, PURITY, cells, claims_of, frame, judged
from cladebench.audit.claim_types import ClaimsError
from cladebench.audit.verdict import verdict_types as o
from cladebench.bench.plan.setting_selection import Rule
from two_methods import X, Y, said

RATIOS = """
claims:
  - id: faster
    kind: ratio
    place: {section: "1"}
    quote: 10 to 100 times faster
    measure: {dataset: a, metric: seconds}
    expects: {of: {method: ILP}, to: {method: flow}, at_least: 10, at_most: 100, same_setting: [n]}
  - id: linear
    kind: trend
    place: {section: "1"}
    quote: grows linearly
    measure: {dataset: a, metric: seconds, method: flow}
    expects:
      points: [{x: 10, where: {n: 10}}, {x: 100, where: {n: 100}}, {x: 1000, where: {n: 1000}}]
      log: [x, y]
      slope: {at_most: 1.1}
  - id: bound
    kind: order
    place: {section: "1"}
    quote: never above
    measure: {dataset: a, metric: seconds, method: flow, where: {n: 10}}
    expects: {left: {}, is: never_above, than: {value: 0.02}}
"""


def test_ratios_and_slopes_have_the_correction_too(tmp_path):
    claims = claims_of(tmp_path, RATIOS)
    found = []
    for how in ({}, {"held_out": (80, 20)}):
        rows = []
        for i, n in enumerate((10, 100, 1000)):
            base = 1e-3 * n * (1 + np.roll(NOISE, i))
            rows += cells("a", "flow", {"seconds": base}, {"n": n}, **how)
            rows += cells("a", "ILP", {"seconds": 30 * base[::-1]}, {"n": n}, **how)
        fixed = {"first": Rule("first", "first", setting={"n": 10})}
        found.append(judged(claims, frame(rows), selection=fixed))
    for claim in ("faster", "linear"):
        plain, folds = (table.loc[claim] for table in found)
        assert folds.detectable > 1.4 * plain.detectable, claim
    assert np.log(found[1].high["faster"] / found[1].low["faster"]) == pytest.approx(
        1.5 * np.log(found[0].high["faster"] / found[0].low["faster"])
    )


def test_rounding_of_flat_values_is_no_slope(tmp_path):
    points = [(0.1, "X"), (0.2, "Y"), (0.7, "Z")]
    expects = ", ".join(f"{{x: {x}, method: {method}}}" for x, method in points)
    text = said("trend", f"{{points: [{expects}], slope: {{at_most: 0}}}}")
    rows = [cells("a", method, {"m": np.full(5, 1e6 / 3)}) for _, method in points]
    found = judged(claims_of(tmp_path, text), frame(*rows)).loc["c"]
    assert (found.verdict, found.difference) == (o.REPRODUCED, 0.0), found.reason


def test_ratios_trends_and_bounds(tmp_path):
    claims = claims_of(tmp_path, RATIOS)

    def found(power, factor):
        rows = []
        for n in (10, 100, 1000):
            base = 1e-3 * n**power * (1 + NOISE)
            rows += cells("a", "flow", {"seconds": base, PURITY: np.full(5, 0.1 * np.log10(n))}, {"n": n})
            rows += cells(
                "a", "ILP", {"seconds": base * factor, PURITY: np.full(5, -0.1 * np.log10(n))}, {"n": n}
            )
        return judged(claims, frame(rows))

    good, bad = found(1.0, 30), found(2.0, 0.5)
    # ILP's own choice is n = 10; the other side follows it.
    assert good.cells["faster"] == "toy/a/ILP/n10/*; toy/a/flow/n10/*"
    assert good.measured["faster"] == pytest.approx(30)
    assert good.verdict.to_dict() == dict.fromkeys(("faster", "linear", "bound"), o.REPRODUCED)
    assert bad.verdict.to_dict() == dict.fromkeys(("faster", "linear", "bound"), o.CONTRADICTED)
    assert bad.measured["linear"] == pytest.approx(2.0 - 1.1)


def test_a_slope_is_measured_from_its_bound(tmp_path):
    rows = [cells("a", "X", {"m": 3.0 + NOISE}), cells("a", "Y", {"m": 1.0 + NOISE})]
    expects = "{points: [{x: 1, method: X}, {x: 3, method: Y}], slope: {at_least: -2.25}}"
    found = judged(claims_of(tmp_path, said("trend", expects)), frame(*rows)).loc["c"]
    assert (found.verdict, found.measured) == (o.REPRODUCED, pytest.approx(1.25))


def test_settings_that_both_sides_share_are_named(tmp_path):
    expects = "{of: {method: X}, to: {method: Y}, at_least: 2, same_setting: []}"
    with pytest.raises(ClaimsError, match="same_setting"):
        claims_of(tmp_path, said("ratio", expects))


@pytest.mark.parametrize(
    ("expects", "published", "verdict"),
    [
        ("{of: {method: X}, to: {method: Y}, at_least: 2}", "X / Y at least 2 in m", o.REPRODUCED),
        ("{of: {method: X}, to: {method: Y}, at_most: 2}", "X / Y at most 2 in m", o.CONTRADICTED),
        (
            "{of: {method: X}, to: {method: Y}, at_least: 4, at_most: 5}",
            "X / Y at least 4 and at most 5 in m",
            o.DIRECTION_ONLY,
        ),
        ("{of: {method: X}, to: {method: Z}, at_least: 2}", "X / Z at least 2 in m", o.NOT_TESTABLE),
        # A missing rival could be larger: "at least" then holds no longer, "at most" all the more.
        ("{of: {method: X}, to: {best_of: [Y, Z]}, at_least: 2}", "X / Y at least 2 in m", o.NOT_TESTABLE),
        ("{of: {method: X}, to: {best_of: [Y, Z]}, at_most: 4}", "X / Y at most 4 in m", o.REPRODUCED),
        (
            "{of: {method: X}, to: {best_of: [Y, Z]}, at_least: 2, at_most: 4}",
            "X / Y at least 2 and at most 4 in m",
            o.NOT_TESTABLE,
        ),
    ],
)
def test_a_ratio_says_what_was_claimed(tmp_path, expects, published, verdict):
    text = said("ratio", expects)
    found = judged(claims_of(tmp_path, text), frame(X, Y)).loc["c"]
    assert (found.published, found.verdict) == (published, verdict), found.reason


@pytest.mark.parametrize(
    ("expects", "published", "verdict", "reason"),
    [
        ("{points: [P1, P3], slope: {at_least: -1}}", "slope of m at least -1", o.REPRODUCED, "holds"),
        ("{points: [P1, P3], slope: {at_most: -1}}", "slope of m at most -1", o.REPRODUCED, "holds"),
        ("{points: [P1, P3], slope: {at_most: -2}}", "slope of m at most -2", o.CONTRADICTED, "slope -1"),
        (
            "{points: [P1, P3], slope: {at_most: -1}, log: [x, y]}",
            "slope of m (x and y logarithmic) at most -1",
            o.REPRODUCED,
            "slope -1 against -1",
        ),
        (
            "{points: [P0, P3], slope: {at_most: -1}, log: [x]}",
            "slope of m (x logarithmic) at most -1",
            o.NOT_TESTABLE,
            "a logarithmic x needs positive numbers",
        ),
        (
            "{points: [P1, PZ], slope: {at_most: -1}, log: [y]}",
            "slope of m (y logarithmic) at most -1",
            o.NOT_TESTABLE,
            "a logarithmic y needs positive numbers",
        ),
        (
            "{points: [P1, PS], slope: {at_most: -1}}",
            "slope of m at most -1",
            o.NOT_TESTABLE,
            "the points have one x",
        ),
        (
            "{points: [P1, PO], slope: {at_most: -1}}",
            "slope of m at most -1",
            o.NOT_TESTABLE,
            "the points share no task",
        ),
        (
            "{points: [P1, PN], slope: {at_most: -1}}",
            "slope of m at most -1",
            o.NOT_TESTABLE,
            "no run of N on a in these results",
        ),
    ],
)
def test_a_trend_says_what_was_claimed(tmp_path, expects, published, verdict, reason):
    points = {"P1": (1, "X"), "P3": (3, "Y"), "P0": (0, "X"), "PZ": (2, "Zero"), "PS": (1, "Y")}
    for name, (x, method) in (points | {"PO": (2, "Other"), "PN": (2, "N")}).items():
        expects = expects.replace(name, f"{{x: {x}, method: {method}}}")
    rows = [
        cells("a", "X", {"m": 3.0 * (1 + NOISE)}),
        cells("a", "Y", {"m": 1.0 * (1 + NOISE)}),
        cells("a", "Zero", {"m": np.zeros(5)}),
        cells("a", "Other", {"m": NOISE + 1}, tasks=[*"abcde"]),
    ]
    if "-1" in expects and "log" not in expects:
        rows[0] = cells("a", "X", {"m": 3.0 + NOISE})
        rows[1] = cells("a", "Y", {"m": 1.0 + NOISE})
    text = said("trend", expects)
    found = judged(claims_of(tmp_path, text), frame(*rows)).loc["c"]
    assert (found.published, found.verdict) == (published, verdict), found.reason
    assert reason in found.reason


def test_a_ratio_of_what_is_not_positive_cannot_be_judged(tmp_path):
    claims = claims_of(tmp_path, RATIOS)
    good = cells("a", "ILP", {"seconds": [3.0, 3.01]}, {"n": 10}) + cells(
        "a", "flow", {"seconds": [0.1, 0.1003]}, {"n": 10}
    )
    assert judged(claims, frame(good)).verdict["faster"] == o.REPRODUCED
    for row, value in ((0, 0.0), (1, -1.0), (2, 0.0), (3, -1.0)):
        rows = [dict(one) for one in good]
        rows[row]["value"] = value
        found = judged(claims, frame(rows)).loc["faster"]
        assert (found.verdict, found.reason) == (o.NOT_TESTABLE, "a ratio needs positive measurements")
