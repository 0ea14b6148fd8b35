"""Bound leaves of balanced splits, Rand index and adjusted index implied."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from cladebench.paper.feasibility import Range
from cladebench.papers.hmmc.feasibility.rand_index import Sizes, index_of, projection_bound, slack_bounds
from cladebench.papers.hmmc.feasibility.tables import blocks_table, even_table


def adjusted_range(
    classes: Sizes,
    clusters: int,
    index: tuple[Fraction, Fraction],
    cluster_squares: tuple[Fraction, Fraction],
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
    With N pairs, P of one class, Q in one cluster and D on which the partitions differ, ARI = 1 - N (1 - RI) / (P +
    Q - 2 P Q / N): it grows with RI, and with Q while 2 P < N. (P + Q - D) / 2 pairs are in one class and cluster:
    at least 0 and at most P and Q, and no fewer than in `projection_bound`, which all bounds Q.
    """
    n, squares = sum(classes), sum(size**2 for size in classes)
    pairs, of_class = math.comb(n, 2), Fraction(squares - n, 2)
    if 2 * of_class >= pairs:
        raise ValueError("half of the pairs or more are of one class; expected fewer")
    fewest, most = pairs * (1 - index[1]), pairs * (1 - index[0])
    squares_low, squares_high = cluster_squares
    if len(classes) > 2:
        spread = (
            2 * fewest - squares * (1 - Fraction(2, clusters)) - Fraction(2 * n * n, len(classes) * clusters)
        )
        squares_low = max(squares_low, spread / (1 - Fraction(2, len(classes))))
    low = max((squares_low - n) / 2, of_class - most, fewest - of_class)
    high = min((squares_high - n) / 2, of_class + most)
    if low > high or of_class + low == 0:
        return None

    def adjusted(in_cluster: Fraction, differing: Fraction) -> float:
        return float(1 - differing / (of_class + in_cluster - 2 * of_class * in_cluster / pairs))

    return adjusted(low, most), adjusted(high, fewest)


@lru_cache(maxsize=64)
def tree_squares(n: int, leaves: int, slack: Fraction, small: int = 100) -> Fraction:
    """Bound the sum of squared leaf sizes of a tree from above.

    Its binary splits are each balanced within `slack`.

    Parameters
    ----------
    n, leaves : int
    slack : Fraction
    small : int
        Nodes of at most this many rows are not followed: their leaves' squares add up to at most ``small * n``.

    Notes
    -----
    In nodes of more rows, rounding to whole numbers moves a share by 1 / small at most. With shares p and 1 - p of
    a node's two children the squares are p^2 and (1 - p)^2 times theirs: convex in p, so that the largest is at an
    end of its range. O(leaves^2).
    """
    far = min(Fraction(1), (1 + slack) / 2 + Fraction(1, small))
    most = [Fraction(0), Fraction(1)]
    for count in range(2, leaves + 1):
        most.append(max(far**2 * most[k] + (1 - far) ** 2 * most[count - k] for k in range(1, count)))
    return min(Fraction(n * n), most[leaves] * n * n + small * n)


@lru_cache(maxsize=64)
def tree_range(classes: Sizes, leaves: int, slack: Fraction) -> Range:
    """Bound the index over the leaves of trees of balanced splits.

    Whichever leaf is split next.

    The low end is `projection_bound` at `tree_squares`. Attained are the values between a table that knows nothing
    of the classes and one that follows them, for trees whose root gives one side few of the leaves, and which share
    evenly from there on. Exchanging two rows of unlike classes and clusters changes at most 4 times the largest
    class many pairs: `step`.
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
        assumes=f"{n} rows in {len(classes)} classes of known sizes, {leaves} leaves of binary splits with sides "
        f"within {float(slack):g} of half",
        programme="least squares over tables with given sums, and the most uneven tree",
    )


def _trees(n: int, leaves: int, slack: Fraction) -> Iterator[Sizes]:
    """Give leaf sizes of some trees.

    One child of the root, as small or large as allowed, has few of the leaves or half.
    """
    for part in sorted({1, max(1, leaves // 12), max(1, leaves // 6), leaves // 2}):
        for size in slack_bounds(n, 2, slack):
            sides = _halved(size, part, slack), _halved(n - size, leaves - part, slack)
            if sides[0] and sides[1]:
                yield sides[0] + sides[1]


def _halved(n: int, leaves: int, slack: Fraction) -> Sizes:
    """Give leaf sizes of a tree that shares rows within the slack.

    There are none if a leaf is empty.
    """
    if leaves == 1 or n < leaves:
        return (n,) if 1 <= leaves <= n else ()
    low, high = slack_bounds(n, 2, slack)
    left = min(max(n * (leaves // 2) // leaves, low), high)
    sides = _halved(left, leaves // 2, slack), _halved(n - left, leaves - leaves // 2, slack)
    return sides[0] + sides[1] if sides[0] and sides[1] else ()
