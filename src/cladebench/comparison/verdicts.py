"""Judge a comparison: tests on the scores that count, first sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.statistics.method_differences import (
    ALL,
    UNDECIDED,
    VERDICTS,
    Compared,
    compare,
    over_data,
    table,
)
from cladebench.bench.statistics.method_ranks import Ranks, best_method, failures_last, ranks
from cladebench.bench.statistics.method_scores import Settings, Values, read_values
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import SHARE
from cladebench.comparison.scores import LABELLED, Run

#: Data sets on which the reference is better than a rival, worse, or as good, whether or not that is shown.
_SIGNS = ("Better on", "Worse on", "Equal on")


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Who is ahead, by how much, and what cannot be told.

    Attributes
    ----------
    measure : str
        By which methods are judged first; empty where there are no scores against labels.
    reference : str
        The user's method, or the one of the best mean rank; empty where nothing is judged.
    picked : bool
        Whether the reference was chosen because it scored best.
    rivals : tuple of str
        In the order of their mean ranks by the first measure, random methods left out.
    compared : tuple of Compared
        The reference against each rival, by all measures with labels.
    values : Values or None
        Of the first measure.
    absent : str
        The user's method, where it has no score and the best stands in for it.
    """

    measure: str
    reference: str
    picked: bool
    rivals: tuple[str, ...]
    compared: tuple[Compared, ...]
    values: Values | None
    absent: str = ""

    @property
    def rows(self) -> list[Compared]:
        """Select rows that decide by the first measure.

        Each data set that both scored on, or all where there are many.
        """
        first = [row for row in self.compared if row.measure == self.measure]
        return [row for row in first if row.data != ALL and row.n] or first

    @property
    def on_all(self) -> list[Compared]:
        """Select rows of all data sets at once; none for one.

        By the first measure.
        """
        return [row for row in self.compared if row.measure == self.measure and row.data == ALL]

    @property
    def undecided(self) -> list[Compared]:
        """Select `rows` that cannot be told, the largest difference first.

        Random methods are left out.
        """
        found = [row for row in self.rows if row.verdict == UNDECIDED and row.rival in self.rivals]
        return sorted(found, key=lambda row: -abs(np.nan_to_num(row.difference)))

    def counts(self, rival: str | None = None) -> dict[str, int]:
        """Count `rows` of each verdict, against one rival or all `rivals`."""
        wanted = self.rivals if rival is None else (rival,)
        found = [row.verdict for row in self.rows if row.rival in wanted]
        return {verdict: found.count(verdict) for verdict in VERDICTS}

    def tally(self, rival: str) -> dict[str, int]:
        """Count data sets by verdict, or by sign if not judged alone."""
        assert self.values is not None
        if any(row.data != ALL for row in self.rows):
            return {verdict.capitalize(): n for verdict, n in self.counts(rival).items()}
        signs = np.sign(self.values.sign * over_data(self.values, self.reference, rival))
        return {name: int((signs == sign).sum()) for name, sign in zip(_SIGNS, (1, -1, 0), strict=True)}

    @cached_property
    def ranks(self) -> Ranks:
        """Ranks by the first measure, where something is judged."""
        assert self.values is not None
        return ranks(self.values)

    @property
    def differences(self) -> pd.DataFrame:
        """What ``differences.csv`` holds."""
        return table(self.compared)

    @property
    def deciding(self) -> pd.DataFrame:
        """The table of `rows`, random methods last."""
        return table(self.in_order(self.rows))

    def in_order(self, rows: Sequence[Compared]) -> list[Compared]:
        """Sort rows by the mean rank of the rival, random methods last."""
        order = [*self.rivals, *CONTROLS]
        return sorted(rows, key=lambda row: order.index(row.rival))

    @property
    def sentences(self) -> list[dict[str, Any]]:
        """Say who is ahead, by how much, and what is undecided.

        Each sentence has the cells of the tables that it is of.
        """
        if self.values is None:
            text = "No scores against labels, so nothing can be called better: the tables show structure and stability."
            return [{"text": text, "cells": []}]
        data = [*self.values.tables]
        nearest = [row for row in self.rows if row.rival == self.rivals[0]] if self.rivals else []
        lead, who = self._who(self.values, data)
        of_who = [(name, method) for name in data for method in dict.fromkeys((self.reference, lead))]
        return [
            {"text": who, "cells": of_who[:6]},
            {"text": self._by_how_much(nearest, data), "cells": _cells(nearest)},
            {"text": self._what_is_open(self.values.reach), "cells": _cells(self.undecided)},
        ]

    def _who(self, values: Values, data: Sequence[str]) -> tuple[str, str]:
        """Name the best method by mean rank, with its score.

        Among equals it is the reference.
        """
        ranked = failures_last(values).means
        lead = min((self.reference, *self.rivals), key=ranked.__getitem__)
        scored, title = values.means(), values.measure.title or values.measure.name
        means, n = scored.mean(), scored[self.reference].count()
        over, best = (data[0], "score") if len(data) == 1 else (f"{len(data)} data sets", "mean rank")
        own = f"; {self.reference} has {means[self.reference]:.2f}" if self.reference != lead else ""
        own += f" on the {n} where it has a score" if own and n < len(data) else ""
        absent = f"{self.absent} has no score. " if self.absent else ""
        first = f"{absent}On {over}, {lead} has the best {best}: a mean {title} of {means[lead]:.2f}"
        return lead, f"{first}, where chance has 0{own}."

    def _by_how_much(self, nearest: Sequence[Compared], data: Sequence[str]) -> str:
        counts = self.counts()
        told = ", ".join(f"{verdict} in {counts[verdict]}" for verdict in ("ahead", "behind", "level"))
        text = f"{self.reference} against its rivals, in {sum(counts.values())} comparisons: {told}."
        for row in [row for row in nearest if not math.isnan(row.difference)][:1]:
            on = "" if row.data == ALL or len(data) == 1 else f" on {row.data}"
            width = f"{row.low:+.2f} to {row.high:+.2f}"
            text += f" Against {row.rival}{on} the difference is {row.difference:+.2f} ({width})."
        return text

    def _what_is_open(self, reach: float) -> str:
        n = len(self.undecided)
        if not n:
            return "All comparisons are decided."
        text = f"{n} comparison{'s are' if n > 1 else ' is'} undecided."
        seen = [row.detectable for row in self.undecided if not math.isnan(row.detectable)]
        detectable = float(np.median(seen)) if seen else math.nan
        if detectable > reach / 2:
            return text + " So few draws of so few rows could hardly have shown any difference."
        if math.isfinite(detectable):
            return text + f" A true difference of about {detectable:.2f} would have been found."
        return text


