from dataclasses import replace

import pytest

from audit_records import entry
from cladebench.audit.claim_types import Claim
from cladebench.audit.other_choices import CHOSEN, Choice, paired_choices, single_choices, strongest_entries
from cladebench.audit.reading import Reader
from cladebench.bench.samples.samples import nothing
from cladebench.paper.printed import parse_printed

QUERY = {"dataset": "d", "method": "A", "metric": "m", "where": {"k": 1}}


@pytest.mark.parametrize(
    ("instead", "changed"),
    [
        ({"method": {"A": "B"}}, {"method": "B"}),
        ({"metric": {"m": "n"}, "dataset": {"d": "e"}}, {"metric": "n", "dataset": "e"}),
        ({"method": {"B": "C"}, "metric": {"n": "m"}}, {}),
        ({"where": {"A": {"j": 2}}}, {"where": {"j": 2, "k": 1}}),
        ({"where": {"A": {"k": 2}}}, {}),  # what the claim itself says stays
        ({"where": {"B": {"j": 2}}}, {}),
        ({"method": {"A": "B"}, "where": {"B": {"j": 2}}}, {"method": "B", "where": {"j": 2, "k": 1}}),
        ({"method": {"A": "B"}, "where": {"A": {"j": 2}}}, {"method": "B", "where": {"j": 2, "k": 1}}),
        ({"selection": "other"}, {}),
        ({"method": {"A": "B"}, "datasets": ["d", "e"]}, {"method": "B"}),
        ({"method": {"A": "B"}, "where": {"A": {"j": 2}}, "datasets": ["e"]}, {}),
        ({"dataset": {"d": "e"}, "datasets": ["d"]}, {"dataset": "e"}),
    ],
)
def test_a_choice_asks_for_something_else(instead, changed):
    assert Choice("u", ("f",), (instead,)).query(QUERY) == QUERY | changed


def test_a_choice_replaces_the_data_set_that_a_change_is_from():
    choice = Choice("u", ("f",), ({"dataset": {"clean": "other"}},))
    changed = QUERY | {"change_from": "clean"}
    assert choice.query(changed) == changed | {"change_from": "other"}


def test_a_rule_is_that_of_the_last_who_names_one():
    assert CHOSEN.rule("own") == "own"
    both = Choice("u", ("f", "g"), ({"selection": "x"}, {"selection": "y"}))
    assert both.rule("own") == "y"


def test_printed_spreads_are_read_otherwise():
    printed = Claim("c", "value", {}, "q", published=parse_printed("0.6 ± 0.1"), repetitions=4)
    errors = Choice("u", ("f",), ({"spread": "se"},))
    assert errors.claim(printed).published_sd == pytest.approx(0.2)
    assert CHOSEN.claim(printed) == printed and errors.claim(errors.claim(printed)).spread == "se"
    for other in (replace(printed, published=parse_printed("0.6")), replace(printed, published=None)):
        assert errors.claim(other) == other
    assert replace(errors, kinds=frozenset(["order"])).claim(printed) == printed
    again = Choice("v", ("g",), ({"spread": "sd"},))
    assert both_at_once([errors, again], {"f": 1, "g": 1}) == []


def both_at_once(singles, moved):
    return [pair for _, _, pair in paired_choices(singles, strongest_entries(singles, moved))]


def test_a_choice_for_some_kinds_of_claims():
    values, orders, every = (
        Choice(name, (name,), ({},), frozenset(kinds))
        for name, kinds in (("v", ["value"]), ("o", ["order", "value"]), ("e", []))
    )
    value, order = (Claim("c", kind, {}, "q") for kind in ("value", "order"))
    assert values.concerns(value) and not values.concerns(order) and every.concerns(order)
    assert orders.together_with(values).kinds == {"value"} == every.together_with(values).kinds
    assert not every.together_with(every).kinds
    only = [Choice("t", ("t",), ({},), frozenset(["trend"])), values]
    assert both_at_once(only, {"t": 1, "v": 1}) == []


def test_a_choice_for_some_claims():
    a, ab = Choice("a", ("f",), claims=(("a/*",),)), Choice("b", ("g",), claims=(("a/b", "c"),))
    told = {name: Claim(name, "value", {}, "q") for name in ("a/b", "a/d", "c")}
    assert [a.concerns(claim) for claim in told.values()] == [True, True, False]
    assert [ab.concerns(claim) for claim in told.values()] == [True, False, True]
    assert [a.together_with(ab).concerns(claim) for claim in told.values()] == [True, False, False]
    assert a.for_claim(told["c"]) == CHOSEN and ab.for_claim(told["c"]) == ab


