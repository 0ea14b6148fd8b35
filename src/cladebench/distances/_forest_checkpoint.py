"""Keep the trees of a forest in a folder as they grow.

A fit takes them up after an interruption.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cladebench import _core
from cladebench.distances._forest_file import read_forest, write_forest
from cladebench.distances._forest_parts import json_facts, what_must_agree
from cladebench.distances.base import FloatArray

KIND = "trees of a cladebench hierarchy forest 1"
#: Trees grown between two looks at the clock.
STEP = 25
#: Wall seconds between two files: shorter fits leave none.
INTERVAL = 60.0
NAMES = ("n_nodes", "right", "size", "features", "weights")

#: Grows ``count`` trees from tree ``first`` on; arrays as in NAMES.
Grow = Callable[[int, int], tuple[np.ndarray, ...]]


def grow_with_checkpoints(forest: Any, X: FloatArray, grow: Grow) -> tuple[tuple[np.ndarray, ...], float]:
    """Grow a forest, taking up the trees in its ``checkpoint``.

    Parameters
    ----------
    forest : HierarchyForest
        Its folder is made when something is written. Files are named by their first tree.
    X : ndarray
        The rows.
    grow : callable

    Returns
    -------
    arrays : tuple of ndarray
        Of all trees.
    seconds : float
        Wall seconds that the trees of the files had taken.

    Raises
    ------
    ValueError
        If a file is damaged, or of another fit.
    """
    folder, first, count = Path(forest.checkpoint), int(forest.first_tree), int(forest.n_trees)
    identity = {
        "kind": KIND,
        "core": _core.build_id,
        "rows": hashlib.sha256(X.tobytes()).hexdigest(),
        **json_facts(what_must_agree(forest)),
    }
    parts: list[tuple[np.ndarray, ...]] = []
    taken_up, here, end = 0.0, first, first + count
    while here < end and _file(folder, here).exists():
        arrays, seconds = _read(_file(folder, here), identity)
        # A fit of fewer trees takes the files that it needs whole, and leaves the others.
        if here + len(arrays[0]) > end:
            break
        parts.append(arrays)
        taken_up, here = taken_up + seconds, here + len(arrays[0])
    unsaved, since, began = len(parts), here, time.monotonic()
    while here < end:
        n_next = min(STEP, end - here)
        parts.append(grow(here, n_next))
        here += n_next
        seconds = time.monotonic() - began
        if seconds >= INTERVAL and not _file(folder, since).exists():
            parts[unsaved:] = [_joined(parts[unsaved:])]
            facts = {**identity, "seconds": seconds}
            write_forest(_file(folder, since), dict(zip(NAMES, parts[-1], strict=True)), facts)
            unsaved, since, began = len(parts), here, time.monotonic()
    return _joined(parts), taken_up


def _file(folder: Path, first: int) -> Path:
    return folder / f"trees-from-{first:06d}.npz"


def _read(path: Path, identity: dict[str, Any]) -> tuple[tuple[np.ndarray, ...], float]:
    arrays, facts = read_forest(path, KIND)
    for name, value in identity.items():
        if facts.get(name) != value:
            raise ValueError(
                f"checkpoint: {path} holds trees of another fit, with {name}={facts.get(name)!r}; "
                f"expected {value!r}: name another folder"
            )
    return tuple(arrays[name] for name in NAMES), float(facts["seconds"])


def _joined(parts: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    return parts[0] if len(parts) == 1 else tuple(map(np.concatenate, zip(*parts, strict=True)))
