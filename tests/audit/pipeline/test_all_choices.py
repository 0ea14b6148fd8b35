"""Claims are settled from our choices, other choices and random methods."""

import numpy as np
import pytest

from audit_records import NOISE, PURITY, SELECTION, cells, claims_of, entry, frame
from cladebench.audit.other_choices import Choice
from cladebench.audit.pipeline.whole_run import audit_paper

CLAIMS = """
claims:
  - id: o
    kind: order
    place: {section: "1"}
    quote: q
    measure: {metric: dendrogram_purity}
    for_each: {dataset: [d, e]}
    expects: {left: {method: A}, is: better, than: {method: B}}
  - id: s
    kind: sentence
    place: {section: "1"}
    quote: q
    expects: {all_of: ["o/*"]}
  - id: t
    kind: ratio
    place: {section: "1"}
    quote: q
    measure: {metric: seconds, dataset: d}
    expects: {of: {method: B}, to: {method: A}, at_least: 2}
"""


def run(tmp_path, register, *rows, **how):
    found = audit_paper(
        claims_of(tmp_path, CLAIMS), frame(*rows), selection=SELECTION, register=register, **how
    )
    return {row["claim"]: row for row in found}


def both(method, d, e):
    """Results on both data sets, whose noise no two methods share."""
    noise = np.roll(NOISE, ord(method))
    return [
        *cells("d", method, {PURITY: d + noise, "seconds": [1.0, 1.1, 0.9, 1.0, 1.0]}),
        *cells("e", method, {PURITY: e + noise[::-1]}),
    ]


ROWS = [both("A", 0.7, 0.7), both("B", 0.5, 0.5), both("C", 0.3, 0.8), both("D", 0.5004, 0.5)]


def test_what_some_choice_turns_round_depends_on_its_entry(tmp_path):
    register = [
        entry("f", ("with C", {"method": {"A": "C"}})),
        entry("g", ("no such", {"method": {"A": "X"}})),
    ]
    found = run(tmp_path, register, *ROWS)
    d = found["o/d"]
    assert (d["verdict"], d["universes"], d["depends_on"]) == ("depends", "0/0/1", ["f"])
    assert d["stances"] == {"with C": "contradicts", "no such": "not testable"}
    assert d["not_run"] == ["no such"]
    assert d["reason"].startswith("With our choices reproduced: A 0.7000 against B 0.5000: holds")
    assert d["reason"].endswith('. Does not hold with "with C".')
    assert (found["o/e"]["verdict"], found["o/e"]["universes"]) == ("reproduced", "1/0/0")
    assert (found["s"]["verdict"], found["s"]["depends_on"]) == ("depends", ["f"])
    assert found["s"]["reason"].startswith(
        "With our choices reproduced: 2 of 2 parts must hold: 2 reproduced. "
    )
    assert found["s"]["parts"] == [
        {"claim": "o/d", "verdict": "depends"},
        {"claim": "o/e", "verdict": "reproduced"},
    ]
    assert found["t"]["universes"] == "0/0/1"  # C took as long


def test_a_reason_says_when_it_counts_parts_by_other_verdicts_than_they_have(tmp_path, monkeypatch):
    """Part `o/d` turns on a choice or is true of a random tree; its sentence needs one part and holds by the other."""
    monkeypatch.setattr(f"{__name__}.CLAIMS", CLAIMS.replace("all_of:", "any_of:"))
    turned = [entry("f", ("with C", {"method": {"A": "C"}}))]
    passing = both("R", 0.7, 0.3)
    counted = "1 of 2 parts must hold: {}2 reproduced"

    def sentence(register, **how):
        found = run(tmp_path, register, *ROWS, passing, **how)
        return [part["verdict"] for part in found["s"]["parts"]], found["s"]["reason"]

    assert sentence([]) == (["reproduced"] * 2, counted.format(""))
    assert sentence(turned) == (["depends", "reproduced"], counted.format("with our choices "))
    verdicts, reason = sentence([], blind=("R",))
    assert verdicts == ["uninformative", "reproduced"]
    assert reason.endswith(counted.format("without random methods "))


