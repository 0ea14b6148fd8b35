"""What a paper states is counted once, under one kind of evidence and one verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.audit import VERDICTS
from cladebench.audit.evidence import EVIDENCE as AUDITED
from cladebench.papers.audit_figures import LOOKS
from cladebench.report.statements import _WORST_FIRST, Statement, matrix, statements
from cladebench.report.wording import EVIDENCE, MEANINGS, SIGNS


def claim(name, verdict="reproduced", *, quote="", place="section 4", evidence="paper data", parts=()):
    return {
        "claim": name,
        "verdict": verdict,
        "quote": quote or f"said of {name}",
        "place": place,
        "evidence": evidence,
        "parts": [{"claim": part, "verdict": "reproduced"} for part in parts],
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
        claim("best/iris", "contradicted", quote="best on all"),
        claim("best/printed", "within noise", quote="best on all", evidence="printed numbers"),
        claim("best/again", "reproduced", quote="best on all", place="abstract"),
    ]
    assert statements(claims) == (
        Statement("best/digits", "paper data", "contradicted", ("best/glass", "best/iris")),
        Statement("best/printed", "printed numbers", "within noise", ()),
        Statement("best/again", "paper data", "reproduced", ()),
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
            draw(st.sampled_from(VERDICTS)),
            quote=draw(st.sampled_from(["x", "y"])),
            evidence=draw(st.sampled_from(AUDITED)),
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
        ranks = [_WORST_FIRST.index(by_id[name]["verdict"]) for name in printed]
        assert ranks[0] == min(ranks)


def test_every_verdict_and_every_kind_of_evidence_has_words_a_sign_and_a_look():
    assert tuple(MEANINGS) == tuple(SIGNS) == tuple(LOOKS) == VERDICTS
    assert sorted(_WORST_FIRST) == sorted(VERDICTS)
    assert tuple(EVIDENCE) == AUDITED
    assert len(set(SIGNS.values())) == len(VERDICTS)
    shapes = [(look.marker, look.filled) for look in LOOKS.values()]
    assert len(set(shapes)) == len(VERDICTS)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_the_pages_have_the_colour_that_the_figures_have(verdict):
    import re
    from importlib import resources

    style = (resources.files("cladebench.report") / "templates" / "style.css").read_text(encoding="utf-8")
    rule = re.search(rf"\.v-{verdict.replace(' ', '-')}\b[^{{]*{{ --colour: var\(--(\w+)\)", style)
    assert rule, verdict
    assert f"--{rule[1]}: {LOOKS[verdict].colour};" in style
