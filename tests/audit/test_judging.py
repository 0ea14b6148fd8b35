import math

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from audit_records import SELECTION, cells, claims_of, failed, frame, judged
from cladebench.audit import verdict_types as o
from cladebench.audit.audit_files import COLUMNS, Audit, as_frame, write_audit
from cladebench.audit.run_audit import audit_paper
from cladebench.bench.selection import Rule
from cladebench.measures import with_own

PURITY = "dendrogram_purity"
NOISE = np.array([-0.01, 0.005, 0.0, 0.01, -0.005])
TABLE = """
repetitions: 5
deterministic: [HAC]
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {metric: dendrogram_purity, direction: higher}
    gap: {absolute: 0.02}
    columns: {glass: {dataset: glass}}
    rows:
      A: {method: A, printed: ["0.47 ± 0.02"]}
      HAC: {method: HAC, printed: ["0.63"]}
claims:
  - id: order
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: dendrogram_purity, direction: higher, dataset: glass}
    expects: {left: {method: A}, is: better, than: {method: HAC}}
  - id: sentence
    kind: sentence
    place: {section: "1"}
    quote: q
    expects: {all_of: [order, t/glass/a]}
"""


def verdicts(claims, *rows, **how):
    return judged(claims, frame(*rows), **how).verdict.to_dict()


def test_claims_follow_the_truth_of_the_records(tmp_path):
    claims = claims_of(tmp_path, TABLE)
    hac = cells("glass", "HAC", {PURITY: [0.6304]})
    right = judged(claims, frame(cells("glass", "A", {PURITY: 0.47 + NOISE}), hac))
    assert right.verdict.to_dict() == {
        "t/glass/a": o.REPRODUCED,
        "t/glass/hac": o.REPRODUCED,
        "order": o.CONTRADICTED,
        "sentence": o.CONTRADICTED,
    }
    row = right.loc["t/glass/a"]
    assert (row.n, row.n_published, row.published, row.precision) == (5, 5, "0.47 ± 0.02", 0.01)
    assert row.low < row.measured < row.high
    assert row.difference == pytest.approx(0.0)
    assert row.cells == "toy/glass/A/default/*"
    assert row.selection == "one setting"
    assert right.loc["t/glass/hac", "n"] == 1
    assert right.loc["t/glass/hac", "low"] == right.loc["t/glass/hac", "high"] == 0.6304
    assert right.loc["order", "methods"] == "A; HAC"
    assert right.loc["order", "measured"] == pytest.approx(-0.1604)
    assert right.loc["sentence", "parts"] == "order: contradicted; t/glass/a: reproduced"

    wrong = verdicts(claims, cells("glass", "A", {PURITY: 0.7 + NOISE}), hac)
    assert wrong["t/glass/a"] == o.CONTRADICTED
    assert wrong["order"] == o.REPRODUCED


def test_a_sentence_names_what_its_parts_rest_on(tmp_path):
    text = TABLE.replace("than: {method: HAC}", "than: {method: HAC, metric: dasgupta_cost}")
    grid = [
        cells("glass", "A", {PURITY: 0.47 + NOISE + b, "dasgupta_cost": 9 - NOISE - b}, {"b": b})
        for b in (0, 1)
    ]
    rows = judged(
        claims_of(tmp_path, text), frame(*grid, cells("glass", "HAC", {PURITY: [0.6], "dasgupta_cost": [8]}))
    )
    found = rows[["dataset", "methods", "metric", "selection", "selection_beside"]].T.to_dict("list")
    both = f"{PURITY}; dasgupta_cost"
    assert found == {
        "t/glass/a": ["glass", "A", PURITY, "oracle", "label_free"],
        "t/glass/hac": ["glass", "HAC", PURITY, "one setting", ""],
        "order": ["glass", "A; HAC", both, "oracle", "label_free"],
        "sentence": ["glass", "A; HAC", both, "oracle", "label_free"],
    }


def test_a_value_says_how_many_other_numbers_of_its_column_would_agree(tmp_path):
    """Not itself, and not those of other columns."""
    text = TABLE.replace(
        "columns: {glass: {dataset: glass}}", "columns: {glass: {dataset: glass}, iris: {dataset: iris}}"
    )
    text = text.replace('printed: ["0.47 ± 0.02"]', 'printed: ["0.50 ± 0.02", "0.50"]')
    text = text.replace('printed: ["0.63"]', 'printed: ["0.50 ± 0.02", "0.63"]')
    text = text.replace("rows:\n", 'rows:\n      B: {method: B, printed: ["0.90 ± 0.02", "0.63"]}\n')
    found = judged(claims_of(tmp_path, text), frame(cells("glass", "A", {PURITY: 0.5 + NOISE / 10})))
    assert found.reason["t/glass/a"].endswith(
        "; ours also agrees with 1 of the 2 other numbers of its column"
    )


