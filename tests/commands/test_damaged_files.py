"""A missing or damaged file of a run is one line that names it and the command that makes it, from every reader."""

import pandas as pd
import pytest

from cladebench.bench.cells_table import COLUMNS
from cladebench.cli import main
from cladebench.crosscheck.certificate import COLUMNS as CERTIFICATES

READERS = [
    ["audit", "--results", "{}"],
    ["artifacts", "--scope", "smoke", "--results", "{}"],
    ["report", "--scope", "smoke", "--results", "{}"],
    ["compare", "{}", "{}"],
]


def one_cell(folder):
    cell = {"paper": "ghc", "dataset": "glass", "method": "Perch", "cell_id": "ghc/glass/Perch/default/0"}
    table = pd.DataFrame([cell | {"status": "unavailable"}]).reindex(columns=list(COLUMNS))
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
        (lambda path: pd.DataFrame(columns=list(COLUMNS)).to_parquet(path), "it holds no cell"),
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


@pytest.mark.parametrize("arguments", [READERS[2], READERS[3]], ids=["report", "compare"])
@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff\xfe", b"[]", b"[" * 100_000, b"{}", b'{"claims": [], "excluded": 1}', b'{"claims": [{}]}'],
)  # fmt: skip
def test_audit(arguments, damage, tmp_path, capsys):
    one_cell(tmp_path)
    (tmp_path / "audit.json").write_bytes(damage)
    error = said(arguments, tmp_path, capsys)
    assert f"{tmp_path}/audit.json: " in error
    assert "run cladebench audit" in error


def test_a_damaged_audit_is_not_written_over_and_says_what_to_do(tmp_path, capsys):
    one_cell(tmp_path)
    (tmp_path / "audit.json").write_text("{")
    error = said(["audit", "--paper", "ghc", "--results", "{}"], tmp_path, capsys)
    assert f"{tmp_path}/audit.json: it is damaged" in error
    assert "remove it, or write to another folder with --out" in error and "run cladebench audit" not in error
    assert (tmp_path / "audit.json").read_text() == "{"


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


@pytest.mark.parametrize("damage", [b"", b"[]", b"\xff\xfe"])
def test_a_part_of_the_audit_beside_a_damaged_one_says_a_way_that_works(copied, capsys, damage):
    path = copied.folder / "audit.json"
    path.write_bytes(damage)
    assert copied.main("audit") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"{path}: it is damaged" in error
    assert "remove it" in error and "--out" in error
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
