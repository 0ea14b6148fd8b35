"""Build given structures of clusters: trees with edges of one length."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.solvers.dependence import checked_structure, distances_structure
from cladebench.validation import check_choice

FloatArray = npt.NDArray[np.float64]

TRUNCATIONS = ("pruned", "filled")
_ARITY = re.compile(r"(\d+)-ary")


def n_ary_tree(arity: int, n_leaves: int, truncation: str = "pruned") -> Hierarchy:
    """Make an n-ary tree cut to some leaves (taxonomy, section 5.1).

    Parameters
    ----------
    arity : int
        At least 2.
    n_leaves : int
        At least 1; each leaf is a sample of the tree.
    truncation : {"pruned", "filled"}, default="pruned"
        The paper does not say how. "pruned": of the full tree of least depth with enough leaves the first ones stay,
        so that all have one depth. "filled": leaves are split one after the other, from the top and the left, until
        there are enough; the last split may have fewer children.

    Returns
    -------
    Hierarchy
        Nodes in the order of levels, the root first.
    """
    check_choice("truncation", truncation, TRUNCATIONS)
    parents = [-1]
    if truncation == "pruned":
        level, widths = [0], [n_leaves]
        while widths[0] > 1:
            widths.insert(0, -(-widths[0] // arity))
        for width in widths[1:]:
            start = len(parents)
            parents += [level[i // arity] for i in range(width)]
            level = list(range(start, len(parents)))
        return Hierarchy(parents, level)
    leaves = [0]
    while len(leaves) < n_leaves:
        node = leaves.pop(0)
        start = len(parents)
        parents += [node] * min(arity, n_leaves - len(leaves))
        leaves += range(start, len(parents))
    return Hierarchy(parents, sorted(leaves))


def caterpillar(n_leaves: int) -> Hierarchy:
    """Make the binary tree whose inner nodes form a chain."""
    nested: Any = [0]
    for leaf in range(1, n_leaves):
        nested = [nested if leaf > 1 else 0, leaf]
    return Hierarchy.from_nested(nested) if n_leaves > 1 else Hierarchy([-1], [0])


def path_lengths(tree: Hierarchy) -> FloatArray:
    """Compute the lengths of the paths between samples.

    Edges without lengths count 1 each.
    """
    lengths = np.where(tree.parents >= 0, 1.0, 0.0) if tree.edge_lengths is None else tree.edge_lengths
    depth = np.zeros(tree.n_nodes)
    for node in tree.preorder[1:]:
        depth[node] = depth[tree.parents[node]] + lengths[node]
    at = np.arange(tree.n_samples)
    leaf_depth = depth[tree.leaf_of]
    return leaf_depth[:, None] + leaf_depth - 2.0 * depth[tree.lca(at[:, None], at)]


def named_tree(name: str, n_leaves: int, truncation: str = "pruned") -> Hierarchy:
    """Make a tree by its name: "star", "caterpillar", "2-ary", ...

    Raises
    ------
    ValueError
        If there is no tree of that name.
    """
    arity = _ARITY.fullmatch(name)
    if name == "star":
        return n_ary_tree(max(n_leaves, 2), n_leaves)
    if name == "caterpillar":
        return caterpillar(n_leaves)
    if arity is None or int(arity[1]) < 2:
        raise ValueError(
            f"structure={name!r}: expected 'star', 'caterpillar', '2-ary', '3-ary' and so on, a tree or a matrix"
        )
    return n_ary_tree(int(arity[1]), n_leaves, truncation)


def structure_matrix(
    structure: Any, n_clusters: int, *, truncation: str = "pruned", squared: bool = True
) -> FloatArray:
    """Compute the matrix Y of a given structure.

    Parameters
    ----------
    structure : str, Hierarchy or array-like of shape (n_clusters, n_clusters)
        See `named_tree`; of a tree whose samples are the clusters, Y = -1/2 H (D o D) H with the path lengths D.
    n_clusters : int
    truncation : {"pruned", "filled"}, default="pruned"
    squared : bool, default=True
        See `cladebench.solvers.dependence.distances_structure`.

    Raises
    ------
    ValueError
        If it is of another size, not symmetric, or a matrix that is not positive semidefinite when centred.
    """
    if isinstance(structure, str):
        structure = named_tree(structure, n_clusters, truncation)
    given = isinstance(structure, Hierarchy)
    if not given:
        structure = checked_structure(structure)
    size = structure.n_samples if given else len(structure)
    if size != n_clusters:
        raise ValueError(f"structure is for {size} clusters; expected {n_clusters}, as n_clusters says")
    if given:
        return distances_structure(path_lengths(structure), squared=squared)
    return np.asarray(structure)
