"""What a measure says of a result, and what chance gives."""

from __future__ import annotations

from typing import NamedTuple


class Scores(NamedTuple):
    """Hold a measure of a result, and its value by chance.

    Attributes
    ----------
    value : float
        The measure.
    permuted : float
        Its exact expectation when the rows of the result are permuted uniformly at random: what its shape is worth.
    corrected : float or None
        A form of the measure that is 0 in expectation under permutation; None where there is none.

    Examples
    --------
    >>> from cladebench.metrics import rand_scores
    >>> value, permuted, corrected = rand_scores([0, 0, 1, 1], [1, 1, 0, 0])
    >>> value, corrected
    (1.0, 1.0)
    """

    value: float
    permuted: float
    corrected: float | None = None
