"""Purity and cost over all trees: exact values against the measures themselves."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cladebench import metrics
from cladebench.hierarchy import Hierarchy
from cladebench.papers.ghc import feasibility
from strategies import hierarchies


def peeled(sizes):
    whole = sum(sizes) * sum(math.comb(size, 2) for size in sizes)
    return [Fraction(value, whole) for value in feasibility.peeled_purities(sizes)]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple), st.data())
def test_purities_said_to_be_taken_are_those_of_trees(sizes, data):
    assume(max(sizes) > 1)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    values = peeled(sizes)
    whole = [0] + [k for size in sizes for k in range(2, size + 1)]
    at = data.draw(st.integers(0, len(values) - 1))
    # The tree of that step: classes before the current one in pure leaves, `whole[at]` points of the current one too.
    done = int(np.searchsorted(np.cumsum([0] + [size - 1 for size in sizes]), at, side="left")) - 1
    parents, leaf_of = [-1], []
    for c, size in enumerate(sizes):
        count = size if c < done else whole[at] if c == done and at else 0
        if count:
            parents.append(0)
            leaf_of += [len(parents) - 1] * count
        for _ in range(size - count):
            parents.append(0)
            leaf_of.append(len(parents) - 1)
    tree = Hierarchy(np.array(parents), np.array(leaf_of))
    assert float(values[at]) == pytest.approx(metrics.dendrogram_purity(tree, labels), rel=1e-12)


@given(hierarchies(min_samples=3, max_samples=9), st.data())
def test_no_tree_is_less_pure_than_the_bound_nor_costs_more(tree, data):
    labels = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=tree.n_samples, max_size=tree.n_samples))
    )
    sizes = tuple(int(size) for size in np.bincount(labels) if size)
    assume(max(sizes) > 1)
    found = feasibility.purity_range(sizes)
    assert float(found.low) - 1e-12 <= metrics.dendrogram_purity(tree, labels) <= 1
    assert found.attained[0][1] == found.high == 1
    values = peeled(sizes)
    assert max(b - a for a, b in itertools.pairwise(values)) <= found.step


def test_a_star_costs_the_most_and_its_cost_says_the_mean_similarity():
    n, similarity = 6, Fraction(1, 4)
    cost = similarity * feasibility.cost_range(n).high
    assert cost == similarity * 6 * 15
    least, most = feasibility.implied_mean_similarity(n, cost)
    assert least == 0.25  # all pairs at the root
    assert most == 0.75  # every pair below an ancestor of two


def test_a_printed_cost_bounds_the_mean_similarity_by_both_its_ends():
    claim = {"classes": {"n_samples": 6}}
    found = feasibility._cost("dasgupta_cost", claim, None, (Fraction(9), Fraction(18)))
    assert found.implies == "implied mean similarity: between 0.1000 and 0.6000"


def test_costs_of_any_similarities_go_from_none_to_a_star_of_ones():
    found = feasibility.cost_range(4)
    assert (found.low, found.high, found.step) == (0, 24, 0) and found.attained == ((0, 24),)


def test_classes_take_no_other_key():
    form = feasibility._of_classes(n_samples={"type": "integer"})
    assert form["properties"]["classes"]["additionalProperties"] is False
    assert form["properties"]["classes"]["required"] == ["n_samples"] and form["required"] == ["classes"]
