"""The one reader of certificates.csv: typed columns, and one line for each kind of damage."""

import math

import pandas as pd
import pytest

from cladebench.crosscheck import run as crosschecks
from cladebench.crosscheck.certificate import COLUMNS, Certificate, read_certificates
from cladebench.input_files import InputFileError

FOUND = [
    Certificate("topic", "instance", "a", "=", "fast", "exact", 1.0, 0.1 + 0.2, 0.0, 1e-10, 0.25, 2.0, "NA"),
    Certificate("topic", "instance", "b", "=", "fast", "exact", 2.0, 2.0, math.inf, 1e-10),
]


@pytest.fixture
def path(tmp_path):
    return crosschecks.write(FOUND, tmp_path)


def test_what_is_written_is_read(path):
    frame = read_certificates(path)
    assert tuple(frame.columns) == COLUMNS
    assert frame["passed"].dtype == bool and frame["passed"].tolist() == [True, False]
    assert frame["id"].tolist() == ["topic/instance/a", "topic/instance/b"]
    assert frame["note"].tolist() == ["NA", ""]  # a text, not a missing number
    assert frame["dual_bound"].tolist() == [0.1 + 0.2, 2.0]
    assert frame["residual"].tolist() == [0.0, math.inf]
    assert frame["seconds_fast"].iloc[0] == 0.25 and math.isnan(frame["seconds_fast"].iloc[1])


def test_a_run_without_certificates_has_the_columns_all_the_same(tmp_path):
    frame = read_certificates(crosschecks.write([], tmp_path))
    assert frame.empty and tuple(frame.columns) == COLUMNS and frame["passed"].dtype == bool


def test_no_file_is_none(tmp_path):
    assert read_certificates(tmp_path / "certificates.csv") is None


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("passed", "", "'' is neither True nor False"),
        ("passed", "maybe", "'maybe' is neither True nor False"),
        ("residual", "small", "'small' is no number"),
        ("seconds_reference", "1,5", "'1,5' is no number"),
    ],
)
def test_an_entry_of_the_wrong_type_is_named(path, column, text, words):
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.loc[1, column] = text
    frame.to_csv(path, index=False)
    with pytest.raises(InputFileError) as error:
        read_certificates(path)
    assert str(error.value) == (
        f"{path}: topic/instance/b: {column}: {words}; run cladebench crosscheck, which makes it"
    )


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_that_is_missing_is_named(path, column):
    pd.read_csv(path, dtype=str).drop(columns=column).to_csv(path, index=False)
    with pytest.raises(InputFileError, match=f"it has no column '{column}'; run cladebench crosscheck"):
        read_certificates(path)


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"a,b\n1\n1,2,3\n"])
def test_what_is_no_csv_is_one_line(path, damage):
    path.write_bytes(damage)
    with pytest.raises(InputFileError, match="run cladebench crosscheck, which makes it") as error:
        read_certificates(path)
    assert "\n" not in str(error.value)


def test_a_row_that_is_cut_short_has_not_passed(path):
    path.write_text(path.read_text().rstrip().rpartition(",")[0] + "\n")
    with pytest.raises(
        InputFileError, match="solver check 2 has 14 entries, expected 15; run cladebench crosscheck"
    ):
        read_certificates(path)
