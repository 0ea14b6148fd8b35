"""Fill the templates of the pages safely.

HTML is made safe by Jinja, Markdown by `escape`.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cladebench.audit.evidence import EVIDENCE, ON_PAPER, RERUN_ELSEWHERE
from cladebench.audit.verdict.verdict_types import ANSWERS, LIMITS, VERDICTS
from cladebench.html_templates import html_environment
from cladebench.notation import duration, significant
from cladebench.report.abbreviations import MARK, explained
from cladebench.report.cell_links import anchor, cells_page, overview_page, sets_page
from cladebench.report.choice_matrix import STANCE_ANSWERS
from cladebench.report.claim_filters import only, only_answer, slug
from cladebench.report.main_claims import parts_in_words
from cladebench.report.plain_words import shortened
from cladebench.report.run_facts import provenance
from cladebench.report.source_code import commit_address, repository
from cladebench.report.untested import UNTESTED_REASONS


def escape(text: object) -> str:
    """Make text stand for itself in Markdown and its tables.

    It has no markup, no HTML, and one line.
    """
    line = " ".join(str(text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # A low line marks emphasis unless it stands within a word.
    line = re.sub(r"([\\`*\[\]|~#]|(?<![^\W_])_|_(?![^\W_]))", r"\\\1", line)
    # At the start of a line these would begin a list, or underline what stands above.
    line = re.sub(r"^([-+])(?=\s|$)|^([-=])(?=\2+$)", r"\\\g<0>", line)
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", line)


@functools.cache
def _markdown_environment() -> Environment:
    """Make the templates of Markdown.

    What is printed is escaped, unless a macro or filter has made it Markdown.
    """
    environment = Environment(
        loader=PackageLoader("cladebench.report"),
        # What macros give is marked as done; `escape` marks the rest, so that nothing is escaped as HTML as well.
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else Markup(escape(value)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        address=lambda path: Markup(quote(str(path))),
        duration=duration,
    )
    environment.globals.update(
        verdicts=VERDICTS,
        answers=ANSWERS,
        three_digits=three_digits,
        not_checked=not_checked,
    )
    return environment


def markdown_page(template: str, **values: Any) -> str:
    """Fill a template of Markdown."""
    return _markdown_environment().get_template(template).render(**values).rstrip() + "\n"


def html_page(template: str, **values: Any) -> str:
    """Fill a template of HTML."""
    return _html_environment().get_template(template).render(**values)


@functools.cache
def _html_environment() -> Environment:
    """Templates of HTML, escaped by Jinja."""
    environment = html_environment("cladebench.report")
    environment.globals.update(
        anchor=anchor,
        cells_page=cells_page,
        overview_page=overview_page,
        sets_page=sets_page,
        significant=significant,
        verdicts=VERDICTS,
        answers=ANSWERS,
        certificate_page=certificate_page,
        only_answer=only_answer,
        whys_of=whys_of,
        ways_of_testing=ways_of_testing,
        ON_PAPER=ON_PAPER,
        RERUN_ELSEWHERE=RERUN_ELSEWHERE,
        limits=LIMITS,
        provenance=provenance,
        parts_in_words=parts_in_words,
        n_files=n_files,
        meanings={verdict.name: verdict.meaning for verdict in VERDICTS.values()},
        evidence_kinds=EVIDENCE,
        header_groups=header_groups,
        only=only,
        not_checked=not_checked,
        abbreviations_here=Markup(MARK),
        commit_address=commit_address,
        stance_answers=STANCE_ANSWERS,
        repository=repository,
        untested_reasons=UNTESTED_REASONS,
    )
    environment.filters.update(
        explained=explained,
        digits=digits,
        cpu_time=cpu_time,
        slug=slug,
        percent=percent,
        shortened=shortened,
    )
    return environment


def certificate_page(paper: str) -> str:
    """File of the certificate of a paper."""
    return f"{paper}-certificate.html"


def whys_of(answer: str) -> dict[str, dict[str, list[str]]]:
    """List an answer's reasons in plain words, by whose limit.

    Each has the meanings of its verdicts.
    """
    by_limit: dict[str, dict[str, list[str]]] = {}
    for limit in ("", *LIMITS):
        for verdict in VERDICTS.values():
            if verdict.answer == answer and verdict.limit == limit:
                by_limit.setdefault(limit, {}).setdefault(verdict.why, []).append(verdict.meaning)
    return by_limit


def ways_of_testing() -> dict[str, list[str]]:
    """List what can be done for a statement, with evidence's meanings."""
    meanings: dict[str, list[str]] = {}
    for evidence in EVIDENCE.values():
        meanings.setdefault(evidence.done, []).append(evidence.meaning)
    return meanings


def n_files(datasets: Iterable[Mapping[str, Any]]) -> int:
    """Count the files behind data sets, each once."""
    return len({digest for data in datasets for _, digest in data["files"]})


def percent(count: float, total: float) -> str:
    """Write a share in whole percent; nothing of nothing."""
    return f"{100 * count / total:.0f}%" if total else "–"


def cpu_time(seconds: float) -> str:
    """Write CPU time in its largest fitting unit, as ``44 CPU hours``."""
    for size, unit in ((3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size or size == 1:
            count = seconds / size
            text = f"{count:,.0f}" if count >= 10 else f"{round(count, 1):g}"
            return f"{text} CPU {unit}{'s' * (text != '1')}"
    raise AssertionError


def digits(value: float) -> str:
    """Write a number with 7 digits at most.

    Nothing where there is none.
    """
    return "" if math.isnan(value) else f"{value:.7g}"


def three_digits(value: float) -> str:
    """Write a number with three digits, zeros at its end too: ``79.0``."""
    return f"{value:#.3g}" if 1 <= abs(value) < 100 else significant(value, 3)


def not_checked(findings: Sequence[object]) -> str:
    """Say, above them, how many findings a run cannot check."""
    return f"{len(findings)} finding{'s' * (len(findings) > 1)} of the full run cannot be checked in this run"


def header_groups(columns: Sequence[str]) -> list[tuple[str, list[tuple[int, str]]]]:
    """Gather neighbouring columns under their group.

    They are named ``group: column``; others stand alone, under no group.

    Returns
    -------
    list of (str, list of (int, str))
        Group, and the number and short name of each of its columns.
    """
    groups: list[tuple[str, list[tuple[int, str]]]] = []
    for number, column in enumerate(columns):
        group, separator, name = column.partition(": ")
        if not separator:
            groups.append(("", [(number, column)]))
        elif groups and groups[-1][0] == group:
            groups[-1][1].append((number, name))
        else:
            groups.append((group, [(number, name)]))
    return groups
