"""Claims about orders: what is paired, corrected together, and left out."""

import numpy as np
import pytest
from scipy import stats

from audit_records import NOISE, PURITY, cells, claims_of, failed, frame, judged
from cladebench.audit.verdict import verdict_types as o
from two_methods import X, Y, said

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


FOLDS = ORDERS.replace("best_of: [Y, Z]", "method: Y")


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
    # Where rivals lead, the one that leads most clearly decides.
    behind = cells("a", "X", {PURITY: side * NOISE}) + rows[5:]
    reason = judged(claims_of(tmp_path, ORDERS.replace("higher", direction)), frame(behind)).reason["each/a"]
    assert f"{best} (the clearest of 2 comparisons)" in reason


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


@pytest.mark.parametrize(
    ("left", "relation", "right", "more", "direction", "published", "verdict"),
    [
        ("X", "better", "Y", "", "higher", "X > Y in m", o.REPRODUCED),
        ("X", "better", "Y", "", "lower", "X < Y in m", o.CONTRADICTED),
        ("X", "worse", "Y", "", "higher", "X < Y in m", o.CONTRADICTED),
        ("X", "worse", "Y", "", "lower", "X > Y in m", o.REPRODUCED),
        ("X", "higher", "Y", "", "lower", "X > Y in m", o.REPRODUCED),
        ("X", "lower", "Y", "", "higher", "X < Y in m", o.CONTRADICTED),
        ("Y", "no_worse", "X", ", margin: 2.5", "higher", "Y > X - 2.5 in m", o.REPRODUCED),
        ("X", "no_worse", "Y", ", margin: 2.5", "lower", "X < Y + 2.5 in m", o.REPRODUCED),
        ("X", "no_worse", "Y", ", margin: 1.5", "lower", "X < Y + 1.5 in m", o.CONTRADICTED),
        ("X", "better", "Y", ", by: 1.5", "higher", "X > Y + 1.5 in m", o.REPRODUCED),
        ("X", "better", "Y", ", by: 2.5", "higher", "X > Y + 2.5 in m", o.CONTRADICTED),
        ("Y", "better", "X", ", by: 1.5", "lower", "Y < X - 1.5 in m", o.REPRODUCED),
        ("X", "worse", "Y", ", by: 2.5", "lower", "X > Y + 2.5 in m", o.CONTRADICTED),
        ("X", "never_above", "Y", "", "higher", "X <= Y in m", o.CONTRADICTED),
        ("X", "never_below", "Y", "", "lower", "X >= Y in m", o.REPRODUCED),
        ("X", "higher", "{value: 2.5}", "", "lower", "X > 2.5 in m", o.REPRODUCED),
        ("X", "better", "Y", ", tie: 3", "higher", "X > Y in m", o.WITHIN_NOISE),
        ("X", "better", "{best_of: [Z]}", "", "higher", "X > the others in m", o.NOT_TESTABLE),
        ("X, metric: s, at: {k: 2}", "better", "Y", "", "higher", "X (s, k = 2) > Y in m", o.NOT_TESTABLE),
    ],
)
def test_an_order_says_what_was_claimed(tmp_path, left, relation, right, more, direction, published, verdict):
    than = right if right.startswith("{") else f"{{method: {right}}}"
    expects = f"{{left: {{method: {left}}}, is: {relation}, than: {than}{more}}}"
    found = judged(claims_of(tmp_path, said("order", expects, direction)), frame(X, Y)).loc["c"]
    assert (found.published, found.verdict) == (published, verdict), found.reason
    if verdict == o.REPRODUCED and "never" not in relation and len(right) == 1:
        means = {"X": 3, "Y": 1}
        margin = {"no_worse": ", margin 2.5"}.get(relation, ", by more than 1.5" if more else "")
        assert found.reason.startswith(f"{left} {means[left]} against {right} {means[right]}{margin}: ")


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
    text = said(kind, expects)
    records = frame(cells("a", "X", {"m": [3.0]}), cells("a", "Y", {"m": [1.0]}))
    for known, verdict in (("X, Y", o.REPRODUCED), ("X", o.NOT_TESTABLE), ("Y", o.NOT_TESTABLE)):
        found = judged(claims_of(tmp_path, f"deterministic: [{known}]\n{text}"), records).loc["c"]
        assert (found.verdict, found.n) == (verdict, 1), found.reason


@pytest.mark.parametrize(
    ("n_right", "words"),
    [(4, "X 0.6250 against Y 0.5000: "), (3, "X 0.8000 against Y 0.5000 in 3 common tasks: ")],
)
def test_means_over_fewer_tasks_than_tables_have_are_told(tmp_path, n_right, words):
    records = frame(cells("a", "X", {"m": [0.7, 0.8, 0.9, 0.1]}), cells("a", "Y", {"m": [0.5] * n_right}))
    text = said("order", "{left: {method: X}, is: better, than: {method: Y}}")
    assert judged(claims_of(tmp_path, text), records).loc["c"].reason.startswith(words)
