"""Check semantic similarity and the Rand index by enumeration of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import get_args

import numpy as np

from cladebench.crosscheck._instances import real_data
from cladebench.crosscheck.certificate import IDENTICAL, Certificate, Checks, timed
from cladebench.crosscheck.measures import SIZES, trees
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import rand_index, semantic_scores, semantic_similarity
from cladebench.metrics.pair_sums import Kind
from cladebench.reference import semantic as reference

TOPICS = ("semantic-measures",)

#: The value is exact and rounded once; the twin's quotient is rounded once or twice.
LAST_PLACES = 1e-15

#: Points whose permutations are all enumerated.
FEW = 5

#: scope -> random trees, beside the trees of points that purity and cost are checked on.
N_RANDOM = {"smoke": 2, "quick": 8, "full": 40}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of each measure by tree, its leaves and cuts."""
    largest, wanted = SIZES[scope]
    for name, (X_all, labels_all) in real_data().items():
        rows = np.random.default_rng(seed).permutation(len(X_all))[:largest]
        X, labels = X_all[rows], np.unique(labels_all[rows], return_inverse=True)[1]
        class_tree = tree_of_means(X, labels)
        for tree_name, tree in trees(X, wanted, seed).items():
            instance = f"{name}-{len(X)}-{tree_name.replace(' ', '-')}"
            clusters = tree.cut(class_tree.n_samples)
            for kind in get_args(Kind):
                yield from similarity(instance, f"tree-{kind}", tree, labels, class_tree, kind)
                yield from similarity(instance, f"clusters-{kind}", clusters, labels, class_tree, kind)
            yield rand(instance, labels, clusters)
    for k in range(N_RANDOM[scope]):
        rng = np.random.default_rng([seed, k])
        tree, class_tree = random_tree(rng, largest), random_tree(rng, 10)
        labels = rng.integers(0, class_tree.n_samples, tree.n_samples)
        instance = f"random-{k}-{tree.n_samples}"
        for kind in get_args(Kind):
            yield from similarity(instance, f"tree-{kind}", tree, labels, class_tree, kind)
        yield rand(instance, labels, tree.leaf_of)
        few = random_tree(rng, FEW)
        for kind in get_args(Kind):
            yield permuted(f"random-{k}-{FEW}", few, labels[:FEW], class_tree, kind)


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


def similarity(
    instance: str,
    name: str,
    hierarchy: Hierarchy | np.ndarray,
    labels: np.ndarray,
    class_tree: Hierarchy,
    kind: Kind,
) -> Iterator[Certificate]:
    """Yield checks of a similarity to a class tree, and its correlation."""
    given = hierarchy, labels, class_tree, kind
    sides: tuple[tuple[str, str, Callable[..., float], Callable[..., float]], ...] = (
        ("", "similarity", semantic_similarity, reference.semantic_similarity),
        ("-correlation", "correlation", _correlation, reference.similarity_correlation),
    )
    for suffix, what, fast, exact in sides:
        yield Checks(TOPICS[0], instance).certify(
            f"{name}{suffix}",
            f"the {what} from counts is that of enumerated pairs",
            timed("counts by level and class, joined up the tree", fast, *given),
            timed("enumeration of pairs, in fractions", exact, *given),
            LAST_PLACES,
            residual=_apart,
        )


def permuted(
    instance: str, hierarchy: Hierarchy | np.ndarray, labels: np.ndarray, class_tree: Hierarchy, kind: Kind
) -> Certificate:
    """Check the expected similarity of a tree or clusters under permutation."""
    given = hierarchy, labels, class_tree, kind
    return Checks(TOPICS[0], instance).certify(
        f"tree-{kind}-permuted",
        "the expectation under permutation is the mean over all permutations",
        timed("moments over pairs", lambda: semantic_scores(*given).permuted),
        timed("enumeration of permutations, and of pairs", reference.permuted_similarity, *given),
        LAST_PLACES,
        residual=_apart,
    )


def rand(instance: str, labels: np.ndarray, clusters: np.ndarray) -> Certificate:
    """Check the Rand index of clusters."""
    return Checks(TOPICS[0], instance).certify(
        "rand-index",
        "the Rand index from counts is that of enumerated pairs",
        timed("pairs within the cells of the table of counts", rand_index, labels, clusters),
        timed("enumeration of pairs", reference.rand_index, labels, clusters),
        IDENTICAL,
        residual=_apart,
    )


def _correlation(
    hierarchy: Hierarchy | np.ndarray, labels: np.ndarray, class_tree: Hierarchy, kind: Kind
) -> float:
    corrected = semantic_scores(hierarchy, labels, class_tree, kind).corrected
    assert corrected is not None
    return corrected


def _apart(value: float, exact: float) -> float:
    return abs(value - exact)
