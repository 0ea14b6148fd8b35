"""Give the Snakefile jobs, files, and reasons to rerun.

The rules themselves hold no logic.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cladebench import datasets
from cladebench.bench.plan.cell_spec import digest
from cladebench.bench.plan.config import Config, load_config, parse_config
from cladebench.bench.plan.jobs import Job, expand
from cladebench.bench.plan.plan import Plan, PlanError
from cladebench.bench.provenance import import_closure as sources
from cladebench.bench.store.store import Store
from cladebench.input_files import plain_value
from cladebench.paper.catalogue import (
    built_in_papers,
    load_artifacts,
    load_plan,
    resolve_package,
)
from cladebench.workflow.paper_check import check_paper
from cladebench.workflow.run_state import note_start

#: What to add to a cell's memory limit, in MiB: for the process that watches it, and for the two Snakemake processes
#: that a job on a cluster starts with (some 620 together; where a site enforces memory they count too).
PARENT_MEMORY_MB = 800
#: What messages call the configuration, which Snakemake hands over merged.
ORIGIN = "config/config.yaml or --config"
#: Keys of sections whose values the command line gives as text, such as ``limits={time_scale: 2}``.
TYPED = ("time_scale", "memory_scale", "offline")


class Workplan:
    """A run as Snakemake needs to see it.

    Parameters
    ----------
    document : mapping
        The configuration as Snakemake has merged it from file and command line.
    files : sequence of path, optional
        The files it is from, which Snakemake reads less strictly: there a key given twice is no error.

    Attributes
    ----------
    scope : str
    papers : dict of str to str
        Id of each paper (its folder's name) and the name it goes by in the configuration.
    results : str
        ``<results_dir>/<scope>``.
    flags : str
        Options of the ``cladebench`` commands that carry the configuration on.

    Raises
    ------
    InputFileError
        If the configuration, a plan, claims or a register of choices has a wrong key, value or name; the message
        says what is allowed.
    """

    def __init__(self, document: Mapping[str, Any], files: Sequence[Path | str] = ()) -> None:
        for file in files:
            load_config(file)
        self.config: Config = parse_config(plain(document), ORIGIN)
        # Jobs inherit the environment, so this is where the configured mirrors and cache reach them.
        os.environ.update(self.config.data.environment())
        self.scope = self.config.scope
        self.papers: dict[str, str] = {}
        self.results = f"{self.config.results_dir}/{self.scope}"
        self.flags = (
            f"--seed {self.config.seed} --threads {self.config.threads}"
            f" --time-scale {self.config.time_scale:g} --memory-scale {self.config.memory_scale:g}"
        )
        self.plans: dict[str, Plan] = {}
        self._artifacts: dict[str, tuple[Any, ...]] = {}
        # Snakemake asks again and again, so all that takes time is found once.
        self._sources: dict[str, list[str]] = {}
        self.jobs: dict[str, Job] = {}
        for name in self.config.papers or built_in_papers():
            try:
                resolve_package(name)
            except PlanError as error:
                raise PlanError(f"{ORIGIN}: {error}") from None
            plan = load_plan(name)
            check_paper(plan)
            self.papers[plan.paper] = name
            self.plans[plan.paper] = plan
            self._artifacts[plan.paper] = load_artifacts(plan.package)
            for job in expand(
                plan,
                self.scope,
                root_seed=self.config.seed,
                threads=self.config.threads,
                time_scale=self.config.time_scale,
                memory_scale=self.config.memory_scale,
            ):
                sources_of_job = sources.job_sources(plan.package, job.estimators, job.data)
                self._sources[job.name] = [str(path) for path in sources_of_job]
                self.jobs[job.name] = job

    # ------------------------------------------------------------------ cells

    def job_files(self) -> list[str]:
        """The file that each job writes when all its records are there."""
        return [f"{self.results}/jobs/{job.name}.json" for job in self.jobs.values()]

    @functools.cached_property
    def long_jobs(self) -> str:
        """Pattern of the names of jobs with more runs than average.

        They start first, so that no core waits at the end for a long job that began last.
        """
        runs = {name: len(job.cells) for name, job in self.jobs.items()}
        longer = sorted(name for name, n in runs.items() if n * len(runs) > sum(runs.values()))
        return "|".join(map(re.escape, longer)) or "(?!)"

    def note_start(self, to_run: Iterable[str]) -> None:
        """Note the jobs to run, so that each can say its progress."""
        cells = {name: len(job.cells) for name, job in self.jobs.items()}
        note_start(Path(self.results) / "jobs", cells, list(to_run))

    def forget_damaged(self) -> list[str]:
        """Let jobs with damaged records run again.

        A record was cut or overwritten since; says which, a line each.
        """
        store = Store(self.results)
        return [
            f"{faults[0]}; the job {name} runs again, its good records are kept"
            for name, job in self.jobs.items()
            if (faults := store.forget_damaged(name, _ids(job), thoroughly=False))
        ]

    def sources(self, job: str) -> list[str]:
        """Source files on which the cells of a job depend."""
        return self._sources[job]

    def digest(self, job: str) -> str:
        """Digest of the planned cells and of what their limits are.

        A job started for new limits keeps good records.
        """
        planned = self.jobs[job]
        methods = [[method.estimator, dict(method.params)] for method in planned.methods]
        measures = sorted(planned.plan.measures)
        return digest(
            [methods, measures, [[cell.spec.as_dict(), cell.not_applicable] for cell in planned.cells]]
        )

    def run_options(self, job: str) -> str:
        """The options of ``cladebench run`` that name a job."""
        planned = self.jobs[job]
        return f"--paper {self.papers[planned.plan.paper]} --job {planned.name}"

    def data_state(self, job: str) -> str:
        """Whether a job's data can be had without the network.

        A change runs the job again.
        """
        states = {
            name: "not at hand" if at_hand is None else "altered" if at_hand == "altered" else "at hand"
            for name, at_hand in ((name, _available(name)) for name in self.jobs[job].data)
        }
        if len(set(states.values())) == 1:
            return next(iter(states.values()))
        return ", ".join(f"{name} {state}" for name, state in states.items())

    def memory_mb(self, job: str) -> int:
        """Reserve memory for the largest cell and the watching process, in MB."""
        return int(max(cell.spec.limits.memory_mb for cell in self.jobs[job].cells)) + PARENT_MEMORY_MB

    def runtime_minutes(self, job: str) -> int:
        """Time to reserve: every cell at its wall limit."""
        return int(sum(cell.spec.limits.wall_limit for cell in self.jobs[job].cells) / 60) + 1

    @property
    def paper_options(self) -> str:
        """The ``--paper`` options that name every paper of the run."""
        return " ".join(f"--paper {name}" for name in self.papers.values())

    # ------------------------------------------------------------------ what is made of the records

    def package_sources(self, package: str) -> list[str]:
        """List all files of a part of cladebench and its imported sources."""
        return sources.package_sources(package)

    def paper_files(self) -> list[str]:
        """List all files of papers' folders, which verdicts, tables, pages need."""
        folders = [plan.path.parent for plan in self.plans.values()]
        kinds = ("*.py", "*.yaml")
        return sorted(str(path) for folder in folders for kind in kinds for path in folder.rglob(kind))

    def artifact_files(self) -> Sequence[tuple[str, str, str, str, str]]:
        """List (paper, artifact, kind, path, caption file) of every table and figure.

        Snakemake wants a caption in a file, which stands beside the table or figure.
        """
        files = []
        for paper in self.plans:
            for artifact in self._artifacts[paper]:
                folder, suffix = ("tables", "html") if artifact.kind == "table" else ("figures", "svg")
                path = f"{self.results}/{folder}/{paper}/{artifact.id}"
                caption = str(Path(f"{path}.rst").absolute())
                files.append((paper, artifact.id, artifact.kind, f"{path}.{suffix}", caption))
        return files

    def artifact_data(self, paper: str) -> Sequence[str]:
        """List the captions beside tables and figures, and tables' data."""
        made = [(Path(path), kind) for owner, _, kind, path, _ in self.artifact_files() if owner == paper]
        data = [page.with_suffix(".json") for page, kind in made if kind == "table"]
        return [str(path) for path in [*(page.with_suffix(".rst") for page, _ in made), *data]]


def _ids(job: Job) -> Iterator[str]:
    return (cell.spec.cell_id for cell in job.cells)


def plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give numbers and flags in sections their types back.

    On its command line, Snakemake reads a section as text.
    """

    def typed(section: Any) -> Any:
        if not isinstance(section, Mapping):
            return section
        return {
            key: _typed(value) if key in TYPED and isinstance(value, str) else value
            for key, value in section.items()
        }

    return {key: typed(value) for key, value in document.items()}


def _typed(text: str) -> Any:
    try:
        return plain_value(text)
    except ValueError:  # said as text, with the key and what is expected
        return text


@functools.cache
def _available(dataset: str) -> str | None:
    return datasets.availability(dataset)
