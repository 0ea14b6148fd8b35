"""The verdicts on claims as a reader meets them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.kinds import KINDS
from cladebench.audit.other_choices import stances_in_words
from cladebench.audit.verdict.verdict_types import VERDICTS
from cladebench.bench.plan.setting_selection import Rule
from cladebench.notation import significant
from cladebench.report.cell_links import CellLinks, anchor
from cladebench.report.plain_words import Names, in_plain_words, shortened, with_places


@dataclass(frozen=True)
class ClaimRow:
    """The verdict on a claim of ``audit.json``, written for readers.

    Attributes
    ----------
    claim, kind, place, published, verdict, reason, quote, reading, selection, stand_in_for : str
        As in the file.
    measured, interval, n, detectable, p_adjusted : str
        Empty where there is none, `n` also where no run is needed; `detectable` is "unknown" of kinds that should
        have it.
    beside : str
        Label of the rule of selection that is shown beside the paper's own.
    measured_beside, verdict_beside : str
        Under that rule.
    targets, targets_beside : tuple of (str, str)
        A name and the address of the cells, for each method and data set behind the verdict.
    parts : tuple of (str, str)
        Id and verdict of each claim that a sentence is made of.
    evidence : str
        One of `cladebench.audit.evidence.EVIDENCE`.
    blind : str
        The verdict that the best random method earns; empty where none applies.
    other_choices : str
        How it comes out with other choices: ``5 support, 1 open, 0 contradict``; empty where none could be judged.
    not_run : tuple of str
        Other choices that were not run for it.
    main : bool
        Whether the paper stands or falls with it.
    depends_on : tuple of str
        The unstated choices that it turns on.
    statement : str
        The claim that stands for the statement it counts in; its own id where it stands for one itself.
    said : str
        What it says in a line: the quote of a sentence, else what is compared.
    untested : str
        Why it was not tested, of `cladebench.report.untested`; empty where it was.
    """

    claim: str
    kind: str
    place: str
    published: str
    verdict: str
    reason: str
    quote: str
    reading: str
    selection: str
    stand_in_for: str
    measured: str
    interval: str
    n: str
    detectable: str
    p_adjusted: str
    beside: str
    measured_beside: str
    verdict_beside: str
    targets: tuple[tuple[str, str], ...]
    targets_beside: tuple[tuple[str, str], ...]
    parts: tuple[tuple[str, str], ...]
    evidence: str
    blind: str
    other_choices: str
    not_run: tuple[str, ...]
    main: bool
    depends_on: tuple[str, ...]
    statement: str
    said: str = ""
    untested: str = ""

    @property
    def anchor(self) -> str:
        """Where it stands on the paper's page."""
        return anchor("claim", self.claim)

    @property
    def level(self) -> str:
        """Say whether the statement is counted, or is inside another."""
        return "statement" if self.statement == self.claim else "part"

    @property
    def answer(self) -> str:
        """The answer of the first level."""
        return VERDICTS[self.verdict].answer

    @property
    def why(self) -> str:
        """The answer of the second level, in plain words."""
        return self.untested or VERDICTS[self.verdict].why

    @property
    def cause(self) -> str:
        """What pages filter by: the verdict, or why it was not tested."""
        return self.untested or self.verdict

    @property
    def done(self) -> str:
        """What was done to test it."""
        return EVIDENCE[self.evidence].done

    @property
    def sentence(self) -> str:
        """Give what the paper says, or where a lone number stands."""
        return f"“{self.quote}”" if self.quote and self.quote != self.published else self.place

    @property
    def brief(self) -> str:
        """Give the reason, cut at a word within 110 characters."""
        reason = self.reason.partition(" The same answer with ")[0]
        return reason if len(reason) <= 110 else reason[:110].rpartition(" ")[0].rstrip(",;:") + " …"

    @property
    def kind_order(self) -> int:
        """Order sentences first, and printed numbers last.

        What sentences are made of is between them. Numbers are shown in their tables.
        """
        kind = KINDS[self.kind]
        return 0 if kind.of_parts else 2 if kind.printed_number else 1

    @property
    def gridded(self) -> bool:
        """Say whether the setting was chosen among several.

        Then another choice could give another number.
        """
        return bool(self.selection) and self.selection != "one setting"


