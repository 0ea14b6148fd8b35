"""Histograms of SIFT descriptors at affine points of interest.

Descriptors are quantised.

References
----------
S. Lazebnik, C. Schmid, J. Ponce (2005). A sparse texture representation using local affine regions. PAMI 27.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.image_features.image_hessian import (
    MOST_POINTS,
    adapted,
    patches,
    scale_space,
    strongest_points,
    upright,
)
from cladebench.datasets.image_features.image_sift import sift
from cladebench.datasets.image_features.image_words import N_WORDS, word_histograms
from cladebench.datasets.image_features.opencv import opencv

Image = NDArray[np.uint8]

#: Pixels of a patch to a scale, with which a bin has 4 as on the dense grid (three scales, Lowe 2004); side of a patch,
#: so that all that counts for the outer bins is within.
PER_SCALE, SIDE = 4 / 3, 27
#: Patches stand side by side in one image: rows of a single one would be too short to be smoothed fast.
IN_A_ROW = 8


def sparse_descriptors(image: Image, most_points: int = MOST_POINTS) -> NDArray[np.uint8]:
    """Describe points' surroundings by SIFT, straightened by shape and direction.

    Parameters
    ----------
    image : ndarray of uint8
    most_points : int, default=200

    Returns
    -------
    ndarray of shape (n_points, 128)
        None where the image has no blob.
    """
    cv2 = opencv()
    levels = scale_space(image)
    points = adapted(levels, strongest_points(levels, most_points))
    if not len(points.levels):
        return np.zeros((0, 128), dtype=np.uint8)
    cut = patches(levels, upright(levels, points), SIDE, PER_SCALE)
    n, n_rows = len(cut), -(-len(cut) // IN_A_ROW)
    tiles = np.zeros((n_rows * IN_A_ROW, SIDE, SIDE), dtype=np.uint8)
    np.rint(np.multiply(cut, 255, out=cut), out=tiles[:n], casting="unsafe")
    sheet = tiles.reshape(n_rows, IN_A_ROW, SIDE, SIDE).swapaxes(1, 2).reshape(n_rows * SIDE, -1)
    # OpenCV calls twice the scale the size of a point.
    middles = [float((SIDE - 1) // 2 + SIDE * k) for k in range(max(n_rows, IN_A_ROW))]
    centres = [
        cv2.KeyPoint(column, row, 2 * PER_SCALE, 0.0)
        for row in middles[:n_rows]
        for column in middles[:IN_A_ROW]
    ]
    # The patches are smooth already. With any sigma up to 0.5 OpenCV smooths by 0.1, which adds nothing; what it makes
    # for coarser scales, and no point asks for, takes less time the smaller it is.
    _, descriptors = sift(0.1).compute(sheet, centres[:n])
    return descriptors


def sparse_sift(
    images: Sequence[Image], n_words: int = N_WORDS, most_points: int = MOST_POINTS
) -> NDArray[np.float64]:
    """Compute shares of words of sparse SIFT in each image.

    The words are those of `cladebench.datasets.image_features.image_words.word_histograms`. The paper takes
    Hessian-affine points, for which neither OpenCV nor scikit-image has a detector. These are maxima of the determinant
    of the Hessian over place and scale; their shape is adapted in two steps. In five ways they are simpler. The
    adaptation stops before it converges. Places and scales are not sought again after a step. The smoothing stays
    round. Scales are not chosen by the Laplacian. A point has one direction. The strongest `most_points` of an image
    are kept.
    """
    return word_histograms(images, partial(sparse_descriptors, most_points=most_points), n_words=n_words)
