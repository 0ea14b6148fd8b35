"""Filter images in the frequency plane, at every second pixel."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

#: Results are taken at every second pixel, down and to the right.
STRIDE = 2


def filtered_places(
    spectrum: NDArray[np.complex64],
    gains: NDArray[np.complex64] | NDArray[np.float32],
    rows: slice,
    columns: slice,
) -> NDArray[np.complex64]:
    """Transform products with filters back at some places.

    Places are in every second row and column.

    Parameters
    ----------
    spectrum : ndarray of shape (height, width)
        Even sides.
    gains : ndarray of complex64, shape (n, height, width), or of float32, shape (n, height, width, 2)
        Real ones stand twice, for the real and the imaginary part of what they are multiplied with.
    rows, columns : slice
        Among every second one.

    Returns
    -------
    ndarray of shape (n, n_rows, n_columns)
        Four times the values, since that many frequencies are added.

    Notes
    -----
    Frequencies that fall together at every second pixel are added before the transform back, which is then a fourth as
    large. Columns are transformed first, so that rows which are not asked for need no transform of their own.

    The bits are those of ``scipy.fft.ifft2`` of ``np.sum`` of all products. numpy adds along a row first; scipy
    normalises after the first axis.
    """
    height, width = spectrum.shape
    half, middle = height // STRIDE, width // STRIDE
    folded = np.empty((len(gains), half, middle), dtype=np.complex64)
    # One product is small enough for the processor's cache, all together are not.
    product = np.empty_like(spectrum)
    factor, filled = (
        values.view(np.float32).reshape(height, width, 2) if gains.ndim == 4 else values
        for values in (spectrum, product)
    )
    for gain, total in zip(gains, folded, strict=True):
        np.multiply(factor, gain, out=filled)
        np.add(product[:half, :middle], product[:half, middle:], out=total)
        total += product[half:, :middle]
        total += product[half:, middle:]
    filtered = scipy.fft.ifft(folded, axis=1, norm="forward", overwrite_x=True)[:, rows]
    filtered *= np.float32(1 / np.longdouble(half * middle))
    return scipy.fft.ifft(filtered, axis=2, norm="forward", overwrite_x=True)[:, :, columns]
