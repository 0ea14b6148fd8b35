"""Which values are pairs, and what they come to."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.bench.samples.samples import (
    Drawn,
    Sample,
    change,
    constant,
    mean_and_spread,
    pair,
    paired_ratio,
)


def sample(values, tasks, **how):
    return Sample(pd.Series(values, index=list(tasks), dtype=float), **how)


def test_values_of_one_task_are_a_pair_wherever_they_stand():
    left, right = pair(sample([1, 2, 3], "abc"), sample([30, 10, 20], "cab"))
    assert (left * 10).tolist() == right.tolist() == [10, 20, 30]


def test_values_of_other_tasks_are_no_pairs():
    left, right = pair(sample([1, 2, 3], "abc"), sample([1, 2, 3], "xyz"))
    assert left.size == right.size == 0
    left, right = pair(sample([1, 2, 3], "abc"), sample([30, 50, 10], "cea"))
    assert (left.tolist(), right.tolist()) == ([1, 3], [10, 30])


@given(st.permutations(range(6)), st.integers(0, 6), st.integers(0, 6))
def test_pairs_depend_on_no_order(order, first, second):
    """A value that says its task is paired with one that says the same."""
    left = sample(np.arange(6)[first:], [f"t{i}" for i in range(first, 6)])
    right = sample([100 + i for i in order if i < second], [f"t{i}" for i in order if i < second])
    a, b = pair(left, right)
    assert (a + 100).tolist() == b.tolist()
    assert len(a) == max(0, second - first)


def test_what_is_known_exactly_meets_every_task():
    several, exact = sample([1, 2, 3], "abc"), sample([5], "z", point=True)
    for left, right in ((several, exact), (several, constant(5.0))):
        assert [x.tolist() for x in pair(left, right)] == [[1, 2, 3], [5, 5, 5]]
        assert [x.tolist() for x in pair(right, left)] == [[5, 5, 5], [1, 2, 3]]
    assert [x.tolist() for x in pair(exact, constant(4.0))] == [[5], [4]]
    assert [x.size for x in pair(several, sample([5], "z"))] == [
        0,
        0,
    ]  # one repetition is not exact by itself


def test_the_ratio_of_pairs_is_the_geometric_mean_of_theirs():
    ratio, logs = paired_ratio([1, 8], [0.5, 1])
    assert ratio == pytest.approx(4) and logs == pytest.approx(np.log([2, 8]))


def test_mean_and_spread():
    assert mean_and_spread(np.array([1.0, 3.0])) == (2.0, pytest.approx(np.sqrt(2)), 2)
    mean, spread, n = mean_and_spread(np.array([5.0]))
    assert (mean, n) == (5.0, 1) and np.isnan(spread)
    assert mean_and_spread(np.array([]))[2] == 0
    assert mean_and_spread(np.array([1887342.3] * 4 + [1887342.3 + 5e-10]))[1] == 0.0
    assert mean_and_spread(np.array([-1.0, -1.0 - 1e-10]))[1] == pytest.approx(1e-10 / np.sqrt(2), rel=1e-4)


def test_changes_are_paired_by_place_and_keep_the_notes_of_both():
    def of(values, tasks, note):
        rows = {"task": np.array(list(tasks), dtype=object)}
        rows |= {name: np.array(numbers) for name, numbers in PLACES.items()}
        return sample(values, tasks, drawn=Drawn(rows), notes=(note,), cells=note)

    found = change(of([5.0, 7.0], "ab", "after"), of([1.0, 2.0], "cd", "before"))
    assert found.values.to_dict() == {"a": 4.0, "b": 5.0}
    assert found.notes == ("after", "before") and found.changed_from == "before"
    assert found.drawn.places(["b"]) == {"b": (1.0, -1.0)}


PLACES = {"repetition": [0.0, 1.0], "fold": [np.nan, np.nan], "n_rows": [9.0, 9.0], "n_test": [0.0, 0.0]}
