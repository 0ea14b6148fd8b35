"""What goes into a record comes out of it as plain values, to the last allowed level, number and character."""

import math

import numpy as np
import pytest

from cladebench.bench.run.storable import (
    INT64,
    MAX_DETAILS,
    MAX_NAME,
    check_text,
    plain,
    storable_array,
    storable_details,
    storable_metric,
    storable_point,
)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"a": {1: (1, 2.5), "b": [True, None, "ü"]}}, {"a": {"1": [1, 2.5], "b": [True, None, "ü"]}}),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ((np.float64(0.5), np.int8(3), np.bool_(True)), [0.5, 3, True]),
        ([math.nan, math.inf, -math.inf, np.nan, 0.0], [None, None, None, None, 0.0]),
        ([int(INT64.max), int(INT64.min)], [2**63 - 1, -(2**63)]),
    ],
)
def test_plain_values_are_those_that_went_in(value, kept):
    found = plain(value)
    assert found == kept and repr(found) == repr(kept)
    assert storable_details({"x": value}) == {"x": kept}


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_whole_numbers_end_at_64_bits(value):
    with pytest.raises(ValueError, match="a whole number beyond 64 bits"):
        plain([value])


def test_twenty_levels_are_kept_and_no_more():
    nested = 0
    for level in range(20):
        nested = {"in": nested} if level % 2 else [nested]
    assert plain(nested) == nested
    with pytest.raises(ValueError, match="more than 20 levels"):
        plain([nested])
    with pytest.raises(ValueError, match="more than 20 levels"):
        plain({"a": nested})


def test_names_have_a_longest():
    check_text("x" * MAX_NAME, "a name")
    with pytest.raises(ValueError, match="a name must have at most 200 characters, got 201"):
        check_text("x" * (MAX_NAME + 1), "a name")


def test_details_have_a_largest_size():
    fits = {"a": "ä" * (MAX_DETAILS - 12), "b": "y" * 8}  # quotation marks count, and not bytes
    assert storable_details(fits) == fits
    with pytest.raises(ValueError, match=r"details: 1048577 characters.*the longest, 'a'"):
        storable_details(fits | {"b": "y" * 9})


@pytest.mark.parametrize(
    ("value", "kept"),
    [(3, 3.0), (2**70, 2.0**70), (np.float32(0.5), 0.5), (np.int64(-2), -2.0), (-0.25, -0.25)],
)
def test_metrics_become_floats(value, kept):
    found = storable_metric("m", value)
    assert found == kept and type(found) is float


@pytest.mark.parametrize("value", [10**400, -(10**400), math.nan, math.inf, np.float64("-inf")])
def test_metrics_are_finite(value):
    with pytest.raises(ValueError, match=r"metric 'm' is .*, not a finite number"):
        storable_metric("m", value)


def test_points_are_of_plain_values():
    assert storable_point({"k": np.int64(5), "split": "test", "width": 0.5, "all": np.bool_(False)}) == {
        "k": 5,
        "split": "test",
        "width": 0.5,
        "all": False,
    }
    for value in (None, math.nan, [1], {}):
        with pytest.raises(
            TypeError, match=r"evaluation point 'k': .*; expected a number, a text, true or false"
        ):
            storable_point({"k": value})


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [("converged", True, 1), ("iterations", 0, True), ("tolerance", 1e-6, False), ("iterations", None, 1.0)],
)
def test_details_that_become_columns_are_of_their_kind(name, good, bad):
    assert storable_details({name: good}) == {name: good}
    with pytest.raises(TypeError, match=f"detail '{name}' must be"):
        storable_details({name: bad})


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "a\0"])
def test_an_array_is_a_file(name):
    assert storable_array("a b", [1, 2]).tolist() == [1, 2]
    with pytest.raises(ValueError, match="name not allowed; expected one without slash"):
        storable_array(name, [1])
    with pytest.raises(TypeError, match="dtype object"):
        storable_array("a", [object()])
    with pytest.raises(TypeError, match="the name of an array"):
        storable_array(("a", "b"), [1])


def test_what_is_said_of_a_long_value_is_cut():
    with pytest.raises(TypeError, match=r"^detail 'converged' must be true or false, got 'xxx") as caught:
        storable_details({"converged": "x" * 1000})
    assert len(str(caught.value)) == MAX_NAME
