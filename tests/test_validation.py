"""Counts and labels: what passes, and what the errors name."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from cladebench.validation import (
    as_index,
    check_columns,
    check_finite,
    check_int,
    check_integer,
    check_magnitude,
    check_seed,
)


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
        said = r"v\.indptr is damaged; expected 3 numbers that never fall, from 0 to at most 3"
        refused(rows, said, indptr=np.array(ends))
    refused(rows, r"v\.indptr is .*at most 2", data=np.ones(2))
    refused(rows, r"v\.indptr is .*at most 2", indices=np.array([0, 2]))


def test_counts_that_the_core_cannot_hold_are_named() -> None:
    for value in (1, np.int64(2**31 - 1)):
        check_int("k", value, 1)
    for value in (2**31, 10**30, np.uint64(2**63)):
        with pytest.raises(ValueError, match=r"^k=.*: expected an integer in 1\.\.2147483647$"):
            check_int("k", value, 1)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_first_entry_that_is_no_number_is_named(kind: Any) -> None:
    rows = np.array([[0.0, 1e308, 1e308], [0, 0, -1e308], [0, 5, 0]])
    check_finite(kind(rows), object())  # though their sum overflows
    check_finite(kind(np.zeros((2, 3))), object())
    for value, what in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        spoilt = rows.copy()
        spoilt[1, 2], spoilt[2, 1] = value, -value
        with pytest.raises(ValueError, match=rf"^int: v\[1, 2\] is {what}; expected finite numbers: "):
            check_finite(kind(spoilt), 3, "v")
    rows[0, 1] = np.nan
    with pytest.raises(ValueError, match=r"^v\[0, 1\] is NaN; .*: leave out one sample of each such pair$"):
        check_finite(kind(rows), None, "v", of_pairs=True)
    rows[0, 1], rows[2, 1] = 1e308, 3e307
    with pytest.raises(ValueError, match=r"^v\[0, 1\] is 1e\+308: .*rescale v$"):
        check_magnitude(kind(rows), "v")
    check_magnitude(kind(np.zeros((2, 3))))
