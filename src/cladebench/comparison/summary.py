"""What the first sentences of a comparison need: numbers alone, each of a data set, a method and a measure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from cladebench.comparison.ranks import mean_ranks
from cladebench.comparison.statistics import ALL, UNDECIDED, VERDICTS, Compared, compare
from cladebench.comparison.values import Settings, Values


@dataclass(frozen=True)
class Summary:
    """Who is ahead, by how much, and what cannot be told.

    Attributes
    ----------
    measure, method : str
    picked : bool
        Whether the method was chosen because it scored best.
    data : tuple of str
    rivals : tuple of str
        In the order of their mean ranks, random methods left out.
    leader : str
        Of the best mean rank, failures last; the method itself among equals.
    mean_ranks : mapping of str to float
        By method, failures last; of one data set the ranks themselves.
    rows : tuple of Compared
        That decide: of each data set, or of all where there are many. Random methods are among them.
    on_all : tuple of Compared
        Of all data sets at once; empty for one data set.
    nearest : tuple of Compared
        Of `rows`, those against the best rival; empty where only random methods are beside the method.
    undecided : tuple of Compared
        Of `rows`, without random methods, the largest difference first.
    detectable : float
        Median over `undecided` of the smallest true difference that would be found; NaN where none is undecided.
    """

    measure: str
    method: str
    picked: bool
    data: tuple[str, ...]
    rivals: tuple[str, ...]
    leader: str
    mean_ranks: Mapping[str, float]
    rows: tuple[Compared, ...]
    on_all: tuple[Compared, ...]
    nearest: tuple[Compared, ...]
    undecided: tuple[Compared, ...]
    detectable: float

    def counts(self, rival: str | None = None) -> dict[str, int]:
        """Number of rows of each verdict: against one rival, or all of `rivals`."""
        wanted = self.rivals if rival is None else (rival,)
        found = [row.verdict for row in self.rows if row.rival in wanted]
        return {verdict: found.count(verdict) for verdict in VERDICTS}


def best_method(values: Values, random: Collection[str] = ()) -> str:
    """Find the method of the best mean rank, failures last, random methods left out; the first of equals."""
    means = mean_ranks(values)
    known = [method for method in values.methods if method not in random] or [*values.methods]
    return min(known, key=means.__getitem__)


def summary(
    values: Values, method: str | None, settings: Settings, *, random: Collection[str] = ()
) -> Summary:
    """Sum up a comparison.

    Parameters
    ----------
    values : Values
    method : str or None
        The user's own; None takes the best, and corrects for the choice.
    settings : Settings
    random : collection of str
        Methods that cannot know the data.
    """
    picked = method is None
    own = best_method(values, random) if method is None else method
    found = compare(values, own, settings, picked=picked)
    means = mean_ranks(values)
    rivals = sorted((m for m in values.methods if m != own and m not in random), key=means.__getitem__)
    on_all = tuple(row for row in found if row.data == ALL)
    rows = tuple(row for row in found if row.data != ALL) or on_all
    undecided = [row for row in rows if row.verdict == UNDECIDED and row.rival in rivals]
    seen = [row.detectable for row in undecided if not math.isnan(row.detectable)]
    return Summary(
        measure=values.measure.name,
        method=own,
        picked=picked,
        data=tuple(values.tables),
        rivals=tuple(rivals),
        leader=min([own, *rivals], key=means.__getitem__),
        mean_ranks=means,
        rows=rows,
        on_all=on_all,
        nearest=tuple(row for row in rows if rivals and row.rival == rivals[0]),
        undecided=tuple(sorted(undecided, key=_size, reverse=True)),
        detectable=float(np.median(seen)) if seen else math.nan,
    )


def _size(row: Compared) -> float:
    return 0.0 if math.isnan(row.difference) else abs(row.difference)
