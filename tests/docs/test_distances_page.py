"""The example of docs/distances.md runs, and what the page says of classes is so."""

import doctest

from cladebench.distances import discover
from cladebench.distances.base import Distance
from doc_examples import ROOT

PAGE = ROOT / "docs" / "distances.md"


def test_the_example_holds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 25
    assert results.failed == 0
    assert [path.name for path in tmp_path.iterdir()] == ["wine.forest"]


def test_it_names_all_that_take_pairs():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    named = text.split("`uses_constraints` (")[1].split(")")[0]
    assert set(named.split(", ")) == {
        name for name, cls in discover(Distance).items() if cls.uses_constraints
    }
