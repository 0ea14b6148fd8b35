"""``cladebench artifacts``: make the tables and figures of a run."""

from __future__ import annotations

import argparse
from typing import Any

from cladebench.commands._options import add_results_options, add_scope_option, chosen_papers, chosen_scope


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "artifacts",
        help="make tables and figures",
        description="Make the tables and figures of the papers from the records of a run, and print their files: "
        "tables/<paper>/<name>.json (which the report reads), .csv and .html, figures/<paper>/<name>.svg. "
        "Tables come first: few need arrays of runs.",
    )
    add_results_options(parser, "cells.parquet")
    add_scope_option(parser)
    parser.add_argument(
        "--keep",
        action="store_true",
        help="leave a table or figure as it is where it needs arrays that are not in the folder: for a run in several "
        "pieces or on several machines, whose records were not brought together",
    )
    parser.add_argument("--only", choices=("tables", "figures"), help="make these alone")
    parser.add_argument("--pdf", action="store_true", help="write figures as PDF too, for print")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write every artifact and print its file."""
    from cladebench.bench.store.store import ArraysLost
    from cladebench.paper.catalogue import load_plan
    from cladebench.report.artifact_files import build_context, write_artifacts

    scope = chosen_scope(args)
    kinds = (args.only.removesuffix("s"),) if args.only else ("table", "figure")
    formats = ("svg", "pdf") if args.pdf else ("svg",)
    written = 0
    for paper in chosen_papers(args):
        try:
            context = build_context(load_plan(paper), scope, args.results)
            for path, kept in write_artifacts(context, args.results, args.keep, kinds, formats):
                print(f"{path} (kept: {kept})" if kept else path)
                written += not kept
        except ArraysLost as error:
            again = f"cladebench run --paper {paper} --scope {scope} --out {args.results}"
            raise ArraysLost(f"{error}; run {again}, which makes them again, then the same command") from None
    print(f"{written} tables and figures in {args.results}")
    return 0
