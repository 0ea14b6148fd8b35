"""The audit of a run: records in, one row a claim out, as CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench import datasets
from cladebench.audit.arithmetic import Facts
from cladebench.audit.claim_checks import check_metrics, check_selection
from cladebench.audit.claim_types import ClaimSet
from cladebench.audit.claims_file import load_claims
from cladebench.audit.judging import Evaluation, Judgement
from cladebench.audit.run_files import read_certificates
from cladebench.audit.verdict_types import VERDICTS
from cladebench.bench.results import Results
from cladebench.bench.selection import Rule
from cladebench.bench.store import read_cells
from cladebench.files import write_together
from cladebench.papers.catalogue import load_plan

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
)

_NUMBERS = ("measured", "low", "high", "n", "difference", "detectable", "p_value", "p_exact", "p_adjusted")


def registry_fact(dataset: str, fact: str) -> int:
    """A fact of a registered data set: ``n_samples``, ``n_features`` or ``n_classes``."""
    return int(getattr(datasets.info(dataset), fact))


def audit_paper(
    claims: ClaimSet,
    frame: pd.DataFrame,
    *,
    selection: Mapping[str, Rule] | None = None,
    at: Mapping[str, Any] | None = None,
    certificates: pd.DataFrame | None = None,
    facts: Facts = registry_fact,
) -> list[dict[str, Any]]:
    """Judge every claim of a paper.

    Parameters
    ----------
    claims : ClaimSet
    frame : DataFrame
        ``cells.parquet``; rows of other papers are left out.
    selection : mapping of str to Rule, optional
        The plan's rules of selection: the first is the paper's own, the second is shown beside it.
    at : Mapping, optional
        The plan's default evaluation point.
    certificates : DataFrame, optional
        As `read_certificates` gives it.
    facts : callable
        Facts of data sets.

    Returns
    -------
    list of dict
        One row for each claim with the keys `COLUMNS`, in the file's order. Claims are judged under the paper's own
        rule of selection; the columns ``*_beside`` say what comes out under the second one.
    """
    rules = selection or {}
    records = frame[frame["paper"] == claims.paper]
    results = Results(records, rules, at or {}, claims.deterministic)
    names = list(rules) or [""]
    own, beside = names[0], names[min(1, len(names) - 1)]
    by_rule = {
        rule: Evaluation(claims, results, certificates, facts, rule).run()
        for rule in dict.fromkeys((own, beside))
    }
    return [
        _row(claims, name, (own, by_rule[own][name]), (beside, by_rule[beside][name]))
        for name in claims.claims
    ]


def audit_run(results: Path, papers: Sequence[str]) -> pd.DataFrame:
    """Audit a results folder.

    Parameters
    ----------
    results : Path
        Holds ``cells.parquet`` and, when the cross-checks ran, ``certificates.csv``.
    papers : sequence of str
        Ids or dotted packages.

    Returns
    -------
    DataFrame
        The rows of ``audit.csv``; ``attrs["excluded"]`` lists by paper the sentences that are no claims.

    Raises
    ------
    InputFileError
        If there are no records, or a paper has no claims or wrong ones.
    """
    frame = read_cells(results / "cells.parquet")
    certificates = read_certificates(results / "certificates.csv")
    rows: list[dict[str, Any]] = []
    excluded: dict[str, list[Mapping[str, str]]] = {}
    for paper in papers:
        plan, claims = load_plan(paper), load_claims(paper)
        records = frame[frame["paper"] == claims.paper]
        check_metrics(claims, records, f"{claims.paper}/claims.yaml")
        check_selection(plan, records)
        excluded[claims.paper] = list(claims.excluded)
        rows += audit_paper(
            claims,
            frame,
            selection=plan.selection,
            at=plan.at,
            certificates=certificates,
        )
    audited = as_frame(rows)
    audited.attrs["excluded"] = excluded
    return audited


def as_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a frame with the columns of ``audit.csv``; ``n`` and ``n_published`` are whole numbers."""
    frame = pd.DataFrame(list(rows), columns=list(COLUMNS))
    return frame.astype({"n": "Int64", "n_published": "Int64"})


def write_audit(frame: pd.DataFrame, out: Path) -> list[Path]:
    """Write ``audit.csv`` and ``audit.json`` (nested parts, by paper), both or none.

    The JSON also lists what was excluded, with the reason.
    """
    document = {
        "verdicts": summary(frame).to_dict(orient="index"),
        "claims": [_as_json(row) for row in frame.to_dict(orient="records")],
        "excluded": frame.attrs.get("excluded", {}),
    }
    texts = {
        "audit.csv": frame.to_csv(index=False, lineterminator="\n"),
        "audit.json": json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
    }
    write_together({out / name: text.encode() for name, text in texts.items()})
    return [out / name for name in texts]


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts: a row for each paper, a column for each verdict."""
    counts = pd.crosstab(frame["paper"], frame["verdict"])
    return counts.reindex(columns=list(VERDICTS), fill_value=0)


def _row(
    claims: ClaimSet, name: str, own: tuple[str, Judgement], beside: tuple[str, Judgement]
) -> dict[str, Any]:
    claim = claims.claims[name]
    (rule, main), (rule_beside, shown) = own, beside
    outcome, other = main.final, shown.final
    gridded = any(s.gridded for s in main.samples)
    printed = claim.published
    query = claim.measure
    return {
        "claim": claim.id,
        "paper": claims.paper,
        "place": claim.place_text(),
        "published": printed.text if printed else main.published,
        **{key: getattr(outcome, key) for key in _NUMBERS},
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "kind": claim.kind,
        "quote": claim.quote,
        "reading": claim.reading,
        "published_value": printed.value if printed else None,
        "published_spread": printed.spread if printed else None,
        "n_published": claim.repetitions if printed and claim.kind == "value" else None,
        "precision": printed.unit if printed else None,
        "family": claim.family if claim.kind in ("value", "order", "trend") else "",
        "selection": query.get("selection", rule) if gridded else "one setting" if main.samples else "",
        "selection_beside": query.get("selection", rule_beside) if gridded else "",
        "measured_beside": other.measured,
        "verdict_beside": other.verdict,
        "dataset": query.get("dataset", claim.expects.get("dataset", "")),
        "methods": "; ".join(_methods(main)),
        "metric": query.get("metric", ""),
        "cells": _cells(main),
        "cells_beside": _cells(shown),
        "parts": "; ".join(f"{part}: {verdict}" for part, verdict in main.parts),
        "stand_in_for": "; ".join(main.stand_in_for),
    }


def _methods(judgement: Judgement) -> list[str]:
    return list(dict.fromkeys(s.cells.split("/")[2] for s in judgement.samples if s.cells))


def _cells(judgement: Judgement) -> str:
    return "; ".join(dict.fromkeys(s.cells for s in judgement.samples if s.cells))


def _as_json(row: Mapping[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {str(key): None if _is_missing(value) else value for key, value in row.items()}
    for key in ("n", "n_published"):
        found[key] = None if found[key] is None else int(found[key])
    for key in ("parts", "cells", "cells_beside", "methods"):
        found[key] = [part for part in str(found[key] or "").split("; ") if part]
    return found


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)
