"""Reading the CSV files of a run, with errors that name the file and the command that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from cladebench.input_files import InputFileError

_PASSED = {"true": True, "1": True, "false": False, "0": False}


def read_text_table(path: Path, columns: Sequence[str], command: str) -> pd.DataFrame:
    """Read a CSV file with every entry as text.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Columns that it must have.
    command : str
        The command that writes it, for the message.

    Raises
    ------
    InputFileError
        If it is missing, no CSV, or lacks a column.
    """
    maker = f"run cladebench {command}, which makes it"
    if not path.is_file():
        raise InputFileError(f"{path}: no such file; {maker}")
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:  # pandas' parser errors and wrong encodings are ValueErrors
        raise InputFileError(
            f"{path}: cannot be read as CSV: {' '.join(str(error).split())}; {maker}"
        ) from None
    missing = [name for name in columns if name not in frame]
    if missing:
        raise InputFileError(f"{path}: it has no column {', '.join(map(repr, missing))}; {maker}")
    return frame.fillna("")


def read_certificates(path: Path) -> pd.DataFrame | None:
    """Read ``certificates.csv``: text, but for ``passed``, which is true or false; None when there is no such file.

    Raises
    ------
    InputFileError
        If it is damaged.
    """
    if not path.exists():
        return None
    frame = read_text_table(path, ("id", "topic", "passed"), "crosscheck")
    passed = [_PASSED.get(text.strip().lower()) for text in frame["passed"]]
    if None in passed:
        text = frame["passed"].iloc[passed.index(None)]
        raise InputFileError(
            f"{path}: passed: {text!r} is neither True nor False; run cladebench crosscheck again"
        )
    return frame.assign(passed=pd.Series(passed, index=frame.index, dtype=bool))