def test_a_row_says_all_that_is_known_of_a_claim(tmp_path):
    claims = claims_of(tmp_path, TABLE)
    values = 0.5 + NOISE
    hac = cells("glass", "HAC", {PURITY: [0.63]}, stand_in_for="real glass")
    rows = audit_paper(claims, frame(cells("glass", "A", {PURITY: values}), hac), selection=SELECTION)
    found = {row["claim"]: row for row in rows}
    assert all(set(row) == {*COLUMNS, "stance", "stances"} for row in rows)
    low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    variance = values.var(ddof=1) / 5 + 0.02**2 / 5
    df = variance**2 / ((values.var(ddof=1) / 5) ** 2 / 4 + (0.02**2 / 5) ** 2 / 4)
    p_value = 2 * stats.t.sf(0.025 / variance**0.5, df)
    common = {"paper": "toy", "quote": "q", "reading": "", "dataset": "glass", "metric": PURITY}
    common |= {"blind": "", "universes": "0/0/1", "depends_on": [], "stance": "contradicts", "stances": {}}
    common |= {"main": False, "not_run": [], "answer": "does not hold"}
    plain = {"selection": "one setting", "selection_beside": "", "parts": [], "stand_in_for": []}
    assert found["t/glass/a"] == common | plain | {
        "claim": "t/glass/a",
        "place": "Table 1, row A, column glass",
        "published": "0.47 ± 0.02",
        "measured": pytest.approx(0.5),
        "low": pytest.approx(low),
        "high": pytest.approx(high),
        "n": 5,
        "verdict": o.CONTRADICTED,
        "reason": "measured 0.5000, 0.03000 from the printed 0.47 ± 0.02: more than rounding, Welch t, "
        f"p = {p_value:.3f}; ours agrees with 0 of the 1 other numbers of its column",
        "evidence": "other data",
        "kind": "value",
        "quote": "0.47 ± 0.02",
        "difference": pytest.approx(0.03),
        "detectable": pytest.approx((stats.t.ppf(0.975, df) + stats.t.ppf(0.8, df)) * variance**0.5 + 0.005),
        "p_value": pytest.approx(p_value),
        "p_exact": None,
        "p_adjusted": pytest.approx(p_value),  # the other number of the table is not judged
        "published_value": 0.47,
        "published_spread": 0.02,
        "n_published": 5,
        "precision": 0.01,
        "family": "t",
        "measured_beside": found["t/glass/a"]["measured"],
        "verdict_beside": o.CONTRADICTED,
        "methods": ["A"],
        "cells": ["toy/glass/A/default/*"],
        "cells_beside": ["toy/glass/A/default/*"],
    }
    gap = pytest.approx(-0.13)
    p_order = pytest.approx(stats.ttest_1samp(values, 0.63).pvalue)
    assert found["order"] == common | plain | {
        "claim": "order",
        "place": "section 1",
        "published": f"A > HAC in {PURITY}",
        "measured": gap,
        "low": pytest.approx(low - 0.63),
        "high": pytest.approx(high - 0.63),
        "n": 5,
        "verdict": o.ANALOGUE_FAILS,
        "reason": "contradicted on stand-in data: A 0.5000 against HAC 0.6300: the opposite, paired t, "
        "adjusted p = 3.3e-6",
        "evidence": "other data",
        "kind": "order",
        "difference": gap,
        "detectable": pytest.approx((stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)) * stats.sem(values)),
        "p_value": p_order,
        "p_exact": 1 / 16,
        "p_adjusted": p_order,
        "published_value": None,
        "published_spread": None,
        "n_published": None,
        "precision": None,
        "family": "order",
        "measured_beside": gap,
        "verdict_beside": o.ANALOGUE_FAILS,
        "methods": ["A", "HAC"],
        "cells": ["toy/glass/A/default/*", "toy/glass/HAC/default/*"],
        "cells_beside": ["toy/glass/A/default/*", "toy/glass/HAC/default/*"],
        "stand_in_for": ["real glass"],
    }
    sentence = found["sentence"]
    assert (sentence["selection"], sentence["family"], sentence["dataset"]) == ("one setting", "", "glass")
    assert (sentence["n"], sentence["published"], sentence["measured_beside"]) == (2, "", None)
    assert sentence["parts"] == [
        {"claim": "order", "verdict": o.ANALOGUE_FAILS},
        {"claim": "t/glass/a", "verdict": o.CONTRADICTED},
    ]
    assert sentence["stand_in_for"] == ["real glass"]


def test_without_rules_of_selection_there_is_one_verdict(tmp_path):
    rows = cells("glass", "A", {PURITY: 0.47 + NOISE}, {"k": 1})
    found = audit_paper(claims_of(tmp_path, TABLE), frame(rows))[0]
    assert (found["verdict"], found["verdict_beside"], found["selection"]) == (
        o.REPRODUCED,
        o.REPRODUCED,
        "one setting",
    )
    apart = audit_paper(
        claims_of(tmp_path, TABLE), frame(rows, cells("glass", "A", {PURITY: 0.5 + NOISE}, {"k": 2}))
    )[0]
    assert (apart["verdict"], apart["reason"]) == (
        o.NOT_TESTABLE,
        "no setting of A on glass is selected under the rule ''",
    )


def test_wrong_claims_about_good_records_are_contradicted(tmp_path):
    """Change one printed digit or turn one order round: the verdict must turn."""
    records = frame(
        cells("glass", "A", {PURITY: 0.47 + NOISE / 4}), cells("glass", "HAC", {PURITY: [0.6304]})
    )
    for old, new, claim in (
        ('"0.47 ± 0.02"', '"0.57 ± 0.02"', "t/glass/a"),
        ('"0.47 ± 0.02"', '"0.37 ± 0.02"', "t/glass/a"),
        ('"0.47 ± 0.02"', '"0.50"', "t/glass/a"),
        ('"0.63"', '"0.66"', "t/glass/hac"),
        ('"0.63"', '"0.60"', "t/glass/hac"),
    ):
        assert judged(claims_of(tmp_path, TABLE), records).verdict[claim] == o.REPRODUCED
        assert judged(claims_of(tmp_path, TABLE.replace(old, new)), records).verdict[claim] == o.CONTRADICTED
    turned = claims_of(tmp_path, TABLE.replace("is: better", "is: worse"))
    assert judged(claims_of(tmp_path, TABLE), records).verdict["order"] == o.CONTRADICTED
    assert judged(turned, records).verdict["order"] == o.REPRODUCED


