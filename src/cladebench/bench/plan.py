"""Plans: which cells a paper has, read from ``papers/<id>/plan.yaml``."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cladebench.bench.alternatives import written_out
from cladebench.bench.cell_spec import MethodPlan
from cladebench.bench.selection import Rule
from cladebench.bench.task import DRAWS
from cladebench.input_files import InputFileError, one_of, read_validated, told
from cladebench.measures import NEEDS, Measure, with_own


class PlanError(InputFileError):
    """A plan asks for something that does not exist."""


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
        Methods that know nothing of the data: what they earn too supports no claim.
    beyond : tuple of str
        Data sets that the paper does not use.
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
    scopes: dict[str, dict[str, Any]] = field(repr=False)

    def scope(self, name: str) -> dict[str, Any]:
        """One scope of the file.

        Raises
        ------
        PlanError
            If the plan has no such scope.
        """
        if name not in self.scopes:
            raise PlanError(f"{self.path}: scopes: no scope {name!r}; {one_of(name, self.scopes)}")
        return self.scopes[name]

    def methods_of(self, scope: str) -> list[str]:
        """Methods of a scope (all unless it names some), in its order."""
        return list(self.scope(scope).get("methods", self.methods))

    def pairs(self, scope: str) -> list[tuple[str, str]]:
        """(data set, method) of a scope: its data sets with all its methods, then what stands under ``also``."""
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

    @property
    def datasets(self) -> list[str]:
        """Data sets of all scopes."""
        return list(dict.fromkeys(dataset for scope in self.scopes for dataset in self.datasets_of(scope)))

    def grids(self) -> Iterator[tuple[str, str, Mapping[str, Sequence[Any]]]]:
        """Each place where the plan varies parameters: (key path, method, parameter -> values)."""
        for scope_name, scope in self.scopes.items():
            for name, grid in scope.get("grid", {}).items():
                yield f"scopes.{scope_name}.grid.{name}", name, grid
            for section in ("overrides", "also"):
                for index, entry in enumerate(scope.get(section, [])):
                    for name in names_of(entry.get("method")) or list(self.methods):
                        yield f"scopes.{scope_name}.{section}[{index}].grid", name, entry.get("grid", {})

    def tasks(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Each place where the plan says what is drawn: (key path, task)."""
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
        lines = [
            f"{self.path}: {where}: {name} has no parameter {parameter!r}; {one_of(parameter, sorted(allowed[name]))}"
            for where, name, parameter in self.parameter_uses()
            if name in allowed and parameter not in allowed[name]
        ]
        if lines:
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
        lines = [
            f"{self.path}: {where}.{key}: {value!r}; the protocol of this paper reads {', '.join(keys) or 'no task'}"
            for where, task in self.tasks()
            for key, value in task.items()
            if key not in keys
        ]
        if lines:
            raise PlanError(told(lines, self.path))


def names_of(value: str | Sequence[str] | None) -> list[str]:
    """A name or list of names as a list."""
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def read_plan(path: Path, package: str) -> Plan:
    """Read and check a plan file of the paper in `package`; see `load_plan`."""
    try:
        document = written_out(read_validated(path, "plan"))
    except ValueError as error:
        raise PlanError(f"{path}: {error}") from None
    folder = package.rpartition(".")[2]
    if document["paper"] != folder:
        raise PlanError(f"{path}: paper: {document['paper']!r} must be the name of its folder, {folder!r}")
    methods = {
        name: MethodPlan(
            name,
            entry["estimator"],
            entry.get("params", {}),
            entry.get("label", name),
            entry.get("role", "method"),
        )
        for name, entry in document["methods"].items()
    }
    try:
        measures = with_own(document.get("measures", {}))
    except ValueError as error:
        raise PlanError(f"{path}: {error}") from None
    plan = Plan(
        paper=document["paper"],
        title=document["title"],
        citation=document["citation"],
        package=package,
        path=path,
        methods=methods,
        measures=measures,
        at=document.get("at", {}),
        selection=_rules(document, measures, path),
        alternatives={name: tuple(e["of"]) for name, e in document.get("alternatives", {}).items()},
        blind=tuple(document.get("blind", ())),
        beyond=tuple(document.get("beyond", ())),
        scopes=document["scopes"],
    )
    _check_names(plan)
    return plan


