"""Methods under other choices.

What a plan says once for many methods, written out.

``alternatives: {zscore: {label: z-scored features, of: [A, B], params: {features: zscore}}}`` adds the methods
``A-zscore`` and ``B-zscore``: A and B with other parameters. Claims are judged with them as other choices of the
register; tables leave them out.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import Any


def written_out(document: Mapping[str, Any]) -> dict[str, Any]:
    """Write a plan out: alternatives as methods, patterns as matched names.

    A key of a grid and a name of an override's methods may be a pattern, such as ``HMMC-*-zscore``. A name that a grid
    has itself is not met by its patterns; of several patterns the first counts.

    Parameters
    ----------
    document : mapping
        A plan that its schema admits.

    Returns
    -------
    dict
        The same without patterns, what matches nothing left as it is.

    Raises
    ------
    ValueError
        If an alternative is of an unknown method, or would have the name of another.
    """
    methods = dict(document["methods"])
    for name, entry in document.get("alternatives", {}).items():
        for base in entry["of"]:
            if base not in document["methods"]:
                raise ValueError(f"alternatives.{name}.of: unknown method {base!r}")
            other = f"{base}-{name}"
            if other in methods:
                raise ValueError(f"alternatives.{name}.of: {other!r} is the name of another method")
            original = methods[base]
            methods[other] = {
                "estimator": original["estimator"],
                "params": {**original.get("params", {}), **entry["params"]},
                "label": f"{original.get('label', base)}, {entry['label']}",
                "role": "alternative",
            }
    scopes = {name: _scope(scope, list(methods)) for name, scope in document["scopes"].items()}
    return {**document, "methods": methods, "scopes": scopes}


def _scope(scope: Mapping[str, Any], methods: list[str]) -> dict[str, Any]:
    grid = scope.get("grid", {})
    full = {name: values for name, values in grid.items() if "*" not in name}
    for pattern, values in grid.items():
        for name in matching([pattern], methods):
            full.setdefault(name, values)
    overrides = [
        entry | ({"method": matching(_listed(entry["method"]), methods)} if "method" in entry else {})
        for entry in scope.get("overrides", ())
    ]
    return {**scope, **({"grid": full} if grid else {}), **({"overrides": overrides} if overrides else {})}


def matching(names: Iterable[str], methods: Iterable[str]) -> list[str]:
    """Replace patterns by the methods that they match, if any."""
    methods = list(methods)
    groups = [fnmatch.filter(methods, name) or [name] if "*" in name else [name] for name in names]
    return list(dict.fromkeys(name for group in groups for name in group))


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
