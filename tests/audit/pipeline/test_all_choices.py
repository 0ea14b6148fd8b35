"""Claims are settled from our choices, other choices and random methods."""

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


def test_choices_that_turn_a_claim_are_named_and_those_that_agree_are_not():
    others = [(Choice("alike", ("f",)), judged(REPRODUCED)), (Choice("other", ("g",)), judged(CONTRADICTED))]
    found = settle(judged(REPRODUCED), others, [], {})
    assert (found.verdict, found.depends_on) == (DEPENDS, ("g",))
    assert "other" in found.reason and "alike" not in found.reason
