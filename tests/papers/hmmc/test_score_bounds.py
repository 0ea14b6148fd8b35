"""Scores against a tree of classes: exact values against the measures themselves."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.hierarchy import Hierarchy
from cladebench.metrics.partitions import rand_index
from cladebench.metrics.semantic import semantic_similarity
from cladebench.papers.hmmc.feasibility import class_similarity
from strategies import hierarchies

KINDS = {
    "sp": lambda h, y, tree: semantic_similarity(h, y, tree, kind="shortest_path"),
    "ps": lambda h, y, tree: semantic_similarity(h, y, tree, kind="path_sharing"),
    "ps_without_root": lambda h, y, tree: semantic_similarity(h, y, tree, kind="path_sharing_without_root"),
}


@st.composite
def classes_with_tree(draw, kinds=tuple(KINDS)):
    """Class sizes, parents with the classes first, and a kind of similarity."""
    n_classes = draw(st.integers(2, 5))
    n_nodes = n_classes + draw(st.integers(1, 4))
    root = n_nodes - 1
    parents = [draw(st.integers(max(node + 1, n_classes), root)) for node in range(root)] + [-1]
    sizes = draw(st.lists(st.integers(1, 4), min_size=n_classes, max_size=n_classes))
    return tuple(sizes), tuple(parents), draw(st.sampled_from(kinds))


def truth(sizes, parents):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return labels, Hierarchy(np.array(parents), np.arange(len(sizes))).pruned()


@given(classes_with_tree())
def test_moments_are_scores_of_one_cluster_and_of_single_points(given_):
    sizes, parents, kind = given_
    labels, tree = truth(sizes, parents)
    found = class_similarity.moments(sizes, parents, kind)
    one, apart = np.zeros(len(labels), dtype=int), np.arange(len(labels))
    assert 1 - float(found.from_one) == pytest.approx(KINDS[kind](one, labels, tree), abs=1e-12)
    assert 1 - float(found.square) == pytest.approx(KINDS[kind](apart, labels, tree), abs=1e-12)


@given(classes_with_tree())
def test_no_constant_beats_the_mean(given_):
    sizes, parents, kind = given_
    found = class_similarity.moments(sizes, parents, kind)
    score = class_similarity.constant_range(sizes, parents, kind).low
    for constant in (found.mean, found.mean + Fraction(1, 100), found.mean - Fraction(1, 100), Fraction(1)):
        other = 1 - (found.square - 2 * constant * found.mean + constant**2)
        assert other < score or constant == found.mean


@given(classes_with_tree(("sp", "ps")), st.data())
def test_trees_with_one_large_leaf_score_within_the_range(given_, data):
    """Any tree over the points, of which one leaf holds all but a few."""
    sizes, parents, kind = given_
    labels, tree = truth(sizes, parents)
    n = len(labels)
    shape = data.draw(hierarchies(min_samples=n, max_samples=n))
    alone = data.draw(st.integers(0, min(2, n - 2)))
    places = np.array(shape.leaf_of)
    places[alone:] = places[-1]
    learned = Hierarchy(shape.parents, places)
    outside = 1 - Fraction(math.comb(n - alone, 2), math.comb(n, 2))
    found = class_similarity.one_large_score_range(sizes, parents, kind, outside)
    assert float(found.low) - 1e-12 <= KINDS[kind](learned, labels, tree) <= float(found.high) + 1e-12


@settings(max_examples=60)
@given(classes_with_tree(("sp", "ps")), st.data())
def test_moments_that_scores_imply_include_the_true_ones(given_, data):
    sizes, parents, kind = given_
    labels, tree = truth(sizes, parents)
    n = len(labels)
    clusters = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    found = class_similarity.moments(sizes, parents, kind)
    slack = Fraction(1, 10**9)  # the measures round
    score, index = (
        Fraction(float(f)) for f in (KINDS[kind](clusters, labels, tree), rand_index(labels, clusters))
    )
    together = Fraction(sum(math.comb(int(size), 2) for size in np.bincount(clusters)), math.comb(n, 2))
    same = Fraction(sum(math.comb(size, 2) for size in sizes), math.comb(n, 2))
    one = 1 - found.from_one
    implied = class_similarity.implied_moments(
        (one - slack, one + slack),
        slack,
        (score - slack, score + slack),
        (index - slack, index + slack),
        same,
        together,
    )
    assert implied.mean[0] <= found.mean <= implied.mean[1]
    assert implied.variance[0] <= found.variance <= implied.variance[1]


def test_scores_that_no_similarities_have_are_refused():
    half, one = (Fraction(1, 2),) * 2, (Fraction(1),) * 2
    with pytest.raises(ValueError, match="no similarities between 0 and 1"):
        class_similarity.implied_moments(one, Fraction(0), one, half, Fraction(1), Fraction(0))
