"""Check purity and Dasgupta cost by pairs, expectations by permutations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from cladebench.crosscheck._instances import SIMILARITIES, real_data
from cladebench.crosscheck.certificate import Certificate, Checks, Side, timed
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import (
    dasgupta_cost,
    dendrogram_purity,
    expected_dasgupta_cost,
    expected_dendrogram_purity,
    expected_rand_index,
)
from cladebench.metrics.similarity import LinearKernel
from cladebench.reference import metrics as reference
from cladebench.reference.semantic import rand_index as twin_rand_index

TOPICS = ("dendrogram-purity", "dasgupta-cost", "expectations")

#: Points whose permutations are all enumerated.
FEW = 6

#: scope -> points of each data set, at most; trees.
SIZES: dict[str, tuple[int, tuple[str, ...]]] = {
    "smoke": (40, ("HAC average", "shared leaves")),
    "quick": (90, ("HAC average", "BIRCH", "shared leaves", "random")),
    "full": (
        214,
        ("HAC average", "HAC complete", "HAC Ward", "HAC single", "BIRCH", "shared leaves", "random"),
    ),
}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of purity and each form of cost by tree."""
    largest, wanted = SIZES[scope]
    for name, (X_all, labels_all) in real_data().items():
        rows = np.random.default_rng(seed).permutation(len(X_all))[:largest]
        X, labels = X_all[rows], labels_all[rows]
        dense = SIMILARITIES["exp"](X)
        forms = {
            "dense": dense,
            "sparse": nearest_neighbours(dense, 5),
            "linear": LinearKernel(X - X.mean(axis=0)),
        }
        for tree_name, tree in trees(X, wanted, seed).items():
            instance = f"{name}-{len(X)}-{tree_name.replace(' ', '-')}"
            yield purity(instance, tree, labels)
            for form, similarity in forms.items():
                yield cost(instance, tree, form, similarity)
        few = X[:FEW]
        yield from expectations(f"{name}-{FEW}", shared_leaves(few, 3), np.arange(FEW) % 2, dense[:FEW, :FEW])


def trees(X: np.ndarray, wanted: tuple[str, ...], seed: int) -> dict[str, Hierarchy]:
    """Build the trees asked for.

    Binary ones, multi-way ones, and one whose leaves are shared by many points.
    """
    from cladebench.methods import Agglomerative, BirchTree, RandomTree

    makers = {
        "HAC average": lambda: Agglomerative(linkage="average").fit(X).hierarchy_,
        "HAC complete": lambda: Agglomerative(linkage="complete").fit(X).hierarchy_,
        "HAC Ward": lambda: Agglomerative(linkage="ward").fit(X).hierarchy_,
        "HAC single": lambda: Agglomerative(linkage="single").fit(X).hierarchy_,
        "BIRCH": lambda: BirchTree(random_state=seed).fit(X).hierarchy_,
        "random": lambda: RandomTree(random_state=seed).fit(X).hierarchy_,
        "shared leaves": lambda: shared_leaves(X, 8),
    }
    return {name: makers[name]() for name in wanted}


def shared_leaves(X: np.ndarray, n_leaves: int) -> Hierarchy:
    """Cut a Ward tree and put each cluster, whole, below the root."""
    from cladebench.methods import Agglomerative

    labels = Agglomerative(n_clusters=n_leaves, linkage="ward").fit(X).labels_
    return Hierarchy([-1] + [0] * (int(labels.max()) + 1), 1 + labels)


def nearest_neighbours(S: np.ndarray, k: int) -> sp.csr_array:
    """Keep each row's k largest similarities, as a directed graph."""
    without_self = S - np.diag(np.full(len(S), np.inf))
    kept = np.argsort(-without_self, axis=1, kind="stable")[:, :k]
    rows = np.repeat(np.arange(len(S)), k)
    return sp.csr_array((S[rows, kept.ravel()], (rows, kept.ravel())), shape=S.shape)


def purity(instance: str, tree: Hierarchy, labels: np.ndarray) -> Certificate:
    """Check the purity of a tree."""
    return Checks("dendrogram-purity", instance).certify(
        "purity",
        "the kernel's purity is that of enumerated pairs",
        timed("kernel (class counts merged up the tree)", dendrogram_purity, tree, labels),
        timed("enumeration of same-class pairs", reference.dendrogram_purity, tree, labels),
    )


def expectations(
    instance: str, tree: Hierarchy, labels: np.ndarray, similarity: np.ndarray
) -> Iterator[Certificate]:
    """Yield a check of each measure's expectation under permutation.

    The points are permuted.
    """
    clusters = tree.leaf_of
    for name, closed_form, measure in (
        (
            "purity",
            expected_dendrogram_purity(tree, labels),
            lambda t: reference.dendrogram_purity(t, labels),
        ),
        ("cost", expected_dasgupta_cost(tree, similarity), lambda t: reference.dasgupta_cost(t, similarity)),
        ("rand-index", expected_rand_index(labels, clusters), lambda t: twin_rand_index(labels, t.leaf_of)),
    ):
        yield Checks("expectations", instance).certify(
            name,
            "the expectation under permutation is the mean over all permutations",
            Side("closed form", closed_form),
            Side(
                "enumeration of permutations, and of pairs", reference.mean_over_permutations(tree, measure)
            ),
        )


def cost(instance: str, tree: Hierarchy, form: str, similarity: Any) -> Certificate:
    """Check the cost of a tree.

    It is relative to the cost of the absolute similarities.
    """
    scale = _magnitude(tree, similarity)
    return Checks("dasgupta-cost", instance).certify(
        form,
        "the kernel's cost is that of enumerated pairs",
        timed(f"kernel ({form} similarity)", dasgupta_cost, tree, similarity),
        timed("enumeration of pairs", reference.dasgupta_cost, tree, similarity),
        residual=lambda value, exact: abs(value - exact) / (scale if scale > 0 else 1.0),
        note="relative to the cost of the absolute similarities" if form == "linear" else "",
    )


def _magnitude(tree: Hierarchy, similarity: Any) -> float:
    """Cost of the absolute values.

    What rounding is relative to, where a linear kernel has both signs.
    """
    if isinstance(similarity, LinearKernel):
        return dasgupta_cost(tree, np.abs(similarity.X @ similarity.X.T))
    return dasgupta_cost(tree, similarity)
