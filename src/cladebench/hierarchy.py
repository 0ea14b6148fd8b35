"""The tree that every hierarchical method returns and every hierarchical measure reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import cladebench._core as _core
from cladebench import tree_cuts, tree_formats
from cladebench.class_labels import class_codes
from cladebench.validation import (
    as_array,
    as_floats,
    as_index,
    check_choice,
    check_integer,
    check_unmasked,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class Hierarchy:
    """Hold a rooted tree over samples, of any arity; immutable.

    Samples sit at nodes: several may share a node (their lowest common ancestor is then that node itself),
    and a sample may sit at an inner node. A node may hold no sample at all.

    Parameters
    ----------
    parents : array-like of int, shape (n_nodes,)
        Parent of each node, -1 at the root. Nodes may come in any order.
    leaf_of : array-like of int, shape (n_samples,)
        Node at which each sample sits.
    heights : array-like of float, shape (n_nodes,), optional
        Merge height of each node, in the units of the method (a distance, as a rule). Not required to be
        monotone.
    node_data : mapping of str to array-like of length n_nodes, optional
        Further values of nodes, by name.
    sample_names : sequence of str, length n_samples, optional
        Names for drawings and Newick; the samples' indices by default.
    edge_lengths : array-like of float, shape (n_nodes,), optional
        Length of the edge above each node, at least 0. The root has none: what stands there is not read.

    Attributes
    ----------
    n_nodes, n_samples, n_leaves : int
        Nodes, samples, and nodes without children.
    root : int
        The root node.
    parents, leaf_of, heights, node_data, sample_names, edge_lengths
        As given, read-only; ``edge_lengths`` is 0 at the root.
    child_ptr, child_index : ndarray of int64, shapes (n_nodes + 1,), (n_nodes - 1,)
        Children of v in the order of their indices: ``child_index[child_ptr[v]:child_ptr[v + 1]]``.
    preorder, depths : ndarray of int64, shape (n_nodes,)
        Nodes in preorder; distance of each node from the root.
    sizes : ndarray of int64, shape (n_nodes,)
        Number of samples below each node, its own included.
    sample_order : ndarray of int64, shape (n_samples,)
        Samples in preorder; those of a node itself come before those of its children.
    first, last : ndarray of int64, shape (n_nodes,)
        The samples below v are ``sample_order[first[v]:last[v]]``.

    Raises
    ------
    ValueError
        If there is not exactly one root, a cycle, an index out of range, no sample, or an array of wrong
        length.

    Notes
    -----
    Construction takes O(n_nodes + n_samples) time and memory, and nothing here recurses: depth is no limit.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> tree.cut(2).tolist()
    [0, 0, 1, 1, 1]
    >>> tree.to_newick()
    '((0,1),(2,(3,4)));'
    >>> tree.samples(tree.lca(2, 4)).tolist()
    [2, 3, 4]
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
        check_unmasked("sample_names", sample_names)
        self.sample_names: tuple[str, ...] | None = (
            None if sample_names is None else tuple(map(str, sample_names))
        )
        if self.sample_names is not None and len(self.sample_names) != self.n_samples:
            raise ValueError(f"sample_names has length {len(self.sample_names)}; expected {self.n_samples}")
        self._complete = True

    # ------------------------------------------------------------------ construction

    @classmethod
    def from_parents(
        cls, parents: npt.ArrayLike, leaf_of: npt.ArrayLike, heights: npt.ArrayLike | None = None
    ) -> Hierarchy:
        """Build from parents of nodes and nodes of samples.

        See the class for the arguments.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_parents([-1, 0, 0], leaf_of=[1, 1, 2])
        >>> tree.to_newick()
        '((0,1),2);'
        """
        return cls(parents, leaf_of, heights)

    @classmethod
    def from_linkage(cls, Z: npt.ArrayLike) -> Hierarchy:
        """Build from a linkage matrix as SciPy's.

        Node i < n_samples holds sample i, at height 0; row k makes node n_samples + k.

        Parameters
        ----------
        Z : array-like, shape (n_samples - 1, >= 3)
            Two merged nodes and their height in each row; further columns are not read.

        Raises
        ------
        ValueError
            If a row merges a node that does not exist yet or has been merged before, or Z is not finite.

        Examples
        --------
        >>> from cladebench import Hierarchy, linkage
        >>> Z = linkage([[0.0], [1.0], [5.0]], method="single")
        >>> Hierarchy.from_linkage(Z).to_newick()
        '(2:4.0,(0:1.0,1:1.0):3.0);'
        """
        return cls(*tree_formats.read_linkage(Z))

    @classmethod
    def from_nested(cls, nested: Sequence[Any]) -> Hierarchy:
        """Build from nested lists of sample indices.

        An example is ``[[0, 1], [2, [3, 4]]]``.

        Every list is a node and every integer a leaf of its own below the list it stands in; nodes are
        numbered in preorder. An empty list is a leaf without samples.

        Raises
        ------
        ValueError
            If the integers are not exactly 0..n_samples-1, each once.
        TypeError
            If something is neither a list (or tuple) nor an integer.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        Hierarchy(n_nodes=9, n_leaves=5, n_samples=5)
        """
        return cls(*tree_formats.read_nested(nested))

    # ------------------------------------------------------------------ structure

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

    def lca(self, i: npt.ArrayLike, j: npt.ArrayLike) -> Any:
        """Find the lowest common ancestor of samples i and j.

        Of a sample with itself it is its own node.

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

    def cut(self, n_leaves: int, by: str = "height") -> IntArray:
        """Cut the tree into at most `n_leaves` clusters, from the top down.

        The node with the largest height (the most samples, if there are no heights; the lowest index among
        equals) is split next into its children; samples that sit at it become a cluster of their own. The
        first split that would exceed `n_leaves` ends the cut, so the cuts of one tree are nested. Samples
        that share a leaf stay together, so there can be fewer clusters than asked for.

        Parameters
        ----------
        n_leaves : int
            The largest number of clusters, at least 1. With two children a node and one sample a leaf there are exactly
            so many.
        by : {"height", "size"}, default="height"
            "size" splits the node with the most samples next, and is balanced: no cut of the tree into at most
            `n_leaves` clusters has a smaller largest cluster.

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            Cluster of each sample, numbered 0, 1, ... from left to right.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.cut(3).tolist()
        [0, 0, 1, 2, 2]
        """
        begins: list[int] = []  # positions in sample_order at which a cluster begins
        for node in self.splits(n_leaves, by):
            begins += self.first[self.parts(node)].tolist()
        return tree_cuts.from_begins(self, begins)

    def cut_at(self, height: float) -> IntArray:
        """Cut the tree at a height.

        Nodes above the height are split, from the root down; samples that sit at one become a cluster of their own. Of
        a node that is not split all below stays together, even if heights rise there.

        Parameters
        ----------
        height : float

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            Cluster of each sample, numbered 0, 1, ... from left to right.

        Raises
        ------
        ValueError
            If the tree has no heights.

        Examples
        --------
        >>> from cladebench import Hierarchy, linkage
        >>> tree = Hierarchy.from_linkage(linkage([[0.0], [1.0], [5.0]], method="single"))
        >>> tree.cut_at(2.0).tolist()
        [1, 1, 0]
        """
        return tree_cuts.cut_at(self, height)

    def stable_clusters(self, min_size: int) -> IntArray:
        """Find the clusters that last longest while the height falls.

        Parameters
        ----------
        min_size : int
            Samples that a cluster needs, at least 2. Smaller parts drop out of their cluster.

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            Cluster of each sample, numbered 0, 1, ... from left to right; -1 for samples of none.

        Raises
        ------
        ValueError
            If the tree has no heights, or negative ones.

        Notes
        -----
        A cluster begins at the height at which it parts from another. For each sample it ends where that leaves it. The
        time between is counted in inverse heights, and added up over the samples. Of clusters within each other those
        are taken that last longest together. The whole is none. This is HDBSCAN's choice, from any tree.

        Time O(n_samples / min_size) at best, O(n_samples) at worst.

        References
        ----------
        R. J. G. B. Campello, D. Moulavi, J. Sander, Density-based clustering based on hierarchical density estimates,
        PAKDD 2013.

        Examples
        --------
        >>> from cladebench import Hierarchy, linkage
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [20.0]]
        >>> tree = Hierarchy.from_linkage(linkage(X, method="single"))
        >>> tree.stable_clusters(min_size=3).tolist()
        [0, 0, 0, 1, 1, 1, -1]
        """
        return tree_cuts.stable_clusters(self, min_size)

    def condensed(self, min_size: int) -> Hierarchy:
        """Return the tree of its large clusters alone: HDBSCAN's condensed tree.

        Each node but the whole is a cluster of at least `min_size` samples. It begins where at least two such parts
        come out of one cluster. Smaller parts drop out of their cluster, and sit at its node.

        Parameters
        ----------
        min_size : int
            Samples that a cluster needs, at least 2.

        Returns
        -------
        Hierarchy
            Node 0 is the whole. ``node_data["begins"]`` has the height below which a cluster is apart, infinite for the
            whole. ``node_data["stability"]`` sums over its samples how long they stay, in inverse heights, by which
            `stable_clusters` chooses.

        Raises
        ------
        ValueError
            If the tree has no heights, or negative ones.

        Examples
        --------
        >>> from cladebench import Hierarchy, linkage
        >>> X = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0], [20.0]]
        >>> tree = Hierarchy.from_linkage(linkage(X, method="single"))
        >>> large = tree.condensed(min_size=3)
        >>> large.to_newick(), large.node_data["begins"].tolist()
        ('(6,(0,1,2),(3,4,5));', [inf, 3.0, 3.0])
        >>> large.node_data["stability"].round(2).tolist()
        [2.08, 2.0, 2.0]
        """
        parents, leaf_of, node_data = tree_cuts.condensed(self, min_size)
        return Hierarchy(parents, leaf_of, node_data=node_data, sample_names=self.sample_names)

    def dynamic_clusters(self, min_size: int, depth: int = 1) -> IntArray:
        """Find the branches that are tight inside and stand apart.

        Parameters
        ----------
        min_size : int
            Samples that a cluster needs, at least 2.
        depth : int, default=1
            0 to 4; more splits into more and smaller clusters. The default is the default of the authors' program.

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            Cluster of each sample, numbered 0, 1, ... from left to right; -1 for samples of none.

        Raises
        ------
        ValueError
            If the tree has no heights.

        Notes
        -----
        A branch is a cluster if it has `min_size` samples, its core is low, and it merges high above its core.
        Its core are the first ``min_size / 2 + sqrt(size - min_size / 2)`` samples. The height of the core is the mean
        over pairs of the height at which the later one joins. It is ``low + s (cut - low)`` at most. The gap is
        ``0.75 (1 - s) (cut - low)`` at least. For depths 0 to 4, s is 0.64, 0.73, 0.82, 0.91 and 0.95. The 5% quantile
        of the heights is ``low``. At 99% of the way from there to the highest is ``cut``, and nothing joins above it.
        Branches that meet become one if at most one of them is a cluster. Else those that are none are left out.
        A node lower than one below it counts as high as that.

        These are the conditions of Dynamic Hybrid. It takes mean dissimilarities within the core, which a tree does not
        have, and it then gives samples of no cluster to the nearest one.

        Time O(n_samples log n_samples) for the sort, and O(sqrt(n_samples)) for each two branches that meet.

        References
        ----------
        P. Langfelder, B. Zhang, S. Horvath, Defining clusters from a hierarchical cluster tree: the Dynamic Tree Cut
        package for R, Bioinformatics 24, 2008.

        Examples
        --------
        >>> from cladebench import Hierarchy, linkage
        >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.3], [20.0]]
        >>> tree = Hierarchy.from_linkage(linkage(X, method="average"))
        >>> tree.dynamic_clusters(min_size=3).tolist()
        [0, 0, 0, 1, 1, 1, -1]
        """
        return tree_cuts.dynamic_clusters(self, min_size, depth)

    def parts(self, node: int) -> list[int]:
        """List the children of a node that have samples below.

        Samples of the node itself are a further part, not listed.
        """
        return [int(child) for child in self.children(node) if self.sizes[child] > 0]

    def splits(self, n_leaves: int, by: str = "height") -> list[int]:
        """List the nodes that `cut` splits, in order.

        They are split to reach at most `n_leaves` clusters.
        """
        check_integer("n_leaves", n_leaves, minimum=1)
        check_choice("by", by, ("height", "size"))
        return [node for node, _ in takewhile(lambda step: step[1] <= n_leaves, tree_cuts.splits(self, by))]

    def truncated(self, n_leaves: int) -> Hierarchy:
        """Return the top of the tree, down to ``cut(n_leaves)``.

        All below these clusters is left out.

        The samples below a cluster sit at its node, which becomes a leaf; heights, edge lengths and node data of the
        nodes that stay are kept, and so is their order.

        Parameters
        ----------
        n_leaves : int
            As in `cut`.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.truncated(2).to_newick()
        '((0,1),(2,3,4));'
        """
        kept = np.zeros(self.n_nodes, dtype=bool)
        kept[self.root] = True
        for node in self.splits(n_leaves):
            kept[self.parts(node)] = True
        new_index = np.cumsum(kept) - 1
        leaf_of = np.empty(self.n_samples, dtype=np.int64)
        # In preorder the deepest kept node above a sample is the last that writes to its place.
        for node in self.preorder[kept[self.preorder]]:
            leaf_of[self.sample_order[self.first[node] : self.last[node]]] = new_index[node]
        return self._with_nodes(kept, self.parents, leaf_of, self.edge_lengths)

    def class_counts(self, labels: npt.ArrayLike, *, dtype: npt.DTypeLike = np.int64) -> npt.NDArray[Any]:
        """Count the samples of each class below each node.

        Parameters
        ----------
        labels : array-like, shape (n_samples,)
            Class of each sample, all strings, numbers or dates; columns follow the sorted distinct values.
        dtype : {int64, int32}, default=int64
            Type of the counts. int32 takes half the memory, but squares of counts from 46,341 on do not fit into it.

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
        Time and memory grow with the table: 1,000,000 leaves and 50 classes take 763 MiB, or 381 MiB of int32.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.class_counts([0, 0, 1, 1, 1])[tree.root].tolist()
        [2, 3]
        """
        kind = np.dtype(dtype)
        if kind not in (np.dtype(np.int32), np.dtype(np.int64)):
            raise ValueError(f"dtype is {kind}; expected int64 or int32")
        classes, codes = class_codes(labels, self.n_samples)
        counts = np.zeros((self.n_nodes, len(classes)), dtype=kind)
        _core.class_counts(self._tree, codes.astype(np.int32), counts)
        return counts

    # ------------------------------------------------------------------ conversion

    def pruned(self) -> Hierarchy:
        """Return the tree without empty nodes and unary chains.

        Empty nodes hold no sample below.

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
        own = np.bincount(self.leaf_of, minlength=self.n_nodes)
        kept = has_samples & ((own > 0) | (live_children > 1))
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
    ) -> Hierarchy:
        """Make the tree of some of the nodes.

        Their parents are among them; `leaf_of` has their new numbers.
        """
        new_index = np.cumsum(kept) - 1
        return Hierarchy(
            np.where(parents[kept] >= 0, new_index[parents[kept]], -1),
            leaf_of,
            None if self.heights is None else self.heights[kept],
            {name: values[kept] for name, values in self.node_data.items()},
            self.sample_names,
            None if lengths is None else lengths[kept],
        )

    def to_newick(self) -> str:
        """Write the tree in Newick format.

        Nodes without samples and unary chains are left out.

        Tips are samples, named by `sample_names` or by index, in quotes where a name has more than letters, digits and
        ``.+-``; a node's samples come before its children. Branches have the edge lengths; without these, but with
        heights, that above a node is height(parent) - height(node). Samples that share their node hang on edges of
        length 0, or at height 0.

        Raises
        ------
        ValueError
            If a name has control characters, half a surrogate pair, or nothing but ``(),:;'``; or the difference of two
            heights is infinite.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.to_newick()
        '((0,1),(2,(3,4)));'
        """
        return tree_formats.write_newick(self.pruned())

    def to_linkage(self) -> FloatArray:
        """Write the tree as a linkage matrix like SciPy's.

        Parts beyond two are merged from left to right.

        Rows are sorted by height; a node whose height lies below that of a descendant comes right after it.
        Without heights, the height of a merge is the number of samples below its node (so that the cophenetic
        distance of two samples is the size of their lowest common ancestor).

        Returns
        -------
        ndarray of float64, shape (n_samples - 1, 4)
            Merged nodes (the lower index first), height, number of samples.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> Hierarchy.from_nested([[0, 1], 2]).to_linkage().tolist()
        [[0.0, 1.0, 2.0, 2.0], [2.0, 3.0, 3.0, 3.0]]
        """
        return tree_formats.write_linkage(self)

    # ------------------------------------------------------------------ drawing

    def plot(self, ax: Axes | None = None, labels: npt.ArrayLike | None = None, max_leaves: int = 30) -> Axes:
        """Draw the tree as a dendrogram.

        Nodes stand at their heights or, without heights, at the number of samples below them (logarithmic).
        Large trees are cut as by `cut`, and what lies below is collapsed into a triangle; the root is split
        in any case. Below each leaf stands its number of samples (or its sample's name).

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        labels : array-like, shape (n_samples,), optional
            Classes: branches take the colour of the class of more than half of their samples (grey if there
            is none), and a bar under each leaf shows the shares of the classes.
        max_leaves : int, default 30
            Number of leaves to show at most, unless the root alone has more parts.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from cladebench.tree_drawing import draw_hierarchy

        return draw_hierarchy(self, ax, labels, max_leaves)

    def plot_unrooted(self, ax: Axes | None = None, labels: npt.ArrayLike | None = None) -> Axes:
        """Draw the tree without a root.

        Nodes spread over the plane; edges are as long as they are.

        Edges have their lengths, or length 1 where the tree has none. Large trees take long: beyond 300 nodes the
        layout is the plain one by equal angles, up to there gaps between branches are evened out (equal daylight).

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        labels : array-like, shape (n_samples,), optional
            Classes: the marker of a node has the colour and shape of the class of more than half of its samples (grey
            if there is none).

        Returns
        -------
        matplotlib.axes.Axes

        References
        ----------
        Felsenstein (2004), Inferring phylogenies, chapter 34 (both layouts).
        """
        from cladebench.unrooted_drawing import draw_unrooted

        return draw_unrooted(self, ax, labels)

    def _repr_svg_(self) -> str | None:
        from cladebench.tree_drawing import picture

        return picture(self)

    # ------------------------------------------------------------------ the rest

    def _checked(self, name: str, given: npt.ArrayLike) -> FloatArray:
        values = as_floats(name, given).copy()
        if values.shape != (self.n_nodes,):
            raise ValueError(f"{name} has shape {values.shape}; expected ({self.n_nodes},)")
        is_length = name == "edge_lengths"
        if is_length:
            values[self.root] = 0.0
        wrong = ~np.isfinite(values) | (is_length & (values < 0))
        if wrong.any():
            at = int(np.argmax(wrong))
            what = "finite and at least 0" if is_length else "finite numbers"
            raise ValueError(f"{name}[{at}] is {values[at]}; expected {what}")
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
        return Hierarchy, (
            self.parents,
            self.leaf_of,
            self.heights,
            data,
            self.sample_names,
            self.edge_lengths,
        )

    def __repr__(self) -> str:
        return f"Hierarchy(n_nodes={self.n_nodes}, n_leaves={self.n_leaves}, n_samples={self.n_samples})"
