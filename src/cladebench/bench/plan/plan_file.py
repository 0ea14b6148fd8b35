"""Reading plans from ``papers/<id>/plan.yaml``."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cladebench import datasets
from cladebench.bench.plan.alternatives import written_out
from cladebench.bench.plan.cell_spec import MethodPlan
from cladebench.bench.plan.plan import Plan, PlanError, Problem, names_of
from cladebench.bench.plan.setting_selection import Rule
from cladebench.bench.plan.task import DRAWS
from cladebench.file_lines import tells_lines
from cladebench.input_files import InputFileError, one_of, read_validated, told
from cladebench.measures import NEEDS, Measure, with_own


@tells_lines
def read_plan(path: Path, package: str) -> Plan:
    """Read and check a plan file of the paper in `package`."""
    try:
        document = read_validated(path, "plan")
    except InputFileError as error:  # which names the file
        raise PlanError(str(error)) from None
    try:
        document = written_out(document)
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
        problems={name: Problem(**entry) for name, entry in document.get("problems", {}).items()},
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
                f"{where}: missing key 'direction': {metric!r} has none; expected 'higher' or 'lower'"
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
    """Check the names in scopes, and that nothing is planned twice."""
    registered = list(datasets.names())
    known = [*registered, *plan.problems]
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

    for name, problem in plan.problems.items():
        check("data set", [problem.dataset], registered, f"problems.{name}.dataset")
        if name in registered and problem.dataset != name:
            lines.append(
                f"{plan.path}: problems: {name!r} is the name of another data set; name it otherwise"
            )
        if name not in plan.datasets:
            lines.append(f"{plan.path}: problems: {name!r} is in no scope")
    for where, task in plan.tasks():
        if "draws" in task:
            check("data set", [task["draws"]], known, f"{where}.draws")
    for name, problem in plan.problems.items():
        other = (problem.task or {}).get("draws", name)
        if other in known and plan.data_of(other) != problem.dataset:
            lines.append(
                f"{plan.path}: problems.{name}.task.draws: {other!r} is of the data set {plan.data_of(other)!r}; "
                f"expected one of {problem.dataset!r}, whose rows and folds can be the same"
            )
    check("method", plan.blind, plan.methods, "blind")
    for measure in plan.measures.values():
        check("method", measure.random, plan.methods, f"measures.{measure.name}.random")
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
