"""Features and distances that take long to compute.

A copy is kept in the cache, named by what it was made from.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

from cladebench.datasets.base import CacheUnwritable, DatasetInfo
from cladebench.datasets.code_files import sources_of
from cladebench.datasets.content import Matrix
from cladebench.datasets.fetch import check_writable, write_file
from cladebench.datasets.settings import current

#: Libraries that all values are computed with, beside those of an entry: another version may give other bits.
LIBRARIES = ("numpy", "scipy", "scikit-learn")
_LOGGER = logging.getLogger(__name__)


def derived_path(entry: DatasetInfo, draw: int, place: str) -> Path:
    """Place of a copy in the cache.

    Its name has a digest of all that the values are made from: files, draw, place, source code of the loader and
    versions of libraries. A change in any of them gives another name, so that versions do not fight for one.

    Parameters
    ----------
    entry : DatasetInfo
    draw : int
    place : str
        Which of the values: ``X``, ``view-<name>``, or either after ``part-<name>-``.
    """
    recipe = {
        "name": entry.name,
        "draw": draw,
        "place": place,
        "files": [[file.name, file.sha256] for file in entry.files],
        "code": [[path.name, hashlib.sha256(path.read_bytes()).hexdigest()] for path in sources_of(entry)],
        "libraries": [[name, version(name)] for name in (*LIBRARIES, *entry.libraries)],
    }
    digest = hashlib.sha256(json.dumps(recipe).encode()).hexdigest()
    return current().cache / "derived" / f"{entry.name}-{draw}-{place}-{digest[:16]}.npy"


def computed(
    entry: DatasetInfo,
    draw: int,
    place: str,
    function: Callable[[], Matrix],
    accept: Callable[[Matrix], bool] = lambda values: True,
) -> Matrix:
    """Read a function's values from a kept copy, or compute and keep.

    A copy that was cut or altered is not used, but computed and written anew. A cache that cannot be read or written
    costs time and is not an error. That values are computed is logged (level INFO), and shown by the commands.

    Parameters
    ----------
    entry, draw, place
        See :func:`derived_path`.
    function : callable
        Gives a dense array or a sparse matrix.
    accept : callable, optional
        Whether values are the right ones; wrong ones are returned when computed, but neither read nor kept.
    """
    path = derived_path(entry, draw, place)
    kept = _read(path)
    if kept is not None and accept(kept):
        return kept
    # Minutes may pass before a command that needs the values has another line to show.
    _LOGGER.info("%s: computing %s; a copy is kept", entry.name, place)
    values = _plain(function())
    if accept(values):
        with suppress(CacheUnwritable):
            check_writable(path.parent)
            write_file(path, _packed(values))
    return values


def _plain(values: Matrix) -> Matrix:
    """Values as they are kept: float64, by rows."""
    if scipy.sparse.issparse(values):
        return scipy.sparse.csr_array(values, dtype=np.float64)
    return np.ascontiguousarray(values, dtype=np.float64)


def _packed(values: Matrix) -> bytes:
    """Pack an array (.npy), or a sparse matrix's four, with their sha256."""
    arrays = [values]
    if scipy.sparse.issparse(values):
        arrays = [values.data, values.indices, values.indptr, np.array(values.shape)]
    stream = io.BytesIO()
    for array in arrays:
        np.lib.format.write_array(stream, array, allow_pickle=False)
    content = stream.getvalue()
    return content + hashlib.sha256(content).digest()


def _read(path: Path) -> Matrix | None:
    """Read a copy's values, None where it is absent or altered."""
    try:
        packed = path.read_bytes()
    except OSError:
        return None
    content, digest = packed[:-32], packed[-32:]
    if hashlib.sha256(content).digest() != digest:
        return None
    stream, arrays = io.BytesIO(content), list[NDArray[np.float64]]()
    while stream.tell() < len(content):
        arrays.append(np.lib.format.read_array(stream, allow_pickle=False))
    if len(arrays) == 1:
        return arrays[0]
    data, indices, indptr, shape = arrays
    return scipy.sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
