"""Say verdicts to readers: in sentences, and in tables with heads."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.statistics.method_differences import ALL, Compared
from cladebench.bench.statistics.method_ranks import Ranks, failures_last
from cladebench.bench.statistics.method_scores import Values
from cladebench.bench.statistics.method_verdicts import Verdicts


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


def over_all(found: Verdicts) -> list[dict[str, Any]]:
    """List the verdicts on rivals over all data sets, the best first."""
    return [
        {"Rival": row.rival, **found.tally(row.rival), "Difference": row.difference, "p": row.p}
        | {"Least possible p": row.least_p, "Verdict over all": row.verdict}
        for row in found.in_order(found.on_all)
    ]


def mean_ranks(ranks: Ranks) -> list[dict[Hashable, Any]]:
    """List the mean ranks, best first, under the heads of the page."""
    table = pd.DataFrame({"Mean rank": ranks.failures_last.means})
    if ranks.differ:
        table[f"On the {ranks.complete.n} data sets without failures"] = ranks.complete.means
    table = table.sort_values("Mean rank", kind="stable")
    return table.rename_axis("Method").reset_index().to_dict("records")
