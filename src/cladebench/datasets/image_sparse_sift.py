"""Histograms of quantised SIFT descriptors at points of interest with an affine shape.

References
----------
S. Lazebnik, C. Schmid, J. Ponce (2005). A sparse texture representation using local affine regions. PAMI 27.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.image_hessian import adapted, patches, scale_space, strongest_points, upright
from cladebench.datasets.image_words import word_histograms
from cladebench.datasets.opencv import opencv

Image = NDArray[np.uint8]

#: Pixels of a patch to a scale, with which a bin has 4 as on the dense grid (three scales, Lowe 2004); side of a patch,
#: so that all that counts for the outer bins is within.
PER_SCALE, SIDE = 4 / 3, 27


def sparse_descriptors(image: Image) -> NDArray[np.uint8]:
    """SIFT descriptors of the surroundings of each point, straightened by its shape and direction.

    Parameters
    ----------
    image : ndarray of uint8

    Returns
    -------
    ndarray of shape (n_points, 128)
        At most 200; none where the image has no blob.
    """
    cv2 = opencv()
    levels = scale_space(image)
    points = adapted(levels, strongest_points(levels))
    if not len(points.levels):
        return np.zeros((0, 128), dtype=np.uint8)
    strip = patches(levels, upright(levels, points), SIDE, PER_SCALE).reshape(-1, SIDE)
    middle = (SIDE - 1) // 2
    # OpenCV calls twice the scale the size of a point. The patches are smooth already: a sigma of 0.5 adds nothing.
    rows = [middle + SIDE * i for i in range(len(points.levels))]
    centres = [cv2.KeyPoint(float(middle), float(row), 2 * PER_SCALE, 0.0) for row in rows]
    grey = np.rint(strip * 255).astype(np.uint8)
    _, descriptors = cv2.SIFT_create(sigma=0.5).compute(grey, centres)
    return descriptors.astype(np.uint8)


def sparse_sift(images: Sequence[Image]) -> NDArray[np.float64]:
    """Share of each word of sparse SIFT in each image (:func:`~cladebench.datasets.image_words.word_histograms`).

    The paper takes Hessian-affine points, for which neither OpenCV nor scikit-image has a detector. These are maxima of
    the determinant of the Hessian over place and scale; their shape is adapted in two steps. What they lack: the
    adaptation does not run until it converges, places and scales are not sought again after a step, the smoothing stays
    round, scales are not chosen by the Laplacian, a point has one direction, and at most the 200 strongest of an image
    are kept.
    """
    return word_histograms(images, sparse_descriptors)
