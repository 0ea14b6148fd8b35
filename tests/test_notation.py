import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.notation import as_given, significant, two_decimals


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.48, "0.4800"),
        (214, "214"),
        (1.5, "1.5"),
        (9999.4, "9999"),
        (9999.6, "1.000e4"),
        (697012, "6.970e5"),
        (-3.2e-7, "-3.200e-7"),
        (0, "0"),
    ],
)
def test_numbers_are_written_as_papers_print_them(value, text):
    assert significant(value) == text


def test_numbers_of_a_claim_keep_their_digits():
    assert [as_given(v) for v in (0.05, 500, 2e6, 1.25e-7)] == ["0.05", "500", "2e6", "1.25e-7"]


@given(st.floats(1e-12, 1e12), st.integers(2, 6))
def test_four_digits_are_kept_and_no_exponent_is_padded(value, digits):
    text = significant(value, digits)
    assert float(text) == float(f"{value:.{digits}g}")
    assert not re.search(r"e[+]|e-?0", text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.5, "0.50"), (-0.5, "−0.50"), (-0.001, "0.00"), (-0.006, "−0.01"), (1, "1.00")),
        *((99.9, "99.90"), (100, "100"), (-250.0, "-250"), (1234.5, "1.23e3"), (float("nan"), "–")),
    ],
)
def test_scores_have_two_decimals_and_no_sign_at_zero(value, text):
    assert two_decimals(value) == text
