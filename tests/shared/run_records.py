"""Records of runs that never were, as runs leave them."""

from cladebench.bench.plan.cell_spec import CellSpec, Limits, MethodPlan
from cladebench.bench.run.run_cell import blank_record
from cladebench.bench.store.cells_table import read_cells

PROVENANCE = {
    "git_commit": "abc",
    "git_dirty": False,
    "core_build": "b",
    "code_digest": "c",
    "versions": {"numpy": "1"},
    "machine": {"cpu": "x"},
}
DATA = {"kind": "stand-in", "source": "mirror", "stand_in_for": "glass", "content_sha256": "5", "files": {}}


def record(alpha=1, repetition=0, status="ok", **changes):
    spec = CellSpec("p", "d", "m", {"alpha": alpha}, repetition, 7, Limits(10, 100))
    base = blank_record(spec, MethodPlan("m", "E", {"beta": 2}), PROVENANCE)
    base.update(
        status=status, data=DATA, key="0" * 64, cpu_seconds=1.5, wall_seconds=2.0, peak_memory_mb=50.0
    )
    if status == "ok":
        base.update(
            readings=[
                {"at": {}, "metrics": {"b": 2.5, "a": 1.0}},
                {"at": {"k": 10}, "metrics": {"near": 0.5}},
                {"at": {"k": 9.0}, "metrics": {"near": 0.25}},
            ],
            drawn={"digest": "d" * 64, "rows": 30, "train": 20, "test": 10},
            details={"converged": True, "iterations": 4, "tolerance": 1e-3},
        )
    else:
        base.update(reason="because", data=None, key=None)
    return {**base, **changes}


def table_of(store, cell_ids=None):
    store.write_parquet(store.root / "cells.parquet", cell_ids)
    return read_cells(store.root / "cells.parquet")
