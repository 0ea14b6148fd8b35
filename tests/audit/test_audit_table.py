"""``audit.csv`` read back is what was written; a damaged one is one line that names file, row and column."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.audit.audit_files import COLUMNS, Audit, as_frame, write_audit
from cladebench.audit.audit_table import read_audit_table
from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.verdict.verdict_types import REPRODUCED, VERDICTS
from cladebench.input_files import InputFileError
from doc_examples import ROOT

words = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00;"), max_size=12).map(str.strip)
names = st.text("abcdefgh/.-0", min_size=1, max_size=8)
number = st.none() | st.floats(allow_nan=False, allow_infinity=False)
count = st.none() | st.integers(0, 10**9)
verdict = st.sampled_from(list(VERDICTS))
listed = st.lists(words.filter(bool), max_size=3)
KINDS = {
    **dict.fromkeys(("methods", "cells", "cells_beside", "stand_in_for", "depends_on", "not_run"), listed),
    **dict.fromkeys(
        (
            *("measured", "low", "high", "difference", "detectable", "p_value", "p_exact", "p_adjusted"),
            *("published_value", "published_spread", "precision", "measured_beside"),
        ),
        number,
    ),
    **dict.fromkeys(("n", "n_published"), count),
    "paper": names,
    "claim": names,
    "verdict": verdict,
    "evidence": st.sampled_from(list(EVIDENCE)),
    "main": st.booleans(),
    "parts": st.lists(st.fixed_dictionaries({"claim": names, "verdict": verdict}), max_size=2),
}
claims = st.fixed_dictionaries({key: KINDS.get(key, words) for key in COLUMNS})


@given(st.lists(claims, max_size=4, unique_by=lambda claim: (claim["paper"], claim["claim"])))
def test_what_is_written_is_read(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("audit") / "audit.csv"
    as_frame(written).to_csv(path, index=False, lineterminator="\n")
    found = read_audit_table(path)
    assert len(found) == len(written)
    for one, other in zip(found, written, strict=True):
        del one["universes"], other["universes"]  # in the table in words, in the claim as counts
        assert one == other


def row(**changed):
    base = dict.fromkeys(COLUMNS, "") | {"paper": "p", "claim": "c", "verdict": "reproduced"}
    return base | {"evidence": "paper data"} | changed


def text(*rows, columns=COLUMNS):
    return "\n".join([",".join(columns), *(",".join(one[key] for key in columns) for one in rows)]) + "\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        (b"", "it has no column 'claim', 'paper'"),
        (b"\xff\xfe", "cannot be read as CSV"),
        (b'"', "cannot be read as CSV"),
        (text(columns=[*COLUMNS[:8], *COLUMNS[9:]]).encode(), "it has no column 'verdict'"),
        ((text(row()) + "a,b\n").encode(), "row 2: 2 entries; expected 41"),
        (text(row(verdict="fine")).encode(), "row 1: verdict 'fine' is unknown"),
        (text(row(evidence="")).encode(), "row 1: evidence '' is unknown"),
        (text(row(claim="")).encode(), "row 1: claim is empty"),
        (text(row(n="1.5")).encode(), "row 1: n '1.5' is no finite number"),
        (text(row(low="nan")).encode(), "row 1: low 'nan' is no finite number"),
        (text(row(high="1e999")).encode(), "row 1: high '1e999' is no finite number"),
        (text(row(parts="a")).encode(), "row 1: parts: 'a'; expected claim: verdict"),
        (text(row(parts="a: good")).encode(), "row 1: parts: 'a: good'"),
        (text(row(), row()).encode(), "row 2: p has the claim 'c' twice"),
    ],
)
def test_a_damaged_table_is_one_line(tmp_path, content, words):
    path = tmp_path / "audit.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputFileError) as error:
        read_audit_table(path)
    said = str(error.value)
    assert said.startswith(str(path)) and words in said and "\n" not in said
    assert said.endswith("run cladebench audit, which makes it")


def test_the_committed_table_is_read_as_it_was_written(tmp_path):
    found = read_audit_table(ROOT / "results" / "full" / "audit.csv")
    assert {claim["verdict"] for claim in found} <= set(VERDICTS)
    assert any(claim["parts"] for claim in found) and any(claim["stand_in_for"] for claim in found)
    assert all(claim["measured"] is None or math.isfinite(claim["measured"]) for claim in found)
    for claim in found:
        claim["stances"] = {}
    write_audit(Audit(found, {}, {}), tmp_path)
    again = read_audit_table(tmp_path / "audit.csv")
    for one, other in zip(found, again, strict=True):
        assert {**one, "stances": 0, "universes": 0} == {**other, "stances": 0, "universes": 0}


def test_ends_of_lines_within_an_entry_stay_as_they_are(tmp_path):
    path = tmp_path / "audit.csv"
    path.write_bytes(text(row(quote='"one\r\ntwo\rthree"')).encode())
    assert read_audit_table(path)[0]["quote"] == "one\r\ntwo\rthree"


def test_a_table_leaves_empty_what_is_not_true_and_joins_lists():
    rows = as_frame(
        [{"claim": "a", "main": True, "not_run": ["x", "y"]}, {"claim": "b", "main": False, "not_run": []}]
    )
    assert rows["main"].tolist() == ["true", ""] and rows["not_run"].tolist() == ["x; y", ""]


def test_other_choices_are_told_in_words_and_the_chosen_one_is_not_counted():
    stances = {"one": "supports", "two": "contradicts", "three": "contradicts", "four": "not testable"}
    rows = as_frame([{"claim": "a", "stance": "supports", "stances": stances}, {"claim": "b", "stances": {}}])
    assert rows["universes"].tolist() == ["with other choices: 1 support, 0 open, 2 contradict", ""]


def test_the_file_has_the_columns_alone(tmp_path):
    claim = dict.fromkeys(COLUMNS) | {"claim": "a", "paper": "toy", "verdict": REPRODUCED, "parts": []}
    write_audit(Audit([claim], {}, {}), tmp_path)
    assert tuple(pd.read_csv(tmp_path / "audit.csv").columns) == COLUMNS
