"""The register of unstated choices.

What a paper leaves unsaid or gets wrong, what was chosen, and what that does.

``choices.yaml`` is a list of entries with the keys of :class:`UnstatedChoice`. Each effect names what to compare. It is
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
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cladebench.bench.plan.plan import Plan
from cladebench.file_lines import lines_told, tells_lines
from cladebench.input_files import InputFileError, one_of, read_yaml, short_name, shown, told, validate
from cladebench.paper.catalogue import load_plan


@dataclass(frozen=True)
class OtherChoice:
    """A runnable alternative to what was chosen.

    What claims ask for instead, under which they are judged too.

    Attributes
    ----------
    name : str
    instead : mapping
        ``selection``: a rule; ``spread``: what printed spreads are; ``metric``, ``method``, ``dataset``: names and what
        replaces them; ``where``: for each method a part of the setting; ``datasets``: those on which the
        paper leaves it unsaid, by default all.
    kinds : frozenset of str
        Of the claims that it is meant for; empty for all.
    claims : tuple of str
        Patterns of the ids of these claims; empty for all.
    between : bool
        Whether it is a value of a number, and a value between it and ours could have been chosen too.
    """

    name: str
    instead: Mapping[str, Any]
    kinds: frozenset[str] = frozenset()
    claims: tuple[str, ...] = ()
    between: bool = False


@dataclass(frozen=True)
class UnstatedChoice:
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
    other_choices : tuple of OtherChoice
        Under which claims are judged too.
    """

    id: str
    place: str
    paper: str
    chosen: str
    alternatives: tuple[str, ...]
    effects: tuple[Mapping[str, Any], ...]
    other_choices: tuple[OtherChoice, ...] = ()


def load_choices(package: str) -> list[UnstatedChoice]:
    """Read a paper's register and check its names against the plan.

    The register is in the paper's package, given by its dotted name.

    A paper without the file has an empty register.

    Raises
    ------
    InputFileError
        See `read_choices` and `check_choices`.
    """
    return checked_choices(load_plan(package))


def checked_choices(plan: Plan) -> list[UnstatedChoice]:
    """Read the register beside a plan and check its names.

    Empty where there is none.

    Raises
    ------
    InputFileError
        See `read_choices` and `check_choices`.
    """
    path = plan.path.parent / "choices.yaml"
    if not path.exists():
        return []
    register = read_choices(path)
    with lines_told(path):
        check_choices(register, plan, short_name(path))
    return [
        replace(
            entry,
            other_choices=tuple(
                replace(other, instead=_with_methods(other.instead, plan.alternatives))
                for other in entry.other_choices
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


@tells_lines
def read_choices(path: Path) -> list[UnstatedChoice]:
    """Read a register.

    Raises
    ------
    InputFileError
        Naming the file, the entry, the key, the value and what was expected.
    """
    document = read_yaml(path, short_name(path))
    validate(document, "choices", short_name(path))
    twice = [name for name, count in Counter(entry["id"] for entry in document).items() if count > 1]
    if twice:
        raise InputFileError(f"{short_name(path)}: entry {twice[0]!r}: id: given twice")
    return [
        UnstatedChoice(
            id=entry["id"],
            alternatives=tuple(entry["alternatives"]),
            effects=tuple(entry["effects"]),
            other_choices=tuple(
                OtherChoice(
                    " ".join(o["name"].split()),
                    o["instead"],
                    frozenset(o.get("kinds", ())),
                    tuple(o.get("claims", ())),
                    o.get("between", False),
                )
                for o in entry.get("other_choices", ())
            ),
            **{key: " ".join(entry[key].split()) for key in ("place", "paper", "chosen")},
        )
        for entry in document
    ]


def check_choices(register: Iterable[UnstatedChoice], plan: Plan, name: str) -> None:
    """Check every name in a register against the plan.

    A misspelt one must not end as "no cells in this scope".

    Parameters
    ----------
    register : iterable of UnstatedChoice
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
    lines: list[str] = []
    names: set[str] = set()
    for entry in register:
        for i, effect in enumerate(entry.effects):
            allowed: dict[str, Collection[str]] = {
                "method": plan.methods,
                "dataset": plan.datasets,
                "metric": plan.measures,
            }
            if effect.get("method") in plan.methods:
                allowed["parameter"] = list(grids[effect["method"]])
            for key, value in names_in(effect):
                kind = key.removesuffix("s")
                if kind in allowed and value not in allowed[kind]:
                    where = f"{name}: entry {entry.id!r}: effects[{i}].{key}"
                    lines.append(f"{where}: unknown {shown(value)}; {one_of(value, allowed[kind])}")
            where = f"{name}: entry {entry.id!r}: effects[{i}].where"
            varied = [grids[method] for method in methods_in(effect) if method in grids]
            lines += [f"{where}{fault}" for fault in _not_varied(effect.get("where", {}), varied)]
        for i, other in enumerate(entry.other_choices):
            where = f"{name}: entry {entry.id!r}: other_choices[{i}]"
            lines += [f"{where}.name: {other.name!r} is given twice"] * (other.name in names)
            names.add(other.name)
            lines += [f"{where}.instead.{fault}" for fault in _unknown(other.instead, plan, grids)]
    if lines:
        raise InputFileError(told(lines, name))


def _unknown(instead: Mapping[str, Any], plan: Plan, grids: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with the names in an alternative.

    The key, the name, and what is allowed.
    """
    allowed: dict[str, Collection[str]] = {
        "selection": plan.selection,
        "alternative": plan.alternatives,
        "method": plan.methods,
        "dataset": plan.datasets,
        "datasets": plan.datasets,
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
        names = [value] if isinstance(value, str) else value
        if isinstance(value, Mapping):
            names = [*value, *value.values()]
        yield from (
            f"{key}: unknown {shown(name)}; {one_of(name, allowed[key])}"
            for name in names
            if name not in allowed[key]
        )


def names_in(effect: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name what an effect has outside ``at`` and ``where``, by key."""
    for key, value in effect.items():
        if key not in ("by", "reason", "at", "where"):
            yield from ((key, name) for name in ([value] if isinstance(value, str) else value))


def methods_in(effect: Mapping[str, Any]) -> list[str]:
    """Methods that an effect compares."""
    return effect.get("methods") or [effect["method"]] if effect["by"] != "nothing" else []


def _not_varied(where: Mapping[str, Any], grids: Iterable[Mapping[str, list[Any]]]) -> list[str]:
    """What is wrong with a part of a setting, once each.

    Every method that is compared must vary it so.
    """
    problems = []
    for grid, (parameter, value) in itertools.product(grids, where.items()):
        if parameter not in grid:
            problems.append(f": unknown {shown(parameter)}; {one_of(parameter, grid)}")
            continue
        values = list(dict.fromkeys(map(str, grid[parameter])))
        if not _is_number(value) and all(map(_is_number, grid[parameter])):
            problems.append(
                f".{parameter}: {shown(value)} is not a number; expected one: {', '.join(values)}"
            )
        elif not any(
            value == other and isinstance(value, bool) == isinstance(other, bool) for other in grid[parameter]
        ):
            problems.append(f".{parameter}: unknown {shown(value)}; {one_of(str(value), values)}")
    return list(dict.fromkeys(problems))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
