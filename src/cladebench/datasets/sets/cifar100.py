"""Load CIFAR-100 as bags of visual words.

Three groups of its classes replace three data sets of image features.

The features behind the published table are not public in the form used. These are made in the way the paper describes:
histograms of SIFT words, projected to 100 principal components, with a WordNet tree over the classes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile
from cladebench.datasets.sets.class_trees import class_tree, read_edges
from cladebench.datasets.sets.components import N_COMPONENTS, principal_scores

WORDS = RemoteFile(
    name="cifar100/cifar100_bow_sift1000.npz",
    sha256="87adc7807497b175879aff1164d118d097de6b0ec0578305a1b055c82b4fa7b4",
    size=7_526_715,
    urls=(),
    made_from="counts of 1,000 visual words in the 60,000 images of CIFAR-100; recipes/cifar100_sift_words.py of this "
    "project makes such a file from https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz, but a new run fits "
    "other words, which the registered sha256 refuses, so that a copy of the very file is needed",
)

_AUTHORS = "https://github.com/cvjena/semantic-embeddings/raw/0d4177422bafbba685fb6a0f976675864f31e09f/Cifar-Hierarchy"
_COPY = _AUTHORS.replace("github.com", "raw.githubusercontent.com").replace("/raw/", "/")
TREE = RemoteFile(
    name="cifar100/hierarchy_barz_denzler.parent-child.txt",
    sha256="72bf4a9ee95ec9ad40ee22b007ca16b0ac232f4c2849aaef8e5d478fc50e28c6",
    size=1_186,
    urls=(f"{_AUTHORS}/cifar.parent-child.txt", f"{_COPY}/cifar.parent-child.txt"),
)
NAMES = RemoteFile(
    name="cifar100/hierarchy_barz_denzler.class_names.txt",
    sha256="e2f878d5ef5113c7386bc906b10c9658901435d22fe525f6e4d1cb3fd7590380",
    size=1_877,
    urls=(f"{_AUTHORS}/class_names.txt", f"{_COPY}/class_names.txt"),
)

#: The smallest standard deviation of a component is about 0.03. The scores that OpenBLAS 0.3.31 gives with its
#: kernels for Prescott, Sandybridge and Haswell, on one thread and on two, differ by 5e-14 at most, so that the
#: chance for any of the 2.7 million scores to lie that near to a boundary of rounding is below
#: 2.7e6 * 1e-13 / 1e-4 = 0.3 per cent; most differ by far less. If one did, the digest would differ.
DECIMALS = 4

#: Standard deviations of the logarithm of image sizes at which K-means meets its printed Rand index, 78.08 and 87.14:
#: means of three seeds. Nothing else was looked at.
#:
#:     vehicle     0.45   84.84   0.5    80.78   0.52   79.81   0.54   78.74   0.56   76.28   0.6    72.15
#:     imagenet    0.3    89.00   0.34   88.81   0.37   87.22   0.4    87.44   0.43   86.87   0.46   85.49
SPREAD = {"vehicle": 0.545, "imagenet": 0.41}

#: Coarse labels (0..19, in alphabetical order of the official names), five classes each.
ANIMALS = (0, 1, 7, 8, 11, 12, 13, 15, 16)
VEHICLES_AND_DEVICES = (5, 9, 18, 19)
HOUSEHOLD_AND_PLANTS = (2, 3, 4, 6)


def load_animals(files: Mapping[str, bytes], draw: int) -> Content:
    """Images of the 45 animal classes; see :func:`load_group`."""
    return load_group(files, ANIMALS)


def load_vehicles_and_devices(files: Mapping[str, bytes], draw: int) -> Content:
    """Load images of 20 classes of vehicles, electrical devices, large built things."""
    return load_group(files, VEHICLES_AND_DEVICES)


def load_household_and_plants(files: Mapping[str, bytes], draw: int) -> Content:
    """Load images of 20 classes of furniture, containers, fruit, vegetables and flowers."""
    return load_group(files, HOUSEHOLD_AND_PLANTS)


def load_vehicle_counts(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of :func:`load_vehicles_and_devices`, without the square root."""
    return load_group(files, VEHICLES_AND_DEVICES, roots=False)


