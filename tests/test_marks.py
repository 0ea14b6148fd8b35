"""What the parameters of tests may not hold."""

import gc
import types
from collections.abc import Iterator
from typing import Any

import pytest


def held(values: list[Any], seen: set[int]) -> Iterator[Any]:
    """All that objects lead to, but for modules, classes and the globals of functions."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, types.ModuleType | type):
            continue
        seen.add(id(value))
        yield value
        plain = isinstance(value, types.FunctionType)
        waiting += (value.__closure__ or ()) if plain else gc.get_referents(value)


def test_trees_are_made_by_tests_and_not_in_marks(request: pytest.FixtureRequest) -> None:
    """Marks outlive the core at the end of a process, which it calls a leak; a lambda makes its tree in time."""
    seen: set[int] = set()
    wrong = {
        item.nodeid.partition("[")[0]
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        for value in held(list(item.callspec.params.values()), seen)
        if type(value).__module__ == "cladebench._core"
    }
    assert wrong == set()
