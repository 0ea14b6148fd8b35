"""Labels of classes: what is the same class, what passes, and what the errors name."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.class_labels import check_faithful, class_codes, codes_of_y

WORDS = ["b", "a", "b"]


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


@given(
    st.sampled_from([np.bool_, np.int8, np.int32, np.int64, np.uint8, np.uint64]),
    st.lists(st.integers(-3, 3), min_size=1),
    st.sampled_from([0, 1, -1]),
)
def test_integers_are_coded_as_numpy_codes_them(dtype: type, near: list[int], end: int) -> None:
    shift = 0 if dtype == np.bool_ else {0: 50, 1: np.iinfo(dtype).max - 3, -1: np.iinfo(dtype).min + 3}[end]
    labels = np.array([shift + label for label in near]).astype(dtype)
    for given_labels in (labels, np.append(labels, [dtype(0), dtype(100)])):  # near each other, and not
        for found, expected in zip(
            class_codes(given_labels), np.unique(given_labels, return_inverse=True), strict=True
        ):
            assert found.dtype == expected.dtype and np.array_equal(found, expected)


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
        ([0.0, np.nan, 1.0], r"labels\[1\] is nan"),
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


NUMBERS = st.one_of(
    st.integers(),
    st.integers(2**53 - 2, 2**53 + 2),
    st.integers(2**63 - 2, 2**63 + 2),
    st.integers(2**64 - 2, 2**64 + 2),
    st.sampled_from([float(2**53), float(2**63), float(2**64), 0.0, -0.0, 0.5, np.inf]),
    st.booleans(),
    st.integers(2**64 - 3, 2**64 - 1).map(np.uint64),
    st.sampled_from([np.int64(-1), np.int8(1), np.float32(0.1), 0.1, np.bool_(True)]),
)


WORDS_WITH_NULS = st.text("ab\0", max_size=3)


BYTES_WITH_NULS = st.text("ab\0", max_size=3).map(str.encode)


DATES = st.dates(date(2020, 1, 1), date(2020, 1, 3))


MISSING = st.sampled_from([None, np.nan, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.ma.masked])


ANY_LABELS = st.one_of(
    *(st.lists(one, min_size=1, max_size=6) for one in (NUMBERS, WORDS_WITH_NULS, BYTES_WITH_NULS, DATES)),
    st.lists(st.one_of(NUMBERS, WORDS_WITH_NULS, BYTES_WITH_NULS, DATES, MISSING), min_size=1, max_size=6),
)


def as_objects(labels: list[Any]) -> np.ndarray:
    array = np.empty(len(labels), dtype=object)
    for at, label in enumerate(labels):
        array[at] = label
    return array


@pytest.mark.filterwarnings("ignore:Warning. converting a masked element")
@given(ANY_LABELS, st.sampled_from([list, tuple, as_objects, lambda labels: pd.Series(as_objects(labels))]))
def test_labels_are_the_same_if_python_finds_them_equal_or_are_refused(
    labels: list[Any], made: Callable[[list[Any]], Any]
) -> None:
    plain = [label.item() if isinstance(label, np.number | np.bool_) else label for label in labels]
    kinds = {
        next((kind for kind in (str, bytes, date, Real) if isinstance(label, kind) and label == label), None)
        for label in plain
    }
    if None in kinds or len(kinds) > 1:
        with pytest.raises(
            ValueError, match=r"labels(\[\d\] is .*; expected a class| has \d masked entries)"
        ):
            class_codes(made(labels), len(labels))
        return
    classes, codes = class_codes(made(labels), len(labels))
    assert classes.tolist() == sorted(set(plain))
    assert codes.dtype == np.int64
    assert [classes.tolist()[code] for code in codes] == plain


def test_labels_that_numpy_would_change() -> None:
    for labels in (
        [2**63 + 1, 2**63 + 2, 5],
        [np.uint64(2**60 + 1), np.uint64(2**60 + 2), -1],
        [2**53, 2**53 + 1, 0.5],
        [1e308, 10**400, -(10**400)],
        ["a", "a\0", ""],
        [b"a", b"a\0", b""],
        np.array(["a", "a\0", ""], dtype=object),
        [datetime(2020, 1, 1), datetime(2020, 1, 1, microsecond=1), datetime(2019, 1, 1)],
        [timedelta(1), timedelta(1, 1), timedelta(0)],
        [np.datetime64("2020"), np.datetime64("2021"), np.datetime64("2019")],
        [np.longdouble(2**60 + 1), 2**60, np.longdouble(np.inf)],
    ):
        classes, codes = class_codes(labels, 3)
        assert len(classes) == 3
        assert np.array_equal(np.argsort(codes), sorted(range(3), key=lambda at: labels[at]))


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([datetime(2020, 1, 1), date(2020, 1, 1)], r"labels\[1\] is datetime.date"),
        ([np.timedelta64(1, "s"), 1], r"labels\[1\] is 1"),
        ([np.datetime64("2020"), np.datetime64("2020-01")], r"labels\[1\] is np.datetime64"),
        ([datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC)], "labels cannot be put in order"),
        (np.ma.masked_equal([1, 2], 2), "labels has 1 masked entries; expected values without a mask"),
        ([1, np.ma.masked], "labels has 1 masked entries"),
        ([Decimal(1), Decimal(2)], r"labels\[0\] is Decimal"),
        ([(1,), (2, 3)], "labels is not an array of labels"),
    ],
)
def test_labels_that_cannot_be_compared(labels: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        class_codes(labels, 2)


def test_y_that_scikit_learn_itself_would_confuse() -> None:
    check_faithful(None)
    check_faithful([[1.0, 2.0], [3.0, 4.0]])  # several outputs
    check_faithful(["a", "b", "a"])
    for y in ([2**63 + 1, 2**63 + 2, 5], ["a", "a\0", "b"]):
        with pytest.raises(ValueError, match="y has labels that NumPy cannot distinguish"):
            check_faithful(y)


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
    assert codes_of_y([2, 1], np.array([2, 1])).tolist() == [1, 0]
    assert codes_of_y([[1], [2]], np.array([1, 2])).tolist() == [0, 1]  # a column: scikit-learn has warned
    assert codes_of_y([[2**63 + 2], [5], [2**63 + 1]], np.zeros(3)).tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match=r"^y\[1\] is 'a'"):
        codes_of_y([1, "a"], np.array(["1", "a"]))
