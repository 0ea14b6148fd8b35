"""Sentences: what their parts, or solver checks, make of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_records import cells, claims_of, frame, judged
from cladebench.audit.kinds.sentence import combine
from cladebench.audit.pipeline.whole_run import audit_paper
from cladebench.audit.verdict import verdict_types as o
from cladebench.audit.verdict.verdict_types import (
    CONTRADICTED,
    DIRECTION_ONLY,
    INCONSISTENT,
    NOT_TESTABLE,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
)
from cladebench.audit.verdict.verdict_wording import in_sentences

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
    empty = frame(cells("a", "X", {"m": [0.5]}))

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
    records = frame(cells("a", "X", {"m": [0.5]}))
    found = audit_paper(claims_of(tmp_path, text), records, certificates=table)[0]
    assert (found["verdict"], found["n"]) == (verdict, n)
    one = audit_paper(claims_of(tmp_path, text), records, certificates=table.iloc[:1])[0]
    assert one["verdict"] == (o.NOT_TESTABLE if pattern == "d*" else o.REPRODUCED)


@pytest.mark.parametrize(
    ("reason", "written"),
    [
        ("because of one thing", "because of one thing"),
        ("holds; 3 of 4 agree", "Holds. 3 of 4 agree."),
        (
            "GHC-N 3 against ward 4: open; 10 pairs would show 2",
            "GHC-N 3 against ward 4: open. 10 pairs would show 2.",
        ),
        ("ward 3 against 4: open; sonar has 3 rows", "ward 3 against 4: open; sonar has 3 rows"),
        ('open with "a; the b"; holds with "c (d; e)"', 'Open with "a; the b". Holds with "c (d; e)".'),
        ("ours (the least clear; of 2): open; no more", "Ours (the least clear; of 2): open. No more."),
        ("it is so. And more; the rest.", "It is so. And more. The rest."),
    ],
)
def test_the_statements_of_a_reason_are_sentences(reason, written):
    assert in_sentences(reason) == written
    assert in_sentences(written) == written


TWO_PARTS = """
claims:
  - {id: own, kind: order, place: {section: "5"}, quote: A is ahead on glass, expects: {
      left: {dataset: glass, method: A, metric: dendrogram_purity}, is: better,
      than: {dataset: glass, method: HAC, metric: dendrogram_purity}}}
  - {id: other, kind: order, place: {section: "5"}, quote: A is ahead on spam, expects: {
      left: {dataset: spam, method: A, metric: dendrogram_purity}, is: better,
      than: {dataset: spam, method: HAC, metric: dendrogram_purity}}}
  - {id: both, kind: sentence, place: {section: "5"}, quote: on both, expects: {all_of: [own, other]}}
  - {id: one, kind: sentence, place: {section: "5"}, quote: on one, expects: {any_of: [own, other]}}
  - {id: both-again, kind: sentence, place: {section: "5"}, quote: on both, expects: {all_of: [both, own]}}
"""
"""`other` is on stand-in data."""
LEADS = {"ahead": 0.2, "level": 0.0, "behind": -0.2}


@pytest.mark.parametrize(
    ("own", "other", "both", "one"),
    [
        ("ahead", "ahead", o.ANALOGUE_HOLDS, REPRODUCED),
        ("ahead", "level", o.ANALOGUE_UNDECIDED, REPRODUCED),
        ("ahead", "behind", o.ANALOGUE_FAILS, REPRODUCED),
        ("level", "ahead", WITHIN_NOISE, o.ANALOGUE_HOLDS),
        ("level", "level", WITHIN_NOISE, o.ANALOGUE_UNDECIDED),
        ("level", "behind", o.ANALOGUE_FAILS, o.ANALOGUE_UNDECIDED),
        ("behind", "ahead", CONTRADICTED, o.ANALOGUE_HOLDS),
        ("behind", "level", CONTRADICTED, o.ANALOGUE_UNDECIDED),
        ("behind", "behind", CONTRADICTED, o.ANALOGUE_FAILS),
    ],
)
def test_stand_ins_make_an_analogue_where_they_can_turn_a_sentence(tmp_path, own, other, both, one):
    noise = np.linspace(-0.02, 0.02, 8)
    rows = []
    for data, lead, stand_in_for in (("glass", own, ""), ("spam", other, "real spam")):
        more = {"stand_in_for": stand_in_for} if stand_in_for else {}
        rows += cells(data, "A", {"dendrogram_purity": 0.5 + LEADS[lead] + noise}, **more)
        rows += cells(data, "HAC", {"dendrogram_purity": 0.5 - noise}, **more)
    found = judged(claims_of(tmp_path, TWO_PARTS), frame(rows))
    assert (found.verdict["both"], found.verdict["both-again"], found.verdict["one"]) == (both, both, one)
    assert found.stand_in_for["both"] == found.stand_in_for["one"] == "real spam"
