"""Scores of other people's runs beside ours, marked wherever they stand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cladebench.comparison.scores import COLUMNS, Run

#: Behind the name of a method whose scores are imported, in ``scores.csv`` and on the page.
MARK = " (imported)"
#: Their status in ``scores.csv``.
STATUS = "imported"


def imported_scores(run: Run) -> pd.DataFrame:
    """Tabulate imported scores, with the columns of ``scores.csv``.

    A score counts as one run. It has no interval, and its labelling is known only where the data have one alone.
    """
    found = run.document.get("imported") or {}
    labels = run.values.groupby("data")["labels"].unique().to_dict()
    table = []
    for row in found.get("rows", ()):
        own = labels.get(row["data"], ())
        blind = run.plan.measures[row["measure"]].blind
        chance = np.nan if blind is None else float(blind)
        place = (row["data"], own[0] if len(own) == 1 else "", row["method"] + MARK, "", row["measure"])
        table.append((*place, row["score"], np.nan, np.nan, 1, chance, STATUS, found["file"]))
    return pd.DataFrame(table, columns=list(COLUMNS))
