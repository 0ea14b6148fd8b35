"""Hypothesis strategies that several tests share: random hierarchies with all that a hierarchy may be."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from cladebench.hierarchy import Hierarchy


@st.composite
def parent_arrays(draw: st.DrawFn, max_nodes: int = 25) -> np.ndarray:
    """Parents of a tree of any arity, nodes in shuffled order; chains and caterpillars are as likely as bushes."""
    n_nodes = draw(st.integers(1, max_nodes))
    reach = draw(
        st.sampled_from([1, 2, 3, max_nodes])
    )  # how far back a node's parent may be: 1 makes a chain
    back = [draw(st.integers(1, min(k, reach))) for k in range(1, n_nodes)]
    name = np.array(draw(st.permutations(range(n_nodes))), dtype=np.int64)
    parents = np.full(n_nodes, -1, dtype=np.int64)
    for k, step in enumerate(back, start=1):
        parents[name[k]] = name[k - step]
    return parents


@st.composite
def hierarchies(
    draw: st.DrawFn,
    min_samples: int = 1,
    max_samples: int = 25,
    max_nodes: int = 25,
    with_heights: bool | None = None,
) -> Hierarchy:
    """Any hierarchy: several samples at a node, samples at inner nodes, empty leaves, unary chains, any heights.

    Heights are small whole numbers, so that ties and inversions are common; None leaves it open whether there are any.
    """
    parents = draw(parent_arrays(max_nodes))
    nodes = st.integers(0, len(parents) - 1)
    leaf_of = draw(st.lists(nodes, min_size=min_samples, max_size=max_samples))
    heights: Any = None
    if with_heights or (with_heights is None and draw(st.booleans())):
        heights = draw(st.lists(st.integers(0, 5), min_size=len(parents), max_size=len(parents)))
    return Hierarchy(parents, leaf_of, heights)


@st.composite
def binary_hierarchies(draw: st.DrawFn, min_samples: int = 1, max_samples: int = 25) -> Hierarchy:
    """A binary hierarchy with one sample at each leaf and monotone heights, ties included."""
    n_samples = draw(st.integers(min_samples, max_samples))
    alive = list(range(n_samples))
    rows, height, count = [], 0.0, dict.fromkeys(range(n_samples), 1)
    for node in range(n_samples, 2 * n_samples - 1):
        a = alive.pop(draw(st.integers(0, len(alive) - 1)))
        b = alive.pop(draw(st.integers(0, len(alive) - 1)))
        height += draw(st.integers(0, 2))
        count[node] = count[a] + count[b]
        alive.append(node)
        rows.append([min(a, b), max(a, b), height, count[node]])
    return Hierarchy.from_linkage(np.array(rows).reshape(-1, 4))


def labels_for(n_samples: int, n_classes: int = 4) -> st.SearchStrategy[np.ndarray]:
    """A class for each sample; some classes may stay empty."""
    return st.lists(st.integers(0, n_classes - 1), min_size=n_samples, max_size=n_samples).map(np.array)


def with_lengths(tree: Hierarchy, data: st.DataObject) -> Hierarchy:
    """The same tree with lengths of its edges; many are equal."""
    lengths = data.draw(
        st.lists(st.sampled_from([0.1, 1.0, 3.0]), min_size=tree.n_nodes, max_size=tree.n_nodes)
    )
    return Hierarchy(tree.parents, tree.leaf_of, edge_lengths=lengths)


def same_pairs(a: Hierarchy, b: Hierarchy) -> bool:
    """Whether every two distinct samples have the same samples below their lowest common ancestor in both."""
    n = a.n_samples
    i, j = np.triu_indices(n, k=1)
    return n == b.n_samples and all(
        set(a.samples(u)) == set(b.samples(v)) for u, v in zip(a.lca(i, j), b.lca(i, j), strict=True)
    )
