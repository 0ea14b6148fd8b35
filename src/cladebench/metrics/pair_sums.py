"""Compute moments of dissimilarities in trees over all pairs of samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

import cladebench._core as _core
from cladebench.hierarchy import Hierarchy

IntArray = npt.NDArray[np.int64]
Kind: TypeAlias = Literal["shortest_path", "path_sharing", "path_sharing_without_root"]

#: Sums are whole numbers of at most 40 digits, up to their denominators: 100 digits are as good as exact.
PRECISE = Context(prec=100)

#: Quotients of whole numbers are added up as multiples of 2^-BITS, faster than as decimals: 60 digits behind the point.
BITS = 200

#: Dissimilarities that differ at all do so by more than 1e-14 in trees of less than 1e7 levels: in the variance over
#: 1e18 pairs that is more than 1e-46. What is below is rounding, and the variance is 0.
LEAST_VARIANCE = Decimal("1e-48")


@dataclass(frozen=True)
class PairMoments:
    """Average dissimilarities, 1 - similarity, over unordered pairs of distinct samples.

    Attributes
    ----------
    learned, learned_squared : Decimal
        Of the dissimilarity in the hierarchy, and of its square.
    true, true_squared : Decimal
        The same in the tree of the classes.
    product : Decimal
        Of the product of both.
    """

    learned: Decimal
    learned_squared: Decimal
    true: Decimal
    true_squared: Decimal
    product: Decimal

    @property
    def agreement(self) -> float:
        """One minus the mean squared difference."""
        return self._without(self.product)

    @property
    def permuted(self) -> float:
        """Give the agreement expected when the rows are permuted at random.

        Each pair of one tree meets each of the other.
        """
        return self._without(PRECISE.multiply(self.learned, self.true))

    @property
    def correlation(self) -> float:
        """Give Pearson's correlation; 0 if a side is constant over pairs."""
        with localcontext(PRECISE):
            variances = [self.learned_squared - self.learned**2, self.true_squared - self.true**2]
            if min(variances) < LEAST_VARIANCE:
                return 0.0
            covariance = self.product - self.learned * self.true
            return min(max(float(covariance / (variances[0] * variances[1]).sqrt()), -1.0), 1.0)

    @property
    def best_constant(self) -> float:
        """Give the score of the best constant.

        One minus the mean squared difference from the best number that is the same for all pairs.
        """
        with localcontext(PRECISE):
            return float(1 - (self.true_squared - self.true**2))

    def _without(self, product: Decimal) -> float:
        with localcontext(PRECISE):
            return float(1 - (self.learned_squared + self.true_squared - 2 * product))


def pair_moments(
    hierarchy: Hierarchy, codes: IntArray, class_tree: Hierarchy, kind: Kind, flat: bool
) -> PairMoments:
    """Compute the moments, exactly, from counts.

    Parameters
    ----------
    hierarchy : Hierarchy
        At least two samples.
    codes : ndarray of int64, shape (n_samples,)
        Class of each sample: a sample of `class_tree`.
    class_tree : Hierarchy
    kind : str
        See `cladebench.metrics.semantic_similarity`.
    flat : bool
        Whether the hierarchy is a root with clusters below it, of which any two are at dissimilarity 1.

    Notes
    -----
    Dissimilarities are quotients of whole numbers. Those of the hierarchy are added up by denominator, that is by the
    depth of the deeper sample; those of the classes are brought to a common denominator, or to a few where it would be
    too large.
    """
    n, n_pairs = hierarchy.n_samples, math.comb(hierarchy.n_samples, 2)
    classes, places = np.unique(codes, return_inverse=True)
    labels = np.asarray(places, dtype=np.int32)
    learned: _EdgeSums | _LevelSums
    if flat or kind == "shortest_path":
        learned = _EdgeSums(hierarchy)
    else:
        learned = _LevelSums(hierarchy, with_root=kind == "path_sharing")
    counts = np.bincount(labels).astype(object)
    # In the kernel, sums over a row stay below 2^62 then, and those over all pairs below 2^126.
    limit = 2**62 // n
    with localcontext(PRECISE):
        first, second = learned.moments()
        true = true_squared = product = Decimal(0)
        for denominator, weights in _true_dissimilarities(class_tree, classes, kind, limit):
            once = weights.astype(object)
            true += Decimal(counts @ once @ counts) / (2 * denominator)
            true_squared += Decimal(counts @ (once * once) @ counts) / (2 * denominator**2)
            product += learned.products(labels, weights) / denominator
        return PairMoments(*(total / n_pairs for total in (first, second, true, true_squared, product)))


