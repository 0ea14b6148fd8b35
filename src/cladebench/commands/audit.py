"""``cladebench audit``: judge the claims of the papers against the records of a run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "audit", help="judge the published numbers and sentences", description=__doc__
    )
    parser.add_argument("--results", type=Path, required=True, help="folder of a run, with cells.parquet")
    parser.add_argument(
        "--paper",
        action="append",
        help="audit this paper (repeatable); default: all in the records with claims",
    )
    parser.add_argument(
        "--out", type=Path, help="folder for audit.csv and audit.json; default: that of --results"
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write ``audit.csv`` and ``audit.json`` and print the verdicts; 2 when there is nothing to audit."""
    from cladebench.audit.run import audit_run, summary, write_audit
    from cladebench.bench.schema import InputFileError

    try:
        frame = audit_run(args.results, args.paper)
    except InputFileError as error:
        print(f"cladebench audit: {error}", file=sys.stderr)
        return 2
    written = write_audit(frame, args.out or args.results)
    counts = summary(frame)
    for paper in counts.index:
        print(f"{paper}: {int(counts.loc[paper].sum())} claims")
        for verdict, count in counts.loc[paper].items():
            if count:
                print(f"  {count:4d}  {verdict}")
    print("written: " + ", ".join(str(path) for path in written))
    return 0
