"""Without `--scope` a command takes the scope that the folder of a run says, else the configuration's."""

import argparse
import json
from pathlib import Path

import pytest

from cladebench.cli import build_parser, main
from cladebench.commands._options import planned_jobs, scope_of
from cladebench.input_files import InputFileError

#: Commands that have the option.
COMMANDS = ("artifacts", "audit", "collect", "crosscheck", "gate", "readme", "report", "run")


def write_job(folder: Path, name: str, scope: object) -> None:
    (folder / "jobs").mkdir(parents=True, exist_ok=True)
    (folder / "jobs" / f"{name}.json").write_text(json.dumps({"scope": scope}))


def parser_of(command: str) -> argparse.ArgumentParser:
    (actions,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return actions.choices[command]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_asks_for_a_scope(command):
    (option,) = (a for a in parser_of(command)._actions if a.dest == "scope")
    assert not option.required
    assert option.help.startswith("smoke, quick or full (default: that of the runs in the folder, or ")


def test_the_jobs_of_a_folder_say_their_scope(tmp_path):
    folder = tmp_path / "quick"
    write_job(folder, "a", "smoke")
    write_job(folder, "b", "smoke")
    (folder / "jobs" / "c.json").write_text("{")
    write_job(folder, "d", 3)
    assert scope_of(folder, None, "full") == scope_of(folder, "smoke", "full") == "smoke"
    with pytest.raises(
        InputFileError, match=r"a\.json: was run in the scope 'smoke', not 'full'; expected --scope smoke"
    ):
        scope_of(folder, "full", "full")
    write_job(folder, "e", "full")
    with pytest.raises(InputFileError, match=r"jobs: has runs of the scopes smoke, full; expected --scope$"):
        scope_of(folder, None, "full")


def test_a_folder_without_jobs_is_called_by_its_scope(tmp_path, monkeypatch):
    assert scope_of(tmp_path / "full", None, "quick") == "full"
    assert scope_of(tmp_path / "full", "smoke", "quick") == "smoke"  # nothing has run in it
    assert scope_of(tmp_path / "mine", None, "quick") == "quick"
    (tmp_path / "smoke").mkdir()
    monkeypatch.chdir(tmp_path / "smoke")
    assert scope_of(Path("."), None, "quick") == "smoke"


def test_a_table_of_runs_without_jobs_is_of_the_scope_that_its_folder_is_called_by(tmp_path):
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "cells.parquet").touch()
    assert scope_of(folder, None, "quick") == scope_of(folder, "full", "quick") == "full"
    with pytest.raises(
        InputFileError, match=r"cells\.parquet: was run in the scope 'full', not 'quick'; expected"
    ):
        scope_of(folder, "quick", "quick")


def test_a_run_goes_on_in_the_scope_of_its_folder(tmp_path):
    write_job(tmp_path, "a", "smoke")
    for words, scope in (([], "smoke"), (["--scope", "quick"], "quick")):
        args = parser_of("run").parse_args(["--paper", "ghc", "--out", str(tmp_path), *words])
        jobs, out = planned_jobs(args)
        assert ({job.scope for job in jobs}, out) == ({scope}, tmp_path)


def test_a_run_is_collected_and_checked_without_its_scope(tmp_path, capsys):
    where = ["--paper", "ghc", "--out", str(tmp_path)]
    assert main(["run", *where, "--scope", "smoke", "--dataset", "nested-blobs", "--method", "HAC-C"]) == 0
    assert main(["collect", *where]) == 0
    assert "2 of 66 planned runs" in capsys.readouterr().out
    (tmp_path / "out").mkdir()
    assert main(["audit", "--results", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    with_jobs = (tmp_path / "out" / "audit.csv").read_text()
    audit = ["audit", "--results", str(tmp_path), "--out", str(tmp_path / "out")]
    assert main([*audit, "--scope", "smoke"]) == 0
    assert (tmp_path / "out" / "audit.csv").read_text() == with_jobs
    for command in ("artifacts", "report"):
        assert main([command, "--results", str(tmp_path), "--scope", "full"]) == 2
        assert "was run in the scope 'smoke', not 'full'" in capsys.readouterr().err
    assert main(["artifacts", "--results", str(tmp_path), "--only", "tables"]) == 0
