"""Hints that a column may not be meant as it is read: copies of the label, row numbers, codes for gaps."""

import numpy as np
import pandas as pd
import pytest

from cladebench.datasets.own.own_doubts import columns_that_tell, doubts_about
from cladebench.datasets.own.own_files import read_own_data
from cladebench.datasets.own.own_proposals import propose_entry

N = 40
CLASSES = np.arange(N) % 3
MEASURED = np.random.default_rng(0).normal(size=N).round(2)


@pytest.fixture
def propose(tmp_path, monkeypatch):
    """Propose an entry for columns beside a measurement and the label."""
    monkeypatch.chdir(tmp_path)

    def write_and_propose(labels, **columns):
        frame = pd.DataFrame({"size": MEASURED, **columns, "diagnosis": labels})
        frame.to_csv("own.csv", index=False)
        return propose_entry(tmp_path / "own.csv", ["diagnosis"])

    return write_and_propose


def named(values):
    return np.array(["flu", "cold", "healthy"], dtype=object)[values]


def warnings(said):
    return [sentence for sentence in said if sentence.startswith("WARNING")]


def test_a_copy_of_the_label_is_left_out_and_that_is_said(propose, tmp_path):
    entry, said = propose(named(CLASSES), group=CLASSES, ward=CLASSES * 2 + np.arange(N) % 2)
    assert entry["ignore"] == ["group"]
    assert warnings(said) == [
        "WARNING: column 'group' is a copy of 'diagnosis', one value for each class: proposed under ignore.",
        "WARNING: column 'ward' has values of one class each of 'diagnosis'; put it under ignore if it is made from "
        "the label.",
    ]
    kept = read_own_data("own", {"file": "own.csv", "label": "diagnosis", "ignore": ["ward"]}, tmp_path)
    assert warnings(kept.done) == [
        "WARNING: column 'group' has one value for each class of 'diagnosis'; put it under ignore if it is made from "
        "the label."
    ]


def test_gaps_do_not_hide_a_copy(propose):
    labels, copy = named(CLASSES), CLASSES.astype(object)
    labels[[3, 8]], copy[[3, 4]] = None, None
    entry, _ = propose(labels, group=copy)
    assert entry["ignore"] == ["group"]


def test_an_almost_copy_stays_and_is_warned_of(propose):
    almost = CLASSES.copy()
    almost[:2] = 1, 2
    entry, said = propose(named(CLASSES), group=named(almost))
    assert "ignore" not in entry and entry["categories"] == ["group"]
    assert warnings(said) == [
        "WARNING: column 'group' alone tells 'diagnosis' in 95% of rows; put it under ignore if it is made from the "
        "label."
    ]


def told(values, classes=CLASSES):
    return columns_that_tell(pd.DataFrame({"c": values}), np.asarray(classes))


def test_what_agrees_by_chance_or_by_many_values_is_not_warned_of():
    assert told(np.arange(N)) == {} and told(MEASURED) == {}  # a value each row
    assert told(np.arange(N) % 2) == {}
    assert told(CLASSES[:9], CLASSES[:9]) == {}  # so few rows agree by chance
    assert told(CLASSES[:10], CLASSES[:10]) == {"c": np.inf}
    halves = CLASSES * 20 + np.arange(N) // 4 * 0.5  # a measurement that parts the classes
    assert told(np.tile(halves, 2), np.tile(CLASSES, 2)) == {}
    assert told(np.tile(2 * halves, 2), np.tile(CLASSES, 2)) == {"c": 1}
    rare = (np.arange(N) == 7).astype(int)
    assert told(np.arange(N) % 4, rare) == {}  # 39 of 40 rows right, as without the column
    assert told(np.ones(N)) == {} and told(CLASSES, np.zeros(N, dtype=int)) == {}


def test_the_threshold_is_of_the_rows_outside_the_largest_class():
    classes = np.repeat([0, 1], N // 2)
    for wrong, share in ((2, {"c": 0.95}), (3, {})):  # of 20 rows outside, 18 and 17 right
        values = classes.copy()
        values[:wrong] = 1
        assert told(values, classes) == share


def test_rows_without_a_label_may_be_left_out(propose, tmp_path):
    labels = named(CLASSES)
    labels[[5, 11]] = None
    entry, said = propose(labels)
    assert entry["noise"] == "missing"
    assert warnings(said) == [
        "WARNING: rows 7, 13 without a label: noise: missing is proposed, so no score counts them."
    ]
    assert "Label 'diagnosis': 3 classes; rows of no class, left out of scores: 2." in said
    codes = read_own_data("own", entry, tmp_path).labellings["diagnosis"]
    assert np.flatnonzero(codes < 0).tolist() == [5, 11] and set(codes[codes >= 0]) == {0, 1, 2}
    assert "noise" not in propose(named(CLASSES))[0]


def test_a_class_of_one_row_is_said(propose):
    labels = named(CLASSES)
    labels[4] = "colt"
    assert "Classes of one row in 'diagnosis': 'colt'; look whether they are misspelt." in propose(labels)[1]
    assert not [sentence for sentence in propose(named(CLASSES))[1] if "one row" in sentence]


def test_spellings_that_differ_by_case_or_spaces_are_said(propose):
    sex, labels = np.array(["f", "m", "F ", "m "], dtype=object)[np.arange(N) % 4], named(CLASSES)
    labels[[0, 3]] = "Flu"
    said = propose(labels, sex=sex)[1]
    assert (
        "Column 'sex' has 'F ' and 'f', 'm' and 'm ', which count as different: correct them if they are one."
        in said
    )
    assert (
        "Column 'diagnosis' has 'Flu' and 'flu', which count as different: correct them if they are one."
        in said
    )
    once = propose(named(CLASSES), sex=named(np.arange(N) % 2))[1]
    assert not [sentence for sentence in once if "count as different" in sentence]


def doubts(*numbers):
    return [*doubts_about("x", np.array(numbers, dtype=float))]


def test_row_numbers_are_known_with_gaps_too():
    counting = "Column 'x' counts the rows: put 'x' under ignore if it is no measurement."
    rising = (
        "Column 'x' rises by whole numbers from row to row, as row numbers do: put 'x' under ignore if it is no "
        "measurement."
    )
    assert doubts(3, 4, 5, 6) == [counting]
    assert doubts(1, 2, 4, 5, 6, 9, 10, 11, 12, 14) == [rising]
    assert doubts(1, 2, 4, 5, 6, 9, 10, 11, 12, 12) == [] == doubts(1, 2, 4, 5, 6, 9, 10, 11, 12, 14.5)
    assert doubts(1, 2, 4) == []


@pytest.mark.parametrize("code", [-9999, -999, -99, 999, 9999])
def test_a_code_for_gaps_is_said(code):
    assert doubts(3.5, code, 1, 2, code, 8) == [
        f"Column 'x' has {code} in 2 rows, far from its other values: leave these cells empty if it means missing."
    ]


def test_other_extremes_are_no_codes():
    assert doubts(3.5, -999, 1, 2) == []  # once
    assert doubts(3.5, -998, 1, -998) == []
    assert doubts(0, 500, 999, 999, 20) == []  # as far from the others as these are from each other
    assert doubts(999, 999, 999) == []
