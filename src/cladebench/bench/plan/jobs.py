"""Jobs: the portions of a scope that one process runs."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cladebench.bench.plan.cell_spec import CellSpec, Limits, MethodPlan, canonical_json, setting_order
from cladebench.bench.plan.plan import Plan, PlanError
from cladebench.bench.plan.task import folds_of
from cladebench.file_lines import lines_of

if TYPE_CHECKING:
    import pandas as pd

SCALES = (0.001, 1000.0)  # of the factors on limits, as in schemas/config.schema.json
MAX_CELLS = 100_000  # of a scope; beyond it a number has a digit too many


@dataclass(frozen=True)
class PlannedCell:
    """A cell of a plan.

    `not_applicable` is the reason why it is not run, if it is not.
    """

    spec: CellSpec
    not_applicable: str | None = None


@dataclass(frozen=True)
class Job:
    """Hold cells for one process: methods, data, settings and repetitions.

    Parameters
    ----------
    plan : Plan
    scope : str
    datasets : tuple of str
        At least one; data sets and problems of the plan.
    methods : tuple of MethodPlan
        At least one.
    cells : tuple of PlannedCell
        Data set by data set, in each method by method.
    part_of : str
        Name of the job that it is a part of; empty for a whole one.
    """

    plan: Plan = field(repr=False)
    scope: str
    datasets: tuple[str, ...]
    methods: tuple[MethodPlan, ...]
    cells: tuple[PlannedCell, ...] = field(repr=False)
    part_of: str = field(default="", repr=False, compare=False)

    @property
    def lock_name(self) -> str:
        """What a run of it locks.

        The whole job, of which another process may run the same cells.
        """
        return self.part_of or self.name

    @property
    def name(self) -> str:
        """Name the job, as in job and log files.

        ``paper.dataset.method``, with how many more of each there are.
        """
        methods = [method.name for method in self.methods]
        return f"{self.plan.paper}.{_first_of(self.datasets)}.{_first_of(methods)}"

    @property
    def data(self) -> tuple[str, ...]:
        """The names of the data in the registry, each once."""
        return tuple(dict.fromkeys(map(self.plan.data_of, self.datasets)))

    @property
    def estimators(self) -> tuple[str, ...]:
        """The estimators of its methods, each once."""
        return tuple(dict.fromkeys(method.estimator for method in self.methods))

    def method_of(self, spec: CellSpec) -> MethodPlan:
        """The method of one of the job's cells."""
        return next(method for method in self.methods if method.name == spec.method)

    def with_more(self, dataset: str, method: MethodPlan, cells: Sequence[PlannedCell]) -> Job:
        """Add a method's cells on a data set to the job."""
        return replace(
            self,
            datasets=tuple(dict.fromkeys((*self.datasets, dataset))),
            methods=self.methods if method in self.methods else (*self.methods, method),
            cells=(*self.cells, *cells),
        )

    def only(
        self, datasets: Collection[str], methods: Collection[str], without: Collection[str] = ()
    ) -> Job | None:
        """Give the named part of the job; None if nothing is left."""
        cells = tuple(
            cell
            for cell in self.cells
            if cell.spec.dataset in datasets
            and cell.spec.method in methods
            and cell.spec.cell_id not in without
        )
        if not cells:
            return None
        left = {cell.spec.method for cell in cells}
        return replace(
            self,
            datasets=tuple(dict.fromkeys(cell.spec.dataset for cell in cells)),
            methods=tuple(method for method in self.methods if method.name in left),
            cells=cells,
            part_of=self.lock_name,
        )


def _first_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]}-and-{len(names) - 1}-more"


