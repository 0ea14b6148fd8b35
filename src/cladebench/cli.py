"""The command line: a command for each module of ``cladebench.commands``."""

from __future__ import annotations

import argparse
import errno
import functools
import gc
import importlib
import logging
import os
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from cladebench import __version__, commands, extras
from cladebench.commands._failed import CommandFailed, CommandParser, say


def build_parser() -> argparse.ArgumentParser:
    """Compose the parser from the modules in ``cladebench.commands``."""
    parser = CommandParser(
        prog="cladebench",
        description="Audit papers on max-margin and hierarchical clustering and the distances they induce: data, runs, "
        "checks, verdicts, report.",
        epilog="The workflow runs run, crosscheck, collect, audit, artifacts, report and gate, in this order; each can "
        "be run by hand. --out and --results both name the folder of a run; in audit --out is that of the verdicts. "
        "'cladebench COMMAND --help' says more.",
        formatter_class=functools.partial(argparse.HelpFormatter, max_help_position=18),
    )
    parser.add_argument("--version", action="version", version=f"cladebench {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, title="commands", metavar="COMMAND")
    for module in sorted(pkgutil.iter_modules(commands.__path__), key=lambda m: m.name):
        if module.name.startswith("_"):
            continue
        importlib.import_module(f"{commands.__name__}.{module.name}").register(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    The exit code is 0 when all is well, 1 when a check failed, 2 for wrong usage, 130 after Ctrl-C.
    """
    name = "cladebench"
    try:
        args = _parsed(sys.argv[1:] if argv is None else argv)
        name = f"cladebench {args.command}"
        with _long_work_shown():
            return _run(name, args, last=argv is None)
    except KeyboardInterrupt:
        say(name, "stopped; the same command goes on")
        return 130


@contextmanager
def _long_work_shown() -> Iterator[None]:
    """Show what the library logs of long work on standard error."""
    logger, handler = logging.getLogger("cladebench"), logging.StreamHandler(sys.stderr)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _run(name: str, args: argparse.Namespace, *, last: bool) -> int:
    """Run the command, and say in one form what is wrong.

    `last` says that the process ends with it.
    """
    try:
        from cladebench.bench.store.store import RecordError
        from cladebench.input_files import InputFileError
    except ModuleNotFoundError as error:
        return _say_what_is_missing(name, error)
    try:
        _check_current_folder()
        code = int(args.func(args))
        sys.stdout.flush()
        return code
    except InputFileError as error:
        say(name, error)
        return 2
    except RecordError as error:
        say(name, error)
        return 1
    except CommandFailed as error:
        say(name, error)
        return error.code
    except ModuleNotFoundError as error:
        return _say_what_is_missing(name, error)
    except BrokenPipeError:
        # Whoever read the output has left, as in `cladebench data list | head`.
        _give_up(sys.stdout)
        return 1
    except OSError as error:
        where = error.filename
        if where is None:
            # Whatever writes a file names it; what is left is the output, which may go to a file on a full disk.
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            _give_up(sys.stdout)
            where = "standard output"
        try:
            say(name, f"{where}: {error.strerror or error}")
        except OSError:  # the disk that is full may be that of the log
            _give_up(sys.stderr)
        return 1
    finally:
        if last:
            # Nothing comes after it. Looking through all that was imported for garbage would take up to a second.
            gc.freeze()


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line.

    The error for a wrong command names the nearest one. The error for a wrong option shows the command's usage.
    """
    parser = build_parser()
    (subparsers,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    command = next((word for word in words if not word.startswith("-")), "")
    if command and command not in subparsers.choices:
        from cladebench.input_files import one_of

        parser.error(f"no command {command!r}; {one_of(command, subparsers.choices)}")
    args, unknown = parser.parse_known_args(words)
    if unknown:
        subparsers.choices[args.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    return args


def _say_what_is_missing(name: str, error: ModuleNotFoundError) -> int:
    """Name the extra that brings a missing package.

    Any other error is raised again.
    """
    advice = extras.advice(error)
    if advice is None:
        raise error
    say(name, advice)
    return 2


def _check_current_folder() -> None:
    """Refuse to work in a folder that is gone or badly named.

    The files of a run could not hold such a name.
    """
    from cladebench.files import check_path
    from cladebench.input_files import InputFileError

    try:
        check_path(os.getcwd(), "the current folder")
    except FileNotFoundError:
        raise InputFileError("the current folder: it is gone; expected one that is there") from None
    except ValueError as error:
        raise InputFileError(str(error)) from None


def _give_up(stream: TextIO) -> None:
    """Let the last flush, at the end of Python, go nowhere.

    It would complain.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
