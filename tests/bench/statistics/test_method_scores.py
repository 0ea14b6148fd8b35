"""Scores as comparisons read them: labellings, runs that failed, runs that are refused."""

import math
from dataclasses import replace

import pandas as pd
import pytest

from cladebench.bench.statistics.method_scores import read_values
from made_up_values import NAN, runs_of, values_of


def test_the_best_of_several_labellings_counts_for_each_method():
    scores = {
        "d": {
            "mine": {"first": [0.1, 0.2, 0.3], "second": [0.9, 0.0, 0.9]},
            "a": {"first": [0.5, 0.5, 0.4], "second": [0.4, 0.5, 0.4]},
            "b": {"first": [NAN] * 3, "second": [NAN] * 3},
            "c": {"first": [NAN, 0.2, 0.3], "second": [NAN, 0.2, 0.3]},
        },
        "e": {name: {"own": [0.3, 0.4, 0.5]} for name in ("mine", "a", "b", "c")},
    }
    values = values_of(scores)
    chosen = {method: values.labels["d", method] for method in values.methods}
    assert chosen == {"mine": "second", "a": "first", "b": "first", "c": "first"}
    assert values.labels["e", "b"] == "own"
    assert values.paired("d", "mine", "a").tolist() == pytest.approx([0.4, -0.5, 0.5])


def test_where_less_is_better_the_labelling_of_least_cost_counts():
    scores = {"d": {"mine": {"x": [3.0, 3.0], "y": [2.0, 2.0]}, "a": {"x": [1.0, 1.0], "y": [5.0, 5.0]}}}
    values = values_of(scores, "conditional_entropy")
    assert (values.labels["d", "mine"], values.labels["d", "a"]) == ("y", "x")


def test_data_without_labels_have_one_labelling():
    runs = runs_of({"d": {"mine": [0.5, 0.6], "a": [0.1, 0.3]}}).assign(labels=None)
    assert read_values(runs, "ari").labels == {("d", "mine"): "", ("d", "a"): ""}


@pytest.mark.parametrize(
    ("runs", "measure", "said"),
    [
        (runs_of({"d": {"mine": [0.5]}}), "ami", "no runs; expected at least one"),
        (runs_of({"d": {"mine": [0.5]}}, "depth"), "depth", "has no direction"),
        (pd.concat([runs_of({"d": {"mine": [0.5]}})] * 2), "ari", "a run has two values"),
    ],
)
def test_runs_that_can_not_be_compared_are_refused(runs, measure, said):
    with pytest.raises(ValueError, match=said):
        read_values(runs, measure)


def test_costs_that_can_be_negative_have_no_largest_relative_difference():
    values = values_of({"d": {"mine": [1.0, 2.0], "a": [2.0, 1.0]}}, "dasgupta_cost")
    assert values.reach == 1.0
    for least in (-0.5, -math.inf):
        assert replace(values, measure=replace(values.measure, range=(least, math.inf))).reach == math.inf
