"""Rooted trees over samples: nodes, and values of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import cladebench._core as _core
from cladebench.class_labels import class_codes
from cladebench.validation import as_array, as_floats, as_index, check_integer, check_unmasked

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def as_names(sample_names: Sequence[str]) -> tuple[str, ...]:
    """Read the names of samples.

    TypeError if they are no sequence, or one text, whose letters would be taken for names.
    """
    check_unmasked("sample_names", sample_names)
    if isinstance(sample_names, str | bytes) or not np.iterable(sample_names):
        raise TypeError(f"sample_names is {type(sample_names).__name__}; expected a sequence of names")
    return tuple(map(str, sample_names))


class RootedTree:
    """Hold nodes, samples and values of nodes; immutable.

    Cuts, notations and drawings read it. `cladebench.hierarchy.Hierarchy` is the class to use, and describes all
    parameters and attributes.
    """

    _complete = False  # from the end of construction on, nothing can be set

    def __init__(
        self,
        parents: npt.ArrayLike,
        leaf_of: npt.ArrayLike,
        heights: npt.ArrayLike | None = None,
        node_data: Mapping[str, npt.ArrayLike] | None = None,
        sample_names: Sequence[str] | None = None,
        edge_lengths: npt.ArrayLike | None = None,
    ) -> None:
        tree = _core.Tree(as_index("parents", parents), as_index("leaf_of", leaf_of))
        self._tree = tree
        self.root: int = tree.root
        self.parents: IntArray = tree.parents
        self.leaf_of: IntArray = tree.leaf_of
        self.child_ptr: IntArray = tree.child_ptr
        self.child_index: IntArray = tree.child_index
        self.preorder: IntArray = tree.preorder
        self.depths: IntArray = tree.depths
        self.sizes: IntArray = tree.sizes
        self.sample_order: IntArray = tree.sample_order
        self.first: IntArray = tree.first
        self.last: IntArray = tree.last
        self.heights: FloatArray | None = None if heights is None else self._checked("heights", heights)
        self.edge_lengths: FloatArray | None = (
            None if edge_lengths is None else self._checked("edge_lengths", edge_lengths)
        )
        self.node_data: Mapping[str, npt.NDArray[Any]] = MappingProxyType(
            {name: self._checked_node_data(name, values) for name, values in (node_data or {}).items()}
        )
        self.sample_names: tuple[str, ...] | None = None if sample_names is None else as_names(sample_names)
        if self.sample_names is not None and len(self.sample_names) != self.n_samples:
            raise ValueError(f"sample_names has length {len(self.sample_names)}; expected {self.n_samples}")
        self._complete = True

    @property
    def n_nodes(self) -> int:
        """Count the nodes."""
        return len(self.parents)

    @property
    def n_samples(self) -> int:
        """Count the samples."""
        return len(self.leaf_of)

    @property
    def n_leaves(self) -> int:
        """Count the nodes without children."""
        return int(np.count_nonzero(np.diff(self.child_ptr) == 0))

    def children(self, node: int) -> IntArray:
        """List the children of a node, in the order of their indices.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.children(tree.root).tolist()
        [1, 4]
        """
        self._check_node(node)
        return self.child_index[self.child_ptr[node] : self.child_ptr[node + 1]]

    def samples(self, node: int) -> IntArray:
        """List the samples below a node, in left-to-right order.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.samples(tree.children(tree.root)[1]).tolist()
        [2, 3, 4]
        """
        self._check_node(node)
        return self.sample_order[self.first[node] : self.last[node]]

    def own_samples(self, node: int) -> IntArray:
        """List the samples that sit at a node itself."""
        children = self.children(node)
        end = self.first[children[0]] if len(children) else self.last[node]
        return self.sample_order[self.first[node] : end]

    def parts(self, node: int) -> list[int]:
        """List the children of a node that have samples below.

        Samples of the node itself are a further part, not listed.
        """
        return [int(child) for child in self.children(node) if self.sizes[child] > 0]

    def lca(self, i: npt.ArrayLike, j: npt.ArrayLike) -> Any:
        """Find the lowest common ancestor of samples i and j.

        A sample with itself has its own node.

        Parameters
        ----------
        i, j : int or array-like of int
            Samples; broadcast against each other.

        Returns
        -------
        int or ndarray of int64
            Nodes, in the broadcast shape. O(log n_samples) a pair.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.lca(0, 1), tree.lca(0, 4) == tree.root
        (1, True)
        """
        a, b = np.broadcast_arrays(as_array("i", i, "integers"), as_array("j", j, "integers"))
        for samples in (a, b):
            if samples.size and samples.dtype.kind not in "iu":
                raise TypeError(f"samples have dtype {samples.dtype}; expected integers")
            outside = (samples < 0) | (samples >= self.n_samples)
            if outside.any():
                raise ValueError(
                    f"sample {samples[outside][0]} does not exist; expected 0..{self.n_samples - 1}"
                )
        u, v = (self.leaf_of[samples.ravel().astype(np.int64, copy=False)] for samples in (a, b))
        nodes = self._tree.lca(u, v).reshape(a.shape)
        return nodes if nodes.ndim else int(nodes)

    def class_counts(self, labels: npt.ArrayLike, *, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
        """Count the samples of each class below each node.

        Parameters
        ----------
        labels : array-like, shape (n_samples,)
            Class of each sample, all strings, numbers or dates; columns follow the sorted distinct values.
        dtype : {int32, int64}, optional
            Type of the counts: by default int32, or int64 of 2^31 samples or more. Squares of counts from 46,341 on do
            not fit into int32: ask for int64 where counts are multiplied.

        Returns
        -------
        ndarray of `dtype`, shape (n_nodes, n_classes)
            A dense table, meant for drawing and inspection; the measures do not need it.

        Raises
        ------
        ValueError
            If there is not one label for each sample, one is missing, or `dtype` is another or cannot hold n_samples.

        Notes
        -----
        Time and memory grow with the table: 1,000,000 leaves and 50 classes take 381 MiB, or 763 MiB of int64.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.class_counts([0, 0, 1, 1, 1])[tree.root].tolist()
        [2, 3]
        """
        smallest = np.int32 if self.n_samples <= np.iinfo(np.int32).max else np.int64
        kind = np.dtype(smallest if dtype is None else dtype)
        if kind not in (np.dtype(np.int32), np.dtype(np.int64)):
            raise ValueError(f"dtype is {kind}; expected int64 or int32")
        classes, codes = class_codes(labels, self.n_samples)
        counts = np.empty((self.n_nodes, len(classes)), dtype=kind)
        _core.class_counts(self._tree, codes.astype(np.int32), counts)
        return counts

    def pruned(self) -> Self:
        """Return the tree without unary chains and nodes without samples below.

        A node with neither samples of its own nor two children that have samples gives way to the one below
        it; heights and node data of the nodes that stay are kept, and so is their order. The edge lengths of
        a chain add up.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_parents([-1, 0, 1, 1], leaf_of=[2, 3])
        >>> tree.n_nodes, tree.pruned().n_nodes
        (4, 3)
        """
        has_samples = self.sizes > 0
        not_root = self.parents >= 0
        live_children = np.bincount(self.parents[not_root & has_samples], minlength=self.n_nodes)
        n_held = np.bincount(self.leaf_of, minlength=self.n_nodes)
        kept = has_samples & ((n_held > 0) | (live_children > 1))
        if kept.all():
            return self
        # Each pass doubles the chain that a node's pointer jumps over.
        nearest = self.parents.copy()
        lengths = None if self.edge_lengths is None else self.edge_lengths.copy()
        while (skip := (nearest >= 0) & ~kept[nearest]).any():
            if lengths is not None:
                lengths[skip] += lengths[nearest[skip]]
            nearest[skip] = nearest[nearest[skip]]
        return self._with_nodes(kept, nearest, (np.cumsum(kept) - 1)[self.leaf_of], lengths)

    def _with_nodes(
        self, kept: npt.NDArray[np.bool_], parents: IntArray, leaf_of: IntArray, lengths: FloatArray | None
    ) -> Self:
        """Make the tree of some of the nodes.

        Their parents are among them; `leaf_of` has their new numbers.
        """
        new_index = np.cumsum(kept) - 1
        return type(self)(
            np.where(parents[kept] >= 0, new_index[parents[kept]], -1),
            leaf_of,
            None if self.heights is None else self.heights[kept],
            {name: values[kept] for name, values in self.node_data.items()},
            self.sample_names,
            None if lengths is None else lengths[kept],
        )

    def _checked(self, name: str, given: npt.ArrayLike) -> FloatArray:
        values = as_floats(name, given).copy()
        if values.shape != (self.n_nodes,):
            raise ValueError(f"{name} has shape {values.shape}; expected ({self.n_nodes},)")
        if name == "edge_lengths":
            values[self.root] = 0.0
        wrong = ~np.isfinite(values)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(f"{name}[{at}] is {values[at]}; expected finite numbers")
        values.flags.writeable = False
        return values

    def _checked_node_data(self, name: str, data: npt.ArrayLike) -> npt.NDArray[Any]:
        values = as_array(f"node_data[{name!r}]", data, "values").copy()
        if values.ndim == 0 or len(values) != self.n_nodes:
            raise ValueError(f"node_data[{name!r}] has shape {values.shape}; expected {self.n_nodes} rows")
        values.flags.writeable = False
        return values

    def _check_node(self, node: int) -> None:
        check_integer("node", node)
        if not 0 <= node < self.n_nodes:
            raise ValueError(f"node {node} does not exist; expected 0..{self.n_nodes - 1}")

    def __setattr__(self, name: str, value: Any) -> None:
        if self._complete:
            raise AttributeError(f"{name} cannot be set: a Hierarchy is immutable; make another one")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} cannot be deleted: a Hierarchy is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        data = dict(self.node_data)
        return type(self), (
            self.parents,
            self.leaf_of,
            self.heights,
            data,
            self.sample_names,
            self.edge_lengths,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_nodes={self.n_nodes}, n_leaves={self.n_leaves}, n_samples={self.n_samples})"


def raised(tree: RootedTree, heights: FloatArray) -> FloatArray:
    """Raise nodes to the height of what is below them."""
    below = np.flatnonzero(tree.parents >= 0)
    if not (heights[tree.parents[below]] < heights[below]).any():
        return heights
    parents, top = tree.parents.tolist(), heights.tolist()
    for node in tree.preorder[:0:-1].tolist():
        top[parents[node]] = max(top[parents[node]], top[node])
    return np.array(top)
