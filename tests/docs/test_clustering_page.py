"""The examples of docs/clustering.md run, and what the page says of `predict` is so."""

import doctest
import re

from cladebench.methods import discover
from doc_examples import ROOT

PAGE = ROOT / "docs" / "clustering.md"


def test_the_examples_hold():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 10 and results.failed == 0


def test_its_tables_have_each_method_where_it_belongs():
    placing, others = (
        PAGE.read_text(encoding="utf-8").split("## New rows")[1].split("The others have no `predict`")
    )

    def named(text: str) -> set[str]:
        first = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text, re.MULTILINE)
        return {name for cell in first for name in re.findall(r"`(\w+)`", cell)}

    assert named(placing) == {name for name, cls in discover().items() if hasattr(cls, "predict")}
    assert named(others) <= {name for name, cls in discover().items() if not hasattr(cls, "predict")}


def test_it_says_whose_fitted_rows_may_move():
    moving = re.findall(r"^\| (.*?) \|.*\| most \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    excused = {
        name
        for name, cls in discover().items()
        if "check_fitted_rows_keep_their_clusters" in cls.contract_excuses
    }
    assert excused <= set(re.findall(r"`(\w+)`", " ".join(moving))) == {"BalancedKMeans", "HMMC", "MMC"}