AWAY = failed("glass", "A", "unavailable", "no source holds\nthe file", range(5))
MIXED = failed("glass", "A", "timeout", "60 s", range(3)) + failed("glass", "A", "error", "boom", range(3, 5))
MOSTLY = cells("glass", "A", {PURITY: [0.469, 0.471]}) + failed(
    "glass", "A", "out_of_memory", "", range(2, 5)
)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no run of A on glass in these results"),
        (AWAY, "5 of 5 runs unavailable: no source holds the file"),
        (MIXED, "2 of 5 runs error: boom; 3 of 5 runs timeout: 60 s"),
        (MOSTLY, "A on glass: 3 of 5 runs out of memory"),
        (cells("glass", "A", {"other": [1.0, 2.0]}), "the metric 'dendrogram_purity' is not recorded"),
        (cells("glass", "A", {PURITY: [0.47, math.inf]}), "is not finite in 1 of 2"),
        (cells("glass", "A", {PURITY: [0.47]}), "n too small: a single repetition"),
    ],
)
def test_what_cannot_be_judged_says_why(tmp_path, rows, reason):
    claims = claims_of(tmp_path, TABLE)
    found = judged(claims, frame(rows, cells("glass", "HAC", {PURITY: [0.6304]})))
    assert found.verdict["t/glass/a"] == o.NOT_TESTABLE
    assert reason in found.reason["t/glass/a"]
    assert found.verdict["sentence"] == o.NOT_TESTABLE or found.verdict["order"] == o.CONTRADICTED
    assert found.verdict["t/glass/hac"] == o.REPRODUCED


def test_an_empty_run_tests_nothing(tmp_path):
    records = frame(cells("glass", "A", {PURITY: [0.47]})).iloc[:0]
    found = judged(claims_of(tmp_path, TABLE), records)
    assert set(found.verdict) == {o.NOT_TESTABLE}


def test_some_failures_are_told_and_the_rest_is_judged(tmp_path):
    rows = cells("glass", "A", {PURITY: 0.47 + NOISE[:4]}) + failed("glass", "A", "timeout", "60 s", [4])
    found = judged(claims_of(tmp_path, TABLE), frame(rows)).loc["t/glass/a"]
    assert found.verdict == o.REPRODUCED
    assert found.n == 4
    assert "1 of 5 runs timeout: 60 s" in found.reason


def test_stand_in_data_give_analogues(tmp_path):
    rows = cells("glass", "A", {PURITY: 0.47 + NOISE}, stand_in_for="the paper's glass")
    found = judged(claims_of(tmp_path, TABLE), frame(rows, cells("glass", "HAC", {PURITY: [0.63]})))
    assert found.verdict.to_dict() == {
        "t/glass/a": o.NOT_TESTABLE,
        "t/glass/hac": o.REPRODUCED,
        "order": o.ANALOGUE_FAILS,
        "sentence": o.ANALOGUE_FAILS,
    }
    assert found.reason["t/glass/a"] == "printed for other data, so shown and not judged; measured 0.4700"
    assert found.measured["t/glass/a"] == pytest.approx(0.47)
    assert found.stand_in_for["t/glass/a"] == "the paper's glass"
    assert found.parts["sentence"] == "order: analogue fails; t/glass/a: not testable"


def test_published_numbers_are_judged_under_the_papers_rule_and_shown_under_the_other(tmp_path):
    rows = cells("glass", "A", {PURITY: 0.47 + NOISE, "dasgupta_cost": 9 + NOISE}, {"k": 1})
    rows += cells("glass", "A", {PURITY: 0.30 + NOISE, "dasgupta_cost": 5 + NOISE}, {"k": 2})
    claims = claims_of(tmp_path, TABLE)
    found = judged(claims, frame(rows)).loc["t/glass/a"]
    assert (found.verdict, found.selection, found.cells) == (o.REPRODUCED, "oracle", "toy/glass/A/k1/*")
    assert (found.selection_beside, found.verdict_beside) == ("label_free", o.CONTRADICTED)
    assert found.cells_beside == "toy/glass/A/k2/*"
    assert found.measured_beside == pytest.approx(0.30)
    turned = judged(claims, frame(rows), selection=dict(reversed(SELECTION.items()))).loc["t/glass/a"]
    assert (turned.selection, turned.measured) == ("label_free", found.measured_beside)
    assert (turned.selection_beside, turned.measured_beside) == ("oracle", found.measured)
    pinned = claims_of(tmp_path, TABLE.replace("{method: A, printed", "{method: A, where: {k: 2}, printed"))
    assert judged(pinned, frame(rows)).loc["t/glass/a"].cells == "toy/glass/A/k2/*"
    nowhere = claims_of(tmp_path, TABLE.replace("{method: A, printed", "{method: A, where: {k: 7}, printed"))
    assert 'no run of A on glass with {"k": 7}' in judged(nowhere, frame(rows)).loc["t/glass/a"].reason


def test_a_measure_in_percent_is_held_against_printed_percentages(tmp_path):
    text = TABLE.replace('"0.47 ± 0.02"', '"47.0 ± 2.0"').replace("absolute: 0.02", "absolute: 2")
    records = frame(cells("glass", "A", {PURITY: 0.47 + NOISE}))
    found = judged(claims_of(tmp_path, text, with_own({PURITY: {"unit": "%"}})), records)
    assert found.verdict["t/glass/a"] == o.REPRODUCED
    assert found.measured["t/glass/a"] == pytest.approx(47.0)
    assert judged(claims_of(tmp_path, text), records).verdict["t/glass/a"] == o.CONTRADICTED


