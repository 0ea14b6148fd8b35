"""From a claim's judgements in all universes and under all rivals to the verdict that is reported."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from cladebench.audit.judgement import Judgement
from cladebench.audit.rivals import Rival
from cladebench.audit.universes import Universe
from cladebench.audit.verdict_types import (
    CONTRADICTS,
    DEPENDS,
    INCONSISTENT,
    SUPPORTS,
    UNDECIDED,
    UNINFORMATIVE,
    UNTESTED,
    Stance,
)

#: From what earns most to what earns least.
_BEST_FIRST: tuple[Stance, ...] = (SUPPORTS, UNDECIDED, CONTRADICTS)


@dataclass(frozen=True)
class Settled:
    """What is reported of a claim.

    Attributes
    ----------
    verdict, reason : str
    blind : str
        The verdict that the best data-blind rival earns; empty where none can stand in the praised place.
    stances : mapping of str to str
        By the name of the universe, the chosen one (an empty name) first; only those that change what the claim asks.
    not_run : tuple of str
        Universes of one factor that change what the claim asks, and could not tell: their cells were not run, or
        failed. Empty where the claim could not be judged as chosen either.
    depends_on : tuple of str
        Where the verdict is `depends`: entries of the register whose alternatives turn it, ``a + b`` for two at once.
    """

    verdict: str
    reason: str
    blind: str
    stances: Mapping[str, Stance]
    depends_on: tuple[str, ...]
    not_run: tuple[str, ...] = ()

    @property
    def counts(self) -> str:
        """How many universes support, leave undecided and contradict, as ``5/1/0``; empty where none could tell."""
        found = [sum(stance == kind for stance in self.stances.values()) for kind in _BEST_FIRST]
        return "/".join(map(str, found)) if any(found) else ""


def settle(
    chosen: Judgement,
    worlds: Sequence[tuple[Universe, Judgement]],
    rivals: Sequence[tuple[Rival, Judgement]],
    earned_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Settled:
    """Decide what is reported of a claim.

    Parameters
    ----------
    chosen : Judgement
        With the choices that were made.
    worlds : sequence of (Universe, Judgement)
        Those that change what the claim asks.
    rivals : sequence of (Rival, Judgement)
        What each rival earns in the place of what the claim praises.
    earned_in : mapping of str to sequence of str
        Of a claim that the choices made support: universes that do not contradict it, and the rivals that earn it
        there.
    """
    final, stance = chosen.final, chosen.outcome.stance
    standing = [(rival, judgement) for rival, judgement in rivals if judgement.outcome.stance != UNTESTED]
    standing.sort(key=lambda pair: _BEST_FIRST.index(pair[1].outcome.stance))
    blind = standing[0][1].final.verdict if standing else ""
    stances = {"": stance} | {universe.name: judgement.outcome.stance for universe, judgement in worlds}
    earned = [rival.name for rival, judgement in standing if judgement.outcome.stance == SUPPORTS]
    if stance in (UNTESTED,) or final.verdict == INCONSISTENT:
        return Settled(final.verdict, final.reason, blind, stances, ())
    not_run = tuple(u.name for u, there in worlds if len(u.factors) == 1 and there.outcome.stance == UNTESTED)
    if stance == SUPPORTS and earned:
        reason = f"earned without the data too, by {', '.join(earned)}; as measured {final.verdict}: {final.reason}"
        return Settled(UNINFORMATIVE, reason, blind, stances, (), not_run)
    turned = _turned(stance, worlds, earned_in)
    if not turned:
        reason = final.reason + _elsewhere(stance, stances)
        if stance == CONTRADICTS and not_run:
            reason += f"; not run for it: {_listed(not_run)}"
        return Settled(final.verdict, reason, blind, stances, (), not_run)
    others = {s: [name for name, found in stances.items() if name and found == s] for s in _BEST_FIRST}
    told = [f"{s}: {_listed(names)}" for s, names in others.items() if names and s != stance]
    told += [f"earned by {_listed(names)} too: {name}" for name, names in earned_in.items()]
    reason = "; ".join([f"as chosen {final.verdict}: {final.reason}", *told])
    return Settled(DEPENDS, reason, blind, stances, turned, not_run)


def earned_by_parts(settled: Settled, parts: Sequence[str]) -> Settled:
    """Say of a sentence that it does not hold without parts that are earned without the data."""
    earned = f"holds only with what is earned without the data: {_listed(parts)}"
    reason = f"{earned}; as measured {settled.verdict}: {settled.reason}"
    return replace(settled, verdict=UNINFORMATIVE, reason=reason, depends_on=())


def _elsewhere(stance: Stance, stances: Mapping[str, Stance]) -> str:
    """In how many universes a claim comes out as chosen, where they are not all."""
    counts = {s: sum(found == s for found in stances.values()) for s in _BEST_FIRST}
    others = [f"{s} in {n}" for s, n in counts.items() if n and s != stance]
    if not others:
        return ""
    return f"; so in {counts[stance]} of {sum(counts.values())} universes, {' and '.join(others)}"


def _turned(
    stance: Stance, worlds: Sequence[tuple[Universe, Judgement]], earned_in: Collection[str]
) -> tuple[str, ...]:
    """Which factors turn a claim round; none where all universes can be told in one verdict.

    A claim is turned where one universe supports it and another contradicts it, where the chosen one contradicts it and
    another does not, and where the chosen one supports it and in another a rival earns it.
    """
    found = [
        (universe.factors, judgement.outcome.stance, universe.name in earned_in)
        for universe, judgement in worlds
    ]
    reached = {stance, *(other for _, other, _ in found)}
    against = {SUPPORTS: (CONTRADICTS,), CONTRADICTS: (SUPPORTS, UNDECIDED)}.get(stance)
    if against is None:
        against = (SUPPORTS, CONTRADICTS) if {SUPPORTS, CONTRADICTS} <= reached else ()
    turning = [factors for factors, other, earned in found if other in against or earned]
    alone = list(dict.fromkeys(factors[0] for factors in turning if len(factors) == 1))
    together = dict.fromkeys(" + ".join(f) for f in turning if len(f) > 1 and not set(f) & set(alone))
    return (*alone, *together)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
