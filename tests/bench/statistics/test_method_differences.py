"""What a comparison may say: by the number of data sets, with failures, ties, labellings, fixed rows and ranges."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cladebench.bench.statistics.method_differences import ALL, COLUMNS, compare, table
from cladebench.bench.statistics.method_ranks import best_method, ranks
from cladebench.bench.statistics.method_scores import Settings, read_values
from cladebench.bench.statistics.paired_tests import holm, middle_of_pairs, sign_flip
from made_up_values import NAN, many, runs_of, values_of

RULES = Settings()


def only(rows, data, rival):
    (found,) = [row for row in rows if (row.data, row.rival) == (data, rival)]
    return found


SCORE = st.one_of(st.integers(-2, 4).map(lambda k: k / 4), st.just(NAN))


@st.composite
def any_scores(draw, methods=("mine", "a", "b")):
    n_draws = draw(st.integers(1, 4))
    column = st.lists(SCORE, min_size=n_draws, max_size=n_draws)
    return {f"d{i}": {name: draw(column) for name in methods} for i in range(draw(st.integers(1, 12)))}


def test_one_data_set_has_the_t_test_over_draws_corrected_for_their_overlap():
    mine = np.array([0.62, 0.70, 0.66, 0.71, 0.60, 0.65])
    rivals = {"a": mine - [0.1, 0.12, 0.08, 0.15, 0.11, 0.09], "b": mine[::-1]}
    rows = compare(values_of({"d": {"mine": mine, **rivals}}), "mine", RULES)
    assert [(row.data, row.rival, row.n) for row in rows] == [("d", "a", 6), ("d", "b", 6)]
    p_values = []
    for row in rows:
        d = mine - rivals[row.rival]
        se = d.std(ddof=1) * math.sqrt(1 / 6 + 1)  # half of the rows: an overlap of 1
        reach = stats.t.ppf(0.975, 5) * se
        assert (row.low, row.high) == (pytest.approx(d.mean() - reach), pytest.approx(d.mean() + reach))
        assert row.p == pytest.approx(2 * stats.t.sf(abs(d.mean()) / se, 5))
        detectable = (stats.t.ppf(1 - 0.05 / 4, 5) + stats.t.ppf(0.8, 5)) * se
        assert row.detectable == pytest.approx(detectable)
        p_values.append(row.p)
    assert [row.p_adjusted for row in rows] == pytest.approx(holm(p_values))
    assert [row.verdict for row in rows] == ["ahead", "undecided"]


def test_what_a_plain_t_test_calls_different_is_undecided():
    d = np.array([0.02, 0.05, 0.01, 0.06, 0.03, 0.04, 0.02, 0.05, 0.04, 0.03])
    values = values_of({"d": {"mine": 0.5 + d, "a": np.full(10, 0.5)}})
    assert stats.ttest_1samp(d, 0).pvalue < 1e-3
    assert compare(values, "mine", RULES)[0].verdict == "undecided"


def test_a_difference_within_the_rope_is_level_even_where_it_is_not_zero():
    d = 0.01 + 0.001 * np.array([1, -1, 2, -2, 1, -1, 0, 1, 0, -1])
    values = values_of({"d": {"mine": 0.5 + d, "a": np.full(10, 0.5)}}, n_rows=10_000)
    (row,) = compare(values, "mine", RULES)
    assert row.p_adjusted < 0.05 and row.verdict == "level"
    assert compare(values, "mine", Settings(rope=0.005))[0].verdict == "ahead"


def test_equal_differences_of_few_rows_are_no_proof():
    scores = {"d": {"mine": [0.6, 0.6], "a": [0.4, 0.4]}}
    small, large = (compare(values_of(scores, n_rows=n), "mine", RULES)[0] for n in (10, 10_000))
    assert (small.verdict, large.verdict) == ("undecided", "ahead")
    assert small.low < 0 < small.high and 0 < large.low < 0.2 < large.high  # as their p-values say


@pytest.mark.parametrize("n_rows", [10, 100, 10_000])
@pytest.mark.parametrize("spread", [0.0, 0.01, 0.1])
def test_an_interval_leaves_out_0_where_p_is_below_5_percent_alone(n_rows, spread):
    noise = np.random.default_rng(3).normal(size=(40, 5)) * spread
    seen = set()
    for lead, of_draws in zip(np.linspace(0, 0.3, 40), noise, strict=True):
        scores = {"d": {"mine": 0.4 + lead + of_draws, "a": np.full(5, 0.4)}}
        (row,) = compare(values_of(scores, n_rows=n_rows), "mine", RULES)
        assert (row.low <= 0 <= row.high) == (row.p > 0.05), row
        seen.add(row.p > 0.05)
    assert seen == {True, False} or n_rows == 10  # which show nothing


def test_a_draw_with_equal_scores_does_not_take_the_least_spread_away():
    scores = {"d": {"mine": [0.45] * 9 + [0.4], "a": [0.4] * 10}}
    small, large = (compare(values_of(scores, n_rows=n), "mine", RULES)[0] for n in (10, 10_000))
    assert large.p < 0.05 < small.p and small.low < 0


def test_one_draw_says_nothing():
    (row,) = compare(values_of({"d": {"mine": [0.9], "a": [0.1]}}), "mine", RULES)
    assert (row.difference, row.low, row.high, row.verdict) == (pytest.approx(0.8), -1.5, 1.5, "undecided")
    assert math.isnan(row.p) and math.isnan(row.p_adjusted) and math.isnan(row.detectable)


def test_a_failed_run_may_have_no_value_at_all():
    runs = runs_of({"d": {"mine": [0.1, NAN, 0.9, 0.4], "a": [0.0, 0.4, 0.8, 0.2]}})
    expected = compare(read_values(runs, "ari"), "mine", RULES)
    values = runs["value"].astype(object).where(runs["value"].notna(), None)
    assert compare(read_values(runs.assign(value=values), "ari"), "mine", RULES) == expected


def test_draws_pair_by_their_digest():
    runs = runs_of({"d": {"mine": [0.1, 0.5, 0.9, 0.4], "a": [0.0, 0.4, 0.8, 0.3]}})
    expected = compare(read_values(runs, "ari"), "mine", RULES)
    shuffled = runs.sample(frac=1, random_state=1)
    ours, theirs = shuffled[shuffled.method == "mine"], shuffled[shuffled.method == "a"]
    assert compare(read_values(pd.concat([ours, theirs]), "ari"), "mine", RULES) == expected
    assert (
        0.05 < expected[0].low < 0.1 < expected[0].high < 0.15
    )  # draws that pair wrongly differ by up to 0.8


@pytest.mark.parametrize("n", [2, 5, 9])
def test_few_data_sets_are_judged_alone_and_all_by_the_sign_flip_test(n):
    scores = many(n, {"mine": 0.7, "a": 0.3, "b": 0.69})
    values = values_of(scores)
    rows = compare(values, "mine", RULES)
    assert {row.data for row in rows} == {*scores, ALL}
    for rival in ("a", "b"):
        row = only(rows, ALL, rival)
        d = np.array([np.mean(found["mine"] - found[rival]) for found in scores.values()])
        half = stats.t.ppf(0.975, n - 1) * stats.sem(d)
        assert (row.n, row.least_p) == (n, 2.0 ** (1 - n))
        assert row.difference == pytest.approx(d.mean())
        assert row.low == pytest.approx(max(-1.5, d.mean() - half))
        assert row.p == pytest.approx(sign_flip(d)) and row.p >= row.least_p
    found = ranks(values)
    assert found.complete.friedman is None and found.pairs is None
    assert found.complete.means["mine"] == found.complete.ranks["mine"].mean()
    with pytest.raises(ValueError, match=f"{n} data sets; expected at least 10"):
        _ = found.failures_last.critical_difference


def test_tests_that_can_not_reach_the_level_are_not_corrected_for():
    scores = many(5, {"mine": 0.7, "a": 0.3})
    rows = compare(values_of(scores), "mine", RULES)
    alone = [row for row in rows if row.data != ALL]
    assert [row.p_adjusted for row in alone] == pytest.approx(holm([row.p for row in alone]))
    on_all = only(rows, ALL, "a")
    assert (on_all.p, on_all.p_adjusted, on_all.verdict) == (1 / 16, 1.0, "undecided")
    assert on_all.detectable == math.inf


def test_what_could_be_seen_is_told_where_a_test_can_just_reach_the_level():
    values = values_of(many(5, {"mine": 0.7, "a": 0.3}))
    on_all = only(
        compare(values, "mine", replace(RULES, level=1 - 6 / 16)), ALL, "a"
    )  # six tests, of 1 / 16 at least
    assert on_all.least_p == 1 / 16 and 0.0 < on_all.detectable < math.inf


def test_nine_data_sets_that_agree_are_enough_against_one_rival():
    rows = compare(values_of(many(9, {"mine": 0.7, "a": 0.3})), "mine", RULES)
    on_all = only(rows, ALL, "a")
    assert (on_all.p, on_all.verdict) == (1 / 256, "ahead")
    assert on_all.p_adjusted <= 0.05


def test_many_data_sets_have_signed_ranks_with_holms_correction():
    scores = many(12, {"mine": 0.6, "a": 0.5, "b": 0.58, "c": 0.75})
    rows = compare(values_of(scores), "mine", RULES)
    assert {row.data for row in rows} == {ALL}
    p_values = []
    for row in rows:
        d = [np.mean(found["mine"] - found[row.rival]) for found in scores.values()]
        p_values.append(stats.wilcoxon(d, method="exact").pvalue)
        assert row.p == pytest.approx(p_values[-1])
        assert row.low <= row.difference <= row.high
    assert [row.p_adjusted for row in rows] == pytest.approx(holm(p_values))
    assert [row.verdict for row in rows] == ["ahead", "undecided", "behind"]


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_from_ten_data_sets_on_the_interval_is_that_of_the_signed_ranks(level):
    d = np.random.default_rng(4).normal(0.1, 0.1, 10)
    values = values_of({f"d{i}": {"mine": [0.5 + x] * 2, "a": [0.5] * 2} for i, x in enumerate(d)})
    (row,) = compare(values, "mine", Settings(level=level))
    assert (row.difference, row.low, row.high) == pytest.approx(middle_of_pairs(d, level))
    assert row.p == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)


def test_mean_differences_that_differ_in_their_last_bit_are_ties():
    # The mean of three times 0.1 is more than 0.1 by a bit.
    scores = {f"d{i}": {"mine": [0.6] * 3, "a": [0.5] * 3} for i in range(9)}
    scores["d9"] = {"mine": [0.5] * 2, "a": [0.6] * 2}
    (row,) = compare(values_of(scores), "mine", RULES)
    assert row.p == pytest.approx(2 * (1 + 10) / 2**10)


def test_level_has_the_level_of_the_tests():
    pattern = np.array([1, -1, 2, -2, 1, -1, 0, 1, 0, -1])
    p = 0.07  # of the one-sided test against the upper end, 0.01 away
    d = 0.01 + pattern * 0.01 / (stats.t.isf(p, 9) * math.sqrt(1 / 10 + 1) * pattern.std(ddof=1))
    values = values_of({"d": {"mine": 0.5 + d, "a": [0.5] * 10}}, n_rows=10_000)
    (row,) = compare(values, "mine", RULES)
    assert row.p_level == pytest.approx(p) and row.verdict != "level"


AROUND = np.array([-1, 0.97, -0.83, 0.8, -0.61, 0.58, -0.42, 0.39, -0.21, 0.19, -0.12, 0.09])


@pytest.mark.parametrize("n", [8, 12])
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(
    ("middle", "spread", "level"),
    [
        (0.005, 0.004, True),  # well inside of the region of 0.02
        (0.019, 0.0005, True),  # at its end, but each inside
        (0.019, 0.004, False),  # across its end
        (0.021, 0.004, False),
        (0.03, 0.004, False),  # outside
    ],
)
def test_over_data_sets_level_needs_both_ends_of_the_rope(n, side, middle, spread, level):
    d = side * (middle + spread * AROUND[:n])
    scores = {f"d{i}": {"mine": [0.5 + x] * 2, "a": [0.5] * 2} for i, x in enumerate(d)}
    row = only(compare(values_of(scores), "mine", RULES), ALL, "a")
    assert row.verdict in (("level",) if level else ("undecided", "ahead" if side > 0 else "behind"))
    if n >= 10 and middle < RULES.rope:
        # Schuirmann's two one-sided tests; the larger of the two counts.
        below = stats.wilcoxon(d - RULES.rope, alternative="less", method="exact").pvalue
        above = stats.wilcoxon(d + RULES.rope, alternative="greater", method="exact").pvalue
        assert row.p_level == pytest.approx(max(below, above))


def test_draws_that_failed_are_left_out_on_both_sides():
    mine, a = [0.9, NAN, 0.8, 0.7], [0.1, 0.2, NAN, 0.3]
    values = values_of({"d": {"mine": mine, "a": a, "b": [NAN] * 4}})
    rows = compare(values, "mine", RULES)
    assert (rows[0].n, rows[0].difference) == (2, pytest.approx(0.6))
    assert (rows[1].n, rows[1].verdict) == (0, "undecided")
    assert math.isnan(rows[1].difference) and math.isnan(rows[1].p)
    means = values.means().loc["d"]
    assert means["mine"] == pytest.approx(0.8) and math.isnan(means["b"])


def test_a_method_without_runs_on_a_data_set_is_as_one_that_failed():
    scores = {"d": {"mine": [0.5, 0.6], "a": [0.4, 0.3]}, "e": {"mine": [0.5, 0.7]}}
    rows = compare(values_of(scores), "mine", RULES)
    assert only(rows, "e", "a").n == 0
    on_all = only(rows, ALL, "a")
    assert (on_all.n, on_all.verdict) == (1, "undecided")
    assert math.isnan(on_all.p)


def test_where_every_run_failed_nothing_is_said():
    values = values_of({"d": {"mine": [NAN, NAN], "a": [NAN, NAN]}})
    assert [row.verdict for row in compare(values, "mine", RULES)] == ["undecided"]
    found = ranks(values)
    assert found.complete.n == 0 and found.failures_last.means.tolist() == [1.5, 1.5]


@pytest.mark.parametrize("bad", [math.inf, -math.inf])
def test_infinite_scores_are_failures(bad):
    values = values_of({"d": {"mine": [bad, 0.5, 0.6], "a": [0.1, 0.1, 0.2]}})
    assert compare(values, "mine", RULES)[0].n == 2


@pytest.mark.parametrize("n", [1, 2, 9, 10])
def test_equal_scores_everywhere_are_level(n):
    same = [0.3, 0.5, 0.4]
    values = values_of({f"d{i}": {"mine": same, "a": same, "b": same} for i in range(n)})
    rows = compare(values, "mine", RULES)
    assert {row.verdict for row in rows if row.data != ALL or n >= 10} == {"level"}
    assert all(row.difference == row.low == row.high == 0 and row.p == 1 for row in rows)
    found = ranks(values)
    assert found.complete.means.tolist() == [2, 2, 2]
    if n >= 10:
        assert found.complete.friedman.p == 1 and (found.pairs.to_numpy()[~np.eye(3, dtype=bool)] == 1).all()


def test_scores_that_differ_in_their_last_bit_are_ties():
    scores = {f"d{i}": {"mine": [0.3, 0.3], "a": [0.1 + 0.2, 0.1 + 0.2]} for i in range(10)}
    values = values_of(scores)
    assert compare(values, "mine", RULES)[0].p == 1
    assert ranks(values).complete.means.tolist() == [1.5, 1.5]


def test_a_deterministic_method_on_fixed_rows_shows_no_spread():
    scores = {"d": {"mine": [0.8], "a": [0.6], "seeded": [0.5, 0.7, 0.6]}}
    values = values_of(scores, share=1.0, deterministic=("mine", "a"))
    exact, other = compare(values, "mine", RULES)
    assert exact.difference == exact.low == exact.high == pytest.approx(0.2)
    assert other.n == 3 and other.low < other.difference < other.high
    for row in (exact, other):  # of other rows than these nothing is known
        assert row.verdict == "undecided" and math.isnan(row.p)
    half = stats.t.ppf(0.975, 2) * 0.1 / math.sqrt(3)  # draws of all rows do not overlap more
    assert other.high == pytest.approx(0.2 + half)


def test_a_deterministic_method_on_draws_has_the_spread_of_the_draws():
    scores = {"d": {"mine": [0.8, 0.7, 0.9], "a": [0.6, 0.3, 0.4]}}
    known = compare(values_of(scores, deterministic=("mine", "a")), "mine", RULES)
    assert known == compare(values_of(scores), "mine", RULES)


def test_fixed_rows_of_many_data_sets_can_be_told_apart():
    scores = many(12, {"mine": 0.7, "a": 0.4}, n_draws=1)
    rows = compare(values_of(scores, share=1.0, deterministic=("mine", "a")), "mine", RULES)
    assert [(row.data, row.verdict) for row in rows] == [(ALL, "ahead")]


def test_of_a_cost_less_is_ahead_and_differences_are_relative():
    random = np.random.default_rng(0)
    scores = {
        f"d{i}": {"mine": 10.0**i * random.normal(90, 1, 4), "a": 10.0**i * random.normal(100, 1, 4)}
        for i in range(10)
    }
    (row,) = compare(values_of(scores, "dasgupta_cost"), "mine", RULES)
    assert row.verdict == "ahead" and row.difference == pytest.approx(-0.1, abs=0.02)
    assert ranks(values_of(scores, "dasgupta_cost")).complete.means["mine"] == 1
    (back,) = compare(values_of(scores, "dasgupta_cost"), "a", RULES)
    assert (back.verdict, back.difference) == ("behind", pytest.approx(-row.difference))


def test_costs_of_nothing_are_equal():
    (row,) = compare(values_of({"d": {"mine": [0.0, 0.0], "a": [0.0, 0.0]}}, "dasgupta_cost"), "mine", RULES)
    assert (row.difference, row.verdict) == (0.0, "level")


@settings(max_examples=60, deadline=None)
@given(any_scores(), st.sampled_from(["ari", "ami", "v_measure", "conditional_entropy"]))
def test_intervals_stay_in_the_range_and_verdicts_turn_with_the_sides(scores, measure):
    if measure in ("v_measure", "conditional_entropy"):
        scores = {d: {m: np.abs(v) for m, v in row.items()} for d, row in scores.items()}
    values = values_of(scores, measure)
    reach = values.reach
    for row in compare(values, "mine", RULES):
        if row.n:
            assert -reach <= row.low <= row.difference <= row.high <= reach
    turned = {"ahead": "behind", "behind": "ahead", "level": "level", "undecided": "undecided"}
    two = replace(values, methods=values.methods[:2], tables={d: t[:, :2] for d, t in values.tables.items()})
    for ours, theirs in zip(compare(two, "mine", RULES), compare(two, "a", RULES), strict=True):
        assert theirs.verdict == turned[ours.verdict]
        assert theirs.difference == pytest.approx(-ours.difference, nan_ok=True)
        assert theirs.p == pytest.approx(ours.p, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(any_scores())
def test_a_verdict_has_its_evidence(scores):
    for row in compare(values_of(scores), "mine", RULES):
        if row.verdict in ("ahead", "behind"):
            assert row.p <= row.p_adjusted <= 0.05 and (row.difference > 0) == (row.verdict == "ahead")
        if row.verdict == "level":
            assert row.p_level <= 0.05 and abs(row.difference) <= RULES.rope


def test_a_method_that_did_not_run_is_refused():
    with pytest.raises(ValueError, match="method 'other': no values; allowed: mine, a"):
        compare(values_of({"d": {"mine": [0.5], "a": [0.4]}}), "other", RULES)


def test_the_table_has_the_columns_of_the_file():
    values = values_of(many(3, {"mine": 0.7, "a": 0.3, "b": 0.6}))
    found = table(compare(values, "mine", RULES))
    assert tuple(found.columns) == COLUMNS
    assert found[["data", "rival"]].apply(tuple, axis=1).tolist() == [
        (data, rival) for rival in "ab" for data in ("d0", "d1", "d2", ALL)
    ]
    assert (found.method == "mine").all() and (found.measure == "ari").all()


def test_a_method_picked_for_its_score_is_corrected_for_all_pairs():
    values = values_of(many(1, {"mine": 0.7, "a": 0.6, "b": 0.5, "c": 0.6}, n_draws=10, spread=0.02))
    alone, picked = (compare(values, "mine", RULES, picked=how) for how in (False, True))
    assert [row.rival for row in picked] == ["a", "b", "c"]
    every = [row.p for name in values.methods for row in compare(values, name, RULES)]
    assert min(row.p_adjusted for row in picked) >= 6 * min(every)
    for left, right in zip(alone, picked, strict=True):
        assert left.p == right.p and left.p_adjusted <= right.p_adjusted


def test_one_method_alone_has_no_rivals():
    values = values_of(many(2, {"mine": 0.7}))
    assert compare(values, "mine", RULES) == [] and table([]).empty
    assert ranks(values).complete.means.tolist() == [1.0]
    assert best_method(values, ("mine",)) == "mine"
