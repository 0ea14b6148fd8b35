"""Compare two reports of a comparison by what their pages say.

Verdicts, mean ranks, settings that count and plans that differ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench.bench.statistics.method_differences import COLUMNS as DIFFERENCES
from cladebench.bench.statistics.run_scores import choose
from cladebench.bench.store.cells_table import read_cells
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import FILE, WHOLE, as_plan, read_plan
from cladebench.comparison.records import Run, table_of_runs, verdicts
from cladebench.comparison.shown_measures import LABELLED, UNLABELLED
from cladebench.input_files import InputFileError

#: Where a mean of two reports stands: in their tables, of another setting or measure, or of a run on all rows.
IN_TABLES, ELSEWHERE, ON_ALL_ROWS = "tables", "others", "all rows"


@dataclass(frozen=True, eq=False)
class TwoReports:
    """What differs between two reports.

    Attributes
    ----------
    plan : dict of str to tuple
        How the reports were made, where it differs: what A and B say.
    judged : tuple of str
        Method that is held against its rivals, in A and in B; empty where none is.
    n_verdicts : int
        How many verdicts both have.
    verdicts : DataFrame
        Rows of ``differences.csv`` whose verdict differs; columns of A and B have the suffixes ``_a`` and ``_b``.
    measure : str
        Title of the measure of the ranks.
    n_data : int
        Data sets of both, over which the ranks are.
    ranks : DataFrame
        Mean rank over the data sets that both have: columns a and b, methods as index, the best in B first. Empty where
        nothing is scored.
    chosen : tuple of dict
        Setting that counts in A and in B, by data, labels and method.
    measures : tuple of str
        Measures of the first tables.
    """

    plan: Mapping[str, tuple[Any, Any]]
    judged: tuple[str, str]
    n_verdicts: int
    verdicts: pd.DataFrame
    measure: str
    n_data: int
    ranks: pd.DataFrame
    chosen: tuple[Mapping[tuple[str, str, str], str], Mapping[tuple[str, str, str], str]]
    measures: tuple[str, ...]

    @property
    def leaders(self) -> tuple[str, str]:
        """Methods of the best mean rank, random ones left out: A, B."""
        known = self.ranks.drop(index=[*CONTROLS], errors="ignore")
        a, b = (" and ".join(sorted(known.index[known[side] == known[side].min()])) for side in "ab")
        return a, b

    @property
    def moved(self) -> pd.DataFrame:
        """Mean ranks that differ in two decimals, the farthest first."""
        far = (self.ranks["b"].round(2) - self.ranks["a"].round(2)).abs()
        far = far[far > 0].sort_values(ascending=False, kind="stable")
        return self.ranks.loc[far.index]

    @property
    def chosen_otherwise(self) -> list[tuple[str, str]]:
        """Methods and data of which another setting counts."""
        a, b = self.chosen
        return sorted({(key[2], key[0]) for key in a if b.get(key, a[key]) != a[key]})

    def places(self, means: pd.DataFrame) -> list[str]:
        """Say of each mean where it stands in the reports."""
        points = {text: json.loads(text).get("labels", "") for text in means["at"].unique()}
        places = []
        row: Any
        for row in means.itertuples():
            key = (row.dataset, points[row.at], row.method)
            counts = row.setting in [chosen.get(key) for chosen in self.chosen]
            in_tables = counts and row.metric in self.measures
            whole = str(row.dataset).endswith(WHOLE)
            places.append(ON_ALL_ROWS if whole else IN_TABLES if in_tables else ELSEWHERE)
        return places


def compare_reports(a: Path, b: Path) -> TwoReports | None:
    """Compare two folders of ``run-comparison``; None where neither is one.

    Raises
    ------
    InputFileError
        If one alone is a comparison, or a table is missing or damaged.
    """
    made = [(folder / FILE).is_file() for folder in (a, b)]
    if made[0] != made[1]:
        one, other = (a, b) if made[0] else (b, a)
        raise InputFileError(f"{other}: a run of papers; expected a comparison, as {one} is")
    if not all(made):
        return None
    runs = [_run(folder) for folder in (a, b)]
    plan = {
        key: (runs[0].document.get(key), runs[1].document.get(key)) for key in ("mine", "rope", "features")
    }
    left, right = (_differences(folder) for folder in (a, b))
    pairs = left.merge(right, on=["data", "method", "rival", "measure"], suffixes=("_a", "_b"))
    labelled = any(label for run in runs for _, label, _ in run.chosen)
    measure, ranks, n_data = _ranks(*runs)
    return TwoReports(
        plan={key: pair for key, pair in plan.items() if pair[0] != pair[1]},
        judged=(_judged(left), _judged(right)),
        n_verdicts=len(pairs),
        verdicts=pairs[pairs["verdict_a"] != pairs["verdict_b"]],
        measure=measure,
        n_data=n_data,
        ranks=ranks,
        chosen=(runs[0].chosen, runs[1].chosen),
        measures=LABELLED if labelled else UNLABELLED[:1],
    )


def _run(folder: Path) -> Run:
    """Read the records of a report; write nothing."""
    document = read_plan(folder)
    cells = read_cells(folder / "cells.parquet")
    values = table_of_runs(cells)
    draws = values[~values["is_whole"]]
    try:
        plan = as_plan(document)
    except (KeyError, TypeError) as error:
        why = f"lacks or misstates {error}"
        raise InputFileError(
            f"{folder / FILE}: {why}; run cladebench run-comparison, which makes it"
        ) from None
    whole = values[values["is_whole"]]
    return Run(folder, document, plan, cells, draws, whole, choose(draws, UNLABELLED[0]))


def _ranks(a: Run, b: Run) -> tuple[str, pd.DataFrame, int]:
    """Rank both reports' methods on common data by the first measure.

    It gives the title, the mean ranks, and how many data sets there are.
    """
    left, right = (verdicts(run).values for run in (a, b))
    if left is None or right is None or left.measure.name != right.measure.name:
        return "", pd.DataFrame(columns=["a", "b"], dtype=float), 0
    means = [values.means_with_failures() for values in (left, right)]
    data = means[0].index.intersection(means[1].index)
    methods = means[0].columns.intersection(means[1].columns)
    ranked = [(-left.sign * wide.loc[data, methods].round(12)).rank(axis=1).mean() for wide in means]
    table = pd.DataFrame(dict(zip("ab", ranked, strict=True))).sort_values("b", kind="stable")
    return left.measure.title or left.measure.name, table, len(data)


def _judged(differences: pd.DataFrame) -> str:
    return ", ".join(sorted(set(differences["method"])))


def _differences(folder: Path) -> pd.DataFrame:
    path = folder / "differences.csv"
    numbers = {name: [""] for name in ("difference", "low", "high", "p", "p_adjusted")}
    try:
        return pd.read_csv(path, keep_default_na=False, na_values=numbers)[list(DIFFERENCES)]
    except (OSError, ValueError, KeyError) as error:
        why = " ".join(str(error).split())[:80]
        raise InputFileError(f"{path}: {why}; run cladebench run-comparison, which makes it") from None
