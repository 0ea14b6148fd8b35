"""Show what two runs say differently, as text and as a page.

Both are made of the same sections.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cladebench.audit.two_runs.compare_runs import ABSENT, RunComparison, in_both
from cladebench.audit.two_runs.run_inputs import LEAST_SECONDS
from cladebench.audit.two_runs.run_means import ALPHA, CHANGED, DIFFERS
from cladebench.audit.verdict.verdict_types import VERDICTS
from cladebench.comparison.as_plan import NAME
from cladebench.notation import significant
from cladebench.report.comparison_sections import comparison_sections
from cladebench.report.run_sections import Section, counted, p_value, spread, tuples
from cladebench.report.templating import html_page
from cladebench.report.two_comparisons import TwoReports

_WIDTH = 150
#: Rows of a table on the page.
_ROWS = 500


def sections(comparison: RunComparison, reports: TwoReports | None) -> list[Section]:
    """Say what differs: inputs, conclusions, statuses, times, bits.

    The conclusions of two comparisons come first.
    """
    inputs, rest = (
        _inputs(comparison, reports),
        [_statuses(comparison), _times(comparison), _bits(comparison)],
    )
    if reports is not None:
        conclusions, folded = comparison_sections(comparison, reports)
        return [*conclusions, inputs, *rest, *folded]
    concluded = [one for one in (_verdicts(comparison), _checks(comparison)) if one.told]
    return [inputs, *concluded, _means(comparison), *rest]


def headline(parts: Sequence[Section]) -> str:
    """Count the conclusions that differ."""
    counts = [one.conclusion for one in parts if one.conclusion]
    if counts:
        return f"Conclusions that differ: {'; '.join(counts)}"
    shared = any(one.rows for one in parts if one.key == "bits")
    return "No conclusion differs" if shared else "A and B have no value in common"


def text(parts: Sequence[Section]) -> Iterator[str]:
    """Write what differs in at most 40 lines."""
    yield headline(parts)
    for one in parts:
        yield one.title
        for row in one.rows[: min(one.told, one.most)]:
            line = "  " + one.line.format(*map(_said, row)).replace(" ()", "")
            yield line if len(line) <= _WIDTH else line[: _WIDTH - 3] + "..."


def page(parts: Sequence[Section], folders: Mapping[str, Path]) -> str:
    """Write one page that holds all it shows."""
    run = {"abbreviations": {}, "scope": "two runs"}
    return html_page(
        "two-runs.html", title=headline(parts), run=run, parts=parts, folders=folders, most=_ROWS
    )


def _said(cell: Any) -> Any:
    return f"{VERDICTS[cell].answer}, {VERDICTS[cell].why}" if cell in VERDICTS else cell


def _inputs(comparison: RunComparison, reports: TwoReports | None) -> Section:
    rows = dict(comparison.inputs)
    tables = {
        "claims": (comparison.verdicts, "verdict"),
        "solver checks": (comparison.certificates, "passed"),
    }
    for kind, (table, column) in tables.items():
        alone = [int((table[f"{column}_{side}"] == ABSENT).sum()) for side in "ba"]
        if any(alone):
            rows[kind] = f"{alone[0]:,} only in A, {alone[1]:,} only in B"
    if reports is not None and reports.plan:
        rows["comparison"] = "; ".join(
            f"{key} {_plain(a)} -> {_plain(b)}" for key, (a, b) in reports.plan.items()
        )
    title = "Inputs that differ" if rows else "Inputs: the same"
    kinds = ", ".join(kind for kind in rows if kind != "comparison")
    told = "; ".join(text for text in (kinds, rows.get("comparison", "")) if text)
    sentence = f"{title}: {told}." if rows else f"{title}."
    columns, line = ["Kind", "What differs"], "{0:<14}{1}"
    return Section(
        "inputs",
        title,
        "",
        columns,
        [*rows.items()],
        len(rows),
        13,
        line,
        sentence=sentence if reports else "",
    )


def _plain(value: Any) -> str:
    """Write what a plan says: lists without brackets, nothing as none."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value) or "none"


def _verdicts(comparison: RunComparison) -> Section:
    rows = [
        (f"{r.paper} {r.claim}", r.verdict_a, r.verdict_b, r.reason_b, r.reason_a)
        for r in tuples(in_both(comparison.verdicts))
    ]
    rows.sort(key=lambda row: _answer(row[1]) == _answer(row[2]))
    columns = ["Claim", "A", "B", "Reason in B", "Reason in A"]
    title = f"Verdicts that differ: {len(rows):,}"
    return Section(
        "verdicts",
        title,
        "Changed answers first.",
        columns,
        rows,
        len(rows),
        5,
        conclusion=counted(len(rows), "verdict"),
    )


def _answer(verdict: str) -> str:
    return VERDICTS[verdict].answer if verdict in VERDICTS else ""


