"""The report in Markdown, for reading on a code host."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cladebench.audit import VERDICTS
from cladebench.report.claim_rows import MEANINGS, SIGNS, ClaimRow
from cladebench.report.views import ArtifactView, PaperView, RunView, passed


def escape(text: object) -> str:
    """Make text stand for itself in Markdown, inside tables too: no markup, no HTML, one line."""
    line = " ".join(str(text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # A low line marks emphasis only at the edge of a word.
    return re.sub(r"([\\`*\[\]|~#]|(?<!\w)_|_(?!\w))", r"\\\1", line)


def code(text: object) -> str:
    """Show text as code, where a pair of backticks can hold it; else escaped."""
    line = " ".join(str(text).split())
    return f"`{line}`" if line and not set("`|<>&") & set(line) else escape(line)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Write a table; entries are Markdown already."""
    body = ["| " + " | ".join(row) + " |" for row in rows]
    if not body:
        return ["Nothing in this run.", ""]
    return ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |", *body, ""]


def verdict(name: str) -> str:
    """Write a verdict with its sign."""
    return f"{SIGNS.get(name, '')} {escape(name)}".strip()


def report_markdown(run: RunView) -> str:
    """Write the whole report."""
    lines = ["# cladebench: what holds", "", f"Scope: {code(run.scope)}.", ""]
    lines += table(
        ["paper", "claims", *VERDICTS],
        (
            [escape(p.plan.title), str(len(p.audit)), *(str(p.counts.get(v, 0)) for v in VERDICTS)]
            for p in run.papers
        ),
    )
    lines += [f"- **{verdict(name)}**: {escape(meaning)}" for name, meaning in MEANINGS.items()] + [""]
    for paper in run.papers:
        lines += _paper(paper)
    lines += _certificates(run)
    lines += _environment(run)
    return "\n".join(lines).rstrip() + "\n"


def _paper(paper: PaperView) -> list[str]:
    lines = [f"## {escape(paper.plan.title)}", "", escape(paper.plan.citation), ""]
    lines += [
        "Cells: "
        + (", ".join(f"{count} {status}" for status, count in paper.statuses.items()) or "none")
        + ".",
        "",
    ]
    if paper.partial:
        lines += [escape(paper.partial), ""]
    for published in paper.published:
        lines += [f"### {escape(published.title)}: published, measured, verdict", ""]
        lines += table(
            ["method", *(escape(column) for column in published.columns)],
            (
                [
                    escape(row),
                    *(_entry(published.entries.get((row, column), ())) for column in published.columns),
                ]
                for row in published.rows
            ),
        )
    lines += ["### Claims", ""]
    lines += table(
        ["verdict", "claim", "place", "published", "measured", "n", "reason", "cells"],
        (
            [
                verdict(row.verdict),
                f"{escape(row.quote)} ({code(row.claim)})" if row.quote else code(row.claim),
                escape(row.place),
                escape(row.published),
                _measured(row),
                _count(row),
                escape(row.reason),
                ", ".join(code(pattern) for pattern in row.patterns.split("; ") if pattern),
            ]
            for row in sorted(paper.audit, key=lambda row: row.kind_order)
        ),
    )
    if paper.excluded:
        lines += ["Sentences that claim no result:", ""]
        lines += [f"- “{escape(e['quote'])}”: {escape(e['why'])}" for e in paper.excluded] + [""]
    for view in paper.artifacts:
        lines += _artifact(view)
    if paper.deviations:
        lines += ["### Deviations", ""]
        for entry in paper.deviations:
            deviation = entry.deviation
            lines += [
                f"- **{escape(deviation.id)}** ({escape(deviation.place)}). {escape(deviation.paper)}"
                f" Chosen: {escape(deviation.chosen)}"
                f" Alternatives: {escape('; '.join(deviation.alternatives) or 'none')}."
            ]
            lines += [f"  - {escape(compared)}: {escape(value.text)}" for compared, value, _ in entry.effects]
        lines += [""]
    return lines + _data(paper) + _failures(paper)


def _entry(claims: Sequence[ClaimRow]) -> str:
    return (
        "; ".join(
            f"{escape(claim.published)}, ours {_measured(claim)}: {verdict(claim.verdict)}"
            for claim in claims
        )
        or "–"
    )


