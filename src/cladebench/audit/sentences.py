"""Sentences: what their parts or the solver checks say of them."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from functools import lru_cache
from textwrap import shorten
from typing import Any

import pandas as pd

from cladebench.audit.verdict_types import (
    CONTRADICTED,
    CONTRADICTS,
    DIRECTION_ONLY,
    INCONSISTENT,
    REPRODUCED,
    SUPPORTS,
    UNTESTED,
    VERDICTS,
    WITHIN_NOISE,
    Outcome,
    not_testable,
)


def combine(parts: Sequence[Outcome], at_least: int) -> Outcome:
    """Judge a sentence of which at least so many parts must hold.

    It holds where so many parts are shown to. It is contradicted when even all parts that are undecided or could not
    be tested would not save it, not testable when it takes one of the latter, and undecided otherwise.
    """
    counts = {verdict: sum(part.verdict == verdict for part in parts) for verdict in VERDICTS}
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    reason, n = f"{at_least} of {len(parts)} parts must hold: {said}", len(parts)
    held = sum(part.stance == SUPPORTS for part in parts)
    unknown = [part for part in parts if part.stance == UNTESTED]
    alive = sum(part.stance not in (CONTRADICTS, UNTESTED) for part in parts)
    if held >= at_least:
        return Outcome(REPRODUCED, reason, n=n)
    if alive + len(unknown) < at_least:
        against = {part.verdict for part in parts if part.stance == CONTRADICTS}
        # By its own numbers alone, it is the paper that contradicts itself.
        return Outcome(INCONSISTENT if against == {INCONSISTENT} else CONTRADICTED, reason, n=n)
    if alive < at_least:
        why = list(dict.fromkeys(_shortened(part.reason) for part in unknown))
        more = f"; and {len(why) - 2} more reasons" if len(why) > 2 else ""
        return not_testable(f"{reason}; {'; '.join(why[:2])}{more}", n=n)
    return Outcome(DIRECTION_ONLY if held + counts[DIRECTION_ONLY] >= at_least else WITHIN_NOISE, reason, n=n)


@lru_cache(maxsize=4096)  # the same parts give the same reasons with all choices
def _shortened(reason: str) -> str:
    return shorten(reason, 200, placeholder=" ...")


def judge_certificates(expects: Mapping[str, Any], certificates: pd.DataFrame | None) -> Outcome:
    """Judge by the solver checks of a topic: all must have passed.

    Parameters
    ----------
    expects : mapping
        ``topic``, ``id`` (a pattern) and ``at_least``.
    certificates : DataFrame or None
        None where the run has none.
    """
    topic, needed = expects["topic"], int(expects.get("at_least", 1))
    if certificates is None:
        return not_testable("this run has no solver checks")
    rows = certificates[certificates["topic"] == topic]
    if "id" in expects:
        rows = rows[[fnmatch.fnmatchcase(str(name), expects["id"]) for name in rows["id"]]]
    if len(rows) < needed:
        return not_testable(f"{len(rows)} solver checks of {topic!r}, {needed} needed")
    failed = rows.loc[~rows["passed"].astype(bool), "id"]
    if len(failed):
        reason = f"{len(failed)} of {len(rows)} solver checks of {topic!r} failed, first {failed.iloc[0]}"
        return Outcome(CONTRADICTED, reason, n=len(rows))
    return Outcome(REPRODUCED, f"all {len(rows)} solver checks of {topic!r} passed", n=len(rows))
