"""Judge a paper's claims against records, with one choice and rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from cladebench.audit.claim_types import Claim, ClaimSet, Facts
from cladebench.audit.judgement import Judgement, Waiting
from cladebench.audit.kinds import kind_of
from cladebench.audit.kinds.base import Grounds
from cladebench.audit.reading import NO_RANDOM_METHOD, Reader, with_notes
from cladebench.audit.verdict.verdict_types import INCONSISTENT, NOT_TESTABLE, UNTESTED, Outcome, not_testable
from cladebench.bench.statistics.paired_tests import holm


@dataclass
class Evaluation:
    """Judges claims of a paper.

    Parameters
    ----------
    claims : ClaimSet
    reader : Reader
        With a random method, claims that praise nothing are not testable.
    certificates : DataFrame or None
        As `cladebench.crosscheck.certificate.read_certificates` gives it.
    facts : callable
        See `cladebench.audit.claim_types.Facts`.

    Attributes
    ----------
    found : dict of str to Judgement or Waiting
        What the last run found of claims before it corrected them; sentences are not there.
    """

    claims: ClaimSet
    reader: Reader
    certificates: pd.DataFrame | None
    facts: Facts
    found: dict[str, Judgement | Waiting] = field(default_factory=dict, init=False)
    _done: dict[str, Judgement] = field(default_factory=dict)
    _known: Mapping[str, Judgement] = field(default_factory=dict)
    _touched: Collection[str] = ()

    def __post_init__(self) -> None:
        self.grounds = Grounds(
            self.claims, self.reader, self.certificates, self.facts, self._part, self._runs_for_none
        )

    def run(
        self,
        known: Mapping[str, Judgement] | None = None,
        again: Collection[str] = (),
        touched: Collection[str] = (),
        alike: Mapping[str, Judgement | Waiting] | None = None,
    ) -> dict[str, Judgement]:
        """Judge all claims; what is tested together is corrected together.

        Parameters
        ----------
        known : mapping of str to Judgement, optional
            Judgements that stand unless their claim is among `again`.
        again : collection of str
        touched : collection of str
            Those whose answers the choice changes. A choice need not have been run for all parts of a sentence. If
            some of these parts are testable, the others keep their known judgement. If none is, the sentence is not
            testable.
        alike : mapping of str to Judgement or Waiting, optional
            `found` of other evaluations, for claims that come out as they did there. They are not compared anew, only
            corrected.
        """
        self._known, self._touched = known or {}, touched
        alike = alike or {}
        self._done = {name: known[name] for name in self.claims.claims if name not in again} if known else {}
        self.found = {}
        for claim in self.claims.claims.values():
            if claim.id in self._done or (kind_of(claim).of_parts and not claim.set_aside):
                continue  # sentences are judged when their parts are
            self.reader.now = claim
            self.found[claim.id] = alike[claim.id] if claim.id in alike else self._judge(claim)
        waiting: dict[str, Waiting] = {}
        for name, judgement in self.found.items():
            if isinstance(judgement, Judgement):
                self._done[name] = judgement
            else:
                waiting[name] = judgement
        self._correct(waiting)
        self._adjust_values()
        for name in self.claims.claims:
            self._judged(name)
        return {name: self._done[name] for name in self.claims.claims}

    def _judge(self, claim: Claim) -> Judgement | Waiting:
        if claim.set_aside:
            return self._set_aside(claim)
        if self.reader.random is not None and not kind_of(claim).praises:
            return Judgement(not_testable(NO_RANDOM_METHOD))
        judged = kind_of(claim).judge(claim, self.grounds)
        if not isinstance(judged, Judgement | tuple):
            raise TypeError(
                f"{type(kind_of(claim)).__name__}: judge gave {type(judged).__name__}; expected a Judgement, or a "
                "p-value, a function and a Judgement"
            )
        return judged

    def _correct(self, waiting: Mapping[str, Waiting]) -> None:
        families: dict[str, list[str]] = {}
        for name in waiting:
            families.setdefault(self.claims.claims[name].family, []).append(name)
        for members in families.values():
            alone = [waiting[name][0] for name in members]
            # A correction protects what is tested: here that no random method passes.
            random = self.reader.random is not None
            for name, p in zip(members, alone if random else holm(alone), strict=True):
                _, outcome_at, judgement = waiting[name]
                outcome = with_notes(outcome_at(p, 1 if random else len(members)), judgement.samples)
                self._done[name] = replace(judgement, outcome=outcome)

    def _set_aside(self, claim: Claim) -> Judgement:
        """Show what is measured for a claim that is not judged."""
        verdict, why = (
            (INCONSISTENT, claim.inconsistent) if claim.inconsistent else (NOT_TESTABLE, claim.not_testable)
        )
        if self.reader.random is not None:
            return Judgement(not_testable(NO_RANDOM_METHOD))
        judgement = kind_of(claim).shown(claim, self.grounds)
        if judgement is None:
            return Judgement(Outcome(verdict, why))
        if judgement.outcome.measured is None:
            return Judgement(Outcome(verdict, why), judgement.samples)
        reason = f"{why}; {judgement.outcome.reason}"
        return replace(judgement, outcome=replace(judgement.outcome, verdict=verdict, reason=reason))

    def _adjust_values(self) -> None:
        """Correct the p-values of printed numbers over their table.

        They are shown, but no verdict uses them.
        """
        families: dict[str, list[str]] = {}
        for claim in self.claims.claims.values():
            kind, earlier = kind_of(claim), self._done.get(claim.id)
            if (
                kind.family
                and not kind.corrected
                and earlier is not None
                and earlier.outcome.p_value is not None
            ):
                families.setdefault(claim.family, []).append(claim.id)
        for members in families.values():
            adjusted = holm([float(self._done[name].outcome.p_value or 0.0) for name in members])
            for name, p in zip(members, adjusted, strict=True):
                judgement = self._done[name]
                self._done[name] = replace(judgement, outcome=replace(judgement.outcome, p_adjusted=p))

    def _judged(self, name: str) -> Judgement:
        """Give the judgement of a claim.

        A sentence is judged when it is asked for.
        """
        if name not in self._done:
            claim = self.claims.claims[name]
            judgement = kind_of(claim).judge(claim, self.grounds)
            assert isinstance(judgement, Judgement)
            self._done[name] = judgement
        return self._done[name]

    def _part(self, name: str) -> Judgement:
        judgement = self._judged(name)
        if self._touched and judgement.outcome.stance == UNTESTED:
            return self._known.get(name, judgement)
        return judgement

    def _runs_for_none(self, parts: Collection[str]) -> bool:
        """Say whether a choice was run for none of its parts.

        These are the parts that it changes.
        """
        touched = [name for name in parts if name in self._touched]
        return bool(touched) and all(self._done[name].outcome.stance == UNTESTED for name in touched)
