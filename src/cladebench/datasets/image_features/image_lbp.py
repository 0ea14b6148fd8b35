"""Compute histograms of uniform local binary patterns.

Their spectrum, which no rotation changes, is here too.

Each pixel is compared with eight neighbours on a circle of radius 1, which gives a code of eight bits. A pattern is
uniform if its ones are one run on the circle. 58 of the 256 are, and have a bin each; all others share one.

References
----------
T. Ojala, M. Pietikainen, T. Maenpaa (2002). Multiresolution gray-scale and rotation invariant texture classification
with local binary patterns. PAMI 24.
T. Ahonen, J. Matas, C. He, M. Pietikainen (2009). Rotation invariant image description with local binary pattern
histogram Fourier features. SCIA.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

#: Neighbour k lies at k times 45 degrees: to the right, then against the clock (down, right).
STEPS = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))
#: A diagonal neighbour on the circle is interpolated between four pixels, in whole numbers of 1/1024 of a pixel: a turn
#: by 90 degrees then changes no comparison, and equal pixels compare as equal.
WHOLE, FRACTION = 1024, 724
#: Bins: no ones, all ones, not uniform, and then eight places of each run of 1 to 7 ones.
N_BINS = 3 + 7 * 8


def codes(image: Image) -> NDArray[np.uint8]:
    """Code of each pixel but those at the border.

    Bit k is 1 where neighbour k is not darker than the pixel.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width)

    Returns
    -------
    ndarray of uint8, shape (height - 2, width - 2)
    """
    height, width = image.shape

    def shifted(values: NDArray[np.generic], down: int, right: int) -> NDArray[Any]:
        return values[1 + down : height - 1 + down, 1 + right : width - 1 + right]

    grey, centre = image.astype(np.int32), shifted(image, 0, 0)
    beside, across = FRACTION * (WHOLE - FRACTION) * grey, FRACTION**2 * grey
    scaled = (WHOLE**2 - (WHOLE - FRACTION) ** 2) * shifted(grey, 0, 0)
    patterns = np.zeros(centre.shape, dtype=np.uint8)
    for bit, (down, right) in enumerate(STEPS):
        if down and right:
            value = shifted(beside, down, 0) + shifted(beside, 0, right)
            value += shifted(across, down, right)
            light = value >= scaled
        else:
            light = shifted(image, down, right) >= centre
        patterns |= light.view(np.uint8) * np.uint8(1 << bit)  # shifts of bytes are slow
    return patterns


def _bins() -> NDArray[np.intp]:
    """Bin of each code: see `N_BINS`."""
    bins = np.full(256, 2)
    bins[0], bins[255] = 0, 1
    for ones in range(1, 8):
        for first in range(8):
            code = sum(1 << (first + i) % 8 for i in range(ones))
            bins[code] = 3 + (ones - 1) * 8 + first
    return bins


BINS = _bins()


def lbp(images: Sequence[Image]) -> NDArray[np.float64]:
    """Share of each uniform pattern, and of all others together.

    Radius 1 and eight neighbours, as the brief name "LBP" stands for where nothing else is said; no grid of cells.

    Parameters
    ----------
    images : sequence of ndarray of uint8

    Returns
    -------
    ndarray of shape (n_images, 59)
        Rows sum to 1.
    """
    rows = [np.bincount(codes(image).ravel(), minlength=len(BINS)) for image in images]
    counts = np.array(rows, dtype=np.float64) @ (BINS[:, None] == np.arange(N_BINS))
    return counts / counts.sum(axis=1, keepdims=True)


def rotation_invariant_lbp(images: Sequence[Image]) -> NDArray[np.float64]:
    """Compute LBP-HF: how strong frequencies are in runs of ones.

    The frequencies are over the eight places of each run.

    A turn of the image by 45 degrees moves each run by one place, and so changes only the phases of the discrete
    Fourier transform over the places. This is what the paper cites (Ahonen et al. 2009); it is no histogram, and its
    rows do not sum to 1, for which the paper's choice of the l1 distance in place of chi-squared speaks too.

    Parameters
    ----------
    images : sequence of ndarray of uint8

    Returns
    -------
    ndarray of shape (n_images, 38)
        Shares of the first three bins, then the magnitudes of frequencies 0 to 4 of runs of 1 to 7 ones.
    """
    shares = lbp(images)
    runs = shares[:, 3:].reshape(-1, 7, 8)
    return np.hstack([shares[:, :3], np.abs(np.fft.rfft(runs, axis=2)).reshape(-1, 7 * 5)])
