"""Say in errors of YAML files on which line the fault stands.

A file is read for its lines only once it is wrong.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

from cladebench.input_files import InputFileError, key_path, place_in, read_yaml

_Reader = TypeVar("_Reader", bound=Callable[..., Any])


def lines_of(path: Path) -> Callable[[str], str]:
    """Return a function from places of a YAML file to lines.

    Returns
    -------
    callable
        Takes a text that begins with a key path or an entry's id, as `place_in` writes them. Gives text such as
        ``, line 12``: of the key, or of the nearest key or entry above it. It is empty where the file has neither.
    """
    from cladebench import yaml_reader

    try:
        document = read_yaml(path)  # refuses what PyYAML's composer cannot bear
        lines = {
            place: line
            for parts, line in yaml_reader.key_lines(path.read_text("utf-8-sig"))
            for place in (key_path(parts), _named(place_in(parts, document)).removesuffix("'"))
        }
    except (OSError, ValueError):
        lines = {}  # the file is gone, or another by now

    def line_of(where: str) -> str:
        text = _named(where)
        # After an id: a quotation mark, or what for_each and tables add to it.
        known = (at for at in lines if text.startswith(at) and text[len(at) : len(at) + 1] in ":.[ '/")
        place = max(known, key=len, default=None)
        return "" if place is None else f", line {lines[place]}"

    return line_of


def _named(where: str) -> str:
    """Leave out the kind of an entry: tables make claims."""
    return re.sub(r"^\w+ '", "'", where)


@contextlib.contextmanager
def lines_told(path: Path | str) -> Iterator[None]:
    """Have errors within say the line of the file.

    ``FILE: key path: problem`` becomes ``FILE, line 12: key path: problem``.

    Parameters
    ----------
    path : path
        The file that they name, in full or by its end.
    """
    try:
        yield
    except InputFileError as error:
        at = lines_of(Path(path))
        faults = re.compile(rf"^(.*?{re.escape(Path(path).name)}): (.*)", re.MULTILINE)
        error.args = (faults.sub(lambda fault: f"{fault[1]}{at(fault[2])}: {fault[2]}", str(error)),)
        raise


def tells_lines(read: _Reader) -> _Reader:
    """Decorate a reader of a file, its first argument: see `lines_told`."""

    @functools.wraps(read)
    def reader(path: Path, *args: Any, **kwargs: Any) -> Any:
        with lines_told(path):
            return read(path, *args, **kwargs)

    return cast(_Reader, reader)
