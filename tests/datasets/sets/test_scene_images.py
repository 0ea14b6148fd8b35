"""The images of scenes: names of categories, sizes, refusals."""

from __future__ import annotations

import io
import tarfile

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.image_features.image_features import FEATURES
from cladebench.datasets.sets import scene_images

REAL = datasets.availability("scenes-15")


def jpg(height, width, value=90):
    cv2 = pytest.importorskip("cv2")
    return cv2.imencode(".jpg", np.full((height, width), value, np.uint8))[1].tobytes()


def load(members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(f"scene15_train100/{name}.jpg")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return scene_images.load_scenes({scene_images.SCENES.name: stream.getvalue()}, 0)


def test_categories_lose_the_names_of_their_makers_and_sizes_stay():
    content = load(
        {
            "MITcoast/image_0002": jpg(256, 256, 80),
            "bedroom/image_0001": jpg(220, 300, 60),
            "CALsuburb/image_0003": jpg(300, 220, 40),
            "CALsuburb/image_0001": jpg(200, 330, 20),
            "PARoffice/image_0001": jpg(210, 210, 50),
        }
    )
    assert content.label_names == ("bedroom", "coast", "office", "suburb")
    assert content.labels.tolist() == [3, 3, 1, 2, 0]
    shapes = [image.shape for image in content.images.pixels]
    assert shapes == [(200, 330), (300, 220), (256, 256), (210, 210), (220, 300)]
    assert [int(image[9, 9]) for image in content.images.pixels] == [20, 40, 80, 50, 60]
    assert list(content.views) == list(FEATURES)


@pytest.mark.parametrize("name", ["MITcoast/image_2", "USAcoast/image_0001", "MIT/image_0001", "image_0001"])
def test_other_names_are_refused(name):
    with pytest.raises(DatasetError, match=rf"^scene15/.*\.tar: expected images .*, found '.*{name}\.jpg'"):
        load({name: b""})


def test_a_broken_image_is_named():
    with pytest.raises(
        DatasetError,
        match=r"^scene15/scene15_train100_original\.tar: scene15_train100/MITcoast/image_0001\.jpg: exp",
    ):
        load({"MITcoast/image_0001": jpg(200, 200)[:-5]})


def test_the_entry():
    entry = datasets.info("scenes-15")
    assert (entry.n_samples, entry.n_classes, entry.kind) == (1500, 15, "real")
    assert [file.name for file in entry.files] == ["scene15/scene15_train100_original.tar"]
    assert entry.libraries == ("opencv-python-headless",) and "draws 80 of each" in entry.notes


def test_scenes_in_quarters_are_the_same_images_with_other_dense_words():
    entry = datasets.info("scenes-15-pyramid")
    assert entry.files == datasets.info("scenes-15").files and entry.views == datasets.info("scenes-15").views
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for k in range(2):
            content = jpg(200, 220, 40 + k)
            member = tarfile.TarInfo(f"scene15_train100/MITcoast/image_000{k}.jpg")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    files = {scene_images.SCENES.name: stream.getvalue()}
    plain, quartered = scene_images.load_scenes(files, 0), entry.loader(files, 0)
    shapes = {name: quartered.views[name].values().shape[1] for name in ("dense-hog", "dense-sift", "lbp")}
    assert shapes["lbp"] == plain.views["lbp"].values().shape[1]
    for name in ("dense-hog", "dense-sift"):
        assert shapes[name] == 5 * plain.views[name].values().shape[1]


@pytest.fixture(scope="module")
def real():
    """Images where the file is; features are not computed."""
    if REAL is None:
        pytest.skip("the file of the images, or OpenCV, is not on this machine")
    entry = datasets.info("scenes-15")
    return entry.loader({file.name: datasets.fetch.obtain(file).content for file in entry.files}, 0)


def test_the_real_images(real):
    assert np.bincount(real.labels).tolist() == [100] * 15
    assert real.label_names[:3] == ("bedroom", "coast", "forest") and real.label_names[-1] == "tallbuilding"
    shapes = np.array([image.shape for image in real.images.pixels])
    assert shapes.min(axis=0).tolist() == [200, 203] and shapes.max() == 411
