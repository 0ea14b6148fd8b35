"""Answer what the workflow of a comparison asks.

Its jobs, their sources, the reasons to run one again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cladebench.bench.plan.cell_spec import digest
from cladebench.bench.plan.jobs import Job
from cladebench.bench.provenance import import_closure as sources
from cladebench.bench.store.store import Store
from cladebench.comparison.as_plan import PACKAGE, jobs_of, read_plan, write_plan
from cladebench.workflow.run_state import note_start

#: The workflow itself.
SNAKEFILE = Path(__file__).with_name("comparison.smk")


def default_folder(file: Path) -> Path:
    """Name the folder of a comparison's run: beside its file."""
    return file.absolute().with_name(f"{file.stem}-results")


def plan(file: Path, out: Path, cores: int | None) -> dict[str, Any]:
    """Look at a comparison's data and methods, and write its plan.

    The plan stands in the folder of the run.
    """
    from cladebench.comparison.spec import read_comparison  # brings scikit-learn and pandas with it

    return write_plan(read_comparison(file), out, cores)


class ComparisonJobs:
    """A comparison as Snakemake needs to see it.

    Parameters
    ----------
    config : mapping
        ``comparison``, the file; ``out``, the folder of the run, beside the file by default.
    planned : bool
        Whether the folder has the plan already, so that data and methods need not be looked at.
    cores : int, optional
        See `cladebench.comparison.as_plan.write_plan`.

    Raises
    ------
    InputFileError
        If the file, its data or its methods are wrong.
    """

    def __init__(self, config: Mapping[str, Any], planned: bool, cores: int | None = None) -> None:
        self.file = Path(str(config["comparison"])).absolute()
        self.out = Path(str(config["out"])).absolute() if "out" in config else default_folder(self.file)
        document = read_plan(self.out) if planned else plan(self.file, self.out, cores)
        self.jobs: dict[str, Job] = {job.name: job for job in jobs_of(document)}
        self._sources = {
            job.name: [str(path) for path in sources.job_sources(PACKAGE, job.estimators, job.data)]
            for job in self.jobs.values()
        }

    def sources(self, job: str) -> list[str]:
        """Source files and data on which the runs of a job depend."""
        return self._sources[job]

    def page_sources(self) -> list[str]:
        """Source files of the page, its templates among them."""
        return sources.package_sources("comparison")

    def digest(self, job: str) -> str:
        """Digest of the planned runs of a job."""
        planned = self.jobs[job]
        methods = [[method.estimator, dict(method.params)] for method in planned.methods]
        return digest([methods, [[cell.spec.as_dict(), cell.not_applicable] for cell in planned.cells]])

    def forget_damaged(self) -> None:
        """Let jobs with damaged records run again.

        A record was cut or overwritten since.
        """
        for name, job in self.jobs.items():
            Store(self.out).forget_damaged(name, (cell.spec.cell_id for cell in job.cells), thoroughly=False)

    def note_start(self, to_run: Iterable[str]) -> None:
        """Note which jobs are going to run.

        So each can say how much of the whole is done.
        """
        note_start(self.out / "jobs", {name: len(job.cells) for name, job in self.jobs.items()}, list(to_run))
