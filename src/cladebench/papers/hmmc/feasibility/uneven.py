"""Class sizes implied by the Rand index of a very uneven partition."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True)
class UnevenPartition:
    r"""A partition with one very large cluster, as of single linkage.

    Its printed Rand index says something of the sizes of classes.

    Parameters
    ----------
    n : int
    index : Fraction
        Its Rand index: the largest that the print allows.
    largest : Fraction
        m: no class has a larger share of the rows.

    Raises
    ------
    ValueError
        If `largest` is too large for the argument.

    Notes
    -----
    Let the largest cluster have (1 - d) n rows. Then :math:`\sum s_j^2 \le n^2 ((1-d)^2 + d^2)`, and since each row
    taken out of a class lowers its square by at most twice its size, :math:`\sum n_{ij}^2 \ge \sum c_i^2 - 2 d m
    n^2`. Put into D: :math:`\sum c_i^2 \le n^2 - 2 D - 2 d n^2 (1 - d - 2 m)`. Further :math:`\sum s_j^2 \ge 2 D -
    \sum c_i^2`, and squared shares add up to the largest share at most, so that :math:`1 - d \ge 2 D / n^2 - m`:
    the last term is not negative where :math:`2 D / n^2 \ge 3 m`.
    """

    n: int
    index: Fraction
    largest: Fraction

    def __post_init__(self) -> None:
        if self._differing <= 3 * self.largest:
            raise ValueError(
                f"largest={float(self.largest):g}: expected less than {float(self._differing / 3):.3f}, a third of the "
                "share of pairs on which the partitions differ"
            )

    @property
    def _differing(self) -> Fraction:
        """2 D / n^2."""
        return 2 * (1 - self.index) * math.comb(self.n, 2) / self.n**2

    @property
    def class_squares(self) -> Fraction:
        """Upper bound on the sum of squared class sizes."""
        return (1 - self._differing) * self.n**2

    def narrowed(self, n_classes: int) -> UnevenPartition:
        """Return the same with the largest share that `class_squares` allows.

        The other classes are equal.
        """
        mean = Fraction(1, n_classes)
        spare = max(Fraction(0), (self.class_squares / self.n**2 - mean) * (1 - mean))
        root = Fraction(math.isqrt(math.ceil(spare * 10**12)) + 1, 10**6)  # rounded up
        return replace(self, largest=min(self.largest, mean + root))

    def outside(self, class_squares: Fraction) -> Fraction:
        """Bound the share of pairs not both in the largest cluster.

        The bound is an upper one, given a lower one on the class squares.
        """
        spare = 1 - self._differing - class_squares / self.n**2
        rows = spare / 2 / (self._differing - 3 * self.largest)
        return max(Fraction(0), 2 * rows * Fraction(self.n, self.n - 1))
