"""The worked examples of docs/adding-a-dataset.md, executed as they stand."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from cladebench import cli, datasets
from cladebench.datasets import registry, sets

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-dataset.md"
BLOCK = re.compile(r"^```(?:text data|python module): (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def example(places, tmp_path, monkeypatch):
    """Put the page's data file into the mirror and its module into a folder that the package searches."""
    blocks = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    assert set(blocks) == {"irises/irises.csv", "irises", "towns"}
    places.put(places.mirror, blocks["irises/irises.csv"].encode(), name="irises/irises.csv")
    folder = tmp_path / "families"
    folder.mkdir()
    for module in ("irises", "towns"):
        (folder / f"{module}.py").write_text(blocks[module], encoding="utf-8")
    monkeypatch.setattr(sets, "__path__", [*sets.__path__, str(folder)])
    registry.registry.cache_clear()
    yield
    registry.registry.cache_clear()
    for module in ("irises", "towns"):
        sys.modules.pop(f"cladebench.datasets.sets.{module}", None)
        if hasattr(sets, module):
            delattr(sets, module)


def test_the_example_works_as_written(example, capsys):
    data = datasets.load("irises")
    np.testing.assert_array_equal(data.X, [[5.1, 3.5], [4.9, 3.0], [6.3, 3.3], [5.8, 2.7], [7.1, 3.0]])
    assert data.labels.tolist() == [0, 0, 1, 1, 1] and data.label_names == ("a", "b")
    assert data.source == "mirror"
    assert cli.main(["data", "list"]) == 0
    assert re.search(r"irises +real +5 +2 +2 +mirror", capsys.readouterr().out)
    assert cli.main(["data", "check"]) == 0
    assert "irises/irises.csv: ok" in capsys.readouterr().out


def test_the_examples_of_other_shapes_work_as_written(example, places, capsys):
    first, again, other = (datasets.load("towns", draw) for draw in (0, 0, 1))
    hours = first.views["hours"].values
    assert first.X is None and first.labels is None and first.n_samples == 20
    assert (hours != hours.T).any() and first.content_sha256 == again.content_sha256 != other.content_sha256
    assert len(list((places.cache / "derived").glob("towns-0-view-hours-*.npy"))) == 1
    data = datasets.load("buildings")
    old, new = (data.parts[name].content for name in ("old-town", "new-town"))
    assert sparse.issparse(old.X) and old.X.shape == (9, 3) and new.label_names == ("house", "shop")
    assert old.images.thumbnail(2, size=4).shape == (4, 3)
    assert [path.name for path in datasets.source_files("towns")] == ["towns.py"]
    assert cli.main(["data", "list"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"towns +synthetic +20 +- +- +generated +- +1 view \(distances\)", out)
    assert re.search(r"buildings +synthetic +15 +3 +3 +generated +- +images; 1 train, 1 test sets", out)


def test_the_names_on_the_page_exist():
    text = PAGE.read_text(encoding="utf-8")
    for variable in re.findall(r"CLADEBENCH_[A-Z]+", text):
        assert variable in {"CLADEBENCH_CACHE", "CLADEBENCH_MIRROR", "CLADEBENCH_OFFLINE"}
    for field in re.findall(r"^- `(\w+)`", text, re.MULTILINE):
        assert field in {
            *datasets.DatasetInfo.__dataclass_fields__,
            *datasets.RemoteFile.__dataclass_fields__,
        }
