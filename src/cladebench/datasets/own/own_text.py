"""Read own text tables: CSV with any separator, TSV, spaces."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import warnings
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cladebench.datasets.archives import SIZE_LIMIT
from cladebench.files import is_special
from cladebench.input_files import InputFileError, shown

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null")
SEPARATORS = {"\t": "tabs", ";": "';'", "|": "'|'", ",": "','", " ": "spaces"}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)

#: Numbers with groups of 3 digits, by the mark between them.
_GROUPED = {
    ",": re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?"),
    ".": re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d*)?"),
}


class OwnDataError(InputFileError):
    """Report unusable own data by file, column, row and remedy."""


def refuse(file: str, problem: str, column: Any = None, row: int | None = None) -> NoReturn:
    """Raise an `OwnDataError` that says where: ``FILE: column 'x', row 7: problem``."""
    places = [f"column {shown(column)}"] * (column is not None) + [f"row {row}"] * (row is not None)
    raise OwnDataError(": ".join([file, *[", ".join(places)] * bool(places), problem])) from None


@dataclass(frozen=True)
class FileFormat:
    """How to read a file; what is None is found out."""

    separator: str | None = None
    decimal: str = "."
    #: Whether the first row has the names of the columns.
    header: bool | None = None
    #: Columns whose values stay as they are written.
    texts: Collection[str] = ()
    #: Whether the user gave the decimal mark, so that the other one may part thousands.
    thousands: bool = False
    #: Whether a square matrix is expected: its first row may have 0, 1, 2, ... as values.
    square: bool = False


@dataclass(frozen=True, eq=False)
class FileTable:
    """Columns of a file, before any of them is judged."""

    #: All names differ. Sparse features are not among the columns.
    frame: pd.DataFrame
    #: Where in the file a row is, by its number from 0.
    line: Callable[[int], int] = lambda row: row + 1
    #: What was taken for what, in sentences.
    said: tuple[str, ...] = ()
    #: Columns that are labels in this format.
    labels: tuple[str, ...] = ()
    #: Features as a CSR matrix.
    sparse: Any = None


def read_bytes(path: Path, file: str, expected: str = "a file, relative to the file that names it") -> bytes:
    """Read a file of at most `SIZE_LIMIT` bytes.

    ``file`` is its name in messages, ``expected`` what they ask for.
    """
    if is_special(path):
        refuse(file, "is no regular file; expected one")
    try:
        if path.stat().st_size > SIZE_LIMIT:
            refuse(file, f"has more than {SIZE_LIMIT:,} bytes; expected at most as many")
        return path.read_bytes()
    except OSError as error:
        refuse(file, f"cannot be read: {error.strerror}; expected {expected}")


def unpacked(data: bytes, file: str) -> bytes:
    """Undo gzip, up to `SIZE_LIMIT` bytes.

    What is not packed stays as it is.
    """
    if not (file.lower().endswith(".gz") or data.startswith(b"\x1f\x8b")):
        return data
    content = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            while chunk := stream.read(1 << 20):
                content += chunk
                if len(content) > SIZE_LIMIT:
                    refuse(file, f"unpacks to more than {SIZE_LIMIT:,} bytes; expected at most as many")
    except (OSError, EOFError, zlib.error) as error:
        refuse(file, f"cannot be unpacked: {error}; expected a whole gzip file")
    return bytes(content)


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a text is a number with this decimal mark.

    Another mark is not allowed in it.
    """
    if decimal != "." and "." in text:
        return False
    return _NUMBER.fullmatch(text.strip().replace(decimal, ".")) is not None


def without_groups(text: str, decimal: str) -> str:
    """Take the marks between thousands out of a number.

    Any other text stays as it is.
    """
    mark = "," if decimal == "." else "."
    return text.replace(mark, "") if _GROUPED[mark].fullmatch(text.strip()) else text


def decoded(data: bytes, file: str) -> str:
    """Decode UTF-8, or UTF-16 with its mark at the beginning."""
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n") + 1
        refuse(file, "is not UTF-8; expected text saved as 'CSV UTF-8'", row=row)
    if "\0" in text:
        refuse(file, "has NUL characters; expected text, or the name's ending of another format")
    return text


