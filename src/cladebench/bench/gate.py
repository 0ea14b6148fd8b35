"""The gate: decides from planned against done whether a run was good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FAILURES = ("missing", "error", "timeout", "out_of_memory")


@dataclass(frozen=True)
class GateResult:
    """Verdict of the gate.

    Parameters
    ----------
    exit_code : int
        0 if every planned cell has a record and every failure is declared, else 1.
    failures : list of str
        What makes the run fail, one line each; cells that are missing, one line for a method on a data set.
    notes : list of str
        What should be known but does not make it fail: declared failures, unavailable data, declared failures that did
        not happen.
    """

    exit_code: int
    failures: list[str]
    notes: list[str]


def gate(ledger: pd.DataFrame, expected: Sequence[Mapping[str, Any]] = ()) -> GateResult:
    """Judge a ledger.

    Parameters
    ----------
    ledger : DataFrame
        As `cladebench.bench.store.Store.ledger` gives it.
    expected : sequence of Mapping
        Declared failures: paper, method, dataset, status, reason, as `cladebench.bench.plan.expected_failures` gives
        them.
    """
    failures, notes = [], []
    declared = {(e["paper"], e["dataset"], e["method"], e["status"]): e["reason"] for e in expected}
    met = set()
    missing: dict[str, list[str]] = {}
    rows = ledger.to_dict(orient="records")
    for row in rows:
        kind = (row["paper"], row["dataset"], row["method"], row["status"])
        if row["status"] not in FAILURES:
            continue
        if kind in declared:
            met.add(kind)
            notes.append(f"{row['cell_id']}: {row['status']}, as declared ({declared[kind]})")
        elif row["status"] == "missing":
            missing.setdefault("/".join(kind[:3]), []).append(f"{row['cell_id']}: {row['reason']}")
        else:
            failures.append(f"{row['cell_id']}: {row['status']}: {row['reason']}")
    failures += [
        f"{name}: {len(cells)} cell{'s' * (len(cells) > 1)} missing, first {cells[0]}"
        for name, cells in missing.items()
    ]
    away: dict[str, list[str]] = {}
    for row in rows:
        if row["status"] == "unavailable":
            away.setdefault(f"{row['paper']}/{row['dataset']}", []).append(row["reason"])
    notes += [
        f"{name}: {len(reasons)} cells unavailable: {reasons[0]}" for name, reasons in sorted(away.items())
    ]
    planned = {(row["paper"], row["dataset"], row["method"]) for row in rows}
    for kind in declared:
        if kind not in met and kind[:3] in planned:
            paper, dataset, method, status = kind
            notes.append(
                f"{paper}/{dataset}/{method}: declared as {status}, but no cell failed so: remove it from the plan"
            )
    return GateResult(1 if failures else 0, failures, notes)
