"""What the commands do with rows of a table that do not count (tests/bench/run/test_kept_rows.py says which)."""

import pandas as pd
import pytest

from cladebench.bench.plan.jobs import expand
from cladebench.bench.provenance.provenance import collect
from cladebench.bench.run import kept_rows
from cladebench.bench.run.run_cell import run_cell
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import Store
from cladebench.cli import main
from cladebench.paper.catalogue import load_plan

CELL = "toy_paper/nested-blobs/globals/default/1"


@pytest.fixture
def folder(monkeypatch, request, tmp_path):
    """A run of the toy paper in this process, of which one cell has no record, only its rows in the table."""
    monkeypatch.syspath_prepend(str(request.config.rootpath / "tests" / "bench"))
    monkeypatch.chdir(tmp_path)
    now = kept_rows._made_with("toy_paper", "globals")
    monkeypatch.setattr(kept_rows, "_made_with", lambda package, estimator: now)
    provenance = {**collect(now["sources"]), "versions": now["versions"]}
    store = Store(tmp_path / "run")
    for job in expand(load_plan("toy_paper"), "full"):
        for cell in job.cells:
            record, arrays = run_cell(cell.spec, job.method_of(cell.spec), "toy_paper", provenance)
            if arrays:
                record["arrays_sha256"] = store.write_arrays(cell.spec.cell_id, arrays)
            store.write_record(record)
    assert call("collect", store.root) == 0
    store.remove(CELL)
    return store.root


def call(command, folder, *more):
    options = ["--paper", "toy_paper", "--scope", "full", "--out", str(folder)]
    return main([command, *options, *more])


def change(folder, column, value):
    rows = read_cells(folder / "cells.parquet")
    values = rows[column].where(rows["cell_id"] != CELL, value)
    rows.assign(**{column: values}).to_parquet(folder / "cells.parquet")


def listed(folder, capsys, *keep):
    """Whether a run would run the cell, and all that it says."""
    capsys.readouterr()
    assert call("run", folder, *keep, "--list") == 0
    out = capsys.readouterr().out
    return f"  {CELL}" in out.splitlines(), out


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("seed", 1, "another seed"),
        ("params", "{}", "other parameters"),
        ("code_digest", "0", "other sources, which any-code keeps"),
    ],
)
def test_rows_that_do_not_count_are_run_again_refused_and_missing(folder, capsys, column, value, reason):
    table = folder / "cells.parquet"
    if column == "params":
        value = '{"alpha":1}'
    change(folder, column, value)
    before = table.read_bytes()
    said = f"{table}: 1 run with {reason} (first {CELL})"
    again, out = listed(folder, capsys, "--keep")
    assert again and f"{said}; these are run again" in out.splitlines()
    assert call("collect", folder, "--keep") == 2
    assert f"{said}; do these runs again" in capsys.readouterr().err and table.read_bytes() == before
    assert call("gate", folder, "--keep") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "runs: 11 ok, 1 missing" and f"note: {said}; these do not count" in lines
    name = CELL.rpartition("/default")[0]
    assert f"FAILED: {name}: 1 run missing, first {CELL}: {table} has it with {reason}" in lines


def test_rows_that_count_are_kept_and_those_of_other_code_where_that_is_said(folder, capsys):
    def kept(*keep):
        again, out = listed(folder, capsys, *keep)
        assert not again and call("collect", folder, *keep) == 0 and call("gate", folder, *keep) == 1
        out += capsys.readouterr().out
        assert "runs: 12 ok" in out and CELL in set(read_cells(folder / "cells.parquet")["cell_id"])
        return out.count("cells.parquet: 1 run of other code counts")

    assert kept("--keep") == 0
    change(folder, "core_build", "0")
    assert kept("--keep", "any-code") == 3


@pytest.mark.parametrize("command", ["run", "collect", "gate"])
def test_a_table_with_a_row_twice_is_refused(folder, capsys, command):
    path = folder / "cells.parquet"
    table = read_cells(path)
    pd.concat([table, table.tail(1).assign(value=0.25)]).to_parquet(path)
    assert call(command, folder, "--keep") == 2
    last = table.iloc[-1]
    said = f"it has a row twice: {last['cell_id']}, metric {last['metric']!r} at {last['at']}; run cladebench"
    assert said in capsys.readouterr().err
