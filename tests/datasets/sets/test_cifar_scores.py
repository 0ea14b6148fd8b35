from __future__ import annotations

import io

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import cifar_scores

REAL = ("cifar10", "cifar100-coarse", "cifar100-fine")
FINE = np.array([2, 0, 1, 2, 0], dtype=np.uint8)
SCORES = np.arange(15).reshape(5, 3).astype(np.float16) / 8


def archive(**changes):
    """Three training and two test images of three fine and two coarse classes, in the layout of the real file."""
    arrays = {
        "X_train": SCORES[:3],
        "X_test": SCORES[3:],
        "fine_train": FINE[:3],
        "fine_test": FINE[3:],
        "fine_names": np.array(["apple", "aquarium_fish", "baby"]),
        "coarse_train": np.uint8([1, 0, 0]),
        "coarse_test": np.uint8([1, 0]),
        "coarse_names": np.array(["things_that_grow", "babies"]),
    } | changes
    stream = io.BytesIO()
    np.savez_compressed(stream, **{key: value for key, value in arrays.items() if value is not None})
    return stream.getvalue()


def made_up(content=None, **changes):
    content = archive(**changes) if content is None else content
    return {cifar_scores.CIFAR10.name: content, cifar_scores.CIFAR100.name: content}


@pytest.mark.parametrize(
    ("load", "labels", "names", "parents"),
    [
        (cifar_scores.load_cifar10, FINE, ("apple", "aquarium fish", "baby"), None),
        (cifar_scores.load_cifar100_coarse, [1, 0, 0, 1, 0], ("things that grow", "babies"), None),
        (
            cifar_scores.load_cifar100_fine,
            FINE,
            ("apple", "aquarium fish", "baby"),
            [3, 3, 4, 5, 5, -1],
        ),
    ],
)
def test_training_images_come_first_with_the_labels_of_the_level(load, labels, names, parents):
    content = load(made_up(), 0)
    assert content.X.dtype == np.float64 and content.X.tolist() == SCORES.tolist()
    assert (
        content.labels.tolist() == list(labels) and content.label_names == names and content.n_training == 3
    )
    assert parents is None or content.class_parents.tolist() == parents
    assert parents is not None or content.class_parents is None


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            made_up(b"no archive"),
            "expected arrays X_train, X_test, fine_train, fine_test, fine_names, found: ",
        ),
        (made_up(archive()[:-40]), "expected arrays X_train"),
        (made_up(X_test=None), "expected arrays X_train, .*X_test"),
        (made_up(fine_names=np.array([None, 1, 2])), "expected arrays .*allow_pickle"),
        (made_up(X_test=SCORES[3:, :2]), r"found shapes \(3, 3\), \(2, 2\), \(3,\), \(2,\)"),
        (made_up(fine_train=FINE[:2]), r"found shapes \(3, 3\), \(2, 3\), \(2,\), \(2,\)"),
        (made_up(fine_test=FINE[3:] / 2), "whole numbers as labels"),
        (made_up(coarse_test=np.uint8([1])), "expected two labels of each image"),
        (made_up(fine_test=np.uint8([2, 3])), "the fine ones below 3, found 5 and 5, up to 3"),
        (made_up(coarse_test=np.uint8([0, 0])), "expected one coarse class of each fine one"),
    ],
)
def test_malformed_files_are_named(files, message):
    with pytest.raises(DatasetError, match=rf"^cifar100/cifar100_pca300\.npz: .*{message}"):
        cifar_scores.load_cifar100_fine(files, 0)


@pytest.mark.parametrize("name", REAL)
def test_it_says_that_only_a_mirror_has_the_scores_and_what_makes_such(name):
    entry = datasets.info(name)
    assert not entry.fetchable and entry.kind == "real" and "We take it for a misprint" in entry.notes
    with pytest.raises(datasets.DataUnavailable, match=r"no public address serves it.*recipes/cifar_pca\.py"):
        datasets.load(name)


def test_the_two_levels_share_a_file():
    coarse, fine = datasets.info("cifar100-coarse"), datasets.info("cifar100-fine")
    assert coarse.files == fine.files and (coarse.n_classes, fine.n_classes) == (20, 100)


def test_the_real_files_are_the_components_of_the_training_images(real):
    for data in real.values():
        train, test = data.X[: data.n_training], data.X[data.n_training :]
        assert (train.shape, test.shape) == ((50_000, 300), (10_000, 300))
        for part in (data.labels[:50_000], data.labels[50_000:]):
            assert len(set(np.bincount(part))) == 1  # as many images of each class
        variance = train.var(axis=0)
        assert (np.diff(variance) < 1e-3).all() and np.abs(train.mean(axis=0)).max() < 1e-4
        correlation = np.corrcoef(train[:, :20], rowvar=False) - np.eye(20)
        assert np.abs(correlation).max() < 1e-3
        # The test images were projected and not fitted.
        assert np.abs(test.mean(axis=0)).max() > 100 * np.abs(train.mean(axis=0)).max()


def test_the_real_levels_are_of_the_same_images(real):
    coarse, fine = real["cifar100-coarse"], real["cifar100-fine"]
    np.testing.assert_array_equal(coarse.X, fine.X)
    np.testing.assert_array_equal(fine.class_parents[fine.labels] - 100, coarse.labels)
    above = fine.class_parents[fine.label_names.index("maple tree")] - 100
    assert (
        coarse.label_names[above] == "trees"
        and np.bincount(fine.class_parents[:100])[100:].tolist() == [5] * 20
    )


def test_the_real_images_of_a_class_are_nearer_to_it_than_by_chance(real):
    """A shift of the labels by one row would show here."""
    for name, least in (("cifar10", 0.25), ("cifar100-coarse", 0.15), ("cifar100-fine", 0.08)):
        data = real[name]
        train, labels = data.X[: data.n_training], data.labels[: data.n_training]
        centres = np.stack([train[labels == c].mean(axis=0) for c in range(len(data.label_names))])
        test = data.X[data.n_training :]
        nearest = ((centres**2).sum(axis=1) - 2 * test @ centres.T).argmin(axis=1)
        assert (nearest == data.labels[data.n_training :]).mean() > least
