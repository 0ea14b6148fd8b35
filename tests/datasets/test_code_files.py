"""Which source files a data set is made from: its own module and what that imports, not those of all."""

from __future__ import annotations

import functools
import sys

import pytest

from cladebench import datasets
from cladebench.datasets import code_files, registry, sets

MODULE = """
{imports}
import numpy as np
from functools import partial
from cladebench.datasets.base import Content, DatasetInfo


def load(files, draw):
    {inside}
    return Content(np.eye(3) + draw, np.array([0, 1, 1]), ("a", "b"))


DATASETS = (
    DatasetInfo(name="{name}", title="T", kind="synthetic", n_samples=3, n_features=3, n_classes=2, licence="L",
                citation="C", loader={loader}),
)
"""


@pytest.fixture
def family(tmp_path, monkeypatch):
    """Write modules into a folder that the package searches too."""
    monkeypatch.setattr(sets, "__path__", [*sets.__path__, str(tmp_path)])
    before = set(sys.modules)

    def write(name, text=None, imports="", inside="pass", loader="load"):
        text = (
            text
            if text is not None
            else MODULE.format(imports=imports, inside=inside, loader=loader, name=name)
        )
        (tmp_path / f"{name}.py").write_text(text)
        registry.registry.cache_clear()

    yield write
    registry.registry.cache_clear()
    code_files._imports.cache_clear()
    for module in set(sys.modules) - before:
        if module.startswith("cladebench.datasets."):
            del sys.modules[module]
            delattr(sets, module.rpartition(".")[2])


def stems(name):
    return [path.stem for path in datasets.source_files(name)]


def test_built_in_families():
    assert stems("glass") == stems("digits") == ["uci"]
    assert stems("awa-pca") == ["cifar100", "class_trees", "components"]
    assert stems("nested-blobs") == ["generators"]


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"data set 'glas': unknown; did you mean 'glass'\? allowed: "):
        datasets.source_files("glas")


@pytest.mark.parametrize(
    ("imports", "inside"),
    [
        ("from cladebench.datasets.sets.shared import something", "pass"),
        ("from cladebench.datasets.sets import shared", "pass"),
        ("import cladebench.datasets.sets.shared", "pass"),
        ("from . import shared", "pass"),
        ("from .shared import something", "pass"),
        ("", "from cladebench.datasets.sets.shared import something"),
    ],
)
def test_imports_within_the_folder_are_followed_in_every_form(family, imports, inside):
    family("shared", "from cladebench.datasets.sets.deeper import something\n")
    family("deeper", "from cladebench.datasets.fetch import obtain\nsomething = 1\n")
    family("unused", "")
    family("one", imports=imports, inside=inside)
    family("two")
    assert stems("one") == ["deeper", "one", "shared"] and stems("two") == ["two"]


def test_a_loader_of_another_module_counts_and_so_does_the_module_of_the_entry(family):
    family("lender", "from cladebench.datasets.sets.generators import load_nested_blobs\n")
    family("one", imports="from cladebench.datasets.sets.uci import load_glass", loader="partial(load_glass)")
    assert stems("one") == ["one", "uci"]


def test_of_an_entry_from_elsewhere_the_loaders_module_counts():
    entry = registry.info("nested-blobs")
    import dataclasses

    outside = dataclasses.replace(entry, loader=functools.partial(functools.partial(elsewhere), None))
    assert [path.name for path in code_files.sources_of(outside)] == ["test_code_files.py"]


def elsewhere(files, draw):
    raise NotImplementedError
