"""Load CIFAR-10 and CIFAR-100 as 300 principal components of pixels.

The split is the official one.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile

N_TRAINING, N_TEST = 50_000, 10_000
N_COMPONENTS = 300


def _made_from(archive: str) -> str:
    return (
        f"{N_COMPONENTS} principal components of the images of https://www.cs.toronto.edu/~kriz/{archive}; "
        "recipes/cifar_pca.py of this project makes such a file from it, but another machine may round some scores "
        "the other way, which the registered sha256 refuses, so that a copy of the very file is needed"
    )


CIFAR10 = RemoteFile(
    name="cifar10/cifar10_pca300.npz",
    sha256="df4789eaf3b73e772a9e43fd3d7ba896c7746d589f869adbb995156ae2236357",
    size=37_244_689,
    urls=(),
    made_from=_made_from("cifar-10-binary.tar.gz"),
)
CIFAR100 = RemoteFile(
    name="cifar100/cifar100_pca300.npz",
    sha256="f4c9b116ded2bccddb69cf685433ac5f3a9a9cb54b271e8ee3be058bf30fecba",
    size=37_321_119,
    urls=(),
    made_from=_made_from("cifar-100-binary.tar.gz"),
)


def load_cifar10(files: Mapping[str, bytes], draw: int) -> Content:
    """Scores of all images in the official order, training images first."""
    return _read(CIFAR10.name, files[CIFAR10.name], "fine")


def load_cifar100_coarse(files: Mapping[str, bytes], draw: int) -> Content:
    """Scores of all images in the official order, training images first.

    Labels are the 20 coarse classes.
    """
    return _read(CIFAR100.name, files[CIFAR100.name], "coarse")


def load_cifar100_fine(files: Mapping[str, bytes], draw: int) -> Content:
    """Load CIFAR-100 labelled by the 100 fine classes.

    The scores are as in :func:`load_cifar100_coarse`; the tree has both levels.
    """
    content = _read(CIFAR100.name, files[CIFAR100.name], "fine")
    arrays = _arrays(CIFAR100.name, files[CIFAR100.name], ("coarse_train", "coarse_test"))
    fine, coarse = content.labels, np.concatenate(list(arrays.values())).astype(np.intp)
    n_fine, n_coarse = len(content.label_names), int(coarse.max(initial=-1)) + 1
    if coarse.shape != fine.shape or fine.max(initial=0) >= n_fine:
        raise DatasetError(
            f"{CIFAR100.name}: expected two labels of each image, the fine ones below {n_fine}, found "
            f"{len(fine)} and {len(coarse)}, up to {fine.max(initial=0)}"
        )
    above = np.zeros(n_fine, dtype=np.intp)
    above[fine] = coarse
    if (above[fine] != coarse).any():
        raise DatasetError(f"{CIFAR100.name}: expected one coarse class of each fine one, found several")
    root = n_fine + n_coarse
    return replace(content, class_parents=np.concatenate([n_fine + above, np.full(n_coarse, root), [-1]]))


def _arrays(name: str, content: bytes, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Some arrays of a file of scores, in the order asked for."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {key: archive[key] for key in wanted}
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise DatasetError(f"{name}: expected arrays {', '.join(wanted)}, found: {error}") from error


def _read(name: str, content: bytes, level: str) -> Content:
    """Scores of a file, with the labels `level`: fine or coarse."""
    keys = ("X_train", "X_test", f"{level}_train", f"{level}_test", f"{level}_names")
    train, test, *labels, names = _arrays(name, content, keys).values()
    shapes = [array.shape for array in (train, test, *labels)]
    if not (
        train.ndim == test.ndim == 2
        and train.shape[1] == test.shape[1]
        and shapes[2:] == [train.shape[:1], test.shape[:1]]
        and all(array.dtype.kind in "iu" for array in labels)
    ):
        raise DatasetError(
            f"{name}: expected scores of training and test images and whole numbers as labels of each, found shapes "
            f"{', '.join(map(str, shapes))}"
        )
    return Content(
        np.concatenate([train, test], dtype=np.float64),
        np.concatenate(labels).astype(np.intp),
        tuple(str(entry).replace("_", " ") for entry in names.ravel()),
        n_training=len(train),
    )


_CITATION = (
    "A. Krizhevsky (2009). Learning multiple layers of features from tiny images. University of Toronto."
)
_FEATURES = (
    "60,000 rows in the official order, the 50,000 training images first. Features: scores on 300 principal "
    "components of the 3,072 colour values as shares of 1, centred and not whitened. They are fitted on the "
    "training images and stored as float16. Papers print 36 x 36 pixels. We take it for a misprint, because "
    "all images of this collection have 32 x 32. We do not know how a paper centred or scaled before its PCA."
    " Test images may have taken part."
)

_CIFAR10 = DatasetInfo(
    name="cifar10",
    title="CIFAR-10, 300 principal components",
    kind="real",
    n_samples=N_TRAINING + N_TEST,
    n_features=N_COMPONENTS,
    n_classes=10,
    licence="CIFAR-10, free for research, to be cited",
    citation=_CITATION,
    loader=load_cifar10,
    files=(CIFAR10,),
    n_training=N_TRAINING,
    notes=f"{_FEATURES} They keep 96.6% of the variance.",
)
_CIFAR100_COARSE = replace(
    _CIFAR10,
    name="cifar100-coarse",
    title="CIFAR-100, coarse classes, 300 principal components",
    n_classes=20,
    licence="CIFAR-100, free for research, to be cited",
    loader=load_cifar100_coarse,
    files=(CIFAR100,),
    notes=f"{_FEATURES} They keep 96.7% of the variance. 26 rows repeat an earlier one; 10 test images have the scores "
    "of a training image.",
)

DATASETS = (
    _CIFAR10,
    _CIFAR100_COARSE,
    replace(
        _CIFAR100_COARSE,
        name="cifar100-fine",
        title="CIFAR-100, fine classes, 300 principal components",
        n_classes=100,
        loader=load_cifar100_fine,
        notes=f"{_CIFAR100_COARSE.notes} Tree: five fine classes below each coarse one, as published.",
    ),
)
