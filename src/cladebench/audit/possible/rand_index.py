r"""What the Rand index can be, given sizes of classes and what is known of sizes of clusters.

With class sizes c_i, cluster sizes s_j and n_ij rows of class i in cluster j, two partitions differ on
:math:`D = (\sum c_i^2 + \sum s_j^2 - 2 \sum n_{ij}^2) / 2` pairs, and the index is 1 - D / (n choose 2). Bounds are in
whole numbers and fractions: nothing is rounded, and none rests on a solver having converged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cladebench.audit.possible.ranges import Range
from cladebench.audit.possible.tables import blocks_table, even_table

IntArray = NDArray[np.int64]
Sizes = tuple[int, ...]


def slack_bounds(n: int, parts: int, slack: Fraction) -> tuple[int, int]:
    """Least and greatest size of one of some parts of n rows, the wider whole numbers (and no part empty).

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
    return _index(int(table.sum()), Fraction(squares[0] + squares[1] - 2 * squares[2], 2))


def _index(n: int, differing: Fraction) -> Fraction:
    return 1 - differing / math.comb(n, 2)


@lru_cache(maxsize=64)
def balanced_range(classes: Sizes, clusters: int, slack: Fraction) -> Range:
    """Range of the index over clusterings whose sizes all lie within `slack` of their mean.

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
    exchanges of single rows that keep the sizes within their bounds, and each changes at most 4 times the largest size
    many pairs: `step`.
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
        low=_index(n, differing),
        high=_index(n, _fewest_differing(classes, even, high)),
        attained=((values[0], values[-1]),),
        step=Fraction(4 * high, math.comb(n, 2)),
        assumes=f"{n} rows in {len(classes)} classes of known sizes, {clusters} clusters of {low} to {high} rows",
        programme="a Lagrangian bound in whole numbers",
    )


def most_differing(classes: Sizes, clusters: int, low: int, high: int) -> tuple[Fraction, Sizes]:
    r"""Upper bound on the number of pairs on which balanced clusters differ from classes; sizes near it.

    Returns
    -------
    bound : Fraction
    sizes : tuple of int
        Sizes of clusters that the bound would have: from them an instance is made.

    Notes
    -----
    For any prices u_i of the classes' rows, :math:`\sum_j (s_j^2 - 2 \sum_i n_{ij}^2)` is at most
    :math:`\sum_i u_i c_i + \sum_j h(s_j)`, where h(s) is the largest :math:`s^2 - \sum_i (2 x_i^2 + u_i x_i)` of one cluster
    with s rows: exact, since the cost of each further row of a class grows. The best sizes that add up to n are found by
    a dynamic programme, exact again. The prices here, whole numbers, are those of the continuous optimum: good ones, but
    the bound holds for all. O(clusters^2 (high - low)^2) time.
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
    """Lower bound on the number of differing pairs: sizes no more equal than even, no class in one cluster beyond `high`."""
    own, of_clusters = sum(size**2 for size in classes), sum(size**2 for size in even)
    together = sum(size * min(size, high) for size in classes)
    return max(Fraction(0), Fraction(own + of_clusters - 2 * together, 2))


