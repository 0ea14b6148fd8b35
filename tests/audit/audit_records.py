"""Records with a known truth, for the tests of the audit."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from cladebench.audit import ClaimSet, read_claims
from cladebench.audit.audit_run import as_frame, audit_paper
from cladebench.bench.store import COLUMNS

SELECTION = {
    "oracle": {"metric": "dendrogram_purity", "direction": "max"},
    "label_free": {"metric": "dasgupta_cost", "direction": "min"},
}


def cells(
    dataset: str,
    method: str,
    metrics: dict[str, Sequence[float]],
    setting: dict | None = None,
    stand_in_for: str | None = None,
) -> list[dict]:
    """Rows of finished cells: one repetition for each entry of the metrics."""
    setting_id = "default" if not setting else "-".join(f"{k}{v}" for k, v in setting.items())
    return [
        _row(dataset, method, setting, setting_id, repetition, stand_in_for)
        | {"metric": metric, "value": float(value)}
        for metric, values in metrics.items()
        for repetition, value in enumerate(values)
    ]


def failed(dataset: str, method: str, status: str, reason: str, repetitions: Sequence[int]) -> list[dict]:
    """Rows of cells that are not ok."""
    return [
        _row(dataset, method, None, "default", r, None) | {"status": status, "reason": reason}
        for r in repetitions
    ]


def _row(dataset, method, setting, setting_id, repetition, stand_in_for):
    return {
        "paper": "toy",
        "dataset": dataset,
        "method": method,
        "setting": json.dumps(setting or {}),
        "setting_id": setting_id,
        "repetition": repetition,
        "metric": None,
        "value": None,
        "status": "ok",
        "reason": None,
        "stand_in_for": stand_in_for,
        "cell_id": f"toy/{dataset}/{method}/{setting_id}/{repetition}",
    }


def frame(*rows: list[dict]) -> pd.DataFrame:
    """The rows as the store gives them: nullable texts."""
    table = pd.DataFrame([row for group in rows for row in group])
    texts = [c for c in table.columns if c not in ("repetition", "value")]
    return table.astype({c: "string" for c in texts} | {"value": "float64"})


def write_cells(table: pd.DataFrame, folder: Path) -> None:
    """Write rows as ``cells.parquet``, columns that they lack left empty."""
    table.reindex(columns=list(COLUMNS)).to_parquet(folder / "cells.parquet")


def claims_of(folder: Path, text: str) -> ClaimSet:
    """Claims of the paper ``toy`` from the text below its first line."""
    path = folder / "claims.yaml"
    path.write_text("paper: toy\n" + text, encoding="utf-8")
    return read_claims(path)


def judged(claims: ClaimSet, records: pd.DataFrame, **how) -> pd.DataFrame:
    """The audit as a frame indexed by claim."""
    return as_frame(audit_paper(claims, records, selection=SELECTION, **how)).set_index("claim")
