"""Find what a cell left changed in its process.

The next cell would meet it.

Seen: other values of ``os.environ``, of the working folder, of ``sys.path`` and ``sys.modules``, of NumPy's handling of
floating-point errors, of scikit-learn's configuration; names of all modules that are there when the cell begins, and of
the classes that they define, which are bound to something else, and names that are new in a class.

Not seen: what is changed inside an object (an entry of a module's dictionary or list, a function's default, the state
of a C library); names that are new in a module, were None before, or False and are True now, for so modules note what
they do once; classes that are new in a class; modules that the cell was the first to import (which is why the worker
imports the libraries of the method before it).
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from operator import is_
from types import ModuleType
from typing import Any, TypeVar

#: The program itself: its names are its variables.
UNWATCHED = ("__main__", "__mp_main__")
#: Environment variables that libraries set by themselves when they are imported.
SET_BY_IMPORTS = ("KMP_", "OMP_", "TF_", "XLA_", "TPU_", "JAX_")
SHOWN = 5
_ABSENT = object()
T = TypeVar("T")


class Watch:
    """The state of a process before a cell.

    It is held against the state after.
    """

    def __init__(self) -> None:
        importlib.import_module("numpy.random")  # NumPy loads it late: its first use may be in a cell
        self._spaces: dict[str, tuple[Mapping[str, Any], dict[str, Any]]] = {
            "sys.modules": (sys.modules, dict(sys.modules))
        }
        self._process: dict[str, Any] = {}

    def begin(self) -> None:
        """Take note of the state.

        Modules that are known keep their first one, with new names added.
        """
        for name, module in list(sys.modules.items()):
            if name not in UNWATCHED and name not in self._spaces:
                self._add(name, module)
        for name, (now, before) in self._spaces.items():
            if len(now) != len(before):
                self._spaces[name] = now, dict(now)
        self._process = _process_state()

    def _add(self, name: str, module: Any) -> None:
        if not isinstance(module, ModuleType):
            return
        self._spaces[name] = vars(module), dict(vars(module))
        for key, value in list(vars(module).items()):
            if isinstance(value, type) and getattr(value, "__module__", None) == name:
                self._spaces[f"{name}.{key}"] = vars(value), dict(vars(value))

    def changes(self) -> list[str]:
        """Name what is not as it was, at most `SHOWN`."""
        return list(itertools.islice(self._found(), SHOWN))

    def _found(self) -> Iterator[str]:
        now = _process_state()
        if self._process["sklearn.get_config"] is None and now["sklearn.get_config"] is not None:
            # The cell was the first to import it.
            self._process["sklearn.get_config"] = _in_a_new_thread(_sklearn_config)
        for name, before in self._process.items():
            if before != now[name]:
                yield name
        for name, (space, before) in self._spaces.items():
            # Most often nothing was even added; this is the quick look at 170,000 names.
            if len(space) == len(before) and all(map(is_, space.values(), before.values())):
                continue
            new = () if isinstance(space, dict) else space.keys() - before.keys()  # a class has a proxy
            for key in (*before, *sorted(new)):
                if not _is_note(key, before.get(key, _ABSENT), space.get(key, _ABSENT)):
                    yield f"{name}.{key}"


def _is_note(key: str, before: Any, now: Any) -> bool:
    """Say whether a name is unchanged, or bound at its first use."""
    if (
        before is _ABSENT
    ):  # in a class: compiled modules add their iterators, and Python adds annotations, for a reader
        return isinstance(now, type) or (key == "__annotations__" and now == {})
    return before is now or before is None or (before is False and now is True) or _same_text(before, now)


def _same_text(before: Any, now: Any) -> bool:
    """Say whether both are tuples of the same strings, as ``time.tzname``."""
    return isinstance(before, tuple) and all(type(part) is str for part in before) and before == now


def _process_state() -> dict[str, Any]:
    import numpy as np

    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    return {
        "os.environ": {k: v for k, v in os.environ.items() if not k.startswith(SET_BY_IMPORTS)},
        "the working folder": folder,
        "sys.path": list(sys.path),
        "numpy.geterr": np.geterr(),
        "sklearn.get_config": _sklearn_config(),
        "sys.getrecursionlimit": sys.getrecursionlimit(),
    }


def _sklearn_config() -> dict[str, Any] | None:
    """Give scikit-learn's configuration of this thread, None where it is absent."""
    read = getattr(sys.modules.get("sklearn"), "get_config", None)
    return None if read is None else read()


def _in_a_new_thread(read: Callable[[], T]) -> T:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(read).result()
