"""Trees in other notations: linkage matrices and nested lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench.rooted_tree import RootedTree, raised
from cladebench.validation import as_floats

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def read_linkage(Z: npt.ArrayLike) -> tuple[IntArray, IntArray, FloatArray]:
    """Parents, nodes of samples and heights of a linkage matrix; see `Hierarchy.from_linkage`."""
    rows = as_floats("linkage", Z)
    if rows.ndim != 2 or rows.shape[1] < 3:
        raise ValueError(f"linkage has shape {rows.shape}; expected (n_samples - 1, 3 or more)")
    if not np.isfinite(rows[:, :3]).all():
        raise ValueError("linkage contains NaN or infinity; expected finite numbers")
    parents, leaf_of = parents_of_merges(rows[:, :2], "linkage")
    return parents, leaf_of, np.concatenate([np.zeros(len(rows) + 1), rows[:, 2]])


def parents_of_merges(children: npt.ArrayLike, name: str) -> tuple[IntArray, IntArray]:
    """Find parents and nodes of samples from the nodes of merges.

    Parameters
    ----------
    children : array-like of shape (n_samples - 1, 2)
        Row k makes node n_samples + k.
    name : str
        Name of the argument, for the message.

    Raises
    ------
    ValueError
        If a row merges a node that does not exist yet or has been merged before.
    """
    rows = as_floats(name, children)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"{name} has shape {rows.shape}; expected (n_samples - 1, 2)")
    n_merges = len(rows)
    n_samples = n_merges + 1
    made = np.arange(n_samples, n_samples + n_merges, dtype=np.int64)
    wrong = (rows % 1 != 0) | (rows < 0) | (rows >= made[:, None])
    if wrong.any():
        row, column = (int(k) for k in np.argwhere(wrong)[0])
        raise ValueError(
            f"{name}[{row}, {column}] is {rows[row, column]:g}; expected a node made before: 0..{made[row] - 1}"
        )
    merged = rows.astype(np.int64)
    n_parents = np.bincount(merged.ravel(), minlength=2 * n_samples - 1)
    if (n_parents > 1).any():
        raise ValueError(
            f"{name} merges node {int(np.argmax(n_parents > 1))} more than once; expected once at most"
        )
    parents = np.full(2 * n_samples - 1, -1, dtype=np.int64)
    parents[merged] = made[:, None]
    return parents, np.arange(n_samples, dtype=np.int64)


def read_nested(nested: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Parents and nodes of samples of nested lists; see `Hierarchy.from_nested`."""
    if not isinstance(nested, list | tuple):
        raise TypeError(f"nested is {type(nested).__name__}; expected a list")
    parents: list[int] = []
    at: dict[int, int] = {}
    stack: list[tuple[Any, int]] = [(nested, -1)]
    while stack:
        item, parent = stack.pop()
        node = len(parents)
        parents.append(parent)
        if isinstance(item, list | tuple):
            stack.extend((child, node) for child in reversed(item))
        elif isinstance(item, int | np.integer) and not isinstance(item, bool):
            if int(item) in at:
                raise ValueError(f"sample {int(item)} occurs more than once in nested")
            at[int(item)] = node
        else:
            raise TypeError(f"nested contains {item!r}; expected lists and integers")
    missing = [i for i in range(len(at)) if i not in at]
    if missing:
        raise ValueError(
            f"nested names {len(at)} samples but not sample {missing[0]}; expected 0..{len(at) - 1}"
        )
    return parents, [at[i] for i in range(len(at))]


def write_linkage(tree: RootedTree) -> FloatArray:
    """Linkage matrix of any tree; see `Hierarchy.to_linkage`."""
    parents = tree.parents
    heights = tree.sizes.astype(np.float64) if tree.heights is None else tree.heights
    order = _bottom_up(tree, heights)
    samples, inner = (
        np.full(tree.n_nodes, -1, dtype=np.int64),
        np.bincount(parents[parents >= 0], minlength=tree.n_nodes),
    )
    samples[tree.leaf_of] = np.arange(tree.n_samples)
    if tree.n_nodes == 2 * tree.n_samples - 1 and np.array_equal(inner, np.where(samples < 0, 2, 0)):
        return _binary_merges(tree, heights, order[samples[order] < 0], samples)
    return _merges(tree, heights, order)


def _bottom_up(tree: RootedTree, heights: FloatArray) -> IntArray:
    """Order nodes by largest height below, none before one below it."""
    parents, preorder = tree.parents, tree.preorder
    bottom_up, below = np.arange(tree.n_nodes), np.flatnonzero(parents >= 0)
    if (parents[below] < below).any():
        bottom_up[preorder] = np.arange(tree.n_nodes)[::-1]
    return np.lexsort((bottom_up, raised(tree, heights)))


def _binary_merges(tree: RootedTree, heights: FloatArray, order: IntArray, samples: IntArray) -> FloatArray:
    """Give the rows of a binary tree with a sample a leaf."""
    number = samples.copy()
    number[order] = tree.n_samples + np.arange(len(order))
    Z = np.empty((len(order), 4))
    children = np.argsort(tree.parents, kind="stable")[1:].reshape(-1, 2)  # behind the root, by parent
    pairs = number[children]
    row = number[tree.parents[children[:, 0]]] - tree.n_samples
    Z[row, 0], Z[row, 1] = pairs.min(axis=1), pairs.max(axis=1)
    Z[:, 2], Z[:, 3] = heights[order], tree.sizes[order]
    return Z


def _merges(tree: RootedTree, heights: FloatArray, order: IntArray) -> FloatArray:
    """Give the rows of any tree: parts are merged in turn."""
    made: dict[int, tuple[int, int]] = {}  # node -> (its linkage index, its samples)
    rows: list[tuple[float, float, float, float]] = []
    for node in map(int, order):
        parts = [(int(i), 1) for i in tree.own_samples(node)]
        parts += [made.pop(int(child)) for child in tree.children(node) if tree.sizes[child] > 0]
        if not parts:
            continue
        merged, count = parts[0]
        for other, extra in parts[1:]:
            count += extra
            rows.append((min(merged, other), max(merged, other), heights[node], count))
            merged = tree.n_samples + len(rows) - 1
        made[node] = (merged, count)
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
