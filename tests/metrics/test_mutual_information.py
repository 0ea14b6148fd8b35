"""Adjusted mutual information and V-measure against exact arithmetic, with few groups and with thousands."""

import math
from collections import Counter
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from cladebench.metrics import entropy_scores, v_scores
from cladebench.metrics.information import expected_conditional_entropies
from strategies import labels_for


def log(numerator, denominator=1):
    return Decimal(numerator).ln() - Decimal(denominator).ln()


def exact(true, predicted):
    """V-measure, its expectation, adjusted mutual information, expected H(l|c); to many more digits than a float's."""
    n = len(true)
    rows, columns, cells = Counter(true), Counter(predicted), Counter(zip(true, predicted, strict=True))
    with localcontext(prec=50):
        H, other = (sum(c * log(n, c) for c in of.values()) / n for of in (rows, columns))
        information = sum(k * log(n * k, rows[i] * columns[j]) for (i, j), k in cells.items()) / n
        expected, mean = Decimal(0), (H + other) / 2
        for a, n_a in Counter(rows.values()).items():
            for b, n_b in Counter(columns.values()).items():
                k = max(0, a + b - n)
                chance = Decimal(math.comb(a, k) * math.comb(n - a, b - k)) / math.comb(n, b)
                while k <= min(a, b):
                    if k:
                        expected += n_a * n_b * chance * k * log(n * k, a * b) / n
                    chance *= Decimal((a - k) * (b - k)) / ((k + 1) * (n - a - b + k + 1))
                    k += 1
        return information / mean, expected / mean, (information - expected) / (mean - expected), H - expected


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 40).flatmap(lambda n: st.tuples(labels_for(n, 12), labels_for(n, 12))))
def test_scores_are_exact(both):
    true, predicted = (labels.tolist() for labels in both)
    sizes = sorted((len(set(true)), len(set(predicted))))
    if sizes[0] == 1 or sizes[0] == len(true):
        return
    value, permuted, corrected, conditional = exact(true, predicted)
    found = v_scores(true, predicted)
    assert found.value == pytest.approx(float(value), rel=1e-12, abs=1e-14)
    assert found.permuted == pytest.approx(float(permuted), rel=1e-13, abs=1e-15)
    assert found.corrected == pytest.approx(float(corrected), rel=1e-12, abs=1e-14)
    assert entropy_scores(true, predicted).permuted == pytest.approx(float(conditional), rel=1e-13)
    assert entropy_scores(true, predicted).corrected == found.corrected


@pytest.mark.parametrize(("n", "n_groups"), [(4000, 3000), (4000, 100_000), (6000, 900)])
def test_scores_of_thousands_of_groups_are_exact(n, n_groups):
    rng = np.random.default_rng(n_groups)
    true, predicted = rng.integers(n_groups, size=(2, n)).tolist()
    value, permuted, corrected, conditional = exact(true, predicted)
    found = v_scores(true, predicted)
    assert found.value == pytest.approx(float(value), rel=1e-12)
    assert found.permuted == pytest.approx(float(permuted), rel=1e-14)
    assert found.corrected == pytest.approx(float(corrected), abs=1e-14)
    assert entropy_scores(true, predicted).permuted == pytest.approx(float(conditional), rel=1e-13)


def test_large_groups():
    true, predicted = np.random.default_rng(0).integers([[3], [2]], [[6], [5]], size=(2, 700)).tolist()
    _, permuted, corrected, _ = exact(true, predicted)
    assert v_scores(true, predicted).permuted == pytest.approx(float(permuted), rel=1e-12)
    assert v_scores(true, predicted).corrected == pytest.approx(float(corrected), abs=1e-14)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 60).flatmap(lambda n: labels_for(n, n)), st.integers(0, 2**32 - 1))
def test_equal_partitions_are_exactly_1(labels, seed):
    other = np.random.default_rng(seed).permutation(1000)[labels]
    found = v_scores(labels, other)
    assert found.value == found.corrected == entropy_scores(labels, other).corrected == 1.0
    assert 0.0 <= found.permuted <= 1.0 and entropy_scores(labels, other).value == 0.0


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 60).flatmap(lambda n: st.tuples(labels_for(n, n), labels_for(n, n))))
def test_no_score_is_above_1_and_only_equal_partitions_reach_it(both):
    true, predicted = (labels.tolist() for labels in both)
    found = v_scores(true, predicted)
    cells = len(set(zip(true, predicted, strict=True)))
    equal = cells == len(set(true)) == len(set(predicted))
    assert found.value <= 1.0 and (found.value == 1.0) == equal
    assert found.corrected <= 1.0 and (found.corrected == 1.0) == equal


def test_a_class_in_parts_is_homogeneous_and_not_complete():
    true = np.repeat(np.arange(1500), 4)
    parts = np.arange(6000) // 2
    assert entropy_scores(true, parts).value == 0.0 < entropy_scores(parts, true).value
    assert v_scores(true, parts).value == pytest.approx(2 * math.log(1500) / math.log(1500 * 3000), rel=1e-14)


def test_one_cluster_and_single_samples_say_nothing():
    true = [0, 0, 1, 2]
    assert v_scores(true, [7] * 4) == v_scores([7] * 4, true) == (0.0, 0.0, 0.0)
    assert v_scores([7] * 4, [1] * 4) == v_scores([0], [5]) == (1.0, 1.0, 1.0)
    single = v_scores(true, range(4))
    assert single.corrected == pytest.approx(0.0, abs=1e-15) and single.value == pytest.approx(
        single.permuted
    )
    assert expected_conditional_entropies(np.array([2, 1, 1]), np.ones(4, dtype=int))[0] == 0.0


def test_values_beside_chance_are_as_they_were():
    true, predicted = np.random.default_rng(0).integers(9, size=(2, 500))
    mean = (entropy(np.bincount(true)) + entropy(np.bincount(predicted))) / 2.0
    information = mutual_info_score(true, predicted)
    assert v_scores(true, predicted).value == information / mean
    assert entropy_scores(true, predicted).value == entropy(np.bincount(true)) - information
