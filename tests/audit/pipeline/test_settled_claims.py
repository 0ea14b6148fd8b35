"""What a claim's verdict becomes by other choices, from verdicts alone."""

import pytest

from cladebench.audit.judgement import Judgement
from cladebench.audit.other_choices import Choice
from cladebench.audit.pipeline.all_choices import settle
from cladebench.audit.verdict.verdict_types import (
    CONTRADICTED,
    DEPENDS,
    INCONSISTENT,
    NOT_TESTABLE,
    REPRODUCED,
    Outcome,
)


def judged(verdict):
    return Judgement(Outcome(verdict, f"because {verdict}"))


@pytest.mark.parametrize("chosen", [NOT_TESTABLE, INCONSISTENT])
@pytest.mark.parametrize("other", [REPRODUCED, CONTRADICTED])
def test_no_choice_turns_what_was_not_tested_or_is_wrong_in_print(chosen, other):
    untested = (Choice("not run", ("g",)), judged(NOT_TESTABLE))
    found = settle(judged(chosen), [(Choice("other", ("f",)), judged(other)), untested], [], {})
    assert (found.verdict, found.reason) == (chosen, f"because {chosen}")
    assert (found.depends_on, found.not_run) == ((), ())


@pytest.mark.parametrize("chosen", [REPRODUCED, CONTRADICTED])
def test_choices_that_were_not_run_are_told_whether_a_claim_holds_or_not(chosen):
    others = [
        (Choice("alike", ("f",)), judged(chosen)),
        (Choice("away", ("g",)), judged(NOT_TESTABLE)),
    ]
    found = settle(judged(chosen), others, [], {})
    assert (found.verdict, found.not_run) == (chosen, ("away",))
    assert found.reason.endswith('too few runs or none: "away"')


def test_choices_that_turn_a_claim_are_named_and_those_that_agree_are_not():
    others = [(Choice("alike", ("f",)), judged(REPRODUCED)), (Choice("other", ("g",)), judged(CONTRADICTED))]
    found = settle(judged(REPRODUCED), others, [], {})
    assert (found.verdict, found.depends_on) == (DEPENDS, ("g",))
    assert "other" in found.reason and "alike" not in found.reason


def missed(by):
    return Judgement(Outcome(CONTRADICTED, "missed", difference=by))


@pytest.mark.parametrize(
    ("ours", "theirs", "between", "verdict"),
    [
        (missed(15.0), missed(-12.0), True, DEPENDS),
        (missed(-15.0), missed(12.0), True, DEPENDS),
        (missed(15.0), missed(12.0), True, CONTRADICTED),
        (missed(15.0), missed(-12.0), False, CONTRADICTED),
        (missed(15.0), Judgement(Outcome(CONTRADICTED, "no number")), True, CONTRADICTED),
    ],
)
def test_what_two_values_of_a_number_miss_on_two_sides_one_between_may_meet(ours, theirs, between, verdict):
    found = settle(ours, [(Choice("C = 0.2", ("C",), between=between), theirs)], [])
    assert (found.verdict, found.depends_on) == (verdict, ("C",) if verdict == DEPENDS else ())
    said = 'on the other side with "C = 0.2", so that a value between may meet it'
    assert (said in found.reason) == (verdict == DEPENDS)


def test_two_sides_turn_nothing_where_not_both_contradict():
    other = Judgement(Outcome(NOT_TESTABLE, "not run", difference=-12.0))
    assert settle(missed(15.0), [(Choice("C", ("C",), between=True), other)], []).verdict == CONTRADICTED
    wrong = Judgement(Outcome(INCONSISTENT, "in print", difference=15.0))
    assert settle(wrong, [(Choice("C", ("C",), between=True), missed(-12.0))], []).verdict == INCONSISTENT


def test_a_contradiction_names_choices_without_runs_and_counts_their_pairs():
    one, pair = Choice("one", ("f",)), Choice("one + two", ("f", "g"))
    found = settle(missed(1.0), [(one, judged(NOT_TESTABLE)), (pair, judged(NOT_TESTABLE))], [])
    assert found.reason == 'missed; too few runs or none: "one", 1 pair of choices'
    assert found.not_run == ("one",)
    assert settle(missed(1.0), [(pair, judged(NOT_TESTABLE))] * 2, []).reason.endswith(": 2 pairs of choices")
