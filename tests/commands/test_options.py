"""What the commands say of their options, and what they take when an option is left out."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

import doc_examples
from cladebench.bench.store.cells_table import COLUMNS, read_cells
from cladebench.bench.store.store import Store
from cladebench.cli import build_parser, main

COMMANDS = ("audit", "artifacts", "report", "compare", "collect", "gate")


@pytest.fixture
def own_paper(tmp_path, monkeypatch):
    """The paper of the documentation, importable here and in workers; gives its package and a folder for its run."""
    package = doc_examples.write_example_paper(tmp_path)
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", paths)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return package, tmp_path / "run"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_plain_text(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    said = capsys.readouterr().out
    assert "``" not in said
    description = said.split("\n\n")[1]
    assert description[0].isupper()
    assert "cladebench" not in description
    assert " ".join(description.split()).endswith(".")


def test_every_path_has_its_tilde_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    commands = next(action for action in build_parser()._actions if action.dest == "command").choices
    found = set()
    for command, parser in commands.items():
        for action in parser._actions:
            if action.dest in ("a", "b", "out", "results", "config"):
                found.add((command, action.dest))
                assert parser._get_value(action, "~/run") == tmp_path / "run", (command, action.dest)
                assert parser._get_value(action, "run/~") == Path("run/~")
                assert parser._get_value(action, "~no such user/run") == Path("~no such user/run")
    assert {("run", "out"), ("audit", "results"), ("verify", "config"), ("compare", "b")} < found


@pytest.mark.parametrize(
    ("text", "words"), [("", "'' names nothing"), (os.fsdecode(b"run\xff"), r"b'run\xff' is not UTF-8")]
)
def test_a_path_that_can_be_none_is_refused_wherever_one_is_given(text, words, capsys):
    commands = next(action for action in build_parser()._actions if action.dest == "command").choices
    found = set()
    for command, parser in commands.items():
        for action in parser._actions:
            if action.dest in ("out", "results", "config", "file"):
                found.add((command, action.dest))
                with pytest.raises(SystemExit):
                    main([command, f"{action.option_strings[0]}={text}" if action.option_strings else text])
                assert words in capsys.readouterr().err.splitlines()[-1]
    assert {("run", "out"), ("audit", "results"), ("verify", "config"), ("readme", "file")} < found


@pytest.mark.parametrize(("name", "words"), [(b"f\xff", "is not UTF-8"), (b"gone", "it is gone")])
def test_a_current_folder_that_no_file_can_name_is_refused(name, words, tmp_path, monkeypatch, capsys):
    folder = tmp_path / os.fsdecode(name)
    folder.mkdir()
    monkeypatch.chdir(folder)
    if name == b"gone":
        folder.rmdir()
    for command in (["data", "list"], ["run", "--paper", "ghc", "--scope", "smoke"], ["verify"]):
        assert main(command) == 2
        said = capsys.readouterr()
        assert said.err.count("\n") == 1 and "the current folder: " in said.err and words in said.err


@pytest.mark.parametrize("command", ["run", "crosscheck", "collect", "artifacts", "report", "gate", "readme"])
def test_both_names_are_of_the_folder_of_a_run(command):
    more = ["--scope", "full"] if command in ("artifacts", "report", "readme") else []
    a, b = (build_parser().parse_args([command, name, "run", *more]) for name in ("--out", "--results"))
    assert a == b and Path("run") in vars(a).values()


def test_an_audit_may_write_elsewhere():
    args = build_parser().parse_args(["audit", "--results", "run", "--out", "elsewhere"])
    assert (args.results, args.out) == (Path("run"), Path("elsewhere"))


def test_a_configuration_is_read_from_home(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "own.yaml").write_text("scope: huge\n")
    assert main(["run", "--config=~/own.yaml", "--list"]) == 2
    assert "huge" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "x", ""])
@pytest.mark.parametrize("option", ["--rtol={}", "--atol={}", "--metric=purity={}"])
def test_a_wrong_number_is_named_with_what_was_expected(option, value, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["compare", "a", "b", option.format(value)])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert "expected" in said
    assert " _" not in said


@pytest.mark.parametrize("metric", ["purity", "=1"])
def test_a_tolerance_of_one_metric_needs_name_and_number(metric, capsys):
    with pytest.raises(SystemExit):
        main(["compare", "a", "b", "--metric", metric])
    assert "expected NAME=RTOL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--threads=0", "threads: 0 is not allowed; expected a number of at least 1"),
        ("--time-scale=nan", "time_scale: nan is not allowed; expected a number from 0.001 to 1000"),
        ("--memory-scale=-1", "memory_scale: -1.0 is not allowed; expected a number from 0.001 to 1000"),
    ],
)
@pytest.mark.parametrize("command", ["collect", "gate"])
def test_a_wrong_number_of_a_run_is_named(command, option, words, tmp_path, capsys):
    assert main([command, "--paper", "ghc", "--scope", "smoke", "--out", str(tmp_path), option]) == 2
    assert words in capsys.readouterr().err


def test_the_papers_with_records_are_taken_by_all_that_read_them(own_paper, capsys):
    package, out = own_paper
    planned, made = ["--scope", "smoke", "--out", str(out)], ["--results", str(out)]
    assert main(["run", "--paper", package, *planned]) == 0
    assert main(["crosscheck", "--scope", "smoke", "--topic", "perch", "--out", str(out)]) == 0
    unknown = "records of 'examplepaper', which the configuration does not name"
    capsys.readouterr()
    assert main(["collect", *planned]) == 2
    assert unknown in capsys.readouterr().err
    assert main(["collect", "--paper", package, *planned]) == 0
    table = (out / "cells.parquet").read_bytes()
    for command in (["collect", "--out", str(out)], ["report", *made], ["artifacts", *made]):
        assert main([*command, "--paper", package, "--scope", "full"]) == 2
        assert "was run in the scope 'smoke', not 'full'" in capsys.readouterr().err
    assert main(["run", "--paper", "ghc", "--dataset", "nested-blobs", "--method", "Random", *planned]) == 0
    capsys.readouterr()
    assert main(["collect", "--paper", "ghc", *planned]) == 2
    assert "it has runs of examplepaper, which would be lost" in capsys.readouterr().err
    assert (out / "cells.parquet").read_bytes() == table
    assert main(["collect", "--paper", "ghc", "--keep", *planned]) == 0
    both = read_cells(out / "cells.parquet")
    assert set(both["paper"]) == {"ghc", "examplepaper"}
    # Pieces that are collected one after the other give the table of all.
    Store(out).write_parquet(out / "whole.parquet")
    whole = read_cells(out / "whole.parquet")
    assert both.equals(whole)
    gone, there = sorted((out / "cells" / "ghc").rglob("*.json"))[0], set(whole["cell_id"])
    gone.unlink()
    assert main(["collect", "--paper", "ghc", "--keep", *planned]) == 0
    assert read_cells(out / "cells.parquet").equals(whole) and len(there) > 1
    of_ghc = whole[whole["paper"] == "ghc"]
    table_of_three = of_ghc.assign(paper="gone", cell_id="gone/" + of_ghc["cell_id"].str.partition("/")[2])
    pd.concat([whole, table_of_three]).to_parquet(out / "cells.parquet")
    assert main(["collect", "--paper", "ghc", "--keep", *planned]) == 0
    assert set(read_cells(out / "cells.parquet")["paper"]) == {"ghc", "examplepaper", "gone"}
    (out / "cells.parquet").write_bytes(table)
    shutil.rmtree(out / "cells" / "ghc")
    folder = out.parent / "config"
    folder.mkdir()
    (folder / "config.yaml").write_text(f"papers: [ghc, {package}]\n")
    assert main(["collect", *planned]) == 0
    for command in (["audit"], ["artifacts", "--scope", "smoke"], ["report", "--scope", "smoke"]):
        assert main([*command, *made]) == 0
    assert (out / "report" / "examplepaper.html").exists()
    assert not (out / "report" / "ghc.html").exists()
    assert main(["gate", *planned]) == 0
    (folder / "config.yaml").unlink()
    for command in (["audit"], ["artifacts", "--scope", "smoke"], ["report", "--scope", "smoke"]):
        capsys.readouterr()
        assert main([*command, *made]) == 2
        assert f"{out}/cells.parquet: {unknown}" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["collect", "gate"])
def test_a_folder_without_records_is_named(command, tmp_path, capsys):
    assert main([command, "--scope", "smoke", "--out", str(tmp_path)]) == 2
    assert f"{tmp_path}/cells: no paper has records; run it first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("artifacts.py", None, "mypackage.examplepaper.artifacts: no such module; expected ARTIFACTS"),
        (
            "artifacts.py",
            "TABLES = ()\n",
            "mypackage.examplepaper.artifacts: ARTIFACTS: None; expected ARTIFACTS",
        ),
        (
            "artifacts.py",
            "ARTIFACTS = (\n",
            "mypackage.examplepaper.artifacts: cannot be imported: SyntaxError",
        ),
        (
            "artifacts.py",
            "import nowhere\n",
            "mypackage.examplepaper.artifacts: cannot be imported: ModuleNotFound",
        ),
        (
            "captions.yaml",
            None,
            "captions.yaml: cannot be read: No such file or directory; expected a YAML file",
        ),
    ],
)
def test_what_a_paper_lacks_is_named(own_paper, file, text, said, capsys):
    package, out = own_paper
    path = out.parent / "mypackage" / "examplepaper" / file
    path.unlink()
    if text is not None:
        path.write_text(text)
    out.mkdir()
    cell = {"paper": "examplepaper", "dataset": "nested-blobs", "method": "Ward", "status": "unavailable"}
    where = {"setting": "{}", "setting_id": "default", "repetition": 0, "at": "{}"}
    row = cell | where | {"cell_id": "examplepaper/nested-blobs/Ward/default/0"}
    pd.DataFrame([row]).reindex(columns=list(COLUMNS)).to_parquet(out / "cells.parquet")
    chosen = ["--scope", "smoke", "--results", str(out), "--paper", package]
    assert main(["audit", *chosen[2:]]) == 0
    for command in ("artifacts", "report"):
        capsys.readouterr()
        assert main([command, *chosen]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
    runs = ["run", "--list", "--scope", "smoke", "--out", str(out), "--paper", package]
    is_refused = path.with_name("artifacts.py").exists()
    assert main(runs) == (2 if is_refused else 0)
    assert (said in capsys.readouterr().err) is is_refused


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["runn"], "cladebench: no command 'runn'; did you mean 'run'? allowed: "),
        (["new-comparison", "x.csv", "--into", "y"], "new-comparison: unrecognized arguments: --into y"),
        (["--quiet"], "the following arguments are required: COMMAND"),
    ],
)
def test_a_wrong_word_is_told_with_what_would_be_right(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    error = capsys.readouterr().err
    assert ended.value.code == 2 and said in error
    assert words[0].startswith("-") or words == ["runn"] or "usage: cladebench new-comparison" in error
