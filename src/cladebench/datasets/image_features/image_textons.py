"""Histograms of textons: words of filter responses.

References
----------
T. Leung, J. Malik (2001). Representing and recognizing the visual appearance of materials using three-dimensional
textons. IJCV 43.
M. Varma, A. Zisserman (2005). A statistical approach to texture classification from single images. IJCV 62.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.image_features.image_filters import (
    grid,
    leung_malik,
    maxima,
    maximum_response,
    responses,
    responses_at,
    standardised,
)
from cladebench.datasets.image_features.image_words import N_WORDS, PART_ROWS, word_histograms

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

#: Weber's law: responses are compressed by log(1 + length / 0.03) / length (Varma and Zisserman 2005).
WEBER = 0.03


def textons(images: Sequence[Image], n_words: int = N_WORDS) -> NDArray[np.float64]:
    """Compute the shares of textons of Leung and Malik's 48 filters.

    The words are those of :func:`~.image_words.word_histograms`. The paper says "standard texton histograms" without
    naming a bank; this is that of the work that made clusters of responses its textons. It knows orientations.
    """
    return word_histograms(
        images,
        lambda image: compressed(responses(standardised(image), leung_malik)),
        lambda image, size, rng: compressed(_some(image, leung_malik(), size, rng)),
        n_words=n_words,
    )


def mr8_textons(images: Sequence[Image], n_words: int = N_WORDS) -> NDArray[np.float64]:
    """Compute the shares of textons of Varma and Zisserman's maximum responses.

    The words are those of :func:`~.image_words.word_histograms`. The largest responses of 38 filters over six
    orientations are kept: eight values.
    """
    return word_histograms(
        images,
        lambda image: compressed(maxima(responses(standardised(image), maximum_response))),
        lambda image, size, rng: compressed(maxima(_some(image, maximum_response(), size, rng))),
        n_words=n_words,
    )


def _some(image: Image, bank: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Give responses at places drawn without replacement, or all."""
    rows, columns = grid(image.shape)
    return responses_at(standardised(image), bank, rng.permutation(rows * columns)[:size])


def compressed(responses: Floats) -> Floats:
    """Compress the length of responses to log(1 + length / 0.03)."""
    shorter = np.empty_like(responses)
    # By parts that stay in the processor's cache. Rows or columns lie together as before: sums hang on it.
    for start in range(0, len(responses), PART_ROWS):
        part = responses[start : start + PART_ROWS]
        lengths = np.linalg.norm(part, axis=1, keepdims=True)
        scales = np.log1p(lengths / np.float32(WEBER)) / np.maximum(lengths, np.finfo(np.float32).tiny)
        np.multiply(part, scales, out=shorter[start : start + PART_ROWS])
    return shorter
