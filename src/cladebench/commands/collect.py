"""``cladebench collect``: gather the planned cells' records into ``cells.parquet``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from cladebench.commands._options import add_run_options, planned_jobs


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser("collect", help="gather records into cells.parquet", description=__doc__)
    add_run_options(parser)
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write ``cells.parquet``; records of cells that are no longer planned stay on disk and are left out."""
    from cladebench.bench.schema import InputFileError
    from cladebench.bench.store import Store

    try:
        jobs, out = planned_jobs(args)
    except InputFileError as error:
        print(error, file=sys.stderr)
        return 2
    planned = [cell.spec.cell_id for job in jobs for cell in job.cells]
    ledger = Store(out).ledger(cell for job in jobs for cell in job.cells)
    recorded = int((ledger.status != "missing").sum())
    if not recorded:
        print(
            f"{out}: none of {len(planned)} planned cells has a record; run them first (cladebench run)",
            file=sys.stderr,
        )
        return 1
    Store(out).write_parquet(out / "cells.parquet", planned)
    print(
        f"{out / 'cells.parquet'}: {recorded} of {len(planned)} planned cells of {len(jobs)} jobs have a record"
    )
    return 0
