"""Features that take long to compute: a copy of what was computed, checked each time against the registry."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import CacheUnwritable, DatasetInfo, Features, content_sha256
from cladebench.datasets.fetch import check_writable, write_file
from cladebench.datasets.settings import current


def derived_path(entry: DatasetInfo) -> Path:
    """Place of the copy in the cache; other content has another name, so that versions do not fight for one."""
    return current().cache / "derived" / f"{entry.name}-{str(entry.content_sha256)[:12]}.f64"


def features(entry: DatasetInfo, X: Features, labels: NDArray[np.intp], draw: int) -> NDArray[np.float64]:
    """Features as an array: as given, from the checked copy, or computed and then kept.

    The copy is used only where features and labels together have the registered digest, so that it can be
    cut, altered or of another version and no one is deceived; it is then computed and written anew. Only what
    has the registered digest is kept. A cache that cannot be read or written costs time and is no error.

    Parameters
    ----------
    entry : DatasetInfo
        Nothing is kept without its `content_sha256`.
    X : ndarray or callable
        As the loader gives it.
    labels : ndarray of shape (n_samples,)
    draw : int
        Only draw 0 has a registered digest.
    """
    if not callable(X):
        return X
    if draw != 0 or entry.content_sha256 is None:
        return X()
    path = derived_path(entry)
    kept = _read(path, (entry.n_samples, entry.n_features))
    if kept is not None and content_sha256(kept, labels) == entry.content_sha256:
        return kept
    computed = X()
    if content_sha256(computed, labels) == entry.content_sha256:
        with suppress(CacheUnwritable):
            check_writable(path.parent)
            write_file(path, np.ascontiguousarray(computed, dtype="<f8").tobytes())
    return computed


def _read(path: Path, shape: tuple[int, int]) -> NDArray[np.float64] | None:
    """Array in a file; None where there is none of this shape. There is no header that could claim anything."""
    size = shape[0] * shape[1]
    try:
        kept = np.fromfile(path, dtype="<f8", count=size + 1)
    except OSError:
        return None
    return kept.reshape(shape) if kept.size == size else None
