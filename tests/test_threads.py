"""One thread for BLAS and OpenMP."""

import sys
import types

import pytest
import sklearn.cluster  # noqa: F401 - brings OpenMP
from threadpoolctl import ThreadpoolController, threadpool_info

from cladebench import threads


def sizes(kind=None):
    return [pool["num_threads"] for pool in threadpool_info() if kind in (None, pool["user_api"])]


@pytest.mark.parametrize("kind", [None, "blas", "openmp"])
def test_pools_have_one_thread_inside_and_theirs_again_after(kind):
    with ThreadpoolController().limit(limits=2):
        before = sizes()
        assert 2 in sizes("blas") and 2 in sizes("openmp")
        with threads.one_thread(kind):
            assert set(sizes(kind)) == {1}
            assert kind is None or 2 in sizes({"blas": "openmp", "openmp": "blas"}[kind])
        assert sizes() == before


def test_libraries_are_sought_again_after_imports_alone(monkeypatch):
    sought = []

    class Controller(ThreadpoolController):
        def __init__(self):
            sought.append(len(sys.modules))
            super().__init__()

    monkeypatch.setattr(threads, "ThreadpoolController", Controller)
    threads._libraries.cache_clear()
    for _ in range(3):
        with threads.one_thread():
            pass
    assert len(sought) == 1
    monkeypatch.setitem(sys.modules, "a_module_that_brings_a_library", types.ModuleType("a"))
    with threads.one_thread():
        pass
    assert len(sought) == 2
    threads._libraries.cache_clear()
