"""All statements as one file of schema.org ClaimReview.

The pages of the report carry the same reviews. https://schema.org/ClaimReview
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cladebench.export.run_folder import Format, RunFolder, as_json
from cladebench.report.statement_reviews import claim_review, claim_review_document


def files(run: RunFolder, folder: Path) -> Mapping[str, bytes]:
    """Give ``claimreview.jsonld`` with pages relative to the run's folder."""
    reviews = (
        claim_review(paper.plan, claim, pages="report/") for paper in run.papers for claim in paper.statements
    )
    return {"claimreview.jsonld": as_json(claim_review_document(reviews))}


FORMAT = Format("export", files)
