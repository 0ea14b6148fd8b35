"""How well a hierarchy of samples agrees with a tree of classes: shortest path and path sharing, exact from counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.validation import as_index

IntArray = npt.NDArray[np.int64]
Kind: TypeAlias = Literal["shortest_path", "path_sharing"]

#: Entries of a block of rows of the table of all pairs of nodes (8 MiB an array; half a dozen stand at a time).
BLOCK = 2**20


def semantic_similarity(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> float:
    """Agreement of the samples' similarities in a hierarchy with those of their classes in a class tree.

    One minus the mean squared difference, over all unordered pairs of distinct samples, between the pair's
    similarity in `hierarchy` and that of its classes in `class_tree`. Of two nodes of a tree the similarity is

    - "shortest_path" (SP): 1 - edges between them / edges of the longest path in that tree between nodes at
      which samples (or classes) sit; 1 throughout, where all sit at one node;
    - "path_sharing" (PS): nodes that their branches from the root share / nodes of the longer branch, both
      ends of a branch included.

    Parameters
    ----------
    hierarchy : Hierarchy or array-like of int, shape (n_samples,)
        A tree over the samples, of any arity; or the clusters of a flat method, any integers: a pair then has
        similarity 1 in one cluster and 0 otherwise, for both kinds. (A tree that hangs those clusters below
        its root is the same for "shortest_path", but has path sharing 1/2 across clusters.)
    labels : array-like of int, shape (n_samples,)
        Class of each sample, in 0..n_classes-1; classes may have no sample.
    class_tree : Hierarchy
        A tree whose samples are the classes: class c sits at node ``class_tree.leaf_of[c]``, at any depth,
        at an inner node too. All its classes, with samples or without, count for the longest path.
    kind : {"shortest_path", "path_sharing"}, default "shortest_path"
        The similarity, in both trees.

    Returns
    -------
    float
        In [0, 1], larger is better (the paper prints 100 times that); 1 if the similarities agree.

    Raises
    ------
    ValueError
        If `kind` is unknown, `labels` or the clusters are not integers or not as many as the samples, the class
        tree lacks the class of a sample, or there are fewer than two samples (a mean over nothing).
    TypeError
        If `hierarchy` is neither a Hierarchy nor an array, or `class_tree` is not a Hierarchy.

    Notes
    -----
    A pair counts through the nodes of its samples and their classes alone, so that the table of counts, nodes x
    classes, determines the measure and no pair of samples is enumerated. Given the trees, with L nodes that hold
    samples, C classes and B different lengths of the classes' branches ("shortest_path": B = 1) it takes
    O(n + L^2 C + B L C^2) time and O(n + L C + C^2) memory; the L x L table of pairs of nodes is made by blocks
    of rows. Numerators and denominators are whole numbers and are added up exactly, whatever their size: the
    result is within 1e-15 of the exact one, and depends on neither order, node numbers nor number of threads.

    References
    ----------
    Zhou, Hwang, Schmidt, Sigal and Mori (2015), Hierarchical maximum-margin clustering, arXiv:1502.01827, section
    5, "Performance measures". Fergus, Bernal, Weiss and Torralba (2010), Semantic label sharing for learning with
    many categories, ECCV (path sharing). Harispe, Ranwez, Janaqi and Montmain (2013), Semantic measures for the
    comparison of units of language, concepts or entities from text and knowledge base analysis, arXiv:1310.1285
    (shortest path).
    """
    if kind not in get_args(Kind):
        raise ValueError(f"kind is {kind!r}; expected one of {', '.join(map(repr, get_args(Kind)))}")
    if not isinstance(class_tree, Hierarchy):
        raise TypeError(
            f"class_tree is {type(class_tree).__name__}; expected a Hierarchy whose samples are the classes"
        )
    if isinstance(hierarchy, Hierarchy):
        learned = _Places.in_tree(hierarchy, kind)
    else:
        learned = _Places.in_clusters(_clusters(hierarchy))
    codes = _class_labels(labels, learned.n_samples, class_tree.n_samples)
    if learned.n_samples < 2:
        raise ValueError(
            f"n_samples is {learned.n_samples}; expected at least 2: the measure is a mean over pairs"
        )
    classes = _Places.in_tree(class_tree, kind)
    shape = learned.n_places, classes.n_places
    cell = np.ravel_multi_index((learned.place_of, classes.place_of[codes]), shape)
    counts = np.bincount(cell, minlength=math.prod(shape)).reshape(shape)
    error = _squared_error(learned, classes, counts)
    return 1.0 - min(max(error / math.comb(learned.n_samples, 2), 0.0), 1.0)


@dataclass(frozen=True)
class _Places:
    """The nodes of a tree at which samples sit, in preorder, and the dissimilarities (1 - similarity) of any two.

    A dissimilarity is a quotient of whole numbers. Its denominator is that of the later of the two places in the
    order of depths (the first in preorder among equals is the earlier): path sharing divides by the longer branch.

    Parameters
    ----------
    kind : str
        As for `semantic_similarity`.
    depths : ndarray of int64, shape (n_places,)
    joins : ndarray of int64, shape (n_places - 1,)
        Depth of the lowest common ancestor of each place and the next.
    place_of : ndarray of int64, shape (n_samples,)
        Place of each sample.
    """

    kind: Kind
    depths: IntArray
    joins: IntArray
    place_of: IntArray

    @classmethod
    def in_tree(cls, tree: Hierarchy, kind: Kind) -> _Places:
        """Find the places of a tree's samples; O(n_samples + n_places log n_samples)."""
        nodes = tree.leaf_of[tree.sample_order]
        begins = np.concatenate([[True], nodes[1:] != nodes[:-1]])
        one_of_each = tree.sample_order[begins]
        place_of = np.empty(tree.n_samples, dtype=np.int64)
        place_of[tree.sample_order] = np.cumsum(begins) - 1
        joins = tree.depths[tree.lca(one_of_each[:-1], one_of_each[1:])]
        return cls(kind, tree.depths[nodes[begins]], joins, place_of)

    @classmethod
    def in_clusters(cls, clusters: IntArray) -> _Places:
        """Hang clusters below one root: as far from each other as two places can be."""
        names, place_of = np.unique(clusters, return_inverse=True)
        depths = np.ones(len(names), dtype=np.int64)
        return cls("shortest_path", depths, np.zeros(max(len(names) - 1, 0), dtype=np.int64), place_of)

    @property
    def n_places(self) -> int:
        return len(self.depths)

    @property
    def n_samples(self) -> int:
        return len(self.place_of)

    @property
    def largest(self) -> int:
        """A bound on the numerators and the denominators."""
        return 2 * int(self.depths.max()) + 1

    @cached_property
    def rank(self) -> IntArray:
        """Rank of each place in the order of depths."""
        rank = np.empty(self.n_places, dtype=np.int64)
        rank[np.argsort(self.depths, kind="stable")] = np.arange(self.n_places)
        return rank

    def denominators(self) -> IntArray:
        """Denominator of each place, with any that comes before it in the order of depths."""
        if self.kind == "path_sharing":
            return self.depths + 1
        # The place farthest from the root (from anywhere, in fact) is an end of a longest path.
        end = int(np.argmax(self.depths))
        longest = int(self._edges(end, end + 1).max())
        return np.full(self.n_places, max(longest, 1))  # where all paths are empty the numerators are 0

    def numerators(self, start: int, stop: int) -> IntArray:
        """Numerators of some places with all, shape (stop - start, n_places); 0 with later ones: a pair counts once."""
        if self.kind == "path_sharing":
            values = self.depths[start:stop, None] - self._common_depths(start, stop)
        else:
            values = self._edges(start, stop)
        values *= self.rank < self.rank[start:stop, None]
        return values

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of places whose rows of the table of all pairs have about `BLOCK` entries."""
        step = max(1, BLOCK // self.n_places)
        for start in range(0, self.n_places, step):
            yield start, min(start + step, self.n_places)

    def _edges(self, start: int, stop: int) -> IntArray:
        edges = self._common_depths(start, stop)
        edges *= -2
        edges += self.depths
        edges += self.depths[start:stop, None]
        return edges

    def _common_depths(self, start: int, stop: int) -> IntArray:
        """Depths of the lowest common ancestors of some places with all.

        In preorder, that of two places is the least deep of those of neighbours from the one to the other: a row
        follows from the one above to the left of the diagonal, and from the one below to the right of it.
        """
        common = np.empty((stop - start, self.n_places), dtype=np.int64)
        common[0, :start] = np.minimum.accumulate(self.joins[:start][::-1])[::-1]
        common[-1, stop:] = np.minimum.accumulate(self.joins[stop - 1 :])
        places = np.arange(start, stop)
        common[places - start, places] = self.depths[start:stop]
        for place in range(start + 1, stop):
            row = place - start
            np.minimum(common[row - 1, :place], self.joins[place - 1], out=common[row, :place])
        for place in range(stop - 2, start - 1, -1):
            row = place - start
            np.minimum(common[row + 1, place + 1 :], self.joins[place], out=common[row, place + 1 :])
        return common


def _squared_error(learned: _Places, classes: _Places, counts: IntArray) -> float:
    """Sum of squared differences of dissimilarities over unordered pairs, from counts (n_places, n_classes).

    The square is multiplied out. Each of the three sums is one of whole numbers for each denominator, in floating
    point while that is exact (so that a fast product of matrices serves), in integers from there on; what rounds
    is a quotient for each denominator, and nothing cancels before.
    """
    n, largest = int(counts.sum()), max(learned.largest, classes.largest)
    # Sums over a row stay below n * largest^2, sums over all pairs below n^2 * largest^2.
    in_row: Any = np.float64 if n * largest**2 < 2**53 else object
    in_all: Any = np.int64 if (n * largest) ** 2 < 2**63 else object
    table = counts.astype(in_row)

    squares, to_classes = [], []
    for start, stop in learned.blocks():
        rows = learned.numerators(start, stop).astype(in_row)
        squares.append((rows * rows) @ table.sum(axis=1))
        to_classes.append(rows @ table)
    learned_squares = _integers(np.concatenate(squares), in_all) * counts.sum(axis=1)
    weights = _integers(np.concatenate(to_classes), in_all)

    once = classes.numerators(0, classes.n_places).astype(in_row)
    class_squares = _integers((once * once) @ table.sum(axis=0), in_all) * counts.sum(axis=0)
    both_ways = once + once.T
    divisor, divisors = learned.denominators(), classes.denominators()
    divisor_of_pair = np.maximum.outer(divisors, divisors)

    terms = [total / d**2 for d, total in _totals(divisor, learned_squares)]
    terms += [total / d**2 for d, total in _totals(divisors, class_squares)]
    for e in np.unique(divisors).tolist():
        to_learned = _integers(table @ np.where(divisor_of_pair == e, both_ways, 0), in_all)
        products = (to_learned * weights).sum(axis=1)
        terms += [-2 * total / (d * e) for d, total in _totals(divisor, products)]
    return math.fsum(terms)


def _integers(values: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
    """Turn whole numbers below 2^53 in floating point into integers; those of an object array are integers already."""
    return values if values.dtype == object else values.astype(np.int64).astype(dtype)


def _totals(keys: IntArray, values: npt.NDArray[Any]) -> list[tuple[int, int]]:
    """Add up integers by key: (key, total) in ascending order of keys, as integers without limit."""
    distinct, group = np.unique(keys, return_inverse=True)
    totals = np.zeros(len(distinct), dtype=values.dtype)
    np.add.at(totals, group, values)
    return list(zip(distinct.tolist(), map(int, totals), strict=True))


def _clusters(given: Any) -> IntArray:
    """Return the clusters of a flat method as integers; TypeError if they are not an array."""
    try:
        array = np.asarray(given)
    except ValueError as error:  # rows of several lengths
        raise ValueError(f"hierarchy is not an array of integers: {error}") from error
    if array.ndim == 0 or array.dtype == object:
        raise TypeError(
            f"hierarchy is {type(given).__name__}; expected a Hierarchy (estimator.hierarchy_ is that of a fitted "
            "method), or an array of integers: the clusters of a flat method"
        )
    return as_index("hierarchy", array)


def _class_labels(labels: npt.ArrayLike, n_samples: int, n_classes: int) -> IntArray:
    """Return the labels as integers in 0..n_classes-1, one for each sample."""
    codes = as_index("labels", labels)
    if len(codes) != n_samples:
        raise ValueError(
            f"labels has length {len(codes)}; expected {n_samples}, as many as the hierarchy's samples"
        )
    outside = (codes < 0) | (codes >= n_classes)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(f"labels[{at}] is {codes[at]}; expected a class of class_tree: 0..{n_classes - 1}")
    return codes
