"""Check semantic similarity and the Rand index against enumeration.

Counts against all pairs, on trees of real data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import numpy as np

from cladebench.crosscheck._instances import real_data
from cladebench.crosscheck.certificate import IDENTICAL, Certificate, timed
from cladebench.crosscheck.measures import trees
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import rand_index, semantic_scores, semantic_similarity
from cladebench.metrics.pair_sums import Kind
from cladebench.reference import semantic as reference

TOPICS = ("semantic-measures",)

#: The value is exact and rounded once; the twin's quotient is rounded once or twice.
LAST_PLACES = 1e-15

#: Points whose permutations are all enumerated.
FEW = 5

#: scope -> points of each data set, at most; trees of points; random trees.
SIZES: dict[str, tuple[int, tuple[str, ...], int]] = {
    "smoke": (40, ("HAC average", "shared leaves"), 2),
    "quick": (90, ("HAC average", "BIRCH", "shared leaves", "random"), 8),
    "full": (
        214,
        ("HAC average", "HAC complete", "HAC Ward", "HAC single", "BIRCH", "shared leaves", "random"),
        40,
    ),
}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield a check for each measure of each tree.

    Also of the clusters that its leaves or a cut of it make.
    """
    largest, wanted, n_random = SIZES[scope]
    for name, (X_all, labels_all) in real_data().items():
        rows = np.random.default_rng(seed).permutation(len(X_all))[:largest]
        X, labels = X_all[rows], np.unique(labels_all[rows], return_inverse=True)[1]
        class_tree = tree_of_means(X, labels)
        for tree_name, tree in trees(X, wanted, seed).items():
            instance = f"{name}-{len(X)}-{tree_name.replace(' ', '-')}"
            clusters = tree.cut(class_tree.n_samples)
            for kind in get_args(Kind):
                yield from _semantic(instance, f"tree-{kind}", tree, labels, class_tree, kind)
                yield from _semantic(instance, f"clusters-{kind}", clusters, labels, class_tree, kind)
            yield _rand(instance, labels, clusters)
    for k in range(n_random):
        rng = np.random.default_rng([seed, k])
        tree, class_tree = random_tree(rng, largest), random_tree(rng, 10)
        labels = rng.integers(0, class_tree.n_samples, tree.n_samples)
        instance = f"random-{k}-{tree.n_samples}"
        for kind in get_args(Kind):
            yield from _semantic(instance, f"tree-{kind}", tree, labels, class_tree, kind)
        yield _rand(instance, labels, tree.leaf_of)
        few = random_tree(rng, FEW)
        for kind in get_args(Kind):
            yield _permuted(f"random-{k}-{FEW}", few, labels[:FEW], class_tree, kind)


def tree_of_means(X: np.ndarray, labels: np.ndarray) -> Hierarchy:
    """Merge classes by the average distance of their means.

    A class tree for data that have none.
    """
    from cladebench.methods import Agglomerative

    means = np.array([X[labels == c].mean(axis=0) for c in range(int(labels.max()) + 1)])
    return Agglomerative(linkage="average").fit(means).hierarchy_


def random_tree(rng: np.random.Generator, n_samples: int) -> Hierarchy:
    """Draw a tree of any arity with samples at any node.

    It has unary chains and empty leaves.
    """
    n_nodes, reach = int(rng.integers(2, 40)), int(rng.integers(1, 10))
    parents = [-1] + [int(rng.integers(max(0, node - reach), node)) for node in range(1, n_nodes)]
    return Hierarchy(parents, rng.integers(0, n_nodes, n_samples))


def _semantic(
    instance: str,
    name: str,
    hierarchy: Hierarchy | np.ndarray,
    labels: np.ndarray,
    class_tree: Hierarchy,
    kind: Kind,
) -> Iterator[Certificate]:
    exact, seconds = timed(lambda: reference.semantic_similarity(hierarchy, labels, class_tree, kind))
    value, seconds_fast = timed(lambda: semantic_similarity(hierarchy, labels, class_tree, kind))
    yield Certificate(
        topic="semantic-measures",
        instance=instance,
        name=name,
        problem="the similarity from counts is that of enumerated pairs",
        fast="counts by level and class, joined up the tree",
        reference="enumeration of pairs, in fractions",
        primal=value,
        dual_bound=exact,
        residual=abs(value - exact),
        tolerance=LAST_PLACES,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
    )
    exact, seconds = timed(lambda: reference.similarity_correlation(hierarchy, labels, class_tree, kind))
    scores, seconds_fast = timed(lambda: semantic_scores(hierarchy, labels, class_tree, kind))
    assert scores.corrected is not None
    yield Certificate(
        topic="semantic-measures",
        instance=instance,
        name=f"{name}-correlation",
        problem="the correlation from counts is that of enumerated pairs",
        fast="counts by level and class, joined up the tree",
        reference="enumeration of pairs, in fractions",
        primal=scores.corrected,
        dual_bound=exact,
        residual=abs(scores.corrected - exact),
        tolerance=LAST_PLACES,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
    )


def _permuted(
    instance: str, hierarchy: Hierarchy, labels: np.ndarray, class_tree: Hierarchy, kind: Kind
) -> Certificate:
    exact, seconds = timed(lambda: reference.permuted_similarity(hierarchy, labels, class_tree, kind))
    scores, seconds_fast = timed(lambda: semantic_scores(hierarchy, labels, class_tree, kind))
    return Certificate(
        topic="semantic-measures",
        instance=instance,
        name=f"tree-{kind}-permuted",
        problem="the expectation under permutation is the mean over all permutations",
        fast="moments over pairs",
        reference="enumeration of permutations, and of pairs",
        primal=scores.permuted,
        dual_bound=exact,
        residual=abs(scores.permuted - exact),
        tolerance=LAST_PLACES,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
    )


def _rand(instance: str, labels: np.ndarray, clusters: np.ndarray) -> Certificate:
    exact, seconds = timed(lambda: reference.rand_index(labels, clusters))
    value, seconds_fast = timed(lambda: rand_index(labels, clusters))
    return Certificate(
        topic="semantic-measures",
        instance=instance,
        name="rand-index",
        problem="the Rand index from counts is that of enumerated pairs",
        fast="pairs within the cells of the table of counts",
        reference="enumeration of pairs",
        primal=value,
        dual_bound=exact,
        residual=abs(value - exact),
        tolerance=IDENTICAL,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
    )
