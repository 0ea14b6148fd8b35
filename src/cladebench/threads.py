"""One thread for BLAS and OpenMP, where the last bits of a sum depend on their number of threads."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Literal

from threadpoolctl import ThreadpoolController


def one_thread(user_api: Literal["blas", "openmp"] | None = None) -> AbstractContextManager[Any]:
    """Hold the thread pools of the loaded libraries at one thread inside a ``with`` block.

    Parameters
    ----------
    user_api : {"blas", "openmp"}, optional
        Those of one kind only.

    Notes
    -----
    To find the libraries takes 5 ms, and a fit may come here at every node: they are sought again only when modules
    were imported since.
    """
    return _libraries(len(sys.modules)).limit(limits=1, user_api=user_api)


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    return ThreadpoolController()
