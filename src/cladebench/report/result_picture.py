"""Draw a run's result in SVG: statements by answer, main claims."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from cladebench.audit.verdict.verdict_types import ANSWERS, VERDICTS
from cladebench.report.run_summary import PaperSummary, RunSummary
from cladebench.report.templating import html_page

_LINE = 22  # pixels
_TITLE, _LEAD, _QUOTE, _WHY = 70, 112, 52, 28  # letters that fit into their columns
_BAR = 1120, 210  # pixels: all statements, and those of a paper


@dataclass(frozen=True)
class _Row:
    """Hold a paper's top edge, lines of text and bar."""

    top: int
    height: int
    name: str
    year: str
    note: str
    quote: tuple[str, ...]
    answer: str
    sign: str
    why: tuple[str, ...]
    bar: tuple[tuple[str, float, float], ...]
    counts: str


def result_picture(run: RunSummary) -> str:
    """Draw a run as SVG.

    It is 1,200 pixels wide, has text as text, and its own background.

    The sha256 of ``audit.csv`` is in its metadata, so that a picture of an older run can be told.
    """
    rows: list[_Row] = []
    title = textwrap.wrap(run.sentence, _TITLE)
    lead = textwrap.wrap(run.total, _LEAD)
    below = _LINE * 3 // 2 * (len(title) - 1)
    start = below + 24 * (len(lead) - 1)
    top = 270 + start
    for paper in run.papers:
        rows.append(_row(paper, top))
        top += rows[-1].height
    return html_page(
        "result.svg",
        run=run,
        title=title,
        lead=lead,
        below=below,
        start=start,
        rows=rows,
        bar=_segments(run.counts, _BAR[0]),
        height=top + 12,
        line=_LINE,
    )


def _row(paper: PaperSummary, top: int) -> _Row:
    answer = ANSWERS[VERDICTS[paper.verdict].answer] if paper.verdict else None
    quote = textwrap.wrap(f"“{paper.quote}”", _QUOTE) if paper.quote else ["no main claim"]
    why = textwrap.wrap(VERDICTS[paper.verdict].why, _WHY) if paper.verdict else []
    n, all_of = paper.stand_ins, paper.statements
    return _Row(
        top=top,
        height=_LINE * max(len(quote), 1 + len(why), 2) + 28,
        name=paper.short,
        year=paper.year,
        note=f"stand-ins: {n} of {all_of}" if n else "no stand-ins",
        quote=tuple(quote),
        answer=answer.name if answer else "",
        sign=answer.sign if answer else "",
        why=tuple(why),
        bar=_segments(paper.counts, _BAR[1]),
        counts=" · ".join(f"{count} {ANSWERS[name].sign}" for name, count in paper.counts.items()),
    )


def _segments(counts: Mapping[str, int], width: float) -> tuple[tuple[str, float, float], ...]:
    """Divide a bar into non-empty parts: answer, left edge, width."""
    total = sum(counts.values())
    segments, left = [], 0.0
    for name, count in counts.items():
        if count:
            segments.append((name, round(left, 2), round(width * count / total, 2)))
            left += width * count / total
    return tuple(segments)
