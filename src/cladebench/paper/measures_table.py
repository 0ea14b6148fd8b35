"""Tabulate what studies and methods found, data set by data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cladebench.paper.artifact_types import ArtifactContext, Table
from cladebench.paper.tables import basis_notes, why_empty, with_spread


def label_of(context: ArtifactContext, method: str) -> str:
    """Name of a method in tables and figures."""
    return str(context.methods[method]["label"])


def measures_table(
    context: ArtifactContext,
    asked: Sequence[tuple[str, str]],
    datasets: Sequence[str],
    at: Mapping[str, float] | None = None,
) -> Table:
    """Lay out measures of methods as rows, data sets as columns.

    A cell has the spread over repetitions too.

    Parameters
    ----------
    context : ArtifactContext
    asked : sequence of (method, metric)
        The rows; methods are named where there are several.
    datasets : sequence of str
        Those that are in the scope, and in which one of the methods was run, are shown.
    at : mapping, optional
        The evaluation point.
    """
    known = [name for name in datasets if name in context.datasets]
    known = [name for name in known if any(len(context.results.rows(name, method)) for method, _ in asked)]
    several = len({method for method, _ in asked}) > 1
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    basis = [
        (name, label_of(context, method), context.results.rows(name, method))
        for name in known
        for method in dict(asked)
    ]
    for method, metric in asked:
        measure = context.measures[metric]
        row = {"method": label_of(context, method)} if several else {}
        row["measure"] = measure.meaning
        for name in known:
            ours = context.results.chosen(name, method, metric, context.own_rule, at=at)
            if ours.empty:
                row[name] = why_empty(context, name, method, context.own_rule)
            else:
                row[name] = f"{with_spread(ours.value.to_numpy(), measure)} ({len(ours)})"
                sources[len(rows), name] = tuple(ours.cell_id)
        rows.append(row)
    return Table(
        pd.DataFrame(rows, columns=[*(["method"] if several else []), "measure", *known]),
        sources,
        notes=(
            "mean ± standard deviation over repetitions (their number in brackets).",
            *basis_notes(context, basis),
        ),
    )