def test_arithmetic_of_printed_numbers_asks_no_other_choice(tmp_path, monkeypatch):
    """A choice moves what was measured; the difference of two printed numbers stays what it is."""
    value = "{kind: value, place: {section: '1'}, quote: q, measure: {metric: dendrogram_purity, dataset: d, method: "
    printed = [
        value + "A}, published: '0.70', id: a}",
        value + "B}, published: '0.50', id: b}",
        "{kind: arithmetic, place: {section: '1'}, quote: q, published: '0.20', id: gap,"
        " expects: {difference_of: [a, b]}}",
    ]
    monkeypatch.setattr(f"{__name__}.CLAIMS", "claims:\n" + "".join(f"  - {text}\n" for text in printed))
    found = run(tmp_path, [entry("f", ("with C", {"method": {"A": "C"}}))], *ROWS)
    assert "with C" in found["a"]["stances"] and not found["b"]["stances"] and not found["gap"]["stances"]
    assert found["gap"]["verdict"] == "reproduced"


def test_a_main_claim_names_the_parts_that_decide_it(tmp_path, monkeypatch):
    rows = [[*cells("d", "A", {PURITY: 0.7 + NOISE}), *cells("e", "A", {PURITY: 0.3 + NOISE})], *ROWS[1:]]
    assert "ecided by" not in run(tmp_path, [], *rows)["s"]["reason"]
    monkeypatch.setattr(f"{__name__}.CLAIMS", CLAIMS.replace("  - id: s\n", "  - id: s\n    main: true\n"))
    found = run(tmp_path, [], *rows)
    assert found["s"]["reason"].endswith(". Decided by o/e (we measure otherwise).")
    assert "ecided by" not in found["o/e"]["reason"]
    assert "ecided by" not in run(tmp_path, [], *ROWS)["s"]["reason"]


def test_contradicted_is_said_where_all_choices_contradict(tmp_path):
    rows = [both("A", 0.3, 0.3), *ROWS[1:]]
    undecided = run(tmp_path, [entry("f", ("with D", {"method": {"A": "D"}}))], *rows)
    assert [undecided[name]["verdict"] for name in ("o/d", "o/e")] == ["depends", "depends"]
    assert undecided["o/d"]["universes"] == "0/1/0"
    register = [
        entry("f", ("with C", {"method": {"A": "C"}})),
        entry("g", ("no such", {"method": {"A": "X"}})),
    ]
    all_against = run(tmp_path, register, *rows)
    assert [all_against[name]["verdict"] for name in ("o/d", "o/e")] == ["contradicted", "depends"]
    # A verdict says what was not tried.
    assert all_against["o/d"]["reason"].endswith('. Too few runs or none: "no such".')
    assert all_against["o/d"]["not_run"] == all_against["o/e"]["not_run"] == ["no such"]
    held = run(tmp_path, register[1:], *ROWS)["o/d"]
    assert held["verdict"] == "reproduced" and held["not_run"] == ["no such"]
    assert held["reason"].endswith('. Too few runs or none: "no such".')


def test_parts_that_an_alternative_was_not_run_for_stay_as_chosen(tmp_path):
    """G was run on d alone: a sentence on d and e is not left without choices by that."""
    half = [*ROWS, cells("d", "G", {PURITY: 0.5004 + np.roll(NOISE, 2)})]
    rows = [[*cells("d", "A", {PURITY: 0.3 + NOISE}), *cells("e", "A", {PURITY: 0.7 + NOISE})], *half[1:]]
    found = run(tmp_path, [entry("f", ("with G", {"method": {"A": "G"}}))], *rows)
    assert found["o/e"]["stances"] == {"with G": "not testable"}
    assert found["s"]["stances"] == {"with G": "undecided"}
    assert (found["s"]["verdict"], found["s"]["depends_on"]) == ("depends", ["f"])
    # Where nothing of it was run there is nothing to be said.
    none = run(tmp_path, [entry("f", ("no such", {"method": {"A": "X"}}))], *rows)
    assert (none["s"]["verdict"], none["s"]["universes"]) == ("contradicted", "")


