"""Claims of a paper, judged by records of a known truth."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from audit_records import NOISE, PURITY, SELECTION, cells, claims_of, failed, frame, judged
from cladebench.audit.audit_files import COLUMNS
from cladebench.audit.pipeline.whole_run import audit_paper
from cladebench.audit.verdict import verdict_types as o
from cladebench.measures import with_own
from claim_texts import claim_text
from two_methods import X, Y

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
        ". Ours also agrees with 1 of the 2 other numbers of its column."
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
    common |= {"blind": "", "universes": "", "depends_on": [], "stance": "contradicts", "stances": {}}
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
        "reason": "Measured 0.5000, 0.03000 from the printed 0.47 ± 0.02: more than rounding, Welch t, "
        f"p = {p_value:.3f}. Ours agrees with 0 of the 1 other numbers of its column.",
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
        (MIXED, "2 of 5 runs error: boom. 3 of 5 runs timeout: 60 s."),
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
    assert found.reason["t/glass/a"] == "Printed for other data, so shown and not judged. Measured 0.4700."
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


@pytest.mark.parametrize(
    ("method", "verdict", "measured", "reason"),
    [
        (
            "method: X, ",
            o.NOT_TESTABLE,
            3.0,
            "Other data. Measured 3, 0 from the printed 3.0: less than the 0.1500 that matters, two one-sided tests, "
            "p = 3.3e-5.",
        ),
        ("method: Z, ", o.NOT_TESTABLE, None, "other data"),
        ("", o.NOT_TESTABLE, None, "other data"),
    ],
)
def test_a_number_that_cannot_be_judged_is_shown_beside_what_is_measured(
    tmp_path, method, verdict, measured, reason
):
    measure = f"{{{method}dataset: a, metric: m, direction: higher}}"
    text = claim_text("c", "value", measure=measure, published="'3.0'", not_testable="other data")
    found = audit_paper(claims_of(tmp_path, "claims:\n" + text), frame(X, Y))[0]
    assert (found["verdict"], found["reason"]) == (verdict, reason)
    assert found["measured"] == (None if measured is None else pytest.approx(measured))
    assert found["cells"] == (["toy/a/X/default/*"] if measured else [])


def test_values_that_share_their_training_rows_have_a_wider_interval(tmp_path):
    value = claims_of(tmp_path, TABLE)
    widths = []
    for how in ({}, {"held_out": (80, 20)}):
        row = judged(value, frame(cells("glass", "A", {PURITY: 0.47 + NOISE}, **how))).loc["t/glass/a"]
        widths.append(row.high - row.low)
    assert widths[1] / widths[0] == pytest.approx(np.sqrt((1 / 5 + 1 / 4) / (1 / 5)))