def rows_of(text: str, separator: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of each row.

    Empty rows are left out.
    """
    lines: Iterator[str] = iter(io.StringIO(text, newline=""))
    if separator == " ":
        lines = (" ".join(line.split()) + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    try:
        for row in reader:
            if row not in ([], [""]):
                yield reader.line_num, row
    except csv.Error as error:
        refuse(file, f"{error}; expected rows of fields", row=reader.line_num)


def separator_of(text: str, decimal: str, file: str) -> str:
    """Find the separator that gives the first 50 rows equal fields.

    Each row has more than one field.
    """
    head = text if len(text) < 200_000 else text[:200_000].rpartition("\n")[0]
    allowed = [separator for separator in SEPARATORS if separator != decimal]
    rows = {
        separator: [row for _, row in itertools.islice(rows_of(head, separator, file), 50)]
        for separator in allowed
    }
    for separator in allowed:
        if len({len(row) for row in rows[separator]}) == 1 and len(rows[separator][0]) > 1:
            return separator
    return max(allowed, key=lambda separator: len((rows[separator] or [[]])[0]))


def _has_names(first: list[str], how: FileFormat, n_rows: int) -> bool:
    """Say whether the first row has names.

    It does if it has no number, or 0, 1, 2, ... as pandas writes them.
    """
    if how.header is not None:
        return how.header
    words = [entry.strip() for entry in first]
    # A column may be called INF.
    numbers = [word for word in words if is_number(word, how.decimal) and not word.isalpha()]
    counted = len(numbers) > 1 and numbers == [str(i) for i in range(len(numbers))]
    return not numbers or (counted and not (how.square and n_rows == len(first) and first[0].strip()))


def read_text(data: bytes, file: str, how: FileFormat) -> FileTable:
    """Read a text table.

    Separator and names of the columns are found out where they are not given.
    """
    import pandas as pd

    text = decoded(data, file)
    separator = how.separator or separator_of(text, how.decimal, file)
    if separator == how.decimal:
        refuse(file, f"separator and decimal are both {shown(separator)}; expected two marks")
    first = next(rows_of(text, separator, file), (0, []))[1]
    if not first:
        refuse(file, "is empty; expected rows of values")
    if len(first) == 1:
        _check_separator(text, separator, how.decimal, file)
    n_rows = sum(1 for _ in rows_of(text, separator, file)) if how.square else 0
    named = _has_names(first, how, n_rows)
    names = [entry.strip() or f"column {i}" for i, entry in enumerate(first, 1)]
    names = names if named else [str(i) for i in range(1, len(first) + 1)]
    check_names(names, file)

    def check_widths() -> None:
        for line, row in rows_of(text, separator, file):
            if len(row) != len(names):
                refuse(
                    file,
                    f"has {counted(len(row), 'field')}; expected {len(names)}, as in the first row",
                    row=line,
                )

    def line(row: int) -> int:
        return next(itertools.islice(rows_of(text, separator, file), row + named, None))[0]

    options: dict[str, Any] = {"header": 0 if named else None, "names": names, "index_col": False}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (
        3,
        1,
    ):  # later ones read the nearest number in any case
        options["float_precision"] = "round_trip"
    options |= {
        "sep": r"\s+" if separator == " " else separator,
        "skipinitialspace": True,
        "low_memory": False,
    }
    options |= {"decimal": how.decimal, "keep_default_na": False, "na_values": list(MISSING)}
    options["dtype"] = {name: str for name in names if name in how.texts}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(io.StringIO(text), **options)
    except (ValueError, OverflowError, pd.errors.ParserWarning) as error:
        check_widths()
        refuse(file, f"cannot be read: {' '.join(str(error).split())[:60]}; expected rows of fields")
    if frame.iloc[:, -1].isna().any():  # as pandas fills rows that are too short
        check_widths()
    said = [f"Values are separated by {SEPARATORS.get(separator, shown(separator))}."]
    said += ["The decimal mark is a comma."] * (how.decimal == ",")
    called = f"The columns have no names: they are called 1 to {len(names)}."
    said.append("The first row has the names of the columns." if named else called)
    said += _read_groups(frame, how) if how.thousands else []
    return FileTable(frame, line, tuple(said))


def _check_separator(text: str, separator: str, decimal: str, file: str) -> None:
    """Refuse one column where another mark gives several."""
    better = separator_of(text, "", file)
    widths = {len(row) for _, row in itertools.islice(rows_of(text, better, file), 50)}
    if better != separator and len(widths) == 1 and max(widths) > 1:
        if better == decimal:
            refuse(file, "is separated by ',', which decimal is too; expected decimal: '.'")
        refuse(file, f"has one column with separator {shown(separator)}; expected separator: {shown(better)}")


def _read_groups(frame: pd.DataFrame, how: FileFormat) -> list[str]:
    """Make numbers of texts with marks between thousands, and say so."""
    import pandas as pd

    said = []
    for name in frame.columns:
        present = frame[name].dropna()
        if name in how.texts or not all(isinstance(value, str) for value in present):
            continue
        plain = [without_groups(value, how.decimal) for value in present]
        if plain != list(present) and all(is_number(value, how.decimal) for value in plain):
            numbers = [float(value.replace(how.decimal, ".")) for value in plain]
            frame[name] = pd.Series(numbers, present.index, dtype=float).reindex(frame.index)
            mark = "a comma" if how.decimal == "." else "a point"
            said.append(f"Column {shown(str(name))}: {mark} parts thousands.")
    return said


def counted(number: int, what: str) -> str:
    """Write a number of things: ``1 column``, ``2 columns``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def first_of(names: Sequence[str], most: int) -> str:
    """Join the first names, and say how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + f" and {more:,} more" * (more > 0)


def check_names(names: list[str], file: str) -> None:
    """Refuse two columns of one name."""
    places: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        if name in places:
            refuse(file, f"is the name of columns {places[name]} and {place}; rename one", column=name)
        places[name] = place