def even_sizes(n: int, parts: int) -> Sizes:
    """Sizes that differ by one at most."""
    return tuple(n // parts + (k < n % parts) for k in range(parts))


def projection_bound(n: int, class_squares: Fraction, n_classes: int, cluster_squares: Fraction, clusters: int) -> Fraction:
    r"""Lower bound on the index that needs no sizes but their sums of squares.

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
    return _index(n, differing)


def most_squares(n: int, clusters: int, low: int, high: int) -> int:
    """Largest sum of squares of that many sizes between `low` and `high`: all at a bound but one."""
    full, rest = divmod(n - clusters * low, high - low) if high > low else (0, 0)
    sizes = [high] * full + [low] * (clusters - full)
    if rest:
        sizes[full] += rest
    return sum(size**2 for size in sizes)


def class_squares_from_single_linkage(n: int, index: Fraction, largest: Fraction) -> Fraction:
    r"""Upper bound on the classes' sum of squares, from the Rand index that a very uneven partition has.

    Let one cluster have (1 - d) n rows. Then :math:`\sum s_j^2 \le n^2 ((1-d)^2 + d^2)`, and since each row taken from a
    class lowers its square by at most twice its size, :math:`\sum n_{ij}^2 \ge \sum c_i^2 - 2 d m n^2`, where m is the largest
    class's share. Put into D: :math:`\sum c_i^2 \le n^2 - 2 D - 2 d n^2 (1 - d - 2 m)`, and the last term only helps while
    1 - d - 2 m >= 0. A low index has the large cluster: :math:`\sum s_j^2 \ge 2 D - \sum c_i^2`, and a sum of squares is at
    most the largest share, so that 1 - d >= 2 D / n^2 - m.

    Parameters
    ----------
    n : int
    index : Fraction
        The largest that the print allows.
    largest : Fraction
        m: no class has a larger share of the rows (assumed).

    Raises
    ------
    ValueError
        If `largest` is too large for the argument.
    """
    twice = 2 * (1 - index) * math.comb(n, 2)
    if twice / n**2 - 3 * largest < 0:
        raise ValueError(f"largest={largest}: expected at most {float(twice / n**2 / 3):.3f}, a third of the differing share")
    return n**2 - twice


def fitting_balanced_range(
    n: int, n_classes: int, class_squares: Fraction, clusters: int, slack: Fraction
) -> Range:
    """Range of the index over balanced clusterings where of the class sizes only their sum of squares is bounded.

    The low end is `projection_bound`; no instance is at hand, so that nothing is known to be attained.
    """
    low, high = slack_bounds(n, clusters, slack)
    squares = Fraction(most_squares(n, clusters, low, high))
    return Range(
        low=projection_bound(n, class_squares, n_classes, squares, clusters),
        high=Fraction(1),
        attained=(),
        step=Fraction(4 * high, math.comb(n, 2)),
        assumes=f"{n} rows in {n_classes} classes whose squared shares add up to {float(class_squares / n**2):.4f} at most, "
        f"{clusters} clusters of {low} to {high} rows",
        programme="least squares over tables with given sums",
    )


@lru_cache(maxsize=64)
def one_large_range(classes: Sizes, clusters: int) -> Range:
    """Range of the index where one cluster has all rows but clusters - 1, each of which is alone: exact.

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
            _index(n, Fraction(sum(size**2 for size in classes) + of_clusters - 2 * together, 2))
        )
    return Range(
        low=values[0],
        high=values[1],
        attained=((values[0], values[1]),),
        step=Fraction(2 * max(classes), math.comb(n, 2)),
        assumes=f"{n} rows in {len(classes)} classes of known sizes, {alone} rows alone and the rest in one cluster",
        programme="counting",
    )


def adjusted_range(
    classes: Sizes, clusters: int, index: tuple[Fraction, Fraction], cluster_squares: tuple[Fraction, Fraction]
) -> tuple[float, float] | None:
    """Bounds on the adjusted Rand index that a Rand index implies.

    Parameters
    ----------
    classes : tuple of int
    clusters : int
    index : (Fraction, Fraction)
        The Rand index as far as its print goes.
    cluster_squares : (Fraction, Fraction)
        Bounds on the sum of squared cluster sizes.

    Returns
    -------
    (float, float) or None
        None if no partition within the bounds has that index.

    Raises
    ------
    ValueError
        If half of the pairs or more are of one class.

    Notes
    -----
    With N pairs, P of one class, Q in one cluster and D on which the partitions differ, ARI = 1 - N (1 - RI) /
    (P + Q - 2 P Q / N): it grows with RI, and with Q while 2 P < N. (P + Q - D) / 2 pairs are in one class and cluster: at
    least 0 and at most P and Q, and no fewer than in `projection_bound`, which all bounds Q.
    """
    n, own = sum(classes), sum(size**2 for size in classes)
    pairs, of_class = math.comb(n, 2), Fraction(own - n, 2)
    if 2 * of_class >= pairs:
        raise ValueError("half of the pairs or more are of one class; expected fewer")
    fewest, most = pairs * (1 - index[1]), pairs * (1 - index[0])
    squares_low, squares_high = cluster_squares
    if len(classes) > 2:
        spread = 2 * fewest - own * (1 - Fraction(2, clusters)) - Fraction(2 * n * n, len(classes) * clusters)
        squares_low = max(squares_low, spread / (1 - Fraction(2, len(classes))))
    low = max((squares_low - n) / 2, of_class - most, fewest - of_class)
    high = min((squares_high - n) / 2, of_class + most)
    if low > high or of_class + low == 0:
        return None

    def adjusted(in_cluster: Fraction, differing: Fraction) -> float:
        return float(1 - differing / (of_class + in_cluster - 2 * of_class * in_cluster / pairs))

    return adjusted(low, most), adjusted(high, fewest)


