"""Load features and the taxonomy of birds of 200 species.

The features are those of a neural network.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

import numpy as np

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile
from cladebench.datasets.sets.class_trees import class_tree, read_edges

FEATURES = RemoteFile(
    name="cub200/cub200_2011_features_pca100.npz",
    sha256="afa8e42d7af06cb3a5fbc787afa008ab2a79c1218c88cbeefa497efa49e5ca43",
    size=4_415_989,
    urls=(),
    made_from="100 principal components of the features that the folder features/bird-2011 of "
    "https://github.com/rivercold/Zero-Shot-Learning at commit c970b48c61e891d0870f9dd7afb4c704f8372ed1 has of the "
    "images of CUB-200-2011 (class files stacked in the order of their names; scikit-learn's PCA with "
    "svd_solver='covariance_eigh' in float64; stored as float16); the images are at "
    "https://data.caltech.edu/records/65de6-vp158, which has no such features, so that a copy of the very file is "
    "needed",
)

_AUTHORS = (
    "https://github.com/cvjena/semantic-embeddings/raw/0d4177422bafbba685fb6a0f976675864f31e09f/CUB-Hierarchy"
)
_COPY = _AUTHORS.replace("github.com", "raw.githubusercontent.com").replace("/raw/", "/")
TREE = RemoteFile(
    name="cub200/cub_flat.parent-child.txt",
    sha256="6420979cdd24075ff86297342599ce2f8770ab5fb64845f886a6406670e6d3c5",
    size=2_828,
    urls=(f"{_AUTHORS}/cub_flat.parent-child.txt", f"{_COPY}/cub_flat.parent-child.txt"),
)

N_CLASSES = 200
N_FEATURES = 100


def load_cub200(files: Mapping[str, bytes], draw: int) -> Content:
    """Load scores of the VGG features and the tree.

    The scores are as in the file. The tree has orders, families, genera and species. Class c has the number c + 1 in
    the names of the classes and in the tree.
    """
    try:
        with np.load(io.BytesIO(files[FEATURES.name]), allow_pickle=False) as archive:
            X, labels, names = archive["X_vgg_pca100"], archive["y"], archive["class_names"]
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DatasetError(
            f"{FEATURES.name}: expected arrays X_vgg_pca100, y and class_names, found: {error}"
        ) from error
    matches = [re.fullmatch(r"(\d{3})\.(\w+)", str(name)) for name in names.ravel()]
    numbers = [int(match[1]) for match in matches if match]
    if numbers != list(range(1, N_CLASSES + 1)) or len(matches) != N_CLASSES:
        raise DatasetError(
            f"{FEATURES.name}: expected {N_CLASSES} class names such as '001.Black_footed_Albatross', numbered from 1, "
            f"found {len(matches)}"
        )
    parents = read_edges(files[TREE.name], TREE.name)
    unknown = [number for number in numbers if number not in parents]
    if unknown:
        raise DatasetError(f"{TREE.name}: expected every class, missing are {unknown}")
    return Content(
        X.astype(np.float64),
        labels.astype(np.intp),
        tuple(match[2].replace("_", " ") for match in matches if match),
        class_tree(parents, numbers),
    )


DATASETS = (
    DatasetInfo(
        name="cub200",
        title="Caltech-UCSD Birds-200-2011, features of VGG",
        kind="real",
        n_samples=11_788,
        n_features=N_FEATURES,
        n_classes=N_CLASSES,
        licence="Images: non-commercial research and education; tree: MIT (Bjoern Barz)",
        citation="C. Wah, S. Branson, P. Welinder, P. Perona, S. Belongie (2011). The Caltech-UCSD Birds-200-2011 "
        "dataset. CNS-TR-2011-001. Tree: B. Barz, J. Denzler (2019). Hierarchy-based image embeddings for semantic "
        "image retrieval. WACV",
        loader=load_cub200,
        files=(FEATURES, TREE),
        notes="All 11,788 images, training and test. 100 principal components (80% of the variance) of 4,096 features "
        "of a VGG network (fc7), not scaled. Tree: order, family, genus, species, as B. Barz and J. Denzler lay it "
        "out; four classes (frigatebird, nighthawk, Sayornis, Geococcyx) are known by their genus alone. The official "
        "address has the images alone; the features are of a public repository, their components exist in a mirror "
        "only. The network was trained on ImageNet, some of whose classes are birds.",
    ),
)