def _checks(comparison: RunComparison) -> Section:
    words = {"True": "passed", "False": "failed"}
    rows = [
        (r.id, words[r.passed_a], words[r.passed_b], "") for r in tuples(in_both(comparison.certificates))
    ]
    title = f"Solver checks that differ: {len(rows):,}"
    conclusion = counted(len(rows), "solver check")
    return Section("solver checks", title, "", ["Check", "A", "B"], rows, len(rows), 2, conclusion=conclusion)


def _means(comparison: RunComparison) -> Section:
    """Tell means that repetitions do not explain from others.

    Also say how many small p-values chance alone gives.
    """
    means = comparison.means.head(_ROWS)
    rows = [
        (_mean(r), significant(r.mean_a), significant(r.mean_b), spread(r), p_value(r.p_adjusted), r.says)
        for r in tuples(means)
    ]
    n, tests = len(comparison.means), comparison.means[comparison.means["p"].notna()]
    title = f"Means: {n:,} of {comparison.n_means:,} differ in 4 digits"
    if n:
        title += "".join(
            f"; {count:,} {says}" for says, count in comparison.means["says"].value_counts().items()
        )
    if len(tests):
        small, chance = int((tests["p"] < ALPHA).sum()), ALPHA * len(tests)
        title += f" (p < {ALPHA:g} in {small:,} of {len(tests):,}, by chance {significant(chance, 2)})"
    lead = (
        "Means over tasks that both runs met are paired, and corrected for the overlap of draws. Others are compared "
        "by Welch's test. P-values are corrected by Holm's method."
    )
    columns = ["Mean", "A", "B", "B less A, 95% interval", "p, corrected", "Verdict"]
    told = int(comparison.means["says"].isin((CHANGED, DIFFERS)).sum())
    line = "{0:.80}: {1} -> {2} ({3})"  # settings may be long
    return Section("means", title, lead, columns, rows, told, line=line, conclusion=counted(told, "mean"))


def _mean(row: Any) -> str:
    """Name a mean: ``hfd HFD on sonar, accuracy, k 5, trees 500``."""
    where = [f"{key} {value}" for text in (row.at, row.setting) for key, value in json.loads(text).items()]
    return ", ".join([f"{_method(row)} on {row.dataset}", row.metric, *where])


def _method(row: Any) -> str:
    """Name a method with its paper, where there is one."""
    return str(row.method) if row.paper == NAME else f"{row.paper} {row.method}"


def _statuses(comparison: RunComparison) -> Section:
    rows = [
        (_method(r), *(s.replace("_", " ") for s in (r.status_a, r.status_b)), r.cause, r.runs)
        for r in tuples(comparison.statuses)
    ]
    n = int(comparison.statuses["runs"].sum())
    title = f"Runs whose status differs: {n:,}" if n else "Statuses: the same"
    columns, line = ["Method", "A", "B", "Cause, of the first", "Runs"], "{0}: {1} -> {2} in {4} ({3})"
    return Section("statuses", title, "", columns, rows, len(rows), line=line)


def _times(comparison: RunComparison) -> Section:
    clear = (comparison.times["low"] > 1) | (comparison.times["high"] < 1)
    far = -np.abs(np.log(comparison.times["ratio"]))
    ordered = comparison.times.assign(near=~clear, far=far).sort_values(["near", "far"], kind="stable")
    rows = [
        (
            _method(r),
            f"{r.ratio:.2f}",
            f"{r.low:.2f} to {r.high:.2f}" if r.low > 0 else "too few runs",
            r.runs,
        )
        for r in tuples(ordered)
    ]
    title = f"CPU time of B over A: {clear.sum():,} of {len(rows):,} methods differ from 1"
    if not rows:
        title = f"CPU time: no run of {LEAST_SECONDS:g} s and more was made twice"
    lead = f"Median over runs that both finished, made twice, of {LEAST_SECONDS:g} s and more; 95% interval by signs."
    columns, line = ["Method", "Ratio", "Interval", "Runs"], "{0}: {1} ({2}; n = {3})"
    return Section("times", title, lead, columns, rows, int(clear.sum()), line=line)


def _bits(comparison: RunComparison) -> Section:
    by = comparison.values.groupby("metric")[["equal", "agrees"]].agg(["size", "sum"])
    counts = [(name, *(int(x) for x in row)) for name, *row in tuples(by)]
    rows = [(name, n, equal, agree - equal, n - agree) for name, n, equal, _, agree in counts]
    n, equal, within, beyond = (sum(row[i] for row in rows) for i in range(1, 5))
    title = f"Values: {n:,} in both, {equal:,} bit-equal, {within:,} within tolerance, {beyond:,} beyond"
    return Section("bits", title, "", ["Measure", "Values", "Bit-equal", "Within tolerance", "Beyond"], rows)
