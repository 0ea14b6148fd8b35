"""The images of textures: what is read, what is refused, and what happens without OpenCV."""

from __future__ import annotations

import dataclasses
import importlib
import subprocess
import sys

import numpy as np
import pytest

from archives import tar_of
from cladebench import datasets
from cladebench.datasets import DatasetError, base, derived
from cladebench.datasets.image_features import image_files
from cladebench.datasets.image_features.image_features import FEATURES
from cladebench.datasets.sets import texture_images

NAMES = ("outex-textures", "uiuc-textures")
REAL = {name: datasets.availability(name) for name in NAMES}


def tar(members):
    """An archive, its members in reverse order."""
    return tar_of(sorted(members.items(), reverse=True))


def encoded(pixels, suffix=".bmp"):
    cv2 = pytest.importorskip("cv2")
    return cv2.imencode(suffix, pixels)[1].tobytes()


def outex(side=128, **changes):
    """Two classes of two images; the grey value of each is its number."""
    names = ("canvas001/000000", "canvas001/000001", "carpet002/000002", "carpet002/000003")
    members = {
        f"Outex_TC_00012_train480/{name}.bmp": encoded(np.full((side, side), 50 + i, np.uint8))
        for i, name in enumerate(names)
    }
    return members | {"Outex_TC_00012_train480/_tables/defs.txt": b"1"} | changes


def load_outex(members):
    return texture_images.load_outex_textures({texture_images.OUTEX.name: tar(members)}, 0)


def test_images_come_by_name_with_the_class_of_their_folder():
    content = load_outex(outex())
    assert content.label_names == ("canvas001", "carpet002") and content.labels.tolist() == [0, 0, 1, 1]
    assert content.labels.dtype == np.intp and content.X is None
    assert [image[0, 0] for image in content.images.pixels] == [50, 51, 52, 53]
    assert all(image.shape == (128, 128) and image.dtype == np.uint8 for image in content.images.pixels)
    assert list(content.views) == list(FEATURES)


def test_pixels_are_not_altered():
    pixels = np.random.default_rng(0).integers(0, 256, (128, 128)).astype(np.uint8)
    name = "Outex_TC_00012_train480/canvas001/000000.bmp"
    content = load_outex(outex(**{name: encoded(pixels)}))
    np.testing.assert_array_equal(content.images.pixels[0], pixels)


def test_uiuc_images_are_wide_and_named_by_their_texture():
    grey = np.tile(np.arange(256, dtype=np.uint8), (192, 1))
    members = {
        "uiuctex/T01_bark1/T01_01.jpg": encoded(grey, ".jpg"),
        "uiuctex/T22_fur/T22_01.jpg": encoded(grey[::-1, ::-1].copy(), ".jpg"),
        "uiuctex/T04_wood1/T04_07.jpg": encoded(grey, ".jpg"),
    }
    content = texture_images.load_uiuc_textures({texture_images.UIUC.name: tar(members)}, 0)
    assert content.label_names == ("bark1", "fur", "wood1") and content.labels.tolist() == [0, 2, 1]
    assert np.abs(content.images.pixels[0].astype(int) - grey).max() < 8


@pytest.mark.parametrize(
    "name",
    [
        "Outex_TC_00012_train480/canvas1/000000.bmp",
        "Outex_TC_00012_train480/000000.bmp",
        "Other/canvas001/000000.bmp",
        "Outex_TC_00012_train480/canvas001/00000.bmp",
        "Outex_TC_00012_train480/canvas001/000000.jpg",
    ],
)
def test_images_with_other_names_are_refused(name):
    with pytest.raises(
        DatasetError, match=rf"^outex/.*\.tar: expected images with names like .*, found '{name}'"
    ):
        load_outex(outex(**{name: b"BM"}))


def cut_bmp(content):
    """Cut short, and saying so in its head: only the decoder can tell."""
    return content[:2] + (100).to_bytes(4, "little") + content[6:100]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda bmp: bmp[:-1], "expected a whole file, found 17461 bytes without its end"),
        (lambda bmp: bmp + b"\0", "expected a whole file"),
        (lambda bmp: b"", "expected a file that begins as .bmp does, found b''"),
        (lambda bmp: b"P5" + bmp[2:], "expected a file that begins as .bmp does, found b'P5"),
        (lambda bmp: bmp[:14] + bytes(len(bmp) - 14), "cannot be decoded"),
        (
            lambda bmp: encoded(np.zeros((128, 128), np.uint8), ".jpg"),
            "expected a file that begins as .bmp does",
        ),
        (lambda bmp: encoded(np.zeros((128, 127), np.uint8)), "expected pixels 128 x 128, found 128 x 127"),
        (lambda bmp: encoded(np.zeros((127, 128), np.uint8)), "expected pixels 128 x 128, found 127 x 128"),
        (
            lambda bmp: encoded(np.zeros((128, 128, 3), np.uint8)),
            r"expected grey values of eight bits, found uint8 of shape \(128, 128, 3\)",
        ),
    ],
)
def test_broken_images_name_archive_and_member(damage, message):
    name = "Outex_TC_00012_train480/carpet002/000002.bmp"
    members = outex()
    with pytest.raises(DatasetError, match=rf"^outex/outex_tc00012_train480_bmp\.tar: {name}: {message}"):
        load_outex(members | {name: damage(members[name])})


