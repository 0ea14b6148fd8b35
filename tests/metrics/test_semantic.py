"""Semantic similarity against enumeration of pairs in fractions, by hand, and under bad input."""

import importlib
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from cladebench.crosscheck import _instances
from cladebench.crosscheck import semantic as checks
from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative
from cladebench.metrics import (
    Scores,
    best_constant,
    pair_sums,
    rand_index,
    semantic_scores,
    semantic_similarity,
)
from cladebench.reference import semantic as reference
from solver_checks import hold
from strategies import hierarchies, labels_for

ALL = ["shortest_path", "path_sharing", "path_sharing_without_root"]
KINDS = st.sampled_from(ALL)
EACH = pytest.mark.parametrize("kind", ALL)
BOTH = pytest.mark.parametrize("kind", ALL[:2])
LAST_PLACES = checks.LAST_PLACES


@pytest.fixture
def balanced() -> Hierarchy:
    """Two pairs of classes below the root."""
    return Hierarchy.from_nested([[0, 1], [2, 3]])


@st.composite
def cases(draw: st.DrawFn) -> tuple[Hierarchy, np.ndarray, Hierarchy]:
    """A tree of at least two samples, a class tree of any shape, and a class for each sample; some have none."""
    tree, class_tree = draw(hierarchies(min_samples=2)), draw(hierarchies(max_samples=8, max_nodes=12))
    return tree, draw(labels_for(tree.n_samples, class_tree.n_samples)), class_tree


def moved_nodes(tree: Hierarchy, names: np.ndarray) -> Hierarchy:
    """The same tree with node v called names[v]."""
    parents = np.empty_like(tree.parents)
    parents[names] = np.where(tree.parents < 0, -1, names[tree.parents])
    return Hierarchy(parents, names[tree.leaf_of])


@given(cases(), KINDS)
def test_a_tree_is_compared_over_all_pairs(case, kind) -> None:
    hold(checks.similarity("drawn", "tree", *case, kind))
    value = semantic_similarity(*case, kind)
    assert -LAST_PLACES <= value <= 1.0 and semantic_scores(*case, kind).value == value


@given(cases(), KINDS, st.data())
def test_clusters_are_compared_over_all_pairs(case, kind, data: st.DataObject) -> None:
    tree, labels, class_tree = case
    clusters = data.draw(labels_for(tree.n_samples)) - 1  # -1 is a cluster like any other
    hold(checks.similarity("drawn", "clusters", clusters, labels, class_tree, kind))
    found = semantic_similarity(clusters, labels, class_tree, kind)
    assert semantic_scores(clusters, labels, class_tree, kind).value == found
    assert semantic_similarity(pd.Series(clusters * 3), labels.tolist(), class_tree, kind) == found
    star = Hierarchy([-1, 0, 0, 0, 0], clusters + 2)
    flat = reference.semantic_similarity(clusters, labels, class_tree)
    assert abs(semantic_similarity(star, labels, class_tree) - flat) <= LAST_PLACES


@settings(max_examples=40, deadline=None)
@given(hierarchies(min_samples=2, max_samples=6), hierarchies(max_samples=4, max_nodes=7), KINDS, st.data())
def test_the_expectation_is_the_mean_over_all_permutations(
    tree, class_tree, kind, data: st.DataObject
) -> None:
    labels = data.draw(labels_for(tree.n_samples, class_tree.n_samples))
    for hierarchy in (tree, tree.leaf_of):
        hold(checks.permuted("drawn", hierarchy, labels, class_tree, kind))


@EACH
def test_the_expectation_is_what_permuting_many_samples_gives(kind: str) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(6), 20)
    tree = Hierarchy.from_linkage(linkage(labels[:, None] + rng.normal(size=(120, 2)), "average"))
    class_tree = Hierarchy.from_nested([[0, 1], [[2, 3], 4], 5])
    scores = [semantic_scores(tree, rng.permutation(labels), class_tree, kind) for _ in range(400)]
    values, corrected = (np.array([getattr(s, name) for s in scores]) for name in ("value", "corrected"))
    for found, expected in ((values, scores[0].permuted), (corrected, 0.0)):
        assert abs(found.mean() - expected) < 4 * found.std() / 20
    assert semantic_scores(tree, labels, class_tree, kind).corrected > 10 * corrected.std()


@EACH
def test_a_similarity_that_is_the_same_for_all_pairs_correlates_with_nothing(kind: str) -> None:
    star, pair = Hierarchy([-1, 0, 0, 0], [1, 2, 3]), Hierarchy.from_nested([0, [1, 2]])
    for hierarchy, class_tree in ((star, pair), (pair, star), ([5, 5, 5], pair), ([1, 2, 3], pair)):
        scores = semantic_scores(hierarchy, [0, 1, 2], class_tree, kind)
        assert scores.corrected == 0.0 and scores.value == scores.permuted
    assert semantic_scores(pair, [0, 1, 2], pair, kind)[::2] == (1.0, 1.0)


