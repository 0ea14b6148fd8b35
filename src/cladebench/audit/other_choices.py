"""Other choices of the register, with which every claim is judged too.

A choice changes what claims ask of the records, not the claims. One entry of the register is varied at a time.
All pairs of the three entries that move most claims are judged as well. A claim that fails with each choice is asked
under all pairs.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from cladebench.audit.claim_types import Claim
from cladebench.audit.verdict.verdict_types import CONTRADICTS, SUPPORTS, UNDECIDED
from cladebench.paper.choices import UnstatedChoice


@dataclass(frozen=True)
class Choice:
    """What claims ask for instead of our choices.

    Attributes
    ----------
    name : str
        The name of what is chosen otherwise; empty for our own choices.
    entries : tuple of str
        Ids of the register's entries that it varies.
    instead : tuple of mapping
        As `cladebench.paper.choices.OtherChoice` has them, all of what the claim asks.
    kinds : frozenset of str
        Kinds of the claims that it is meant for; empty for all. Other claims meet our choices.
    claims : tuple of tuple of str
        Patterns of the ids of these claims: of each tuple one must match.
    between : bool
        Whether it is a value of a number, so that what lies between its result and ours can be had too.
    """

    name: str = ""
    entries: tuple[str, ...] = ()
    instead: tuple[Mapping[str, Any], ...] = ()
    kinds: frozenset[str] = frozenset()
    claims: tuple[tuple[str, ...], ...] = ()
    between: bool = False

    def concerns(self, claim: Claim) -> bool:
        """Whether it is meant for a claim."""
        named = all(any(fnmatchcase(claim.id, pattern) for pattern in patterns) for patterns in self.claims)
        return named and (not self.kinds or claim.kind in self.kinds)

    def for_claim(self, claim: Claim) -> Choice:
        """Give the choice that a claim meets."""
        return self if self.concerns(claim) else CHOSEN

    def asks_as(self, other: Choice, claim: Claim, queries: Iterable[Mapping[str, Any]]) -> bool:
        """Say whether both make the same of a claim and its queries."""
        here, there = self.for_claim(claim), other.for_claim(claim)
        return (
            here.rule("") == there.rule("")
            and self.claim(claim) == other.claim(claim)
            and all(here.query(query) == there.query(query) for query in queries)
        )

    def together_with(self, other: Choice) -> Choice:
        """Both at once, for the claims that both are meant for."""
        kinds = self.kinds & other.kinds if self.kinds and other.kinds else self.kinds | other.kinds
        name = f"{self.name} + {other.name}"
        both = self.entries + other.entries, self.instead + other.instead
        return Choice(name, *both, kinds, self.claims + other.claims)

    def rule(self, rule: str) -> str:
        """Give the rule of selection that holds here."""
        return next((str(i["selection"]) for i in reversed(self.instead) if "selection" in i), rule)

    def claim(self, claim: Claim) -> Claim:
        """Give the claim as it is read here.

        Its printed spread may mean another thing.
        """
        if claim.published_sd is None or not self.concerns(claim):
            return claim
        spread = next((str(i["spread"]) for i in reversed(self.instead) if "spread" in i), claim.spread)
        return replace(claim, spread=spread)

    def query(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give what is asked here instead.

        The same where nothing in it is varied.

        A setting is meant for a method under its own name and under the one that replaces it; what a claim
        itself says of the setting stays. Data sets on which the paper says what is done keep our choices.
        """
        asked = query
        asked_on = query.get("dataset")
        open_here = [i for i in self.instead if "datasets" not in i or asked_on in i["datasets"]]
        for instead in open_here:
            for key, named in _RENAMED:
                if named in instead and (renamed := instead[named].get(query.get(key))) is not None:
                    asked = {**asked, key: renamed}
        for instead in open_here:
            for method, setting in instead.get("where", {}).items():
                asked_for = asked.get("where") or {}
                if method in (query.get("method"), asked.get("method")):
                    asked = {**asked, "where": {**setting, **asked_for}}
        return asked


