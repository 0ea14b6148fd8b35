"""``cladebench run-comparison``: run a comparison and write its page."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

from cladebench.commands._jobs import run_jobs
from cladebench.commands._options import count, file_in_the_way, user_path

#: Of Snakemake; what the profile of the audits has.
_OPTIONS = (
    *("--quiet", "all", "--keep-going", "--rerun-incomplete", "--show-failed-logs"),
    *("--rerun-triggers", "mtime", "params", "input", "code", "--max-jobs-per-timespan", "500/5s"),
)


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "run-comparison",
        help="compare methods on your own data",
        description="Run the methods of a comparison on its data, with limits, and write one page. Runs with a good "
        "record of the same inputs keep it, so that an interrupted command goes on where it stopped. A method that "
        "fails is a row of the page. Exit code 0 when the page is written, 1 when it cannot be or no run of mine gave "
        "a score, 2 for wrong input.",
    )
    parser.add_argument("file", type=user_path, metavar="FILE", help="comparison.yaml, see new-comparison")
    parser.add_argument("--cores", type=count, default=1, metavar="N", help="runs at a time (default: 1)")
    parser.add_argument(
        "--out", type=user_path, metavar="FOLDER", help="folder of page and records (default: beside FILE)"
    )
    parser.add_argument("--job", help=argparse.SUPPRESS)  # for the workflow
    parser.add_argument("--page", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Run the whole, or what the workflow asks for."""
    from cladebench.comparison.as_plan import read_plan
    from cladebench.input_files import InputFileError
    from cladebench.workflow.comparison_jobs import default_folder, jobs_of, plan

    out = (args.out or default_folder(args.file)).absolute()
    if args.job:
        jobs = [job for job in jobs_of(read_plan(out)) if job.name == args.job]
        return run_jobs(jobs, out, of_workflow=True)
    if args.page:
        from cladebench.comparison.page import write_page

        write_page(out)
        return 0
    if held := file_in_the_way(out):
        raise InputFileError(f"{held}: is a file; expected a folder, or a new one, in --out")
    plan(args.file, out, args.cores)
    from cladebench.workflow.comparison_jobs import SNAKEFILE
    from cladebench.workflow.start import snakemake

    config = [f"comparison={args.file.absolute()}", f"out={out}", "planned=1"]
    code = snakemake(out, SNAKEFILE, args.cores, config, _OPTIONS)
    if code == 0:
        print(out / "index.html")
        _check_mine(out, read_plan(out)["mine"])
    return code


def _check_mine(out: Path, mine: str) -> None:
    """Fail where no run of the user's method gave a score."""
    from cladebench.commands._failed import CommandFailed

    with (out / "runs.csv").open(encoding="utf-8", newline="") as lines:
        own = [row for row in csv.DictReader(lines) if row["method"] == mine]
    if mine and own and all(row["status"] != "ok" for row in own):
        (first, *_) = own
        raise CommandFailed(
            f"mine: {mine}: no run gave a score: {first['reason']}; its output, with any traceback, is under log_tail "
            f"in {out / first['record']}"
        )