@given(cases(), KINDS)
def test_no_constant_is_better_than_the_best(case, kind) -> None:
    _, labels, class_tree = case
    truth = np.array(
        [float(b) for _, b in reference.pair_similarities(np.zeros_like(labels), labels, class_tree, kind)]
    )
    found = best_constant(labels, class_tree, kind)
    assert found == pytest.approx(1 - truth.var(), abs=1e-14)
    for constant in (truth.mean() - 0.01, truth.mean() + 0.01):
        assert 1 - np.mean((constant - truth) ** 2) < found


def test_denominators_whose_common_multiple_is_too_large_are_taken_in_groups() -> None:
    # Branches of a prime number of nodes: the product of these primes is beyond 2^70.
    rng, primes = (
        np.random.default_rng(0),
        np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61]),
    )
    chain = Hierarchy(np.arange(-1, 60), primes - 1)
    tree, labels = Hierarchy(np.arange(-1, 30), rng.integers(0, 30, 40)), rng.integers(0, 18, 40)
    groups = pair_sums._true_dissimilarities(chain, np.arange(18), "path_sharing", 2**62 // 40)
    assert len(groups) > 1 and all(table.max() <= multiple for multiple, table in groups)
    for kind in ALL[1:]:
        exact = reference.semantic_similarity(tree, labels, chain, kind)
        assert abs(semantic_similarity(tree, labels, chain, kind) - exact) <= LAST_PLACES


@given(cases(), KINDS, st.data())
def test_order_and_names_change_no_bit(case, kind, data: st.DataObject) -> None:
    tree, labels, class_tree = case
    found = semantic_similarity(*case, kind)
    order = np.array(data.draw(st.permutations(range(tree.n_samples))))
    moved = Hierarchy(tree.parents, tree.leaf_of[order])
    assert semantic_similarity(moved, labels[order], class_tree, kind) == found
    names = np.array(data.draw(st.permutations(range(tree.n_nodes))))
    assert semantic_similarity(moved_nodes(tree, names), labels, class_tree, kind) == found
    classes = np.array(data.draw(st.permutations(range(class_tree.n_samples))))
    renamed = Hierarchy(class_tree.parents, class_tree.leaf_of[np.argsort(classes)])
    assert semantic_similarity(tree, classes[labels], renamed, kind) == found


@given(hierarchies(max_samples=10, max_nodes=15), KINDS, st.data())
def test_the_class_tree_itself_is_perfect(class_tree: Hierarchy, kind, data: st.DataObject) -> None:
    repeats = data.draw(st.integers(2, 40))
    labels = np.tile(np.arange(class_tree.n_samples), repeats)
    assert (
        semantic_similarity(
            Hierarchy(class_tree.parents, class_tree.leaf_of[labels]), labels, class_tree, kind
        )
        == 1
    )


def test_a_perfect_tree_of_many_samples_is_exactly_one() -> None:
    # Branches of 5 to 30 nodes: quotients that are not exact in binary, over 4.6e8 pairs.
    n, n_classes = 30_475, 50
    rng = np.random.default_rng(0)
    parents = np.array([-1] + [int(rng.integers(max(0, k - 6), k)) for k in range(1, 150)])
    class_tree = Hierarchy(parents, rng.choice(150, n_classes, replace=False))
    labels = rng.integers(0, n_classes, n)
    tree = Hierarchy(parents, class_tree.leaf_of[labels])
    for kind in ("shortest_path", "path_sharing"):
        assert semantic_similarity(tree, labels, class_tree, kind) == 1.0


@pytest.mark.parametrize(
    ("make", "path", "sharing"),
    [
        # Six pairs of four classes; the truth is 1/2 for 0-1 and 2-3 and 0 for the rest (shortest path, longest 4),
        # or 2/3 and 1/3 (path sharing, branches of 3 nodes). Given here: the sums of squared differences.
        (lambda: Hierarchy.from_nested([[0, 1], [2, 3]]), "0", "0"),
        (lambda: Hierarchy.from_nested([0, 1, 2, 3]), "2/4", "6/36"),
        # Edges of a caterpillar: 0-1 3, 0-2 4, 0-3 4, 1-2 3, 1-3 3, 2-3 2; branches of 2, 3, 4, 4 nodes.
        (lambda: Hierarchy.from_nested([0, [1, [2, 3]]]), "3/16", "27/144"),
        (lambda: Hierarchy([-1], [0] * 4), "18/4", "18/9"),
        (lambda: [0, 1, 2, 3], "2/4", "12/9"),
        (lambda: [7, 7, 9, 9], "2/4", "6/9"),
        (lambda: [0, 0, 0, 0], "18/4", "18/9"),
    ],
    ids=["itself", "star", "caterpillar", "one node", "apart", "two clusters", "one cluster"],
)
def test_four_classes_by_hand(balanced: Hierarchy, make, path: str, sharing: str) -> None:
    labels = [0, 1, 2, 3]
    for kind, squares in (("shortest_path", path), ("path_sharing", sharing)):
        expected = float(1 - Fraction(squares) / 6)
        assert reference.semantic_similarity(make(), labels, balanced, kind) == expected  # type: ignore[arg-type]
        found = semantic_similarity(make(), labels, balanced, kind)  # type: ignore[arg-type]
        assert abs(found - expected) <= LAST_PLACES


def test_the_longest_path_is_that_between_classes_with_or_without_samples() -> None:
    # Node 4 hangs deepest but holds no class, so that the longest path has two edges; class 2 has no sample.
    tree = Hierarchy([-1, 0, 0, 0, 1], [1, 2, 3])
    assert semantic_similarity([0, 0], [0, 1], tree) == 0.0
    far = Hierarchy([-1, 0, 0, 0, 3, 4], [1, 2, 5])  # class 2 two edges further down
    assert semantic_similarity([0, 0], [0, 1], far) == 0.75


@pytest.mark.parametrize(("depth", "n"), [(10_000, 300_000), (200_000, 900)])
@BOTH
def test_a_perfect_deep_tree_is_exactly_one(kind: str, depth: int, n: int) -> None:
    # A chain with classes at some of its nodes: sums beyond 2^63 over all pairs, or beyond 2^53 within a row.
    rng = np.random.default_rng(0)
    chain = np.arange(-1, depth)
    class_tree = Hierarchy(chain, rng.choice(depth, 30))
    labels = rng.integers(0, 30, n)
    assert semantic_similarity(Hierarchy(chain, class_tree.leaf_of[labels]), labels, class_tree, kind) == 1.0


@BOTH
def test_no_order_of_large_sums_changes_a_bit(kind: str) -> None:
    # Products of a sum within a row and a number of pairs are beyond 2^53, those over all pairs below 2^63.
    rng = np.random.default_rng(0)
    depth, n = 1_000, 400_000
    parents = np.concatenate([np.arange(-1, depth), rng.integers(0, depth, 300)])
    tree = Hierarchy(parents, rng.choice(len(parents), n))
    class_tree, labels = Hierarchy([-1, 0, 0, 1, 1, 2, 2], [3, 4, 5, 6]), rng.integers(0, 4, n)
    found = {
        semantic_similarity(
            moved_nodes(tree, np.random.default_rng(seed).permutation(tree.n_nodes)), labels, class_tree, kind
        )
        for seed in range(4)
    }
    assert found == {semantic_similarity(tree, labels, class_tree, kind)}


@pytest.mark.parametrize(("depth", "n"), [(2_000, 40_000), (100_000, 4_000), (500_000, 20_000)])
def test_deep_trees_do_not_overflow(depth: int, n: int) -> None:
    # Sums beyond 2^53 within a row and 2^63 in all: a chain with samples at either end and below the root.
    tree = Hierarchy(np.arange(-1, depth), np.repeat([0, 1, depth], [n // 2, n // 4, n // 4]))
    labels = np.repeat([0, 1], n // 2)
    class_tree = Hierarchy([-1, 0, 0], [1, 2])
    a, b, c = Fraction(n // 2), Fraction(n // 4), Fraction(n // 4)
    pairs = Fraction(n * (n - 1), 2)
    error = a * b * Fraction(depth - 1, depth) ** 2 + a * c * 0 + b * c * Fraction(depth - 1, depth) ** 2
    assert abs(semantic_similarity(tree, labels, class_tree) - float(1 - error / pairs)) <= LAST_PLACES
    shared = {(0, 1): Fraction(1, 2), (0, depth): Fraction(1, depth + 1), (1, depth): Fraction(2, depth + 1)}
    error = (
        a * b * (shared[0, 1] - Fraction(1, 2)) ** 2
        + a * c * (shared[0, depth] - Fraction(1, 2)) ** 2
        + b * c * (shared[1, depth] - 1) ** 2
    )
    found = semantic_similarity(tree, labels, class_tree, "path_sharing")
    assert abs(found - float(1 - error / pairs)) <= LAST_PLACES


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ([0, 1, 2], r"labels has length 3; expected 4"),
        ([[0, 1, 2, 3]], r"labels has shape \(1, 4\)"),
        ([0, 1, 2, np.nan], r"labels has dtype float64; expected integers"),
        ([0.0, 1.0, 2.0, 3.0], r"labels has dtype float64; expected integers"),
        (["a", "b", "c", "d"], r"labels are text; expected integers 0"),
        ([None, 1, 2, 3], r"labels has dtype object; expected integers"),
        ([0, 1, 4, 5], r"labels\[2\] is 4; expected a class of class_tree: 0..3"),
        ([0, -1, 2, 3], r"labels\[1\] is -1; expected a class of class_tree: 0..3"),
    ],
)
def test_bad_labels(balanced: Hierarchy, labels, found: str) -> None:
    for hierarchy in (balanced, [0, 0, 1, 1]):
        with pytest.raises(ValueError, match=found):
            semantic_similarity(hierarchy, labels, balanced)


def test_bad_kinds_hierarchies_and_class_trees(balanced: Hierarchy) -> None:
    labels = [0, 1, 2, 3]
    for kind in ("path", "", None, ["shortest_path"]):
        with pytest.raises(
            ValueError, match=r"kind is .*; expected one of 'shortest_path', 'path_sharing', 'path_s"
        ):
            semantic_similarity(balanced, labels, balanced, kind)  # type: ignore[arg-type]
    for wrong in (None, 3, "abc", Agglomerative().fit([[0.0], [1.0], [3.0]]), [None, 1, 2, 3]):
        with pytest.raises(TypeError, match=rf"hierarchy is {type(wrong).__name__}; expected a Hierarchy"):
            semantic_similarity(wrong, labels, balanced)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"hierarchy has shape \(3, 4\)"):
        semantic_similarity(linkage(np.arange(4.0)[:, None]), labels, balanced)
    with pytest.raises(ValueError, match="hierarchy is not an array of integers"):
        semantic_similarity([[1], [1, 2]], labels, balanced)
    with pytest.raises(ValueError, match="hierarchy has dtype float64; expected integers"):
        semantic_similarity([0.0, 0.0, 1.0, 1.0], labels, balanced)
    for wrong in (None, [0, 1, 2, 3], balanced.parents):
        with pytest.raises(TypeError, match=rf"class_tree is {type(wrong).__name__}; expected a Hierarchy"):
            semantic_similarity(balanced, labels, wrong)  # type: ignore[arg-type]


def test_one_sample_has_no_pairs(balanced: Hierarchy) -> None:
    for hierarchy in (Hierarchy([-1], [0]), [0]):
        with pytest.raises(ValueError, match="n_samples is 1; expected at least 2"):
            semantic_similarity(hierarchy, [0], balanced)
    with pytest.raises(ValueError, match="n_samples is 0; expected at least 2"):
        semantic_similarity(np.zeros(0, int), np.zeros(0, int), balanced)


def test_the_cross_check_sees_a_slight_error(monkeypatch) -> None:
    module = importlib.import_module("cladebench.crosscheck.semantic")
    iris = {name: data for name, data in _instances.real_data().items() if name == "iris"}
    monkeypatch.setattr(module, "real_data", lambda: iris)
    monkeypatch.setattr(module, "semantic_similarity", lambda *a: semantic_similarity(*a) * (1 + 1e-13))
    monkeypatch.setattr(module, "rand_index", lambda *a: rand_index(*a) * (1 + 1e-15))
    monkeypatch.setattr(
        module, "semantic_scores", lambda *a: Scores(*(s + 1e-13 for s in semantic_scores(*a)))
    )
    found = list(module.certificates("smoke", 0))
    assert len(found) > 5
    assert not any(certificate.passed for certificate in found)


NAMED = Hierarchy.from_nested([[0, 1], 2], sample_names=["cat", "dog", "car"])


@EACH
def test_names_of_classes_are_looked_up_in_the_class_tree(kind: str) -> None:
    numbers = np.array([0, 2, 1, 1, 0])
    names = np.array(NAMED.sample_names)[numbers]
    tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    for labels in (names, names.tolist(), pd.Series(names), pd.Categorical(names), names.astype(object)):
        assert semantic_scores(tree, labels, NAMED, kind) == semantic_scores(tree, numbers, NAMED, kind)
        assert best_constant(labels, NAMED, kind) == best_constant(numbers, NAMED, kind)


@pytest.mark.parametrize(
    ("labels", "class_tree", "words"),
    [
        (
            ["cat", "dog"],
            Hierarchy.from_nested([[0, 1], 2]),
            r"labels are text; expected integers 0\.\.2, or a ",
        ),
        (["cat", "cow"], NAMED, r"labels\[1\] is 'cow'; expected one of class_tree\.sample_names"),
        (["a", "a"], Hierarchy.from_nested([0, 1], sample_names=["a", "a"]), "sample_names that are equal"),
        (["cat", 1, None], NAMED, "labels has dtype object; expected integers"),
        (["cat"], NAMED, "labels has length 1; expected 2"),
    ],
)
def test_names_that_no_class_has_are_refused(labels: list, class_tree: Hierarchy, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        semantic_similarity(Hierarchy.from_nested([0, 1]), labels, class_tree)