#: What a choice may rename in a query, and by which of its names.
_RENAMED = (("dataset", "dataset"), ("change_from", "dataset"), ("method", "method"), ("metric", "metric"))

#: Our own choices.
CHOSEN = Choice()
#: Entries whose choices are varied two at a time for all claims: those that move most.
PAIRED = 3

#: What a choice says of a claim -> the word for it in counts, in their order.
_WORDS: Mapping[str, str] = {SUPPORTS: "support", UNDECIDED: "open", CONTRADICTS: "contradict"}


def count_stances(stances: Mapping[str, str]) -> str:
    """Count how a claim comes out with other choices.

    All that is said of their number is made of this.

    Parameters
    ----------
    stances : mapping of str to str
        By the name of the choice; our own (an empty name) is not counted.

    Returns
    -------
    str
        How many support, leave open and contradict. Empty where none could be judged.

    Examples
    --------
    >>> count_stances({"": "supports", "a": "supports", "b": "contradicts", "c": "not testable"})
    '1/0/1'
    """
    counts = Counter(stance for name, stance in stances.items() if name and stance in _WORDS)
    return "/".join(str(counts[stance]) for stance in _WORDS) if counts else ""


def stances_in_words(stances: Mapping[str, str]) -> str:
    """Write what `count_stances` finds for readers.

    >>> stances_in_words({"": "supports", "a": "supports", "b": "contradicts"})
    '1 support, 0 open, 1 contradict'
    """
    counts = count_stances(stances)
    if not counts:
        return ""
    return ", ".join(f"{n} {word}" for n, word in zip(counts.split("/"), _WORDS.values(), strict=True))


def stance_in_words(stance: str) -> str:
    """Write what one choice says, as `stances_in_words` counts it.

    >>> stance_in_words("contradicts"), stance_in_words("not testable")
    ('contradict', '')
    """
    return _WORDS.get(stance, "")


def single_choices(register: Iterable[UnstatedChoice]) -> list[Choice]:
    """List the other choices that vary one entry, in the register's order."""
    return [
        Choice(
            other.name,
            (entry.id,),
            (other.instead,),
            other.kinds,
            (other.claims,) if other.claims else (),
            other.between,
        )
        for entry in register
        for other in entry.other_choices
    ]


def strongest_entries(singles: Sequence[Choice], moved: Mapping[str, int]) -> list[str]:
    """Name the three entries that move most claims.

    Parameters
    ----------
    singles : sequence of Choice
    moved : mapping of str to int
        How many claims each entry moves; of equals the earlier in the register counts as the stronger. An entry
        that moves none is not named.
    """
    order = entries_of(singles)
    return sorted((f for f in order if moved.get(f)), key=lambda f: (-moved[f], order.index(f)))[:PAIRED]


def entries_of(singles: Iterable[Choice]) -> list[str]:
    """Name the entries of the register that have choices."""
    return list(dict.fromkeys(choice.entries[0] for choice in singles))


def paired_choices(singles: Sequence[Choice], entries: Iterable[str]) -> list[tuple[Choice, Choice, Choice]]:
    """List all pairs of choices of these entries.

    A pair is either choice and both at once. Two choices that replace one thing are no pair.
    """
    sides = [[u for u in singles if u.entries == (entry,)] for entry in entries]
    return [
        (a, b, a.together_with(b))
        for one, other in itertools.combinations(sides, 2)
        for a, b in itertools.product(one, other)
        if _together(*a.instead, *b.instead) and not (a.kinds and b.kinds and a.kinds.isdisjoint(b.kinds))
    ]


def _together(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two choices can be asked for at once.

    They never replace one thing both: together they would be another choice, or one of the two again.
    """
    if any(key in one and key in other for key in ("selection", "spread")):
        return False
    renamed = not any(one.get(key, {}).keys() & other.get(key, {}) for key in ("dataset", "method", "metric"))
    settings = other.get("where", {})
    return renamed and all(
        settings.get(method, {}).get(parameter, value) == value
        for method, setting in one.get("where", {}).items()
        for parameter, value in setting.items()
    )
