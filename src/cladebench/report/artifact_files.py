"""Write tables and figures as files.

JSON (what the report reads), CSV and HTML; SVG, for print PDF.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from cladebench import datasets
from cladebench.audit.claim_tables import published_table, ratios_table
from cladebench.audit.claim_types import ClaimSet
from cladebench.audit.claims_file import checked_claims, claims_path
from cladebench.audit.verdict.verdict_types import Rules
from cladebench.bench.plan.jobs import with_missing
from cladebench.bench.plan.plan import Plan
from cladebench.bench.samples.results import Results
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import ArraysLost, RecordError, Store
from cladebench.files import write_atomically, write_together
from cladebench.input_files import InputFileError, read_json
from cladebench.notation import significant
from cladebench.paper.artifact_types import Artifact, ArtifactContext, Table
from cladebench.paper.catalogue import load_artifacts
from cladebench.plotting import save_figure, use_style
from cladebench.report.templating import html_page
from cladebench.users_code import users_code


def build_context(plan: Plan, scope: str, results: Path, claims: ClaimSet | None = None) -> ArtifactContext:
    """Gather what the artifacts of a paper may read.

    The records are those of ``cells.parquet``; each planned cell without any has one with the status ``missing``.

    Parameters
    ----------
    plan : Plan
        Of the paper.
    scope : str
        Scope that was run.
    results : Path
        Folder of the run, with ``cells.parquet``.
    claims : ClaimSet, optional
        The paper's, where they have been read already.

    Raises
    ------
    InputFileError
        If there is no ``cells.parquet``, or no cell of the paper in it.
    """
    records = read_cells(results / "cells.parquet", paper=plan.paper)
    if records.empty:
        raise InputFileError(
            f"{results / 'cells.parquet'}: no run of {plan.paper}; name the papers that ran with --paper"
        )
    records = with_missing(records, plan, scope)
    claims = paper_claims(plan) if claims is None else claims
    return ArtifactContext(
        paper=plan.paper,
        package=plan.package,
        scope=scope,
        results=Results(
            records,
            plan.selection,
            plan.at,
            claims.deterministic,
            plan.pools(),
            plan.official_splits(scope),
        ),
        published=published_table(claims),
        measures=plan.measures,
        methods={name: method.as_dict() for name, method in plan.methods.items()},
        datasets=_datasets(plan, scope),
        load_arrays=Store(results).load_arrays,
        load_data=lambda name, draw=0: datasets.load(plan.data_of(name), draw),
        ratios=ratios_table(claims),
    )


def _datasets(plan: Plan, scope: str) -> dict[str, dict[str, object]]:
    keys = ("kind", "stand_in_for", "n_samples", "n_features", "n_classes")
    entries = {name: datasets.info(plan.data_of(name)) for name in plan.datasets_of(scope)}
    return {
        name: {"title": plan.title_of(name)}
        | {key: getattr(entry, key) for key in keys}
        | {"beyond": name in plan.beyond}
        for name, entry in entries.items()
    }


def paper_claims(plan: Plan) -> ClaimSet:
    """Claims of a plan's paper; none where it has no ``claims.yaml``."""
    path = claims_path(plan.package)
    return checked_claims(path, plan) if path else ClaimSet(plan.paper, {}, Rules(), frozenset(), ())


def paper_artifacts(package: str) -> tuple[Artifact, ...]:
    """Artifacts that a paper's package declares."""
    return load_artifacts(package)


class Made(NamedTuple):
    """An artifact on disk."""

    #: The file that stands for it.
    path: Path
    #: Why it is as it was; empty where it was made now.
    kept: str = ""


def write_artifacts(
    context: ArtifactContext,
    results: Path,
    keep: bool = False,
    kinds: Collection[str] = ("table", "figure"),
    formats: Sequence[str] = ("svg",),
) -> Iterator[Made]:
    """Build and write the artifacts of a paper.

    Tables go to ``tables/<paper>/<id>`` as ``.json``, ``.csv`` and ``.html``, figures to ``figures/<paper>/<id>``;
    captions stand beside them as ``.rst``, for Snakemake's report.
    Tables come first: few need the cells' arrays beside ``cells.parquet``.

    Parameters
    ----------
    context : ArtifactContext
    results : Path
        Folder of the run.
    keep : bool, default=False
        Leave a table or figure as it is where the arrays that it needs are not in the folder.
    kinds : collection of str
        Those to write: ``table``, ``figure``.
    formats : sequence of str, default=("svg",)
        What figures are written as.

    Raises
    ------
    ArraysLost
        If a table or figure needs arrays that are not there, and is not kept.
    """
    chosen = (artifact for artifact in paper_artifacts(context.package) if artifact.kind in kinds)
    for artifact in sorted(chosen, key=lambda artifact: artifact.kind != "table"):
        is_table = artifact.kind == "table"
        folder = results / ("tables" if is_table else "figures") / context.paper
        path = folder / f"{artifact.id}.{'json' if is_table else 'svg'}"
        try:
            if is_table:
                _make_table(context, artifact, folder)
            else:
                _make_figure(context, artifact, folder, formats)
            write_atomically(folder / f"{artifact.id}.rst", f"{artifact.caption}\n".encode())
        except ArraysLost as error:
            if not (keep and path.exists()):
                raise
            yield Made(path, str(error))
        else:
            yield Made(path)


