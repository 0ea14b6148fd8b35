"""Compare two reports of a comparison by their tables.

Verdicts, mean ranks and plans that differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench.bench.statistics.method_differences import COLUMNS as DIFFERENCES
from cladebench.bench.statistics.run_scores import COLUMNS as SCORES
from cladebench.bench.statistics.run_scores import RUN
from cladebench.comparison.as_plan import FILE, read_plan
from cladebench.comparison.shown_measures import LABELLED, UNLABELLED
from cladebench.input_files import InputFileError
from cladebench.published.tables import IMPORTED


@dataclass(frozen=True, eq=False)
class TwoReports:
    """What differs between two reports.

    Attributes
    ----------
    plan : dict of str to tuple
        How the reports were made, where it differs: what A and B say.
    verdicts : DataFrame
        Rows of ``differences.csv`` whose verdict differs; columns of A and B have the suffixes ``_a`` and ``_b``.
    ranks : DataFrame
        Mean rank by the adjusted Rand index over the data sets that both have: columns a and b, methods as index, the
        best in B first. Empty where none is scored.
    """

    plan: Mapping[str, tuple[Any, Any]]
    verdicts: pd.DataFrame
    ranks: pd.DataFrame

    @property
    def leaders(self) -> list[str]:
        """Methods of the best mean rank, in A and in B."""
        sides = (self.ranks["a"], self.ranks["b"])
        return [", ".join(sorted(ranks.index[ranks == ranks.min()])) or "none" for ranks in sides]


def compare_reports(a: Path, b: Path) -> TwoReports | None:
    """Compare two folders of ``run-comparison``; None where one is none.

    Raises
    ------
    InputFileError
        If a table is missing or damaged.
    """
    if not all((folder / FILE).is_file() for folder in (a, b)):
        return None
    plans = [read_plan(folder) for folder in (a, b)]
    made = {key: (plans[0].get(key), plans[1].get(key)) for key in ("mine", "rope", "features")}
    left, right = (_table(folder / "differences.csv", DIFFERENCES) for folder in (a, b))
    pairs = left.merge(right, on=["data", "method", "rival", "measure"], suffixes=("_a", "_b"))
    scores = [_best(_table(folder / "scores.csv", SCORES)) for folder in (a, b)]
    data = scores[0].index.intersection(scores[1].index)
    methods = scores[0].columns.intersection(scores[1].columns)
    of_data = [wide.loc[data, methods].rank(axis=1, ascending=False, na_option="bottom") for wide in scores]
    return TwoReports(
        {key: pair for key, pair in made.items() if pair[0] != pair[1]},
        pairs[pairs["verdict_a"] != pairs["verdict_b"]],
        pd.DataFrame(dict(zip("ab", (ranks.mean() for ranks in of_data), strict=True))).sort_values("b"),
    )


def _best(scores: pd.DataFrame) -> pd.DataFrame:
    """Give the mean score by data set and method.

    Of the setting that counts, and of the best labelling.
    """
    scores = scores[~scores["method"].str.endswith(IMPORTED)]
    rule = scores[scores["measure"] == UNLABELLED[0]]
    rule = rule.sort_values(["n", "mean"], ascending=False, kind="stable").drop_duplicates(RUN[:3])
    first = scores[(scores["measure"] == LABELLED[0]) & (scores["labels"] != "")].merge(
        rule[[*RUN]], on=[*RUN]
    )
    return first.pivot_table(index="data", columns="method", values="mean", aggfunc="max", dropna=False)


def _table(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    numbers = {name: [""] for name in ("mean", "n", "difference")}
    try:
        return pd.read_csv(path, keep_default_na=False, na_values=numbers)[list(columns)]
    except (OSError, ValueError, KeyError) as error:
        why = " ".join(str(error).split())[:80]
        raise InputFileError(f"{path}: {why}; run cladebench run-comparison, which makes it") from None