def test_a_bmp_without_its_pixels_is_refused():
    members = outex()
    name = "Outex_TC_00012_train480/carpet002/000002.bmp"
    with pytest.raises(DatasetError, match="cannot be decoded"):
        load_outex(members | {name: cut_bmp(members[name])})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda jpg: jpg[: len(jpg) // 2], "expected a whole file"),
        (lambda jpg: jpg[:-1], "expected a whole file"),
        (lambda jpg: jpg[:20] + b"\xff\xd9", "cannot be decoded"),
        (lambda jpg: b"BM" + jpg[2:], "expected a file that begins as .jpg does"),
    ],
)
def test_broken_jpegs(damage, message):
    whole = encoded(np.random.default_rng(1).integers(0, 256, (192, 256)).astype(np.uint8), ".jpg")
    assert image_files.read_grey(whole, "a.jpg", "toy.tar").shape == (192, 256)
    with pytest.raises(DatasetError, match=f"^toy.tar: a.jpg: {message}"):
        image_files.read_grey(damage(whole), "a.jpg", "toy.tar")


def test_small_images_are_refused():
    for shape in ((63, 64), (64, 63)):
        with pytest.raises(DatasetError, match="expected pixels 64 or more on each side"):
            image_files.read_grey(encoded(np.zeros(shape, np.uint8)), "a.bmp", "toy.tar")
    assert image_files.read_grey(encoded(np.zeros((64, 64), np.uint8)), "a.bmp", "toy.tar").shape == (64, 64)


def test_entries():
    for name, kind, n_classes, per_class in (
        ("uiuc-textures", "stand-in", 25, 40),
        ("uiuc-textures-8", "stand-in", 25, 8),
        ("outex-textures", "real", 24, 20),
    ):
        entry = datasets.info(name)
        assert (entry.n_classes, entry.n_samples) == (n_classes, n_classes * per_class)
        assert entry.kind == kind and entry.images and entry.n_features is None and not entry.fetchable
        assert list(entry.views) == list(FEATURES) and set(entry.views.values()) == {"features"}
        assert entry.libraries == ("opencv-python-headless",)
    assert "reduced from 640 x 480" in datasets.info("uiuc-textures").notes
    assert "not verified" in datasets.info("outex-textures").notes


@pytest.fixture
def without(monkeypatch):
    """A machine without OpenCV."""

    def missing(name):
        if name == "opencv-python-headless":
            raise base.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(base, "version", missing)
    monkeypatch.setitem(sys.modules, "cv2", None)


def test_without_opencv_the_data_are_unavailable(without):
    for name in (*NAMES, "scenes-15"):
        assert datasets.info(name).missing_libraries == ("opencv-python-headless",)
        assert datasets.availability(name) is None
        with pytest.raises(
            datasets.DataUnavailable,
            match=f"^{name}: needs opencv-python-headless, which is not installed: an extra",
        ):
            datasets.load(name)
    assert datasets.availability("digits") == "bundled"


def test_without_opencv_a_loader_says_so(without):
    with pytest.raises(datasets.DataUnavailable, match=r"^cv2 is not installed; .*cladebench\[images\]"):
        image_files.read_grey(b"BM\x06\0\0\0", "a.bmp", "toy.tar")


def test_the_package_does_not_import_it():
    code = "import sys; from cladebench import datasets; datasets.names(); print('cv2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_copies_are_named_by_the_version_of_the_library(monkeypatch):
    entry = datasets.info("outex-textures")
    names = set()
    for version in ("1", "2"):
        monkeypatch.setattr(
            derived, "version", lambda name, v=version: v if name == "opencv-python-headless" else "1"
        )
        names.add(derived.derived_path(entry, 0, "view-lbp").name)
        plain = derived.derived_path(dataclasses.replace(entry, libraries=()), 0, "view-lbp").name
        names.add(plain)
    assert len(names) == 3  # that without the library hears nothing of it


def test_copies_are_named_by_the_code_of_the_features():
    stems = {path.stem for path in datasets.source_files("uiuc-textures")}
    modules = {importlib.import_module(f.__module__).__name__.rpartition(".")[2] for f in FEATURES.values()}
    assert modules | {"texture_images", "image_files", "image_features", "image_words"} <= stems
    assert {"image_filters", "image_hessian", "opencv", "archives"} <= stems


@pytest.fixture(scope="module", params=NAMES)
def real(request):
    """Images where the file is; features are not computed."""
    if REAL[request.param] is None:
        pytest.skip("the file of the images, or OpenCV, is not on this machine")
    entry = datasets.info(request.param)
    return entry, entry.loader({file.name: datasets.fetch.obtain(file).content for file in entry.files}, 0)


def test_the_real_images(real):
    entry, content = real
    assert len(content.images) == entry.n_samples
    counts = np.bincount(content.labels)
    assert counts.tolist() == [entry.n_samples // entry.n_classes] * entry.n_classes
    first = content.images.pixels[0]
    if entry.name == "uiuc-textures":
        assert content.label_names[:3] == ("bark1", "bark2", "bark3") and first.shape == (192, 256)
    else:
        assert content.label_names[::8] == ("canvas001", "canvas022", "canvas038") and first.shape == (
            128,
            128,
        )
    assert len({image.tobytes() for image in content.images.pixels}) == entry.n_samples
