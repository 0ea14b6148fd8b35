"""Plans: which cells a paper has; `cladebench.bench.plan.plan_file` reads them from ``papers/<id>/plan.yaml``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cladebench.bench.plan.cell_spec import MethodPlan, canonical_json
from cladebench.bench.plan.setting_selection import Rule
from cladebench.file_lines import lines_of
from cladebench.input_files import InputFileError, one_of, told
from cladebench.measures import Measure


class PlanError(InputFileError):
    """A plan asks for something that does not exist."""


@dataclass(frozen=True)
class Problem:
    """Name data of the registry, so that a plan can vary them.

    Parameters
    ----------
    dataset : str
        Name in the registry.
    task : mapping or None
        What is drawn, instead of the scope's task; None where that holds.
    label : str
        What tables and pages call it; empty for the title in the registry.
    """

    dataset: str
    task: Mapping[str, Any] | None = None
    label: str = ""


@dataclass(frozen=True)
class Plan:
    """A validated plan.

    Parameters
    ----------
    paper, title, citation : str
        Id (the folder's name) and what to print.
    package : str
        Dotted name of the paper's package; ``<package>.protocol`` runs its cells.
    path : Path
        The file, for messages.
    methods : dict of str to MethodPlan
        In the file's order.
    measures : dict of str to Measure
        Those of `cladebench.measures` and the paper's own.
    at : mapping
        The evaluation point that is meant where none is named.
    selection : dict of str to Rule
        Rules by which a setting is chosen; the first is the paper's own, the others stand beside it.
    alternatives : mapping of str to tuple of str
        Of which methods there is another under each other choice, named METHOD-CHOICE.
    blind : tuple of str
        Methods that learn nothing from the data: what they earn too supports no claim.
    beyond : tuple of str
        Data sets that the paper does not use.
    problems : dict of str to Problem
        Data sets that the plan calls by a name of its own. All else that names a data set may name a problem.
    scopes : dict
        As in the file.
    """

    paper: str
    title: str
    citation: str
    package: str
    path: Path
    methods: dict[str, MethodPlan]
    measures: dict[str, Measure]
    at: Mapping[str, Any]
    selection: dict[str, Rule]
    alternatives: Mapping[str, tuple[str, ...]]
    blind: tuple[str, ...]
    beyond: tuple[str, ...]
    problems: dict[str, Problem]
    scopes: dict[str, dict[str, Any]] = field(repr=False)

    def scope(self, name: str) -> dict[str, Any]:
        """One scope of the file.

        Raises
        ------
        PlanError
            If the plan has no such scope.
        """
        if name not in self.scopes:
            raise PlanError(f"scope: no scope {name!r}; {one_of(name, self.scopes)} (in {self.path})")
        return self.scopes[name]

    def methods_of(self, scope: str) -> list[str]:
        """Methods of a scope (all unless it names some), in its order."""
        return list(self.scope(scope).get("methods", self.methods))

    def pairs(self, scope: str) -> list[tuple[str, str]]:
        """List a scope's (data set, method), those of ``also`` last."""
        entry = self.scope(scope)
        also = (
            itertools.product(names_of(e["dataset"]), names_of(e["method"])) for e in entry.get("also", [])
        )
        return [
            *itertools.product(entry["datasets"], self.methods_of(scope)),
            *itertools.chain.from_iterable(also),
        ]

    def datasets_of(self, scope: str) -> list[str]:
        """Data sets of a scope, in its order."""
        return list(
            dict.fromkeys([*self.scope(scope)["datasets"], *(dataset for dataset, _ in self.pairs(scope))])
        )

    @cached_property  # asked of every name in claims and register
    def datasets(self) -> list[str]:
        """Data sets of all scopes."""
        return list(dict.fromkeys(dataset for scope in self.scopes for dataset in self.datasets_of(scope)))

    def data_of(self, name: str) -> str:
        """Name the registry's data behind a plan's name."""
        return self.problems[name].dataset if name in self.problems else name

    def title_of(self, name: str) -> str:
        """What tables and pages call a data set or problem."""
        from cladebench import datasets

        label = self.problems[name].label if name in self.problems else ""
        return label or datasets.info(self.data_of(name)).title

    def pools(self) -> dict[str, int]:
        """Count the rows from which repetitions draw alike.

        Data sets that are drawn anew or have parts are left out.
        """
        from cladebench import datasets

        sizes = datasets.fixed_sizes()
        pools = {
            name: sizes[p.dataset]
            for name, p in self.problems.items()
            if p.dataset in sizes and "parts" not in (p.task or {})
        }
        return sizes | pools

    def changes(self, scope: str, name: str, method: str) -> list[Mapping[str, Any]]:
        """List overrides for a method on data or problem, ``also`` last."""
        entry = self.scope(scope)
        also = ({**e, "planned": True} for e in entry.get("also", []))
        return [
            change
            for change in (*entry.get("overrides", []), *also)
            if all(
                key not in change or value in names_of(change[key])
                for key, value in (("method", method), ("dataset", name))
            )
        ]

    def task_of(self, scope: str, name: str, method: str) -> Mapping[str, Any]:
        """Say what is drawn by the last override, problem or scope."""
        task_of_problem = self.problems[name].task if name in self.problems else None
        task: Mapping[str, Any] = (
            self.scope(scope).get("task", {}) if task_of_problem is None else task_of_problem
        )
        for change in self.changes(scope, name, method):
            task = change.get("task", task)
        return task

    def grid_of(self, scope: str, name: str, method: str) -> Mapping[str, Sequence[Any]] | None:
        """Give the grid of a method on a data set or problem.

        It is that of the last override, or of the scope. None where nothing is run.
        """
        grid: Mapping[str, Sequence[Any]] = self.scope(scope).get("grid", {}).get(method, {})
        planned, reason = True, None
        for change in self.changes(scope, name, method):
            grid = change.get("grid", grid)
            planned = change.get("planned", planned)
            reason = change.get("not_applicable", reason)
        return grid if planned and not reason else None

    def shares_draws(self, one: str, other: str) -> bool:
        """Say whether two names of a data set share draws.

        The same rows, folds and blocks in all scopes that have both.
        """
        first, second = (self._draws(name) for name in (one, other))
        both = [scope for scope in first if scope in second]
        return self.data_of(one) == self.data_of(other) and all(
            len(first[scope] | second[scope]) == 1 for scope in both
        )

    def _draws(self, name: str) -> dict[str, set[str]]:
        """Say how any method's rows, folds and blocks are drawn, by scope."""
        draws: dict[str, set[str]] = {}
        for scope in self.scopes:
            for dataset, method in self.pairs(scope):
                if dataset == name:
                    task = self.task_of(scope, name, method)
                    drawn = ("rows", "share", "parts", "folds", "test", "split", "blocks")
                    kept = {key: task[key] for key in drawn if key in task}
                    seeds = task.get("draws", name)
                    draws.setdefault(scope, set()).add(canonical_json([seeds, kept]))
        return draws

    def official_splits(self, scope: str | None = None) -> frozenset[tuple[str, str]]:
        """List data sets and methods that meet an official split anywhere."""
        scopes = self.scopes if scope is None else [scope]
        met = ((s, *pair) for s in scopes for pair in self.pairs(s))
        return frozenset(
            (name, method) for s, name, method in met if "split" in self.task_of(s, name, method)
        )

    def grids(self) -> Iterator[tuple[str, str, Mapping[str, Sequence[Any]]]]:
        """List grids as (key path, method, parameter -> values)."""
        for scope_name, scope in self.scopes.items():
            for name, grid in scope.get("grid", {}).items():
                yield f"scopes.{scope_name}.grid.{name}", name, grid
            for section in ("overrides", "also"):
                for index, entry in enumerate(scope.get(section, [])):
                    for name in names_of(entry.get("method")) or list(self.methods):
                        yield f"scopes.{scope_name}.{section}[{index}].grid", name, entry.get("grid", {})

    def tasks(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Each place where the plan says what is drawn: (key path, task)."""
        for name, problem in self.problems.items():
            yield f"problems.{name}.task", problem.task or {}
        for name, scope in self.scopes.items():
            yield f"scopes.{name}.task", scope.get("task", {})
            for section in ("overrides", "also"):
                for index, entry in enumerate(scope.get(section, [])):
                    yield f"scopes.{name}.{section}[{index}].task", entry.get("task", {})

    def parameter_uses(self) -> Iterator[tuple[str, str, str]]:
        """Each place where the plan names a parameter: (key path, method, parameter)."""
        params = ((f"methods.{m.name}.params", m.name, m.params) for m in self.methods.values())
        for where, method, parameters in itertools.chain(params, self.grids()):
            yield from ((where, method, parameter) for parameter in parameters)

    def check(self, where: str, value: str, find: Callable[[str], Any]) -> Any:
        """Find what a value of the plan names.

        Parameters
        ----------
        where : str
            Its key path, for the message.
        value : str
        find : callable
            ``find(value)`` gives the thing or raises ValueError, ImportError, AttributeError or KeyError.

        Raises
        ------
        PlanError
            Naming file, key path and what is wrong.
        """
        try:
            return find(value)
        except (ValueError, ImportError, AttributeError, KeyError) as error:
            raise PlanError(f"{self.path}: {where}: {' '.join(str(error).split())}") from None

    def check_parameters(self, allowed: Mapping[str, Collection[str]]) -> None:
        """Check the parameter names against those that each method takes.

        Parameters
        ----------
        allowed : Mapping
            Method name in the plan -> names it takes, such as ``estimator().get_params()``.

        Raises
        ------
        PlanError
            With one line for each wrong name: file, key path and what the method takes.
        """
        self.refuse(
            (
                where,
                parameter,
                f"{name} has no parameter {parameter!r}; {one_of(parameter, sorted(allowed[name]))}",
            )
            for where, name, parameter in self.parameter_uses()
            if name in allowed and parameter not in allowed[name]
        )

    def refuse(self, faults: Iterable[tuple[str, str, str]]) -> None:
        """Refuse parameters of the plan, in one message.

        Parameters
        ----------
        faults : iterable of (str, str, str)
            Key path of the parameters, name of the parameter, and what is wrong with it.

        Raises
        ------
        PlanError
            With one line for each fault, if there is one: file, line of the file, key path and what is wrong.
        """
        listed = list(dict.fromkeys(faults))
        if listed:
            at = lines_of(self.path)
            written = {
                f"methods.{method}-{name}.params": f"alternatives.{name}.params"
                for name, of in self.alternatives.items()
                for method in of
            }
            lines = [
                f"{self.path}{at(f'{written.get(where, where)}.{parameter}')}: {where}: {problem}"
                for where, parameter, problem in listed
            ]
            raise PlanError(told(lines, self.path))

    def check_tasks(self, keys: Collection[str]) -> None:
        """Check that the protocol reads all that the plan draws.

        Parameters
        ----------
        keys : collection of str
            Those of a task that it reads.

        Raises
        ------
        PlanError
            With one line for each other key: file, key path, value and what the protocol reads.
        """
        expected = ", ".join(keys) or "no task"
        lines = [
            f"{self.path}: {where}.{key}: {value!r} is not read by the paper's protocol; expected {expected}"
            for where, task in self.tasks()
            for key, value in task.items()
            if key not in (*keys, "draws")  # of which seeds: nothing that a protocol reads
        ]
        if lines:
            raise PlanError(told(lines, self.path))


def names_of(value: str | Sequence[str] | None) -> list[str]:
    """A name or list of names as a list."""
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def expected_failures(plan: Plan, scope: str) -> list[dict[str, Any]]:
    """List declared failures of a scope: method, dataset, status and reason."""
    return [
        {
            "paper": plan.paper,
            "method": method,
            "dataset": dataset,
            "status": e["status"],
            "reason": e["reason"],
        }
        for e in plan.scope(scope).get("expected_failures", [])
        for method in names_of(e["method"])
        for dataset in names_of(e["dataset"])
    ]
