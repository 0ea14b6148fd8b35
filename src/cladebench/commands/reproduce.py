"""``cladebench reproduce``: audit the papers, from data to report."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from cladebench.commands._options import count, folder_path


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "reproduce",
        help="audit the papers: all that the workflow does",
        description="Fetch the data, run all methods, check the solvers, write tables, figures, verdicts and report. "
        "The folder gets results/<scope>, and .cladebench for data. The same command goes on where it was "
        "interrupted. Exit code 0 when the gate is passed, 1 when something is missing or failed.",
    )
    parser.add_argument(
        "--cores", type=count, default=os.cpu_count(), metavar="N", help="jobs at a time (default: all cores)"
    )
    parser.add_argument(
        "--scope", default="quick", choices=["smoke", "quick", "full"], help="default: %(default)s"
    )
    parser.add_argument(
        "--paper", action="append", default=[], metavar="ID", help="only this paper (repeatable)"
    )
    parser.add_argument(
        "--out", type=folder_path, default=Path("."), metavar="FOLDER", help="where to work (default: here)"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Start the workflow and say where its results are."""
    from cladebench.suite_folder import suite_folder
    from cladebench.workflow.start import snakemake

    home = suite_folder()
    args.out.mkdir(parents=True, exist_ok=True)
    config = [f"scope={args.scope}", *([f"papers=[{','.join(args.paper)}]"] if args.paper else [])]
    options = ["--workflow-profile", str(home / "profiles" / "default")]
    options += ["--dry-run"] if args.dry_run else []
    folder = args.out.absolute()
    code = snakemake(folder, home / "Snakefile", args.cores, config, options)
    if code == 0 and not args.dry_run:
        results = folder / "results" / args.scope
        for name, file in (
            ("report", "report/index.html"),
            ("verdicts", "audit.csv"),
            ("runs", "cells.parquet"),
        ):
            print(f"{name + ':':9} {results / file}")
    return code