def test_a_measure_says_which_way_is_better_unless_the_claim_does(tmp_path):
    text = TABLE.replace(", direction: higher", "")
    records = frame(cells("glass", "A", {PURITY: 0.47 + NOISE}), cells("glass", "HAC", {PURITY: [0.63]}))
    assert judged(claims_of(tmp_path, text), records).verdict["order"] == o.CONTRADICTED
    lower = with_own({PURITY: {"direction": "lower"}})
    assert judged(claims_of(tmp_path, text, lower), records).verdict["order"] == o.REPRODUCED
    assert judged(claims_of(tmp_path, TABLE, lower), records).verdict["order"] == o.CONTRADICTED


ORDERS = """
claims:
  - id: each
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: dendrogram_purity, direction: higher}
    for_each: {dataset: [a, b, c]}
    expects: {left: {method: X}, is: better, than: {best_of: [Y, Z]}}
  - id: two
    kind: sentence
    place: {section: "1"}
    quote: q
    expects: {at_least: 2, of: ["each/*"]}
  - id: all
    kind: sentence
    place: {section: "1"}
    quote: q
    expects: {all_of: ["each/*"]}
"""


def test_orders_of_one_family_are_corrected_together(tmp_path):
    jitter = np.array([0.0, 0.01, -0.01, 0.02, -0.02])
    rows = []
    for dataset, gain in (("a", 0.1), ("b", 0.021), ("c", 0.0205)):
        rows += cells(dataset, "X", {PURITY: 0.5 + gain + jitter})
        rows += cells(dataset, "Y", {PURITY: np.full(5, 0.5)})
        rows += cells(dataset, "Z", {PURITY: np.full(5, 0.3)})
    found = judged(claims_of(tmp_path, ORDERS), frame(rows))
    assert (found.p_value.dropna() < 0.05).all()
    assert found.p_adjusted["each/b"] == pytest.approx(2 * found.p_value["each/b"])
    assert found.p_adjusted["each/a"] == pytest.approx(3 * found.p_value["each/a"])
    assert found.verdict.to_dict() == {
        "each/a": o.REPRODUCED,
        "each/b": o.DIRECTION_ONLY,
        "each/c": o.DIRECTION_ONLY,
        "two": o.DIRECTION_ONLY,
        "all": o.DIRECTION_ONLY,
    }
    assert "Y 0.5" in found.reason["each/a"]  # the best of the others, not Z


@pytest.mark.parametrize(("direction", "side"), [("higher", 1.0), ("lower", -1.0)])
def test_the_best_mean_is_named_where_a_noisier_one_decides(tmp_path, direction, side):
    rows = cells("a", "X", {PURITY: side * (3.0 + NOISE)}) + cells(
        "a", "Y", {PURITY: side * (2.0 + NOISE[::-1])}
    )
    rows += cells("a", "Z", {PURITY: side * (1.0 + 20 * NOISE[::-1])})
    found = judged(claims_of(tmp_path, ORDERS.replace("higher", direction)), frame(rows))
    best, decides = ("Y 2", "Z 1") if side > 0 else ("Y -2", "Z -1")
    assert f"{decides} (the least clear of 2 comparisons; best mean {best})" in found.reason["each/a"]


@pytest.mark.parametrize(
    ("ours", "several", "relation", "verdict"),
    [
        # A better one might have been among the missing: the best of the others can only rise.
        (0.6, "best_of", "better", o.NOT_TESTABLE),
        (0.1, "best_of", "better", o.CONTRADICTED),
        (0.6, "best_of", "no_worse", o.NOT_TESTABLE),
        (0.6, "best_of", "worse", o.NOT_TESTABLE),
        (0.1, "best_of", "worse", o.REPRODUCED),
        # The worst of them can only fall.
        (0.6, "worst_of", "better", o.REPRODUCED),
        (0.1, "worst_of", "better", o.NOT_TESTABLE),
        (0.6, "best_of", "never_below", o.NOT_TESTABLE),
        (0.1, "best_of", "never_below", o.CONTRADICTED),
    ],
)
def test_a_rival_that_did_not_run_is_named_and_no_verdict_it_could_overturn_stands(
    tmp_path, ours, several, relation, verdict
):
    rows = cells("a", "X", {PURITY: ours + NOISE}) + cells("a", "Z", {PURITY: 0.3 + NOISE})
    rows += failed("a", "Y", "not_applicable", "too large", range(5))
    text = ORDERS.replace("best_of", several).replace("is: better", f"is: {relation}")
    found = judged(claims_of(tmp_path, text), frame(rows))
    assert found.verdict["each/a"] == verdict, found.reason["each/a"]
    assert "left out: Y on a: 5 of 5 runs not applicable: too large" in found.reason["each/a"]
    assert found.verdict["two"] == o.NOT_TESTABLE


@pytest.mark.parametrize(
    ("ours", "several", "relation", "verdict"),
    [
        (0.1, "best_of", "better", o.NOT_TESTABLE),
        (0.6, "best_of", "better", o.REPRODUCED),
        (0.1, "worst_of", "better", o.CONTRADICTED),
        (0.6, "worst_of", "better", o.NOT_TESTABLE),
        (0.1, "best_of", "worse", o.NOT_TESTABLE),
        (0.6, "best_of", "worse", o.CONTRADICTED),
    ],
)
def test_one_of_several_that_did_not_run_counts_on_the_left_side_too(
    tmp_path, ours, several, relation, verdict
):
    text = ORDERS.replace("left: {method: X}", f"left: {{{several}: [X, Y]}}").replace(
        "best_of: [Y, Z]", "method: Z"
    )
    rows = cells("a", "X", {PURITY: ours + NOISE}) + cells("a", "Z", {PURITY: 0.3 + NOISE[::-1]})
    rows += failed("a", "Y", "not_applicable", "too large", range(5))
    found = judged(claims_of(tmp_path, text.replace("is: better", f"is: {relation}")), frame(rows))
    assert found.verdict["each/a"] == verdict, found.reason["each/a"]


