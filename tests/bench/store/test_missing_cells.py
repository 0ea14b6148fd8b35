"""Planned cells without a record get rows that say so."""

import pytest

from cladebench.bench.plan.jobs import expand, with_missing
from cladebench.bench.run.run_cell import blank_record
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import Store
from run_records import PROVENANCE


@pytest.fixture
def planned(plan):
    return [(job, cell.spec) for job in expand(plan, "smoke") for cell in job.cells]


def table_of(folder, cells):
    store = Store(folder)
    for job, spec in cells:
        blank = blank_record(spec, job.method_of(spec), PROVENANCE)
        store.write_record({**blank, "status": "error", "reason": "it failed", "data": None, "key": None})
    store.write_parquet(folder / "cells.parquet")
    return read_cells(folder / "cells.parquet")


def test_cells_without_a_record_are_missing_and_others_stay_once(plan, planned, tmp_path):
    done = planned[::2]
    found = with_missing(table_of(tmp_path, done), plan, "smoke").set_index("cell_id")
    assert found.index.is_unique and set(found.index) == {spec.cell_id for _, spec in planned}
    assert set(found.index[found.status == "error"]) == {spec.cell_id for _, spec in done}
    rest = found[found.status != "error"]
    assert set(rest.status) == {"missing"} and set(rest.reason) == {"planned, but there is no record of it"}


def test_a_table_of_all_cells_stays_as_it_is(plan, planned, tmp_path):
    table = table_of(tmp_path, planned)
    assert with_missing(table, plan, "smoke") is table
