"""``cladebench export``: give verdicts in formats that others read."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from cladebench.commands._options import add_results_options, user_path
from cladebench.export import FORMATS


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "export",
        help="give verdicts in formats that others read",
        description="Write the verdicts of a run in a format that other services read, and print the files. "
        + " ".join(f"{name}: {about}." for name, about in FORMATS.items())
        + " All are drafts: no person has signed them.",
    )
    parser.add_argument("--format", required=True, metavar="NAME", help=f"one of {', '.join(FORMATS)}")
    add_results_options(parser, "audit.csv", own_out=True)
    parser.add_argument(
        "--out",
        type=user_path,
        metavar="FOLDER",
        help="where the files go; a file, if the format has one file and the name has a suffix (default: the folder "
        "export of the run; for rocrate the folder of the run itself)",
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write the files of a format and print them."""
    from cladebench.audit.audit_table import read_audit_table
    from cladebench.commands._options import papers_of
    from cladebench.export.run_folder import Format, gather
    from cladebench.files import write_together
    from cladebench.input_files import InputFileError, one_of
    from cladebench.paper.catalogue import load_plan

    if args.format not in FORMATS:
        raise InputFileError(f"--format: {args.format!r} is unknown; {one_of(args.format, FORMATS)}")
    table = args.results / "audit.csv"
    claims = read_audit_table(table)
    ids = dict.fromkeys(claim["paper"] for claim in claims)
    names = args.paper or papers_of(ids, table)
    chosen = gather(args.results, claims, [load_plan(name) for name in dict.fromkeys(names)])
    chosen_format: Format = importlib.import_module(f"cladebench.export.{args.format}").FORMAT
    if chosen_format.whole and {*ids} - {paper.name for paper in chosen.papers}:
        raise InputFileError(
            f"--paper: {args.format} is of a whole run; expected all of {', '.join(ids)}, or no --paper"
        )
    folder = args.out or args.results / chosen_format.folder
    contents = {folder / name: content for name, content in chosen_format.files(chosen, folder).items()}
    if len(contents) == 1 and args.out and args.out.suffix and not args.out.is_dir():
        contents = {args.out: next(iter(contents.values()))}
    write_together(contents)
    for path in contents:
        print(path)
    return 0
