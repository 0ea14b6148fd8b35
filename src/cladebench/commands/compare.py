"""``cladebench compare``: two runs side by side.

Exit code 1 when they differ by more than the tolerance.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

from cladebench.commands._options import user_path


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "compare",
        help="compare two runs",
        description="Compare two runs: values, statuses, verdicts, solver checks, inputs, times. Two values agree when "
        "they differ by no more than ATOL + RTOL * the larger of their sizes; times and memory may differ. Exit code "
        "0 when the runs agree, 1 when they differ, 2 for wrong input.",
    )
    parser.add_argument("a", type=user_path, metavar="A", help="results folder, with cells.parquet")
    parser.add_argument("b", type=user_path, metavar="B", help="results folder, with cells.parquet")
    parser.add_argument(
        "--rtol", type=_tolerance, default=1e-9, help="relative tolerance (default %(default)g)"
    )
    parser.add_argument(
        "--atol", type=_tolerance, default=1e-12, help="absolute tolerance (default %(default)g)"
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        type=_metric,
        metavar="NAME=RTOL",
        help="relative tolerance of one metric (repeatable)",
    )
    parser.add_argument(
        "--only-common", action="store_true", help="allow cells, claims and solver checks that one run lacks"
    )
    parser.add_argument(
        "--rows", type=_count, default=20, help="rows to print of each table (default %(default)s)"
    )
    parser.add_argument(
        "--out",
        type=user_path,
        metavar="FILE",
        help="write every value that is not bit-equal to this CSV file",
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print the differences; 1 when the runs differ beyond tolerance."""
    from cladebench.audit.compare_runs import Tolerance, compare_runs
    from cladebench.files import write_atomically

    found = compare_runs(
        args.a, args.b, Tolerance(args.rtol, args.atol, dict(args.metric)), only_common=args.only_common
    )
    print(f"A: {args.a}\nB: {args.b}")
    equal, agree = int(found.values["equal"].sum()), int(found.values["agrees"].sum())
    print(
        f"{len(found.values)} values in both: {equal} bit-equal, {agree - equal} within tolerance, "
        f"{len(found.beyond)} beyond"
    )
    tables = {
        "values beyond tolerance": found.beyond,
        "cells that one run lacks": found.missing,
        "changed statuses": found.statuses,
        "changed verdicts": found.verdicts,
        "changed solver checks": found.certificates,
        "inputs that differ": found.inputs,
        "times and memory, B / A (median over cells)": found.times,
    }
    for title, table in tables.items():
        if len(table):
            print(f"\n{title}: {len(table)}\n{table.head(args.rows).to_string(index=False)}")
    if args.out:
        differing = found.values[~found.values["equal"]]
        write_atomically(args.out, differing.to_csv(index=False, lineterminator="\n").encode())
        print(f"\nwritten: {args.out}")
    agreed = found.agree(only_common=args.only_common)
    print("\nthe runs agree" if agreed else "\nthe runs differ")
    return 0 if agreed else 1


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a tolerance; expected a finite number, at least 0")
    return value


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of rows; expected a whole number, at least 0"
        )
    return int(text)


def _metric(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    if not name or not number:
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=RTOL, for example dasgupta_cost=1e-6")
    return name, _tolerance(number)
