"""List a comparison's jobs, their sources and the reasons to rerun one."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from cladebench.bench.plan.cell_spec import digest
from cladebench.bench.plan.jobs import Job, expand
from cladebench.bench.provenance import import_closure as sources
from cladebench.bench.store.store import Store
from cladebench.comparison.as_plan import PACKAGE, SCOPE, as_document, as_plan, read_plan, write_plan
from cladebench.workflow.run_state import note_start

#: Jobs a core: few, because their processes take seconds to start, but enough to keep the cores busy.
JOBS_A_CORE = 4
#: Runs a job, of a small comparison: its processes would take most of the time.
RUNS_A_JOB = 20
#: The workflow itself.
SNAKEFILE = Path(__file__).with_name("comparison.smk")


def default_folder(file: Path) -> Path:
    """Name the folder of a comparison's run: beside its file."""
    return file.absolute().with_name(f"{file.stem}-results")


def plan(file: Path, out: Path, cores: int | None = None) -> dict[str, Any]:
    """Look at a comparison's data and methods, and write its plan.

    The plan stands in the folder of the run. Without a number of cores, as on a cluster, each method is a job.
    """
    from cladebench.comparison.spec import read_comparison  # brings scikit-learn and pandas with it

    document = as_document(read_comparison(file))
    if cores is not None:
        n_methods, n_runs = len(document["methods"]), len(document["problems"]) // 2
        n_runs *= n_methods * (document["scope"]["repetitions"] + 1)
        jobs = min(JOBS_A_CORE, math.ceil(n_runs / (RUNS_A_JOB * cores)))
        document["methods_a_job"] = math.ceil(n_methods / (jobs * cores))
    write_plan(document, out)
    return document


def jobs_of(document: Mapping[str, Any]) -> list[Job]:
    """List the jobs of a comparison.

    Modules of the user's files can be imported afterwards.
    """
    sys.path.extend(folder for folder in document["sys_path"] if folder not in sys.path)
    libraries: dict[str, list[Job]] = defaultdict(list)
    for job in expand(as_plan(document), SCOPE, root_seed=document["seed"]):
        libraries[job.estimators[0].rpartition(".")[0].partition(".")[0]].append(job)
    most = document["methods_a_job"]
    return [
        _joined(members[i : i + most]) for members in libraries.values() for i in range(0, len(members), most)
    ]


def _joined(jobs: Sequence[Job]) -> Job:
    """Join jobs of methods of one library.

    The memory of a run then has no other library in it.
    """
    first = jobs[0]
    cells = [cell for job in jobs for cell in job.cells]
    cells.sort(key=lambda cell: first.datasets.index(cell.spec.dataset))
    return replace(first, methods=tuple(m for job in jobs for m in job.methods), cells=tuple(cells))


class ComparisonJobs:
    """A comparison as Snakemake needs to see it.

    Parameters
    ----------
    config : mapping
        ``comparison``, the file; ``out``, the folder of the run, beside the file by default.
    planned : bool
        Whether the folder has the plan already, so that data and methods need not be looked at.
    cores : int, optional
        See `plan`.

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
        """Source files of the page, templates of all pages among them."""
        from cladebench.html_templates import LOOK  # brings Jinja with it

        shared = Path(str(resources.files(LOOK) / "templates"))
        return [*sources.package_sources("comparison"), *map(str, sorted(shared.iterdir()))]

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
        """Note the jobs to run, so that each can say its progress."""
        note_start(self.out / "jobs", {name: len(job.cells) for name, job in self.jobs.items()}, list(to_run))
