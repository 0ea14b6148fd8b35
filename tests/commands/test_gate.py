"""The end of a run: what was judged, paper by paper."""

import json

import pandas as pd
import pytest

from cladebench.audit import VERDICTS as BY_NAME
from cladebench.cli import main

VERDICTS = tuple(BY_NAME)


def test_the_counts_of_verdicts_are_printed_and_kept(copied, capsys):
    assert copied.main("gate") == 0
    line = "examplepaper: 3 claims: 1 reproduced, 1 within noise, 1 contradicted"
    assert line in capsys.readouterr().out.splitlines()
    assert line in (copied.folder / "gate.txt").read_text().splitlines()


def test_each_paper_has_its_line_in_the_order_of_the_verdicts(copied, capsys):
    """As ``audit.json`` counts them: nothing is counted again."""
    audit = json.loads((copied.folder / "audit.json").read_text())
    audit["verdicts"] = {"b": {VERDICTS[0]: 2, VERDICTS[1]: 0, VERDICTS[2]: 1}, "a": {VERDICTS[-1]: 1}}
    (copied.folder / "audit.json").write_text(json.dumps(audit))
    assert copied.main("gate") == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index(f"b: 3 claims: 2 {VERDICTS[0]}, 1 {VERDICTS[2]}")
    assert lines[at + 1] == f"a: 1 claim: 1 {VERDICTS[-1]}"


def test_a_run_that_was_not_judged_has_none(copied, capsys):
    (copied.folder / "audit.json").unlink()
    assert copied.main("gate") == 0
    assert "claims" not in capsys.readouterr().out


def test_files_that_are_not_there_are_not_named(copied, capsys):
    report, verdicts = copied.folder / "report" / "index.html", copied.folder / "audit.csv"
    report.parent.mkdir(exist_ok=True)
    for path, line in ((report, f"report:   {report}"), (verdicts, f"verdicts: {verdicts}")):
        path.touch()
        assert copied.main("gate") == 0
        assert line in capsys.readouterr().out.splitlines()
        path.unlink()
        assert copied.main("gate") == 0
        assert str(path) not in capsys.readouterr().out


def test_cells_of_the_table_count_as_run_where_their_records_are_elsewhere(copied, capsys):
    records = sorted((copied.folder / "cells").rglob("*.json"))
    cell = json.loads(records[0].read_text())["cell_id"]
    records[0].unlink()
    assert copied.main("gate") == 1
    assert copied.main("gate", "--keep") == 0
    assert f"runs: {len(records)} ok" in capsys.readouterr().out
    table = pd.read_parquet(copied.folder / "cells.parquet")

    # How they ended counts, too,
    other = table["cell_id"] != cell
    failed = table.assign(
        **{name: table[name].where(other) for name in ("metric", "value")},
        status=table["status"].where(other, "error"),
    )
    failed.drop_duplicates(["cell_id", "metric", "at", "fold"]).to_parquet(copied.folder / "cells.parquet")
    assert copied.main("gate", "--keep") == 1
    assert f"FAILED: {cell}: error" in capsys.readouterr().out

    # and so does what is in neither; a record that is there and damaged stands for itself.
    table[table["cell_id"] != cell].to_parquet(copied.folder / "cells.parquet")
    assert copied.main("gate", "--keep") == 1
    assert "1 run missing" in capsys.readouterr().out
    records[1].write_text("{")
    table.to_parquet(copied.folder / "cells.parquet")
    assert copied.main("gate", "--keep") == 1
    assert "1 run missing" in capsys.readouterr().out


@pytest.mark.parametrize("keep", [False, True])
def test_papers_that_only_the_table_has_are_judged_with_the_others(copied, capsys, keep):
    """Without a paper named: those with records, and those of the table where that counts."""
    table = pd.read_parquet(copied.folder / "cells.parquet")
    cells = "elsewhere/" + table["cell_id"].str.partition("/")[2]
    table.assign(paper="elsewhere", cell_id=cells).to_parquet(copied.folder / "cells.parquet")
    assert main(["gate", "--out", str(copied.folder), "--scope", "smoke", *(["--keep"] * keep)]) == 2
    unknown = "elsewhere" if keep else "examplepaper"
    assert f"records of {unknown!r}, which the configuration does not name" in capsys.readouterr().err
