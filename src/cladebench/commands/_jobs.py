"""Running jobs, for the commands of papers and of comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cladebench.commands._failed import CommandFailed

if TYPE_CHECKING:
    from cladebench.bench.plan.jobs import Job


def run_jobs(jobs: list[Job], out: Path, *, of_workflow: bool) -> int:
    """Run jobs one after another, and say how each ended.

    Parameters
    ----------
    jobs : list of Job
    out : Path
        Folder of the records.
    of_workflow : bool
        Whether to say beside each job how much of the whole run is done.

    Returns
    -------
    int
        Exit code 0: every run has a record.

    Raises
    ------
    CommandFailed
        With code 1 when records cannot be made or written. A signal that stopped it adds its number to 128.
    """
    from cladebench.bench.provenance.core_build import StaleCore, check_core_is_fresh
    from cladebench.bench.run.progress import Progress
    from cladebench.bench.run.run_job import JobLocked, run_job
    from cladebench.bench.run.signals import Interrupted
    from cladebench.bench.run.watchdog import WorkerFailure
    from cladebench.bench.store.store import Store
    from cladebench.workflow.run_state import standing

    def say(line: str) -> None:
        print(line, flush=True)

    if not jobs:
        say(f"{out / 'cells.parquet'}: it has all of these runs; nothing to do")

    metrics = [rule.metric for job in jobs for rule in job.plan.selection.values() if rule.metric]
    progress = Progress(sum(len(job.cells) for job in jobs), say, first=list(dict.fromkeys(metrics)))
    try:
        check_core_is_fresh()
        for job in jobs:
            summary = run_job(job, Store(out), progress)
            counts = ", ".join(f"{count} {status}" for status, count in sorted(summary.statuses.items()))
            whole = standing(out / "jobs", job.name) if of_workflow else None
            say(
                f"{job.name}: {counts}; {summary.reused} kept; {summary.seconds:.1f} s"
                + (f"  [{whole}]" if whole else "")
            )
    except Interrupted as stop:
        raise CommandFailed(f"{stop}; finished records are in {out}", 128 + stop.signum) from None
    except BrokenPipeError:  # of the standard output
        raise
    except OSError as error:
        where = error.filename or out
        raise CommandFailed(f"{where}: cannot be written: {error.strerror or error}") from None
    except (JobLocked, StaleCore, WorkerFailure) as error:
        raise CommandFailed(str(error)) from None
    return 0
