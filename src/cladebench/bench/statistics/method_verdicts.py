"""Judge one method against each rival, by data set and over all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

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
from cladebench.bench.statistics.method_scores import Settings, Values

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
    random : tuple of str
        Methods that know nothing of the data.
    compared : tuple of Compared
        The reference against each rival, by all measures with labels.
    values : Values or None
        Of the first measure.
    absent : str
        The user's method, where it has no score and the best stands in for it.
    """

    measure: str = ""
    reference: str = ""
    picked: bool = False
    rivals: tuple[str, ...] = ()
    random: tuple[str, ...] = ()
    compared: tuple[Compared, ...] = ()
    values: Values | None = None
    absent: str = ""

    @property
    def rows(self) -> list[Compared]:
        """Select the first measure's rows that decide.

        They are those of each data set that both scored on, or of all where there are many.
        """
        first = [row for row in self.compared if row.measure == self.measure]
        return [row for row in first if row.data != ALL and row.n] or first

    @property
    def on_all(self) -> list[Compared]:
        """Select the first measure's rows of all data at once, if several."""
        return [row for row in self.compared if row.measure == self.measure and row.data == ALL]

    @property
    def undecided(self) -> list[Compared]:
        """Select `rows` that cannot be told, the largest difference first.

        Random methods are left out.
        """
        open_rows = [row for row in self.rows if row.verdict == UNDECIDED and row.rival in self.rivals]
        return sorted(open_rows, key=lambda row: -abs(np.nan_to_num(row.difference)))

    def counts(self, rival: str | None = None) -> dict[str, int]:
        """Count `rows` of each verdict, against one rival or all `rivals`."""
        wanted = self.rivals if rival is None else (rival,)
        answers = [row.verdict for row in self.rows if row.rival in wanted]
        return {verdict: answers.count(verdict) for verdict in VERDICTS}

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
        order = [*self.rivals, *self.random]
        return sorted(rows, key=lambda row: order.index(row.rival))


def judged(values: Values, mine: str, settings: Settings, random: Collection[str] = ()) -> Verdicts:
    """Judge by one measure: one method against each rival.

    Parameters
    ----------
    values : Values
    mine : str
        The method; empty for that of the best mean rank, for which all pairs are corrected.
    settings : Settings
    random : collection of str
        Methods that know nothing of the data: neither the best one nor rivals.
    """
    reference = mine or best_method(values, random)
    ranked = failures_last(values).means
    rivals = [method for method in values.methods if method not in (reference, *random)]
    return Verdicts(
        measure=values.measure.name,
        reference=reference,
        picked=not mine,
        rivals=tuple(sorted(rivals, key=ranked.__getitem__)),
        random=tuple(random),
        compared=tuple(compare(values, reference, settings, picked=not mine)),
        values=values,
    )
