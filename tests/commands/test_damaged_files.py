"""A missing or damaged file of a run is one line that names it and the command that makes it, from every reader."""

import json
import math
import os
import random

import pandas as pd
import pyarrow.parquet
import pytest

from cladebench.bench.store.cells_table import COLUMNS, read_cells
from cladebench.cli import main
from cladebench.crosscheck.certificate import COLUMNS as CERTIFICATES
from cladebench.input_files import InputFileError

READERS = [
    ["audit", "--results", "{}"],
    ["artifacts", "--scope", "smoke", "--results", "{}"],
    ["report", "--scope", "smoke", "--results", "{}"],
    ["compare", "{}", "{}"],
]


def one_cell(folder):
    cell = {"paper": "ghc", "dataset": "glass", "method": "Perch", "cell_id": "ghc/glass/Perch/default/0"}
    cell |= {"setting": "{}", "setting_id": "default", "repetition": 0, "at": "{}", "status": "unavailable"}
    table = pd.DataFrame([cell]).reindex(columns=list(COLUMNS))
    table.to_parquet(folder / "cells.parquet")


def said(arguments, folder, capsys):
    assert main([argument.format(folder) for argument in arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    return error


@pytest.mark.parametrize("arguments", READERS, ids=lambda a: a[0])
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "no such file"),
        (lambda path: path.write_bytes(b""), "cannot be read as Parquet"),
        (lambda path: path.write_bytes(b"PAR1 junk PAR1"), "cannot be read as Parquet"),
        (lambda path: pd.DataFrame(columns=list(COLUMNS)).to_parquet(path), "it holds no run"),
        (lambda path: pd.DataFrame({"a": [1]}).to_parquet(path), "it has no column 'paper', 'dataset'"),
        (
            lambda path: pd.DataFrame({name: ["x"] for name in COLUMNS}).to_parquet(path),
            "a column is of a wrong type",
        ),
    ],
    ids=["missing", "folder", "empty", "junk", "no rows", "foreign", "types"],
)
def test_cells(arguments, damage, words, tmp_path, capsys):
    damage(tmp_path / "cells.parquet")
    error = said(arguments, tmp_path, capsys)
    assert f"{tmp_path}/cells.parquet: {words}" in error
    assert "cladebench collect" in error


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff\xfe", b"[]", b"[" * 100_000, b"{}", b'{"claims": [3], "excluded": 1}', b'{"claims": [{}]}'],
)  # fmt: skip
def test_audit(damage, tmp_path, capsys):
    one_cell(tmp_path)
    (tmp_path / "audit.json").write_bytes(damage)
    error = said(READERS[2], tmp_path, capsys)
    assert f"{tmp_path}/audit.json: " in error
    assert "run cladebench audit" in error


#: The last has a row of too many entries.
NO_AUDITS = [b"", b"\xff\xfe", b"x\n1\n", b"paper,claim,verdict,reason\n1,2,3,4\n1,2,3,4,5\n"]


@pytest.mark.parametrize("damage", NO_AUDITS)
def test_verdicts_to_compare(damage, tmp_path, capsys):
    one_cell(tmp_path)
    (tmp_path / "audit.csv").write_bytes(damage)
    error = said(READERS[3], tmp_path, capsys)
    assert f"{tmp_path}/audit.csv: damaged: " in error and "run cladebench audit" in error


@pytest.mark.parametrize(
    "arguments",
    [READERS[0], READERS[3], ["gate", "--paper", "ghc", "--scope", "smoke", "--out", "{}"]],
    ids=lambda a: a[0],
)
@pytest.mark.parametrize("damage", [b"", b"a,b\n1\n1,2,3\n", b"x\n1\n", b"id,topic\n1,2\n"])
def test_certificates(arguments, damage, tmp_path, capsys):
    one_cell(tmp_path)
    (tmp_path / "certificates.csv").write_bytes(damage)
    error = said(arguments, tmp_path, capsys)
    assert f"{tmp_path}/certificates.csv: " in error
    assert "run cladebench crosscheck" in error


@pytest.mark.parametrize("passed", ["", "maybe"])
def test_a_certificate_without_a_clear_outcome_has_not_passed(passed, tmp_path, capsys):
    row = dict.fromkeys(CERTIFICATES, "") | {"id": "a", "topic": "t", "passed": passed}
    pd.DataFrame([row]).to_csv(tmp_path / "certificates.csv", index=False)
    error = said(["gate", "--paper", "ghc", "--scope", "smoke", "--out", "{}"], tmp_path, capsys)
    assert f"passed: {passed!r} is neither True nor False" in error


@pytest.mark.parametrize("damage", NO_AUDITS)
def test_a_part_of_the_audit_beside_a_damaged_one_says_a_way_that_works(copied, capsys, damage):
    path = copied.folder / "audit.csv"
    path.write_bytes(damage)
    assert copied.main("audit") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"{path}: damaged" in error
    assert "remove it, or write to another folder with --out" in error and "run cladebench audit" not in error
    assert path.read_bytes() == damage
    assert copied.main("audit", "--out", str(copied.folder / "elsewhere")) == 0
    path.unlink()
    assert copied.main("audit") == 0


def test_one_topic_beside_damaged_certificates_says_a_way_that_works(copied, capsys):
    (copied.folder / "certificates.csv").write_bytes(b"x\n1\n")
    assert copied.main("crosscheck") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "run cladebench crosscheck" not in error
    assert "it has no column" in error and "leave --topic out" in error


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "damage", [b"", b"[]", DEEP.encode(), b'{"scope": []}', b'{"scope": {"a": 1}}', b"\xff"]
)
def test_a_damaged_summary_of_a_job_says_nothing(copied, capsys, damage):
    (copied.folder / "jobs" / "examplepaper.nested-blobs.Ward.json").write_bytes(damage)
    assert copied.main("gate") == 0


