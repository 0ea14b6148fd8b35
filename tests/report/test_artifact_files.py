"""Tables on disk: built once, read back as they were, and harmless in every form."""

import csv
import json
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from cladebench.bench.store.store import ArraysLost, Store
from cladebench.input_files import InputFileError
from cladebench.paper.artifact_types import Artifact, ArtifactContext, Table
from cladebench.report import artifact_files
from cladebench.report.artifact_files import read_table, shown, write_artifacts, write_table

EVIL = "<img src=x onerror=alert(1)>|`[a](javascript:b)"
FRAME = pd.DataFrame(
    {
        "name": ["a", "b; c", "–"],
        "value": [0.1 + 0.2, math.nan, math.inf],
        "count": np.array([1, 2, 3]),
        "flag": [True, False, True],
        "note": ["x", None, EVIL],
    }
)
TABLE = Table(
    FRAME,
    {(np.int64(0), "value"): ("p/d/m/s/0", "p/d/m/s/1"), (2, "count"): ("p/d/m/s/2",)},
    {(1, "value"): "table1/a"},
    ("first", f"second {EVIL}"),
)


def artifact(name="t", kind="table", build=lambda context: TABLE):
    return Artifact(name, kind, f"Title {EVIL}", f"Caption {EVIL}", "", build)


@pytest.fixture
def path(tmp_path):
    write_table(artifact(), TABLE, tmp_path)
    return tmp_path / "t.json"


def test_a_stored_table_is_read_as_it_was_built(path):
    found = read_table(path)
    assert list(found.frame.columns) == list(FRAME.columns)
    assert shown(found.frame) == [
        ["a", "0.3000", "1", "True", "x"],
        ["b; c", "–", "2", "False", "–"],
        ["–", "–", "3", "True", EVIL],
    ]
    assert found.frame.loc[0, "value"] == 0.1 + 0.2
    assert found.sources == {(0, "value"): ("p/d/m/s/0", "p/d/m/s/1"), (2, "count"): ("p/d/m/s/2",)}
    assert (found.claims, found.notes) == (TABLE.claims, TABLE.notes)


def test_a_table_without_rows_is_read(tmp_path):
    write_table(artifact(), Table(pd.DataFrame(columns=["a", "b"])), tmp_path)
    found = read_table(tmp_path / "t.json")
    assert list(found.frame.columns) == ["a", "b"] and shown(found.frame) == []


def test_no_form_of_a_table_has_raw_markup(path):
    text = path.with_suffix(".html").read_text(encoding="utf-8")
    assert "<img" not in text and text.count("onerror") == 5
    rows = list(csv.reader(path.with_suffix(".csv").open(encoding="utf-8")))
    assert rows[0] == list(FRAME.columns) and rows[1][1] == repr(0.1 + 0.2) and rows[3][4] == EVIL


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.pop("notes"), "missing key 'notes'"),
        (lambda table: table["rows"].append([1]), "do not belong together"),
        (lambda table: table["sources"][0].update(row=3), "do not belong together"),
        (lambda table: table["claims"][0].update(column="none"), "do not belong together"),
        (lambda table: table["sources"][0].update(row=-1), "sources[0].row: -1 is not allowed"),
        (lambda table: table["rows"][0].__setitem__(0, ["a"]), "rows[0][0]: ['a'] is not allowed"),
        (lambda table: table["rows"][0].__setitem__(1, math.nan), "nan is no finite number"),
    ],
)
def test_a_damaged_table_is_refused_in_a_line(path, change, words):
    table = json.loads(path.read_text())
    change(table)
    path.write_text(json.dumps(table))
    with pytest.raises(InputFileError) as error:
        read_table(path)
    said = str(error.value)
    assert said.startswith(f"{path}: ") and words in said and "\n" not in said
    assert said.endswith("run cladebench artifacts, which makes it")


@pytest.mark.parametrize("text", ["", "{", "null"])
def test_what_is_no_table_is_refused(path, text):
    path.write_text(text)
    with pytest.raises(InputFileError, match="run cladebench artifacts, which makes it"):
        read_table(path)


def test_tables_are_written_before_a_figure_that_fails(tmp_path, monkeypatch):
    def no_arrays(context):
        raise FileNotFoundError("no arrays")

    declared = (artifact("figure", "figure", no_arrays), artifact("one"), artifact("two"))
    monkeypatch.setattr(artifact_files, "paper_artifacts", lambda package: declared)
    context = ArtifactContext("p", "p", "full", FRAME, FRAME, FRAME, {}, {}, {}.get)
    with pytest.raises(FileNotFoundError):
        list(write_artifacts(context, tmp_path))
    assert sorted(path.name for path in (tmp_path / "tables" / "p").glob("*.json")) == [
        "one.json",
        "two.json",
    ]


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("made_before", [True, False])
@pytest.mark.parametrize("kind", ["table", "figure"])
def test_what_lacks_its_arrays_is_kept_where_that_is_asked_for(
    tmp_path, monkeypatch, kind, keep, made_before
):
    file = {"table": tmp_path / "tables" / "p" / "a.json", "figure": tmp_path / "figures" / "p" / "a.svg"}[
        kind
    ]
    drawing = tmp_path / "figures" / "p" / "b.svg"
    arrays = Store(tmp_path).load_arrays

    def without(context):
        arrays("p/d/m/s/0")

    def drawn(context):
        return Figure()

    declared = (artifact("a", kind, without), artifact("b", "figure", drawn))
    monkeypatch.setattr(artifact_files, "paper_artifacts", lambda package: declared)
    context = ArtifactContext("p", "p", "full", FRAME, FRAME, FRAME, {}, {}, {}.get)
    if made_before:
        file.parent.mkdir(parents=True)
        file.write_text("as it was")
    if keep and made_before:
        kept, made = write_artifacts(context, tmp_path, keep)
        assert kept.path == file and file.read_text() == "as it was"
        assert kept.kept.endswith("s-0.json: there is no record")
        assert made == (drawing, "") and drawing.exists()
    else:
        with pytest.raises(ArraysLost, match="there is no record"):
            list(write_artifacts(context, tmp_path, keep))
        assert file.exists() is made_before and not drawing.exists()


def test_a_kind_alone_is_made_and_figures_for_print_where_that_is_asked_for(tmp_path, monkeypatch):
    declared = (artifact("a", "figure", lambda context: Figure()), artifact("b"))
    monkeypatch.setattr(artifact_files, "paper_artifacts", lambda package: declared)
    context = ArtifactContext("p", "p", "full", FRAME, FRAME, FRAME, {}, {}, {}.get)
    made = [
        {path.name for path, _ in write_artifacts(context, tmp_path, kinds=[kind], formats=formats)}
        | {path.name for path in tmp_path.rglob("a.*")}
        for kind, formats in (("table", ["svg"]), ("figure", ["svg", "pdf"]), ("figure", ["svg"]))
    ]
    assert made == [{"b.json"}, {"a.svg", "a.pdf", "a.rst"}, {"a.svg", "a.rst"}]
    assert (tmp_path / "figures" / "p" / "a.rst").read_text() == f"{declared[0].caption}\n"
