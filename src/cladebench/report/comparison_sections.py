"""Say what two reports of a comparison conclude differently, in sections.

What stands in the first tables of their pages is a conclusion; all else is folded.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd

from cladebench.audit.two_runs.compare_runs import RunComparison
from cladebench.audit.two_runs.run_means import CHANGED, DIFFERS
from cladebench.bench.statistics.method_differences import ALL
from cladebench.bench.store.causes import some_of
from cladebench.comparison.as_plan import WHOLE
from cladebench.comparison.shown_measures import OWN_MEASURES
from cladebench.measures import with_own
from cladebench.notation import significant
from cladebench.report.run_sections import Section, counted, p_value, signed, spread, tuples
from cladebench.report.two_comparisons import ELSEWHERE, IN_TABLES, ON_ALL_ROWS, TwoReports

#: Rows of a table that stand open; a first screen has room for few.
_OPEN = 8


def comparison_sections(
    comparison: RunComparison, reports: TwoReports
) -> tuple[list[Section], list[Section]]:
    """Give the sections of conclusions, and those that are folded.

    Conclusions are verdicts on rivals, and means of the tables; what differs comes first. Mean ranks describe.
    """
    places = np.array(reports.places(comparison.means), dtype=object)
    in_tables, others, whole = (
        comparison.means[places == one] for one in (IN_TABLES, ELSEWHERE, ON_ALL_ROWS)
    )
    ranks = [_ranks(reports)] if len(reports.ranks) else []
    concluded = [*ranks, _verdicts(reports), _in_tables(in_tables, reports)]
    return sorted(concluded, key=lambda one: not one.conclusion), [_elsewhere(others), _on_all_rows(whole)]


def _ranks(reports: TwoReports) -> Section:
    """Name the best method, and tabulate the mean ranks that moved."""
    a, b = reports.leaders
    over = f"{reports.n_data} data set{'s' * (reports.n_data > 1)}"
    best = f"{a} in A, {b} in B" if a != b else f"{a}, in A and B"
    moved = reports.moved
    rows = [(r.Index, f"{r.a:.2f}", f"{r.b:.2f}", "") for r in tuples(moved)]
    lead = f"By {reports.measure}, over the {over} of both; 1 is best. "
    lead += f"{len(rows)} of {len(reports.ranks)} mean ranks moved{', the farthest first' * bool(rows)}. "
    lead += "Ranks describe, they decide nothing."
    sentence = f"Best mean rank: {best}."
    return Section(
        "best mean rank",
        f"Best mean rank: {best}",
        lead,
        ["Method", "A", "B"],
        rows,
        min(len(rows), _OPEN),
        line="{0}: {1} -> {2}",
        sentence=sentence,
    )


def _verdicts(reports: TwoReports) -> Section:
    """Tabulate verdicts that differ, with what each side rests on."""
    rows = [(_pair(r), _side(r, "a"), _side(r, "b"), "") for r in tuples(reports.verdicts)]
    n, of = len(rows), f"of {reports.n_verdicts:,} in both reports"
    kinds = (reports.verdicts["verdict_a"] + " -> " + reports.verdicts["verdict_b"]).value_counts()
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    sentence = f"Verdicts on rivals that differ: {n:,} {of}{': ' * bool(n)}{told}."
    lead = (
        "Each side has the difference to the rival, its 95% interval, and the p-value, adjusted over all that its "
        "report tests. So a verdict may change where the difference hardly does. Level rests on another test: that "
        "the difference is too small to matter."
    )
    conclusion = counted(n, "verdict on a rival", "verdicts on rivals")
    if reports.judged[0] != reports.judged[1]:
        who = " -> ".join(name or "none" for name in reports.judged)
        sentence += f" The method held against its rivals differs: {who}."
        conclusion = "; ".join(filter(None, (f"the method held against rivals, {who}", conclusion)))
    return Section(
        "verdicts on rivals",
        f"Verdicts on rivals that differ: {n:,}",
        lead if n else "",
        ["Methods", "A", "B"],
        rows,
        min(n, _OPEN),
        line="{0}: {1} -> {2}",
        conclusion=conclusion,
        sentence=sentence,
    )


def _pair(row: Any) -> str:
    where = "over all data sets" if row.data == ALL else f"on {row.data}"
    return f"{row.method} against {row.rival} {where}, {_title(row.measure)}"


def _side(row: Any, side: str) -> str:
    """Write a verdict: ``ahead, +0.40 (+0.22 to +0.58), p 0.031``."""
    said, *numbers = (
        getattr(row, f"{name}_{side}") for name in ("verdict", "difference", "low", "high", "p_adjusted")
    )
    value, low, high, p = map(float, numbers)
    if math.isnan(value):
        return f"{said}, no score"
    interval = f" ({low:+.2f} to {high:+.2f})" if math.isfinite(low) and math.isfinite(high) else ""
    return f"{said}, {value:+.2f}{interval}, p {p_value(p)}"


def _in_tables(means: pd.DataFrame, reports: TwoReports) -> Section:
    """Tell means of the tables that repetitions do not explain from others."""
    n = int((means["says"] == DIFFERS).sum())
    changed = int((means["says"] == CHANGED).sum())
    means = means.sort_values("says", key=lambda says: says != DIFFERS, kind="stable")
    rows = [(*_row(r), p_value(r.p_adjusted), r.says) for r in tuples(means)]
    also = f"; {changed:,} of them changed without a test" if changed else ""
    lead = f"Of settings that count, by {', '.join(map(_title, reports.measures))}; {len(rows):,} differ in 4 digits."
    others = [f"{method} on {data}" for method, data in reports.chosen_otherwise]
    if others:
        lead += f" Another setting counts in B for {some_of(others, 4)}."
    lead += (
        " Means over tasks that both reports met are paired, and corrected for the overlap of draws. Others are "
        "compared by Welch's test. P-values are corrected by Holm's method."
    )
    title = f"Means that differ by more than repetitions explain: {n:,}"
    return Section(
        "means",
        title,
        lead,
        ["Mean", "A", "B", "B less A, 95% interval", "p, corrected", "Verdict"],
        rows,
        min(n, _OPEN),
        line="{0:.80}: {1} -> {2} ({3})",
        conclusion=counted(n, "mean"),
        sentence=f"{title}, of {len(rows):,} that differ in 4 digits{also}.",
    )


def _elsewhere(means: pd.DataFrame) -> Section:
    rows = [(*_row(r), p_value(r.p_adjusted), r.says) for r in tuples(means)]
    title = f"Means of other settings and measures: {len(rows):,} differ in 4 digits"
    columns = ["Mean", "A", "B", "B less A, 95% interval", "p, corrected", "Verdict"]
    return Section("other means", title, "No first table of the reports has them.", columns, rows)


def _on_all_rows(means: pd.DataFrame) -> Section:
    """List values of runs on all rows, without a test."""
    rows = [(*_row(r)[:3], signed(r.difference), _seeds(r)) for r in tuples(means)]
    changed = int((means["says"] == CHANGED).sum())
    counts = {"changed": changed, "differ with other seeds or data": len(rows) - changed}
    told = ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)
    title = f"Values on all rows: {told or 'the same'}"
    lead = "Each is of one run, so nothing is tested."
    return Section("all rows", title, lead, ["Value", "A", "B", "B less A", "Seed and data"], rows)


def _seeds(row: Any) -> str:
    return "the same" if row.says == CHANGED else "others"


def _row(row: Any) -> tuple[str, str, str, str]:
    """Name a mean, with both values and their difference."""
    at = {
        key: value for key, value in json.loads(row.at).items() if key != "k" and value not in ("", "labels")
    }
    where = [f"{key} {value}" for key, value in (at | json.loads(row.setting)).items()]
    data = str(row.dataset).removesuffix(WHOLE)
    name = ", ".join([f"{row.method} on {data}", _title(row.metric), *where])
    return name, significant(row.mean_a), significant(row.mean_b), spread(row)


def _title(measure: str) -> str:
    known = with_own(OWN_MEASURES)
    return known[measure].title or measure if measure in known else measure