@pytest.mark.parametrize(("kind", "asked", "rule"), [("order", "e", "other"), ("trend", "d", "own")])
def test_claims_of_other_kinds_are_read_as_chosen(kind, asked, rule):
    """Also where they are corrected together with those that the choice is meant for."""
    heard = []

    class Records:
        def sample(self, query, rule):
            heard.append((query["dataset"], rule))
            return nothing("none")

    instead = {"dataset": {"d": "e"}, "selection": "other"}
    reader = Reader(Records(), "own", Choice("u", ("f",), (instead,), frozenset(["order"])))
    reader.now = Claim("c", kind, {}, "q")
    reader.sample(QUERY)
    assert heard == [(asked, rule)] and reader.asked == {"c": [QUERY]}


def test_of_three_entries_all_pairs_and_of_one_none():
    register = [
        entry("f", ("f1", {"metric": {"m": "n"}}), ("f2", {"metric": {"m": "o"}})),
        entry("g", ("g1", {"method": {"A": "B"}})),
        entry("h", ("h1", {"dataset": {"d": "e"}})),
    ]
    singles = single_choices(register)
    assert [(u.name, u.entries) for u in singles] == [
        ("f1", ("f",)),
        ("f2", ("f",)),
        ("g1", ("g",)),
        ("h1", ("h",)),
    ]
    pairs = both_at_once(singles, {"f": 1, "g": 2, "h": 2})
    assert [u.name for u in pairs] == ["g1 + h1", "g1 + f1", "g1 + f2", "h1 + f1", "h1 + f2"]
    fourth = single_choices([*register, entry("i", ("i1", {"selection": "r"}))])
    assert [u.name for u in both_at_once(fourth, {"f": 1, "g": 3, "h": 3, "i": 2})] == [
        *("g1 + h1", "g1 + i1", "h1 + i1")
    ]
    pairs = both_at_once(singles, {"f": 1, "h": 1})
    assert [(u.name, u.entries) for u in pairs] == [("f1 + h1", ("f", "h")), ("f2 + h1", ("f", "h"))]
    assert pairs[0].query(QUERY) == QUERY | {"metric": "n", "dataset": "e"}
    assert both_at_once(singles, {"f": 5}) == []
    clash = single_choices(
        [register[1], entry("h", ("h1", {"method": {"A": "C"}}), ("h2", {"method": {"B": "C"}}))]
    )
    assert [u.name for u in both_at_once(clash, {"g": 1, "h": 1})] == ["g1 + h2"]
    assert both_at_once(singles, {"f": 5, "g": 0}) == []


def test_two_choices_ask_as_one_of_them_where_the_other_changes_nothing():
    claim = Claim("c", "order", {}, "q")
    renames, sets, other = (
        Choice("u", ("f",), (instead,))
        for instead in ({"method": {"A": "B"}}, {"where": {"B": {"j": 2}}}, {"method": {"C": "D"}})
    )
    assert renames.together_with(other).asks_as(renames, claim, [QUERY])
    assert not renames.together_with(other).asks_as(other, claim, [QUERY])
    assert not renames.together_with(other).asks_as(renames, claim, [QUERY, QUERY | {"method": "C"}])
    # Alone it changes nothing for A; it does for the method that the other puts in its place.
    assert sets.query(QUERY) == QUERY and not renames.together_with(sets).asks_as(renames, claim, [QUERY])
    rule = Choice("r", ("g",), ({"selection": "other"},))
    assert not renames.together_with(rule).asks_as(renames, claim, [QUERY])
    sentences = Choice("s", ("h",), ({"method": {"A": "C"}},), frozenset({"sentence"}))
    assert sentences.asks_as(CHOSEN, claim, [QUERY])
    printed = Claim("c", "value", {}, "q", published=parse_printed("0.6 ± 0.1"), repetitions=4)
    errors = Choice("u", ("f",), ({"spread": "se"},))
    assert not renames.together_with(errors).asks_as(renames, printed, [QUERY])


def test_two_that_put_different_values_in_one_setting_are_no_pair():
    def pairs(one, other):
        singles = single_choices([entry("f", ("f1", one)), entry("g", ("g1", other))])
        return [u.name for u in both_at_once(singles, {"f": 1, "g": 1})]

    one = {"where": {"A": {"k": 1}}}
    assert pairs(one, {"where": {"A": {"k": 2}}}) == []
    for other in ({"A": {"k": 1}}, {"A": {"j": 2}}, {"B": {"k": 2}}):
        assert pairs(one, {"where": other}) == ["f1 + g1"]
