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
        (["run", "--paper", "ghc", "--scope", "smoke", "--seed", "-1"], "seed: -1 is not allowed"),
        (["run", "--paper", "ghc", "--scope", "smoke", "--out", "{}", "--job", "no"], "--job: 'no' is not"),
        (["crosscheck", "--scope", "tiny", "--out", "{}"], "scope 'tiny': expected one of"),
        (["crosscheck", "--topic", "no", "--out", "{}"], "topic 'no': unknown"),
        (["crosscheck", "--seed", "-1", "--out", "{}"], "--seed: -1 is not allowed"),
        (["verify", "--config", "{}/gone"], "gone: cannot be read"),
        (["data", "--config", "{}/gone", "list"], "gone: cannot be read"),
        (["data", "info", "glas"], "data set 'glas': unknown; did you mean 'glass'?"),
        (["export", "--format", "x", "--results", "{}"], "--format: 'x' is unknown"),
        (["compare", "{}/a", "{}/b"], "a: no such folder"),
        (["new-comparison", "{}/gone.csv"], "gone.csv: cannot be read"),
        (["readme", "--scope", "smoke", "--results", "{}"], "no such file"),
    ],
)
def test_one_line_and_no_traceback(arguments, words, tmp_path, capsys):
    (tmp_path / "file").write_text("a file where a folder should be")
    code = main([argument.format(tmp_path) for argument in arguments])
    said = capsys.readouterr()
    assert code in (1, 2)
    assert words.format(tmp_path) in said.err
    assert said.err.startswith(f"cladebench {arguments[0]}: ") and said.err.count("\n") == 1


def test_each_line_of_several_errors_names_the_command(tmp_path, capsys):
    (tmp_path / "config.yaml").write_text("seed: x\nscope: 3\n")
    assert main(["verify", "--config", str(tmp_path / "config.yaml")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and all(line.startswith("cladebench verify: ") for line in lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--seed", "x"], "cladebench run: argument --seed: 'x'; expected a whole number"),
        (["run", "--time-scale", "x"], "cladebench run: argument --time-scale: 'x'; expected a number"),
        (["data", "inf"], "cladebench data: argument ACTION: invalid choice"),
        (["data", "info"], "cladebench data info: the following arguments are required"),
        (["reproduce", "--scope", "x"], "cladebench reproduce: argument --scope: invalid choice"),
    ],
)
def test_wrong_usage_looks_the_same(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    usage, last = capsys.readouterr().err.rstrip("\n").rsplit("\n", 1)
    assert usage.startswith("usage: cladebench ") and last.startswith(said)


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
@pytest.mark.parametrize(
    "words", ["run --out", "gate --results", "crosscheck --out", "audit --results . --out", "reproduce --out"]
)
def test_a_file_is_no_folder_of_a_run(words, out, tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        main([*words.split(), str(tmp_path / out)])
    assert f": {tmp_path / 'file'}: is a file; expected a folder, or a new one\n" in capsys.readouterr().err


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
    assert capsys.readouterr().err == "cladebench run-comparison: stopped; the same command goes on\n"
