"""Building a tree from the root down, shared by the divisive methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

Part = TypeVar("Part")


def divide(
    n_samples: int,
    whole: Part,
    split: Callable[[Part], Sequence[Part]],
    samples_of: Callable[[Part], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Split the whole, then its parts, and so on.

    The nodes are numbered in preorder.

    Parameters
    ----------
    n_samples : int
        Number of samples in the whole.
    whole : Part
        All samples, in whatever form `split` wants them.
    split : callable
        Called once for each node, in preorder, with its part: gives two or more smaller parts, or none
        to make the node a leaf.
    samples_of : callable
        The samples of a part that is a leaf.

    Returns
    -------
    parents : ndarray of int64, shape (n_nodes,)
    leaf_of : ndarray of int64, shape (n_samples,)
    """
    parents: list[int] = []
    leaf_of = np.empty(n_samples, dtype=np.int64)
    # A stack, not recursion: a tree may be as deep as it has samples.
    stack = [(-1, whole)]
    while stack:
        parent, part = stack.pop()
        node = len(parents)
        parents.append(parent)
        children = split(part)
        if children:
            stack.extend((node, child) for child in reversed(children))
        else:
            leaf_of[samples_of(part)] = node
    return np.array(parents, dtype=np.int64), leaf_of
