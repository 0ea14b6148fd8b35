"""``cladebench artifacts``: make the tables and figures of a run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser("artifacts", help="make tables and figures", description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help="folder of a run, with cells.parquet")
    parser.add_argument("--scope", required=True, help="the scope that was run")
    parser.add_argument("--paper", action="append", help="only this paper (repeatable); default: all")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write every artifact and print its file."""
    from cladebench.bench.plan import built_in_papers
    from cladebench.bench.schema import InputFileError
    from cladebench.report.artifacts import build_context, write_artifacts

    try:
        for paper in args.paper or built_in_papers():
            for path in write_artifacts(build_context(paper, args.scope, args.results), args.results):
                print(path)
    except (InputFileError, FileNotFoundError) as error:
        print(f"cladebench artifacts: {error}", file=sys.stderr)
        return 2
    return 0
