"""Scores of other people's runs are read strictly: a mistake is named with file, column, row and remedy."""

import csv
import gzip
import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.comparison.shown_measures import importable
from cladebench.input_files import InputFileError
from cladebench.published.score_file import read_scores

DATA = {"iris": importable(True), "plain": importable(False)}


def read(folder, text, data=DATA):
    (folder / "their.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_scores("their.csv", folder, data)


def test_three_columns_are_enough_and_the_measure_is_the_main_one(tmp_path):
    found = read(tmp_path, 'score,method, data\n0.5,KMeans,iris\n\n -1 ,"K, means",plain\n')
    assert found["file"] == "their.csv" and re.fullmatch("[0-9a-f]{64}", found["sha256"])
    assert found["rows"] == [
        {"method": "KMeans", "data": "iris", "measure": "ari", "score": 0.5},
        {"method": "K, means", "data": "plain", "measure": "silhouette", "score": -1.0},
    ]


def test_a_measure_may_be_named(tmp_path):
    text = "method,data,score,measure\na,iris,0.5,ami\na,iris,2e1,calinski_harabasz\na,iris,.4,\n"
    found = read(tmp_path, text)["rows"]
    assert [(row["measure"], row["score"]) for row in found] == [
        ("ami", 0.5),
        ("calinski_harabasz", 20.0),
        ("ari", 0.4),
    ]


def test_other_separators_and_packed_files_are_read(tmp_path):
    for name, text in (
        ("a.csv", "method;data;score\nb;iris;0.5\n"),
        ("a.tsv", "method\tdata\tscore\nb\tiris\t0.5\n"),
    ):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode("utf-16")))
        (row,) = read_scores(f"{name}.gz", tmp_path, DATA)["rows"]
        assert row == {"method": "b", "data": "iris", "measure": "ari", "score": 0.5}


HEAD = "method,data,score\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has the columns none; expected method, data, score"),
        ("method,data\n", "has the columns method, data; expected method, data, score"),
        ("method,data,score,score\n", "column 'score': is the name of columns 3 and 4"),
        ("method,data,score,n\na,iris,1,2\n", "has the columns method, data, score, n; expected"),
        (HEAD, "has no rows; expected a score"),
        (b"\xff", "row 1: is not UTF-8"),
        ('method,data,score\n"a,iris,1\n', "row 2: has 1 fields; expected 3"),
        (HEAD + "a,iris\n", "row 2: has 2 fields; expected 3, as in the first row"),
        (HEAD + " ,iris,1\n", "column 'method', row 2: is empty; expected a name"),
        (HEAD + "a,iris,1\n\nb,irsi,1\n", "column 'data', row 4: no data set 'irsi'; rename it here, or add it to"),
        (HEAD + "a,iri,1\n", "in the comparison; did you mean 'iris'?"),
        (HEAD + "a,zoo,1\n", "in the comparison; expected one of iris, plain"),
        (HEAD + "a,iris,nan\n", "column 'score', row 2: 'nan'; expected a number from -0.5 to 1, as ari has"),
        (HEAD + "a,iris,\n", "column 'score', row 2: ''; expected a number"),
        (HEAD + "a,iris,inf\n", "row 2: 'inf'; expected a number"),
        (HEAD + "a,iris,0_1\n", "row 2: '0_1'; expected a number"),
        (HEAD + "a,iris,92\n", "row 2: '92'; expected a number from -0.5 to 1"),
        (HEAD + "a,iris,-0.6\n", "row 2: '-0.6'"),
        (HEAD + "a,plain,1.5\n", "row 2: '1.5'; expected a number from -1 to 1, as silhouette has"),
        (HEAD + "a,iris,1\nb,iris,1\na,iris,0\n", "row 4: ari of 'a' on iris stands in row 2 too; expected it once"),
        ("method,data,score,measure\na,iris,1,arri\n", "'arri' is no measure for iris; did you mean 'ari'?"),
        ("method,data,score,measure\na,iris,1,fit_seconds\n", "'fit_seconds' is no measure for iris; expected one"),
        ("method,data,score,measure\na,iris,-1,calinski_harabasz\n", "expected a number of at least 0, as calinski"),
        ("method,data,score,measure\na,plain,1,ari\n", "'ari' is no measure for plain; expected one of silhouette"),
    ],
)  # fmt: skip
def test_mistakes_name_file_row_and_remedy(tmp_path, text, said):
    with pytest.raises(InputFileError) as error:
        read(tmp_path, text)
    assert said in str(error.value) and "\n" not in str(error.value)
    assert str(error.value).startswith("their.csv: ")


names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6)
entries = st.tuples(names, st.sampled_from(list(DATA)), st.floats(-0.5, 1))


@given(st.lists(entries, min_size=1, max_size=6, unique_by=lambda entry: entry[:2]))
def test_what_a_csv_writer_writes_is_read(tmp_path_factory, rows):
    out = io.StringIO()
    csv.writer(out).writerows([("method", "data", "score"), *rows])
    found = read(tmp_path_factory.mktemp("csv"), out.getvalue())["rows"]
    assert [(row["method"], row["data"], row["score"]) for row in found] == rows


@given(st.text(max_size=10))
def test_a_score_is_read_or_refused_in_one_line(tmp_path_factory, text):
    out = io.StringIO()
    csv.writer(out).writerows([("method", "data", "score"), ("a", "iris", text)])
    try:
        (row,) = read(tmp_path_factory.mktemp("csv"), out.getvalue())["rows"]
    except InputFileError as error:
        assert "\n" not in str(error)
    else:
        assert math.isfinite(row["score"]) and -0.5 <= row["score"] <= 1
