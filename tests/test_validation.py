"""Counts and labels: what passes, and what the errors name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cladebench.validation import as_index, check_columns, check_integer, check_seed, check_y, class_codes

WORDS = ["b", "a", "b"]


def test_counts() -> None:
    for value in (1, np.int8(3), 10**30):
        check_integer("k", value, minimum=1)
        check_integer("k", value)
    check_integer("k", -5)
    check_integer("k", 4, minimum=4)
    with pytest.raises(ValueError, match="k is 3; expected at least 4"):
        check_integer("k", 3, minimum=4)
    for value, error in (
        (0, ValueError),
        (-1, ValueError),
        (1.0, TypeError),
        (True, TypeError),
        ("1", TypeError),
    ):
        with pytest.raises(error, match=f"k is {value}" if error is ValueError else f"k is {value!r}"):
            check_integer("k", value, minimum=1)


def test_indices() -> None:
    assert as_index("v", np.uint8([1, 0])).dtype == np.int64
    assert as_index("v", []).tolist() == []
    for wrong in ([[0]], [0.0], ["a"], [True]):
        with pytest.raises(ValueError, match="v has"):
            as_index("v", wrong)
    largest = 2**63 - 1
    assert as_index("v", np.array([0, largest], dtype=np.uint64)).tolist() == [0, largest]
    for wrong in (np.array([0, 2**64 - 1], dtype=np.uint64), np.array([3, 2**63], dtype=np.uint64)):
        with pytest.raises(ValueError, match=rf"v\[1\] is {wrong[1]}; expected at most 2\^63 - 1"):
            as_index("v", wrong)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([2**64 - 1, -1], "v[0] is 18446744073709551615; expected at most 2^63 - 1"),
        ([-1, 2**63], "v[1] is 9223372036854775808; expected at most 2^63 - 1"),
        ([0, 2**64], "v[1] is 18446744073709551616; expected at most 2^63 - 1"),
        ([0, -(2**63) - 1], "v[1] is -9223372036854775809; expected at least -2^63"),
        (np.array([-1, 2**64], dtype=object), "v[1] is 18446744073709551616; expected at most 2^63 - 1"),
        ([2**64, 0.5], "v has dtype object; expected integers"),
        (np.array([2**63 - 1, 2**64], dtype=float), "v has dtype float64; expected integers"),
        (np.array([True, 2**64], dtype=object), "v has dtype object; expected integers"),
        (np.array([-(2**63), 2**63 - 1], dtype=object), "v has dtype object; expected integers"),
    ],
)
def test_an_integer_that_is_too_large_for_an_index_is_named(values: Any, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        as_index("v", values)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    "labels",
    [
        WORDS,
        np.array(WORDS),
        np.array(WORDS, dtype=object),
        pd.Series(WORDS, index=[5, 6, 7]),
        pd.Series(WORDS, dtype="string"),
        pd.Categorical(WORDS),
        pd.Series([2, 1, 2], dtype="Int64"),
        pd.Series([True, False, True], dtype="boolean"),
        [b"b", b"a", b"b"],
        [np.str_("b"), "a", "b"],
        [2, 1, 2],
        [2.5, 1.0, 2.5],
        [True, False, True],
        np.array(["2020-02-02", "2020-01-01", "2020-02-02"], dtype="datetime64[D]"),
    ],
    ids=str,
)
def test_labels_of_one_kind_are_coded_in_sorted_order(labels: object) -> None:
    classes, codes = class_codes(labels, 3)
    assert len(classes) == 2 and codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["a", None, "b"], r"labels\[1\] is None"),
        ([None, "a", "b"], r"labels\[0\] is None"),
        (pd.Series(["a", "b", pd.NA], dtype="string"), r"labels\[2\] is <NA>"),
        (pd.Series([1, None, 2], dtype="Int64"), r"labels\[1\] is"),
        (pd.Categorical(["a", None, "b"]), r"labels\[1\] is nan"),
        (pd.Series(["a", np.nan, "b"], dtype=object), r"labels\[1\] is nan"),
        (np.array([1, np.nan, 2], dtype=object), r"labels\[1\] is nan"),
        ([0.0, np.nan, 1.0], r"labels\[1\] is np.float64\(nan\)"),
        (pd.to_datetime(["2020-01-01", None, "2020-01-02"]), r"labels\[1\] is .*NaT"),
        (np.array(["a", 1, "b"], dtype=object), r"labels\[1\] is 1"),
        (np.array([1, "a", 2], dtype=object), r"labels\[1\] is 'a'"),
        ([1, "a", 2], r"labels\[1\] is 'a'"),
        (["a", 1, "b"], r"labels\[1\] is 1"),
        (("a", np.nan, "b"), r"labels\[1\] is nan"),
        ([b"a", "a", b"b"], r"labels\[1\] is 'a'"),
    ],
)
def test_labels_that_are_missing_or_of_several_kinds_are_named(labels: object, found: str) -> None:
    with pytest.raises(ValueError, match=found):
        class_codes(labels, 3)


def test_labels_of_another_length() -> None:
    for wrong in ([0, 1], [[0], [1], [2]], 3, []):
        with pytest.raises(ValueError, match=r"labels has shape .*; expected \(3,\)"):
            class_codes(wrong, 3)


def test_labels_are_called_by_the_name_of_the_argument() -> None:
    with pytest.raises(ValueError, match=r"^classes\[1\] is None"):
        class_codes([1, None], 2, "classes")
    with pytest.raises(ValueError, match=r"^classes has shape \(1,\)"):
        class_codes([1], 2, "classes")


def test_y_that_scikit_learn_lets_pass() -> None:
    check_y([1, 2], np.array([1, 2]))
    check_y([[1], [2]], np.array([1, 2]))  # a column: scikit-learn has warned
    with pytest.raises(ValueError, match=r"^y\[1\] is 'a'"):
        check_y([1, "a"], np.array(["1", "a"]))


def test_seeds() -> None:
    for value in (None, 0, 2**32 - 1, np.random.RandomState(0)):
        check_seed(value)


def test_sparse_matrices_that_point_outside_of_themselves_are_named() -> None:
    dense = np.array([[1.0, 0, 2], [0, 3, 0]])
    for sound in (
        *(dense if kind is None else kind(dense) for kind in (None, sparse.csr_array, sparse.csc_matrix)),
        sparse.coo_array(dense),
        sparse.csr_array(dense[0]),
        sparse.csr_array((0, 0)),
        [[1]],
    ):
        check_columns(sound)
    beyond = sparse.csr_array(dense)
    beyond.indices, beyond.data = np.append(beyond.indices, 99), np.append(beyond.data, 0.0)
    check_columns(beyond)  # no row reaches as far

    def refused(kind: Any, said: str, **parts: Any) -> None:
        damaged = kind(dense)
        vars(damaged).update(parts)
        with pytest.raises(ValueError, match=f"^{said}$"):
            check_columns(damaged, "v")

    rows, columns = sparse.csr_array, sparse.csc_array
    for wrong in (3, -1, 2**32 + 1):
        refused(rows, rf"v has the column {wrong}; expected 0\.\.2", indices=np.array([0, 2, wrong]))
        refused(columns, rf"v has the row {wrong}; expected 0\.\.1", indices=np.array([0, wrong, 0]))
    for ends in ([0, 2], [0, 2, 3, 3], [1, 2, 3], [0, 2, 4], [0, 4, 3]):
        said = r"v\.indptr is not a list of 3 numbers that never fall, from 0 to at most 3"
        refused(rows, said, indptr=np.array(ends))
    refused(rows, r"v\.indptr is .*at most 2", data=np.ones(2))
    refused(rows, r"v\.indptr is .*at most 2", indices=np.array([0, 2]))