class _EdgeSums:
    """Edges between two samples, over those of the longest path."""

    def __init__(self, tree: Hierarchy) -> None:
        self.tree, self.longest = tree, _longest_path(tree)
        self.depth_of = tree.depths[tree.leaf_of]

    def moments(self) -> tuple[Decimal, Decimal]:
        """Sums over pairs of the quotient and of its square; O(n_nodes).

        The edges are x + y - 2 z, with the depths x and y of two samples and z of their lowest common ancestor. A pair
        is below z nodes other than the root, so that z is a sum over nodes.
        """
        tree, n = self.tree, self.tree.n_samples
        exact = np.int64 if 8 * (n * int(tree.depths.max() + 1)) ** 2 < 2**63 else object
        depth = self.depth_of.astype(exact)
        sums = np.zeros(n + 1, dtype=exact)
        np.cumsum(depth[tree.sample_order], out=sums[1:])
        inner = np.delete(np.arange(tree.n_nodes), tree.root)
        below, sizes = sums[tree.last[inner]] - sums[tree.first[inner]], tree.sizes[inner].astype(exact)
        pairs = sizes * (sizes - 1) // 2
        x, xx = int(depth.sum()), int((depth * depth).sum())
        z, zz = int(pairs.sum()), int((pairs * (2 * tree.depths[inner] - 1)).sum())
        x_plus_y_times_z = int((below * (sizes - 1)).sum())
        edges = (n - 1) * x - 2 * z
        squares = (n - 2) * xx + x * x - 4 * x_plus_y_times_z + 4 * zz
        return Decimal(edges) / self.longest, Decimal(squares) / self.longest**2

    def products(self, labels: npt.NDArray[np.int32], weights: IntArray) -> Decimal:
        """Sum quotient times weight of the two classes over pairs."""
        depths = np.bincount(labels, self.depth_of).astype(np.int64).astype(object)  # far below 2^53
        # The depth of a sample counts with each other one; with itself, and with its class, the weight is 0.
        both = depths @ weights.astype(object) @ np.bincount(labels).astype(object)
        shared = sum(_pair_sums(self.tree, labels, weights, self.tree.depths))
        return Decimal(both - 2 * shared) / self.longest


class _LevelSums:
    """Sum shares of the longer branch's nodes that are not shared.

    The root counts as one of them or not.
    """

    def __init__(self, tree: Hierarchy, with_root: bool) -> None:
        self.tree = tree
        depth_of = tree.depths[tree.leaf_of]
        # Where lowest common ancestors do not matter, a chain that has the samples at the same depths will do.
        self.chain = Hierarchy(np.arange(-1, int(depth_of.max())), depth_of)
        self.denominators = [max(depth + with_root, 1) for depth in range(self.chain.n_nodes)]

    def moments(self) -> tuple[Decimal, Decimal]:
        """Sums over pairs of the quotient and of its square; O(n_nodes)."""
        one, depths = np.ones((1, 1), dtype=np.int64), self.tree.depths
        alike = np.zeros(self.tree.n_samples, dtype=np.int32)
        pairs = _pair_sums(self.chain, alike, one, np.ones_like(self.chain.depths))
        shared, squares = (_pair_sums(self.tree, alike, one, values) for values in (depths, depths * depths))
        first, second = 0, 0
        for m, (d, p, s, ss) in enumerate(zip(self.denominators, pairs, shared, squares, strict=True)):
            first += ((m * p - s) << BITS) // d
            second += ((m * m * p - 2 * m * s + ss) << BITS) // d**2
        return Decimal(first) / 2**BITS, Decimal(second) / 2**BITS

    def products(self, labels: npt.NDArray[np.int32], weights: IntArray) -> Decimal:
        """Sum quotient times weight of the two classes over pairs."""
        pairs = _pair_sums(self.chain, labels, weights, np.ones_like(self.chain.depths))
        shared = _pair_sums(self.tree, labels, weights, self.tree.depths)
        total = 0
        for m, (d, p, s) in enumerate(zip(self.denominators, pairs, shared, strict=True)):
            total += ((m * p - s) << BITS) // d
        return Decimal(total) / 2**BITS


def _pair_sums(
    tree: Hierarchy, labels: npt.NDArray[np.int32], weights: IntArray, values: IntArray
) -> list[int]:
    """Sum products over pairs by the depth of the deeper sample.

    The products are values[lowest common ancestor] * weights[classes].
    """
    high, low = _core.pair_sums(tree._tree, labels, weights, values)
    return [(h << 64) + rest for h, rest in zip(high.tolist(), low.tolist(), strict=True)]


def _longest_path(tree: Hierarchy) -> int:
    """Count the edges of the longest path between two samples.

    The deepest sample is an end; 1 where all paths are empty.
    """
    depth_of = tree.depths[tree.leaf_of]
    end = int(np.argmax(depth_of))
    ancestors = tree.lca(end, np.arange(tree.n_samples))
    return max(int((depth_of + depth_of[end] - 2 * tree.depths[ancestors]).max()), 1)


def _true_dissimilarities(
    tree: Hierarchy, classes: IntArray, kind: Kind, limit: int
) -> list[tuple[int, IntArray]]:
    """Give the dissimilarities of some classes in whole numbers.

    They come as denominators, and as tables of whole numbers whose quotients add up to them.

    There is one denominator, the least common multiple of all, unless it exceeds `limit`.
    """
    depth = tree.depths[tree.leaf_of[classes]]
    common = tree.depths[tree.lca(classes[:, None], classes)]
    if kind == "shortest_path":
        edges = np.ascontiguousarray(depth[:, None] + depth - 2 * common)
        return [(_longest_path(tree), edges)]
    deeper = np.maximum.outer(depth, depth)
    denominators = np.maximum(deeper + (kind == "path_sharing"), 1)
    groups: list[list[int]] = [[]]
    for d in np.unique(denominators).tolist():
        if groups[-1] and math.lcm(*groups[-1], d) > limit:
            groups.append([])
        groups[-1].append(d)
    tables = []
    for group in groups:
        multiple = math.lcm(*group)
        factors = np.where(np.isin(denominators, group), multiple // denominators, 0)
        tables.append((multiple, (deeper - common) * factors))
    return tables
