"""The recipe of the word counts, on made-up images; its descriptors only where OpenCV is installed."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from archives import tar_of
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import cifar100
from doc_examples import ROOT


@pytest.fixture(scope="module")
def recipe():
    spec = importlib.util.spec_from_file_location("sift_words", ROOT / "recipes" / "cifar100_sift_words.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def records(n, seed):
    return np.random.default_rng(seed).integers(0, 100, (n, 3074)).astype(np.uint8)


def archive(**members):
    named = {f"cifar-100-binary/{name}.bin": content for name, content in members.items()}
    return tar_of(named, "w:gz")


def test_images_and_labels_are_read_in_the_official_order(recipe):
    train, test = records(3, 0), records(2, 1)
    images, fine, coarse, n_train = recipe.read_images(
        archive(test=test.tobytes(), train=train.tobytes(), other=b"")
    )
    assert images.shape == (5, 32, 32, 3) and n_train == 3
    assert coarse.tolist() == [*train[:, 0], *test[:, 0]] and fine.tolist() == [*train[:, 1], *test[:, 1]]
    assert images[1, 2, 7].tolist() == [train[1, 2 + plane * 1024 + 2 * 32 + 7] for plane in range(3)]
    with pytest.raises(DatasetError, match=r"expected member 'cifar-100-binary/test\.bin'"):
        recipe.read_images(archive(train=train.tobytes()))


def test_each_descriptor_counts_for_its_nearest_word(recipe, monkeypatch):
    rng = np.random.default_rng(2)
    descriptors = rng.random((243, 128)).astype(np.float32)
    words = rng.random((9, 128)).astype(np.float32)
    words[5] = words[1]  # equally near: the first counts
    monkeypatch.setattr(recipe, "root_sift", lambda image: descriptors)
    distances = ((descriptors[:, None] - words[None]) ** 2).sum(axis=2)
    expected = np.bincount(distances.argmin(axis=1), minlength=9)
    counts = recipe.count_words(None, words)
    assert counts.tolist() == expected.tolist() and counts.sum() == 243 and counts[5] == 0
    monkeypatch.setattr(recipe, "root_sift", lambda image: np.repeat(words[:1], 300, axis=0))
    assert recipe.count_words(None, words).max() == 255


def test_the_loader_reads_what_the_recipe_writes(recipe, monkeypatch, tmp_path):
    """The whole script on ten images, with colours for descriptors."""
    train, test = records(6, 3), records(4, 4)
    for table in (train, test):
        table[:, 0], table[:, 1] = 18, np.arange(len(table)) % 2
    (tmp_path / "cifar.tar.gz").write_bytes(archive(train=train.tobytes(), test=test.tobytes()))
    centres = np.random.default_rng(5).integers(0, 100, (140, 3)).astype(np.float32)
    np.savez(tmp_path / "old.npz", vocabulary=centres)
    monkeypatch.setattr(recipe, "root_sift", lambda image: image.reshape(-1, 3).astype(np.float32)[:243])
    paths = [str(tmp_path / name) for name in ("cifar.tar.gz", "new.npz", "old.npz")]
    monkeypatch.setattr(sys, "argv", ["recipe", paths[0], paths[1], "--vocabulary", paths[2]])
    recipe.main()
    files = {
        cifar100.WORDS.name: (tmp_path / "new.npz").read_bytes(),
        cifar100.TREE.name: b"2 0\n2 1\n",
        cifar100.NAMES.name: b"0 bicycle\n1 bus\n",
    }
    content = cifar100.load_group(files, (18,))
    assert content.labels.tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
    images = recipe.read_images((tmp_path / "cifar.tar.gz").read_bytes())[0]
    expected = np.array([recipe.count_words(image, centres) for image in images])
    found = cifar100._word_counts(files[cifar100.WORDS.name], np.arange(10))
    np.testing.assert_array_equal(found, expected)
    assert content.X().shape == (10, 100)


def test_descriptors_are_roots_of_frequencies_of_a_dense_grid(recipe):
    pytest.importorskip("cv2")
    image = np.random.default_rng(6).integers(0, 256, (32, 32, 3)).astype(np.uint8)
    found = recipe.root_sift(image)
    assert found.shape == (9 * 9 * 3, 128)
    np.testing.assert_allclose((found**2).sum(axis=1), 1, atol=1e-5)
    # A change in one corner leaves small descriptors of the opposite corner as they are.
    changed = image.copy()
    changed[-4:, -4:] = 0
    moved = (np.abs(recipe.root_sift(changed) - found).max(axis=1) > 0).reshape(9, 9, 3)
    assert moved[-1, -1].all() and not moved[:2, :2, 0].any()
    assert np.isfinite(recipe.root_sift(np.zeros_like(image))).all()  # an even image has no gradients
