"""What a user gets wrong is one line that names the file or key, from every command; no traceback."""

import json

import pytest

from cladebench.cli import main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["collect", "--paper", "ghc", "--scope", "smoke", "--out", "{}/none"], "none of"),
        (["collect", "--paper", "gch", "--scope", "smoke", "--out", "{}"], "no paper 'gch'"),
        (["run", "--paper", "ghc", "--scope", "tiny"], "no scope 'tiny'"),
        (["gate", "--paper", "ghc", "--scope", "smoke", "--out", "{}/file/below"], "file"),
    ],
)
def test_one_line_and_no_traceback(arguments, words, tmp_path, capsys):
    (tmp_path / "file").write_text("a file where a folder should be")
    code = main([argument.format(tmp_path) for argument in arguments])
    said = capsys.readouterr()
    assert code in (1, 2)
    assert words in said.err + said.out
    assert "Traceback" not in said.err


def test_a_damaged_record_is_named(tmp_path, capsys):
    options = ["--paper", "ghc", "--scope", "smoke", "--out", str(tmp_path)]
    assert main(["run", *options, "--dataset", "nested-blobs", "--method", "HAC-C"]) == 0
    assert main(["collect", *options]) == 0
    environment = json.loads((tmp_path / "environment.json").read_text())
    assert environment["cells"] == 2
    assert "numpy" in environment["versions"][0]["value"]
    record = tmp_path / "cells/ghc/nested-blobs/HAC-C/default-1.json"
    (tmp_path / "cells.parquet").unlink()
    facts = json.loads(record.read_text())
    facts["readings"][0]["metrics"]["puritty"] = 0.5
    record.write_text(json.dumps(facts))
    assert main(["collect", *options]) == 1 and not (tmp_path / "cells.parquet").exists()
    assert "default-1.json: metric 'puritty' is described neither" in capsys.readouterr().err
    record.write_text("{")
    capsys.readouterr()
    assert main(["collect", *options]) == 1
    assert "default-1.json" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_a_page_is_written_to_a_folder(out, tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["run-comparison", "gone.yaml", "--out", str(tmp_path / out)]) == 2
    assert (
        f"{tmp_path / 'file'}: is a file; expected a folder, or a new one, in --out"
        in capsys.readouterr().err
    )


def test_a_command_that_is_stopped_says_so(monkeypatch, capsys):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("cladebench.workflow.comparison_jobs.plan", stop)
    assert main(["run-comparison", "comparison.yaml"]) == 130
    assert capsys.readouterr().err == "cladebench: stopped; the same command goes on\n"
