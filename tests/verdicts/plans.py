"""Plans, written out: methods under other choices, and the cells of a scope."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import product
from typing import Any


def written_out(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with a method for each other choice: A under zscore is A-zscore."""
    methods = dict(plan["methods"])
    for choice in plan.get("alternatives", {}):
        methods |= {name: {} for name in renamed(plan, choice).values()}
    return {**plan, "methods": methods}


def renamed(plan: dict[str, Any], choice: str) -> dict[str, str]:
    """Methods and what stands in their place under a choice."""
    return {name: f"{name}-{choice}" for name in plan["alternatives"][choice]["of"]}


def names_of(plan: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What another choice says and of which kinds of claims, written out as names of methods."""
    instead = other["instead"]
    found = {key: value for key, value in instead.items() if key != "alternative"}
    if "kinds" in other:
        found["kinds"] = frozenset(other["kinds"])
    found |= {key: other[key] for key in ("claims", "between") if key in other}
    if "alternative" in instead:
        found["method"] = renamed(plan, instead["alternative"]) | found.get("method", {})
    return found


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Two other choices at once; None where they say two things of one. Each stays kept to its own data sets."""
    found = {key: value for key, value in one.items() if key != "datasets"}
    for key, value in other.items():
        if key in {"datasets", "claims", "between"}:
            continue
        if key not in found:
            found[key] = value
        elif key == "kinds":
            found[key] = found[key] & value
            if not found[key]:
                return None
        elif isinstance(value, dict):
            both = {name: (found[key][name], value[name]) for name in value if name in found[key]}
            if key != "where" and both:
                return None
            merged = {name: a | b for name, (a, b) in both.items()} if key == "where" else {}
            if any(a.get(p, v) != v for a, b in both.values() for p, v in b.items()):
                return None
            found[key] = {**found[key], **value, **merged}
        else:
            return None
    return found


def planned(plan: dict[str, Any], name: str) -> list[tuple[tuple[str, str], dict[str, Any], int]]:
    """Planned cells of a scope: data set and method, setting, and how many repetitions and folds."""
    found = []
    for key, said in said_of(plan, name):
        folds = said.get("task", {}).get("folds", {}).get("n", 1)
        for values in product(*said["grid"].values()):
            setting = dict(zip(said["grid"], values, strict=True))
            found.append((key, setting, said["repetitions"] * folds))
    return found


def official(plan: dict[str, Any], name: str | None) -> set[tuple[str, str]]:
    """Data sets and methods whose test rows are those that the data came with."""
    scopes = plan["scopes"] if name is None else [name]
    return {key for scope in scopes for key, said in said_of(plan, scope) if "split" in said.get("task", {})}


def said_of(plan: dict[str, Any], name: str) -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """What a scope says of each data set and method that it plans."""
    scope = plan["scopes"][name]
    pairs = [(d, m, None) for m in scope.get("methods", plan["methods"]) for d in scope["datasets"]]
    for entry in scope.get("also", []):
        pairs += [(d, m, entry) for m in _names(entry["method"]) for d in _names(entry["dataset"])]
    found = []
    for dataset, method, also in pairs:
        said = {key: scope[key] for key in ("repetitions", "task") if key in scope}
        said |= {
            key: value for key, value in plan.get("problems", {}).get(dataset, {}).items() if key == "task"
        }
        grids = scope.get("grid", {})
        said["grid"] = grids.get(
            method, next((g for name, g in grids.items() if fnmatchcase(method, name)), {})
        )
        entries = [entry for entry in scope.get("overrides", []) if _meets(entry, dataset, method)]
        for entry in [*entries, *([also] if also else [])]:
            said |= entry
        if said.get("planned") is False or "not_applicable" in said:
            continue
        found.append(((dataset, method), said))
    return found


def data_of(plan: dict[str, Any], name: str) -> str:
    """The registry's name of what a plan may call by another."""
    found: str = plan.get("problems", {}).get(name, {}).get("dataset", name)
    return found


def _names(given: str | list[str]) -> list[str]:
    return [given] if isinstance(given, str) else given


def _meets(entry: dict[str, Any], dataset: str, method: str) -> bool:
    methods = _names(entry.get("method", method))
    return dataset in _names(entry.get("dataset", dataset)) and any(
        fnmatchcase(method, name) for name in methods
    )