def load_household_counts(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of :func:`load_household_and_plants`, without the square root."""
    return load_group(files, HOUSEHOLD_AND_PLANTS, roots=False)


def load_vehicle_sizes(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of :func:`load_vehicle_counts`, as if they had different sizes."""
    return load_group(files, VEHICLES_AND_DEVICES, roots=False, spread=SPREAD["vehicle"])


def load_household_sizes(files: Mapping[str, bytes], draw: int) -> Content:
    """The images of :func:`load_household_counts`, as if they had different sizes."""
    return load_group(files, HOUSEHOLD_AND_PLANTS, roots=False, spread=SPREAD["imagenet"])


def load_group(
    files: Mapping[str, bytes], coarse: tuple[int, ...], *, roots: bool = True, spread: float = 0.0
) -> Content:
    """Load coarse classes' images as principal components, labelled by fine class.

    Images come in the official order.

    Parameters
    ----------
    files : mapping
        Bytes of `WORDS`, `TREE` and `NAMES`.
    coarse : tuple of int
        Coarse classes to take.
    roots : bool, default=True
        Whether the components are those of square roots of the word frequencies.
    spread : float, default=0.0
        Standard deviation of the logarithm of the images' sizes: counts of words grow with the size of an image.
    """
    try:
        with np.load(io.BytesIO(files[WORDS.name]), allow_pickle=False) as archive:
            fine, groups = archive["fine"], archive["coarse"]
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DatasetError(f"{WORDS.name}: expected labels fine and coarse, found: {error}") from error
    if fine.ndim != 1 or fine.shape != groups.shape:
        raise DatasetError(
            f"{WORDS.name}: expected two labels of each image, found shapes {fine.shape}, {groups.shape}"
        )
    rows = np.flatnonzero(np.isin(groups, coarse))
    classes, labels = np.unique(fine[rows], return_inverse=True)
    names = _names(files[NAMES.name])
    parents = read_edges(files[TREE.name], TREE.name)
    unknown = [c for c in classes.tolist() if c not in names or c not in parents]
    if unknown:
        raise DatasetError(f"{TREE.name}, {NAMES.name}: expected every fine class, missing are {unknown}")
    return Content(
        partial(scores_of, files[WORDS.name], rows, roots, spread),
        labels,
        tuple(names[c] for c in classes.tolist()),
        class_tree(parents, classes.tolist()),
    )


def scores_of(
    archive: bytes, rows: NDArray[np.intp], roots: bool = True, spread: float = 0.0
) -> NDArray[np.float64]:
    """Compute principal components of some images from `WORDS`.

    Plain frequencies get one decimal more than their roots.
    """
    sizes = None
    if spread:
        sizes = np.exp(spread * np.random.default_rng(0x73697A65).standard_normal(len(rows)))
    counts = _word_counts(archive, rows)
    return principal_scores(counts, WORDS.name, DECIMALS + (not roots), roots=roots, sizes=sizes)


def _word_counts(archive: bytes, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Dense counts of some images.

    Every index is checked, as nothing below NumPy would.
    """
    try:
        with np.load(io.BytesIO(archive), allow_pickle=False) as arrays:
            data, words, ends = arrays["data"], arrays["indices"], arrays["indptr"].astype(np.int64)
            n_images, n_words = map(int, arrays["shape"])
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise DatasetError(f"{WORDS.name}: expected counts as CSR arrays, found: {error}") from error
    lengths = np.diff(ends)
    if not (
        ends.shape == (n_images + 1,)
        and rows.max(initial=0) < n_images
        and ends[0] == 0
        and (lengths >= 0).all()
        and data.shape == words.shape == (ends[-1],)
        and ((words >= 0) & (words < n_words)).all()
    ):
        raise DatasetError(
            f"{WORDS.name}: expected CSR arrays of shape {(n_images, n_words)}, found data, indices and indptr "
            f"of lengths {data.size}, {words.size}, {ends.size}"
        )
    place = np.full(n_images, -1)
    place[rows] = np.arange(len(rows))
    row = np.repeat(place, lengths)
    X = np.zeros((len(rows), n_words))
    X[row[row >= 0], words[row >= 0]] = data[row >= 0]
    return X


def _names(content: bytes) -> dict[int, str]:
    """Name of each node, from lines "number name"."""
    names = {}
    for line in content.decode("utf-8", "replace").splitlines():
        number, _, name = line.strip().partition(" ")
        if not line.strip():
            continue
        if not (number.isascii() and number.isdigit()) or not name:
            raise DatasetError(f"{NAMES.name}: expected lines of number and name, found {line!r}")
        names[int(number)] = name.replace("_", " ")
    return names


_LICENCE = "Images: CIFAR-100, free for research, to be cited; tree: MIT (Bjoern Barz); WordNet licence"
_CITATION = (
    "A. Krizhevsky (2009). Learning multiple layers of features from tiny images. University of Toronto."
    " Tree: B. Barz, J. Denzler (2019). Hierarchy-based image embeddings for semantic image retrieval. "
    "WACV"
)
_FEATURES = (
    "Features: square roots of the frequencies of 1,000 RootSIFT words on a dense grid, in images enlarged "
    "to 64 x 64. They become 100 principal components, fitted on these rows and rounded to "
    f"{DECIMALS} decimals. "
    "All 600 images of a class, training and test. Tree: WordNet's as B. Barz and J. Denzler cut it."
)
_COUNTS = (
    "The same images, classes and tree as those of {name}, and the same words. The components are of the "
    "plain word frequencies, because the paper does not call its histograms weighted. Frequent words then "
    "weigh more."
)
_SIZES = (
    "The same images, classes, tree and words as those of {name}. The plain word frequencies are multiplied by the "
    "size of the image, which is drawn: its logarithm is normal with a standard deviation of {spread}. The images of "
    "ImageNet have different sizes, and counts of words grow with them; those of CIFAR-100 have one size. The standard "
    "deviation is the one at which K-means meets its printed Rand index."
)

DATASETS = (
    DatasetInfo(
        name="awa-pca",
        title="CIFAR-100 animals, bag of SIFT words",
        kind="stand-in",
        stand_in_for="AWA-PCA",
        n_samples=27_000,
        n_features=N_COMPONENTS,
        n_classes=45,
        licence=_LICENCE,
        citation=_CITATION,
        loader=load_animals,
        files=(WORDS, TREE, NAMES),
        features_sha256="d8a6afc14a32b1bc5050fd7b9277c0e48b82d881534ced2b8ed857daf433d773",
        notes="The paper has 30,475 images of 50 animals and concatenates six kinds of features; here are 45 animal "
        f"classes and SIFT alone. {_FEATURES}",
    ),
    DatasetInfo(
        name="vehicle",
        title="CIFAR-100 vehicles, devices, built things, bag of SIFT words",
        kind="stand-in",
        stand_in_for="VEHICLE",
        n_samples=12_000,
        n_features=N_COMPONENTS,
        n_classes=20,
        licence=_LICENCE,
        citation=_CITATION,
        loader=load_vehicles_and_devices,
        files=(WORDS, TREE, NAMES),
        features_sha256="9a6671c29ceac353940f70e4db92483521221f999f4f527e04549ff9973dac09",
        notes="The paper has 26,624 images of 20 vehicle classes of ImageNet. CIFAR-100 has ten of vehicles: the other "
        f"ten are electrical devices and large outdoor things that people built. {_FEATURES}",
    ),
    DatasetInfo(
        name="imagenet",
        title="CIFAR-100 household things, food, flowers, bag of SIFT words",
        kind="stand-in",
        stand_in_for="IMAGENET",
        n_samples=12_000,
        n_features=N_COMPONENTS,
        n_classes=20,
        licence=_LICENCE,
        citation=_CITATION,
        loader=load_household_and_plants,
        files=(WORDS, TREE, NAMES),
        features_sha256="8fce096bf097ce7e5d08fc5e14a256d917796e5940111fd8893dd068588c434a",
        notes="The paper has 28,957 images of 20 classes of ImageNet, neither animals nor vehicles; here are "
        f"furniture, food containers, fruit and vegetables, flowers. {_FEATURES}",
    ),
    DatasetInfo(
        name="vehicle-counts",
        title="CIFAR-100 vehicles, devices, built things, plain counts of SIFT words",
        kind="stand-in",
        stand_in_for="VEHICLE",
        n_samples=12_000,
        n_features=N_COMPONENTS,
        n_classes=20,
        licence=_LICENCE,
        citation=_CITATION,
        loader=load_vehicle_counts,
        files=(WORDS, TREE, NAMES),
        features_sha256="dd7a2ecaee83e95952ba4fc3da1b6113be81a13fd1fbb60a3b62e6b7d0d43714",
        notes=_COUNTS.format(name="vehicle"),
    ),
    DatasetInfo(
        name="imagenet-counts",
        title="CIFAR-100 household things, food, flowers, plain counts of SIFT words",
        kind="stand-in",
        stand_in_for="IMAGENET",
        n_samples=12_000,
        n_features=N_COMPONENTS,
        n_classes=20,
        licence=_LICENCE,
        citation=_CITATION,
        loader=load_household_counts,
        files=(WORDS, TREE, NAMES),
        features_sha256="feb43e08d6e950d38ded62be7328352afd6da5129aba05e03812f22173d248b8",
        notes=_COUNTS.format(name="imagenet"),
    ),
    DatasetInfo(
        name="vehicle-sizes",
        title="CIFAR-100 vehicles, devices, built things, counts of SIFT words by size",
        kind="stand-in",
        stand_in_for="VEHICLE",
        n_samples=12_000,
        n_features=N_COMPONENTS,
        n_classes=20,
        licence=_LICENCE,
        citation=_CITATION,
        loader=load_vehicle_sizes,
        files=(WORDS, TREE, NAMES),
        features_sha256="fb02ba0a449624893268481a1ce0ba98843c19df56857be3d3bef65f0dd6a225",
        notes=_SIZES.format(name="vehicle", spread=SPREAD["vehicle"]),
    ),
    DatasetInfo(
        name="imagenet-sizes",
        title="CIFAR-100 household things, food, flowers, counts of SIFT words by size",
        kind="stand-in",
        stand_in_for="IMAGENET",
        n_samples=12_000,
        n_features=N_COMPONENTS,
        n_classes=20,
        licence=_LICENCE,
        citation=_CITATION,
        loader=load_household_sizes,
        files=(WORDS, TREE, NAMES),
        features_sha256="9615d939b861cf9527dfabb8cbf07ac3db6d263b38505ad2003ec90ee4eaa269",
        notes=_SIZES.format(name="imagenet", spread=SPREAD["imagenet"]),
    ),
)