def test_support_is_not_turned_by_what_is_undecided(tmp_path):
    found = run(tmp_path, [entry("f", ("with D", {"method": {"A": "D"}}))], *ROWS)
    assert (found["o/d"]["verdict"], found["o/d"]["universes"]) == ("reproduced", "0/1/0")
    assert found["o/d"]["reason"].endswith(". The same answer with 0 of 1 other choice, open with 1.")


def test_what_is_undecided_is_turned_by_two_that_disagree(tmp_path):
    rows = [both("A", 0.5004, 0.5), *ROWS[1:3], both("F", 0.9, 0.9)]
    for_and_against = [
        entry("f", ("with C", {"method": {"A": "C"}})),
        entry("g", ("with F", {"method": {"A": "F"}})),
        entry("h", ("other metric", {"metric": {PURITY: "none"}})),
    ]
    found = run(tmp_path, for_and_against, *rows)["o/d"]
    assert (found["verdict"], found["depends_on"]) == ("depends", ["f", "g"])
    assert found["universes"] == "1/0/1"  # no pair: both put another method in the place of A
    alone = run(tmp_path, for_and_against[1:], *rows)["o/d"]
    assert (alone["stance"], alone["universes"]) == ("undecided", "1/0/0")
    assert alone["verdict"] in ("direction only", "within noise")


def test_what_only_a_pair_turns_round_names_both(tmp_path):
    """Alone, neither another left nor another right side changes the order; together they turn it."""
    rows = [both("A", 0.7, 0.7), both("B", 0.5, 0.5), both("C", 0.6, 0.6), both("D", 0.65, 0.65)]
    rows += [both("E", 0.2, 0.2), both("F", 0.8, 0.8)]
    register = [
        entry("left", ("with C", {"method": {"A": "C"}})),
        entry("right", ("against D", {"method": {"B": "D"}})),
        entry("low", ("with E", {"dataset": {"e": "d"}, "method": {"A": "C"}})),
    ]
    found = run(tmp_path, register[:2], *rows)
    assert found["o/d"]["verdict"] == "reproduced"  # neither entry moves a claim, so no pair is made
    moved = [
        entry("left", ("with C", {"method": {"A": "C"}}), ("with nothing", {"method": {"A": "B"}})),
        entry("right", ("against D", {"method": {"B": "D"}}), ("against itself", {"method": {"B": "A"}})),
    ]
    found = run(tmp_path, moved, *rows)["o/d"]
    assert found["stances"]["with C"] == found["stances"]["against D"] == "supports"
    assert found["stances"]["with C + against D"] == "contradicts"
    assert "left + right" in found["depends_on"] or {"left", "right"} & set(found["depends_on"])
    assert found["verdict"] == "depends"


@pytest.mark.parametrize("seed", [1, 2, 4, 6, 8, 9, 10, 11])  # pairs that ask as one of them
def test_what_two_choices_ask_as_one_comes_out_as_if_judged_anew(tmp_path, monkeypatch, seed):
    random = np.random.default_rng(seed)
    rows = [both(name, *random.uniform(0.3, 0.8, 2).round(1)) for name in "ABCDEF"]
    turned = [
        {"method": {"A": "C"}, "datasets": ["d"]},
        {"method": {"A": "D"}},
        {"method": {"B": "E"}},
        {"method": {"B": "F"}, "datasets": ["e"]},
        {"dataset": {"e": "d"}},
    ]
    picked = random.permutation(len(turned))[:4]
    register = [entry(f"entry {k}", (f"choice {k}", turned[k])) for k in picked]
    asked, ask = [], Choice.asks_as
    monkeypatch.setattr(Choice, "asks_as", lambda *a: asked.append(ask(*a)) or asked[-1])
    found = run(tmp_path, register, *rows)
    monkeypatch.setattr(Choice, "asks_as", lambda *a: False)
    assert run(tmp_path, register, *rows) == found
    assert any(asked)