def test_operands_of_one_method_are_told_apart(tmp_path):
    text = ORDERS.replace("left: {method: X}", "left: {method: X, where: {k: 3}}").replace(
        "best_of: [Y, Z]", "method: X, where: {k: 4}"
    )
    found = judged(claims_of(tmp_path, text), frame(cells("a", "X", {PURITY: 0.5 + NOISE})))
    assert found.published["each/a"].startswith("X (k = 3) > X (k = 4)")


@pytest.mark.parametrize(
    ("direction", "several", "rival"),
    [
        ("higher", "best_of", "Y"),
        ("lower", "best_of", "Z"),
        ("higher", "worst_of", "Z"),
        ("lower", "worst_of", "Y"),
    ],
)
def test_the_best_and_the_worst_follow_the_direction(tmp_path, direction, several, rival):
    text = ORDERS.replace("higher", direction).replace("best_of", several)
    rows = [
        cells("a", m, {PURITY: v + NOISE * k}) for m, v, k in (("X", 0.4, 1), ("Y", 0.6, 2), ("Z", 0.3, 3))
    ]
    found = judged(claims_of(tmp_path, text), frame(*rows))
    assert found.methods["each/a"] == f"X; {rival}"


def test_results_are_paired_by_their_task(tmp_path):
    drift = np.array([0.0, 0.3, -0.2, 0.1, -0.1])
    rows = cells("a", "X", {PURITY: 0.52 + drift + NOISE / 10}) + cells("a", "Y", {PURITY: 0.5 + drift})
    claims = claims_of(tmp_path, ORDERS.replace("best_of: [Y, Z]", "method: Y"))
    assert judged(claims, frame(rows)).verdict["each/a"] == o.REPRODUCED
    shuffled = frame(rows).sample(frac=1, random_state=0)
    assert judged(claims, shuffled).p_value["each/a"] == pytest.approx(
        judged(claims, frame(rows)).p_value["each/a"]
    )
    # The same repetitions of other data are no pairs.
    rows = cells("a", "X", {PURITY: 0.52 + drift}) + cells("a", "Y", {PURITY: 0.5 + drift}, tasks=[*"abcde"])
    apart = judged(claims, frame(rows)).loc["each/a"]
    assert (apart.verdict, apart.reason) == (o.NOT_TESTABLE, "X and Y share no task")
    # Nor are those of other tasks when some are shared.
    tasks = ["a, draw 2", "a, draw 0", "z", "a, draw 1", "y"]
    rows = cells("a", "X", {PURITY: 0.52 + drift}) + cells(
        "a", "Y", {PURITY: 0.5 + drift[[2, 0, 3, 1, 4]]}, tasks=tasks
    )
    some = judged(claims, frame(rows)).loc["each/a"]
    assert some.n == 3 and some.low == pytest.approx(0.02) == some.high


FOLDS = ORDERS.replace("best_of: [Y, Z]", "method: Y")


def test_results_that_share_their_training_rows_are_tested_with_the_correction(tmp_path):
    claims = claims_of(tmp_path, FOLDS)
    ahead = 0.02 + NOISE * 1.6

    def found(**how):
        rows = cells("a", "X", {PURITY: 0.5 + ahead}, **how) + cells(
            "a", "Y", {PURITY: np.full(5, 0.5)}, **how
        )
        return judged(claims, frame(rows)).loc["each/a"]

    plain, folds = found(), found(held_out=(80, 20))
    t = ahead.mean() / (ahead.std(ddof=1) * np.sqrt(1 / 5 + 20 / 80))
    assert folds.p_value == pytest.approx(2 * stats.t.sf(t, 4))
    assert plain.p_value == pytest.approx(stats.ttest_1samp(ahead, 0).pvalue)
    assert plain.verdict == o.REPRODUCED and folds.verdict == o.DIRECTION_ONLY
    one_side = cells("a", "X", {PURITY: 0.5 + ahead}, held_out=(80, 20)) + cells(
        "a", "Y", {PURITY: np.full(5, 0.5)}
    )
    assert judged(claims, frame(one_side)).p_value["each/a"] == pytest.approx(folds.p_value)


def test_values_and_ratios_and_slopes_have_the_correction_too(tmp_path):
    value = claims_of(tmp_path, TABLE)
    widths = []
    for how in ({}, {"held_out": (80, 20)}):
        row = judged(value, frame(cells("glass", "A", {PURITY: 0.47 + NOISE}, **how))).loc["t/glass/a"]
        widths.append(row.high - row.low)
    assert widths[1] / widths[0] == pytest.approx(np.sqrt((1 / 5 + 1 / 4) / (1 / 5)))
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


