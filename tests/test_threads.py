"""One thread for BLAS and OpenMP."""

import os
import sys
import threading
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


@pytest.mark.parametrize("kind", [None, "blas", "openmp"])
def test_the_last_of_two_threads_gives_the_pools_back(kind):
    """One that is still inside has one thread, and the pools are as before when both have left."""
    inside, entered, left = (threading.Event() for _ in range(3))
    found = []

    def first():
        with threads.one_thread(kind):
            inside.set()
            assert entered.wait(30)
        left.set()

    def second():
        assert inside.wait(30)
        with threads.one_thread(kind):
            entered.set()
            assert left.wait(30)
            found.append(set(sizes(kind)))

    with ThreadpoolController().limit(limits=2):
        before = sizes()
        both = [threading.Thread(target=run) for run in (first, second)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        assert found == [{1}] and sizes() == before


class Library:
    """What threadpoolctl knows of a library that has a number for each thread."""

    user_api, internal_api, threading_layer, filepath = "blas", "openblas", "openmp", "libfake.so"

    def __init__(self):
        self.own = threading.local()

    def get_num_threads(self):
        return getattr(self.own, "number", 3)

    def set_num_threads(self, number):
        self.own.number = number


@pytest.mark.parametrize(
    ("name", "layer", "theirs"),
    [("openblas", "openmp", 3), ("mkl", "gnu", 3), ("openblas", "pthreads", 1), ("blis", "openmp", 1)],
)
def test_a_number_that_is_the_thread_s_own_is_given_back_by_each(monkeypatch, name, layer, theirs):
    """Any other one by the last thread alone, here by the one that waits for the second."""
    library = Library()
    library.internal_api, library.threading_layer = name, layer
    libraries = types.SimpleNamespace(lib_controllers=[library])
    monkeypatch.setattr(threads, "_libraries", lambda n_modules: libraries)
    found = []

    def second():
        with threads.one_thread("blas"):
            found.append(library.get_num_threads())
        found.append(library.get_num_threads())

    with threads.one_thread():
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        with threads.one_thread("openmp"):
            assert library.get_num_threads() == 1
    assert found == [1, theirs] and library.get_num_threads() == 3


def test_a_child_that_is_forked_inside_can_ask_for_one_thread():
    with threads.one_thread("blas"):
        child = os.fork()
        if child == 0:
            with threads.one_thread("blas"):
                os._exit(0 if set(sizes("blas")) == {1} else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
