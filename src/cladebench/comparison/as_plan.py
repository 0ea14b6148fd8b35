"""Turn a comparison into a plan: data sets, methods, one scope."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench.bench.plan.cell_spec import MethodPlan, canonical_json
from cladebench.bench.plan.plan import Plan, Problem
from cladebench.comparison import CONTROLS
from cladebench.comparison.shown_measures import OWN_MEASURES
from cladebench.files import write_atomically
from cladebench.input_files import InputFileError, parse_json
from cladebench.measures import with_own

# They bring scikit-learn and pandas with them, for which a job that reads its plan does not wait.
if TYPE_CHECKING:
    from cladebench.comparison.spec import Comparison
    from cladebench.datasets.own.own_sources import Source

#: Stands where a plan has the id of a paper, in records and seeds: they do not depend on names of files.
NAME = "comparison"
SCOPE = "comparison"
PACKAGE = "cladebench.comparison"
FILE = "plan.json"
#: Share of the rows that a repetition draws.
SHARE = 0.5
#: Parameters by which variants of published labels differ.
NAMING = ("linkage", "threshold", "branching_factor", "gini_threshold")
#: Behind the name of a data set: all of its rows, once, for pictures.
WHOLE = ".all"


def as_document(comparison: Comparison) -> dict[str, Any]:
    """Write a comparison as the mapping that `as_plan` reads.

    It has all that a run depends on.
    """
    read = {"judged_in": comparison.features[0], "published": comparison.published}
    methods = {
        method.key: {
            "estimator": method.estimator,
            "params": {name: value for name, value in read.items() if value},
            "label": method.key,
            "role": "control" if method.key in CONTROLS else "method",
        }
        for method in comparison.methods.values()
    }
    problems = {}
    for name, data in comparison.data.items():
        problems[name] = {"dataset": data.name, "task": {"share": SHARE}, "label": name}
        problems[name + WHOLE] = {"dataset": data.name, "task": {}, "label": name}
    whole = [name + WHOLE for name in comparison.data]
    scope = {
        "datasets": list(problems),
        "repetitions": comparison.repetitions,
        "limits": dict(comparison.limits),
        "jobs": "estimator-everywhere",
        "overrides": [*_overrides(comparison), {"dataset": whole, "repetitions": 1}],
    }
    folders = dict.fromkeys(method.folder for method in comparison.methods.values() if method.folder)
    return {
        "title": comparison.title,
        "path": str(comparison.path),
        "seed": comparison.seed,
        "mine": comparison.mine,
        "rope": comparison.rope,
        "critical_difference": comparison.critical_difference,
        "features": list(comparison.features),
        "published": dict(comparison.published),
        "imported": dict(comparison.imported),
        "parameters": {method.key: _naming(method.parameters) for method in comparison.methods.values()},
        "sys_path": list(folders),
        "methods_a_job": 1,
        "methods": methods,
        "problems": problems,
        "scope": scope,
    }


def _naming(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the defaults that name a published variant.

    Its library may be gone when the page is made.
    """
    values = {name: parameters.get(name) for name in NAMING}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, str) or (isinstance(value, (int, float)) and abs(value) < 2**63)
    }


def _overrides(comparison: Comparison) -> list[dict[str, Any]]:
    """List what each method gets on each data set, or why nothing."""
    groups: dict[str, list[str]] = defaultdict(list)
    for method in comparison.methods.values():
        settings = comparison.settings.get(method.key, {})
        for name, data in comparison.data.items():
            control = method.key in CONTROLS  # they read nothing, so they take all
            forced, reason = ({}, "") if control else method.takes(data.kind, data.sparse, settings)
            entry: dict[str, Any] = {"method": method.key}
            if reason:
                entry["not_applicable"] = reason
            else:
                features = ["raw"] if control else _features(comparison, data)
                entry["grid"] = {"features": features, **settings, **forced}
            groups[canonical_json(entry)] += [name, name + WHOLE]
    return [{**dict(parse_json(entry)), "dataset": names} for entry, names in groups.items()]


def _features(comparison: Comparison, data: Source) -> list[str]:
    """Name what is done to the features.

    Distances stay as they are. Sparse features do too, or zeros would fill in.
    """
    return ["raw"] if data.kind == "distances" or data.sparse else list(comparison.features)


def as_plan(document: Mapping[str, Any]) -> Plan:
    """Make the plan of a comparison from its `as_document`."""
    return Plan(
        paper=NAME,
        title=document["title"],
        citation="",
        package=PACKAGE,
        path=Path(document["path"]),
        methods={name: MethodPlan(name, **entry) for name, entry in document["methods"].items()},
        measures=with_own(OWN_MEASURES),
        at={},
        selection={},
        alternatives={},
        blind=CONTROLS,
        beyond=(),
        problems={name: Problem(**entry) for name, entry in document["problems"].items()},
        scopes={SCOPE: document["scope"]},
    )


def write_plan(document: Mapping[str, Any], folder: Path) -> None:
    """Write the plan for jobs to read; leave an equal file alone."""
    path = folder / FILE
    content = (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()  # in the order of the file
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)


def read_plan(folder: Path) -> dict[str, Any]:
    """Read the plan of a run.

    Raises
    ------
    InputFileError
        If there is none, or it is damaged.
    """
    path = folder / FILE
    try:
        document: dict[str, Any] = parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputFileError(f"{path}: {error}; run cladebench run-comparison, which makes it") from None
    return document