def claim_row(
    claim: Mapping[str, Any], links: CellLinks, rules: Mapping[str, Rule], statement: str, untested: str = ""
) -> ClaimRow:
    """Write one claim of ``audit.json`` for readers.

    `rules` are the plan's, whose labels stand for their names.
    """
    metrics = claim["metric"].split("; ")

    def named(text: str) -> str:
        return with_places(links.names.in_text(text, claim["methods"], metrics), links.names.places)

    kind = KINDS[claim["kind"]]
    low, high = _number(claim["low"]), _number(claim["high"])
    texts = (
        "claim",
        "kind",
        "verdict",
        "quote",
        "reading",
        "evidence",
        "blind",
    )

    def label(joined: str) -> str:
        return "; ".join(rules[name].label if name in rules else name for name in joined.split("; "))

    return ClaimRow(
        **{key: claim[key] for key in texts},
        published=named(claim["published"]),
        reason=named(in_plain_words(claim["reason"])),
        place=place_for_readers(claim["place"]),
        stand_in_for="; ".join(claim["stand_in_for"]),
        measured=_number(claim["measured"]),
        interval=f"[{low}, {high}]" if low and high and low != high else "",
        n="" if claim["n"] is None or kind.on_paper else str(claim["n"]),
        detectable=_number(claim["detectable"]) or ("unknown" if kind.detects else ""),
        p_adjusted=_number(claim["p_adjusted"]),
        selection=label(claim["selection"]),
        beside=label(claim["selection_beside"]),
        measured_beside=_number(claim["measured_beside"]),
        verdict_beside=claim["verdict_beside"],
        targets=settings_behind(claim["cells"], links),
        targets_beside=settings_behind(claim["cells_beside"], links),
        parts=tuple((part["claim"], part["verdict"]) for part in claim["parts"]),
        other_choices=stances_in_words(claim["stances"]),
        not_run=tuple(claim["not_run"]),
        main=claim["main"],
        depends_on=tuple(claim["depends_on"]),
        statement=statement,
        said=said_by(claim, links.names),
        untested=untested,
    )


def said_by(claim: Mapping[str, Any], names: Names) -> str:
    """Say in a line what a claim of ``audit.json`` says.

    Names stand for ids: a page shows it where there is no room for more.
    """
    what = names.in_text(claim["published"], claim["methods"], claim["metric"].split("; "))
    kind = KINDS[claim["kind"]]
    if kind.printed_number:
        return f"{place_for_readers(claim['place'])}: {what}"
    if kind.on_paper and not what:
        return shortened(with_places(in_plain_words(claim["reason"]), names.places), 110)
    if kind.of_parts or not what:
        what = f"“{shortened(claim['quote'], 110)}”" if claim["quote"] else claim["claim"]
    data = names.datasets.get(claim["dataset"], "")
    between = " to " if " in the change of " in what else ", "
    return f"{what}{between}{data}" if data else what


def place_for_readers(place: str) -> str:
    """Name the abstract as what it is: no section.

    >>> place_for_readers("Figure 3a, section abstract, 1, 4")
    'Figure 3a, abstract, section 1, 4'
    """
    return re.sub(
        r"\bsection abstract(, (?=\d))?", lambda match: f"abstract{', section ' * bool(match[1])}", place
    )


def _number(value: float | None) -> str:
    """Four digits, as papers print them; nothing where there is no number."""
    return "" if value is None else significant(value)


def settings_behind(patterns: Iterable[str], links: CellLinks) -> tuple[tuple[str, str], ...]:
    """Link each method and data set to all settings that count.

    Pages stay small where grids are large.
    """
    settings: dict[tuple[str, str], list[str]] = {}
    for pattern in patterns:
        name = pattern.removesuffix("/*")
        if name in links.by_id:
            group = links.by_id[name]
            settings.setdefault((group.method, group.dataset), []).append(name)
    links_of = []
    for (method, dataset), groups in settings.items():
        many = f" ({len(groups)} settings)" if len(groups) > 1 else ""
        links_of.append((f"{links.names.run(method, dataset)}{many}", str(links.target_of_groups(groups))))
    return tuple(links_of)
