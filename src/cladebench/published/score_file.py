"""Read scores of other people's runs: a table with a row each."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cladebench.datasets.own.own_entries import located, nearest
from cladebench.datasets.own.own_text import (
    check_names,
    decoded,
    is_number,
    read_bytes,
    refuse,
    rows_of,
    separator_of,
    unpacked,
)
from cladebench.input_files import shown
from cladebench.measures import Measure

NEEDED = ("method", "data", "score")


def read_scores(file: str, folder: Path, allowed: Mapping[str, Mapping[str, Measure]]) -> dict[str, Any]:
    """Read and check a file of scores.

    Parameters
    ----------
    file : str
        A text table with the columns method, data, score and maybe measure.
    folder : Path
        That of the comparison, in which it is looked for; then the mirror folders.
    allowed : mapping of str to mapping of str to Measure
        By data set the measures that a score may be of; the first where a row names none.

    Returns
    -------
    dict
        ``file``, its name; ``sha256``; ``rows``, each with method, data, measure and score.

    Raises
    ------
    OwnDataError
        If it is missing or wrong; names file, column, row and what was expected.
    """
    content = read_bytes(located(file, folder), file)
    text = decoded(unpacked(content, file), file)
    lines = rows_of(text, separator_of(text, ".", file), file)
    header = [name.strip() for name in next(lines, (0, []))[1]]
    check_names(header, file)
    if {*header, "measure"} != {*NEEDED, "measure"}:
        columns = ", ".join(header) or "none"
        refuse(file, f"has the columns {columns}; expected method, data, score and, if needed, measure")
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, ...], int] = {}
    for line, fields in lines:
        if len(fields) != len(header):
            refuse(file, f"has {len(fields)} fields; expected {len(header)}, as in the first row", row=line)
        entry = {name: field.strip() for name, field in zip(header, fields, strict=True)}
        row = _checked(entry, file, line, allowed)
        first = seen.setdefault((row["method"], row["data"], row["measure"]), line)
        if first != line:
            what = f"{row['measure']} of {shown(row['method'])} on {row['data']}"
            refuse(file, f"{what} stands in row {first} too; expected it once", row=line)
        rows.append(row)
    if not rows:
        refuse(file, "has no rows; expected a score in each")
    return {"file": Path(file).name, "sha256": hashlib.sha256(content).hexdigest(), "rows": rows}


def _checked(
    entry: Mapping[str, str], file: str, line: int, allowed: Mapping[str, Mapping[str, Measure]]
) -> dict[str, Any]:
    """Check the data set, measure and score of a row."""
    data = entry["data"]
    if not entry["method"]:
        refuse(file, "is empty; expected a name", "method", line)
    if data not in allowed:
        remedy = f"rename it here, or add it to data in the comparison; {nearest(data, allowed)}"
        refuse(file, f"no data set {shown(data)}; {remedy}", "data", line)
    measure = entry.get("measure") or next(iter(allowed[data]))
    if measure not in allowed[data]:
        refuse(
            file,
            f"{shown(measure)} is no measure for {data}; {nearest(measure, allowed[data])}",
            "measure",
            line,
        )
    score = float(entry["score"]) if is_number(entry["score"]) else math.nan
    least, most = allowed[data][measure].range
    if not (math.isfinite(score) and least <= score <= most):
        limits = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
        refuse(file, f"{shown(entry['score'])}; expected a number {limits}, as {measure} has", "score", line)
    return {"method": entry["method"], "data": data, "measure": measure, "score": score}
