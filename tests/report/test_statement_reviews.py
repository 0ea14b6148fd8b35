"""ClaimReview in pages and as documents: safe in HTML, a number only for what is shown, one for each statement."""

import json
import re

import pytest

from cladebench.audit.audit_files import read_audit
from cladebench.audit.verdict.verdict_types import VERDICTS
from cladebench.audit.verdict_statuses import STATUSES
from cladebench.html_templates import script_json
from cladebench.report.pages import write_report
from cladebench.report.statement_reviews import claim_review, claim_text, is_tested, statement_heads
from made_up_claims import EVIL, claim, plan
from synthetic_run import edit_audit

FOUND = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


def reviews_of(path):
    (text,) = FOUND.findall(path.read_text(encoding="utf-8"))
    document = json.loads(text)
    assert document["@context"] == "https://schema.org"
    return document["@graph"]


def test_the_paper_page_has_a_review_of_each_judged_statement(results, report):
    claims = [c for c in read_audit(results / "audit.json").claims if c["paper"] == "page_paper"]
    judged = [c["claim"] for c in statement_heads(claims) if is_tested(c)]
    found = reviews_of(report / "page_paper.html")
    assert [one["itemReviewed"]["identifier"] for one in found] == judged
    assert 1 < len(judged) < len(claims)
    page = (report / "page_paper.html").read_text(encoding="utf-8")
    for one in found:
        name, _, fragment = one["url"].partition("#")
        assert name == "page_paper.html" and f'id="{fragment}"' in page


def test_the_certificate_has_the_main_claim(copied):
    edit_audit(copied, {"everywhere": {"main": True, "quote": EVIL}})
    write_report(copied, "smoke", ["page_paper"])
    (found,) = reviews_of(copied / "report" / "page_paper-certificate.html")
    assert found["itemReviewed"]["identifier"] == "everywhere"
    assert found["claimReviewed"] == " ".join(EVIL.split())


def test_pages_without_a_judged_claim_have_no_script(report):
    with_reviews = {p.name for p in report.glob("*.html") if FOUND.search(p.read_text(encoding="utf-8"))}
    assert with_reviews == {"page_paper.html"}, "the paper of the tests has no main claim"


def test_no_quote_ends_the_script():
    review = claim_review(plan(title=EVIL, citation=EVIL), claim("a", quote=EVIL, reason=EVIL, place=EVIL))
    text = script_json(review)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == review and review["reviewBody"] == EVIL


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("stand_ins", [[], ["VEHICLE"]])
def test_a_number_stands_only_for_what_is_shown_on_the_papers_data(verdict, stand_ins):
    rating = claim_review(plan(), claim("a", verdict=verdict, kind="value", stand_in_for=stand_ins))[
        "reviewRating"
    ]
    expected = {"reproduced": 5, "contradicted": 1, "inconsistent": 1} if not stand_ins else {}
    assert rating.get("ratingValue") == expected.get(verdict)
    assert ("bestRating" in rating) == ("worstRating" in rating) == (verdict in expected)
    if not stand_ins:
        assert rating["alternateName"] == STATUSES[verdict].name
    assert rating["ratingExplanation"].startswith(f"{VERDICTS[verdict].answer}: {VERDICTS[verdict].why}.")


def test_what_is_reviewed_is_said():
    review = claim_review(plan(), claim("a", evidence="printed numbers"), pages="report/")
    assert review["url"] == "report/made.html#claim-a"
    assert review["reviewAspect"] == "no data needed"
    assert review["itemReviewed"]["appearance"] == {
        "@type": "ScholarlyArticle",
        "headline": "A paper about trees",
        "author": [{"@type": "Person", "name": name} for name in ("A. One", "B.-C. Two")],
        "datePublished": "2001",
        "url": "https://doi.org/10.1234/trees.5",
        "articleSection": "section 1",
    }
    assert claim_text(claim("a", quote="0.5", published="0.5", place="Table 1")) == "Table 1: 0.5"
    assert claim_text(claim("a", quote="", place="Table 1, section abstract")) == "Table 1, abstract"
    assert claim_text(claim("a", quote="", place="")) == "a"


@pytest.mark.parametrize("evidence", ["other data", "printed numbers", "by construction", "own code"])
def test_what_no_run_on_the_papers_data_shows_has_no_number(evidence):
    review = claim_review(plan(), claim("a", verdict="reproduced", kind="value", evidence=evidence))
    assert "ratingValue" not in review["reviewRating"]
    assert "no person" in review["creativeWorkStatus"]