def fine(record):
    """A status that is none: the schema alone finds it."""
    return json.dumps(json.loads(record.read_bytes()) | {"status": "fine"}).encode()


def test_a_job_with_a_damaged_record_loses_its_summary_and_so_runs_again(copied, capsys):
    damages = [b"{", DEEP.encode(), b"{}", b"", fine]
    records = sorted((copied.folder / "cells").rglob("*.json"))
    damaged = [one(record) if callable(one) else one for one, record in zip(damages, records, strict=False)]
    summaries = {path: path.read_bytes() for path in (copied.folder / "jobs").glob("*.json")}
    assert len(records) == 6 and len(summaries) == 2
    for record, content in zip(records, damaged, strict=False):
        good = record.read_bytes()
        record.write_bytes(content)
        assert copied.main("collect") == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 2 and f"{record}: the record " in error and "runs the job again" in error
        (left,) = (path.name for path in (copied.folder / "jobs").glob("*.json"))
        assert record.parent.name not in left
        record.write_bytes(good)
        for path, content in summaries.items():
            path.write_bytes(content)
    for record, content in zip(records, damaged, strict=False):
        record.write_bytes(content)
    assert copied.main("run") == 0
    assert capsys.readouterr().out.count("(kept)") == 1
    assert copied.main("collect") == 0


ODD = {
    "setting": [
        *(None, "", "{", "[]", "null", DEEP, '{"a": ' * 200 + "1" + "}" * 200),
        *('{"a": 1e999}', '{"a": "\\ud800"}', f'{{"a": {10**400}}}'),
    ],
    "at": [None, "", "{", "[1]", DEEP, '{"k": []}', '{"k": NaN}', '{"k": null}'],
    "cell_id": [None, "", "a/b", "../../../../x", "examplepaper/nested-blobs/Ward/default/..", "//// "],
    "paper": [None, "", "..", "a/b"],
    "dataset": [None, "", "..", "glass"],
    "method": [None, "", "..", "\0", "Other"],
    "setting_id": [None, "", "..", "x"],
    "repetition": [None, -1, 2**62],
    "status": [None, "", "fine", "error"],
    "value": [None, math.nan, math.inf],
    "metric": [None],
    "fold": [-1],
    "n_rows": [-1],
    "wall_seconds": [math.nan, -1.0, math.inf],
    "params": ["{", "[]", DEEP],
    "versions": ["{", "null"],
    "machine": ["1", "{}{}"],
}


@pytest.mark.parametrize("column", sorted(ODD))
def test_a_table_of_the_right_types_and_odd_content_is_one_line(copied, capsys, column):
    path = copied.folder / "cells.parquet"
    table = pd.read_parquet(path)
    for value in ODD[column]:
        kinds = {"int64": "Int64", "float64": "float64"}
        odd = table.astype({column: kinds.get(str(table[column].dtype), object)})
        odd.loc[3, column] = value
        odd.to_parquet(path)
        if pd.isna(value) and column == "wall_seconds":  # as where it is not known
            read_cells(path)
            continue
        for command in ("audit", "compare"):
            arguments = ["compare", str(copied.folder), str(copied.folder)]
            assert (main(arguments) if command == "compare" else copied.main(command)) == 2
            error = capsys.readouterr().err
            assert error.count("\n") == 1 and len(error) < 1000, error
            assert f"{path}: " in error and "run cladebench collect" in error


#: What a mutant's cells may become; some are what a column may hold.
VALUES = [
    *(
        None,
        "",
        "{",
        "[]",
        "{}",
        '{"a":1}',
        '{"k":5}',
        "..",
        "a/b",
        "x",
        "\0",
        "ok",
        "timeout",
        "default",
        "é\u202e",
    ),
    *(-1, 0, 1, 2**62, -0.5, 1e300, 1e-300, math.nan, math.inf, True, False),
]


@pytest.mark.timeout(900)
def test_no_command_ends_in_a_traceback_on_a_mutated_table(copied, capsys):
    """A sample by default; ``CLADEBENCH_MUTANTS=1000`` takes a thousand."""
    path, choose = copied.folder / "cells.parquet", random.Random(5)
    table = pyarrow.parquet.read_table(path)
    read = 0
    for _ in range(int(os.environ.get("CLADEBENCH_MUTANTS", 60))):
        rows = table.to_pylist()
        for _ in range(choose.choice([1, 1, 2, 3])):
            column, value = choose.choice(table.schema), choose.choice(VALUES)
            old = choose.choice(rows)[column.name]
            everywhere = choose.random() < 0.5  # so that what belongs together stays equal
            for row in rows if everywhere else [choose.choice(rows)]:
                if row[column.name] == old or not everywhere:
                    row[column.name] = value
        try:
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, table.schema), path)
        except (pyarrow.ArrowException, TypeError, OverflowError):
            continue  # of another type
        try:
            read_cells(path)
        except InputFileError as error:
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
            continue
        read += 1
        for command, *more in (
            ["audit"],
            ["gate", "--keep"],
            ["collect", "--keep"],
            ["artifacts"],
            ["report"],
        ):
            assert copied.main(command, *more) in (0, 1, 2), command
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, table.schema), path)
    assert read > 0
