"""Images of 15 categories of scenes, and eight features of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from cladebench.datasets.base import Content, DatasetInfo, RemoteFile
from cladebench.datasets.image_features.image_features import (
    FEATURE_VIEWS,
    FEATURES_NOTE,
    PYRAMIDS,
    Feature,
    larger_vocabularies,
)
from cladebench.datasets.image_features.image_files import load_classes
from cladebench.datasets.image_features.image_sparse_sift import sparse_sift
from cladebench.datasets.image_features.opencv import LIBRARY

SCENES = RemoteFile(
    name="scene15/scene15_train100_original.tar",
    sha256="4eb8652bb6db9be4303c186bf28fe997d9230d246f25983cc3a225db30908c26",
    size=30_474_240,
    urls=(),
    made_from="data/train of https://github.com/2012022901/scene_recognition_BoW at commit "
    "df76976418ed77aa315ded45f2a8b12ece174ac3, files unchanged, folders named as Lazebnik et al. did, packed with tar "
    "--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner; the whole collection of 4,485 images was at "
    "http://www-cvr.ai.uiuc.edu/ponce_grp/data/scene_categories/scene_categories.zip",
)


def load_scenes(files: Mapping[str, bytes], draw: int) -> Content:
    """100 images of each of 15 categories, in their original sizes (:func:`~.image_files.load_classes`)."""
    return _scenes(files)


def load_few_scenes(files: Mapping[str, bytes], draw: int) -> Content:
    """Every tenth image of each category."""
    return _scenes(files, every=10)


def load_scenes_in_quarters(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of `load_scenes`, with pyramids of dense words."""
    return _scenes(files, instead=PYRAMIDS)


def load_scenes_of_400_words(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of `load_scenes`, with vocabularies of 400 words."""
    return _scenes(files, instead=larger_vocabularies(400))


def load_scenes_of_1000_words(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of `load_scenes`, with vocabularies of 1,000 words."""
    return _scenes(files, instead=larger_vocabularies(1000))


def load_scenes_of_more_points(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of `load_scenes`, with up to 1,000 sparse points each."""
    return _scenes(files, instead={"sparse-sift": partial(sparse_sift, most_points=1000)})


def _scenes(
    files: Mapping[str, bytes], every: int = 1, instead: Mapping[str, Feature] = MappingProxyType({})
) -> Content:
    """Read the first of `every` so many images, with features computed otherwise."""
    pattern = r"scene15_train100/(?:CAL|MIT|PAR)?([a-z]+)/image_\d{4}\.jpg"
    return load_classes(files[SCENES.name], pattern, name=SCENES.name, every=every, instead=instead)


_ALL = DatasetInfo(
    name="scenes-15",
    title="15 scene categories, 100 images of each",
    kind="real",
    n_samples=1500,
    n_features=None,
    n_classes=15,
    licence="Research use, to be cited",
    citation="S. Lazebnik, C. Schmid, J. Ponce (2006). Beyond bags of features: spatial pyramid matching for "
    "recognizing natural scene categories. CVPR. With images of L. Fei-Fei, P. Perona (2005) and A. Oliva, "
    "A. Torralba (2001)",
    loader=load_scenes,
    files=(SCENES,),
    images=True,
    views=FEATURE_VIEWS,
    libraries=(LIBRARY,),
    notes="100 images of each category, unchanged. Others drew them for training from the 4,485 of the "
    "collection. The paper draws 80 of each category from all of them. Grey, 200 to 411 pixels high and"
    " 203 to 411 wide. ",
)


def _with_other(
    name: str, what: str, loader: Callable[[Mapping[str, bytes], int], Content], why: str
) -> DatasetInfo:
    """The images of `_ALL` with some features computed otherwise."""
    return replace(
        _ALL,
        name=f"scenes-15-{name}",
        title=f"15 scene categories, {what}",
        loader=loader,
        notes=f"The images of scenes-15. {why} {FEATURES_NOTE}",
    )


DATASETS = (
    _ALL,
    replace(
        _ALL,
        name="scenes-15-10",
        title="15 scene categories, 10 images of each",
        n_samples=150,
        loader=load_few_scenes,
        notes="Every tenth image of scenes-15, for machines in a hurry. Features are computed anew, with "
        f"vocabularies of these images. {FEATURES_NOTE}",
    ),
    _with_other(
        "pyramid",
        "dense words in quarters too",
        load_scenes_in_quarters,
        "Histograms of dense HOG and dense SIFT words are pyramids of two levels, as Lazebnik et al. (2006) use them "
        "on these scenes.",
    ),
    *(
        _with_other(
            f"words-{n_words}",
            f"vocabularies of {n_words:,} words",
            loader,
            f"Histograms of dense HOG, dense and sparse SIFT and both textons have {n_words:,} words, not 250.",
        )
        for n_words, loader in ((400, load_scenes_of_400_words), (1000, load_scenes_of_1000_words))
    ),
    _with_other(
        "more-points",
        "up to 1,000 sparse points an image",
        load_scenes_of_more_points,
        "Sparse SIFT words are of the 1,000 strongest points of an image, not 200.",
    ),
)
