"""``cladebench new-comparison``: write a ``comparison.yaml`` for one's own files.

It says what was taken for what.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from cladebench.commands._options import user_path


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "new-comparison",
        help="write a comparison.yaml for your own data",
        description="Look at files of data, write comparison.yaml, and say what was taken for what. Nothing is run: "
        "edit the file, then start cladebench run-comparison. Exit code 2 for wrong input.",
    )
    parser.add_argument(
        "files", type=user_path, nargs="+", metavar="FILE", help="data: CSV, Parquet, npz ..."
    )
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="COLUMN",
        help="the column of the classes, in files that have it (repeatable: a file has one of them)",
    )
    parser.add_argument(
        "--mine", metavar="FILE.py:CLASS", help="your own method: a class in a file, or a dotted path"
    )
    parser.add_argument(
        "--out",
        dest="to",
        type=user_path,
        default=Path("comparison.yaml"),
        metavar="FILE",
        help="default: comparison.yaml",
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write the file; it is not written over."""
    import os

    from cladebench.files import write_atomically
    from cladebench.input_files import InputFileError

    target = args.to.absolute()
    if target.exists():
        raise InputFileError(f"{args.to}: it is there already; expected another name in --out")
    if not target.parent.is_dir():
        raise InputFileError(f"{args.to}: its folder is not there; expected one that is, in --out")
    # These take seconds to import.
    import yaml

    from cladebench.comparison.spec import fitting, found_methods
    from cladebench.datasets.own.own_proposals import propose_entry
    from cladebench.datasets.own.own_sources import Source, refuse_copies, sources_of

    if args.mine:  # looked for first: files take longer to read
        written = args.mine
        if ".py:" in written:
            path, _, name = written.rpartition(":")
            written = f"{os.path.relpath(Path(path).absolute(), target.parent)}:{name}"
        (mine, *_) = found_methods([written], target, "--mine")
    data: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    for file in args.files:
        entry, sentences = propose_entry(file, args.label, needed=len(args.files) == 1)
        name = base = re.sub(r"[^A-Za-z0-9_-]+", "-", file.name.split(".")[0]).strip("-_") or "data"
        number = 1
        while name in data:
            number += 1
            name = f"{base}-{number}"
        data[name] = {**entry, "file": os.path.relpath(file.absolute(), target.parent)}
        print(f"{name}: {file}")
        for sentence in sentences:
            print(f"  {sentence}")
        sources |= sources_of(name, data[name], target.parent, str(args.to))
    refuse_copies(sources, str(args.to))
    for label in args.label:
        if all(entry.get("label") != label for entry in data.values()):
            raise InputFileError(f"--label {label}: no file has such a column; expected one that a file has")
    document: dict[str, Any] = {"title": "My comparison", "data": data, "methods": ["fitting"]}
    if args.mine:
        document["methods"].append(written)
        document["mine"] = written if mine.key in fitting() else mine.key
    for method in found_methods(document["methods"], target):
        if method.missing:
            print(f"{method.key} is not run: {method.missing}")
    document |= {"features": ["zscore"], "repetitions": 10, "rope": 0.02}
    text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, allow_unicode=True, width=100)
    write_atomically(target, text.encode())
    print(f"{args.to}: written; look at it, then: cladebench run-comparison {args.to} --cores 2")
    return 0
