"""Errors of code that users write: where they are, in one line."""

from __future__ import annotations

import contextlib
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path

from cladebench.input_files import InputFileError


@contextlib.contextmanager
def users_code(what: str, expected: str = "") -> Iterator[None]:
    """Turn errors of a user's code into an `InputFileError` of one line.

    Whatever it raises, ``sys.exit`` too.

    It names the file and line: of the user's own code, where that has called a library.

    Parameters
    ----------
    what : str
        What failed, such as ``"own.protocol: cannot be imported"``.
    expected : str, default=""
        What was expected; the message then begins with `what`, and the line of the user's code stands behind it.
    """
    try:
        yield
    except (InputFileError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        try:
            text = " ".join(str(error).split())[:300]
        except Exception:  # an exception of the user's own making
            text = ""
        kind = type(error).__name__
        if not expected:
            raise InputFileError(f"{place_of(error)}: {what}: {kind}{': ' * bool(text)}{text}") from error
        text = str(error.msg) if isinstance(error, SyntaxError) else text  # its text has the place once more
        place = place_of(error).rpartition("/")[2]
        raise InputFileError(
            f"{what}: {kind}{': ' * bool(text)}{text} ({place}); expected {expected}"
        ) from error


def place_of(error: BaseException) -> str:
    """Give file and line of the innermost call of a user's code.

    It is neither in an installed library nor in Python or cladebench.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    calls = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    ours = [call for call in calls if not _is_foreign(call[0])]
    file, line = (ours or calls)[-1]
    return f"{file}, line {line}"


def _is_foreign(file: str) -> bool:
    """Say whether a file is of Python, a library or cladebench.

    Papers in cladebench count as a user's.
    """
    if file.startswith("<") or not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts):
        return True
    package, path = Path(__file__).parent, Path(file)
    return path.is_relative_to(sysconfig.get_path("stdlib")) or (
        path.is_relative_to(package) and not path.is_relative_to(package / "papers")
    )
