"""Which of several starts counts, where objectives are equal."""

import numpy as np
import pytest

from cladebench.methods import CLUHSIC, NumericalTaxonomy
from cladebench.methods._dependence import best_start
from cladebench.papers.taxonomy.protocol import gram_of


@pytest.mark.parametrize(
    ("objectives", "counts"),
    [([1.0, 1.0, 1.0], 0), ([1.0, 2.0, 2.0, 0.0], 1), ([-3.0, -1.0, -2.0, -1.0], 1), ([0.0, 1.0, 2.0], 2)],
)
@pytest.mark.parametrize("method", [CLUHSIC, NumericalTaxonomy])
def test_the_largest_objective_counts_and_of_equal_ones_the_first(method, objectives, counts):
    estimator = method(2, start="random", n_starts=len(objectives))
    gram = gram_of(estimator, np.random.default_rng(0).normal(size=(8, 2)), 0)
    tried = []

    def run(labels, order):
        tried.append(labels.tolist())
        return objectives[len(tried) - 1], len(tried) - 1

    assert best_start(estimator, gram, np.random.RandomState(0), run) == counts
    assert len(tried) == len(objectives) and len({*map(tuple, tried)}) > 1
