"""Records with a known truth, for the tests of results and of the audit."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from cladebench.audit import ClaimSet, read_claims
from cladebench.audit.audit_files import as_frame
from cladebench.audit.pipeline.whole_run import audit_paper
from cladebench.bench.plan.cell_spec import point_text
from cladebench.bench.plan.setting_selection import Rule
from cladebench.bench.store.cells_table import COLUMNS
from cladebench.measures import MEASURES
from cladebench.paper.choices import OtherChoice, UnstatedChoice

PURITY = "dendrogram_purity"
NOISE = np.array([-0.01, 0.005, 0.0, 0.01, -0.005])
SELECTION = {
    "oracle": Rule("oracle", "best purity", PURITY, "higher", uses="test labels"),
    "label_free": Rule("label_free", "best cost", "dasgupta_cost", "lower", uses="no labels"),
}


def cells(
    dataset: str,
    method: str,
    metrics: dict[str, Sequence[float]],
    setting: dict | None = None,
    stand_in_for: str | None = None,
    *,
    at: dict | None = None,
    tasks: Sequence[str] | None = None,
    held_out: tuple[int, int] | None = None,
) -> list[dict]:
    """Rows of finished cells: one repetition for each entry of the metrics.

    All methods on a data set meet the same tasks, one for each repetition, unless `tasks` names others; `held_out` is
    the number of training and of test rows.
    """
    n_train, n_test = held_out or (100, 100)
    return [
        _row(dataset, method, setting, repetition, stand_in_for)
        | {"metric": metric, "value": float(value), "at": point_text(at or {})}
        | ({"task": tasks[repetition]} if tasks else {})
        | ({"n_rows": n_train + n_test, "n_train": n_train, "n_test": n_test} if held_out else {})
        for metric, values in metrics.items()
        for repetition, value in enumerate(values)
    ]


def failed(
    dataset: str,
    method: str,
    status: str,
    reason: str,
    repetitions: Sequence[int],
    setting: dict | None = None,
) -> list[dict]:
    """Rows of cells that are not ok."""
    return [
        _row(dataset, method, setting, r, None) | {"status": status, "reason": reason} for r in repetitions
    ]


def _row(dataset, method, setting, repetition, stand_in_for):
    setting_id = "default" if not setting else "-".join(f"{k}{v}" for k, v in setting.items())
    return {
        "paper": "toy",
        "dataset": dataset,
        "method": method,
        "setting": json.dumps(setting or {}),
        "setting_id": setting_id,
        "repetition": repetition,
        "fold": None,
        "task": f"{dataset}, draw {repetition}",
        "metric": None,
        "at": "{}",
        "value": None,
        "status": "ok",
        "reason": None,
        "data_kind": "stand-in" if stand_in_for else "real",
        "stand_in_for": stand_in_for,
        "n_rows": 100,
        "n_train": 100,
        "n_test": 100,
        "cell_id": f"toy/{dataset}/{method}/{setting_id}/{repetition}",
    }


def frame(*rows: list[dict]) -> pd.DataFrame:
    """The rows as the store gives them: nullable texts."""
    table = pd.DataFrame([row for group in rows for row in group])
    numbers = ("repetition", "fold", "n_rows", "n_train", "n_test")
    kinds = {"value": "float64"} | dict.fromkeys(numbers, "Int64")
    return table.astype({c: kinds.get(c, "string") for c in table.columns})


def write_cells(table: pd.DataFrame, folder: Path) -> None:
    """Write rows as ``cells.parquet``, columns that they lack left empty."""
    table.reindex(columns=list(COLUMNS)).to_parquet(folder / "cells.parquet")


def claims_of(folder: Path, text: str, measures=MEASURES, programmes=None) -> ClaimSet:
    """Claims of the paper ``toy`` from the text below its first line."""
    path = folder / "claims.yaml"
    path.write_text("paper: toy\n" + text, encoding="utf-8")
    return read_claims(path, measures, programmes)


def judged(claims: ClaimSet, records: pd.DataFrame, selection=SELECTION, **how) -> pd.DataFrame:
    """The audit as a frame indexed by claim."""
    return as_frame(audit_paper(claims, records, selection=selection, **how)).set_index("claim")


def entry(name, *others):
    """An entry of the register of unstated choices: its other choices by what they read instead."""
    found = tuple(OtherChoice(text, instead) for text, instead in others)
    return UnstatedChoice(name, "1", "p", "c", (), ({"by": "nothing", "reason": "r"},), found)
