r"""Bounds of the Rand index under known class and cluster sizes.

With class sizes c_i, cluster sizes s_j and n_ij rows of class i in cluster j, two partitions differ on :math:`D =
(\sum c_i^2 + \sum s_j^2 - 2 \sum n_{ij}^2) / 2` pairs, and the index is 1 - D / (n choose 2). Bounds are in whole
numbers and fractions: nothing is rounded, and none rests on a solver having converged.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cladebench.paper.feasibility import Range
from cladebench.papers.hmmc.feasibility.tables import blocks_table, even_table

IntArray = NDArray[np.int64]
Sizes = tuple[int, ...]


def slack_bounds(n: int, parts: int, slack: Fraction) -> tuple[int, int]:
    """Give least and greatest size of parts of n rows, none empty.

    They are the wider whole numbers.

    Parameters
    ----------
    slack : Fraction
        0.1 for sizes between 0.9 and 1.1 of the mean.
    """
    mean = Fraction(n, parts)
    return max(1, math.floor((1 - slack) * mean)), min(n, math.ceil((1 + slack) * mean))


def index_of(table: IntArray) -> Fraction:
    """Rand index of a table of counts, shape (n_classes, n_clusters)."""
    squares = [int((part.astype(object) ** 2).sum()) for part in (table.sum(1), table.sum(0), table)]
    return index_from(int(table.sum()), Fraction(squares[0] + squares[1] - 2 * squares[2], 2))


def index_from(n: int, differing: Fraction) -> Fraction:
    """Compute the Rand index from the number of differing pairs.

    It is of two partitions of n rows.
    """
    return 1 - differing / math.comb(n, 2)


@lru_cache(maxsize=64)
def balanced_range(classes: Sizes, clusters: int, slack: Fraction) -> Range:
    """Bound the index over clusterings with sizes near their mean.

    All lie within `slack` of it.

    Parameters
    ----------
    classes : tuple of int
        Rows of each class.
    clusters : int
    slack : Fraction

    Returns
    -------
    Range
        Both ends proven; `attained` lies between two tables at hand.

    Notes
    -----
    The low end is a Lagrangian bound: see `most_differing`. Any two balanced clusterings are joined by moves and
    exchanges of single rows that keep the sizes within their bounds, and each changes at most 4 times the largest
    size many pairs: `step`.
    """
    n = sum(classes)
    low, high = slack_bounds(n, clusters, slack)
    if not clusters * low <= n <= clusters * high:
        raise ValueError(f"{clusters} clusters of {low} to {high} rows: expected sizes that add up to {n}")
    differing, sizes = most_differing(classes, clusters, low, high)
    even = even_sizes(n, clusters)
    tables = [even_table(classes, sizes), even_table(classes, even), blocks_table(classes, even)]
    values = sorted(index_of(table) for table in tables)
    return Range(
        low=index_from(n, differing),
        high=index_from(n, _fewest_differing(classes, even, high)),
        attained=((values[0], values[-1]),),
        step=Fraction(4 * high, math.comb(n, 2)),
        assumes=f"{n} rows in {len(classes)} classes of known sizes, {clusters} clusters of {low} to {high} rows",
        programme="a Lagrangian bound in whole numbers",
    )


def most_differing(classes: Sizes, clusters: int, low: int, high: int) -> tuple[Fraction, Sizes]:
    r"""Bound the pairs on which balanced clusters differ from classes.

    The bound is an upper one on their number. It comes with sizes near it.

    Returns
    -------
    bound : Fraction
    sizes : tuple of int
        Sizes of clusters that the bound would have: from them an instance is made.

    Notes
    -----
    For any prices u_i of the classes' rows, :math:`\sum_j (s_j^2 - 2 \sum_i n_{ij}^2)` is at most :math:`\sum_i u_i
    c_i + \sum_j h(s_j)`, where h(s) is the largest :math:`s^2 - \sum_i (2 x_i^2 + u_i x_i)` of one cluster with s
    rows: exact, since the cost of each further row of a class grows. The best sizes that add up to n are found by a
    dynamic programme, exact again. The prices here, whole numbers, are those of the continuous optimum: good ones,
    but the bound holds for all. O(clusters^2 (high - low)^2) time.
    """
    n = sum(classes)
    prices = [round(Fraction(-4 * size, clusters)) for size in classes]
    further = np.concatenate(
        [
            4 * np.arange(min(size, high), dtype=np.int64) + 2 + price
            for size, price in zip(classes, prices, strict=True)
        ]
    )
    cost = np.concatenate([[0], np.cumsum(np.sort(further))])
    high = min(high, len(cost) - 1)
    choices = np.arange(low, high + 1, dtype=np.int64)
    gain = choices**2 - cost[choices]
    nothing = np.iinfo(np.int64).min // 4
    best = np.zeros(1, dtype=np.int64)  # at place t: clusters so far have t rows more than `low` each
    taken: list[IntArray] = []
    for _ in range(clusters):
        following = np.full(len(best) + high - low, nothing)
        choice = np.zeros(len(following), dtype=np.int64)
        for extra, value in enumerate(gain.tolist()):
            part = following[extra : extra + len(best)]
            better = best + value > part
            part[better] = (best + value)[better]
            choice[extra : extra + len(best)][better] = extra
        best = following
        taken.append(choice)
    place = n - clusters * low
    total = int(best[place]) + sum(u * size for u, size in zip(prices, classes, strict=True))
    sizes = []
    for choice in reversed(taken):
        sizes.append(low + int(choice[place]))
        place -= int(choice[place])
    return Fraction(total + sum(size**2 for size in classes), 2), tuple(sizes)


def _fewest_differing(classes: Sizes, even: Sizes, high: int) -> Fraction:
    """Bound the number of differing pairs from below.

    Clusters are even at best, and no class has more than `high` rows in one cluster.
    """
    of_classes, of_clusters = sum(size**2 for size in classes), sum(size**2 for size in even)
    together = sum(size * min(size, high) for size in classes)
    return max(Fraction(0), Fraction(of_classes + of_clusters - 2 * together, 2))


def even_sizes(n: int, parts: int) -> Sizes:
    """Sizes that differ by one at most."""
    return tuple(n // parts + (k < n % parts) for k in range(parts))


def projection_bound(
    n: int, class_squares: Fraction, n_classes: int, cluster_squares: Fraction, clusters: int
) -> Fraction:
    r"""Bound the index from below by sums of squares alone.

    It needs no other sizes.

    Of all tables of numbers with the sums c_i and s_j the one with the least squares is
    :math:`n_{ij} = c_i / F + s_j / C - n / (F C)`, so that :math:`\sum n_{ij}^2` is at least
    :math:`\sum c_i^2 / F + \sum s_j^2 / C - n^2 / (F C)`.

    Parameters
    ----------
    n : int
    class_squares, cluster_squares : Fraction
        Upper bounds on the sums of squared sizes.
    n_classes, clusters : int
        C and F, at least 2 each.
    """
    differing = (
        class_squares * (1 - Fraction(2, clusters))
        + cluster_squares * (1 - Fraction(2, n_classes))
        + Fraction(2 * n * n, n_classes * clusters)
    ) / 2
    return index_from(n, differing)


def most_squares(n: int, clusters: int, low: int, high: int) -> int:
    """Give the largest sum of squares of sizes within bounds.

    All sizes are at a bound, `low` or `high`, but one.
    """
    full, rest = divmod(n - clusters * low, high - low) if high > low else (0, 0)
    sizes = [high] * full + [low] * (clusters - full)
    if rest:
        sizes[full] += rest
    return sum(size**2 for size in sizes)


def fitting_balanced_range(
    n: int, n_classes: int, class_squares: Fraction, clusters: int, slack: Fraction
) -> Range:
    """Bound the index over balanced clusterings of bounded class squares.

    Only the sum of squares of the class sizes is bounded.

    The low end is `projection_bound`; no instance is at hand, so that nothing is known to be attained.
    """
    low, high = slack_bounds(n, clusters, slack)
    squares = Fraction(most_squares(n, clusters, low, high))
    return Range(
        low=projection_bound(n, class_squares, n_classes, squares, clusters),
        high=Fraction(1),
        attained=(),
        step=Fraction(4 * high, math.comb(n, 2)),
        assumes=f"{n} rows in {n_classes} classes whose squared shares add up to at most "
        f"{float(class_squares / n**2):.4f}, {clusters} clusters of {low} to {high} rows",
        programme="least squares over tables with given sums",
    )


@lru_cache(maxsize=64)
def one_large_range(classes: Sizes, clusters: int) -> Range:
    """Give the exact range of the index for one large cluster.

    It has all rows but clusters - 1. Each of the others is alone.

    Which rows are alone decides: most pairs agree if they come from the smallest classes, fewest if always from the
    largest one.
    """
    n, alone = sum(classes), clusters - 1
    values = []
    for smallest in (False, True):
        left = sorted(classes)
        for _ in range(alone):
            at = next(k for k, size in enumerate(left) if size) if smallest else left.index(max(left))
            left[at] -= 1
        together = sum(size**2 for size in left) + alone
        of_clusters = (n - alone) ** 2 + alone
        values.append(
            index_from(n, Fraction(sum(size**2 for size in classes) + of_clusters - 2 * together, 2))
        )
    return Range(
        low=values[0],
        high=values[1],
        attained=((values[0], values[1]),),
        step=Fraction(2 * max(classes), math.comb(n, 2)),
        assumes=f"{n} rows in {len(classes)} classes of known sizes, {alone} rows alone and the rest in one cluster",
        programme="counting",
    )
