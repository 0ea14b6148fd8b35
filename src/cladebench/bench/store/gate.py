"""The gate: decides from planned against done whether a run was good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cladebench.bench.store.causes import cause_of

if TYPE_CHECKING:
    import pandas as pd

FAILURES = ("missing", "error", "timeout", "out_of_memory")


@dataclass(frozen=True)
class GateResult:
    """Verdict of the gate.

    Parameters
    ----------
    failures : list of str
        Causes for which the run fails, a line for each. Missing cells have one line for a method on a data set.
        The list is empty if every planned cell has a record and every failure is declared.
    notes : list of str
        What should be known but does not make it fail: declared failures, a line for each declaration; unavailable
        data; declared failures that did not happen.
    """

    failures: list[str]
    notes: list[str]


def gate(ledger: pd.DataFrame, expected: Sequence[Mapping[str, Any]] = ()) -> GateResult:
    """Judge a ledger.

    Parameters
    ----------
    ledger : DataFrame
        As `cladebench.bench.store.store.Store.ledger` gives it.
    expected : sequence of Mapping
        Declared failures: paper, method, dataset, status, reason, as `cladebench.bench.plan.plan.expected_failures`
        gives them.
    """
    declared = {(e["paper"], e["dataset"], e["method"], e["status"]): e["reason"] for e in expected}
    met = set()
    missing: dict[str, list[str]] = {}
    expected_so: dict[str, list[str]] = {}
    causes: dict[tuple[str, str], list[Mapping[Any, Any]]] = {}
    rows = ledger.to_dict(orient="records")
    for row in rows:
        kind = (row["paper"], row["dataset"], row["method"], row["status"])
        if row["status"] not in FAILURES:
            continue
        if kind in declared:
            met.add(kind)
            said = f"{row['status']}, as declared ({declared[kind]})"
            expected_so.setdefault(said, []).append(row["cell_id"])
        elif row["status"] == "missing":
            missing.setdefault("/".join(kind[:3]), []).append(f"{row['cell_id']}: {row['reason']}")
        else:
            causes.setdefault((row["status"], cause_of(str(row["reason"]))), []).append(row)
    notes = [f"{_cells(cells)}: {said}" for said, cells in expected_so.items()]
    failures = [
        f"{_cells([row['cell_id'] for row in same])}: {status}: {same[0]['reason']}"
        for (status, _), same in causes.items()
    ]
    failures += [
        f"{name}: {len(cells)} run{'s' * (len(cells) > 1)} missing, first {cells[0]}"
        for name, cells in missing.items()
    ]
    away: dict[str, list[str]] = {}
    for row in rows:
        if row["status"] == "unavailable":
            away.setdefault(f"{row['paper']}/{row['dataset']}", []).append(row["reason"])
    notes += [
        f"{name}: {len(reasons)} runs unavailable: {reasons[0]}" for name, reasons in sorted(away.items())
    ]
    planned = {(row["paper"], row["dataset"], row["method"]) for row in rows}
    for kind in declared:
        if kind not in met and kind[:3] in planned:
            paper, dataset, method, status = kind
            notes.append(
                f"{paper}/{dataset}/{method}: declared as {status}, but no run failed so: remove it from the plan"
            )
    return GateResult(failures, notes)


def _cells(names: Sequence[str]) -> str:
    """A cell by its name.

    Several by how many they are, and the first.
    """
    return names[0] if len(names) == 1 else f"{len(names)} runs, first {names[0]}"
