"""Ranks of methods over data sets: complete rows, failures last, ties, the tests behind them."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cladebench.bench.statistics.method_ranks import RankTable, best_method, ranks
from cladebench.bench.statistics.method_scores import Settings
from cladebench.bench.statistics.paired_tests import holm, nemenyi
from made_up_values import NAN, many, values_of

RULES = Settings()


def test_many_data_sets_have_friedman_and_pairs():
    scores = many(10, {"mine": 0.6, "a": 0.5, "b": 0.3})
    values = values_of(scores)
    found = ranks(values)
    assert found.complete.friedman is not None and found.complete.friedman.p < 0.01
    assert found.complete.friedman.df == (2, 18) and not found.differ
    p_values = [
        stats.wilcoxon([np.mean(row[x] - row[y]) for row in scores.values()], method="exact").pvalue
        for x, y in (("mine", "a"), ("mine", "b"), ("a", "b"))
    ]
    pairs = found.pairs
    assert [pairs.loc["mine", "a"], pairs.loc["mine", "b"], pairs.loc["b", "a"]] == pytest.approx(
        holm(p_values)
    )
    assert np.isnan(np.diag(pairs)).all() and np.array_equal(pairs, pairs.T, equal_nan=True)


def test_ranks_are_over_complete_rows_and_with_failures_last():
    scores = {
        "d": {"mine": [0.9, 0.9], "a": [0.5, 0.5], "b": [0.7, 0.7]},
        "e": {"mine": [0.9, 0.9], "a": [NAN, NAN], "b": [0.1, 0.1]},
        "f": {"mine": [0.8, NAN], "a": [0.7, 0.7], "b": [0.1, 0.1]},
    }
    found = ranks(values_of(scores))
    assert found.differ and found.complete.n == 1
    assert found.complete.means.to_dict() == {"mine": 1, "a": 3, "b": 2}
    # In f the draw that failed counts 0.1, so that the mean is 0.45.
    expected = {"mine": [1, 1, 2], "a": [3, 3, 1], "b": [2, 2, 3]}
    assert found.failures_last.ranks.to_dict("list") == expected


def test_the_best_method_is_that_of_the_best_mean_rank_and_no_random_one():
    values = values_of(many(1, {"random": 0.9, "a": 0.3, "b": 0.7}, n_draws=8))
    assert (best_method(values, ("random",)), best_method(values)) == ("b", "random")
    failed = {"d": {"a": [0.9, NAN, NAN], "b": [0.8] * 3, "c": [0.1] * 3}}  # failures last
    assert best_method(values_of(failed)) == "b"


@pytest.mark.parametrize(("k", "quantile"), [(3, 2.343), (5, 2.728)])  # Demšar (2006), table 5
def test_the_critical_difference_is_that_of_the_nemenyi_test(k, quantile):
    table = RankTable(pd.DataFrame([[1.0] * k] * 10), None)
    assert table.critical_difference == pytest.approx(quantile * math.sqrt(k * (k + 1) / 60), abs=1e-3)
    assert nemenyi(18, 4) == pytest.approx(13.2, abs=0.05)  # useless
