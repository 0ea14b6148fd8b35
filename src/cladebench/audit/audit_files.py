"""An audit as files: JSON for the report, CSV for other readers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cladebench.audit.other_choices import stances_in_words
from cladebench.audit.verdict.verdict_types import VERDICTS
from cladebench.files import write_together
from cladebench.input_files import InputFileError, read_json

#: Columns of ``audit.csv``; other programs rely on the first ten.
COLUMNS = (
    "claim",
    "paper",
    "place",
    "published",
    "measured",
    "low",
    "high",
    "n",
    "verdict",
    "reason",
    "kind",
    "quote",
    "reading",
    "difference",
    "detectable",
    "p_value",
    "p_exact",
    "p_adjusted",
    "published_value",
    "published_spread",
    "n_published",
    "precision",
    "family",
    "selection",
    "selection_beside",
    "measured_beside",
    "verdict_beside",
    "dataset",
    "methods",
    "metric",
    "cells",
    "cells_beside",
    "parts",
    "stand_in_for",
    "evidence",
    "blind",
    "universes",
    "depends_on",
    "main",
    "not_run",
    "answer",
)


@dataclass(frozen=True)
class Audit:
    """The verdicts of a run.

    Attributes
    ----------
    claims : list of dict
        As `audit_paper` gives them, paper after paper.
    excluded : dict of str to list
        For each paper the sentences that are no claims, each with the reason.
    verdicts : mapping of str to mapping of str to int
        For each paper how many claims have each verdict, as `summary` counts them.
    other_choices : dict of str to list
        For each paper the alternatives under which claims were judged too: ``factor`` (an entry of the register) and
        ``name``.
    """

    claims: list[dict[str, Any]]
    excluded: dict[str, list[Mapping[str, str]]]
    verdicts: Mapping[str, Mapping[str, int]]
    other_choices: dict[str, list[Mapping[str, str]]] = field(default_factory=dict)

    @property
    def frame(self) -> pd.DataFrame:
        """The rows of ``audit.csv``."""
        return as_frame(self.claims)


def as_frame(claims: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Lay audited claims out with the columns of ``audit.csv``.

    Lists are joined by "; ", counts are whole numbers, what is not true is left empty.
    """

    def flat(value: Any) -> Any:
        if isinstance(value, bool):
            return "true" if value else ""
        if not isinstance(value, list):
            return value
        return "; ".join(
            f"{part['claim']}: {part['verdict']}" if isinstance(part, Mapping) else part for part in value
        )

    rows = [
        {key: flat(value) for key, value in claim.items()} | {"universes": _in_words(claim)}
        for claim in claims
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype({"n": "Int64", "n_published": "Int64"})


def _in_words(claim: Mapping[str, Any]) -> str:
    """Say how a claim comes out with other choices.

    Empty where none could be judged.

    >>> _in_words({"stances": {"a": "undecided", "b": "contradicts"}})
    'with other choices: 0 support, 1 open, 1 contradict'
    """
    words = stances_in_words(claim.get("stances", {}))
    return f"with other choices: {words}" if words else ""


def write_audit(audit: Audit, out: Path) -> list[Path]:
    """Write ``audit.csv`` and ``audit.json``, both or none.

    The JSON, which the report reads, also counts the verdicts of each paper and lists what was excluded.
    """
    frame = audit.frame
    document = {
        "verdicts": audit.verdicts,
        "claims": [{key: _as_json(value) for key, value in claim.items()} for claim in audit.claims],
        "excluded": audit.excluded,
        "universes": audit.other_choices,
    }
    texts = {
        "audit.csv": frame.to_csv(index=False, lineterminator="\n"),
        "audit.json": json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
    }
    write_together({out / name: text.encode() for name, text in texts.items()})
    return [out / name for name in texts]


def read_audit(path: Path) -> Audit:
    """Read ``audit.json``.

    Raises
    ------
    InputFileError
        In one line with the file and the command that makes it, if it is missing or damaged.
    """
    document = read_json(path, "audit", "audit")
    counted = [verdict for counts in document["verdicts"].values() for verdict in counts]
    unknown = [verdict for verdict in counted if verdict not in VERDICTS]
    if unknown:
        raise InputFileError(
            f"{path}: verdicts: {unknown[0]!r} is unknown; expected one of {', '.join(VERDICTS)}; "
            "run cladebench audit, which makes it"
        )
    for number, claim in enumerate(document["claims"]):
        for verdict in (claim["verdict"], *(part["verdict"] for part in claim["parts"])):
            if verdict not in VERDICTS:
                raise InputFileError(
                    f"{path}: claims[{number}].verdict: {verdict!r} is unknown; expected one of "
                    f"{', '.join(VERDICTS)}; run cladebench audit, which makes it"
                )
    return Audit(document["claims"], document["excluded"], document["verdicts"], document["universes"])


def read_verdicts(path: Path) -> pd.DataFrame:
    """Read paper, claim, verdict and reason of ``audit.csv``, as text.

    Audits of other versions are read, too: they lack what today's have.

    Raises
    ------
    InputFileError
        In one line with the file and the command that makes it, if it is missing or damaged.
    """
    columns = ["paper", "claim", "verdict", "reason"]
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)[columns]
    except (OSError, ValueError, KeyError) as error:  # broken CSV is a ValueError
        why = " ".join(str(error).split())[:80]
        raise InputFileError(f"{path}: damaged: {why}; run cladebench audit, which makes it") from None


def summary(claims: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Count verdicts on each paper, zeros included, in the order of tables."""
    counts: dict[str, dict[str, int]] = {}
    for claim in claims:
        counts.setdefault(claim["paper"], dict.fromkeys(VERDICTS, 0))[claim["verdict"]] += 1
    return counts


def _as_json(value: Any) -> Any:
    """What JSON can hold: plain numbers, None for one that is missing."""
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and math.isnan(plain) else plain
