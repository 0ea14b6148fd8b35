"""Rand index against enumeration of pairs, scikit-learn, by hand, and under bad input."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import rand_score

from cladebench.crosscheck.semantic import rand
from cladebench.metrics import rand_index
from solver_checks import hold
from strategies import labels_for


@st.composite
def two_partitions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 40))
    return draw(labels_for(n, draw(st.integers(1, 12)))), draw(labels_for(n, draw(st.integers(1, 12))))


@given(two_partitions())
def test_over_all_pairs_and_as_scikit_learn_has_it(partitions) -> None:
    a, b = partitions
    hold(rand("drawn", a, b))
    assert rand_index(a, b) == pytest.approx(rand_score(a, b), abs=1e-15)


@given(two_partitions(), st.data())
def test_knows_neither_side_nor_names_nor_order(partitions, data: st.DataObject) -> None:
    a, b = partitions
    found = rand_index(a, b)
    assert rand_index(b, a) == found
    assert rand_index(a, a) == 1.0
    names = np.array(data.draw(st.permutations([f"name {k}" for k in range(12)])))
    assert rand_index(names[a], pd.Categorical(names[::-1][b])) == found
    order = np.array(data.draw(st.permutations(range(len(a)))))
    assert rand_index(a[order], b[order]) == found


def test_by_hand() -> None:
    assert rand_index([0, 0, 1, 1], [1, 1, 0, 0]) == 1.0
    assert rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == 2 / 6
    assert rand_index([0, 0, 1, 1], [0, 0, 1, 2]) == 5 / 6
    assert rand_index([0, 0], [0, 1]) == 0.0
    assert rand_index(["a", "b", "c"], [0, 0, 0]) == 0.0
    assert rand_index(np.arange(5), [3.5, 1.5, 2.5, 0.5, 9.0]) == 1.0


def test_many_samples_round_once() -> None:
    # One class against one cluster more: all pairs but those of the last sample agree (1.8e11 pairs, beyond 32 bits).
    n = 600_001
    alone = np.arange(n) == n - 1
    pairs = n * (n - 1) // 2
    assert rand_index(np.zeros(n, int), alone) == float(Fraction(pairs - (n - 1), pairs))
    every = np.arange(n)
    assert rand_index(every, every // 2) == float(Fraction(pairs - n // 2, pairs))


def test_errors_name_the_argument() -> None:
    for wrong, found in (
        ([0, 1], r"shape \(2,\); expected \(3,\)"),
        ([[0, 1, 2]], r"shape \(1, 3\); expected \(3,\)"),
    ):
        with pytest.raises(ValueError, match=rf"labels_pred has {found}"):
            rand_index([0, 1, 2], wrong)
    with pytest.raises(ValueError, match=r"labels_true has shape \(1, 3\)"):
        rand_index([[0, 1, 2]], [0, 1, 2])
    with pytest.raises(ValueError, match=r"labels_true has shape \(\)"):
        rand_index(3, 3)
    for missing in ([0, np.nan, 1], [0, None, 1], ["a", None, "b"]):
        with pytest.raises(
            ValueError, match=r"labels_true\[1\] is (nan|np.float64\(nan\)|None); expected a class"
        ):
            rand_index(missing, [0, 1, 2])
        with pytest.raises(
            ValueError, match=r"labels_pred\[1\] is (nan|np.float64\(nan\)|None); expected a class"
        ):
            rand_index([0, 1, 2], missing)
    for n in (0, 1):
        with pytest.raises(ValueError, match=f"labels_true has length {n}; expected at least 2"):
            rand_index(np.zeros(n), np.zeros(n))
