"""``cladebench readme``: renew the tables and findings of the README from a run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cladebench.commands._options import add_results_options, check_scope, chosen_papers, user_path


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "readme",
        help="renew the tables and findings of the README",
        description="Write what a run gives between the markers of the README: verdicts counted, findings, and the "
        "main result of each paper. Run it where the README's links start from, as in: cladebench readme --results "
        "results/full --scope full.",
    )
    add_results_options(parser, "cells.parquet and audit.json")
    parser.add_argument("--scope", required=True, help="the scope that was run")
    parser.add_argument(
        "--file", type=user_path, default=Path("README.md"), metavar="FILE", help="default: README.md"
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Renew the README, and print whether it changed."""
    from cladebench.files import write_together
    from cladebench.input_files import InputFileError
    from cladebench.report.readme import readme_blocks, renew_readme

    check_scope(args.results, args.scope)
    try:
        old = args.file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputFileError(f"{args.file}: cannot be read: {error}") from None
    new = renew_readme(old, readme_blocks(args.results, args.scope, chosen_papers(args)), str(args.file))
    if new != old:
        write_together({args.file: new.encode()})
    print(f"{args.file}: {'renewed' if new != old else 'as the run has it'}")
    return 0
