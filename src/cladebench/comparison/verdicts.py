"""Judge a comparison, and say the verdicts in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cladebench.bench.statistics.method_differences import ALL, Compared
from cladebench.bench.statistics.method_ranks import failures_last
from cladebench.bench.statistics.method_scores import Settings, Values, read_values
from cladebench.bench.statistics.method_verdicts import Verdicts, judged
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import SHARE
from cladebench.comparison.scores import LABELLED, Run


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


def sentences(found: Verdicts) -> list[dict[str, Any]]:
    """Say who is ahead, by how much, and what is undecided.

    Each sentence has the cells of the tables that it is of.
    """
    if found.values is None:
        text = "No scores against labels, so nothing can be called better: the tables show structure and stability."
        return [{"text": text, "cells": []}]
    data = [*found.values.tables]
    nearest = [row for row in found.rows if row.rival == found.rivals[0]] if found.rivals else []
    lead, who = _who(found, found.values)
    of_who = [(name, method) for name in data for method in dict.fromkeys((found.reference, lead))]
    return [
        {"text": who, "cells": of_who[:6]},
        {"text": _by_how_much(found, nearest, len(data)), "cells": _cells(nearest)},
        {"text": _what_is_open(found.undecided, found.values.reach), "cells": _cells(found.undecided)},
    ]


def _who(found: Verdicts, values: Values) -> tuple[str, str]:
    """Name the best method by mean rank, with its score.

    Among equals it is the reference.
    """
    mine, data, ranked = found.reference, [*values.tables], failures_last(values).means
    lead = min((mine, *found.rivals), key=ranked.__getitem__)
    scored, title = values.means(), values.measure.title or values.measure.name
    means, n = scored.mean(), scored[mine].count()
    over, best = (data[0], "score") if len(data) == 1 else (f"{len(data)} data sets", "mean rank")
    own = f"; {mine} has {means[mine]:.2f}" if mine != lead else ""
    own += f" on the {n} where it has a score" if own and n < len(data) else ""
    absent = f"{found.absent} has no score. " if found.absent else ""
    first = f"{absent}On {over}, {lead} has the best {best}: a mean {title} of {means[lead]:.2f}"
    return lead, f"{first}, where chance has 0{own}."


def _by_how_much(found: Verdicts, nearest: Sequence[Compared], n_data: int) -> str:
    counts = found.counts()
    told = ", ".join(f"{verdict} in {counts[verdict]}" for verdict in ("ahead", "behind", "level"))
    text = f"{found.reference} against its rivals, in {sum(counts.values())} comparisons: {told}."
    for row in [row for row in nearest if not math.isnan(row.difference)][:1]:
        on = "" if row.data == ALL or n_data == 1 else f" on {row.data}"
        width = f"{row.low:+.2f} to {row.high:+.2f}"
        text += f" Against {row.rival}{on} the difference is {row.difference:+.2f} ({width})."
    return text


def _what_is_open(rows: Sequence[Compared], reach: float) -> str:
    if not rows:
        return "All comparisons are decided."
    text = f"{len(rows)} comparison{'s are' if len(rows) > 1 else ' is'} undecided."
    seen = [row.detectable for row in rows if not math.isnan(row.detectable)]
    detectable = float(np.median(seen)) if seen else math.nan
    if detectable > reach / 2:
        return text + " So few draws of so few rows could hardly have shown any difference."
    if math.isfinite(detectable):
        return text + f" A true difference of about {detectable:.2f} would have been found."
    return text


def _cells(rows: Sequence[Compared]) -> list[tuple[str, str]]:
    return [(row.data, row.rival) for row in rows[:3] if row.data != ALL]
