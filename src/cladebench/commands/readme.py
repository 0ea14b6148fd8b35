"""``cladebench readme``: renew READMEs' words on a run, and its picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cladebench.commands._options import (
    add_results_options,
    add_scope_option,
    chosen_papers,
    chosen_scope,
    user_path,
)


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "readme",
        help="renew the README's numbers, its picture, and the page of results",
        description="Write what a run gives between the markers of the README, and its picture: main claims, answers "
        "counted, findings. Write README.md in the folder of the run: all findings and main tables. Example: "
        "cladebench readme --results results/full --scope full.",
    )
    add_results_options(parser, "cells.parquet, audit.json and audit.csv")
    add_scope_option(parser)
    parser.add_argument(
        "--file", type=user_path, default=Path("README.md"), metavar="FILE", help="default: README.md"
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Renew the files, and print of each whether it changed."""
    from cladebench.files import write_together
    from cladebench.report.readme import readme_files

    scope = chosen_scope(args)
    files = readme_files(args.file, args.results, scope, chosen_papers(args))
    new = {path: text for path, text in files.items() if not path.exists() or path.read_bytes() != text}
    write_together(new)
    for path in files:
        print(f"{path}: {'renewed' if path in new else 'as the run has it'}")
    return 0
