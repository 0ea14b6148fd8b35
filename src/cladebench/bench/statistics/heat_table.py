"""Show scores by method and data set, on pages or in LaTeX."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.statistics.run_scores import STATUS
from cladebench.measures import Measure
from cladebench.notation import two_decimals


def words(name: str) -> str:
    """Write a status or a measure for readers."""
    return name.replace("_", " ")


def best_labellings(scores: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Select of several labellings the one with the best score.

    Each data set and method goes by the first of the measures, in the order of their names, that it has.
    Methods without any keep all their rows.
    """
    place = ["data", "labels", "method"]
    best = scores[scores["measure"].isin(measures)].sort_values("measure", kind="stable")
    best = best.drop_duplicates(place).sort_values("mean", ascending=False, kind="stable")
    best = best.drop_duplicates(["data", "method"])
    kept = pd.MultiIndex.from_frame(scores[place]).isin(pd.MultiIndex.from_frame(best[place]))
    return scores[kept | ~scores["method"].isin(best["method"])]


def heat_table(
    scores: pd.DataFrame,
    shown: Sequence[str],
    measures: Mapping[str, Measure],
    data: Iterable[str],
    methods: Iterable[str],
    unlabelled: Collection[str] = (),
) -> dict[str, Any]:
    """Tabulate methods by data sets; empty where nothing has a score.

    Parameters
    ----------
    scores : DataFrame
        As `run_scores.score_table` gives it, with one setting and one labelling of each method and data set.
    shown : sequence of str
        The first measure that has scores is in the cells. The others have a mean over all data sets.
    measures, data, methods : mapping of str to Measure, iterable of str
        In their order; others of `scores` stand behind.
    unlabelled : collection of str, default=()
        Of these measures only scores without a labelling count.

    Returns
    -------
    dict
        ``measures``, ``data``, ``higher`` (is better) and ``rows``, the best first. A row has ``method``, ``means``,
        ``n`` scores and ``cells``, each a mean with interval, chance, status and reason, the last two alone, or None. A
        method that takes none of the data has no row.
    """
    shown = [m for m in shown if m in set(scores["measure"])]
    if not shown:
        return {}
    if shown[0] in unlabelled:
        scores = scores[scores["labels"] == ""]
    first = scores[scores["measure"] == shown[0]]
    scored = set(first.loc[first["mean"].notna(), "data"])
    names = [name for name in data if name in scored]
    if not names:
        return {}
    higher = shown[0] not in measures or measures[shown[0]].direction != "lower"
    rows: list[dict[str, Any]] = []
    for method in dict.fromkeys((*methods, *scores["method"])):
        of_method = scores[(scores["method"] == method) & scores["data"].isin(names)]
        cells = [_cell(of_method[of_method["data"] == name], shown[0]) for name in names]
        means = {m: float(of_method.loc[of_method["measure"] == m, "mean"].mean()) for m in shown}
        n = sum("mean" in (cell or {}) for cell in cells)
        # Of a method that always failed nobody knows whether it gives trees.
        failed = any(cell and cell["status"] != "not_applicable" for cell in cells)
        shows = n if shown[0] == "dendrogram_purity" else failed
        if shows or not all(np.isnan(mean) for mean in means.values()):
            rows.append({"method": method, "cells": cells, "means": means, "n": n})
    rows.sort(
        key=lambda row: (-row["n"], np.nan_to_num(row["means"][shown[0]] * (-1 if higher else 1), nan=9e9))
    )
    return {"measures": shown, "data": names, "rows": rows, "higher": higher}


def _cell(rows: pd.DataFrame, measure: str) -> dict[str, Any] | None:
    """Fill a cell with mean, interval and chance, or runs' ends.

    None means that there is nothing.
    """
    scored = rows[(rows["measure"] == measure) & rows["mean"].notna()]
    if len(scored):
        return dict(scored[["mean", "low", "high", "chance", "status", "reason"]].iloc[0])
    failed = rows[~rows["status"].isin(("ok", STATUS))]
    return dict(failed[["status", "reason"]].iloc[0]) if len(failed) else None


def latex(heat: Mapping[str, Any]) -> str:
    """Write a `heat_table` for LaTeX, which needs the package booktabs."""
    data, rows = heat.get("data", []), heat.get("rows", [])
    cells = [[row["method"], *map(_latex_cell, row["cells"])] for row in rows]
    table = pd.DataFrame(cells, columns=["method", *data])
    text = table.to_latex(index=False, escape=True, column_format="l" + "r" * len(data))
    return text.replace("−", "$-$").replace("–", "--")


def _latex_cell(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    return two_decimals(cell["mean"]) if "mean" in cell else words(cell["status"])
