"""Write statements and answers as ClaimReview, which search engines read.

The vocabulary is that of https://schema.org/ClaimReview.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cladebench.audit.evidence import EVIDENCE, PAPER_DATA
from cladebench.audit.verdict.verdict_types import DOES_NOT_HOLD, HOLDS, VERDICTS
from cladebench.audit.verdict_statuses import REFUTED, UNTESTED, VALIDATED, status_of
from cladebench.bench.plan.plan import Plan
from cladebench.report.cell_links import anchor
from cladebench.report.claim_rows import place_for_readers
from cladebench.report.paper_facts import address_of, authors_of, year_of
from cladebench.report.statements import statements

#: Numbers of the rating, for answers that are shown on the paper's data; nothing else has one.
BEST, WORST = 5, 1
_RATINGS = {(VALIDATED, HOLDS): BEST, (REFUTED, DOES_NOT_HOLD): WORST}
AUTHOR = {"@type": "Organization", "name": "cladebench"}
#: No person stands behind a review.
NOTICE = "Written by a program from its runs; no person has checked it."


def claim_text(claim: Mapping[str, Any]) -> str:
    """Say a claim's words, or else its place and printed number."""
    quote, published = " ".join(claim["quote"].split()), claim["published"]
    if quote and quote != published:
        return quote
    return (
        ": ".join(text for text in (place_for_readers(claim["place"]), published) if text) or claim["claim"]
    )


def statement_heads(claims: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Give the claim that stands for each statement of one paper."""
    by_id = {claim["claim"]: claim for claim in claims}
    return (by_id[statement.head] for statement in statements(by_id.values()))


def is_tested(claim: Mapping[str, Any]) -> bool:
    """Say whether a claim has been judged."""
    return status_of(claim) is not UNTESTED


def claim_review(plan: Plan, claim: Mapping[str, Any], pages: str = "") -> dict[str, Any]:
    """Write one statement as a ClaimReview.

    Parameters
    ----------
    plan : Plan
        Of its paper.
    claim : mapping
        Entry of ``audit.json`` that stands for it.
    pages : str, default=""
        Where the report's pages lie, relative to the document, such as ``report/``.

    Returns
    -------
    dict
        Without ``@context``. It has a number as rating only where the answer is shown on the paper's data.
    """
    status, verdict = status_of(claim), VERDICTS[claim["verdict"]]
    rating: dict[str, Any] = {
        "@type": "Rating",
        "alternateName": status.name,
        "ratingExplanation": f"{verdict.answer}: {verdict.why}. {verdict.meaning}",
    }
    if claim["evidence"] == PAPER_DATA and (status, verdict.answer) in _RATINGS:
        number = _RATINGS[status, verdict.answer]
        rating |= {"ratingValue": number, "bestRating": BEST, "worstRating": WORST}
    return {
        "@type": "ClaimReview",
        "url": f"{pages}{plan.paper}.html#{anchor('claim', claim['claim'])}",
        "author": AUTHOR,
        "creativeWorkStatus": NOTICE,
        "claimReviewed": claim_text(claim),
        "itemReviewed": {"@type": "Claim", "identifier": claim["claim"], "appearance": _article(plan, claim)},
        "reviewAspect": EVIDENCE[claim["evidence"]].done,
        "reviewBody": claim["reason"],
        "reviewRating": rating,
    }


def _article(plan: Plan, claim: Mapping[str, Any]) -> dict[str, Any]:
    """The paper as an article, with the place of the claim."""
    article: dict[str, Any] = {"@type": "ScholarlyArticle", "headline": plan.title}
    if authors := authors_of(plan):
        article["author"] = [{"@type": "Person", "name": name} for name in authors]
    if year := year_of(plan.citation):
        article["datePublished"] = year
    if address := address_of(plan.citation):
        article["url"] = address
    return article | {"articleSection": place_for_readers(claim["place"])}


def claim_review_document(reviews: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Put reviews into one JSON-LD document."""
    return {"@context": "https://schema.org", "@graph": list(reviews)}
