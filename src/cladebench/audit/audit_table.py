"""Read ``audit.csv`` back into the claims that it was written from."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cladebench.audit.audit_files import COLUMNS
from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.verdict.verdict_types import VERDICTS
from cladebench.input_files import InputFileError, one_of

_NUMBERS = frozenset(
    (
        *("measured", "low", "high", "difference", "detectable", "p_value", "p_exact", "p_adjusted"),
        *("published_value", "published_spread", "precision", "measured_beside"),
    )
)
_COUNTS = frozenset(("n", "n_published"))
_LISTS = frozenset(("methods", "cells", "cells_beside", "stand_in_for", "depends_on", "not_run"))
_MAKER = "run cladebench audit, which makes it"


def read_audit_table(path: Path) -> list[dict[str, Any]]:
    """Read the claims of ``audit.csv``.

    Git keeps this file of a full run, and not ``audit.json``.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of dict
        A claim a row, with the columns as keys. Numbers are floats or None, counts are integers or None.
        ``methods``, ``cells``, ``cells_beside``, ``stand_in_for``, ``depends_on`` and ``not_run`` are lists.
        ``parts`` is a list of ``claim`` and ``verdict``, ``main`` is true or false.

    Raises
    ------
    InputFileError
        In one line with file, row, column and the command that makes it, if it is missing or damaged.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file, strict=True)) or [[]]
    except FileNotFoundError:
        raise InputFileError(f"{path}: no such file; {_MAKER}") from None
    except (OSError, ValueError, csv.Error) as error:  # a wrong encoding is a ValueError
        raise InputFileError(f"{path}: cannot be read as CSV: {error}; {_MAKER}") from None
    if missing := [name for name in COLUMNS if name not in header]:
        raise InputFileError(f"{path}: it has no column {', '.join(map(repr, missing))}; {_MAKER}")
    claims, seen = [], set()
    for number, row in enumerate(rows, start=1):
        where = f"{path}, row {number}"
        if len(row) != len(header):
            raise InputFileError(f"{where}: {len(row)} entries; expected {len(header)}; {_MAKER}")
        claim = _claim(dict(zip(header, row, strict=True)), where)
        key = (claim["paper"], claim["claim"])
        if key in seen:
            raise InputFileError(
                f"{where}: {key[0]} has the claim {key[1]!r} twice; expected it once; {_MAKER}"
            )
        seen.add(key)
        claims.append(claim)
    return claims


def _claim(row: dict[str, str], where: str) -> dict[str, Any]:
    """Turn the texts of a row into the values that they mean."""
    for key in ("paper", "claim"):
        if not row[key]:
            raise InputFileError(f"{where}: {key} is empty; expected an id; {_MAKER}")
    for key, allowed in (("verdict", VERDICTS), ("evidence", EVIDENCE)):
        if row[key] not in allowed:
            raise InputFileError(
                f"{where}: {key} {row[key]!r} is unknown; {one_of(row[key], allowed)}; {_MAKER}"
            )
    claim: dict[str, Any] = {key: row[key] for key in COLUMNS}
    for key in _NUMBERS:
        claim[key] = _number(row[key], float, f"{where}: {key}")
    for key in _COUNTS:
        claim[key] = _number(row[key], int, f"{where}: {key}")
    for key in _LISTS:
        claim[key] = row[key].split("; ") if row[key] else []
    claim["main"] = row["main"] == "true"
    claim["parts"] = [_part(text, where) for text in row["parts"].split("; ")] if row["parts"] else []
    return claim


def _number(text: str, kind: Callable[[str], Any], where: str) -> Any:
    """Read a number; None where there is none."""
    if not text:
        return None
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputFileError(f"{where} {text!r} is no finite number; expected one or nothing; {_MAKER}")
    return value


def _part(text: str, where: str) -> dict[str, str]:
    """Read ``claim: verdict``."""
    claim, _, verdict = text.rpartition(": ")
    if not claim or verdict not in VERDICTS:
        raise InputFileError(f"{where}: parts: {text!r}; expected claim: verdict; {_MAKER}")
    return {"claim": claim, "verdict": verdict}
