"""Settle a claim's verdict from all its judgements.

They are with all choices and all random methods.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from cladebench.audit.judgement import Judgement
from cladebench.audit.other_choices import Choice, count_stances
from cladebench.audit.random_methods import RandomMethod
from cladebench.audit.verdict.verdict_types import (
    CONTRADICTS,
    DEPENDS,
    INCONSISTENT,
    SUPPORTS,
    UNDECIDED,
    UNINFORMATIVE,
    UNTESTED,
    VERDICTS,
    Stance,
)
from cladebench.bench.store.causes import some_of

#: From best to worst.
_BEST_FIRST: tuple[Stance, ...] = (SUPPORTS, UNDECIDED, CONTRADICTS)
#: What a choice does to a claim, for the reader.
_WITH: dict[Stance, str] = {SUPPORTS: "holds", UNDECIDED: "open", CONTRADICTS: "does not hold"}


@dataclass(frozen=True)
class Settled:
    """What is reported of a claim.

    Attributes
    ----------
    verdict, reason : str
    blind : str
        The verdict that the best random method gets; empty where none can take the praised place.
    stances : mapping of str to str
        By the name of the other choice, our own (an empty name) first; only those that change what the claim asks.
    not_run : tuple of str
        Other choices of one entry that change what the claim asks, and whose runs are missing or failed. Empty where
        the claim could not be judged with our choices either.
    depends_on : tuple of str
        Where the verdict is `depends`: entries of the register whose other choices turn it, ``a + b`` for two at once.
    """

    verdict: str
    reason: str
    blind: str
    stances: Mapping[str, Stance]
    depends_on: tuple[str, ...]
    not_run: tuple[str, ...] = ()

    @property
    def counts(self) -> str:
        """Count the other choices by stance, as ``5/1/0``."""
        return count_stances(self.stances)


def settle(
    chosen: Judgement,
    choices: Sequence[tuple[Choice, Judgement]],
    random_methods: Sequence[tuple[RandomMethod, Judgement]],
    passed_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Settled:
    """Decide what is reported of a claim.

    Parameters
    ----------
    chosen : Judgement
        With our choices.
    choices : sequence of (Choice, Judgement)
        Other choices that change what the claim asks.
    random_methods : sequence of (RandomMethod, Judgement)
        What each random method gets instead of the method that the claim praises.
    passed_in : mapping of str to sequence of str
        Of a claim that our choices support: other choices that do not contradict it, and the random methods that pass
        there.
    """
    final, stance = chosen.final, chosen.outcome.stance
    tested = [
        (method, judgement) for method, judgement in random_methods if judgement.outcome.stance != UNTESTED
    ]
    tested.sort(key=lambda pair: _BEST_FIRST.index(pair[1].outcome.stance))
    blind = tested[0][1].final.verdict if tested else ""
    stances = {"": stance} | {choice.name: judgement.outcome.stance for choice, judgement in choices}
    passing = [method.name for method, judgement in tested if judgement.outcome.stance == SUPPORTS]
    if stance == UNTESTED or final.verdict == INCONSISTENT:
        return Settled(final.verdict, final.reason, blind, stances, ())
    untested = [choice for choice, there in choices if there.outcome.stance == UNTESTED]
    not_run = tuple(choice.name for choice in untested if len(choice.entries) == 1)
    if stance == SUPPORTS and passing:
        reason = f"{_passing(passing)}; {_measured(final.verdict, final.reason)}"
        return Settled(UNINFORMATIVE, reason, blind, stances, (), not_run)
    beyond = [choice.name for choice, there in choices if choice.between and _on_two_sides(chosen, there)]
    turned = _turned(stance, choices, {*passed_in, *beyond})
    if not turned:
        reason = final.reason + _elsewhere(stance, stances)
        if stance in (SUPPORTS, CONTRADICTS) and untested:
            reason += f"; too few runs or none: {_lacking(not_run, len(untested) - len(not_run))}"
        return Settled(final.verdict, reason, blind, stances, (), not_run)
    others = {s: [name for name, other in stances.items() if name and other == s] for s in _BEST_FIRST}
    said = [f"{_WITH[s]} with {_quoted(names)}" for s, names in others.items() if names and s != stance]
    if beyond:
        said.append(f"on the other side with {_quoted(beyond)}, so that a value between may meet it")
    passed: dict[str, list[str]] = {}
    for name, by in passed_in.items():
        passed.setdefault(_passing(by), []).append(name)
    said += [f"{passing} with {_quoted(names)}" for passing, names in passed.items()]
    reason = "; ".join([f"with our choices {_measured(final.verdict, final.reason)}", *said])
    return Settled(DEPENDS, reason, blind, stances, turned, not_run)


def passed_by_parts(settled: Settled, parts: Sequence[str]) -> Settled:
    """Say that a sentence holds only with parts that random methods pass."""
    needed = "a part" if len(parts) == 1 else f"{len(parts)} parts"
    named = "".join(f" ({part})" for part in parts[:3])
    said = f"does not hold without {needed} that random methods pass too, and this shows nothing{named}"
    reason = f"{said}; {_measured(settled.verdict, settled.reason)}"
    return replace(settled, verdict=UNINFORMATIVE, reason=reason, depends_on=())


def _elsewhere(stance: Stance, stances: Mapping[str, Stance]) -> str:
    """Count the other choices that agree with ours, where not all do."""
    counts = {s: sum(other == s for name, other in stances.items() if name) for s in _BEST_FIRST}
    others = [f"{_WITH[s]} with {n}" for s, n in counts.items() if n and s != stance]
    if not others:
        return ""
    total = f"{sum(counts.values())} other choice{'s' if sum(counts.values()) > 1 else ''}"
    return f"; the same answer with {counts[stance]} of {total}, {', '.join(others)}"


def _on_two_sides(chosen: Judgement, other: Judgement) -> bool:
    """Say whether both contradict a claim, each from its own side."""
    ours, theirs = chosen.outcome, other.outcome
    if not ours.stance == theirs.stance == CONTRADICTS:
        return False
    return (
        ours.difference is not None
        and theirs.difference is not None
        and ours.difference * theirs.difference < 0
    )


def _turned(
    stance: Stance, choices: Sequence[tuple[Choice, Judgement]], turning: Collection[str]
) -> tuple[str, ...]:
    """Name the entries of the register that turn a claim round.

    One choice supports it and another contradicts it, or ours contradicts it and another does not. Those in `turning`
    count as well: a random method passes with them, or they miss the claim on the other side.
    """
    turns = [
        (choice.entries, judgement.outcome.stance, choice.name in turning) for choice, judgement in choices
    ]
    reached = {stance, *(other for _, other, _ in turns)}
    against = {SUPPORTS: (CONTRADICTS,), CONTRADICTS: (SUPPORTS, UNDECIDED)}.get(stance)
    if against is None:
        against = (SUPPORTS, CONTRADICTS) if {SUPPORTS, CONTRADICTS} <= reached else ()
    round_ = [entries for entries, other, named in turns if other in against or named]
    alone = list(dict.fromkeys(entries[0] for entries in round_ if len(entries) == 1))
    together = dict.fromkeys(" + ".join(f) for f in round_ if len(f) > 1 and not set(f) & set(alone))
    return (*alone, *together)


def _passing(methods: Sequence[str]) -> str:
    """Name the random methods that pass a claim."""
    several = len(methods) > 1
    return f"{'random methods pass' if several else 'a random method passes'} too ({', '.join(methods)})"


def _measured(verdict: str, reason: str) -> str:
    """Say a verdict with its reason.

    Reasons of several readings and of stand-in data begin with theirs.
    """
    return reason if VERDICTS[verdict].stance is None else f"{verdict}: {reason}"


def _lacking(names: Sequence[str], pairs: int) -> str:
    """Name single choices without runs, and count pairs.

    >>> _lacking(["C = 1"], 2)
    '"C = 1", 2 pairs of choices'
    """
    counted = [f"{pairs} {'pair' if pairs == 1 else 'pairs'} of choices"] if pairs else []
    return ", ".join([*([_quoted(names)] if names else []), *counted])


def _quoted(names: Sequence[str]) -> str:
    """Name choices, whose names may have commas."""
    return some_of([f'"{name}"' for name in names], 3)
