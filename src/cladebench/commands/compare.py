"""``cladebench compare``: what two runs say differently."""

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
        description="Say what two runs, or two folders of run-comparison, conclude differently, and why: inputs, "
        "verdicts, ranks, means, statuses, times, bits. Exit code 0 when no conclusion differs, 1 when one does, 2 for "
        "wrong input. With --exact the code is 1 when any value, status, verdict or solver check differs. Two values "
        "agree when they differ by no more than ATOL + RTOL * the larger of their sizes; times and memory may differ.",
    )
    parser.add_argument("a", type=user_path, metavar="A", help="results folder, with cells.parquet")
    parser.add_argument("b", type=user_path, metavar="B", help="results folder, with cells.parquet")
    parser.add_argument("--page", type=user_path, metavar="FILE", help="write all as one HTML page")
    parser.add_argument(
        "--exact", action="store_true", help="exit with 1 on any difference beyond tolerance, and list values"
    )
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
    parser.add_argument("--only-common", action="store_true", help="with --exact: allow what one run lacks")
    parser.add_argument(
        "--out",
        type=user_path,
        metavar="FILE",
        help="write every value that is not bit-equal to this CSV file",
    )
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print what differs.

    1 when a conclusion does, or with ``--exact`` anything beyond tolerance.
    """
    from cladebench.audit.two_runs.compare_runs import Tolerance, compare_runs
    from cladebench.files import write_atomically
    from cladebench.report.two_comparisons import compare_reports
    from cladebench.report.two_runs import page, sections, text

    comparison = compare_runs(args.a, args.b, Tolerance(args.rtol, args.atol, dict(args.metric)))
    parts = sections(comparison, compare_reports(args.a, args.b))
    print(f"A: {args.a}\nB: {args.b}")
    for line in text(parts):
        print(line)
    if args.page:
        write_atomically(args.page, page(parts, {"A": args.a, "B": args.b}).encode())
        print(f"written: {args.page}")
    if args.out:
        differing = comparison.values[~comparison.values["equal"]]
        write_atomically(args.out, differing.to_csv(index=False, lineterminator="\n").encode())
        print(f"written: {args.out}")
    if not args.exact:
        return int(any(part.conclusion for part in parts))
    agreed = comparison.agree(only_common=args.only_common)
    for title, table in {
        "values beyond tolerance": comparison.beyond,
        "what one run lacks": comparison.missing,
    }.items():
        if len(table):
            print(f"\n{title}: {len(table)}\n{table.head(20).to_string(index=False)}")
    print("exact: the runs agree" if agreed else "exact: the runs differ")
    return 0 if agreed else 1


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a tolerance; expected a finite number, at least 0")
    return value


def _metric(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    if not name or not number:
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=RTOL, for example dasgupta_cost=1e-6")
    return name, _tolerance(number)