def tree_squares(n: int, leaves: int, slack: Fraction, small: int = 100) -> Fraction:
    """Upper bound on the sum of squared leaf sizes of a tree of binary splits, each balanced within `slack`.

    Parameters
    ----------
    n, leaves : int
    slack : Fraction
    small : int
        Nodes of at most this many rows are not followed: their leaves' squares add up to at most ``small * n``.

    Notes
    -----
    In nodes of more rows, rounding to whole numbers moves a share by 1 / small at most. With shares p and 1 - p of a node's
    two children the squares are p^2 and (1 - p)^2 times theirs: convex in p, so that the largest is at an end of its
    range. O(leaves^2).
    """
    far = min(Fraction(1), (1 + slack) / 2 + Fraction(1, small))
    most = [Fraction(0), Fraction(1)]
    for count in range(2, leaves + 1):
        most.append(max(far**2 * most[k] + (1 - far) ** 2 * most[count - k] for k in range(1, count)))
    return min(Fraction(n * n), most[leaves] * n * n + small * n)


@lru_cache(maxsize=64)
def tree_range(classes: Sizes, leaves: int, slack: Fraction) -> Range:
    """Range of the index over the leaves of trees whose binary splits are balanced, whichever leaf is split next.

    The low end is `projection_bound` at `tree_squares`. Attained are the values between a table that knows nothing of the
    classes and one that follows them, for trees whose root gives one side few of the leaves, and which share evenly from there on. Exchanging two rows of unlike
    classes and clusters changes at most 4 times the largest class many pairs: `step`.
    """
    n = sum(classes)
    squares = tree_squares(n, leaves, slack)
    attained = []
    for sizes in _trees(n, leaves, slack):
        values = [index_of(table(classes, sizes)) for table in (even_table, blocks_table)]
        attained.append((min(values), max(values)))
    low = projection_bound(n, Fraction(sum(c**2 for c in classes)), len(classes), squares, leaves)
    return Range(
        low=low,
        high=Fraction(1),
        attained=tuple(attained),
        step=Fraction(4 * max(classes), math.comb(n, 2)),
        assumes=f"{n} rows in {len(classes)} classes of known sizes, {leaves} leaves of binary splits with sides within "
        f"{float(slack):g} of half",
        programme="least squares over tables with given sums, and the most uneven tree",
    )


def _trees(n: int, leaves: int, slack: Fraction) -> Iterator[Sizes]:
    """Leaf sizes of some trees: the root's smaller child, as small or as large as allowed, has few of the leaves or half."""
    for part in sorted({1, max(1, leaves // 12), max(1, leaves // 6), leaves // 2} - {0}):
        for size in slack_bounds(n, 2, slack):
            if part <= size and leaves - part <= n - size:
                yield _halved(size, part, slack) + _halved(n - size, leaves - part, slack)


def _halved(n: int, leaves: int, slack: Fraction) -> Sizes:
    """Leaf sizes of a tree whose splits share rows as they share leaves, as far as the slack allows."""
    if leaves == 1:
        return (n,)
    low, high = slack_bounds(n, 2, slack)
    left = min(max(n * (leaves // 2) // leaves, low), high)
    return _halved(left, leaves // 2, slack) + _halved(n - left, leaves - leaves // 2, slack)