def test_a_claim_is_judged_at_its_evaluation_point_or_at_the_plans(tmp_path):
    claims = claims_of(tmp_path, FOLDS)
    rows = []
    for k, gain in ((1, -0.1), (5, 0.1)):
        rows += cells("a", "X", {PURITY: 0.5 + gain + NOISE / 5}, at={"k": k})
        rows += cells("a", "Y", {PURITY: np.full(5, 0.5)}, at={"k": k})
    for at, verdict in (({"k": 5}, o.REPRODUCED), ({"k": 1}, o.CONTRADICTED), ({"k": 1.0}, o.CONTRADICTED)):
        assert judged(claims, frame(rows), at=at).verdict["each/a"] == verdict
    said = judged(claims, frame(rows), at={"k": 7}).loc["each/a"]
    assert said.verdict == o.NOT_TESTABLE
    assert f'X on a: {PURITY} is recorded at {{"k":1}}, {{"k":5}}, not at {{"k":7}}' in said.reason
    own = claims_of(tmp_path, FOLDS.replace("{method: X}", "{method: X, at: {k: 5}}"))
    apart = judged(own, frame(rows), at={"k": 1}).loc["each/a"]
    assert (apart.verdict, apart.published) == (o.REPRODUCED, f"X (k = 5) > Y in {PURITY}")


def test_rows_of_another_paper_are_left_out(tmp_path):
    claims = claims_of(tmp_path, TABLE)
    own = cells("glass", "A", {PURITY: 0.47 + NOISE}) + cells("glass", "HAC", {PURITY: [0.6304]})
    others = [row | {"paper": "another"} for row in cells("glass", "A", {PURITY: 0.9 + NOISE})]
    for rows in (own + others, others + own):
        pd.testing.assert_frame_equal(judged(claims, frame(rows)), judged(claims, frame(own)))
    assert set(judged(claims, frame(others)).verdict) == {o.NOT_TESTABLE}


def test_a_number_of_one_draw_may_differ_by_the_spread_of_draws(tmp_path):
    records = frame(cells("glass", "A", {PURITY: 0.49 + 2 * NOISE}))
    text = TABLE.replace('"0.47 ± 0.02"', '"0.45 ± 0.001"')
    one = text.replace("glass: {dataset: glass}", "glass: {dataset: glass, one_draw: true}")
    assert judged(claims_of(tmp_path, text), records).verdict["t/glass/a"] == o.CONTRADICTED
    assert judged(claims_of(tmp_path, one), records).verdict["t/glass/a"] != o.CONTRADICTED


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


def test_rounding_of_flat_values_is_no_slope(tmp_path):
    points = [(0.1, "X"), (0.2, "Y"), (0.7, "Z")]
    expects = ", ".join(f"{{x: {x}, method: {method}}}" for x, method in points)
    text = SAID.format(
        kind="trend", direction="higher", expects=f"{{points: [{expects}], slope: {{at_most: 0}}}}"
    )
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


SAID = """
claims:
  - id: c
    kind: {kind}
    place: {{section: "1"}}
    quote: q
    measure: {{dataset: a, metric: m, direction: {direction}}}
    expects: {expects}
"""
X, Y = cells("a", "X", {"m": 3.0 + NOISE}), cells("a", "Y", {"m": 1.0 + NOISE[::-1]})


@pytest.mark.parametrize(
    ("relation", "direction", "published", "verdict"),
    [
        ("{left: {method: X}, is: better, than: {method: Y}}", "higher", "X > Y in m", o.REPRODUCED),
        ("{left: {method: X}, is: better, than: {method: Y}}", "lower", "X < Y in m", o.CONTRADICTED),
        ("{left: {method: X}, is: worse, than: {method: Y}}", "higher", "X < Y in m", o.CONTRADICTED),
        ("{left: {method: X}, is: worse, than: {method: Y}}", "lower", "X > Y in m", o.REPRODUCED),
        ("{left: {method: X}, is: higher, than: {method: Y}}", "lower", "X > Y in m", o.REPRODUCED),
        ("{left: {method: X}, is: lower, than: {method: Y}}", "higher", "X < Y in m", o.CONTRADICTED),
        (
            "{left: {method: Y}, is: no_worse, than: {method: X}, margin: 2.5}",
            "higher",
            "Y > X - 2.5 in m",
            o.REPRODUCED,
        ),
        (
            "{left: {method: X}, is: no_worse, than: {method: Y}, margin: 2.5}",
            "lower",
            "X < Y + 2.5 in m",
            o.REPRODUCED,
        ),
        (
            "{left: {method: X}, is: no_worse, than: {method: Y}, margin: 1.5}",
            "lower",
            "X < Y + 1.5 in m",
            o.CONTRADICTED,
        ),
        (
            "{left: {method: X}, is: better, than: {method: Y}, by: 1.5}",
            "higher",
            "X > Y + 1.5 in m",
            o.REPRODUCED,
        ),
        (
            "{left: {method: X}, is: better, than: {method: Y}, by: 2.5}",
            "higher",
            "X > Y + 2.5 in m",
            o.CONTRADICTED,
        ),
        (
            "{left: {method: Y}, is: better, than: {method: X}, by: 1.5}",
            "lower",
            "Y < X - 1.5 in m",
            o.REPRODUCED,
        ),
        (
            "{left: {method: X}, is: worse, than: {method: Y}, by: 2.5}",
            "lower",
            "X > Y + 2.5 in m",
            o.CONTRADICTED,
        ),
        ("{left: {method: X}, is: never_above, than: {method: Y}}", "higher", "X <= Y in m", o.CONTRADICTED),
        ("{left: {method: X}, is: never_below, than: {method: Y}}", "lower", "X >= Y in m", o.REPRODUCED),
        ("{left: {method: X}, is: higher, than: {value: 2.5}}", "lower", "X > 2.5 in m", o.REPRODUCED),
        (
            "{left: {method: X}, is: better, than: {method: Y}, tie: 3}",
            "higher",
            "X > Y in m",
            o.WITHIN_NOISE,
        ),
        (
            "{left: {method: X}, is: better, than: {best_of: [Z]}}",
            "higher",
            "X > the others in m",
            o.NOT_TESTABLE,
        ),
        (
            "{left: {method: X, metric: s, at: {k: 2}}, is: better, than: {method: Y}}",
            "higher",
            "X (s, k = 2) > Y in m",
            o.NOT_TESTABLE,
        ),
    ],
)
def test_an_order_says_what_was_claimed(tmp_path, relation, direction, published, verdict):
    text = SAID.format(kind="order", direction=direction, expects=relation)
    found = judged(claims_of(tmp_path, text), frame(X, Y)).loc["c"]
    assert (found.published, found.verdict) == (published, verdict), found.reason
    if verdict == o.REPRODUCED and "never" not in relation and "value" not in relation:
        shown = "Y 1 against X 3" if "{method: Y}, is" in relation else "X 3 against Y 1"
        margin = (
            ", margin 2.5" if "no_worse" in relation else ", by more than 1.5" if "by" in relation else ""
        )
        assert found.reason.startswith(f"{shown}{margin}: ")


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
    text = SAID.format(kind="ratio", direction="higher", expects=expects)
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
    text = SAID.format(kind="trend", direction="higher", expects=expects)
    found = judged(claims_of(tmp_path, text), frame(*rows)).loc["c"]
    assert (found.published, found.verdict) == (published, verdict), found.reason
    assert reason in found.reason


