"""Gist: energies of oriented band-pass filters, averaged on a coarse grid.

References
----------
A. Oliva, A. Torralba (2001). Modeling the shape of the scene: a holistic representation of the spatial envelope.
IJCV 42.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from cladebench.datasets.image_features.image_transforms import STRIDE, filtered_places
from cladebench.datasets.image_features.opencv import opencv

Image = NDArray[np.uint8]

SCALES, ORIENTATIONS, CELLS = 4, 8, 4
#: Pixels of each side, and of what is mirrored around it: half of what the authors' program takes by default.
SIDE, MARGIN = 128, 16
PADDED = SIDE + 2 * MARGIN
#: Cycles in the image at which the prefilter halves an amplitude, and the contrast below which it does not amplify.
CUT, CONTRAST = 4, 0.2
#: Centre frequency of the finest scale in cycles a pixel, ratio of one scale to the next, narrowness of a band: all as
#: in the authors' program.
FINEST, RATIO, BAND = 0.3, 1.85, 3.5


def gist(images: Sequence[Image]) -> NDArray[np.float64]:
    """Mean magnitude of 32 complex filters in 16 cells of each image.

    The central square of an image is shrunk to 128 x 128, prefiltered (:func:`prefiltered`) and filtered by
    Gaussians in the frequency plane (:func:`transfer_functions`). What differs from the authors' program: grey values
    are taken as they are, where it first stretches those of each image to 0..255; 128 pixels in place of 256, at the
    same frequencies per pixel of the filters, while the prefilter has the same in cycles of the image; area means where
    it interpolates; one margin for both; means over every second pixel; single precision.

    Parameters
    ----------
    images : sequence of ndarray of uint8

    Returns
    -------
    ndarray of shape (n_images, 512)
        By scale from fine to coarse, orientation, row and column of the grid. Not normalised.
    """
    gains, low_pass = np.repeat(transfer_functions()[..., None], 2, axis=3), _low_pass()
    rows = [_energies(prefiltered(square(image), low_pass), gains) for image in images]
    return np.array(rows, dtype=np.float64)


def square(image: Image) -> NDArray[np.float32]:
    """Shrink the central square of an image to 128 x 128."""
    cv2 = opencv()
    height, width = image.shape
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    central = image[top : top + side, left : left + side].astype(np.float32)
    return cv2.resize(central, (SIDE, SIDE), interpolation=cv2.INTER_AREA)


def prefiltered(grey: NDArray[np.float32], low_pass: NDArray[np.float32]) -> NDArray[np.float32]:
    """Filter the logarithm's low frequencies out, divide by local contrast.

    Returns
    -------
    ndarray of shape (160, 160)
        With the mirrored margin.
    """
    light = np.pad(np.log1p(grey), MARGIN, mode="symmetric")
    detail = light - _filtered(light, low_pass)
    contrast = np.sqrt(np.maximum(_filtered(detail**2, low_pass), 0))
    return np.asarray(detail / (np.float32(CONTRAST) + contrast), dtype=np.float32)


def _filtered(grey: NDArray[np.float32], gain: NDArray[np.float32]) -> NDArray[np.float32]:
    return scipy.fft.ifft2(scipy.fft.fft2(grey) * gain).real.astype(np.float32, copy=False)


def _energies(grey: NDArray[np.float32], gains: NDArray[np.float32]) -> NDArray[np.float32]:
    """Average each response's magnitude in cells, over every second pixel."""
    inner = slice(MARGIN // STRIDE, (MARGIN + SIDE) // STRIDE)
    responses = np.abs(filtered_places(scipy.fft.fft2(grey), gains, inner, inner))
    responses /= np.float32(STRIDE**2)
    cell = SIDE // STRIDE // CELLS
    return responses.reshape(-1, CELLS, cell, CELLS, cell).mean(axis=(2, 4)).ravel()


def _frequencies() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give a transform's frequencies, in cycles a pixel, and directions."""
    along = np.fft.fftfreq(PADDED)
    return np.hypot(along[:, None], along), np.arctan2(along[:, None], along)


def _low_pass() -> NDArray[np.float32]:
    radius, _ = _frequencies()
    return np.exp(-np.log(2) * (radius * SIDE / CUT) ** 2).astype(np.float32)


def transfer_functions() -> NDArray[np.float32]:
    """Give each filter's gain: Gaussian of radius times that of direction.

    Returns
    -------
    ndarray of shape (32, 160, 160)
        By scale, then orientation. One half of the frequency plane only, so that responses are complex and their
        magnitudes are energies.
    """
    radius, direction = _frequencies()
    gains = []
    for scale in range(SCALES):
        band = np.exp(-BAND * (radius * RATIO**scale / FINEST - 1) ** 2)
        for orientation in range(ORIENTATIONS):
            turned = direction + np.pi * orientation / ORIENTATIONS
            apart = np.angle(np.exp(1j * turned))
            gains.append(band * np.exp(-2 * np.pi * apart**2))
    filters = np.array(gains, dtype=np.float32)
    filters[:, 0, 0] = 0  # the mean of the image
    return filters
