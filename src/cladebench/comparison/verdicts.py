"""Judge a comparison by the scores that count."""

from __future__ import annotations

from dataclasses import replace

from cladebench.bench.statistics.method_scores import Settings, Values, read_values
from cladebench.bench.statistics.method_verdicts import Verdicts, judged
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import SHARE
from cladebench.comparison.records import Run
from cladebench.comparison.shown_measures import LABELLED


def verdicts(run: Run) -> Verdicts:
    """Judge a run by each measure with labels, the main one first.

    The page says what the first says.
    """
    mine, settings = run.document["mine"], Settings(rope=float(run.document["rope"]))
    read = [values for measure in LABELLED[:3] if (values := _values(run, measure)) is not None]
    if not read:
        return Verdicts(picked=not mine)
    scored = mine if mine in read[0].methods else ""
    found = [
        judged(values, scored, settings, CONTROLS)
        for values in read
        if not scored or scored in values.methods
    ]
    compared = tuple(row for one in found for row in one.compared)
    return replace(found[0], compared=compared, absent="" if scored else mine)


def _values(run: Run, measure: str) -> Values | None:
    """Give the scores that count; None for fewer than two methods.

    They are by one measure, as the tests read them.
    """
    rows = run.counted(run.values)
    rows = rows[rows["measure"] == measure]
    scored = set(rows.loc[rows["value"].notna(), "method"])
    if len(scored) < 2:
        return None
    sizes = run.whole.groupby("data")["n_rows"].max()
    rows = rows[rows["method"].isin(scored)]
    rows = rows.assign(n_rows=rows["data"].map(sizes), share=SHARE, deterministic=False)
    return read_values(rows, run.plan.measures[measure])
