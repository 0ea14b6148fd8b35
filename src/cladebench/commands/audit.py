"""``cladebench audit``: judge claims against the records of a run."""

from __future__ import annotations

import argparse
from typing import Any

from cladebench.commands._options import (
    add_results_options,
    add_scope_option,
    chosen_papers,
    folder_path,
    refuse_to_lose,
    scope_of,
)


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "audit",
        help="judge the published numbers and sentences",
        description="Judge what the papers claim against the records of a run: one verdict for each published number "
        "and sentence, in audit.json, which the report reads, and in audit.csv. With --paper only that paper is "
        "judged; this is refused where it would delete the verdicts of other papers. Exit code 0 whatever the "
        "verdicts, 2 for wrong input.",
    )
    add_results_options(parser, "cells.parquet", own_out=True)
    add_scope_option(parser, "none, and then no planned run counts as missing")
    parser.add_argument(
        "--out",
        type=folder_path,
        metavar="FOLDER",
        help="folder for audit.csv and audit.json (default: that of --results)",
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write ``audit.csv`` and ``audit.json`` and print the verdicts."""
    from cladebench.audit.audit_files import read_verdicts, write_audit
    from cladebench.audit.claims_file import claims_path
    from cladebench.audit.pipeline.whole_run import audit_run
    from cladebench.input_files import InputFileError

    out = args.out or args.results
    scope = scope_of(args.results, args.scope, "") or None
    papers = chosen_papers(args)
    if not args.paper:
        recorded, papers = papers, [paper for paper in papers if claims_path(paper) is not None]
        if not papers:
            raise InputFileError(f"{args.results}: no paper with claims among {', '.join(recorded)}")
    audit = audit_run(args.results, papers, scope)
    path = out / "audit.csv"
    if args.paper and path.exists():
        advice = "name every paper with --paper, or write to another folder with --out"
        try:
            held = set(read_verdicts(path)["paper"])
        except InputFileError:
            raise InputFileError(
                f"{path}: damaged, and its verdicts on other papers would be lost; "
                "remove it, or write to another folder with --out"
            ) from None
        refuse_to_lose(path, "verdicts on", held, {claim["paper"] for claim in audit.claims}, advice)
    written = write_audit(audit, out)
    for paper, counts in audit.verdicts.items():
        print(f"{paper}: {sum(counts.values())} claims")
        for verdict, count in counts.items():
            if count:
                print(f"  {count:4d}  {verdict}")
    print("written: " + ", ".join(str(path) for path in written))
    return 0
