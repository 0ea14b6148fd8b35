"""Fixtures that keep checks small."""

import sys

import pytest

from cladebench.crosscheck import _instances


@pytest.fixture
def only_data(monkeypatch):
    """Gives a function that leaves the checks that are loaded some of the real data, by name."""

    def keep(*names):
        kept = {name: data for name, data in _instances.real_data().items() if name in names}
        for name, module in list(sys.modules.items()):
            if name.startswith("cladebench.crosscheck.") and hasattr(module, "real_data"):
                monkeypatch.setattr(module, "real_data", lambda: kept)

    return keep


@pytest.fixture
def iris_alone(only_data):
    only_data("iris")
