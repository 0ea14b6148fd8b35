"""Sentences: what their parts make of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.audit.kinds.sentence import combine
from cladebench.audit.verdict_types import (
    CONTRADICTED,
    DIRECTION_ONLY,
    INCONSISTENT,
    NOT_TESTABLE,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
)

parts = st.lists(
    st.sampled_from([REPRODUCED, DIRECTION_ONLY, WITHIN_NOISE, CONTRADICTED, NOT_TESTABLE]),
    min_size=1,
    max_size=6,
)
STRENGTH = [CONTRADICTED, WITHIN_NOISE, DIRECTION_ONLY, REPRODUCED]


@given(parts, st.data())
def test_a_sentence_is_what_its_unknown_parts_leave_open(verdicts, data):
    """Brute force: every way in which the unknown parts could have come out."""
    needed = data.draw(st.integers(1, len(verdicts)))
    outcome = combine([Outcome(v, "") for v in verdicts], needed)
    assert outcome.n == len(verdicts)
    found = outcome.verdict
    known = [STRENGTH.index(v) for v in verdicts if v != NOT_TESTABLE]
    unknown = len(verdicts) - len(known)

    def strongest(fill):
        return STRENGTH[sorted([*known, *[fill] * unknown], reverse=True)[needed - 1]]

    best, worst = strongest(3), strongest(0)
    if best == CONTRADICTED:
        assert found == CONTRADICTED
    elif worst == CONTRADICTED:
        assert found == NOT_TESTABLE
    else:
        assert found == worst


@pytest.mark.parametrize(
    ("verdicts", "needed", "verdict", "reason"),
    [
        (
            [(CONTRADICTED, "x"), (CONTRADICTED, "y"), (NOT_TESTABLE, "z")],
            2,
            CONTRADICTED,
            "2 of 3 parts must hold: 2 contradicted, 1 not testable",
        ),
        (
            [(REPRODUCED, "x"), (NOT_TESTABLE, "y"), (NOT_TESTABLE, "y"), (NOT_TESTABLE, "z")],
            2,
            NOT_TESTABLE,
            "2 of 4 parts must hold: 1 reproduced, 3 not testable; y; z",
        ),
        (
            [(REPRODUCED, "x"), *((NOT_TESTABLE, reason) for reason in "tuvw")],
            2,
            NOT_TESTABLE,
            "2 of 5 parts must hold: 1 reproduced, 4 not testable; t; u; and 2 more reasons",
        ),
        (
            [(WITHIN_NOISE, "x"), (REPRODUCED, "y"), (CONTRADICTED, "z"), (REPRODUCED, "u")],
            2,
            REPRODUCED,
            "2 of 4 parts must hold: 2 reproduced, 1 within noise, 1 contradicted",
        ),
        (
            [(WITHIN_NOISE, "x"), (REPRODUCED, "y")],
            2,
            WITHIN_NOISE,
            "2 of 2 parts must hold: 1 reproduced, 1 within noise",
        ),
        (
            [(INCONSISTENT, "x"), (REPRODUCED, "y")],
            2,
            INCONSISTENT,
            "2 of 2 parts must hold: 1 reproduced, 1 inconsistent",
        ),
        (
            [(INCONSISTENT, "x"), (CONTRADICTED, "y")],
            1,
            CONTRADICTED,
            "1 of 2 parts must hold: 1 contradicted, 1 inconsistent",
        ),
    ],
)
def test_a_sentence_says_how_its_parts_came_out(verdicts, needed, verdict, reason):
    given = [Outcome(name, why) for name, why in verdicts]
    assert combine(given, needed) == Outcome(verdict, reason, n=len(given))
