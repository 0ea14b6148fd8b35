"""``cladebench run``: run the cells of a paper's plan."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cladebench.bench.plan import Job


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "run",
        help="run the cells of a paper's plan",
        description="Run the cells of a plan. Cells with a good record of the same inputs keep it. The exit code is "
        "0 when every cell has a record, whatever its status; 1 when records cannot be written; 2 for wrong input.",
    )
    parser.add_argument(
        "--paper", required=True, help="id of a paper, or the dotted name of your own paper package"
    )
    parser.add_argument("--dataset", help="only the jobs of this data set")
    parser.add_argument("--method", help="only the jobs of this method")
    parser.add_argument("--scope", help="smoke, quick or full (default: the configuration's)")
    parser.add_argument("--out", type=Path, help="folder of the records (default: <results_dir>/<scope>)")
    parser.add_argument(
        "--config", type=Path, help="configuration (default: config/config.yaml where it exists)"
    )
    parser.add_argument("--seed", type=int, help="root seed (default: the configuration's)")
    parser.add_argument("--threads", type=int, help="threads of each cell (default: the configuration's)")
    parser.add_argument("--time-scale", type=float, help="factor on the time limits, for a slower machine")
    parser.add_argument("--memory-scale", type=float, help="factor on the memory limits")
    parser.add_argument("--list", action="store_true", help="print the jobs and their cells, run nothing")
    parser.set_defaults(func=run)


def _jobs(args: argparse.Namespace) -> tuple[list[Job], Path]:
    """The jobs that were asked for, and the folder of their records."""
    from cladebench.bench.config import load_config
    from cladebench.bench.plan import PlanError, expand, load_plan, validate_protocol
    from cladebench.bench.schema import one_of

    config = load_config(args.config)
    os.environ.update(config.data.environment())
    scope = args.scope or config.scope
    threads = config.threads if args.threads is None else args.threads
    time_scale = config.time_scale if args.time_scale is None else args.time_scale
    memory_scale = config.memory_scale if args.memory_scale is None else args.memory_scale
    for option, value in (
        ("--threads", threads),
        ("--time-scale", time_scale),
        ("--memory-scale", memory_scale),
    ):
        if not value > 0:
            raise PlanError(f"{option}: {value} must be positive")
    plan = load_plan(args.paper)
    validate_protocol(plan)
    jobs = expand(
        plan,
        scope,
        root_seed=config.seed if args.seed is None else args.seed,
        threads=threads,
        time_scale=time_scale,
        memory_scale=memory_scale,
    )
    for option, value, known in (
        ("--dataset", args.dataset, [job.dataset for job in jobs]),
        ("--method", args.method, [job.method.name for job in jobs]),
    ):
        if value is not None and value not in known:
            allowed = one_of(value, dict.fromkeys(known))
            raise PlanError(f"{option}: {value!r} is not in scope {scope} of {plan.path}; {allowed}")
    chosen = [
        job for job in jobs if args.dataset in (None, job.dataset) and args.method in (None, job.method.name)
    ]
    return chosen, args.out or Path(config.results_dir) / scope


def run(args: argparse.Namespace) -> int:
    """Run the jobs; see `register` for the exit codes."""
    from cladebench.bench.schema import InputFileError

    try:
        jobs, out = _jobs(args)
    except InputFileError as error:
        print(error, file=sys.stderr)
        return 2
    if args.list:
        for job in jobs:
            print(f"{job.name}: {len(job.cells)} cells")
            for cell in job.cells:
                note = f"  not applicable: {cell.not_applicable}" if cell.not_applicable else ""
                print(f"  {cell.spec.cell_id}{note}")
        return 0
    return _run_jobs(jobs, out)


def _run_jobs(jobs: list[Job], out: Path) -> int:
    from cladebench.bench.build import StaleCore, check_core_is_fresh
    from cladebench.bench.runner import Interrupted, JobLocked, run_job
    from cladebench.bench.store import Store
    from cladebench.bench.watchdog import WorkerFailure

    try:
        check_core_is_fresh()
        for job in jobs:
            summary = run_job(job, Store(out), progress=lambda line: print(line, flush=True))
            counts = ", ".join(f"{count} {status}" for status, count in sorted(summary.statuses.items()))
            print(f"{job.name}: {counts}; {summary.reused} kept; {summary.seconds:.1f} s", flush=True)
    except Interrupted as stop:
        print(f"{stop}; finished records are in {out}", file=sys.stderr)
        return 128 + stop.signum
    except OSError as error:
        print(f"{error.filename or out}: cannot be written: {error.strerror or error}", file=sys.stderr)
        return 1
    except (JobLocked, StaleCore, WorkerFailure) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
