"""Histograms of quantised dense HOGs.

References
----------
N. Dalal, B. Triggs (2005). Histograms of oriented gradients for human detection. CVPR.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.image_features.image_words import N_WORDS, quarters_of_grid, word_histograms

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

#: Pixels of a cell, 2 x 2 of which are a block; blocks overlap by half.
CELL = 8
#: Orientations without sign, 20 degrees each.
N_ORIENTATIONS = 9
#: A block is normalised, cut at this value, and normalised once more (L2-Hys).
LARGEST = 0.2
#: Added to the length of a block, in grey values, so that what is nearly even counts little.
EVEN = 1.0
#: Difference of two grey values at most, and how many there are.
LARGEST_STEP = 255
N_STEPS = 2 * LARGEST_STEP + 1


def dense_hog(images: Sequence[Image], n_words: int = N_WORDS) -> NDArray[np.float64]:
    """Compute shares of HOG words among the blocks of each image.

    The words are those of `cladebench.datasets.image_features.image_words.word_histograms`. Blocks are of 16 x 16
    pixels, as Dalal and Triggs found best, every 8 pixels; the paper does not say. OpenCV 5 has no HOG any more, hence
    this one. Of what the authors do it leaves out the interpolation between cells and the smaller weight at the border
    of a block.
    """
    return word_histograms(images, hogs, n_words=n_words)


def pyramid_hog(images: Sequence[Image]) -> NDArray[np.float64]:
    """Count the words of `dense_hog` in images and quarters.

    The middle of a block decides on its quarter.
    """
    return word_histograms(images, hogs, quarters=_quarters)


def _quarters(image: Image) -> NDArray[np.intp]:
    height, width = image.shape
    return quarters_of_grid((height, width), CELL, CELL, height // CELL - 1, width // CELL - 1)


def hogs(image: Image) -> Floats:
    """Compute the descriptors of blocks: 2 x 2 cells by nine orientations.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width)

    Returns
    -------
    ndarray of shape (n_blocks, 36)
        By rows; zero where all is even.
    """
    cells = cell_histograms(image)
    corners = (cells[:-1, :-1], cells[:-1, 1:], cells[1:, :-1], cells[1:, 1:])
    blocks = np.concatenate(corners, axis=2).reshape(-1, 4 * N_ORIENTATIONS)
    return _normalised(np.minimum(_normalised(blocks, EVEN), np.float32(LARGEST)), 1e-6)


def cell_histograms(image: Image) -> Floats:
    """Lengths of gradients by orientation in each cell.

    A gradient between two orientations counts for both.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width)

    Returns
    -------
    ndarray of shape (height // 8, width // 8, 9)
        Orientation k is that of gradients at 20 k degrees from the right, downwards. What is left over at the right and
        at the bottom is not in any cell.
    """
    rows, columns = (length // CELL for length in image.shape)
    grey = np.pad(image.astype(np.intp), 1, mode="edge")[: rows * CELL + 2, : columns * CELL + 2]
    steps = (grey[1:-1, 2:] - grey[1:-1, :-2]) * N_STEPS
    steps += grey[2:, 1:-1] - grey[:-2, 1:-1]
    steps += LARGEST_STEP * (N_STEPS + 1)
    orientations, at_first, at_next = (values.take(steps) for values in gradients())
    cells = columns * np.arange(rows)[:, None] + np.arange(columns)
    places = np.repeat(np.repeat(cells, CELL, axis=0), CELL, axis=1) * N_ORIENTATIONS
    size = rows * columns * N_ORIENTATIONS
    counts = np.bincount((places + orientations).ravel(), at_first.ravel(), size)
    orientations += 1
    orientations[orientations == N_ORIENTATIONS] = 0
    counts += np.bincount((places + orientations).ravel(), at_next.ravel(), size)
    return counts.reshape(rows, columns, N_ORIENTATIONS).astype(np.float32)


@lru_cache(maxsize=1)
def gradients() -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Tabulate orientation and shares of each possible gradient of grey values.

    The shares are those in its orientation and in the next. There are far fewer of them than pixels in a data set, and
    angles take long.

    Returns
    -------
    tuple of three ndarrays, each of shape (511 * 511,)
        By twice the gradient to the right, then down, from -255 to 255. Shares have single precision.
    """
    twice = np.arange(-LARGEST_STEP, LARGEST_STEP + 1, dtype=np.float32)
    down, right = np.meshgrid(twice / 2, twice / 2)
    lengths = np.hypot(right, down)
    turns = np.arctan2(down, right) * np.float32(N_ORIENTATIONS / np.pi)
    below = np.floor(turns)
    upper = (turns - below) * lengths
    shares = (lengths - upper).ravel().astype(np.float64), upper.ravel().astype(np.float64)
    return below.astype(np.intp).ravel() % N_ORIENTATIONS, *shares


def _normalised(blocks: Floats, least: float) -> Floats:
    return blocks / np.sqrt((blocks**2).sum(axis=1, keepdims=True) + np.float32(least**2))
