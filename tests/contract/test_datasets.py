"""What every registered data set must meet; a new one is tested here by itself."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import numpy as np
import pytest

from cladebench import datasets

NAMES = datasets.names()
#: Data that are on this machine; the network is never asked. Generators and bundled data are always among them.
LOCAL = [name for name in NAMES if datasets.availability(name)]
DRAWS = [(name, draw) for name in LOCAL for draw in range(datasets.info(name).n_draws)]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "1")


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_complete(name: str) -> None:
    entry = datasets.info(name)
    assert entry.name == name and entry.n_classes >= 2 and entry.n_samples > entry.n_classes
    for file in entry.files:
        # The first address is the official one, where there is one: pinned copies, which name a commit, come after it.
        assert "raw.githubusercontent.com" not in (file.official_url or "")
        for copy in file.urls[0 if file.official_url is None else 1 :]:
            assert any(
                len(part) == 40 and set(part) <= set("0123456789abcdef") for part in copy.split("/")
            ), copy


@pytest.mark.parametrize("name", NAMES)
def test_entry_can_be_sent_to_another_process(name: str) -> None:
    assert pickle.loads(pickle.dumps(datasets.info(name))) == datasets.info(name)


def test_nothing_unpickles() -> None:
    for path in sorted(Path(datasets.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not modules & {"pickle", "joblib", "dill", "cloudpickle", "shelve"}, path
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant) and node.value.value is False, path


def test_something_is_always_available() -> None:
    assert {"digits", "nested-blobs"} <= set(LOCAL)


@pytest.mark.parametrize(("name", "draw"), DRAWS)
def test_content_is_what_the_registry_says(name: str, draw: int) -> None:
    entry, data = datasets.info(name), datasets.load(name, draw)
    assert (data.name, data.kind, data.stand_in_for, data.draw) == (
        name,
        entry.kind,
        entry.stand_in_for,
        draw,
    )
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert data.X.dtype == np.float64 and data.labels.dtype == np.intp
    assert data.X.flags.c_contiguous and data.X.flags.writeable
    assert np.isfinite(data.X).all() and (np.ptp(data.X, axis=0) > 0).any()
    assert np.unique(data.labels).tolist() == list(range(entry.n_classes))
    assert len(set(data.label_names)) == entry.n_classes
    assert data.source == datasets.availability(name)
    assert data.files == {file.name: file.sha256 for file in entry.files}


@pytest.mark.parametrize("name", LOCAL)
def test_loading_twice_gives_equal_and_separate_arrays(name: str) -> None:
    first, second = datasets.load(name), datasets.load(name)
    assert first.content_sha256 == second.content_sha256
    assert first.X.tobytes() == second.X.tobytes() and first.labels.tobytes() == second.labels.tobytes()
    assert not np.shares_memory(first.X, second.X)


@pytest.mark.parametrize("name", [name for name in LOCAL if datasets.info(name).n_draws > 1])
def test_draws_differ(name: str) -> None:
    draws = range(datasets.info(name).n_draws)
    assert len({datasets.load(name, draw).content_sha256 for draw in draws}) == len(draws)


@pytest.mark.parametrize("name", LOCAL)
def test_a_tree_over_the_classes_is_a_tree(name: str) -> None:
    data = datasets.load(name)
    if data.class_parents is not None:
        from cladebench.hierarchy import Hierarchy

        tree = Hierarchy.from_parents(data.class_parents, np.arange(len(data.label_names)))
        assert tree.n_samples == len(data.label_names)
