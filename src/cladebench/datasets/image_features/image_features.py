"""The eight features of images of Komodakis (2011), section 6.

What each is called and computed by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import View
from cladebench.datasets.content import ViewKind
from cladebench.datasets.image_features.image_gist import gist
from cladebench.datasets.image_features.image_hog import dense_hog, pyramid_hog
from cladebench.datasets.image_features.image_lbp import lbp, rotation_invariant_lbp
from cladebench.datasets.image_features.image_sift import dense_sift, pyramid_sift
from cladebench.datasets.image_features.image_sparse_sift import sparse_sift
from cladebench.datasets.image_features.image_textons import mr8_textons, textons
from cladebench.threads import one_thread

Pixels = Sequence[NDArray[np.uint8]]
Feature = Callable[..., NDArray[np.float64]]

#: Each takes all grey images of a data set, of 64 pixels or more on each side, and gives one row for each.
FEATURES: Mapping[str, Feature] = {
    "gist": gist,
    "dense-hog": dense_hog,
    "lbp": lbp,
    "rot-lbp": rotation_invariant_lbp,
    "dense-sift": dense_sift,
    "sparse-sift": sparse_sift,
    "textons": textons,
    "mr8-textons": mr8_textons,
}
#: Dense words in the whole image and in its quarters, in place of the whole alone.
PYRAMIDS: Mapping[str, Feature] = {
    "dense-hog": pyramid_hog,
    "dense-sift": pyramid_sift,
}
#: Shares of words, whose functions take ``n_words``.
WORDS = ("dense-hog", "dense-sift", "sparse-sift", "textons", "mr8-textons")
#: What a registry entry says of them.
FEATURE_VIEWS: Mapping[str, ViewKind] = dict.fromkeys(FEATURES, "features")
FEATURES_NOTE = (
    "Features are computed from these images, without labels; the vocabularies of words are learned from all of them. "
    "The paper names the features and gives no parameters: they stand in the modules of the features."
)


def larger_vocabularies(n_words: int) -> dict[str, Feature]:
    """Make the histograms of words with so many of them."""
    return {name: partial(FEATURES[name], n_words=n_words) for name in WORDS}


def feature_views(pixels: Pixels, instead: Mapping[str, Feature] = MappingProxyType({})) -> dict[str, View]:
    """Give one view of kind "features" for each feature.

    Computed only where there is no kept copy of it. `instead` has what is computed in place of features of these names.
    """
    features = {**FEATURES, **instead}
    return {name: View("features", partial(_on_one_thread, of, pixels)) for name, of in features.items()}


def _on_one_thread(of: Feature, pixels: Pixels) -> NDArray[np.float64]:
    """Compute a feature.

    Sums in another order, by more threads, might move a descriptor to another word.
    """
    with one_thread():
        return of(pixels)
