"""Kinds of claims.

Each says what it reads, how it is checked and how it is judged.

A new kind is a file here, and no list names it. See ``docs/adding-a-claim-kind.md``.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Any

from cladebench.audit.claim_types import Claim
from cladebench.audit.kinds.base import Kind


def found_kinds() -> dict[str, Kind]:
    """Find the kinds of all files of this folder, by name.

    Returns
    -------
    dict of str to Kind

    Raises
    ------
    ValueError
        If two have one name, or one lacks its name or its judgement.
    """
    kinds: dict[str, Kind] = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for member in vars(module).values():
            own = inspect.isclass(member) and member.__module__ == module.__name__
            if not own or not issubclass(member, Kind) or member is Kind:
                continue
            _check_complete(member)
            if kinds.setdefault(member.name, kind := member()) is not kind:
                raise ValueError(
                    f"{member.__name__}: a second kind {member.name!r}; expected a name of its own"
                )
    return kinds


def _check_complete(kind: type[Kind]) -> None:
    """Refuse a kind that lacks its name or its judgement.

    Otherwise its claims would be told that there is no such kind.
    """
    lacks = [*sorted(kind.__abstractmethods__), *([] if hasattr(kind, "name") else ["name"])]
    if lacks:
        raise ValueError(f"{kind.__name__}: it has no {' and no '.join(lacks)}; expected both judge and name")


KINDS: Mapping[str, Kind] = found_kinds()


def kind_of(claim: Claim) -> Kind:
    """Give the kind of a claim."""
    return KINDS[claim.kind]


def queries(claim: Claim) -> Iterator[Mapping[str, Any]]:
    """List the queries of a claim.

    Each is merged with what its parts share.
    """
    return kind_of(claim).queries(claim)
