"""The register of deviations: checked on reading, measured from records."""

import sys

import pandas as pd
import pytest

from cladebench.papers.artifact_types import ArtifactContext
from cladebench.papers.deviations import deviations_table, load_deviations

ENTRY = """
- id: scale
  place: Section 4
  paper: Nothing.
  chosen: Raw.
  alternatives: [z-scored]
  effects:
    - {by: method, methods: [A, B], metric: purity, datasets: [glass]}
    - {by: setting, method: C, metric: purity, parameter: k, datasets: [glass]}
    - {by: nothing, reason: it cannot be}
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package whose register a test writes."""
    folder = tmp_path / "madeup"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield lambda text: (folder / "deviations.yaml").write_text(text)
    sys.modules.pop("madeup", None)


def context(rows):
    frame = pd.DataFrame(
        rows, columns=["dataset", "method", "setting", "setting_id", "metric", "value", "status"]
    )
    frame = frame.assign(cell_id=[f"cell-{i}" for i in range(len(frame))], repetition=0)
    choices = pd.DataFrame(columns=["dataset", "method", "rule", "setting_id", "mean", "n"])
    return ArtifactContext("p", "madeup", "smoke", frame, pd.DataFrame(), choices, {}, {}, lambda cell: {})


def test_effects_are_measured_from_the_records(package):
    package(ENTRY)
    table = deviations_table(
        context(
            [
                ("glass", "A", "{}", "default", "purity", 0.25, "ok"),
                ("glass", "A", "{}", "default", "purity", 0.75, "ok"),
                ("glass", "B", "{}", "default", "purity", 1.0, "ok"),
                ("glass", "C", '{"k":2}', "k2", "purity", 0.1, "ok"),
                ("glass", "C", '{"k":10}', "k10", "purity", 0.2, "ok"),
                ("glass", "C", '{"k":[3,4]}', "k34", "purity", 0.3, "ok"),
                ("glass", "C", '{"k":10}', "k10", "purity", 9.0, "error"),
            ]
        )
    )
    found = {row.compared: (row.value, row.n) for row in table.frame.itertuples()}
    assert found["purity, glass, A"] == ("0.5000 ± 0.35", "2")
    assert found["purity, glass, B"] == ("1", "1")
    assert found["purity, glass, k = 2"] == ("0.1000", "1")
    assert found["purity, glass, k = 10"] == ("0.2000", "1")
    assert found["purity, glass, k = [3, 4]"] == ("0.3000", "1")
    assert found["not measured"] == ("it cannot be", "–")
    assert table.sources[0, "value"] == ("cell-0", "cell-1")


def test_what_was_not_run_is_said(package):
    package(ENTRY)
    frame = deviations_table(context([])).frame
    assert "no cells in this scope" in set(frame.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("by: method", "by: magic", r"scale: by is 'magic', expected one of setting"),
        ("chosen:", "choice:", r"missing keys \['chosen'\], unknown keys \['choice'\]"),
        ("methods: [A, B], ", "", r"by method: missing keys \['methods'\]"),
    ],
)
def test_a_wrong_entry_is_named(package, old, new, message):
    package(ENTRY.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_deviations("madeup")


def test_an_id_stands_once(package):
    package(ENTRY + ENTRY)
    with pytest.raises(ValueError, match="the id stands twice"):
        load_deviations("madeup")


def test_the_registers_of_all_papers_can_be_read():
    assert {entry.id for entry in load_deviations("cladebench.papers.ghc")} >= {
        "similarity",
        "pairs",
        "spambase-rows",
    }
