"""The command: each format, wrong input in one line, the same bytes from everywhere, no path of the machine."""

import json
import os
import shutil
from pathlib import Path

import pytest

from cladebench.audit.audit_table import read_audit_table
from cladebench.cli import main
from cladebench.export import FORMATS
from cladebench.report.statement_reviews import statement_heads

ROOT = Path(__file__).parents[2]
PAPER = ["--paper", "page_paper"]


def export(results, name, *more):
    return main(["export", "--format", name, "--results", str(results), *PAPER, *more])


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_each_format_has_a_module():
    import cladebench.export

    modules = {path.stem for path in Path(cladebench.export.__path__[0]).glob("*.py")}
    assert set(FORMATS) <= modules


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_bytes_wherever_the_run_lies_and_no_path_of_the_machine(
    name, results, suite, tmp_path, capsys, monkeypatch
):
    assert export(results, name, "--out", str(tmp_path / "one")) == 0
    printed = capsys.readouterr().out.splitlines()
    one = contents(tmp_path / "one")
    assert sorted(printed) == sorted(str(tmp_path / "one" / file) for file in one)
    shutil.copytree(results, tmp_path / "elsewhere" / "smoke")
    monkeypatch.chdir(tmp_path)
    assert export("elsewhere/smoke", name, "--out", "two") == 0
    assert contents(tmp_path / "two") == one
    foreign = [str(results), str(tmp_path), os.path.expanduser("~") + "/", os.uname().nodename + "/"]
    for file, content in one.items():
        assert not any(path.encode() in content for path in foreign), file


def test_without_out_the_files_lie_in_the_run(results, suite, tmp_path):
    folder = tmp_path / "smoke"
    shutil.copytree(results, folder)
    before = contents(folder)
    for name in FORMATS:
        assert export(folder, name) == 0
    after = contents(folder)
    assert before.items() <= after.items()
    new = after.keys() - before.keys()
    assert {"export/claimreview.jsonld", "export/forrt/page_paper.json", "ro-crate-metadata.json"} <= new
    assert "export/codecheck/page_paper/codecheck.yml" in new


def test_the_file_of_reviews_has_one_for_each_statement(results, tmp_path):
    claims = read_audit_table(results / "audit.csv")
    heads = [claim["claim"] for claim in statement_heads(claims)]
    assert export(results, "claimreview", "--out", str(tmp_path / "all.json")) == 0
    found = json.loads((tmp_path / "all.json").read_bytes())["@graph"]
    assert [one["itemReviewed"]["identifier"] for one in found] == heads and len(heads) < len(claims)
    statuses = {one["reviewRating"]["alternateName"] for one in found}
    assert {"validated", "not tested", "contradicted"} <= statuses
    assert all((results / one["url"].partition("#")[0]).is_file() for one in found)


def test_a_format_of_one_file_may_go_into_a_file(results, tmp_path):
    assert export(results, "claimreview", "--out", str(tmp_path / "mine.json")) == 0
    assert json.loads((tmp_path / "mine.json").read_bytes())["@context"] == "https://schema.org"
    (tmp_path / "folder.d").mkdir()
    assert export(results, "claimreview", "--out", str(tmp_path / "folder.d")) == 0
    assert (tmp_path / "folder.d" / "claimreview.jsonld").is_file()


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("forrt", lambda folder: shutil.rmtree(folder), "audit.csv: no such file; run cladebench audit"),
        ("forrt", lambda folder: (folder / "audit.csv").unlink(), "audit.csv: no such file"),
        ("forrt", lambda folder: (folder / "audit.csv").write_bytes(b"\xff"), "cannot be read as CSV"),
        ("forrt", lambda folder: (folder / "audit.csv").write_text("x\n"), "it has no column"),
        ("ro", lambda folder: None, "--format: 'ro' is unknown; "),
        ("", lambda folder: None, "--format: '' is unknown; "),
        ("rocrate", lambda folder: (folder / "cells.parquet").unlink(), "cells.parquet: no such file"),
        ("codecheck", lambda folder: [shutil.rmtree(folder / n) for n in ("tables", "figures")], "no table or figure"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(name, damage, words, results, suite, tmp_path, capsys):
    shutil.copytree(results, tmp_path / "run")
    damage(tmp_path / "run")
    assert export(tmp_path / "run", name, "--out", str(tmp_path / "out")) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and error.startswith("cladebench export: ") and words in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--paper", "ghc"], "audit.csv: no claim of 'ghc'; expected one of page_paper"),
        (["--paper", "ghcc"], "no paper 'ghcc'"),
        ([], "records of 'page_paper', which the configuration does not name"),
    ],
)
def test_a_paper_that_is_not_there_is_one_line(more, words, results, tmp_path, capsys):
    assert (
        main(["export", "--format", "forrt", "--results", str(results), "--out", str(tmp_path), *more]) == 2
    )
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and words in error


def test_a_crate_of_some_papers_of_a_run_is_refused(tmp_path, capsys):
    command = [
        "export",
        "--results",
        str(ROOT / "results" / "full"),
        "--out",
        str(tmp_path),
        "--paper",
        "ghc",
    ]
    assert main([*command, "--format", "rocrate"]) == 2
    assert (
        "rocrate is of a whole run; expected all of exemplar, ghc, hfd, hmmc, taxonomy"
        in capsys.readouterr().err
    )
    assert main([*command, "--format", "forrt"]) == 0


def test_without_the_workflow_a_crate_is_refused(results, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("cladebench.suite_folder.__file__", str(tmp_path / "src/cladebench/suite_folder.py"))
    assert export(results, "rocrate", "--out", str(tmp_path / "out")) == 1
    error = capsys.readouterr().err
    assert "suite: no Snakefile in this installation" in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("citation", "words"),
    [
        ("a: [", "CITATION.cff"),
        ("- 1", "CITATION.cff: authors: missing"),
        ("authors: []\nlicense: X", "CITATION.cff: authors: missing"),
        ("authors: [{name: A}]", "CITATION.cff: license: missing"),
        ("authors: [{name: A}]\nlicense: X", "no date-released, and git knows no commit that ran"),
    ],
)
def test_a_wrong_citation_is_one_line(citation, words, results, suite, tmp_path, capsys):
    (suite / "CITATION.cff").write_text(citation)
    assert export(results, "rocrate", "--out", str(tmp_path / "out")) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and words in error
