"""The median of a matrix of pairs, without a second matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

#: Rows and columns that are looked at together: a tile of 2 MB.
TILE = 512
#: So many numbers are sorted, or summed, at once.
FEW = TILE * TILE
#: Bits of a number by which one pass counts.
DIGIT = 16


def median_square(squares: FloatArray) -> float:
    """Compute the median squared distance of two rows.

    Parameters
    ----------
    squares : ndarray of shape (n, n)
        At least 0. The numbers above the diagonal count.

    Returns
    -------
    float
        Where more than half of the pairs are equal, the mean; 1 if all are. To the last bit what NumPy says of the
        numbers in a row.

    Notes
    -----
    O(n^2) time: passes over the matrix, at most six. 10 MB of memory.
    """
    n_pairs = len(squares) * (len(squares) - 1) // 2
    if not n_pairs:
        return 1.0
    return _median(squares, n_pairs) or _sum(squares, 0, n_pairs) / n_pairs or 1.0


def _median(squares: FloatArray, n_pairs: int) -> float:
    """Compute the median of the numbers above the diagonal.

    Numbers of at least 0 are in the order of their bits. A pass counts those that agree in their first bits with the
    median, by their next bits.
    """
    least, bits, n_left, rank = 0, 64, n_pairs, (n_pairs - 1) // 2
    while bits and n_left > FEW:
        bits -= DIGIT
        counts = np.zeros(2**DIGIT, dtype=np.int64)
        for numbers in _between(squares, least, bits + DIGIT):
            digits = numbers.view(np.int64) >> bits & 2**DIGIT - 1
            counts += np.bincount(digits, minlength=len(counts))
        ends = np.cumsum(counts)
        digit = int(np.searchsorted(ends, rank, side="right"))
        n_left = int(counts[digit])
        rank -= int(ends[digit]) - n_left
        least += digit << bits
    if bits:
        left = np.sort(np.concatenate(list(_between(squares, least, bits))))
    else:  # many equal numbers
        left = np.broadcast_to(_number(least), n_left)
    median = float(left[rank])
    if n_pairs % 2:
        return median
    if rank + 1 < n_left:
        above = float(left[rank + 1])
    else:
        last = left[-1]
        above = min(
            float(np.where(tile > last, tile, np.inf).min(initial=np.inf)) for tile in _tiles(squares)
        )
    return (median + above) / 2.0


def _number(bits: int) -> np.float64:
    return np.int64(bits).view(np.float64)


def _between(squares: FloatArray, least: int, bits: int) -> Iterator[FloatArray]:
    """Give the numbers that agree with the least, but for last bits."""
    if bits == 64:
        yield from (np.ravel(tile) for tile in _tiles(squares))
        return
    first, last = _number(least), _number(least + 2**bits - 1)
    for tile in _tiles(squares):
        yield tile[(tile >= first) & (tile <= last)]


def _tiles(squares: FloatArray) -> Iterator[FloatArray]:
    """Give the numbers above the diagonal, tile by tile."""
    for start in range(0, len(squares), TILE):
        rows = squares[start : start + TILE]
        corner = rows[:, start : start + TILE]
        yield corner[np.triu_indices(len(corner), 1)]
        for column in range(start + TILE, len(squares), TILE):
            yield rows[:, column : column + TILE]


def _sum(squares: FloatArray, begin: int, end: int) -> float:
    """Sum some of the numbers above the diagonal, row by row.

    Halves are added as NumPy adds a long array. So the sum is NumPy's, and one half at a time is copied.
    """
    if end - begin > FEW:
        half = (end - begin) // 2
        middle = begin + half - half % 8
        return _sum(squares, begin, middle) + _sum(squares, middle, end)
    rows = np.arange(len(squares))
    starts = rows * (len(squares) - 1) - rows * (rows - 1) // 2
    top, bottom = np.searchsorted(starts, begin, side="right") - 1, np.searchsorted(starts, end)
    numbers = np.concatenate([squares[row, row + 1 :] for row in range(top, bottom)])
    return float(numbers[begin - starts[top] : end - starts[top]].sum())
