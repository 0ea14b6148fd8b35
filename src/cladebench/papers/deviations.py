"""The register of deviations: what a paper leaves unsaid or gets wrong, what was chosen, and what that does.

``deviations.yaml`` is a list of entries with the keys of :class:`Deviation`. Each effect names what to compare, and is
measured from the records of the run, never written down by hand:

========================  ==========================================================================================
``by: setting``           mean of a metric for each value of a ``parameter`` in the method's grid
``by: method``            mean of a metric for each of several ``methods``
``by: metric``            means of several ``metrics`` of one method
``by: dataset``           mean of a metric of one method on each data set
``by: rule``              mean under each rule by which a setting is chosen
``by: repetition``        mean and spread over repetitions (draws, shufflings)
``by: nothing``           it cannot be measured; ``reason`` says why
========================  ==========================================================================================

An effect is read at the evaluation point ``at`` (by default the plan's), in settings with the values of ``where`` (by
default any).
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench.bench.cell_spec import canonical_json, setting_order
from cladebench.bench.plan import Plan
from cladebench.bench.results import not_recorded, recorded_points
from cladebench.bench.selection import agrees
from cladebench.input_files import InputFileError, one_of, read_yaml, shown, validate
from cladebench.papers.artifact_types import ArtifactContext, Table
from cladebench.papers.catalogue import load_plan
from cladebench.papers.tables import listed, with_spread


@dataclass(frozen=True)
class Alternative:
    """A runnable alternative to what was chosen: what claims ask for instead, under which they are judged too.

    Attributes
    ----------
    name : str
    instead : mapping
        ``selection``: a rule; ``spread``: what printed spreads are; ``metric``, ``method``, ``dataset``: names and what
        stands in their place; ``where``: for each method a part of the setting.
    kinds : frozenset of str
        Of the claims that it is meant for; empty for all.
    """

    name: str
    instead: Mapping[str, Any]
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Deviation:
    """One entry of the register.

    Attributes
    ----------
    id : str
        Short name, unique within the paper.
    place : str
        Section of the paper.
    paper : str
        What the paper says, or that it says nothing.
    chosen : str
        What is done here.
    alternatives : tuple of str
        What else it could have been.
    effects : tuple of mapping
        What to compare; see the module's table.
    universes : tuple of Alternative
        Under which claims are judged too.
    """

    id: str
    place: str
    paper: str
    chosen: str
    alternatives: tuple[str, ...]
    effects: tuple[Mapping[str, Any], ...]
    universes: tuple[Alternative, ...] = ()


def load_deviations(package: str) -> list[Deviation]:
    """Read the register in a paper's package (its dotted name) and hold its names against the plan beside it.

    A paper without the file has an empty register.

    Raises
    ------
    InputFileError
        See `read_deviations` and `check_deviations`.
    """
    return checked_deviations(load_plan(package))


def checked_deviations(plan: Plan) -> list[Deviation]:
    """Read the register beside a plan, empty where there is none, and hold its names against the plan."""
    path = plan.path.parent / "deviations.yaml"
    if not path.exists():
        return []
    register = read_deviations(path)
    check_deviations(register, plan, _name(path))
    return [
        replace(
            entry,
            universes=tuple(
                replace(u, instead=_with_methods(u.instead, plan.alternatives)) for u in entry.universes
            ),
        )
        for entry in register
    ]


def _with_methods(
    instead: Mapping[str, Any], alternatives: Mapping[str, Collection[str]]
) -> Mapping[str, Any]:
    """Write an alternative of the plan as the methods that it replaces."""
    if "alternative" not in instead:
        return instead
    name = instead["alternative"]
    renamed = {method: f"{method}-{name}" for method in alternatives[name]} | instead.get("method", {})
    return {key: value for key, value in instead.items() if key != "alternative"} | {"method": renamed}


def read_deviations(path: Path) -> list[Deviation]:
    """Read a register.

    Raises
    ------
    InputFileError
        Naming the file, the entry, the key, the value and what was expected.
    """
    document = read_yaml(path, _name(path))
    validate(document, "deviations", _name(path))
    twice = [name for name, count in Counter(entry["id"] for entry in document).items() if count > 1]
    if twice:
        raise InputFileError(f"{_name(path)}: entry {twice[0]!r}: id: given twice")
    return [
        Deviation(
            id=entry["id"],
            alternatives=tuple(entry["alternatives"]),
            effects=tuple(entry["effects"]),
            universes=tuple(
                Alternative(" ".join(u["name"].split()), u["instead"], frozenset(u.get("kinds", ())))
                for u in entry.get("universes", ())
            ),
            **{key: " ".join(entry[key].split()) for key in ("place", "paper", "chosen")},
        )
        for entry in document
    ]


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def check_deviations(register: Iterable[Deviation], plan: Plan, name: str) -> None:
    """Check every name in a register against the plan: a misspelt one must not end as "no cells in this scope".

    Parameters
    ----------
    register : iterable of Deviation
    plan : Plan
    name : str
        The file, for the message.

    Raises
    ------
    InputFileError
        With one line for each unknown name: the entry, the key, and what is allowed.
    """
    grids: dict[str, dict[str, list[Any]]] = {name: {} for name in plan.methods}
    for _, method, grid in plan.grids():
        for parameter, values in grid.items():
            grids.setdefault(method, {}).setdefault(parameter, []).extend(values)
    lines = []
    for deviation in register:
        for i, effect in enumerate(deviation.effects):
            allowed: dict[str, Collection[str]] = {
                "method": plan.methods,
                "dataset": plan.datasets,
                "metric": plan.measures,
            }
            if effect.get("method") in plan.methods:
                allowed["parameter"] = list(grids[effect["method"]])
            for key, value in _names(effect):
                kind = key.removesuffix("s")
                if kind in allowed and value not in allowed[kind]:
                    where = f"{name}: entry {deviation.id!r}: effects[{i}].{key}"
                    lines.append(f"{where}: unknown {shown(value)}; {one_of(value, allowed[kind])}")
            where = f"{name}: entry {deviation.id!r}: effects[{i}].where"
            varied = [grids[method] for method in _methods(effect) if method in grids]
            lines += [f"{where}{fault}" for fault in _not_varied(effect.get("where", {}), varied)]
        for i, universe in enumerate(deviation.universes):
            where = f"{name}: entry {deviation.id!r}: universes[{i}].instead"
            lines += [f"{where}.{fault}" for fault in _unknown(universe.instead, plan, grids)]
    universes = Counter(universe.name for deviation in register for universe in deviation.universes)
    lines += [f"{name}: universes: {text!r}: given twice" for text, count in universes.items() if count > 1]
    if lines:
        raise InputFileError("\n".join(lines))


def _unknown(instead: Mapping[str, Any], plan: Plan, grids: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with the names in an alternative: the key, the name, and what is allowed."""
    allowed: dict[str, Collection[str]] = {
        "selection": plan.selection,
        "alternative": plan.alternatives,
        "method": plan.methods,
        "dataset": plan.datasets,
        "metric": plan.measures,
    }
    for key, value in instead.items():
        if key == "spread":
            continue  # the schema has its words
        if key == "where":
            for method, setting in value.items():
                if method not in grids:
                    yield f"where: unknown {shown(method)}; {one_of(method, grids)}"
                else:
                    yield from (f"where.{method}{fault}" for fault in _not_varied(setting, [grids[method]]))
            continue
        names = [value] if isinstance(value, str) else [*value, *value.values()]
        yield from (
            f"{key}: unknown {shown(name)}; {one_of(name, allowed[key])}"
            for name in names
            if name not in allowed[key]
        )


