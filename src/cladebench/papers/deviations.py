"""The register of deviations: what a paper leaves unsaid or gets wrong, what was chosen, and what that does.

``deviations.yaml`` is a list of entries with the keys of :class:`Deviation`. Each effect names what to compare, and is
measured from the records of the run, never written down by hand:

========================  ==========================================================================================
``by: setting``           mean of a metric for each value of a ``parameter`` of the grid
``by: method``            mean of a metric for each of several ``methods``
``by: metric``            means of several ``metrics`` of one method
``by: dataset``           mean of a metric of one method on each data set
``by: rule``              mean under each rule by which a setting is chosen
``by: repetition``        mean and spread over repetitions (draws, shufflings)
``by: nothing``           it cannot be measured; ``reason`` says why
========================  ==========================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import pandas as pd
import yaml

from cladebench.input_files import InputFileError
from cladebench.notation import significant
from cladebench.papers.artifact_types import ArtifactContext, Table
from cladebench.papers.tables import mean_and_spread

_KEYS = {"id", "place", "paper", "chosen", "alternatives", "effects"}
_EFFECT_KEYS: dict[str, set[str]] = {
    "setting": {"method", "metric", "parameter", "datasets"},
    "method": {"methods", "metric", "datasets"},
    "metric": {"method", "metrics", "datasets"},
    "dataset": {"method", "metric", "datasets"},
    "rule": {"method", "metric", "datasets"},
    "repetition": {"method", "metric", "datasets"},
    "nothing": {"reason"},
}


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
    """

    id: str
    place: str
    paper: str
    chosen: str
    alternatives: tuple[str, ...]
    effects: tuple[Mapping[str, Any], ...]


def load_deviations(package: str) -> list[Deviation]:
    """Read and check the register in a paper's package (its dotted name).

    Raises
    ------
    InputFileError
        With the file, the entry and the key, when a key is missing or unknown, or the comparison is.
    """
    path = resources.files(package) / "deviations.yaml"
    where = f"{package}: deviations.yaml"
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    register: list[Deviation] = []
    for entry in entries:
        name = entry.get("id", f"entry {len(register) + 1}")
        _expect_keys(f"{where}: {name}", set(entry), _KEYS)
        for effect in entry["effects"]:
            by = effect.get("by")
            if by not in _EFFECT_KEYS:
                raise InputFileError(
                    f"{where}: {name}: by is {by!r}, expected one of {', '.join(_EFFECT_KEYS)}"
                )
            _expect_keys(f"{where}: {name}: by {by}", set(effect) - {"by"}, _EFFECT_KEYS[by])
        if any(known.id == name for known in register):
            raise InputFileError(f"{where}: {name}: the id stands twice")
        texts = {key: " ".join(str(entry[key]).split()) for key in ("place", "paper", "chosen")}
        register.append(
            Deviation(
                id=name, alternatives=tuple(entry["alternatives"]), effects=tuple(entry["effects"]), **texts
            )
        )
    return register


def _expect_keys(where: str, found: set[str], expected: set[str]) -> None:
    if found != expected:
        missing, unknown = sorted(expected - found), sorted(found - expected)
        raise InputFileError(
            f"{where}: missing keys {missing}, unknown keys {unknown}; expected {sorted(expected)}"
        )


def deviations_table(context: ArtifactContext) -> Table:
    """Give the register with each effect measured from the records of this run: one row for each compared value."""
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    for deviation in load_deviations(context.package):
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
            for name, values in _compared(effect, context):
                mean, spread, n = mean_and_spread(values.value.to_numpy())
                spread_text = f" ± {significant(spread, 2)}" if n > 1 else ""
                value = f"{significant(mean)}{spread_text}" if n else "no cells in this scope"
                if n:
                    sources[len(rows), "value"] = tuple(values.cell_id)
                rows.append(head | {"compared": name, "value": value, "n": str(n)})
                head = dict.fromkeys(head, "")
    columns = ["deviation", "place", "the paper", "chosen", "alternatives", "compared", "value", "n"]
    return Table(pd.DataFrame(rows, columns=columns), sources)


def _compared(effect: Mapping[str, Any], context: ArtifactContext) -> list[tuple[str, pd.DataFrame]]:
    """List the names of what is compared, with the records of each."""
    found: list[tuple[str, pd.DataFrame]] = []
    for dataset in effect["datasets"]:
        match effect["by"]:
            case "setting":
                rows = context.results.measured(dataset, effect["method"], effect["metric"])
                parameter = effect["parameter"]
                # As JSON, for a value may be a list.
                values = rows.setting.map(lambda text, p=parameter: json.dumps(json.loads(text).get(p)))
                distinct = {text: json.loads(text) for text in values.unique() if text != "null"}
                for text, value in sorted(distinct.items(), key=lambda item: (str(type(item[1])), item[1])):
                    name = f"{effect['metric']}, {dataset}, {parameter} = {value}"
                    found.append((name, rows[values == text]))
            case "method":
                for method in effect["methods"]:
                    rows = context.results.chosen(dataset, method, effect["metric"], context.beside)
                    found.append((f"{effect['metric']}, {dataset}, {method}", rows))
            case "metric":
                for metric in effect["metrics"]:
                    rows = context.results.chosen(dataset, effect["method"], metric, context.beside)
                    found.append((f"{metric}, {dataset}, {effect['method']}", rows))
            case "rule":
                for rule in context.rules.values():
                    rows = context.results.chosen(dataset, effect["method"], effect["metric"], rule.name)
                    found.append((f"{effect['metric']}, {dataset}, {effect['method']}, {rule.label}", rows))
            case "dataset" | "repetition":
                rows = context.results.chosen(dataset, effect["method"], effect["metric"], context.beside)
                found.append((f"{effect['metric']}, {dataset}, {effect['method']}", rows))
    return found
