"""``cladebench run``: run the papers' plans."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench.commands._jobs import run_jobs
from cladebench.commands._options import add_keep_option, add_run_options, planned_jobs

if TYPE_CHECKING:
    from cladebench.bench.plan.jobs import Job


def register(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "run",
        help="run the papers' plans",
        description="Run the papers' plans. Runs with a good record of the same inputs keep it. The exit code is 0 "
        "when every planned run has a record, whatever its status; 1 when records cannot be made or written; 2 for "
        "wrong input.",
    )
    add_run_options(parser)
    parser.add_argument("--dataset", metavar="NAME", action="append", help="only this data set (repeatable)")
    parser.add_argument("--method", metavar="NAME", action="append", help="only this method (repeatable)")
    parser.add_argument(
        "--job", metavar="NAME", action="append", help="only this job, as --list names it (repeatable)"
    )
    add_keep_option(
        parser,
        "leave out what ended well by rows of the folder's cells.parquet that count, and has no record there; then "
        "collect, artifacts and gate, each with --keep",
    )
    parser.add_argument(
        "--plan-checked",
        action="store_true",
        # For the workflow, which has checked the papers' files once for all jobs and counts the cells of the whole run.
        help=argparse.SUPPRESS,
    )
    parser.add_argument("--list", action="store_true", help="print the jobs and their runs, and stop")
    parser.set_defaults(func=run)


def _chosen_jobs(args: argparse.Namespace) -> tuple[list[Job], Path, list[str]]:
    """List the chosen jobs, their records' folder, and what to say.

    All files of their papers are checked.
    """
    from cladebench.bench.plan.plan import PlanError
    from cladebench.input_files import one_of

    jobs, out = planned_jobs(args)
    if not args.plan_checked:
        from cladebench.workflow.paper_check import check_paper  # takes a second, in every job of a run

        for plan in {job.plan.paper: job.plan for job in jobs}.values():
            check_paper(plan)
    if args.job:
        named = {job.name: job for job in jobs}
        for name in args.job:
            if name not in named:
                raise PlanError(f"--job: {name!r} is not planned in this scope; {one_of(name, named)}")
        jobs = [named[name] for name in dict.fromkeys(args.job)]
    known = {
        "--dataset": list(dict.fromkeys(name for job in jobs for name in job.datasets)),
        "--method": list(dict.fromkeys(method.name for job in jobs for method in job.methods)),
    }
    datasets, methods = args.dataset or known["--dataset"], args.method or known["--method"]
    for (option, planned), values in zip(known.items(), (datasets, methods), strict=True):
        for value in values:
            if value not in planned:
                advice = one_of(value, planned)
                for job in jobs:
                    # A scope that lists its methods takes none of the others that the plan has.
                    if (
                        option == "--method"
                        and value in job.plan.methods
                        and "methods" in job.plan.scope(job.scope)
                    ):
                        where = f"scopes.{job.scope}.methods of {job.plan.path}"
                        advice = f"the plan has it, but not in {where}; expected its name there"
                raise PlanError(f"{option}: {value!r} is not planned in this scope; {advice}")
    chosen = _parts(jobs, datasets, methods)
    if not chosen:
        raise PlanError(
            f"--dataset, --method: {_listed(methods)} is not planned on {_listed(datasets)} in this scope"
        )
    kept, said = _kept_cells(out, chosen, args.keep) if args.keep else (frozenset(), [])
    return _parts(chosen, datasets, methods, kept), out, said


def _parts(
    jobs: list[Job], datasets: list[str], methods: list[str], without: Collection[str] = ()
) -> list[Job]:
    parts = (job.only(datasets, methods, without) for job in jobs)
    return [part for part in parts if part is not None]


def _kept_cells(out: Path, jobs: list[Job], code: str) -> tuple[frozenset[str], list[str]]:
    """List cells that need not be run again.

    They are in the folder's table. Also what to say of those that must be run.

    Those whose records are here are left to be looked at with their records.
    """
    from cladebench.bench.run.kept_rows import judge, without_record
    from cladebench.bench.run.run_job import KEPT

    table = out / "cells.parquet"
    if not table.exists():
        return frozenset(), []
    rows = without_record(table, jobs)
    failed = rows["cell_id"][~rows["status"].isin(KEPT)]
    judged = judge(rows[~rows["cell_id"].isin(failed)], jobs, code)
    again = [f"{table}: {judged.said}; these are run again"] if judged.faults else []
    return judged.cells, [*again, *judged.notes(table)]


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def run(args: argparse.Namespace) -> int:
    """Run the jobs; see `register` for the exit codes."""
    jobs, out, said = _chosen_jobs(args)
    for line in said:
        print(line, flush=True)
    if args.list:
        for job in jobs:
            print(f"{job.name}: {len(job.cells)} runs")
            for cell in job.cells:
                note = f"  not applicable: {cell.not_applicable}" if cell.not_applicable else ""
                print(f"  {cell.spec.cell_id}{note}")
        return 0
    return run_jobs(jobs, out, of_workflow=args.plan_checked)