def _names(effect: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each name in an effect, with its key; not those within ``at`` and ``where``."""
    for key, value in effect.items():
        if key not in ("by", "reason", "at", "where"):
            yield from ((key, name) for name in ([value] if isinstance(value, str) else value))


def _methods(effect: Mapping[str, Any]) -> list[str]:
    return effect.get("methods") or [effect["method"]] if effect["by"] != "nothing" else []


def _not_varied(where: Mapping[str, Any], grids: Iterable[Mapping[str, list[Any]]]) -> list[str]:
    """What is wrong with a part of a setting, once each: every method that is compared must vary it so."""
    found = []
    for grid, (parameter, value) in itertools.product(grids, where.items()):
        if parameter not in grid:
            found.append(f": unknown {shown(parameter)}; {one_of(parameter, grid)}")
            continue
        values = list(dict.fromkeys(map(str, grid[parameter])))
        if not _is_number(value) and all(map(_is_number, grid[parameter])):
            found.append(f".{parameter}: {shown(value)} is not a number; expected one: {', '.join(values)}")
        elif not any(
            value == other and isinstance(value, bool) == isinstance(other, bool) for other in grid[parameter]
        ):
            found.append(f".{parameter}: unknown {shown(value)}; {one_of(str(value), values)}")
    return list(dict.fromkeys(found))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_recorded(register: Iterable[Deviation], context: ArtifactContext, name: str) -> None:
    """Check evaluation points of a register against the records, where a method that is compared finished.

    A metric that nothing has recorded leaves its rows empty: the run may be older than the register.

    Raises
    ------
    InputFileError
        With one line for each metric that no record of the paper has at the point that is named.
    """
    records = context.results.records
    finished = records[(records.status == "ok") & records.metric.notna()]
    points = recorded_points(finished)
    ran = set(zip(finished.dataset, finished.method, strict=True))
    lines = [
        f"{name}: entry {deviation.id!r}: {fault}"
        for deviation in register
        for effect in deviation.effects
        for key, metric in _names(effect)
        if key in ("metric", "metrics") and metric in points
        if any(pair in ran for pair in itertools.product(effect["datasets"], _methods(effect)))
        if (fault := not_recorded(metric, effect.get("at"), points, key))
    ]
    if lines:
        raise InputFileError("\n".join(dict.fromkeys(lines)))


def deviations_table(context: ArtifactContext) -> Table:
    """Give the register with each effect measured from the records of this run: one row for each compared value."""
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    register = load_deviations(context.package)
    check_recorded(register, context, f"{context.paper}/deviations.yaml")
    for deviation in register:
        head = {
            "deviation": deviation.id,
            "place": deviation.place,
            "the paper": deviation.paper,
            "chosen": deviation.chosen,
            "alternatives": "; ".join(deviation.alternatives) or "none",
        }
        for effect in deviation.effects:
            if effect["by"] == "nothing":
                rows.append(head | {"compared": "not measured", "value": effect["reason"], "n": "–"})
                head = dict.fromkeys(head, "")
                continue
            for metric, what, values, few in _compared(effect, context):
                measure, value = context.measures[metric], few or "no cells in this scope"
                if len(values):
                    value = with_spread(values.value.to_numpy(), measure)
                    sources[len(rows), "value"] = tuple(values.cell_id)
                compared = f"{measure.heading}, {what}"
                rows.append(head | {"compared": compared, "value": value, "n": str(len(values))})
                head = dict.fromkeys(head, "")
    columns = ["deviation", "place", "the paper", "chosen", "alternatives", "compared", "value", "n"]
    notes = ["value: mean ± standard deviation over the n cells; n: their number."]
    if context.beside:
        label = context.rules[context.beside].label
        notes.append(
            f"Where nothing else is said, a method with several settings stands in the one that {label} chooses."
        )
    return Table(pd.DataFrame(rows, columns=columns), sources, notes=tuple(notes))


def _compared(
    effect: Mapping[str, Any], context: ArtifactContext
) -> Iterator[tuple[str, str, pd.DataFrame, str]]:
    """Yield what is compared: a metric, a text that tells it from the others, its records, and which cells it lacks."""
    metrics = effect.get("metrics") or [effect["metric"]]
    by_rule = effect["by"] == "rule"
    rules = [*context.rules] if by_rule else [context.beside]
    read: dict[str, Any] = {key: effect.get(key) for key in ("at", "where")}
    fixed = f", with {listed(read['where'])}" if read["where"] else ""
    fixed += f", at {listed(read['at'])}" if read["at"] else ""
    for dataset, method, metric in itertools.product(effect["datasets"], _methods(effect), metrics):
        if effect["by"] == "setting":
            rows = context.results.measured(dataset, method, metric, **read)
            for text, found in _by_setting(rows, effect["parameter"]):
                yield metric, f"{dataset}, {text}{fixed}", found, ""
            continue
        for rule in rules:
            label = f", {context.rules[rule].label}" if by_rule else ""
            what = f"{dataset}, {context.methods[method]['label']}{fixed}{label}"
            few = context.results.unfinished(dataset, method, rule, read["where"])
            yield metric, what, context.results.chosen(dataset, method, metric, rule, **read), few


def _by_setting(rows: pd.DataFrame, parameter: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the records for each value of a parameter, the smallest first, whatever the others are."""
    settings = [json.loads(text) for text in rows.setting.unique()]
    given = [{parameter: setting[parameter]} for setting in settings if parameter in setting]
    # By the text, for a value may be a list.
    distinct = {canonical_json(value): value for value in given}
    for value in sorted(distinct.values(), key=setting_order):
        chosen = rows[[agrees(text, value) for text in rows.setting]]
        yield f"{parameter} = {value[parameter]}", chosen
