from __future__ import annotations

import numpy as np
import pytest

from cladebench.datasets import DatasetError
from cladebench.datasets.sets import uci_named_classes as uci

REAL = ("sonar", "ionosphere", "balance", "segmentation", "magic")


def repeated(X):
    return len(X) - len(np.unique(X, axis=0))


def test_a_row_is_split_into_numbers_and_a_class_at_either_end():
    lines = ["a,1,2.5\r", "", " b,-3,1e2 ", "a,0,0"]
    X, labels = uci.read_rows("toy", lines, 2, {"b": "second", "a": "first"}, class_first=True)
    assert X.tolist() == [[1, 2.5], [-3, 100], [0, 0]] and labels.tolist() == [1, 0, 1]
    X, labels = uci.read_rows("toy", ["1,2.5,a"], 2, {"a": "first"})
    assert X.tolist() == [[1, 2.5]] and labels.tolist() == [0] and labels.dtype == np.intp


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1,2,a", "1,a"], r"expected rows of 2 numbers and a class, found \[2, 3\] fields"),
        ([], r"found \[\] fields"),
        (["1,2,c", "1,2,a", "1,2,B"], "expected classes a, b, found B, c"),
        (["a,1,2"], "expected classes a, b, found 2"),
        (["1,x,a"], "found: could not convert string to float: 'x'"),
    ],
)
def test_malformed_rows_are_named(lines, message):
    with pytest.raises(DatasetError, match=rf"^toy/toy\.data: .*{message}"):
        uci.read_rows("toy/toy.data", lines, 2, {"a": "A", "b": "B"})


HEAD = ";;; a\n;;; b\n\nROW,REGION-PIXEL-COUNT,MEAN\n\n"


def segmentation(data="", test=""):
    files = {
        uci.SEGMENTATION.name: data or HEAD + "SKY,1,9,2\n",
        uci.SEGMENTATION_TEST.name: test or HEAD + "PATH,3,9,4\n",
    }
    return {name: text.encode() for name, text in files.items()}


def test_the_two_files_of_segmentation_are_stacked_without_the_constant_column():
    content = uci.load_segmentation(segmentation(), 0)
    assert content.X.tolist() == [[1, 2], [3, 4]] and content.feature_names == ("row", "mean")
    assert [content.label_names[label] for label in content.labels] == ["sky", "path"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            segmentation(data="SKY,1,9,2\n"),
            r"segmentation\.data: expected the names of the columns in line 4",
        ),
        (
            segmentation(test=HEAD + "SKY,1,9,2\nSKY,1,8,2\n"),
            r"segmentation\.test: expected one value in REGION",
        ),
        (segmentation(test=HEAD + "SKY,1,9\n"), r"segmentation\.test: expected rows of 3 numbers"),
        (
            segmentation(data=HEAD + "SEA,1,9,2\n"),
            r"segmentation\.data: expected classes BRICKFACE, .* found SEA",
        ),
    ],
)
def test_malformed_segmentation_is_named(files, message):
    with pytest.raises(DatasetError, match=message):
        uci.load_segmentation(files, 0)


def test_the_real_files_are_as_their_notes_say(real):
    found = {
        name: (data.X.shape, np.bincount(data.labels).tolist(), repeated(data.X))
        for name, data in real.items()
    }
    assert found == {
        "sonar": ((208, 60), [97, 111], 0),
        "ionosphere": ((351, 34), [126, 225], 1),
        "balance": ((625, 4), [288, 49, 288], 0),
        "segmentation": ((2310, 18), [330] * 7, 224),
        "magic": ((19020, 10), [12332, 6688], 115),
    }
    for name in ("ionosphere", "segmentation", "magic"):  # a repeated row has one class
        data = real[name]
        assert repeated(np.column_stack([data.X, data.labels])) == repeated(data.X)
    constant = {name: np.flatnonzero(np.ptp(data.X, axis=0) == 0).tolist() for name, data in real.items()}
    assert constant == {"sonar": [], "ionosphere": [1], "balance": [], "segmentation": [], "magic": []}


def test_a_balance_tips_to_the_side_of_the_larger_product(real):
    left = real["balance"].X[:, 0] * real["balance"].X[:, 1]
    right = real["balance"].X[:, 2] * real["balance"].X[:, 3]
    names = np.array(real["balance"].label_names)[real["balance"].labels]
    assert (names[left > right] == "tips to the left").all() and (
        names[left < right] == "tips to the right"
    ).all()
    assert (names[left == right] == "balanced").all()


def test_segmentation_keeps_the_columns_that_vary(real):
    """Intensity is the mean of the three colours, which ties the names to their columns."""
    data = real["segmentation"]
    column = {name: data.X[:, i] for i, name in enumerate(data.feature_names)}
    mean = (column["rawred mean"] + column["rawblue mean"] + column["rawgreen mean"]) / 3
    np.testing.assert_allclose(column["intensity mean"], mean, atol=1e-4)
    assert column["region centroid col"].max() == 254 and "region pixel count" not in column
