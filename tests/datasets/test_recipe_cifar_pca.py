"""The recipe of the scores of CIFAR, on made-up images of 4 x 4 pixels."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from archives import tar_of
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import cifar_scores
from doc_examples import ROOT

SIDE, K = 4, 5
PIXELS = 3 * SIDE * SIDE


@pytest.fixture
def recipe(monkeypatch):
    spec = importlib.util.spec_from_file_location("cifar_pca", ROOT / "recipes" / "cifar_pca.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "SIDE", SIDE)
    monkeypatch.setattr(module, "N_COMPONENTS", K)
    return module


def images(n, seed):
    return np.random.default_rng(seed).integers(0, 256, (n, PIXELS)).astype(np.uint8)


def cifar10(**changes):
    """Five batches of four images each and three test images, of two classes; the batches are not in order."""
    members = {}
    for batch in (3, 1, 5, 2, 4):
        rows = np.column_stack([np.arange(4) % 2, images(4, batch)]).astype(np.uint8)
        members[f"cifar-10-batches-bin/data_batch_{batch}.bin"] = rows.tobytes()
    rows = np.column_stack([[1, 0, 1], images(3, 6)]).astype(np.uint8)
    members["cifar-10-batches-bin/test_batch.bin"] = rows.tobytes()
    members["cifar-10-batches-bin/batches.meta.txt"] = b"airplane\nautomobile\n\n"
    kept = {name: content for name, content in (members | changes).items() if content is not None}
    return tar_of(kept, "w:gz")


def cifar100():
    """Eight training and three test images of three fine classes, the last of which is coarse class 0."""
    fine = np.array([0, 1, 2, 2, 1, 0, 0, 1, 1, 2, 0])
    rows = np.column_stack([fine < 2, fine, images(11, 7)]).astype(np.uint8)
    return tar_of(
        {
            "cifar-100-binary/train.bin": rows[:8].tobytes(),
            "cifar-100-binary/test.bin": rows[8:].tobytes(),
            "cifar-100-binary/fine_label_names.txt": b"apple\nbed\nbee\n",
            "cifar-100-binary/coarse_label_names.txt": b"insects\nother_things\n",
        },
        "w:gz",
    )


def test_batches_are_read_in_the_order_of_their_numbers(recipe):
    train, test, labels = recipe.read_cifar(cifar10())
    np.testing.assert_array_equal(train, np.concatenate([images(4, batch) for batch in range(1, 6)]))
    np.testing.assert_array_equal(test, images(3, 6))
    assert labels["fine_train"].tolist() == [0, 1, 0, 1] * 5 and labels["fine_test"].tolist() == [1, 0, 1]
    assert labels["fine_names"].tolist() == ["airplane", "automobile"] and len(labels) == 3


def test_the_coarse_label_stands_before_the_fine_one(recipe):
    train, test, labels = recipe.read_cifar(cifar100())
    np.testing.assert_array_equal(np.concatenate([train, test]), images(11, 7))
    assert labels["fine_train"].tolist() == [0, 1, 2, 2, 1, 0, 0, 1] and labels["fine_test"].tolist() == [
        1,
        2,
        0,
    ]
    assert labels["coarse_train"].tolist() == [1, 1, 0, 0, 1, 1, 1, 1] and labels["coarse_test"].tolist() == [
        1,
        0,
        1,
    ]
    assert labels["fine_to_coarse"].tolist() == [1, 1, 0]


def test_a_batch_that_is_missing_is_named(recipe):
    with pytest.raises(DatasetError, match=r"expected member 'cifar-10-batches-bin/data_batch_2\.bin'"):
        recipe.read_cifar(cifar10(**{"cifar-10-batches-bin/data_batch_2.bin": None}))


def test_scores_are_those_of_a_singular_value_decomposition(recipe):
    train, test = images(40, 8), images(6, 9)
    found = recipe.scores(train, test)
    mean = (train / 255).mean(axis=0)
    _, sizes, axes = np.linalg.svd(train / 255 - mean, full_matrices=False)
    axes = axes[:K] * np.sign(axes[np.arange(K), np.abs(axes[:K]).argmax(axis=1)])[:, None]
    np.testing.assert_allclose(found["components"], axes, atol=1e-6)
    np.testing.assert_allclose(found["mean"], mean, atol=1e-7)
    np.testing.assert_allclose(found["explained_variance"], sizes[:K] ** 2 / 39)
    np.testing.assert_allclose(found["explained_variance_ratio"], sizes[:K] ** 2 / (sizes**2).sum())
    for name, pixels in (("X_train", train), ("X_test", test)):
        assert found[name].dtype == np.float16
        np.testing.assert_allclose(found[name], (pixels / 255 - mean) @ axes.T, atol=2e-3)


@pytest.mark.parametrize(
    ("archive", "file", "load", "n_training"),
    [
        (cifar10(), cifar_scores.CIFAR10, cifar_scores.load_cifar10, 20),
        (cifar100(), cifar_scores.CIFAR100, cifar_scores.load_cifar100_fine, 8),
    ],
    ids=["cifar10", "cifar100"],
)
def test_the_loader_reads_what_the_recipe_writes(
    recipe, monkeypatch, tmp_path, archive, file, load, n_training
):
    (tmp_path / "cifar.tar.gz").write_bytes(archive)
    monkeypatch.setattr(sys, "argv", ["recipe", str(tmp_path / "cifar.tar.gz"), str(tmp_path / "new.npz")])
    recipe.main()
    content = load({file.name: (tmp_path / "new.npz").read_bytes()}, 0)
    train, test, labels = recipe.read_cifar(archive)
    assert content.n_training == n_training and content.X.shape == (len(train) + len(test), K)
    assert content.labels.tolist() == [*labels["fine_train"], *labels["fine_test"]]
    scores = recipe.scores(train, test)
    np.testing.assert_array_equal(content.X, np.concatenate([scores["X_train"], scores["X_test"]]))
    if file is cifar_scores.CIFAR100:
        assert content.class_parents.tolist() == [4, 4, 3, 5, 5, -1]
