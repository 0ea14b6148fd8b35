"""What a protocol is handed, and what it gives back.

Protocols import this module alone, so that edits elsewhere in ``bench`` do not touch the digest of their code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cladebench.bench.plan.cell_spec import CellSpec, MethodPlan
from cladebench.bench.plan.task import Task

if TYPE_CHECKING:
    from cladebench.datasets import Dataset


@dataclass(frozen=True)
class Cell:
    """Hold all that a protocol's result for a cell may depend on.

    Parameters
    ----------
    spec : CellSpec
    method : MethodPlan
    data : Dataset
        The whole data set.
    task : Task
        What this repetition draws from it; the same for all methods.
    kept : Path, optional
        A folder, not made yet, for what a long fit keeps against an interruption. The cell finds it again when it is
        run again with the same inputs; it is removed once the cell has a result.
    """

    spec: CellSpec
    method: MethodPlan
    data: Dataset
    task: Task
    kept: Path | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the method in the cell's setting."""
        return self.method.parameters(self.spec.setting)


@dataclass(frozen=True)
class Reading:
    """What is measured at one evaluation point of a fit.

    Parameters
    ----------
    metrics : mapping of str to float
        All finite, otherwise the cell is an error that names the metric.
    at : mapping of str to number, text or bool
        The point: a number of neighbours, of leaves, the width of a kernel. Empty for what is measured once.
    block : int, optional
        The block of test rows that it is of (`Task.blocks`). What is read in blocks counts as results of folds do.
    """

    metrics: Mapping[str, float]
    at: Mapping[str, Any] = field(default_factory=dict)
    block: int | None = None


@dataclass
class CellOutput:
    """What a protocol returns.

    Parameters
    ----------
    metrics : dict of str to float
        What is measured once, whatever the evaluation point.
    readings : sequence of Reading
        What is measured at evaluation points. There must be a metric, here or above.
    arrays : dict of str to ndarray
        Stored beside the record; no object arrays.
    details : dict
        JSON-able facts. ``converged`` (bool), ``iterations`` (int) and ``tolerance`` (float) become columns.
    """

    metrics: dict[str, float] = field(default_factory=dict)
    readings: Sequence[Reading] = ()
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
