"""What the watch sees and what it lets pass; real cells that patch are in test_run_job_faults.py."""

import os
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
import sklearn

from cladebench.bench.run import leftovers
from cladebench.bench.run.leftovers import SHOWN, UNWATCHED, Watch

#: They count and take times in the process of the tests; no worker imports them.
OF_THE_TESTS = ("hypothesis", "pytest", "_pytest", "pluggy", "xdist", "execnet", "coverage")


@pytest.fixture(autouse=True)
def without_the_test_tools(monkeypatch):
    own = [name for name in sys.modules if name.partition(".")[0] in OF_THE_TESTS]
    monkeypatch.setattr(leftovers, "UNWATCHED", (*UNWATCHED, *own))


@pytest.fixture
def module(monkeypatch):
    found = ModuleType("toywatched.part")
    found.value, found.later, found.table = 1.5, None, {}
    found.done, found.sure = False, True
    found.names = ("UTC", "UTC")
    found.Thing = type("Thing", (), {"__module__": "toywatched.part", "size": 1})
    found.Foreign = type("Foreign", (), {"__module__": "elsewhere", "size": 1})
    monkeypatch.setitem(sys.modules, "toywatched.part", found)
    return found


def watching():
    """A watch that has begun; not a fixture, because pytest itself changes the environment before each test."""
    found = Watch()
    found.begin()
    assert found.changes() == []
    return found


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda module: setattr(module, "value", 2.5), "toywatched.part.value"),
        (lambda module: delattr(module, "value"), "toywatched.part.value"),
        (lambda module: setattr(module, "table", {}), "toywatched.part.table"),
        (lambda module: setattr(module, "sure", False), "toywatched.part.sure"),
        (lambda module: setattr(module, "done", len), "toywatched.part.done"),
        (lambda module: setattr(module, "names", ("UTC", "CET")), "toywatched.part.names"),
        (lambda module: setattr(module.Thing, "size", 2), "toywatched.part.Thing.size"),
        (lambda module: setattr(module.Thing, "fit", len), "toywatched.part.Thing.fit"),
        (lambda module: delattr(module.Thing, "size"), "toywatched.part.Thing.size"),
        (lambda module: sys.modules.pop("toywatched.part"), "sys.modules.toywatched.part"),
    ],
)
def test_what_is_bound_to_something_else_is_named(module, change, name):
    watch = watching()
    change(module)
    assert watch.changes() == [name]


def test_what_modules_do_by_themselves_passes(module):
    watch = watching()
    module.later, module.new, module.done = 1, 2, True
    module.names = tuple("UTC" for _ in module.names)
    module.Thing.Iterator = type("Iterator", (), {})
    assert "__annotations__" not in vars(module.Thing)
    assert module.Thing.__annotations__ == {}  # to read them makes them
    module.table["key"] = 1
    module.Foreign.size = 2
    assert watch.changes() == []
    watch.begin()
    module.new = 3  # was there before this cell
    assert watch.changes() == ["toywatched.part.new"]


def test_annotations_that_are_given_to_a_class_are_named(module):
    watch = watching()
    module.Thing.__annotations__ = {"size": int}
    assert watch.changes() == ["toywatched.part.Thing.__annotations__"]


def test_the_environment_is_compared_but_for_what_imports_set(monkeypatch):
    watch = watching()
    monkeypatch.setenv("KMP_INIT_AT_FORK", "FALSE")
    assert watch.changes() == []
    monkeypatch.setenv("TOYWATCHED", "1")
    assert watch.changes() == ["os.environ"]
    watch.begin()
    assert watch.changes() == []
    monkeypatch.chdir(os.sep)
    assert watch.changes() == ["the working folder"]


def test_many_changes_are_cut(module, monkeypatch):
    watch = watching()
    for number in range(2 * SHOWN):
        setattr(module, f"n{number}", number)
    watch.begin()
    for number in range(2 * SHOWN):
        setattr(module, f"n{number}", -1)
    assert len(watch.changes()) == SHOWN


def test_what_stands_among_the_modules_and_is_none_is_passed_over(monkeypatch):
    watch = watching()
    monkeypatch.setitem(sys.modules, "no_module_at_all", 1)
    watch.begin()
    assert watch.changes() == []


def test_random_numbers_are_watched_though_numpy_loads_them_late():
    """In a process of its own, where nothing has loaded them yet."""
    code = """
from cladebench.bench.run.leftovers import Watch
watch = Watch()
watch.begin()
import numpy as np
np.random.default_rng = None
print(*watch.changes())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "numpy.random.default_rng"


@pytest.mark.parametrize(
    ("cell", "changes"),
    [
        ("pass", "False"),
        ("import sklearn", "True"),
        ("import sklearn; sklearn.set_config(assume_finite=True)", "True sklearn.get_config"),
    ],
)
def test_scikit_learn_is_watched_and_not_imported(cell, changes):
    code = f"""
import sys
from cladebench.bench.run.leftovers import Watch
watch = Watch()
watch.begin()
{cell}
print("sklearn" in sys.modules, *watch.changes())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == changes


def test_every_part_of_the_state_of_the_process_is_compared(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    watch = watching()
    sys.path.append("elsewhere")
    with np.errstate(all="raise"), sklearn.config_context(assume_finite=True):
        assert watch.changes() == ["sys.path", "numpy.geterr", "sklearn.get_config"]
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(limit + 1)
        assert watch.changes() == ["sys.path", "sys.getrecursionlimit"]
    finally:
        sys.setrecursionlimit(limit)


def test_names_that_are_new_in_a_class_are_told_in_their_order(module):
    watch = watching()
    module.Thing.b, module.Thing.a = 1, 2
    assert watch.changes() == ["toywatched.part.Thing.a", "toywatched.part.Thing.b"]
