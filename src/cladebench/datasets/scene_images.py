"""Images of 15 categories of scenes, and eight features of each."""

from __future__ import annotations

from collections.abc import Mapping

from cladebench.datasets.base import Content, DatasetInfo, RemoteFile
from cladebench.datasets.image_features import FEATURE_VIEWS
from cladebench.datasets.image_files import load_classes
from cladebench.datasets.opencv import LIBRARY

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
    pattern = r"scene15_train100/(?:CAL|MIT|PAR)?([a-z]+)/image_\d{4}\.jpg"
    return load_classes(files[SCENES.name], pattern, name=SCENES.name)


DATASETS = (
    DatasetInfo(
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
        notes="100 images of each category, unchanged, which others drew for training from the 4,485 of the "
        "collection; the paper draws 80 of each from all of them. Grey, 200 to 411 pixels high and 203 to 411 wide. "
        "Features are computed from these images, without labels; the vocabularies of words are learned from all of "
        "them. The paper names the features and gives no parameters: they stand in the modules of the features.",
    ),
)