def verdicts(run: Run) -> Verdicts:
    """Judge a run by each measure with labels, the main one first.

    The page says what the first says.
    """
    mine, settings = run.document["mine"], Settings(rope=float(run.document["rope"]))
    read = [values for measure in LABELLED[:3] if (values := _values(run, measure)) is not None]
    if not read:
        return Verdicts("", "", not mine, (), (), None)
    scored = mine if mine in read[0].methods else ""
    found = [judged(values, scored, settings) for values in read if not scored or scored in values.methods]
    compared = tuple(row for one in found for row in one.compared)
    return replace(found[0], compared=compared, absent="" if scored else mine)


def judged(values: Values, mine: str, settings: Settings) -> Verdicts:
    """Judge by one measure: one method against each rival.

    It is the user's method, or the best one where `mine` is empty.
    """
    reference = mine or best_method(values, CONTROLS)
    ranked = failures_last(values).means
    rivals = [method for method in values.methods if method not in (reference, *CONTROLS)]
    return Verdicts(
        measure=values.measure.name,
        reference=reference,
        picked=not mine,
        rivals=tuple(sorted(rivals, key=ranked.__getitem__)),
        compared=tuple(compare(values, reference, settings, picked=not mine)),
        values=values,
    )


def _cells(rows: Sequence[Compared]) -> list[tuple[str, str]]:
    return [(row.data, row.rival) for row in rows[:3] if row.data != ALL]


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
