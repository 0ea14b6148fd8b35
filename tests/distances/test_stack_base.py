"""The base of weighted sums of given distances: what it is given, and what its subclasses give."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cladebench.distances import ExemplarMetric
from cladebench.distances.base import StackDistance


class Odd(StackDistance):
    """Gives what it is made with as weights and clusters."""

    def __init__(self, weights: Any = None, clusters: Any = None):
        self.weights, self.clusters = weights, clusters

    def _learn(self, sets, labels):
        if self.weights is not None:
            self.weights_ = self.weights

    def _cluster(self, distances):
        return self.clusters


STACK = np.ones((2, 3, 3))


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (Odd(), r"weights_ gave NoneType; expected numbers of shape \(2,\)"),
        (Odd(np.ones(3)), r"weights_ gave shape \(3,\); expected shape \(2,\)"),
        (Odd(np.ones(2)), r"_cluster gave NoneType; expected numbers of shape \(3,\)"),
        (Odd(np.ones(2), np.zeros(4, int)), r"_cluster gave shape \(4,\); expected shape \(3,\)"),
    ],
)
def test_what_a_subclass_gives_is_checked(odd: Odd, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"^Odd: {words}$"):
        odd.fit([STACK], [[0, 1, 1]]).predict(STACK)


@pytest.mark.parametrize("features", [None, "squared_differences"])
def test_a_data_frame_is_no_list_of_sets(features: str | None) -> None:
    words = "^ExemplarMetric: stacks is of type DataFrame; expected a list, one entry for each training set$"
    with pytest.raises(ValueError, match=words):
        ExemplarMetric(features).fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match=r"^ExemplarMetric: labels is of type int; expected a list"):
        ExemplarMetric().fit([STACK], 3)
