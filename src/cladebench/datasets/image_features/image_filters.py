"""Banks of filters for textons, and their responses at every second pixel.

References
----------
T. Leung, J. Malik (2001). Representing and recognizing the visual appearance of materials using three-dimensional
textons. IJCV 43.
M. Varma, A. Zisserman (2005). A statistical approach to texture classification from single images. IJCV 62.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

from cladebench.datasets.image_features.image_transforms import STRIDE, filtered_places

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

#: Side of all filters, and the length of an oriented one in widths.
SUPPORT, ELONGATION = 49, 3.0
N_ORIENTATIONS = 6
#: Sides of transforms are multiples of it, so that images of many sizes share a few transforms of the bank.
MULTIPLE = 32


def _plane() -> tuple[Doubles, Doubles]:
    """Give pixel offsets of a filter, right and down from the centre."""
    along = np.arange(SUPPORT) - SUPPORT // 2
    return np.meshgrid(along.astype(np.float64), along.astype(np.float64))


def _normalised(values: Doubles, *, zero_mean: bool = True) -> Doubles:
    """Scale a filter to absolute values that sum to 1.

    Its mean becomes zero, unless it is a mere average.
    """
    if zero_mean:
        values = values - values.mean()
    return values / np.abs(values).sum()


def oriented(width: float, order: int, turn: int) -> Doubles:
    """Make a derivative of a Gaussian three times as long as wide.

    It is the first or second derivative, across the length.

    Parameters
    ----------
    width : float
        Standard deviation across, in pixels.
    order : {1, 2}
        Edge or bar.
    turn : int
        Times 30 degrees.
    """
    right, down = _plane()
    angle = np.pi * turn / N_ORIENTATIONS
    along = right * np.cos(angle) + down * np.sin(angle)
    across = down * np.cos(angle) - right * np.sin(angle)
    bell = np.exp(-(along**2) / (2 * (ELONGATION * width) ** 2) - across**2 / (2 * width**2))
    return _normalised(bell * (-across if order == 1 else across**2 / width**2 - 1))


def gaussian(width: float) -> Doubles:
    """Make a round Gaussian of sum 1, whose response is brightness.

    The authors' programs for both banks take the mean from it as from all filters.
    """
    right, down = _plane()
    return _normalised(np.exp(-(right**2 + down**2) / (2 * width**2)), zero_mean=False)


def laplacian(width: float) -> Doubles:
    """Laplacian of a round Gaussian."""
    right, down = _plane()
    squares = (right**2 + down**2) / width**2
    return _normalised((squares - 2) * np.exp(-squares / 2))


@lru_cache(maxsize=1)
def leung_malik() -> Floats:
    """Make the 48 filters of Leung and Malik.

    They are edges and bars of three widths and six orientations, eight Laplacians and four Gaussians.

    Returns
    -------
    ndarray of shape (48, 49, 49)
    """
    widths = np.sqrt(2.0) ** np.arange(1, 5)
    bank = [
        oriented(width, order, turn)
        for order in (1, 2)
        for width in widths[:3]
        for turn in range(N_ORIENTATIONS)
    ]
    bank += [laplacian(width) for width in (*widths, *(3 * widths))]
    bank += [gaussian(width) for width in widths]
    return np.array(bank, dtype=np.float32)


@lru_cache(maxsize=1)
def maximum_response() -> Floats:
    """Make the 38 filters of MR8.

    They are edges and bars of three widths and six orientations, a Gaussian and a Laplacian of width 10.

    Returns
    -------
    ndarray of shape (38, 49, 49)
        Edges by width, then orientation; bars likewise; Gaussian; Laplacian.
    """
    bank = [
        oriented(width, order, turn)
        for order in (1, 2)
        for width in (1.0, 2.0, 4.0)
        for turn in range(N_ORIENTATIONS)
    ]
    return np.array([*bank, gaussian(10.0), laplacian(10.0)], dtype=np.float32)


def maxima(responses: Floats) -> Floats:
    """Largest response over the orientations: MR8 of the 38 responses of :func:`maximum_response`.

    Parameters
    ----------
    responses : ndarray of shape (n, 38)

    Returns
    -------
    ndarray of shape (n, 8)
        Edges of three widths, by absolute value, since half a turn changes the sign; bars of three widths, with their
        sign, which tells light from dark; Gaussian; Laplacian. By rows or by columns as the responses are, since the
        order of later sums hangs on it.
    """
    edges, bars = responses[:, :36].T.reshape(2, 3, N_ORIENTATIONS, -1)
    largest = np.empty_like(responses[:, :8])
    np.abs(edges).max(axis=1, out=largest[:, :3].T)
    bars.max(axis=1, out=largest[:, 3:6].T)
    largest[:, 6:] = responses[:, 36:]
    return largest


def standardised(image: Image) -> Floats:
    """Grey values with mean 0 and standard deviation 1.

    Zeros where all are equal.
    """
    centred = image - image.mean()
    spread = centred.std()
    even = np.zeros(image.shape, dtype=np.float32)
    return np.divide(centred, spread, out=even, casting="same_kind") if spread > 0 else even


def grid(shape: tuple[int, ...]) -> tuple[int, int]:
    """Give rows and columns at which responses are taken.

    There a filter lies within an image.
    """
    rows, columns = ((length - SUPPORT) // STRIDE + 1 for length in shape)
    return rows, columns


def responses_at(grey: Floats, bank: Floats, places: NDArray[np.intp]) -> Floats:
    """Compute responses at some places by sums of products.

    Parameters
    ----------
    grey : ndarray of shape (height, width)
        49 pixels or more on each side.
    bank : ndarray of shape (n_filters, 49, 49)
    places : ndarray of shape (n,)
        Numbers of places of the grid, by rows.

    Returns
    -------
    ndarray of shape (n, n_filters)
    """
    windows = np.lib.stride_tricks.sliding_window_view(grey, (SUPPORT, SUPPORT))[::STRIDE, ::STRIDE]
    rows, columns = np.divmod(places, windows.shape[1])
    return windows[rows, columns].reshape(len(places), -1) @ bank.reshape(len(bank), -1).T


@lru_cache(maxsize=16)
def _spectra(bank_of: object, height: int, width: int) -> NDArray[np.complex64]:
    """Transform turned filters for a convolution, in pairs, as complex numbers."""
    bank = bank_of()  # type: ignore[operator]
    turned = bank[:, ::-1, ::-1]
    return scipy.fft.fft2(turned[0::2] + np.complex64(1j) * turned[1::2], s=(height, width))


def responses(grey: Floats, bank_of: object) -> Floats:
    """Responses at all places of the grid, by Fourier transforms.

    Parameters
    ----------
    grey : ndarray of shape (height, width)
        49 pixels or more on each side.
    bank_of : callable
        :func:`leung_malik` or :func:`maximum_response`.

    Returns
    -------
    ndarray of shape (n_places, n_filters)
        As :func:`responses_at` has them, but for rounding.

    Notes
    -----
    Where a filter lies within the image nothing wraps around, so that no margin is needed.
    """
    height, width = (-(-length // MULTIPLE) * MULTIPLE for length in grey.shape)
    first = (SUPPORT - 1) // STRIDE
    rows, columns = grid(grey.shape)
    sampled = filtered_places(
        scipy.fft.fft2(grey, s=(height, width)),
        _spectra(bank_of, height, width),
        slice(first, first + rows),
        slice(first, first + columns),
    )
    filtered = np.empty((len(sampled), 2, rows, columns), dtype=np.float32)
    np.multiply(sampled.real, np.float32(1 / STRIDE**2), out=filtered[:, 0])
    np.multiply(sampled.imag, np.float32(1 / STRIDE**2), out=filtered[:, 1])
    return filtered.reshape(2 * len(sampled), -1).T