def _settings(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Multiply out a grid in the file's order, last parameter fastest."""
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def expand(
    plan: Plan,
    scope: str,
    *,
    root_seed: int = 0,
    threads: int = 1,
    time_scale: float = 1.0,
    memory_scale: float = 1.0,
) -> list[Job]:
    """List a scope's jobs and cells, methods inside data sets.

    A task is that of the scope, or of the problem where it has one of its own; overrides have the last word.

    Cells are in the order of the grid (the last parameter varies fastest), repetitions inside, folds inside these.
    Overrides apply in the order of the file, later ones over earlier ones: `repetitions`, `grid`, `task`,
    `not_applicable` and `planned` replace, the keys of `limits` merge; ``planned: false`` leaves the method out. An
    entry of `also` is the last override of the cells that it adds. Each method on each data set is a job of its own.
    The scope or an override may join them. With ``jobs: estimator`` all methods of one estimator on a data set are one
    job, with ``jobs: estimator-everywhere`` these on all data sets, and with ``jobs: dataset`` all methods on a data
    set.

    Parameters
    ----------
    plan : Plan
    scope : str
        A scope of the plan.
    root_seed : int
        Seed of the whole run.
    threads : int
        Threads of each cell.
    time_scale, memory_scale : float
        Factors on the plan's limits, for a slower or smaller machine.

    Raises
    ------
    PlanError
        If the plan has no such scope, a number is out of bounds, or there are more than `MAX_CELLS` cells.
    """
    for key, value, low, high in (
        ("seed", root_seed, 0, math.inf),
        ("threads", threads, 1, math.inf),
        ("time_scale", time_scale, *SCALES),
        ("memory_scale", memory_scale, *SCALES),
    ):
        if not low <= value <= high:
            bounds = f"from {low:g} to {high:g}" if high < math.inf else f"of at least {low:g}"
            raise PlanError(f"{key}: {value} is not allowed; expected a number {bounds}")
    entry = plan.scope(scope)
    jobs: dict[tuple[str, str, str], Job] = {}
    n_cells = 0
    for dataset, name in plan.pairs(scope):
        limits, repetitions = dict(entry["limits"]), entry["repetitions"]
        grid, reason, planned = entry.get("grid", {}).get(name, {}), None, True
        grouping = entry.get("jobs", "method")
        task, data = plan.task_of(scope, dataset, name), plan.data_of(dataset)
        other = data if data != dataset else ""
        for override in plan.changes(scope, dataset, name):
            limits.update(override.get("limits", {}))
            repetitions = override.get("repetitions", repetitions)
            grid = override.get("grid", grid)
            reason = override.get("not_applicable", reason)
            planned = override.get("planned", planned)
            grouping = override.get("jobs", grouping)
        if not planned:
            continue
        folds = folds_of(task)
        n_cells += repetitions * len(folds) * math.prod(len(values) for values in grid.values())
        if n_cells > MAX_CELLS:
            place = f"scopes.{scope}"
            raise PlanError(
                f"{plan.path}{lines_of(plan.path)(place)}: {place}: {n_cells:,} runs up to {name!r} on {dataset!r} "
                f"(settings x repetitions x folds); expected at most {MAX_CELLS:,}"
            )
        scaled = Limits(**limits).scaled(time_scale, memory_scale)
        cells = tuple(
            PlannedCell(
                CellSpec(
                    plan.paper,
                    dataset,
                    name,
                    setting,
                    repetition,
                    root_seed,
                    scaled,
                    threads,
                    fold,
                    task,
                    other,
                ),
                reason,
            )
            for setting in _settings(grid)
            for repetition in range(repetitions)
            for fold in folds
        )
        method = plan.methods[name]
        group = {
            "method": (grouping, dataset, name),
            "estimator": (grouping, dataset, method.estimator),
            "estimator-everywhere": (grouping, "", method.estimator),
            "dataset": (grouping, dataset, ""),
        }[grouping]
        if group in jobs:
            jobs[group] = jobs[group].with_more(dataset, method, cells)
        else:
            jobs[group] = Job(plan, scope, (dataset,), (method,), cells)
    return list(jobs.values())


def with_missing(records: pd.DataFrame, plan: Plan, scope: str) -> pd.DataFrame:
    """Add a row for each planned cell without a record.

    Its status is ``missing``, as in the ledger.

    Parameters
    ----------
    records : pandas.DataFrame
        Rows of ``cells.parquet`` of one paper.
    plan : Plan
    scope : str
        Scope that was run.

    Returns
    -------
    pandas.DataFrame
        The same frame where no cell is missing; else with the rows of missing cells in their places: by data set,
        method, setting, repetition, fold.
    """
    import pandas as pd

    recorded = set(records["cell_id"].unique())
    rows = [
        {
            **{key: getattr(cell.spec, key) for key in ("paper", "dataset", "method", "setting_id")},
            "setting": canonical_json(cell.spec.setting),
            "repetition": cell.spec.repetition,
            "fold": cell.spec.fold,
            "at": "{}",
            "status": "missing",
            "reason": "planned, but there is no record of it",
            "cell_id": cell.spec.cell_id,
            "estimator": method.estimator,
            "params": canonical_json(method.parameters(cell.spec.setting)),
        }
        for job in expand(plan, scope)
        for cell in job.cells
        for method in (job.method_of(cell.spec),)
        if cell.spec.cell_id not in recorded
    ]
    if not rows:
        return records
    missing = pd.DataFrame(rows).reindex(columns=records.columns).astype(records.dtypes)
    both = pd.concat([records, missing], ignore_index=True)
    settings = {text: setting_order(json.loads(text)) for text in both["setting"].unique()}
    keys = [
        (dataset, method, settings[setting], repetition, fold)
        for dataset, method, setting, repetition, fold in zip(
            both["dataset"],
            both["method"],
            both["setting"],
            both["repetition"],
            both["fold"].fillna(-1),
            strict=True,
        )
    ]
    return both.iloc[sorted(range(len(both)), key=keys.__getitem__)].reset_index(drop=True)
