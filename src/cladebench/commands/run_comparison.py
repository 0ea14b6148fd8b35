"""``cladebench run-comparison``: run a comparison and write its page."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from cladebench.commands._jobs import run_jobs
from cladebench.commands._options import user_path


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "run-comparison",
        help="compare methods on your own data",
        description="Run the methods of a comparison on its data, with limits, and write one page. Runs with a good "
        "record of the same inputs keep it, so that an interrupted command goes on where it stopped. A method that "
        "fails is a row of the page. Exit code 0 when the page is written, 2 for wrong input.",
    )
    parser.add_argument("file", type=user_path, metavar="FILE", help="comparison.yaml, see new-comparison")
    parser.add_argument("--cores", type=_count, default=1, metavar="N", help="runs at a time (default: 1)")
    parser.add_argument(
        "--out", type=user_path, metavar="FOLDER", help="folder of page and records (default: beside FILE)"
    )
    parser.add_argument("--job", help=argparse.SUPPRESS)  # for the workflow
    parser.add_argument("--page", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(func=run)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number of at least 1")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Run the whole, or what the workflow asks for."""
    from cladebench.comparison.as_plan import jobs_of, read_plan
    from cladebench.workflow.comparison_jobs import default_folder, plan

    out = (args.out or default_folder(args.file)).absolute()
    if args.job:
        jobs = [job for job in jobs_of(read_plan(out)) if job.name == args.job]
        return run_jobs(jobs, out, of_workflow=True)
    if args.page:
        from cladebench.comparison.page import write_page

        write_page(out)
        return 0
    plan(args.file, out, args.cores)
    return _start_workflow(args.file.absolute(), out, args.cores)


def _start_workflow(file: Path, out: Path, cores: int) -> int:
    """Start Snakemake in the folder of the run, and wait.

    Ctrl-C is its own to handle.
    """
    from cladebench.workflow import folder_lock
    from cladebench.workflow.comparison_jobs import SNAKEFILE

    config = ["--snakefile", str(SNAKEFILE), "--config", f"comparison={file}", f"out={out}", "planned=1"]
    os.chdir(out)
    if folder_lock.main(config):
        return 1
    command = [
        *(sys.executable, "-m", "snakemake", "--cores", str(cores), "--quiet", "all", "--keep-going"),
        *("--rerun-incomplete", "--rerun-triggers", "mtime", "params", "input", "code"),
        *("--max-jobs-per-timespan", "500/5s", "--show-failed-logs"),
        *config,
    ]
    process = subprocess.Popen(command)
    interrupted = False
    while process.poll() is None:
        try:
            process.wait()
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        print(f"interrupted; finished runs are in {out}: the same command goes on", file=sys.stderr)
        return 130
    if process.returncode == 0:
        print(out / "index.html")
    return int(process.returncode != 0)
