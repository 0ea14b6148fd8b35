"""The README is one page, its example runs, and what it says of the run is what the run has."""

import hashlib
import re

import pytest

from cladebench.audit.audit_table import read_audit_table
from doc_examples import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
AUDIT = ROOT / "results" / "full" / "audit.csv"
RUNNING = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")


def test_it_is_one_page():
    assert len(README.split()) <= 900


def test_data_are_not_called_batteries():
    """The word is one of the configuration, which explains it."""
    example = (ROOT / "comparisons" / "hierarchical" / "README.md").read_text(encoding="utf-8")
    assert "batter" not in README + example


def test_the_python_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(code.split("\n\n")) == 2 and len(code.split("\n")) <= 8
    exec(compile(code, "README.md", "exec"), {})
    purity, first, *_ = capsys.readouterr().out.replace("[", " ").split()
    assert 0.6 < float(purity) <= 1.0
    assert first.isdigit()


def test_the_picture_is_of_the_committed_audit():
    picture = (ROOT / "docs" / "images" / "result.svg").read_text(encoding="utf-8")
    digest = hashlib.sha256(AUDIT.read_bytes()).hexdigest()
    again = "the picture is older than audit.csv; run: cladebench readme --results results/full --scope full"
    assert re.findall(r"audit\.csv sha256 (\w+)", picture) == [digest], again


def test_each_main_claim_has_the_other_choices_of_the_committed_audit():
    said = re.findall(r"^\|\[\w+\]\(\S+/(\w+)\.html\).*\|([^|]*)\|(?:\d+\|){4}$", README, re.MULTILINE)
    main = {row["paper"]: row["universes"] for row in read_audit_table(AUDIT) if row["main"]}
    counted = {paper: "/".join(re.findall(r"\d+", text)) for paper, text in main.items()}
    assert len(said) == 5 and dict(said) == counted


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    code = re.compile(r"^make (\w+)", re.MULTILINE)
    assert set(code.findall(README)) == {"reproduce", "test"}
    named = set(code.findall(README)) | set(re.findall(r"`make (\w+)[ `]", README + RUNNING))
    assert {"reproduce", "test", "build", "help"} <= named
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)


@pytest.mark.parametrize("text", [README, RUNNING], ids=["README.md", "running.md"])
def test_commands_have_the_options_that_are_named(text):
    from cladebench.cli import build_parser

    (choices,) = (action.choices for action in build_parser()._actions if action.dest == "command")
    lines = re.findall(r"(?:^|`)cladebench ([^`\n#]+)", text, re.MULTILINE)
    assert lines
    for line in lines:
        command, *words = line.split()
        if command == "COMMAND":
            continue
        known = {option for action in choices[command]._actions for option in action.option_strings}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_the_glossary_has_a_line_for_each_of_at_most_15_words():
    rows = [
        line
        for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ][1:]
    words = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert 10 < len(words) <= 15 and len({*words}) == len(words)
    assert all(row.count("|") == 4 for row in rows)
