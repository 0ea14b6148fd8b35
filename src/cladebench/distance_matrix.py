"""Mend what rounding did to given matrices of distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench.table_entries import entry

#: What counts as rounding, as a share of the largest distance: of sums in double, and in single precision.
ROUNDING, ROUNDING_OF_SINGLE = 1e-8, 1e-5
Floats = npt.NDArray[np.floating[Any]]


def rounding_of(values: Floats) -> float:
    """Say by how much rounding may have changed distances.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distance_matrix import rounding_of
    >>> rounding_of(np.array([0.0, 2.0]))
    2e-08
    """
    share = ROUNDING_OF_SINGLE if values.dtype == np.float32 else ROUNDING
    return share * max(-float(values.min(initial=0.0)), float(values.max(initial=0.0)))


def mended_distances(where: str, D: Floats) -> Floats:
    """Check a square of distances, and mend what rounding did.

    Parameters
    ----------
    where : str
        Who was given it, and as which argument.
    D : ndarray of floats, shape (n, n)
        Finite.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric, at least 0, and 0 on the diagonal: D itself if it is so. Else entries that differ from those across
        the diagonal are the mean of both.

    Raises
    ------
    ValueError
        If more than rounding is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distance_matrix import mended_distances
    >>> mended_distances("D", np.array([[2e-16, 1.0], [1.0, -2e-16]])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    slack = rounding_of(D)
    _refuse(where, D, -slack > D, "expected distances of at least 0")
    beside = np.zeros(D.shape, dtype=bool)
    np.fill_diagonal(beside, D.diagonal() > slack)
    _refuse(where, D, beside, "expected 0 from each sample to itself: are these similarities?")
    gap = np.abs(D - D.T)
    if gap.max(initial=0.0) > slack:
        raise ValueError(
            f"{unlike(where, D, gap)}; expected symmetric distances, but for {slack:.1g} of rounding: "
            "the mean of both sides, if either will do"
        )
    if not gap.any() and not D.diagonal().any() and not (D < 0).any():
        return D
    mended: Floats = np.maximum(np.where(gap > 0, D / 2 + D.T / 2, D), 0)
    np.fill_diagonal(mended, 0)
    return mended


def unlike(where: str, D: npt.NDArray[Any], gap: npt.NDArray[Any]) -> str:
    """Write where a matrix is least symmetric, and by how much.

    `gap` has the differences to the other side.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distance_matrix import unlike
    >>> D = np.array([[0.0, 1.0], [1.5, 0.0]])
    >>> unlike("ours: D", D, abs(D - D.T))
    'ours: D[0, 1] is 1, D[1, 0] is 1.5, 0.5 apart'
    """
    i, j = map(int, np.unravel_index(int(np.argmax(gap)), D.shape))
    other = entry(where.split()[-1], (j, i))
    return f"{entry(where, (i, j))} is {D[i, j]:g}, {other} is {D[j, i]:g}, {gap[i, j]:.3g} apart"


def _refuse(where: str, D: npt.NDArray[Any], wrong: npt.NDArray[np.bool_], expected: str) -> None:
    if wrong.any():
        place = np.unravel_index(int(np.argmax(wrong)), D.shape)
        raise ValueError(f"{entry(where, list(map(int, place)))} is {D[place]:g}; {expected}")