def _count(row: ClaimRow) -> str:
    """What `n` counts stands beside it, unless it is repetitions."""
    counted = {"sentence": "parts" if row.parts else "certificates", "arithmetic": "numbers"}.get(row.kind)
    return f"{row.n} {counted}" if counted and row.n else row.n


def _measured(row: ClaimRow) -> str:
    text = " ".join(filter(None, (row.measured, row.interval))) or "–"
    if row.gridded and row.measured_label_free:
        text += f" (label-free {row.measured_label_free})"
    return escape(text)


def _artifact(view: ArtifactView) -> list[str]:
    lines = [f"### {escape(view.artifact.title)}", "", escape(view.artifact.caption), ""]
    if view.artifact.kind == "figure":
        made = f"![{escape(view.artifact.title)}]({view.figure.as_posix()})" if view.figure else ""
        return [*lines, made or "Not made in this run.", ""]
    lines += table(
        [escape(column) for column in view.columns],
        (
            [escape(e.text) + (f" {verdict(e.claim.verdict)}" if e.claim else "") for e in row]
            for row in view.rows
        ),
    )
    return lines + ([*(f"- {escape(note)}" for note in view.notes), ""] if view.notes else [])


def _data(paper: PaperView) -> list[str]:
    rows = []
    for data in paper.datasets:
        stand_in = (
            f"; stands in for {data['stand_in_for']}: an analogue, not the paper's data"
            if data["stand_in_for"]
            else ""
        )
        state = (
            f"unavailable in {data['unavailable']} of {data['cells']} cells: {data['reason']}"
            if data["unavailable"]
            else f"from: {data['source']}"
            if data["source"]
            else "not loaded"
        )
        if data["missing"]:
            state += f"; {data['missing']} planned cells missing"
        if data["rows_used"]:
            state += f"; rows used: {data['rows_used']}"
        rows.append(
            [
                escape(f"{data['name']} ({data['title']})"),
                escape(data["kind"] + stand_in),
                escape(data["shape"]),
                escape(state),
                ", ".join(code(digest) for _, digest in data["files"]) or "generated",
                escape(data["licence"]),
            ]
        )
    columns = ["data set", "kind", "points × features", "in this run", "sha256 of the files", "licence"]
    return ["### Data", "", *table(columns, rows)]


def _failures(paper: PaperView) -> list[str]:
    if not paper.failures:
        return ["Every cell of this paper finished.", ""]
    rows = (
        [
            escape(row["dataset"]),
            escape(row["method"]),
            escape(row["status"]),
            row["count"].text,
            escape(row["declared"] or "–"),
            escape(row["reason"]),
        ]
        for row in paper.failures
    )
    columns = ["data set", "method", "status", "cells", "declared beforehand", "reason"]
    return ["### Cells that did not finish", "", *table(columns, rows)]


def _certificates(run: RunView) -> list[str]:
    lines = ["## Certificates", ""]
    if run.certificates is None:
        return [*lines, "This run has no certificates: the cross-checks were not run.", ""]
    lines += table(
        ["topic", "passed", "largest residual", "seconds, fast", "seconds, reference"],
        (
            [
                escape(row["topic"]),
                f"{row['passed']} of {row['count']}",
                *(escape(row[key]) for key in ("residual", "seconds_fast", "seconds_reference")),
            ]
            for row in run.topics
        ),
    )
    failed = [row for row in run.certificates if not passed(row)]
    return lines + [f"- failed: {code(row['id'])}: {escape(row.get('note', ''))}" for row in failed] + [""]


def _environment(run: RunView) -> list[str]:
    lines = ["## Environment", ""]
    lines += [
        f"Sums over cells: {run.cpu_seconds:.1f} s of CPU time, {run.wall_seconds:.1f} s of wall time.",
        "",
    ]
    for entry in run.environments:
        pairs = {**entry["machine"], **entry["versions"]}
        lines += [
            f"- {entry['cells']} cells: commit {code(entry['commit'])} ({entry['state']}), core build"
            f" {code(entry['core_build'])}; " + escape(", ".join(f"{k} {v}" for k, v in pairs.items()))
        ]
    return [*lines, ""]
