"""Sentences: what their parts or the solver checks say of them."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from textwrap import shorten
from typing import Any, ClassVar

import pandas as pd

from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.reading import NO_RANDOM_METHOD
from cladebench.audit.verdict.verdict_types import (
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
from cladebench.audit.verdict.verdict_wording import PARTS


def combine(parts: Sequence[Outcome], at_least: int) -> Outcome:
    """Judge a sentence by its parts.

    It holds where `at_least` parts are shown to hold. It is contradicted where all open and untested parts together
    would not save it. It is not testable where it takes an untested part, and undecided otherwise.
    """
    counts = {verdict: sum(part.verdict == verdict for part in parts) for verdict in VERDICTS}
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    reason, n = f"{at_least} of {len(parts)}{PARTS}{said}", len(parts)
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


class Sentence(Kind):
    """A sentence made of other claims, or proven by solver checks."""

    name = "sentence"
    of_ids = of_parts = True
    form: ClassVar[Mapping[str, Any]] = {
        "properties": {
            "expects": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "all_of": {"$ref": "#/$defs/parts/properties/all_of"},
                    "any_of": {"$ref": "#/$defs/parts/properties/any_of"},
                    "at_least": {"type": "integer", "minimum": 1},
                    "of": {"$ref": "#/$defs/parts/properties/of"},
                    "certificates": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["topic"],
                        "properties": {
                            "topic": {"$ref": "#/$defs/text"},
                            "id": {"$ref": "#/$defs/text"},
                            "at_least": {"type": "integer", "minimum": 1},
                        },
                    },
                },
                "oneOf": [
                    {"required": ["all_of"], "maxProperties": 1},
                    {"required": ["any_of"], "maxProperties": 1},
                    {"required": ["at_least", "of"]},
                    {"required": ["certificates"], "maxProperties": 1},
                ],
            }
        }
    }

    def references(self, claim: Claim) -> Iterator[str]:
        """Name the parts, of nested lists too."""
        return _patterns(claim.expects)

    def check(self, claim: Claim, claims: ClaimSet, where: str) -> None:
        """Check that no part counts twice.

        No more parts must hold than there are.
        """
        _check_counts(claim.expects, claims, where)

    def judge(self, claim: Claim, by: Grounds) -> Judgement:
        """Judge by the verdicts of the parts, or by the solver checks."""
        if "certificates" in claim.expects:
            if by.reader.random is not None:
                return Judgement(not_testable(NO_RANDOM_METHOD))
            return Judgement(judge_certificates(claim.expects["certificates"], by.certificates))
        judged: list[tuple[str, Judgement]] = []
        outcome = _combined(claim.expects, by, judged)
        parts = list(dict.fromkeys(name for name, _ in judged))
        if by.runs_for_none(parts):
            outcome = not_testable("not run for any part that it changes")
        samples = {id(sample): sample for _, judgement in judged for sample in judgement.samples}
        stand_ins_say = _OPEN if outcome.stance == SUPPORTS else _HOLDS
        same = _combined(claim.expects, by, [], stand_ins_say).stance == outcome.stance
        return Judgement(outcome, tuple(samples.values()), parts=tuple(parts), same_on_own_data=same)


def _listed(expects: Mapping[str, Any]) -> list[Any]:
    """List the parts of a sentence as its file has them.

    They are patterns of ids, and lists of parts.
    """
    return list(expects.get("all_of") or expects.get("any_of") or expects.get("of") or ())


def _patterns(expects: Mapping[str, Any]) -> Iterator[str]:
    for part in _listed(expects):
        if isinstance(part, str):
            yield part
        else:
            yield from _patterns(part)


def _check_counts(expects: Mapping[str, Any], claims: ClaimSet, where: str) -> None:
    parts = _listed(expects)
    names = [name for part in parts if isinstance(part, str) for name in claims.matching(part)]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice:
        raise ClaimsError(f"{where}: expects: the part {twice!r} is named twice")
    nested = [part for part in parts if not isinstance(part, str)]
    count = len(names) + len(nested)
    if parts and expects.get("at_least", 1) > count:
        raise ClaimsError(f"{where}: expects.at_least: {expects['at_least']} of {count} parts")
    for part in nested:
        _check_counts(part, claims, where)


_OPEN, _HOLDS = Outcome(WITHIN_NOISE, "on stand-in data"), Outcome(REPRODUCED, "on stand-in data")


def _combined(
    expects: Mapping[str, Any],
    by: Grounds,
    judged: list[tuple[str, Judgement]],
    stand_ins_say: Outcome | None = None,
) -> Outcome:
    """Judge by the parts; with `stand_ins_say` all on stand-in data say that."""
    outcomes: list[Outcome] = []
    for part in _listed(expects):
        if isinstance(part, Mapping):
            outcomes.append(_combined(part, by, judged, stand_ins_say))
            continue
        parts_judged = [(name, by.part(name)) for name in by.claims.matching(part)]
        for _, its in parts_judged:
            on_stand_ins = its.final is not its.outcome
            outcomes.append(stand_ins_say if stand_ins_say and on_stand_ins else its.outcome)
        judged += parts_judged
    needed = len(outcomes) if "all_of" in expects else 1 if "any_of" in expects else int(expects["at_least"])
    return combine(outcomes, needed)
