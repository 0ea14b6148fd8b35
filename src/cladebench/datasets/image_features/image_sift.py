"""Histograms of quantised SIFT descriptors on a dense grid.

References
----------
S. Lazebnik, C. Schmid, J. Ponce (2006). Beyond bags of features: spatial pyramid matching for recognizing natural scene
categories. CVPR.
D. Lowe (2004). Distinctive image features from scale-invariant keypoints. IJCV 60.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.image_features.image_words import N_WORDS, quarters_of_grid, word_histograms
from cladebench.datasets.image_features.opencv import opencv

Image = NDArray[np.uint8]

#: Pixels of a patch, which 4 x 4 bins divide, and from one patch to the next (Lazebnik et al. 2006).
PATCH, STEP = 16, 8
#: A bin is three times the scale at which the image is seen (Lowe 2004).
BINS_PER_SIDE, BIN_PER_SCALE = 4, 3
SCALE = PATCH / BINS_PER_SIDE / BIN_PER_SCALE


def dense_descriptors(image: Image) -> NDArray[np.uint8]:
    """Compute upright SIFT descriptors of the grid's patches, by rows.

    The descriptor of an even patch is zero.

    Parameters
    ----------
    image : ndarray of uint8

    Returns
    -------
    ndarray of shape (n_patches, 128)
    """
    _, descriptors = sift(SCALE).compute(image, _points(image.shape))
    return descriptors


def sift(sigma: float) -> Any:
    """Compute OpenCV's SIFT at one scale.

    Descriptors are the whole numbers up to 255 to which it rounds them anyway.
    """
    cv2 = opencv()
    # This type can be had only with all others before it, which are those that OpenCV takes by itself.
    return cv2.SIFT_create(
        nfeatures=0,
        nOctaveLayers=3,
        contrastThreshold=0.04,
        edgeThreshold=10,
        sigma=sigma,
        descriptorType=cv2.CV_8U,
    )


@lru_cache(maxsize=16)
def _points(shape: tuple[int, int]) -> tuple[Any, ...]:
    """Points of the grid, by rows; images of one size share them."""
    cv2 = opencv()
    rows, columns = (range(PATCH // 2, length - PATCH // 2 + 1, STEP) for length in shape)
    # OpenCV calls twice the scale the size of a point.
    return tuple(cv2.KeyPoint(float(x), float(y), 2 * SCALE, 0.0) for y in rows for x in columns)


def dense_sift(images: Sequence[Image], n_words: int = N_WORDS) -> NDArray[np.float64]:
    """Compute shares of words of dense SIFT in each image.

    The words are those of `cladebench.datasets.image_features.image_words.word_histograms`. Patches are of 16 x 16
    pixels, every 8 pixels, without a spatial pyramid. The paper does not say.
    """
    return word_histograms(images, dense_descriptors, n_words=n_words)


def pyramid_sift(images: Sequence[Image]) -> NDArray[np.float64]:
    """Count the words of `dense_sift` in images and quarters.

    The middle of a patch decides on its quarter.
    """
    return word_histograms(images, dense_descriptors, quarters=_quarters)


def _quarters(image: Image) -> NDArray[np.intp]:
    height, width = image.shape
    rows, columns = ((length - PATCH) // STEP + 1 for length in (height, width))
    return quarters_of_grid((height, width), PATCH // 2, STEP, rows, columns)
