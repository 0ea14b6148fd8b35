"""One thread for BLAS and OpenMP, for results equal to the bit.

The last bits of a sum depend on the number of their threads.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any, Literal

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread(user_api: Literal["blas", "openmp"] | None = None) -> Iterator[None]:
    """Hold the loaded libraries' thread pools at one thread, within a ``with``.

    Parameters
    ----------
    user_api : {"blas", "openmp"}, optional
        Those of one kind only.

    Notes
    -----
    To find the libraries takes 5 ms, and a fit may come here at every node: they are sought again only when modules
    were imported since.

    Several threads of Python may be inside. A library with one number of threads for the whole process gets it back
    when the last of them leaves.
    """
    with ExitStack() as held:
        for library in _libraries(len(sys.modules)).lib_controllers:
            if user_api in (None, library.user_api):
                held.enter_context((_alone if _is_set_by_thread(library) else _SHARED.held)(library))
        yield


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    return ThreadpoolController()


def _is_set_by_thread(library: Any) -> bool:
    """Say whether each thread of Python sets a library's number itself."""
    over_openmp = library.internal_api == "openblas" and library.threading_layer == "openmp"
    return library.user_api == "openmp" or library.internal_api == "mkl" or over_openmp


@contextmanager
def _alone(library: Any) -> Iterator[None]:
    before = library.get_num_threads()
    library.set_num_threads(1)
    try:
        yield
    finally:
        library.set_num_threads(before)


class _Shared:
    """Libraries with one number for the process.

    How many threads hold each at 1, and what it was before.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._held: dict[str, tuple[int, int]] = {}

    @contextmanager
    def held(self, library: Any) -> Iterator[None]:
        with self.lock:
            holders, before = self._held.get(library.filepath) or (0, library.get_num_threads())
            _set(library, 1)
            self._held[library.filepath] = holders + 1, before
        try:
            yield
        finally:
            with self.lock:
                holders, before = self._held.pop(library.filepath)
                if holders > 1:
                    self._held[library.filepath] = holders - 1, before
                else:
                    _set(library, before)


def _set(library: Any, number: int) -> None:
    # threadpoolctl lets one thread alone set OpenBLAS's number, and drops without a word what others ask for.
    release = getattr(library, "clear_controlling_thread", lambda force=False: None)
    release(force=True)
    library.set_num_threads(number)
    release()


_SHARED = _Shared()
# A child that is forked while another thread has the lock would wait for ever.
os.register_at_fork(
    before=_SHARED.lock.acquire, after_in_parent=_SHARED.lock.release, after_in_child=_SHARED.lock.release
)