def test_what_fails_with_each_choice_is_asked_in_all_pairs_and_nothing_else_is(tmp_path):
    rows = [both("A", 0.3, 0.7), both("B", 0.5, 0.5), both("C", 0.45, 0.65), both("D", 0.4, 0.6)]
    rows += [both("F", 0.8, 0.8)]
    weak = [
        entry("left", ("with C", {"method": {"A": "C"}})),
        entry("right", ("against D", {"method": {"B": "D"}})),
    ]
    found = run(tmp_path, weak, *rows)
    assert found["o/d"]["stances"] == {
        "with C": "contradicts",
        "against D": "contradicts",
        "with C + against D": "supports",
    }
    assert found["o/d"]["verdict"] == "depends"
    assert set(found["o/e"]["stances"]) == {"with C", "against D"}
    rescued = run(tmp_path, [*weak, entry("best", ("with F", {"method": {"A": "F"}}))], *rows)["o/d"]
    assert set(rescued["stances"]) == {"with C", "against D", "with F"}


def test_a_rule_of_selection_is_an_entry_where_there_is_a_choice(tmp_path):
    grid = [
        cells("d", "A", {PURITY: 0.7 + NOISE, "dasgupta_cost": [5.0] * 5, "seconds": [1.0] * 5}, {"k": 1}),
        cells("d", "A", {PURITY: 0.3 + NOISE, "dasgupta_cost": [1.0] * 5, "seconds": [1.0] * 5}, {"k": 2}),
        both("B", 0.5, 0.5),
        cells("e", "A", {PURITY: 0.7 + NOISE}),
    ]
    register = [entry("rule", ("without labels", {"selection": "label_free"}))]
    found = run(tmp_path, register, *grid)
    assert (found["o/d"]["verdict"], found["o/d"]["depends_on"]) == ("depends", ["rule"])
    assert (found["o/e"]["verdict"], found["o/e"]["universes"]) == ("reproduced", "")
    fixed = [entry("rate", ("k of 2", {"where": {"A": {"k": 2}}}))]
    assert run(tmp_path, fixed, *grid)["o/d"]["verdict"] == "depends"


def test_a_rule_touches_a_change_through_the_setting_at_its_start(tmp_path, monkeypatch):
    """On d there is one setting of A; on e, from where the change is counted, there are two."""
    grid = [
        both("A", 0.7, 0.6)[:5],
        cells("e", "A", {PURITY: 0.6 + NOISE, "dasgupta_cost": [5.0] * 5}, {"k": 1}),
        cells("e", "A", {PURITY: 0.2 + NOISE, "dasgupta_cost": [1.0] * 5}, {"k": 2}),
        both("B", 0.5, 0.2),
    ]
    order = CLAIMS[: CLAIMS.index("  - id: s")].replace("for_each: {dataset: [d, e]}\n", "\n")
    order = order.replace(
        "metric: dendrogram_purity", "metric: dendrogram_purity, dataset: d, change_from: e"
    )
    monkeypatch.setattr(f"{__name__}.CLAIMS", order)
    found = run(tmp_path, [entry("rule", ("without labels", {"selection": "label_free"}))], *grid)["o"]
    assert found["stances"] == {"without labels": "supports"} and found["verdict"] == "depends"


def test_a_family_is_corrected_anew_with_each_choice(tmp_path):
    """With one of two orders gone, the other is tested alone."""
    jitter = np.array([0.0, 0.01, -0.01, 0.02, -0.02])
    rows = [
        cells("d", "A", {PURITY: 0.5 + 0.0205 + jitter}),
        cells("d", "B", {PURITY: np.full(5, 0.5)}),
        cells("e", "A", {PURITY: 0.5 + jitter}),
        cells("e", "B", {PURITY: np.full(5, 0.5)}),
    ]
    found = run(tmp_path, [entry("f", ("no e", {"dataset": {"e": "none"}}))], *rows)
    assert (found["o/d"]["verdict"], found["o/d"]["universes"]) == ("direction only", "")
    assert found["s"]["stances"] == {"no e": "not testable"}


