"""Histograms of visual words.

Descriptors are quantised to the nearest centre of a K-means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float32]

#: Ten for each of 25 classes, as Varma and Zisserman (2005) take ten textons a class; for scenes Lazebnik et al. (2006)
#: find 200 and 400 words equally good. The paper does not say.
N_WORDS = 250
#: Descriptors that the vocabulary is learned from, for each word.
PER_WORD = 50
#: Iterations of the K-means; a centre moves little after them, and no run has to converge.
MAX_ITERATIONS = 30
SEED = 0x776F
#: Descriptors whose distances to all words stay in the processor's cache.
PART_ROWS = 1024


def word_histograms(
    images: Sequence[Image],
    describe: Callable[[Image], NDArray[np.generic]],
    sample: Callable[[Image, int, np.random.Generator], Floats] | None = None,
    quarters: Callable[[Image], NDArray[np.intp]] | None = None,
    n_words: int = N_WORDS,
) -> NDArray[np.float64]:
    """Share of each word among the descriptors of each image.

    The vocabulary is learned from the images themselves, all of them and without labels: whoever divides them into
    training and test sets has words that know of both (transductive).

    Parameters
    ----------
    images : sequence of ndarray
    describe : callable
        Descriptors of an image, of shape (n_descriptors, n_values); there may be none.
    sample : callable, optional
        ``sample(image, size, rng)`` gives about so many descriptors of an image without computing all. By default all
        are computed, and kept in memory.
    quarters : callable, optional
        Quarter of the image, 0 to 3, that each of its descriptors stands in: rows become pyramids of two levels.
    n_words : int, default=250
        Fewer where there are not so many different descriptors.

    Returns
    -------
    ndarray of shape (n_images, n_words), or (n_images, 5 * n_words) with `quarters`
        Rows sum to 1; one without descriptors is zero. The first part of a pyramid has the shares in the whole image,
        and the other four those in its quarters. Whole and quarters weigh alike, as in Lazebnik et al. (2006).
    """
    rng = np.random.default_rng(SEED)
    size = -(-n_words * PER_WORD // len(images))
    if sample is None:
        kept = [describe(image) for image in images]
        drawn = [rows[rng.permutation(len(rows))[:size]] for rows in kept]
        words = learn_words(np.concatenate(drawn).astype(np.float32), n_words)
        described = iter(kept)
    else:
        words = learn_words(np.concatenate([sample(image, size, rng) for image in images]), n_words)
        described = map(describe, images)
    nearest = [nearest_words(rows, words) for rows in described]
    if quarters is None:
        return np.stack([histogram(words_of_image, len(words)) for words_of_image in nearest])
    return np.stack(
        [
            pyramid(words_of_image, quarters(image), len(words))
            for words_of_image, image in zip(nearest, images, strict=True)
        ]
    )


def learn_words(descriptors: Floats, n_words: int = N_WORDS) -> Floats:
    """Centres of a K-means that starts from a fixed seed (k-means++).

    Parameters
    ----------
    descriptors : ndarray of shape (n, n_values)
    n_words : int, default=250
        At most.

    Returns
    -------
    ndarray of shape (n_words, n_values)
        One centre, at the origin, if there are no descriptors.
    """
    from sklearn.cluster import KMeans  # late: every process that looks into the registry imports this module

    # As bytes, and -0 as 0: a sort of whole rows would compare them value by value.
    n_different = len({row.tobytes() for row in descriptors + np.float32(0)})
    if n_different == 0:
        return np.zeros((1, descriptors.shape[1]), dtype=np.float32)
    fit = KMeans(min(n_words, n_different), n_init=1, max_iter=MAX_ITERATIONS, random_state=SEED)
    return fit.fit(descriptors).cluster_centers_.astype(np.float32)


def nearest_words(descriptors: NDArray[np.generic], words: Floats) -> NDArray[np.intp]:
    """Index of the nearest word of each descriptor, the lowest at ties."""
    rows, twice = descriptors.astype(np.float32, copy=False), (-2 * words).T  # doubling is exact
    squares = (words**2).sum(axis=1)
    nearest = np.empty(len(rows), dtype=np.intp)
    # By parts that stay in the processor's cache. They are of nearly equal size: in a product of few rows, as a rest
    # might be, BLAS may take its sums in another order.
    n_parts = max(len(rows) // PART_ROWS, 1)
    for k in range(n_parts):
        part = slice(len(rows) * k // n_parts, len(rows) * (k + 1) // n_parts)
        distances = rows[part] @ twice
        distances += squares
        distances.argmin(axis=1, out=nearest[part])
    return nearest


def histogram(words: NDArray[np.intp], n_words: int) -> NDArray[np.float64]:
    """Share of each word; zeros where there are none."""
    return np.bincount(words, minlength=n_words) / max(len(words), 1)


def pyramid(words: NDArray[np.intp], quarters: NDArray[np.intp], n_words: int) -> NDArray[np.float64]:
    """Concatenate half the shares of words in whole and in quarters.

    The whole comes first. There are zeros where there are no words.
    """
    return np.concatenate([histogram(words, n_words), histogram(quarters * n_words + words, 4 * n_words)]) / 2


def quarters_of_grid(
    shape: tuple[int, int], first: int, step: int, rows: int, columns: int
) -> NDArray[np.intp]:
    """Assign a grid's points, by rows, to quarters.

    A point in the middle is right or below.

    Parameters
    ----------
    shape : tuple of int
        Height and width of the image.
    first, step : int
        Pixels from the border to the first point, and from one to the next, both ways.
    rows, columns : int
        Points of the grid.
    """
    below, right = (
        2 * (first + step * np.arange(n)) >= length for n, length in zip((rows, columns), shape, strict=True)
    )
    return (2 * below[:, None] + right).ravel().astype(np.intp)
