"""Options that several commands share: which papers, which scope, which configuration."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cladebench.bench.plan import Job


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add what says which cells a run has."""
    parser.add_argument(
        "--paper", action="append", help="only this paper (repeatable; default: the configuration's)"
    )
    parser.add_argument("--scope", help="smoke, quick or full (default: the configuration's)")
    parser.add_argument("--out", type=Path, help="folder of the records (default: <results_dir>/<scope>)")
    parser.add_argument(
        "--config", type=Path, help="configuration (default: config/config.yaml where it exists)"
    )
    parser.add_argument("--seed", type=int, help="root seed (default: the configuration's)")
    parser.add_argument("--threads", type=int, help="threads of each cell (default: the configuration's)")
    parser.add_argument("--time-scale", type=float, help="factor on the time limits")
    parser.add_argument("--memory-scale", type=float, help="factor on the memory limits")


def planned_jobs(args: argparse.Namespace) -> tuple[list[Job], Path]:
    """List the jobs of the papers and scope asked for, and the folder of their records.

    Raises
    ------
    InputFileError
        If the configuration or a plan is wrong.
    """
    from cladebench.bench.config import load_config
    from cladebench.bench.plan import built_in_papers, expand, load_plan

    config = load_config(args.config)
    os.environ.update(config.data.environment())
    scope = args.scope or config.scope
    jobs = [
        job
        for paper in args.paper or config.papers or built_in_papers()
        for job in expand(
            load_plan(paper),
            scope,
            root_seed=config.seed if args.seed is None else args.seed,
            threads=config.threads if args.threads is None else args.threads,
            time_scale=config.time_scale if args.time_scale is None else args.time_scale,
            memory_scale=config.memory_scale if args.memory_scale is None else args.memory_scale,
        )
    ]
    return jobs, args.out or Path(config.results_dir) / scope