def test_what_is_corrected_with_a_touched_order_is_judged_again(tmp_path):
    """p = 0.04 on d: twice that beside an order that shows nothing, as it is beside one with p = 0.02."""
    jitter = np.array([0.0, 0.01, -0.01, 0.02, -0.02])
    rows = [
        cells("d", "A", {PURITY: 0.5 + 0.0205 + jitter}),
        cells("e", "A", {PURITY: 0.5 + jitter}),
        cells("other", "A", {PURITY: 0.5 + 0.0264 + jitter}),
        *(cells(name, "B", {PURITY: np.full(5, 0.5)}) for name in ("d", "e", "other")),
    ]
    found = run(tmp_path, [entry("f", ("other e", {"dataset": {"e": "other"}}))], *rows)
    assert found["o/d"]["verdict"] == "direction only"
    assert found["s"]["stances"] == {"other e": "supports"}


def test_support_is_turned_where_a_random_method_passes_with_another(tmp_path):
    """By other features all are better, and one that learns nothing most of all."""
    features = entry("f", ("scaled", {"method": {"A": "F", "B": "G", "R": "Z"}}))
    ahead, level = both("F", 0.8, 0.7), both("F", 0.6004, 0.7)
    others = [both("G", 0.6, 0.5), both("R", 0.1, 0.1)]

    def found(scaled, random):
        return run(tmp_path, [features], *ROWS[:2], scaled, *others, random, blind=("R",))

    good, bad = both("Z", 0.9, 0.4), both("Z", 0.1, 0.1)
    turned = found(ahead, good)
    assert (turned["o/d"]["verdict"], turned["o/d"]["depends_on"]) == ("depends", ["f"])
    assert turned["o/d"]["reason"].endswith('. A random method passes too (R) with "scaled".')
    assert (turned["o/d"]["universes"], turned["o/d"]["blind"]) == ("1/0/0", "contradicted")
    assert turned["o/e"]["verdict"] == "reproduced"  # there the random method does not pass
    assert turned["s"]["verdict"] == "reproduced"  # nor both
    # Nor is it support where the praised one is not shown to be ahead, and the random method is.
    assert found(level, good)["o/d"]["verdict"] == "depends"
    assert [found(scaled, bad)["o/d"]["verdict"] for scaled in (ahead, level)] == ["reproduced"] * 2
    # All that is said is said of what is supported as chosen.
    behind = run(
        tmp_path, [features], both("A", 0.3, 0.3), ROWS[1], both("F", 0.3, 0.3), *others, good, blind=("R",)
    )
    assert behind["o/d"]["verdict"] == "contradicted"
    level_as_chosen = run(
        tmp_path, [features], both("A", 0.5004, 0.5), ROWS[1], ahead, *others, good, blind=("R",)
    )
    assert (level_as_chosen["o/d"]["verdict"], level_as_chosen["o/d"]["universes"]) == (
        "direction only",
        "1/0/0",
    )


def test_random_methods_meet_another_choice_by_the_rule_of_the_verdict(tmp_path):
    """The random method is good in the setting with the best purity, and bad in the one with the least cost."""
    settings = [
        cells(d, "Z", {PURITY: value + NOISE, "dasgupta_cost": np.full(5, value)}, {"k": value})
        for d in ("d", "e")
        for value in (0.9, 0.1)
    ]
    plain = [both(m, *values) for m, *values in (("F", 0.8, 0.7), ("G", 0.6, 0.5), ("R", 0.1, 0.1))]
    features = entry("f", ("scaled", {"method": {"A": "F", "B": "G", "R": "Z"}}))
    found = run(tmp_path, [features], *ROWS[:2], *plain, *settings, blind=("R",))
    assert found["o/d"]["verdict"] == "depends" and found["o/d"]["verdict_beside"] == "reproduced"


def test_permuted_rows_are_those_of_what_stands_there(tmp_path):
    def method(name, purity, permuted):
        noise = np.roll(NOISE, ord(name))
        return [
            row
            for data in ("d", "e")
            for row in cells(data, name, {PURITY: purity + noise, f"{PURITY}_permuted": permuted + NOISE})
        ]

    rows = [method("A", 0.7, 0.1), method("B", 0.5, 0.1), method("C", 0.7, 0.6)]
    found = run(tmp_path, [entry("f", ("with C", {"method": {"A": "C"}}))], *rows)
    assert (found["o/d"]["verdict"], found["s"]["verdict"]) == ("depends", "depends")
    assert found["s"]["reason"].endswith(
        '. A random method passes too (its own result with rows permuted) with "with C".'
    )
