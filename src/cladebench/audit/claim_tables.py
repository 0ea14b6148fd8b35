"""Claims as tables. Tables and figures of papers read them."""

from __future__ import annotations

import pandas as pd

from cladebench.audit.claim_types import ClaimSet
from cladebench.audit.kinds import kind_of
from cladebench.bench.plan.cell_spec import canonical_json, point_text


def published_table(claims: ClaimSet) -> pd.DataFrame:
    """List the printed numbers of the tables.

    Columns: claim, artifact, what is measured, value, spread and text.

    `at` is the evaluation point as canonical JSON, empty where the claim names none; `where` the part of the setting
    that it names, ``{}`` where it names none.
    """
    rows = [
        {
            "claim": claim.id,
            "artifact": claim.place.get("artifact", ""),
            **{key: claim.measure.get(key, "") for key in ("dataset", "method", "metric")},
            "at": point_text(claim.measure["at"]) if "at" in claim.measure else "",
            "where": canonical_json(claim.measure.get("where", {})),
            "value": claim.published.value,
            "spread": claim.published.spread,
            "printed": claim.published.text,
        }
        for claim in claims.claims.values()
        if kind_of(claim).printed_number and claim.published is not None
    ]
    keys = ["claim", "artifact", "dataset", "method", "metric", "at", "where"]
    columns = [*keys, "value", "spread", "printed"]
    return pd.DataFrame(rows, columns=columns).astype({"value": float, "spread": float})


def ratios_table(claims: ClaimSet) -> pd.DataFrame:
    """List the claimed ratios of one method to another.

    Columns: claim, of and to (their queries), claimed (the range).
    """
    rows = [(claim.id, *said) for claim in claims.claims.values() if (said := kind_of(claim).quotient(claim))]
    return pd.DataFrame(rows, columns=["claim", "of", "to", "claimed"])
