"""What a paper states is counted once, under one kind of evidence and one verdict."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.audit import VERDICTS
from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.verdict.verdict_types import ANSWERS
from cladebench.report.audit_figures import LOOKS
from cladebench.report.statements import Statement, matrix, statements
from cladebench.report.templating import html_page


def claim(
    name, verdict="reproduced", *, quote="", place="section 4", evidence="paper data", parts=(), main=False
):
    return {
        "claim": name,
        "verdict": verdict,
        "quote": quote or f"said of {name}",
        "place": place,
        "evidence": evidence,
        "parts": [{"claim": part, "verdict": "reproduced"} for part in parts],
        "main": main,
    }


def test_parts_count_inside_their_sentence_however_deep():
    found = statements(
        [
            claim("a/1"),
            claim("a/2"),
            claim("a", parts=["a/1", "a/2"]),
            claim("all", parts=["a", "gone"]),
            claim("b"),
        ]
    )
    assert found == (
        Statement("all", "paper data", "reproduced", ("a", "a/1", "a/2")),
        Statement("b", "paper data", "reproduced", ()),
    )


def test_claims_of_one_quote_are_one_statement_with_the_worst_verdict():
    claims = [
        claim("best/glass", "reproduced", quote="best on  all"),
        claim("best/digits", "contradicted", quote="best on all"),
        claim("best/iris", "contradicted", quote="best on all."),
        claim("best/printed", "within noise", quote="best on all", evidence="printed numbers"),
        claim("best/again", "reproduced", quote="best on all", place="abstract"),
    ]
    assert statements(claims) == (
        Statement("best/digits", "paper data", "contradicted", ("best/glass", "best/iris")),
        Statement("best/printed", "printed numbers", "within noise", ()),
        Statement("best/again", "paper data", "reproduced", ()),
    )


def test_the_main_claim_speaks_for_its_statement():
    claims = [
        claim("elsewhere", "analogue fails", quote="it is best"),
        claim("everywhere", "analogue undecided", quote="it is best", main=True),
        claim("printed", "inconsistent", quote="it is best", evidence="printed numbers"),
    ]
    assert statements(claims) == (
        Statement("everywhere", "paper data", "analogue undecided", ("elsewhere",)),
        Statement("printed", "printed numbers", "inconsistent", ()),
    )


def test_the_matrix_has_the_orders_of_tables_and_no_empty_line():
    claims = [
        claim("a", "not testable", evidence="own code"),
        claim("b", "depends"),
        claim("c", "reproduced"),
        claim("d", "depends"),
    ]
    assert list(matrix(statements(claims)).items()) == [
        ("paper data", {"reproduced": 1, "depends": 2, "not testable": 0}),
        ("own code", {"reproduced": 0, "depends": 0, "not testable": 1}),
    ]
    assert matrix([]) == {}


@st.composite
def audits(draw):
    n = draw(st.integers(0, 8))
    return [
        claim(
            f"c{k}",
            draw(st.sampled_from(list(VERDICTS))),
            quote=draw(st.sampled_from(["x", "y"])),
            evidence=draw(st.sampled_from(list(EVIDENCE))),
            # parts come before or after, and never in a circle
            parts=sorted(draw(st.sets(st.sampled_from([f"c{j}" for j in range(k)])))) if k else (),
        )
        for k in range(n)
    ]


@given(audits())
def test_every_claim_counts_once_or_inside(claims):
    found = statements(claims)
    heads = [statement.head for statement in found]
    parts = {part["claim"] for entry in claims for part in entry["parts"]}
    assert len(set(heads)) == len(heads) and not set(heads) & parts
    inside = {name for statement in found for name in statement.inside}
    assert inside | set(heads) == {entry["claim"] for entry in claims}
    assert not inside & set(heads)
    assert sum(sum(row.values()) for row in matrix(found).values()) == len(found)
    by_id = {entry["claim"]: entry for entry in claims}
    for statement in found:
        printed = [name for name in (statement.head, *statement.inside) if name not in parts]
        ranks = [VERDICTS[by_id[name]["verdict"]].severity for name in printed]
        assert ranks[0] == max(ranks)


def test_every_verdict_and_every_kind_of_evidence_has_words_a_sign_and_a_look():
    assert tuple(LOOKS) == tuple(VERDICTS)
    assert sorted(verdict.severity for verdict in VERDICTS.values()) == list(range(len(VERDICTS)))
    assert all(len(verdict.why.split()) <= 7 for verdict in VERDICTS.values())
    assert all(kind.meaning and kind.done for kind in EVIDENCE.values())
    shapes = [(look.marker, look.filled) for look in LOOKS.values()]
    assert len(set(shapes)) == len(VERDICTS)


def test_every_verdict_gives_one_of_four_answers():
    given = {verdict.answer for verdict in VERDICTS.values()}
    assert given == set(ANSWERS) == {"holds", "does not hold", "open", "not tested"}
    # What one reading says is never at odds with the answer; "uninformative" alone is open where nothing was tested.
    said = {
        "holds": "supports",
        "does not hold": "contradicts",
        "open": "undecided",
        "not tested": "not testable",
    }
    for verdict in VERDICTS.values():
        assert verdict.stance in (None, said[verdict.answer]) or verdict.name == "uninformative"


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_page_gives_a_verdict_the_colour_of_its_answer(verdict):
    page = html_page("base.html", title="", run=SimpleNamespace(scope="smoke", abbreviations={}))
    answer = VERDICTS[verdict].answer
    rule = re.search(rf"\.a-{answer.replace(' ', '-')}\b(.*?) \{{ --colour: var\(--(\w+)\); \}}", page)
    assert f".v-{verdict.replace(' ', '-')}" in rule[1].split(", ")
    assert rule[2] == ANSWERS[answer].css
    # On a light background the colour of the figures.
    assert f"--{rule[2]}: {ANSWERS[answer].colour};" in page
