"""Distances of several kinds, random trees, and what is promised of any fitted tree."""

import numpy as np
import pytest
from hypothesis import strategies as st

from cladebench.hierarchy import Hierarchy
from cladebench.reference import tree_metric as twin
from cladebench.solvers.tree_metric import TreeMetric, four_point_excess

KINDS = ("uniform", "points", "noisy tree", "whole", "duplicates", "zero")


def distances(k: int, seed: int, kind: str = "uniform") -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "points":
        X = rng.normal(size=(k, 4))
        return np.linalg.norm(X[:, None] - X[None], axis=2)
    if kind == "duplicates":
        D = distances(k, seed, "points")
        twins = rng.integers(0, max(1, k // 2), k)
        return D[np.ix_(twins, twins)]
    if kind == "zero":
        return np.zeros((k, k))
    upper = rng.uniform(size=(k, k))
    if kind == "whole":  # many ties
        upper = rng.integers(0, 4, (k, k)).astype(float)
    if kind == "noisy tree":
        upper = tree_distances(random_topology(k, rng), rng) * rng.uniform(0.7, 1.3, (k, k))
    upper = np.triu(upper, 1)
    return upper + upper.T


def random_topology(k: int, rng: np.random.Generator, binary: bool = True) -> Hierarchy:
    """Merge nodes at random, two at a time or several."""
    if k == 1:
        return Hierarchy([-1], [0])
    nested: list = list(range(k))
    while len(nested) > 1:
        size = 2 if binary else int(rng.integers(2, len(nested) + 1))
        picked = sorted(rng.choice(len(nested), size=min(size, len(nested)), replace=False), reverse=True)
        nested.append([nested.pop(place) for place in picked])
    return Hierarchy.from_nested(nested[0])


def tree_distances(tree: Hierarchy, rng: np.random.Generator, zeros: float = 0.0) -> np.ndarray:
    edges, k = twin.edges_of(tree)
    lengths = rng.uniform(0.1, 1.0, len(edges)) * (rng.uniform(size=len(edges)) >= zeros)
    return twin._square(twin.design_matrix(edges, k) @ lengths, k) if edges else np.zeros((k, k))


def parents_to_edges(parents: np.ndarray) -> list[tuple[int, int]]:
    return [(v, int(up)) for v, up in enumerate(parents) if up >= 0]


def check(fit: TreeMetric, D: np.ndarray) -> None:
    """All that is promised of any result: the tree's form, its distances, its residual."""
    k, tree = len(D), fit.tree
    assert tree.n_samples == k and tree.leaf_of.tolist() == list(range(k))
    lengths = tree.edge_lengths
    assert lengths is not None and (lengths >= 0).all()
    inner = np.arange(tree.n_nodes) >= k
    assert tree.n_leaves == k and (np.diff(tree.child_ptr)[inner] >= 2).all()
    not_root = tree.parents >= 0
    assert (lengths[inner & not_root] > 0).all()
    if k >= 3:
        assert tree.parents[0] == tree.root == k
        assert len(tree.children(tree.root)) >= 3
    # Path lengths, by climbing to the root.
    up = np.zeros((k, tree.n_nodes))
    for i in range(k):
        node = i
        while node != tree.root:
            up[i, node] = 1.0
            node = int(tree.parents[node])
    paths = np.array([[np.abs(up[i] - up[j]) @ lengths for j in range(k)] for i in range(k)])
    scale = D.max()
    assert np.abs(fit.distances - paths).max() <= 1e-13 * k * scale
    assert (fit.distances == fit.distances.T).all() and (np.diag(fit.distances) == 0).all()
    assert four_point_excess(fit.distances) <= 1e-13 * k * scale
    errors = (D - fit.distances)[np.triu_indices(k, 1)]
    assert fit.residual == pytest.approx(np.linalg.norm(errors), rel=1e-12, abs=1e-14 * scale)


matrices = st.builds(distances, st.integers(1, 9), st.integers(0, 10**6), st.sampled_from(KINDS))
