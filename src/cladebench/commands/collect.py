"""``cladebench collect``: gather planned runs' records and versions into ``cells.parquet``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from cladebench.commands._failed import CommandFailed
from cladebench.commands._options import add_keep_option, add_run_options, planned_jobs, refuse_to_lose


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "collect",
        help="gather records into cells.parquet",
        description="Gather the records of the planned runs into one table, cells.parquet, and what they ran with "
        "into environment.json. Records of runs that are no longer planned are left out. Exit code 1 when no planned "
        "run has a record, one is damaged, has a metric that nothing describes or a value out of its "
        "range, 2 for wrong input.",
    )
    add_run_options(parser, recorded=True)
    add_keep_option(
        parser,
        "keep what cells.parquet has of papers that are not asked for, and of planned runs without a record; the rows "
        "of these planned runs must all count",
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write ``cells.parquet`` and ``environment.json``.

    Cells that are no longer planned are left out.
    """
    from cladebench.bench.run.kept_rows import judge, without_record
    from cladebench.bench.store.cells_table import read_cells
    from cladebench.bench.store.store import RecordError, Store
    from cladebench.files import write_json
    from cladebench.input_files import InputFileError

    jobs, out = planned_jobs(args, recorded=True)
    planned = [cell.spec.cell_id for job in jobs for cell in job.cells]
    ledger = Store(out).ledger(cell for job in jobs for cell in job.cells)
    recorded = int((ledger.status != "missing").sum())
    if not recorded:
        raise CommandFailed(
            f"{out}: none of {len(planned)} planned runs has a record; run them first (cladebench run)"
        )
    path = out / "cells.parquet"
    papers = {job.plan.paper for job in jobs}
    keep = None
    if args.keep and path.exists():
        judged = judge(without_record(path, jobs), jobs, args.keep)
        if judged.faults:
            raise InputFileError(
                f"{path}: {judged.said}; do these runs again (cladebench run --keep), or collect without --keep"
            )
        for line in judged.notes(path):
            print(line)
        keep = read_cells(path)
        keep = keep[~keep["paper"].isin(papers) | keep["cell_id"].isin(planned)]
    else:
        refuse_to_lose(
            path,
            "runs of",
            papers_at_stake(path),
            papers,
            "name every paper with --paper, or keep them with --keep",
        )
    measures = {job.plan.paper: job.plan.measures for job in jobs}
    try:
        Store(out).write_parquet(path, planned, measures, keep=keep)
    except RecordError as error:
        lines = [str(error)]
        for job in jobs:
            if Store(out).forget_damaged(job.name, (cell.spec.cell_id for cell in job.cells)):
                again = "the workflow runs the job again when it is started, and so does cladebench run"
                lines.append(f"{job.name}: has damaged records; {again}; good records are kept")
        raise CommandFailed("\n".join(lines)) from None
    write_json(out / "environment.json", environment(path))
    runs = len(read_cells(path, columns=["cell_id"], one_row_a_run=True))
    kept = "" if keep is None else f"; with those kept it has {runs} runs"
    print(f"{path}: {recorded} of {len(planned)} planned runs of {len(jobs)} jobs have a record{kept}")
    return 0


def papers_at_stake(path: Path) -> set[str]:
    """Papers of a table that is there.

    A damaged one holds nothing to lose.
    """
    from cladebench.bench.store.cells_table import papers_in
    from cladebench.input_files import InputFileError

    try:
        return papers_in(path) if path.exists() else set()
    except InputFileError:
        return set()


def environment(cells: Path) -> dict[str, Any]:
    """Count cells by commits, core builds, package versions and machines."""
    from cladebench.bench.store.cells_table import read_cells

    table = read_cells(cells, one_row_a_run=True)
    facts: dict[str, Any] = {"cells": len(table)}
    for column in ("git_commit", "git_dirty", "core_build", "versions", "machine"):
        counts = table[column].value_counts(dropna=False, sort=False)
        facts[column] = [
            {
                "value": json.loads(value)
                if column in _OBJECTS and isinstance(value, str)
                else _plain(value),
                "cells": int(count),
            }
            for value, count in counts.items()
        ]
    return facts


#: Columns of JSON.
_OBJECTS = ("versions", "machine")


def _plain(value: Any) -> Any:
    import pandas as pd

    # What is not known comes as None, NaN or pd.NA, which is neither true nor false.
    if pd.isna(value):
        return None
    return value if isinstance(value, str) else bool(value)