@pytest.mark.parametrize(
    ("method", "verdict", "measured", "reason"),
    [
        (
            "method: X, ",
            o.NOT_TESTABLE,
            3.0,
            "other data; measured 3, 0 from the printed 3.0: less than the 0.1500 that matters, two one-sided tests, "
            "p = 3.3e-5",
        ),
        ("method: Z, ", o.NOT_TESTABLE, None, "other data"),
        ("", o.NOT_TESTABLE, None, "other data"),
    ],
)
def test_a_number_that_cannot_be_judged_is_shown_beside_what_is_measured(
    tmp_path, method, verdict, measured, reason
):
    text = SAID.format(kind="value", direction="higher", expects="{}").replace("    expects: {}\n", "")
    text = text.replace("{dataset: a, ", f"{{{method}dataset: a, ")
    text = text.replace("quote: q", 'quote: q\n    published: "3.0"\n    not_testable: other data')
    found = audit_paper(claims_of(tmp_path, text), frame(X, Y))[0]
    assert (found["verdict"], found["reason"]) == (verdict, reason)
    assert found["measured"] == (None if measured is None else pytest.approx(measured))
    assert found["cells"] == (["toy/a/X/default/*"] if measured else [])


@pytest.mark.parametrize(
    ("kind", "expects"),
    [
        ("order", "{left: {method: X}, is: better, than: {method: Y}}"),
        ("order", "{left: {method: X}, is: never_below, than: {method: Y}}"),
        ("ratio", "{of: {method: X}, to: {method: Y}, at_least: 2}"),
        ("trend", "{points: [{x: 1, method: X}, {x: 2, method: Y}], slope: {at_most: -1}}"),
    ],
)
def test_one_repetition_is_enough_where_both_sides_are_known_exactly(tmp_path, kind, expects):
    text = SAID.format(kind=kind, direction="higher", expects=expects)
    records = frame(cells("a", "X", {"m": [3.0]}), cells("a", "Y", {"m": [1.0]}))
    for known, verdict in (("X, Y", o.REPRODUCED), ("X", o.NOT_TESTABLE), ("Y", o.NOT_TESTABLE)):
        found = judged(claims_of(tmp_path, f"deterministic: [{known}]{text}"), records).loc["c"]
        assert (found.verdict, found.n) == (verdict, 1), found.reason


CERTIFICATES = """
claims:
  - id: binary
    kind: sentence
    place: {section: "2"}
    quote: the optimal tree is binary
    expects: {certificates: {topic: binary, at_least: 2}}
"""


def test_certificates_decide_sentences_about_the_cost(tmp_path):
    claims = claims_of(tmp_path, CERTIFICATES)
    empty = frame(cells("a", "X", {PURITY: [0.5]}))

    def verdict(topics, passed):
        table = pd.DataFrame({"id": [f"c{i}" for i in range(len(topics))], "topic": topics, "passed": passed})
        return judged(claims, empty, certificates=table).loc["binary"]

    assert verdict(["binary", "binary", "other"], [True, True, False]).verdict == o.REPRODUCED
    assert verdict(["binary", "binary"], [True, False]).verdict == o.CONTRADICTED
    assert "first c1" in verdict(["binary", "binary"], [True, False]).reason
    assert verdict(["binary", "other"], [True, True]).verdict == o.NOT_TESTABLE
    assert judged(claims, empty).loc["binary"].reason == "this run has no solver checks"
    good = verdict(["binary", "binary", "other"], [True, True, False])
    assert (good.n, good.reason) == (2, "all 2 solver checks of 'binary' passed")
    bad = verdict(["binary", "other", "binary", "binary"], [True, False, False, False])
    assert (bad.n, bad.reason) == (3, "2 of 3 solver checks of 'binary' failed, first c2")
    assert verdict(["binary"], [True]).reason == "1 solver checks of 'binary', 2 needed"


