from __future__ import annotations

import io

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import cub200
from cladebench.hierarchy import Hierarchy
from own_makers import npz

REAL = "cub200"
N = 400


def archive(**changes):
    """Features of two images of each class, in the layout of the real file."""
    arrays = {
        "X_vgg_pca100": np.random.default_rng(0).normal(size=(N, 100)).astype(np.float16),
        "X_resnet_pca100": np.zeros((N, 100), dtype=np.float16),
        "y": np.repeat(np.arange(200), 2).astype(np.uint8),
        "class_names": np.array([f"{number:03}.Bird_of_{number}" for number in range(1, 201)]),
    }
    return npz(**{key: value for key, value in (arrays | changes).items() if value is not None})


#: Classes 1 to 100 below node 201, the others below 202, both below the root 300; 250 has none.
EDGES = b"".join(b"%d %d\n" % (201 + (c > 100), c) for c in range(1, 201)) + b"300 201\n300 202\n300 250\n"


def made_up(features=None, edges=EDGES):
    return {cub200.FEATURES.name: archive() if features is None else features, cub200.TREE.name: edges}


def test_features_labels_and_names_are_those_of_the_file():
    content = cub200.load_cub200(made_up(), 0)
    with np.load(io.BytesIO(archive())) as arrays:
        np.testing.assert_array_equal(content.X, arrays["X_vgg_pca100"].astype(np.float64))
    assert content.X.dtype == np.float64 and content.labels.tolist() == np.repeat(np.arange(200), 2).tolist()
    assert content.label_names[:2] == ("Bird of 1", "Bird of 2")


def test_class_c_is_number_c_plus_one_of_the_tree():
    parents = cub200.load_cub200(made_up(), 0).class_parents
    assert parents.tolist() == [200] * 100 + [201] * 100 + [202, 202, -1]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (made_up(b"no archive"), "expected arrays X_vgg_pca100, y and class_names"),
        (made_up(archive()[:-30]), "expected arrays X_vgg_pca100"),
        (made_up(archive(y=None)), "expected arrays .*, found: .*y"),
        (made_up(archive(class_names=np.array([None] * 200))), "expected arrays X_vgg_pca100"),
        (made_up(archive(class_names=np.array(["001.One"]))), "200 class names .* found 1$"),
        (
            made_up(archive(class_names=np.array([f"{200 - number:03}.B" for number in range(200)]))),
            "200 class names such as .*, numbered from 1",
        ),
        (made_up(archive(class_names=np.array([f"{n:03}.B" for n in range(1, 201)] + ["B"]))), "found 201$"),
        (made_up(edges=EDGES + b"1 2 3\n"), "flat.parent-child.txt: expected lines of parent and child"),
        (made_up(edges=EDGES + b"202 1\n"), "one parent of node 1, found 201 and 202"),
        (made_up(edges=EDGES.replace(b"202 200\n", b"")), r"every class, missing are \[200\]"),
    ],
)
def test_malformed_files_are_named(files, message):
    with pytest.raises(DatasetError, match=rf"^cub200/.*{message}"):
        cub200.load_cub200(files, 0)


def test_it_says_that_only_a_mirror_has_the_features():
    entry = datasets.info("cub200")
    assert not entry.fetchable and entry.kind == "real" and "in a mirror only" in entry.notes
    with pytest.raises(datasets.DataUnavailable, match=r"no public address serves it.*rivercold"):
        datasets.load("cub200")


def test_the_real_files(real):
    assert real.X.shape == (11_788, 100) and np.bincount(real.labels).min() == 41
    assert (np.diff(real.X.var(axis=0)) < 0.01).all() and abs(real.X.mean(axis=0)).max() < 0.01
    assert real.label_names[0] == "Black footed Albatross" and len(set(real.label_names)) == 200
    tree = Hierarchy(real.class_parents, np.arange(200))
    depths = tree.depths[tree.leaf_of]
    genera = {"Frigatebird", "Nighthawk", "Sayornis", "Geococcyx"}
    assert {real.label_names[c] for c in np.flatnonzero(depths == 3)} == genera and (depths >= 3).all()
    assert depths.max() == 4


def test_kin_share_a_genus_and_strangers_an_order_or_less(real):
    tree = Hierarchy(real.class_parents, np.arange(200))

    def meeting(a, b):
        return tree.depths[tree.lca(*map(real.label_names.index, (a, b)))]

    assert meeting("Black footed Albatross", "Laysan Albatross") == 3  # Phoebastria
    assert meeting("Black footed Albatross", "Sooty Albatross") == 2  # Diomedeidae
    assert meeting("Common Tern", "Artic Tern") > meeting("Common Tern", "House Sparrow") == 0
