"""Trees over classes from lists of edges."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import DatasetError


def read_edges(content: bytes, file: str) -> dict[int, int]:
    """Parent of each node but the root, from lines "parent child".

    Parameters
    ----------
    content : bytes
    file : str
        Its name, for messages.

    Raises
    ------
    DatasetError
        A line is not two numbers, a node has two parents, or there is a cycle.
    """
    parents: dict[int, int] = {}
    for line in content.decode("utf-8", "replace").splitlines():
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 2 or not all(field.isascii() and field.isdigit() for field in fields):
            raise DatasetError(f"{file}: expected lines of parent and child, found {line!r}")
        parent, child = map(int, fields)
        if parents.setdefault(child, parent) != parent:
            raise DatasetError(
                f"{file}: expected one parent of node {child}, found {parents[child]} and {parent}"
            )
    for start in parents:
        node, steps = start, 0
        while node in parents:
            node, steps = parents[node], steps + 1
            if steps > len(parents):
                raise DatasetError(f"{file}: expected a tree, found a cycle at node {start}")
    return parents


def class_tree(parents: Mapping[int, int], classes: list[int]) -> NDArray[np.intp]:
    """Parents in the tree of the classes and their ancestors, chains kept.

    Node c is ``classes[c]``.

    The further nodes follow in the order of their numbers in the file; the root has the parent -1.
    """
    above: set[int] = set()
    for node in classes:
        while node in parents and parents[node] not in above:
            node = parents[node]
            above.add(node)
    nodes = [*classes, *sorted(above - set(classes))]
    index = {node: place for place, node in enumerate(nodes)}
    return np.array([index[parents[node]] if node in parents else -1 for node in nodes], dtype=np.intp)