@pytest.mark.parametrize(
    ("pattern", "verdict", "n"),
    [("c[01]", o.REPRODUCED, 2), ("c*", o.CONTRADICTED, 3), ("d*", o.NOT_TESTABLE, None)],
)
def test_certificates_are_named_by_a_pattern_and_one_is_enough(tmp_path, pattern, verdict, n):
    text = CERTIFICATES.replace("at_least: 2", f"id: '{pattern}'")
    table = pd.DataFrame({"id": ["c0", "c1", "c2"], "topic": "binary", "passed": [True, True, False]})
    records = frame(cells("a", "X", {PURITY: [0.5]}))
    found = audit_paper(claims_of(tmp_path, text), records, certificates=table)[0]
    assert (found["verdict"], found["n"]) == (verdict, n)
    one = audit_paper(claims_of(tmp_path, text), records, certificates=table.iloc[:1])[0]
    assert one["verdict"] == (o.NOT_TESTABLE if pattern == "d*" else o.REPRODUCED)


ARITHMETIC = """
tables:
  - id: t
    place: {artifact: Table 1}
    measure: {metric: m, direction: higher}
    columns: {d: {dataset: d}, e: {dataset: e}, mean: {dataset: mean}}
    rows:
      A: {method: A, printed: ["0.61", "0.63", "0.62"]}
      B: {method: B, printed: ["0.59", "0.63", "0.65"]}
    best: {d: A, e: B}
"""
COMPARED = {
    "wrong": {"left": "t/d/b", "is": "better", "than": ["t/d/*"]},
    "close": {"left": "t/d/b", "is": "no_worse", "than": ["t/d/*"], "margin": 0.02},
    "lower": {"left": "t/d/b", "is": "lower", "than": 0.6},
}
PRINTED = {
    "mean-a": ("0.62", {"average_of": ["t/d/a", "t/e/a"]}),
    "mean-b": ("0.65", {"average_of": ["t/d/b", "t/e/b"]}),
    "apart": ("0.02", {"difference_of": ["t/d/a", "t/d/b"]}),
    "not-apart": ("0.05", {"difference_of": ["t/d/a", "t/d/b"]}),
    "times": ("0.91", {"ratio_of": ["t/d/b", "t/mean/b"]}),
    "times-coarse": ("1", {"ratio_of": ["t/d/b", "t/mean/b"]}),
    "not-times": ("0.80", {"ratio_of": ["t/d/b", "t/mean/b"]}),
    "rows": ("7000", {"fact": "n_samples", "dataset": "spambase"}),
    "classes": ("2", {"fact": "n_classes", "dataset": "spambase"}),
    "unknown": ("2", {"fact": "n_classes", "dataset": "nowhere"}),
    "share": ("0.86", {"possible_at": 7}),
    "percent": ("85.7%", {"possible_at": 7}),
    "no-share": ("0.90", {"possible_at": 7}),
    "small-percent": ("0.5%", {"possible_at": 200}),
    "no-percent": ("0.5%", {"possible_at": 2}),
}


def test_arithmetic_needs_no_run(tmp_path):
    records = frame(cells("d", "X", {"m": [0.5]}))
    shared = {"kind": "arithmetic", "place": {"section": "1"}, "quote": "q"}
    blocks = [
        {"id": k, "measure": {"direction": "higher"}, "expects": e} | shared for k, e in COMPARED.items()
    ]
    blocks += [{"id": k, "published": text, "expects": e} | shared for k, (text, e) in PRINTED.items()]
    dearer = {"left": "t/d/b", "is": "worse", "than": 0.5}
    blocks.append({"id": "dearer", "measure": {"direction": "lower"}, "expects": dearer} | shared)
    found = judged(claims_of(tmp_path, ARITHMETIC + yaml.safe_dump({"claims": blocks})), records)
    arithmetic = found[found.kind == "arithmetic"].verdict.to_dict()
    assert arithmetic == {
        "t/bold/d": o.REPRODUCED,
        "t/bold/e": o.WITHIN_NOISE,
        "wrong": o.INCONSISTENT,
        "close": o.REPRODUCED,
        "lower": o.REPRODUCED,
        "dearer": o.REPRODUCED,
        "mean-a": o.REPRODUCED,
        "mean-b": o.INCONSISTENT,
        "apart": o.REPRODUCED,
        "not-apart": o.INCONSISTENT,
        "times": o.REPRODUCED,
        "times-coarse": o.REPRODUCED,
        "not-times": o.INCONSISTENT,
        "rows": o.INCONSISTENT,
        "classes": o.REPRODUCED,
        "unknown": o.NOT_TESTABLE,
        "share": o.REPRODUCED,
        "percent": o.REPRODUCED,
        "no-share": o.INCONSISTENT,
        "small-percent": o.REPRODUCED,
        "no-percent": o.INCONSISTENT,
    }
    assert found.measured["rows"] == 4601
    assert "equal as printed" in found.reason["t/bold/e"]


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


def test_a_table_leaves_empty_what_is_not_true_and_joins_lists():
    rows = as_frame(
        [{"claim": "a", "main": True, "not_run": ["x", "y"]}, {"claim": "b", "main": False, "not_run": []}]
    )
    assert rows["main"].tolist() == ["true", ""] and rows["not_run"].tolist() == ["x; y", ""]


def test_other_choices_are_told_in_words_and_the_chosen_one_is_not_counted():
    stances = {"one": "supports", "two": "contradicts", "three": "contradicts", "four": "not testable"}
    rows = as_frame([{"claim": "a", "stance": "supports", "stances": stances}, {"claim": "b", "stances": {}}])
    assert rows["universes"].tolist() == ["with other choices: 1 support, 0 open, 2 contradict", ""]


def test_the_file_has_the_columns_alone(tmp_path):
    claim = dict.fromkeys(COLUMNS) | {"claim": "a", "paper": "toy", "verdict": o.REPRODUCED, "parts": []}
    write_audit(Audit([claim], {}, {}), tmp_path)
    assert tuple(pd.read_csv(tmp_path / "audit.csv").columns) == COLUMNS
