"""``cladebench report``: write the pages of a run."""

from __future__ import annotations

import argparse
from typing import Any

from cladebench.commands._options import add_results_options, add_scope_option, chosen_papers, chosen_scope


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "report",
        help="write the pages: verdicts, tables, figures, runs",
        description="Write the pages of a run into its folder report: verdicts, tables, figures, solver checks and "
        "runs of the papers, in HTML that opens from disk.",
    )
    add_results_options(parser, "cells.parquet, audit.json and the tables")
    add_scope_option(parser)
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write ``<results>/report`` and print where it starts."""
    from cladebench.report.pages import write_report

    scope = chosen_scope(args)
    written = write_report(args.results, scope, chosen_papers(args))
    size = sum(path.stat().st_size for path in written)
    print(f"{args.results / 'report' / 'index.html'}: {len(written)} files, {size / 1e6:.1f} MB")
    return 0
