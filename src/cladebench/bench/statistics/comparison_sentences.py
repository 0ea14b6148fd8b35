"""Say verdicts to readers: in sentences, and in tables with heads."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.statistics.method_differences import AHEAD, ALL, Compared
from cladebench.bench.statistics.method_ranks import Ranks, failures_last
from cladebench.bench.statistics.method_scores import Values
from cladebench.bench.statistics.method_verdicts import Verdicts
from cladebench.bench.store.causes import some_of
from cladebench.notation import two_decimals

#: Cells that a sentence leads to at most.
_CELLS = 3


def sentences(verdicts: Verdicts) -> list[dict[str, Any]]:
    """Say who is ahead, by how much, and what is undecided.

    Each sentence has the first cells of the tables that it is of, and whether there are more.
    """
    if verdicts.values is None:
        text = "No method has a score against labels, so nothing can be called better."
        return [_sentence(f"{text} The tables show structure and stability.", [])]
    data = [*verdicts.values.tables]
    nearest = [row for row in verdicts.rows if row.rival == verdicts.rivals[0]] if verdicts.rivals else []
    leads, who = _who(verdicts, verdicts.values)
    of_who = [(name, method) for name in data for method in dict.fromkeys((verdicts.reference, leads[0]))]
    said = [_sentence(who, of_who), _sentence(_by_how_much(verdicts, nearest, len(data)), _cells(nearest))]
    if verdicts.rivals:
        said.append(_sentence(_what_is_open(verdicts, verdicts.values.reach), _cells(verdicts.undecided)))
    return said


def _sentence(text: str, cells: list[tuple[str, str]]) -> dict[str, Any]:
    return {"text": text, "cells": cells[:_CELLS], "more": len(cells) > _CELLS}


def _who(verdicts: Verdicts, values: Values) -> tuple[list[str], str]:
    """Name the methods of the best mean rank, with a score.

    The reference goes first among equals. Random methods are never the best, but it is said where one ranks
    higher.
    """
    mine, data, ranked = verdicts.reference, [*values.tables], failures_last(values).means
    least = min(ranked[method] for method in (mine, *verdicts.rivals))
    leads = [method for method in (mine, *verdicts.rivals) if ranked[method] == least]
    scored, title = values.means(), values.measure.title or values.measure.name
    means, n = scored.mean(), scored[mine].count()
    over, best = (data[0], "score") if len(data) == 1 else (f"{len(data)} data sets", "mean rank")
    of_mine = f"; {mine} has {two_decimals(means[mine])}" if mine not in leads else ""
    of_mine += f" on the {n} where it has a score" if of_mine and n < len(data) else ""
    first = f"{verdicts.absent} has no score. " if verdicts.absent else ""
    blind = [method for method in verdicts.random if ranked.get(method, math.inf) < least]
    if blind:
        first += f"On {over}, {min(blind, key=ranked.__getitem__)}, which reads no data, has the best {best}."
        first += " Of the others "
    else:
        first += f"On {over}, "
    named = " and ".join(leads) if len(leads) < 3 else some_of(leads, 2)
    first += f"{named} {'has' if len(leads) == 1 else 'share'} the best{'' if blind else f' {best}'}"
    # Methods of equal ranks may have other means.
    ends = dict.fromkeys(two_decimals(end(means[leads])) for end in (min, max))
    first += f": a mean {title} of {' to '.join(ends)}"
    return leads, f"{first}, where chance has 0{of_mine}."


def _by_how_much(verdicts: Verdicts, nearest: Sequence[Compared], n_data: int) -> str:
    counts = verdicts.counts()
    n = sum(counts.values())
    told = ", ".join(f"{verdict} in {counts[verdict]}" for verdict in ("ahead", "behind", "level"))
    text = f"{verdicts.reference} against its rivals, in {n} comparison{'s' if n != 1 else ''}: {told}."
    if not verdicts.rivals:
        text = f"{verdicts.reference} has no rival but chance."
    for row in [row for row in nearest if not math.isnan(row.difference)][:1]:
        on = "" if row.data == ALL or n_data == 1 else f" on {row.data}"
        width = f"{_signed(row.low)} to {_signed(row.high)}"
        text += f" Against {row.rival}{on} the difference is {_signed(row.difference)} ({width})"
        apart = row.verdict == "undecided" and not row.low <= 0 <= row.high
        text += ", undecided once all rivals are counted." if apart else "."
    return text + _over_chance(verdicts)


def _over_chance(verdicts: Verdicts) -> str:
    """Say where random methods are not shown to be worse.

    Nothing where they are on all data.
    """
    rows = [row for row in verdicts.rows if row.rival in verdicts.random and row.n]
    missed = [*dict.fromkeys(row.data for row in rows if row.verdict != AHEAD)]
    if not missed:
        return ""
    on = f" on {some_of(missed, 2)}" if len(missed) < len({row.data for row in rows}) else ""
    return f" {verdicts.reference} is not shown to be better than chance{on}."


def _what_is_open(verdicts: Verdicts, reach: float) -> str:
    """Say what is open, and which differences may have been missed.

    It says that none can be shown only if none was shown.
    """
    rows = verdicts.undecided
    if not rows:
        return "All comparisons are decided."
    one = len(rows) == 1
    text = f"{len(rows)} comparison{' is' if one else 's are'} undecided."
    seen = [row.detectable for row in rows if not math.isnan(row.detectable)]
    detectable = float(np.median(seen)) if seen else math.nan
    if detectable < reach:
        text += f" A true difference of {detectable:.2f} would show{'' if one else ' in half of them,'} in 4 of 5 such"
        text += " reports. A smaller one may have been missed."
    elif not math.isnan(detectable) and len(rows) == sum(verdicts.counts().values()):
        text += " So few draws, with such varied scores, could hardly show even the largest difference."
    return text


def _signed(value: float) -> str:
    return f"{value:+z.2f}".replace("-", "−").replace("+0.00", "0.00")


def _cells(rows: Sequence[Compared]) -> list[tuple[str, str]]:
    return [(row.data, row.rival) for row in rows if row.data != ALL]


def over_all(verdicts: Verdicts) -> list[dict[str, Any]]:
    """List the verdicts on rivals over all data sets, the best first."""
    return [
        {"Rival": row.rival, **verdicts.tally(row.rival), "Difference": row.difference, "p": row.p}
        | {"Least possible p": row.least_p, "Verdict over all": row.verdict}
        for row in verdicts.in_order(verdicts.on_all)
    ]


def mean_ranks(ranks: Ranks) -> list[dict[Hashable, Any]]:
    """List the mean ranks, best first, under the heads of the page."""
    table = pd.DataFrame({"Mean rank": ranks.failures_last.means})
    if ranks.differ and ranks.complete.n:
        table[f"On data sets without failures: {ranks.complete.n}"] = ranks.complete.means
    table = table.sort_values("Mean rank", kind="stable")
    return table.rename_axis("Method").reset_index().to_dict("records")
