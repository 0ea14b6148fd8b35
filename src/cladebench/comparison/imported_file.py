"""Read the file of other people's scores: three columns."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cladebench.comparison.shown_measures import LABELLED, OWN_MEASURES, UNLABELLED
from cladebench.datasets.own.own_entries import located, nearest
from cladebench.input_files import InputFileError
from cladebench.measures import with_own

#: Python would read more, such as ``0_1``.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NEEDED = ("method", "data", "score")
#: What may be imported: measures that the tables of the page show and that any run has. Those of labels come first.
MEASURES = (*LABELLED, *(name for name in UNLABELLED if name in OWN_MEASURES))


def read_imported(text: str, path: Path, labelled: Mapping[str, bool]) -> dict[str, Any]:
    """Read and check the file of imported scores that a comparison names.

    Parameters
    ----------
    text : str
        The key ``scores`` of the comparison: a CSV file with the columns method, data, score and maybe measure.
    path : Path
        The comparison's file.
    labelled : mapping of str to bool
        Its data sets, and whether they have labels.

    Returns
    -------
    dict
        ``file``, its name; ``sha256``; ``rows``, each with method, data, measure and score.

    Raises
    ------
    InputFileError
        If it is missing or wrong; names file, line, value and what was expected.
    """
    file, where = located(text, path.parent), f"{path}: scores"
    if not file.is_file():
        raise InputFileError(f"{where}: no file {text}; expected it there or in a CLADEBENCH_MIRROR folder")
    try:
        content = file.read_bytes()
        lines = io.StringIO(content.decode("utf-8-sig"), newline="")
        header, *rows = list(csv.reader(lines, strict=True)) or [[]]
    except (OSError, ValueError, csv.Error) as error:  # a wrong encoding is a ValueError
        raise InputFileError(f"{where}: {text} cannot be read as CSV: {error}; expected UTF-8 text") from None
    header = [name.strip() for name in header]
    if sorted(set(header) | {"measure"}) != sorted({*NEEDED, "measure"}) or len(set(header)) < len(header):
        raise InputFileError(
            f"{file}: columns {', '.join(header) or 'none'}; expected method, data, score and, if needed, measure"
        )
    found = list(_checked(header, rows, file, labelled))
    if not found:
        raise InputFileError(f"{file}: no row; expected a score in each")
    return {"file": file.name, "sha256": hashlib.sha256(content).hexdigest(), "rows": found}


def _checked(
    header: list[str], rows: list[list[str]], file: Path, labelled: Mapping[str, bool]
) -> Iterator[dict[str, Any]]:
    seen: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(rows, start=1):
        where = f"{file}, row {number}"
        if not any(row):
            continue
        if len(row) != len(header):
            raise InputFileError(f"{where}: {len(row)} entries; expected {len(header)}, as in the first line")
        entry = {name: text.strip() for name, text in zip(header, row, strict=True)}
        if not entry["method"]:
            raise InputFileError(f"{where}: method is empty; expected a name")
        if entry["data"] not in labelled:
            raise InputFileError(
                f"{where}: no data set {entry['data']!r}; rename it here, or add it to data in the comparison; "
                f"{nearest(entry['data'], labelled)}"
            )
        measure = entry.get("measure") or _main_measure(labelled[entry["data"]])
        score = _score(entry, measure, labelled[entry["data"]], where)
        key = (entry["method"], entry["data"], measure)
        if key in seen:
            raise InputFileError(
                f"{where}: {measure} of {key[0]!r} on {key[1]!r} stands in row {seen[key]} too; expected it once"
            )
        seen[key] = number
        yield {"method": entry["method"], "data": entry["data"], "measure": measure, "score": score}


def _main_measure(labelled: bool) -> str:
    """By what the page judges such data first."""
    return LABELLED[0] if labelled else UNLABELLED[0]


def _score(entry: Mapping[str, str], measure: str, labelled: bool, where: str) -> float:
    """Read a score: a finite number in the range of its measure."""
    if measure not in MEASURES:
        raise InputFileError(f"{where}: no measure {measure!r}; {nearest(measure, MEASURES)}")
    if measure in LABELLED and not labelled:
        raise InputFileError(
            f"{where}: {measure} needs labels, and {entry['data']!r} has none; expected "
            f"{' or '.join(name for name in MEASURES if name not in LABELLED)}"
        )
    score = float(entry["score"]) if _NUMBER.fullmatch(entry["score"]) else math.nan
    least, most = with_own(OWN_MEASURES)[measure].range
    if not (math.isfinite(score) and least <= score <= most):
        allowed = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
        raise InputFileError(
            f"{where}: score {entry['score']!r}; expected a number {allowed}, as {measure} has"
        )
    return score