#: What a choice cannot have read that says what it rests on.
_FORBIDDEN = {
    "nothing": set(NEEDS),
    "no labels": {"labels", "class tree", "test labels", "constraints"},
    "training labels": {"test labels"},
}


def _rules(document: Mapping[str, Any], measures: Mapping[str, Measure], path: Path) -> dict[str, Rule]:
    """Rules of selection, their directions taken from the measures."""
    rules = {}
    for name, entry in document.get("selection", {}).items():
        where = f"{path}: selection.{name}"
        metric = entry.get("metric")
        if metric is not None and metric not in measures:
            raise PlanError(f"{where}.metric: no measure {metric!r}; {one_of(metric, measures)}")
        direction = entry.get("direction") or (measures[metric].direction if metric else None)
        if metric is not None and direction is None:
            raise PlanError(
                f"{where}: missing key 'direction': of {metric!r} neither higher nor lower is better in itself"
            )
        uses = entry.get("uses", "")
        if metric is not None and (
            forbidden := _FORBIDDEN.get(uses, set()).intersection(measures[metric].needs)
        ):
            raise PlanError(
                f"{where}.uses: {uses!r}, but the measure {metric!r} needs {' and '.join(sorted(forbidden))}"
            )
        at = entry.get("at", document.get("at", {}))
        shown = entry.get("shown", True)
        rules[name] = Rule(name, entry["label"], metric, direction, at, entry.get("setting"), uses, shown)
    return rules


def _check_names(plan: Plan) -> None:
    """Check every method and data set that the scopes name, and that nothing is planned twice."""
    from cladebench import datasets

    known = list(datasets.names())
    lines = [
        f"{plan.path}: methods: {name!r} is the name of a draw, whose seeds the method would share; name it otherwise"
        for name in plan.methods
        if name in DRAWS
    ]

    def check(kind: str, values: Iterable[str], allowed: Iterable[str], where: str) -> None:
        allowed = list(allowed)
        for value in values:
            if value not in allowed:
                lines.append(f"{plan.path}: {where}: unknown {kind} {value!r}; {one_of(value, allowed)}")

    check("method", plan.blind, plan.methods, "blind")
    check("data set", plan.beyond, plan.datasets, "beyond")
    parameters = sorted({parameter for _, _, parameter in plan.parameter_uses()})
    for rule in plan.selection.values():
        check("parameter", rule.setting or (), parameters, f"selection.{rule.name}.setting")
    for name, scope in plan.scopes.items():
        pairs = Counter(plan.pairs(name))
        check("data set", scope["datasets"], known, f"scopes.{name}.datasets")
        check("method", scope.get("methods", []), plan.methods, f"scopes.{name}.methods")
        check("method", scope.get("grid", {}), plan.methods, f"scopes.{name}.grid")
        for section in ("overrides", "expected_failures"):
            for index, entry in enumerate(scope.get(section, [])):
                where = f"scopes.{name}.{section}[{index}]"
                methods = dict.fromkeys(method for _, method in pairs)
                check("method", names_of(entry.get("method")), methods, f"{where}.method")
                check("data set", names_of(entry.get("dataset")), plan.datasets_of(name), f"{where}.dataset")
        for index, entry in enumerate(scope.get("also", [])):
            where = f"scopes.{name}.also[{index}]"
            check("method", names_of(entry["method"]), plan.methods, f"{where}.method")
            check("data set", names_of(entry["dataset"]), known, f"{where}.dataset")
            for dataset, method in itertools.product(names_of(entry["dataset"]), names_of(entry["method"])):
                if pairs[dataset, method] > 1:
                    lines.append(
                        f"{plan.path}: {where}: {method!r} on {dataset!r} is in the scope already; say it in overrides"
                    )
    if lines:
        raise PlanError(told(lines, plan.path))


def expected_failures(plan: Plan, scope: str) -> list[dict[str, Any]]:
    """The declared failures of a scope, one entry for each method and data set: method, dataset, status, reason."""
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
