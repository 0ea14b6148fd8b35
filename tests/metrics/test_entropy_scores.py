"""The conditional entropy of classes given clusters: by its definition, and its mean over all permutations."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.metrics import entropy_scores, v_scores
from strategies import labels_for


def by_loops(classes, clusters):
    """H(l|c) = - sum over c and l of p(c, l) log p(l | c)."""
    n, total = len(classes), 0.0
    for c in set(clusters):
        members = [label for label, cluster in zip(classes, clusters, strict=True) if cluster == c]
        for label in set(members):
            count = members.count(label)
            total -= count / n * math.log(count / len(members))
    return total


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 25).flatmap(lambda n: st.tuples(labels_for(n), labels_for(n))))
def test_value_is_by_definition(both):
    classes, clusters = both
    found = entropy_scores(classes, clusters)
    assert found.value == pytest.approx(by_loops(classes.tolist(), clusters.tolist()), abs=1e-12)
    assert 0.0 <= found.permuted <= by_loops(classes.tolist(), [0] * len(classes)) + 1e-12


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: st.tuples(labels_for(n, 3), labels_for(n, 3))))
def test_permuted_is_the_mean_over_all_permutations(both):
    classes, clusters = (labels.tolist() for labels in both)
    values = [by_loops(classes, shuffled) for shuffled in permutations(clusters)]
    assert entropy_scores(classes, clusters).permuted == pytest.approx(np.mean(values), abs=1e-12)


def test_pure_clusters_leave_nothing_and_one_cluster_leaves_all():
    classes = [0] * 3 + [1] * 4 + [2] * 7
    assert entropy_scores(classes, classes).value == 0.0
    # Splitting a class costs nothing; merging two does.
    assert entropy_scores(classes, np.arange(14)).value == 0.0
    assert entropy_scores(classes, [0] * 7 + [1] * 7).value == pytest.approx(
        by_loops([0] * 3 + [1] * 4, [0] * 7) / 2
    )
    one = entropy_scores(classes, [5] * 14)
    assert one.value == one.permuted == pytest.approx(by_loops(classes, [0] * 14))
    assert one.corrected == pytest.approx(0.0)
    assert entropy_scores([1] * 4, [0, 1, 0, 1]).value == 0.0
    assert entropy_scores(np.arange(9), np.arange(9)).permuted == 0.0


def test_names_do_not_matter_but_the_sides_do():
    classes, clusters = [0, 0, 1, 1, 2, 2], [4, 4, 4, 4, 1, 1]
    named = [["b", "a", "c"][label] for label in classes]
    for one in (classes, named):
        found = entropy_scores(one, np.array(clusters) * -1.5)
        assert found == entropy_scores(classes, clusters)
    assert entropy_scores(clusters, classes).value == 0.0 < entropy_scores(classes, clusters).value


@pytest.mark.parametrize("scores", [entropy_scores, v_scores])
@pytest.mark.parametrize(
    ("classes", "clusters", "message"),
    [
        ([0, 1], [0, 1, 1], r"labels_pred has shape \(3,\); expected \(2,\)"),
        ([0.0, np.nan], [0, 1], r"labels_true\[1\] is .*nan"),
        ([0, 1], ["a", None], r"labels_pred\[1\] is None"),
        (["a", 1], [0, 1], r"labels_true\[1\] is 1"),
    ],
)
def test_bad_labels_are_named(scores, classes, clusters, message):
    with pytest.raises(ValueError, match=message):
        scores(classes, clusters)
