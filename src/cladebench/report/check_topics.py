"""Gather solver checks' topics, and how claims on them came out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from cladebench.audit import ClaimSet
from cladebench.notation import significant


def claims_by_topic(claims: ClaimSet) -> dict[str, list[str]]:
    """List the claims that rest on each topic of solver checks."""
    by_topic: dict[str, list[str]] = {}
    for claim in claims.claims.values():
        for topic in _topics(claim.expects):
            by_topic.setdefault(topic, []).append(claim.id)
    return by_topic


def _topics(expects: Any) -> Iterable[str]:
    if isinstance(expects, Mapping):
        asked = expects.get("certificates")
        if isinstance(asked, Mapping) and "topic" in asked:
            yield str(asked["topic"])
        for value in expects.values():
            yield from _topics(value)
    elif isinstance(expects, (list, tuple)):
        for value in expects:
            yield from _topics(value)


def topic_rows(checks: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """Sum up the solver checks of each topic, rows of ``certificates.csv``."""
    return tuple(
        {
            "topic": topic,
            "count": len(rows),
            "passed": int(rows["passed"].sum()),
            "residual": f"{rows['residual'].max():.2g}" if rows["residual"].notna().any() else "–",
            "seconds_fast": significant(rows["seconds_fast"].sum()),
            "seconds_reference": significant(rows["seconds_reference"].sum()),
        }
        for topic, rows in checks.groupby("topic", sort=False)
    )
