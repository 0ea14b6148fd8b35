"""The tree that every hierarchical method returns and every hierarchical measure reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cladebench import newick, tree_clusters, tree_cuts, tree_formats
from cladebench.rooted_tree import RootedTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Hierarchy(RootedTree):
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
        Length of the edge above each node. Neighbour joining may give negative ones, which drawings show as 0. The
        root has none: what stands there is not read.

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

    # ------------------------------------------------------------------ construction

    @classmethod
    def from_parents(
        cls,
        parents: npt.ArrayLike,
        leaf_of: npt.ArrayLike,
        heights: npt.ArrayLike | None = None,
        *,
        sample_names: Sequence[str] | None = None,
    ) -> Hierarchy:
        """Build a hierarchy from parents of nodes and nodes of samples.

        The arguments are those of the class.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_parents([-1, 0, 0], leaf_of=[1, 1, 2], sample_names=["a", "b", "c"])
        >>> tree.to_newick()
        '((a,b),c);'
        """
        return cls(parents, leaf_of, heights, sample_names=sample_names)

    @classmethod
    def from_linkage(cls, Z: npt.ArrayLike, *, sample_names: Sequence[str] | None = None) -> Hierarchy:
        """Build from a linkage matrix as SciPy's.

        Node i < n_samples holds sample i, at height 0; row k makes node n_samples + k.

        Parameters
        ----------
        Z : array-like, shape (n_samples - 1, >= 3)
            Two merged nodes and their height in each row; further columns are not read.
        sample_names : sequence of str, length n_samples, optional
            Such as the index of the data frame that was clustered.

        Raises
        ------
        ValueError
            If a row merges a node that does not exist yet or has been merged before, Z is not finite, or there is not a
            name for each sample.

        Examples
        --------
        >>> from cladebench import Hierarchy, linkage
        >>> Z = linkage([[0.0], [1.0], [5.0]], method="single")
        >>> Hierarchy.from_linkage(Z).to_newick()
        '(2:4.0,(0:1.0,1:1.0):3.0);'
        >>> Hierarchy.from_linkage(Z, sample_names=["x", "y", "z"]).to_newick()
        '(z:4.0,(x:1.0,y:1.0):3.0);'
        """
        return cls(*tree_formats.read_linkage(Z), sample_names=sample_names)

    @classmethod
    def from_nested(cls, nested: Sequence[Any], *, sample_names: Sequence[str] | None = None) -> Hierarchy:
        """Build from nested lists of sample indices.

        An example is ``[[0, 1], [2, [3, 4]]]``.

        Every list is a node and every integer a leaf of its own below the list it stands in; nodes are
        numbered in preorder. An empty list is a leaf without samples. ``sample_names`` are those of the class.

        Raises
        ------
        ValueError
            If the integers are not exactly 0..n_samples-1, each once, or there is not a name for each.
        TypeError
            If something is neither a list (or tuple) nor an integer.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        Hierarchy(n_nodes=9, n_leaves=5, n_samples=5)
        """
        return cls(*tree_formats.read_nested(nested), sample_names=sample_names)

    @classmethod
    def from_newick(
        cls, text: str, *, sample_names: Sequence[str] | None = None, heights: bool = False
    ) -> Hierarchy:
        """Build from text in Newick format.

        Tips are samples, and nodes are numbered in preorder. Tips named 0..n_samples-1 are numbers of samples, as
        `to_newick` writes them without names. Other tips are samples in the order of the text, with their names.

        Parameters
        ----------
        text : str
            One tree and a semicolon. Names may stand in single quotes, without which an underscore is a blank. Comments
            in square brackets are passed over, and so is a byte-order mark.
        sample_names : sequence of str, length n_samples, optional
            Names of all tips, in the order that the samples are to have, such as the index of a data frame.
        heights : bool, default=False
            Also give each node the height of its farthest tip below it, for a text that was a dendrogram. These are the
            heights that `to_newick` wrote, up to rounding, if all tips stood at height 0. No length may be negative.

        Returns
        -------
        Hierarchy
            ``edge_lengths`` has the lengths of branches, in their units, and is None if there is none. Negative ones,
            as neighbour joining may give, stay as they are. Names of inner nodes, such as support values, are
            ``node_data["name"]``.

        Raises
        ------
        ValueError
            If the text is no tree, with line and column. If tips share a name, or some branches alone have a length. If
            heights are wanted, and no branch has a length or one is negative. If `sample_names` are not those of tips.
        TypeError
            If ``text`` is something else, such as a path, or ``sample_names`` is no sequence.

        Notes
        -----
        Takes O(n) time and memory for n characters, without recursion.

        References
        ----------
        Olsen (1990), Interpretation of the "Newick's 8:45" tree format standard.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_newick("((cat:1, 'big dog':2):0.5 [pets], car:3);")
        >>> tree.sample_names
        ('cat', 'big dog', 'car')
        >>> Hierarchy.from_newick(tree.to_newick(), sample_names=["car", "cat", "big dog"]).cut(2).tolist()
        [1, 0, 0]
        """
        return cls(**newick.read_newick(text, sample_names, heights))

    # ------------------------------------------------------------------ cuts

    cut = tree_cuts.cut
    cut_at = tree_cuts.cut_at
    splits = tree_cuts.splits
    truncated = tree_cuts.truncated
    stable_clusters = tree_clusters.stable_clusters
    condensed = tree_clusters.condensed
    dynamic_clusters = tree_clusters.dynamic_clusters

    # ------------------------------------------------------------------ notations and drawings

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
            If samples share a name, for readers of trees tell tips by their names; if a name has control characters,
            half a surrogate pair, or nothing but ``(),:;'``; or the difference of two heights is infinite.

        See Also
        --------
        from_newick : reads it.

        Examples
        --------
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> tree.to_newick()
        '((0,1),(2,(3,4)));'
        """
        return newick.write_newick(self.pruned())

    def to_linkage(self) -> npt.NDArray[np.float64]:
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
            Given ones are shrunk by what the legend and the bars take, unless the figure has a layout engine, such as
            "constrained", which makes room itself.

        Raises
        ------
        TypeError
            If ``ax`` is something else, such as labels.
        ValueError
            If there is not one label for each sample, one is missing, or ``max_leaves`` is below 1.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> ax = tree.plot(Figure(layout="constrained").add_subplot(), labels=["a", "a", "b", "b", "b"])
        >>> ax.get_ylabel(), [text.get_text() for text in ax.get_legend().get_texts()]
        ('samples below', ['a', 'b'])
        """
        from cladebench.tree_drawing import draw_hierarchy

        return draw_hierarchy(self, ax, labels, max_leaves)

    def plot_unrooted(self, ax: Axes | None = None, labels: npt.ArrayLike | None = None) -> Axes:
        """Draw the tree without a root.

        Nodes spread over the plane. Edges are as long as they are.

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
            Given ones are shrunk by what the legend takes; see `plot`.

        Raises
        ------
        TypeError
            If ``ax`` is something else, such as labels.
        ValueError
            If there is not one label for each sample, or one is missing.

        References
        ----------
        Felsenstein (2004), Inferring phylogenies, chapter 34 (both layouts).

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from cladebench import Hierarchy
        >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
        >>> ax = tree.plot_unrooted(Figure(layout="constrained").add_subplot())
        >>> [text.get_text() for text in ax.texts]
        ['0', '1', '2', '3', '4']
        """
        from cladebench.unrooted_drawing import draw_unrooted

        return draw_unrooted(self, ax, labels)

    def _repr_svg_(self) -> str | None:
        from cladebench.tree_drawing import picture

        return picture(self)
