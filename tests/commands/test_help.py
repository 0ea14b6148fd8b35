"""What --help says, and how a command ends whose output nobody reads."""

import argparse
import logging
import os
import subprocess
import sys

import pytest

from cladebench import cli, datasets


def parsers(parser):
    """A parser and those of its commands, by the words of the command line."""
    yield parser.prog, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from parsers(sub)


PARSERS = dict(parsers(cli.build_parser()))


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
def test_help_is_plain_text_and_says_what_the_command_does(parser):
    assert parser.description and "`" not in parser.format_help()
    assert all(action.help for action in parser._actions if action.option_strings)


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
def test_actions_are_named_as_they_are_typed(parser):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and action.dest == "action":
            words = parser.description.lower().replace(",", " ").replace("(", " ").replace(")", " ").split()
            assert set(action.choices) <= set(words)


def test_commands_show_what_the_library_logs_of_long_work(monkeypatch, capsys):
    logger, table = logging.getLogger("cladebench.datasets"), datasets.registry_frame()
    monkeypatch.setattr(
        datasets, "registry_frame", lambda: logger.info("toy: computing X; a copy is kept") or table
    )
    assert cli.main(["data", "list"]) == 0
    logger.info("said outside of a command")
    assert capsys.readouterr().err == "toy: computing X; a copy is kept\n"


def test_a_reader_who_leaves_is_no_fault_to_report():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "cladebench.cli", "data", "list"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")