def _make_table(context: ArtifactContext, artifact: Artifact, folder: Path) -> None:
    with _building(context, artifact):
        table = artifact.build(context)
    assert isinstance(table, Table)
    write_table(artifact, table, folder)


def _make_figure(context: ArtifactContext, artifact: Artifact, folder: Path, formats: Sequence[str]) -> None:
    with use_style():
        with _building(context, artifact):
            figure = artifact.build(context)
        assert not isinstance(figure, Table)
        save_figure(figure, folder / artifact.id, formats)


@contextlib.contextmanager
def _building(context: ArtifactContext, artifact: Artifact) -> Iterator[None]:
    """Name artifact, file and line where a paper's code fails.

    What the run's files lack is said as it is.
    """
    lacking: list[RecordError | OSError] = []
    with users_code(f"{context.paper}: {artifact.kind} {artifact.id!r}"):
        try:
            yield
        except (RecordError, OSError) as error:
            lacking.append(error)
    if lacking:
        raise lacking[0]


def write_table(artifact: Artifact, table: Table, folder: Path) -> None:
    """Write a table as JSON, CSV and HTML.

    JSON has all of it, CSV the data alone, the page of HTML caption and notes.
    """
    values = {"artifact": artifact, "columns": list(table.frame.columns), "rows": shown(table.frame)}
    texts = {
        ".json": table_json(table),
        ".csv": table.frame.to_csv(index=False),
        ".html": html_page("table.html", notes=table.notes, **values),
    }
    write_together({folder / f"{artifact.id}{suffix}": text.encode() for suffix, text in texts.items()})


def table_json(table: Table) -> str:
    """Write a table as JSON.

    A row has a line, and the cells behind each entry have one. Numbers that are none are null.
    """

    def plain(value: object) -> object:
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        return value if isinstance(value, (bool, int)) else str(value)

    def lines(entries: Iterable[object]) -> str:
        return "[" + ",".join("\n  " + json.dumps(entry, ensure_ascii=False) for entry in entries) + "]"

    parts = {
        "columns": json.dumps([str(column) for column in table.frame.columns], ensure_ascii=False),
        "rows": lines([plain(v) for v in row] for row in table.frame.itertuples(index=False, name=None)),
        "sources": lines(
            {"row": int(row), "column": column, "cells": [str(cell) for cell in cells]}
            for (row, column), cells in table.sources.items()
        ),
        "claims": lines(
            {"row": int(row), "column": column, "claim": claim}
            for (row, column), claim in table.claims.items()
        ),
        "notes": lines(table.notes),
    }
    return "{\n" + ",\n".join(f' "{name}": {text}' for name, text in parts.items()) + "\n}\n"


def read_table(path: Path) -> Table:
    """Read a table that `write_artifacts` has written as JSON.

    Raises
    ------
    InputFileError
        In one line with the file and the command that makes it, if it is missing or damaged.
    """
    document = read_json(path, "table", "artifacts")
    columns, rows = document["columns"], document["rows"]
    named = [*document["sources"], *document["claims"]]
    if any(len(row) != len(columns) for row in rows) or any(
        entry["row"] >= len(rows) or entry["column"] not in columns for entry in named
    ):
        raise InputFileError(
            f"{path}: its rows, columns and entries do not belong together; run cladebench artifacts, which makes it"
        )
    return Table(
        pd.DataFrame(rows, columns=columns, dtype=object),
        {(entry["row"], entry["column"]): tuple(entry["cells"]) for entry in document["sources"]},
        {(entry["row"], entry["column"]): entry["claim"] for entry in document["claims"]},
        tuple(document["notes"]),
    )


def shown(frame: pd.DataFrame) -> list[list[str]]:
    """Write entries of a table as readers meet them.

    Numbers have four digits (the CSV file has them all); – stands for none.
    """

    def text(value: object) -> str:
        if isinstance(value, float):
            return significant(value) if math.isfinite(value) else "–"
        return "–" if value is None else str(value)

    return [[text(value) for value in row] for row in frame.itertuples(index=False, name=None)]
