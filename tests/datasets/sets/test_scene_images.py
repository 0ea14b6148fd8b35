"""The images of scenes: names of categories, sizes, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from archives import tar_of
from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.image_features.image_features import FEATURES
from cladebench.datasets.sets import scene_images
from image_makers import noise

REAL = datasets.availability("scenes-15")


def encoded(pixels):
    cv2 = pytest.importorskip("cv2")
    return cv2.imencode(".jpg", pixels)[1].tobytes()


def jpg(height, width, value=90):
    return encoded(np.full((height, width), value, np.uint8))


def packed(members):
    named = {f"scene15_train100/{name}.jpg": content for name, content in members.items()}
    return {scene_images.SCENES.name: tar_of(named)}


def load(members):
    return scene_images.load_scenes(packed(members), 0)


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


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("pyramid", {"dense-hog": 1250, "lbp": 59, "sparse-sift": 250}),
        ("words-400", {"dense-hog": 400, "lbp": 59, "sparse-sift": 400}),
        ("words-1000", {"dense-hog": 1000, "lbp": 59, "sparse-sift": 400}),  # of 400 points
        ("more-points", {"dense-hog": 250, "lbp": 59, "sparse-sift": 250}),
    ],
)
def test_the_same_images_with_other_features(name, columns):
    entry, usual = datasets.info(f"scenes-15-{name}"), datasets.info("scenes-15")
    assert entry.files == usual.files and entry.views == usual.views and entry.n_samples == usual.n_samples
    images = {f"MITcoast/image_000{k}": encoded(noise(seed=k, shape=(200, 220))) for k in range(2)}
    files = packed(images)
    plain, other = scene_images.load_scenes(files, 0).views, entry.loader(files, 0).views
    values = {feature: (plain[feature].values(), other[feature].values()) for feature in columns}
    assert {feature: found.shape[1] for feature, (_, found) in values.items()} == columns
    as_usual = {feature for feature, (one, found) in values.items() if np.array_equal(one, found)}
    assert as_usual == {"lbp"} | ({"sparse-sift"} if name == "pyramid" else set()) | (
        {"dense-hog"} if name == "more-points" else set()
    )


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
