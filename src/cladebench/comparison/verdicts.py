"""What a comparison says: the tests on the scores that count, and its first sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from cladebench.comparison.as_plan import SHARE
from cladebench.comparison.methods import CONTROLS
from cladebench.comparison.ranks import Ranks, ranks
from cladebench.comparison.scores import LABELLED, Run
from cladebench.comparison.statistics import COLUMNS, differences
from cladebench.comparison.summary import Summary, best_method, summary
from cladebench.comparison.values import Settings, Values, read_values


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What the tests say.

    Attributes
    ----------
    measure : str
        By which methods are judged first; empty where no data set has labels.
    reference : str
        The user's method, or the best; empty where nothing is judged.
    differences : DataFrame
        Of all measures with labels, as `cladebench.comparison.statistics.differences` gives them.
    summary : Summary or None
    ranks : Ranks or None
    """

    measure: str
    reference: str
    differences: pd.DataFrame
    summary: Summary | None
    ranks: Ranks | None
    values: Values | None

    @property
    def deciding(self) -> pd.DataFrame:
        """Rows of the first measure that decide, random methods last."""
        if self.summary is None:
            return self.differences
        order = [*self.summary.rivals, *CONTROLS]
        rows = pd.DataFrame(
            [{c: getattr(row, c) for c in COLUMNS} for row in self.summary.rows], columns=COLUMNS
        )
        place = {rival: i for i, rival in enumerate(order)}
        return rows.sort_values("rival", key=lambda names: names.map(place), kind="stable")

    @property
    def sentences(self) -> list[dict[str, Any]]:
        """Say who is ahead, by how much, and what cannot be told; each with the cells of the tables that it is of."""
        found, values = self.summary, self.values
        if found is None or values is None:
            text = "No data set has labels, so nothing can be called better: the tables show structure and stability."
            return [{"text": text, "cells": []}]
        means = values.means().mean()
        lead, title = found.leader, values.measure.title or values.measure.name
        over = found.data[0] if len(found.data) == 1 else f"{len(found.data)} data sets"
        who = f"On {over}, {lead} has the best {'score' if len(found.data) == 1 else 'mean rank'}"
        first = f"{who}: a mean {title} of {means[lead]:.2f}, where chance has 0."
        if self.reference != lead:
            first = first[:-1] + f"; {self.reference} has {means[self.reference]:.2f}."
        counts = found.counts()
        told = ", ".join(f"{verdict} in {counts[verdict]}" for verdict in ("ahead", "behind", "level"))
        second = f"{self.reference} against its rivals, in {sum(counts.values())} comparisons: {told}."
        near = [row for row in found.nearest if not math.isnan(row.difference)]
        if near:
            row = near[0]
            on = "" if row.data == "all" or len(found.data) == 1 else f" on {row.data}"
            width = f"{row.low:+.2f} to {row.high:+.2f}"
            second += f" Against {row.rival}{on} the difference is {row.difference:+.2f} ({width})."
        third = "All comparisons are decided."
        if n := counts["undecided"]:
            third = f"{n} comparison{'s are' if n > 1 else ' is'} undecided."
            if found.detectable > values.reach / 2:
                third += " So few draws of so few rows could hardly have shown any difference."
            elif math.isfinite(found.detectable):
                third += f" A true difference of about {found.detectable:.2f} would have been found."
        cells = [(data, method) for data in found.data for method in dict.fromkeys((self.reference, lead))]
        return [
            {"text": first, "cells": cells[:6]},
            {
                "text": second,
                "cells": [(row.data, row.rival) for row in found.nearest[:3] if row.data != "all"],
            },
            {
                "text": third,
                "cells": [(row.data, row.rival) for row in found.undecided[:3] if row.data != "all"],
            },
        ]


def verdicts(run: Run) -> Verdicts:
    """Judge a run by each measure with labels; the first says what the page says."""
    settings = Settings(rope=float(run.document["rope"]))
    tables, first = [], None
    mine = run.document["mine"] or None
    for measure in LABELLED[:3]:
        values = _values(run, measure)
        if values is None or (mine is not None and mine not in values.methods):
            continue
        own = mine or best_method(values, CONTROLS)
        tables.append(differences(values, own, settings, picked=mine is None))
        if measure == LABELLED[0]:
            first = values, summary(values, mine, settings, random=CONTROLS), ranks(values)
    every = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))
    if first is None:
        return Verdicts("", "", every, None, None, None)
    return Verdicts(LABELLED[0], first[1].method, every, first[1], first[2], first[0])


def _values(run: Run, measure: str) -> Values | None:
    """Give the scores that count by one measure, as the tests read them; None where there are none."""
    rows = run.counted(run.values)
    rows = rows[(rows["measure"] == measure) & (rows["labels"] != "")]
    scored = set(rows.loc[rows["value"].notna(), "method"])
    rows = rows[rows["method"].isin(scored)]
    if rows.empty or len(scored) < 2:
        return None
    sizes = run.whole.groupby("data")["n_rows"].max()
    rows = rows.assign(n_rows=rows["data"].map(sizes), share=SHARE, deterministic=False)
    return read_values(rows, run.plan.measures[measure])
