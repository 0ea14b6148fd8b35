"""Errors of commands, in one form.

It is ``cladebench COMMAND: where: problem; expected X``, a line for each problem.
"""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn


class CommandFailed(Exception):
    """Say why a command cannot go on, though its input is right.

    Parameters
    ----------
    text : str
        What to say, without the name of the command; a line for each problem.
    code : int, default=1
        Exit code.
    """

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors look like those of the commands."""

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and exit with 2."""
        self.print_usage(sys.stderr)
        say(self.prog, message)
        sys.exit(2)


def say(name: str, text: object) -> None:
    """Print an error on the standard error.

    Each of its lines stands behind the command's name.
    """
    for line in str(text).splitlines():
        print(f"{name}: {line}", file=sys.stderr, flush=True)
