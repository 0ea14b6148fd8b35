"""Grow PERCH's tree as the paper says, a twin of the core."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Literal

import numpy as np

Rotations = Literal["none", "masking", "masking+balance"]


@dataclass(eq=False)
class _Node:
    """Hold a growing tree's node: box, number of points, and kin."""

    index: int
    lower: np.ndarray
    upper: np.ndarray
    count: int
    parent: _Node | None = None
    children: tuple[_Node, _Node] | None = None

    @property
    def sibling(self) -> _Node:
        assert self.parent is not None and self.parent.children is not None
        left, right = self.parent.children
        return right if self is left else left

    @property
    def aunt(self) -> _Node | None:
        if self.parent is None or self.parent.parent is None:
            return None
        return self.parent.sibling

    def adopt(self, first: _Node, second: _Node) -> None:
        self.children = (first, second)
        first.parent = second.parent = self
        self.count = first.count + second.count
        self.lower = np.minimum(first.lower, second.lower)
        self.upper = np.maximum(first.upper, second.upper)


def _sum_of_squares(gaps: np.ndarray) -> float:
    return float(np.sum(gaps * gaps))


def _nearest(a: _Node, b: _Node) -> float:
    """Bound the squared distance of a's and b's points from below."""
    return _sum_of_squares(np.maximum(np.maximum(a.lower - b.upper, b.lower - a.upper), 0.0))


def _farthest(a: _Node, b: _Node) -> float:
    """Bound the squared distance of a's and b's points from above."""
    return _sum_of_squares(np.maximum(a.upper - b.lower, b.upper - a.lower))


def _nearest_leaf(root: _Node, leaf: _Node) -> _Node:
    """Search by A*.

    Nodes leave the queue in the order of their boxes' distance to the point.

    At equal distance inner nodes go first and then the lowest index, so that the leaf returned is the
    lowest-numbered one among the nearest.
    """
    queue = [(_nearest(root, leaf), root.children is None, root.index, root)]
    while True:
        _, is_leaf, _, node = heapq.heappop(queue)
        if is_leaf:
            return node
        assert node.children is not None
        for child in node.children:
            heapq.heappush(queue, (_nearest(child, leaf), child.children is None, child.index, child))


def _rotate(node: _Node) -> None:
    """Swap the node's sibling with its aunt.

    The node's parent now holds the node and its aunt.
    """
    parent, sibling, aunt = node.parent, node.sibling, node.aunt
    assert parent is not None and parent.parent is not None and aunt is not None
    grandparent = parent.parent
    parent.adopt(aunt, node)
    grandparent.adopt(parent, sibling)


def _is_masked(node: _Node) -> bool:
    """Say whether a node is masked.

    It is if its aunt's points are nearer to all of its points than its sibling's.
    """
    return node.aunt is not None and _farthest(node, node.aunt) < _nearest(node, node.sibling)


def _rotate_while_masked(node: _Node) -> None:
    while node.parent is not None:
        if _is_masked(node):
            _rotate(node)
        elif node.children is not None:
            return
        node = node.parent


def _improves_balance(node: _Node) -> bool:
    """Say whether the rotation balances the grandparent's sides.

    It brings them nearer in size, and may unmask the node.
    """
    if node.aunt is None:
        return False
    assert node.parent is not None
    difference = node.parent.count - node.aunt.count
    return abs(difference - 2 * node.count) < abs(difference) and (
        _nearest(node, node.aunt) < _farthest(node, node.sibling)
    )


def _rotate_for_balance(node: _Node) -> None:
    while node.parent is not None:
        sibling, parent = node.sibling, node.parent
        smaller_first = (sibling, node) if sibling.count < node.count else (node, sibling)
        for candidate in smaller_first:
            if _improves_balance(candidate):
                _rotate(candidate)
                break
        node = parent


def _collapse_cheapest(nodes: list[_Node]) -> tuple[_Node, _Node, _Node]:
    """Turn the tightest pair of leaves into one leaf.

    The inner node whose two children are leaves with the least bound on their distance.
    """
    cherries = [
        node
        for node in nodes
        if node.children is not None and all(child.children is None for child in node.children)
    ]
    cheapest = min(cherries, key=lambda node: (_farthest(*_children(node)), node.index))
    left, right = _children(cheapest)
    cheapest.children = None
    return cheapest, left, right


def _children(node: _Node) -> tuple[_Node, _Node]:
    assert node.children is not None
    return node.children


def perch(
    X: np.ndarray, rotations: Rotations = "masking+balance", max_leaves: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Build the PERCH tree of the rows of X, taken in order.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite points, in the order of their arrival.
    rotations : {"none", "masking", "masking+balance"}, default="masking+balance"
        Which rotations follow an insertion.
    max_leaves : int or None, default=None
        Bound on the leaves kept (collapsed mode); None keeps every point as a leaf.

    Returns
    -------
    parents : ndarray of shape (n_nodes,)
        Parent of each node, -1 at the root; nodes in the order of their creation, points first.
    leaf_of : ndarray of shape (n_samples,)
        The leaf that holds each point.
    heights : ndarray of shape (n_nodes,)
        Length of the diagonal of each node's bounding box.
    """
    n = len(X)
    owner = {t: t for t in range(n)}
    root = _Node(0, X[0], X[0], 1)
    nodes = [root]
    n_leaves = 1
    for t in range(1, n):
        leaf = _Node(t, X[t], X[t], 1)
        nearest = _nearest_leaf(root, leaf)
        above = nearest.parent
        split = _Node(n + t - 1, X[t], X[t], 0)
        kin = None if above is None else nearest.sibling
        split.adopt(nearest, leaf)
        if above is None:
            split.parent = None
            root = split
        else:
            assert kin is not None
            above.adopt(split, kin)
            while above.parent is not None:
                above = above.parent
                above.adopt(*_children(above))
        nodes += [leaf, split]
        n_leaves += 1
        if rotations != "none":
            _rotate_while_masked(leaf.sibling)
        if rotations == "masking+balance":
            _rotate_for_balance(leaf.sibling)
        if max_leaves is not None and n_leaves > max_leaves:
            collapsed, *gone = _collapse_cheapest(nodes)
            gone_to = {node.index: collapsed.index for node in gone}
            owner = {sample: gone_to.get(holder, holder) for sample, holder in owner.items()}
            nodes = [node for node in nodes if node.index not in gone_to]
            n_leaves -= 1
    nodes.sort(key=lambda node: node.index)
    position = {node.index: place for place, node in enumerate(nodes)}
    parents = [-1 if node.parent is None else position[node.parent.index] for node in nodes]
    return (
        np.array(parents, dtype=np.intp),
        np.array([position[owner[sample]] for sample in range(n)], dtype=np.intp),
        np.array([_sum_of_squares(node.upper - node.lower) ** 0.5 for node in nodes]),
    )
