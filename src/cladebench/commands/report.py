"""``cladebench report``: write the pages of a run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "report", help="write the pages: verdicts, tables, figures, cells", description=__doc__
    )
    parser.add_argument(
        "--results", type=Path, required=True, help="folder of a run, with cells.parquet and audit.csv"
    )
    parser.add_argument("--scope", required=True, help="the scope that was run")
    parser.add_argument("--paper", action="append", help="only this paper (repeatable); default: all")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write ``<results>/report`` and print where it starts; 2 when the run lacks what the pages need."""
    from cladebench.bench.plan import built_in_papers
    from cladebench.bench.schema import InputFileError
    from cladebench.report.pages import write_report

    try:
        written = write_report(args.results, args.scope, args.paper or built_in_papers())
    except (InputFileError, FileNotFoundError) as error:
        print(f"cladebench report: {error}", file=sys.stderr)
        return 2
    size = sum(path.stat().st_size for path in written)
    print(f"{args.results / 'report' / 'index.html'}: {len(written)} files, {size / 1e6:.1f} MB")
    return 0
