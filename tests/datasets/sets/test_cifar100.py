from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import cifar100, class_trees
from cladebench.hierarchy import Hierarchy
from own_makers import npz

STAND_INS = {"awa-pca": 45, "vehicle": 20, "imagenet": 20}
PER_CLASS = 40
COARSE = (3, 5, 5, 8, 9)  # of the fine classes 0..4
EDGES = b"10 0\n10 11\n11 3\n12 10\n12 4\n13 12\n12 7\n13 1\n14 13\n14 2\n15 14\n"
NAMES = b"0 apple\n1 bed\n2 lawn_mower\n3 clock\n4 road\n7 sea\n10 thing\n15 entity\n"
N_WORDS = 130


def counts():
    """Word counts of 200 images with five classes, and their classes."""
    rng = np.random.default_rng(3)
    fine = rng.permutation(np.repeat(np.arange(5), PER_CLASS))
    rates = rng.gamma(0.4, size=(5, N_WORDS))
    table = rng.poisson(0.2 * rates[fine])
    table[np.arange(len(fine)), rng.integers(N_WORDS, size=len(fine))] += 1
    return table, fine


def archive(**changes):
    table, fine = counts()
    sparse = csr_matrix(table.astype(np.uint8))
    arrays = {
        "data": sparse.data,
        "indices": sparse.indices.astype(np.uint16),
        "indptr": sparse.indptr,
        "shape": np.array(sparse.shape),
        "fine": fine.astype(np.uint8),
        "coarse": np.array(COARSE, dtype=np.uint8)[fine],
    }
    return npz(**{key: value for key, value in (arrays | changes).items() if value is not None})


def made_up(words=None, edges=EDGES, names=NAMES):
    """Files in the layout of the real ones, with five classes and numbers of our own."""
    return {
        cifar100.WORDS.name: archive() if words is None else words,
        cifar100.TREE.name: edges,
        cifar100.NAMES.name: names,
    }


@pytest.fixture(scope="module", params=STAND_INS)
def real(request):
    """A data set where its files are; asked for before the folders of the tests take their place."""
    if datasets.availability(request.param) is None:
        pytest.skip(f"the files of {request.param} are not on this machine")
    return datasets.load(request.param)


def test_a_group_takes_the_images_of_its_coarse_classes_in_their_order():
    _, fine = counts()
    content = cifar100.load_group(made_up(), (5, 9))  # fine classes 1, 2, 4
    kept = fine[np.isin(fine, [1, 2, 4])]
    assert content.labels.tolist() == np.searchsorted([1, 2, 4], kept).tolist()
    assert content.label_names == ("bed", "lawn mower", "road")
    assert content.X().shape == (3 * PER_CLASS, 100)


def test_the_features_are_principal_components_of_the_root_frequencies():
    """Against the singular value decomposition of the centred rows, which knows no covariance matrix."""
    table, _ = counts()
    content = cifar100.load_group(made_up(), (3, 5, 8, 9))
    X = np.sqrt(table / table.sum(axis=1, keepdims=True))
    X -= X.mean(axis=0)
    left, values, loadings = np.linalg.svd(X, full_matrices=False)
    signs = np.array([row[np.abs(row).argmax()] for row in loadings[:100]])
    expected = (left * values)[:, :100] * np.sign(signs)
    scores = content.X()
    assert np.abs(scores - expected).max() <= 0.5 * 10.0**-cifar100.DECIMALS + 1e-9
    assert (np.diff(scores.var(axis=0)) <= 1e-4).all()
    np.testing.assert_array_equal(scores, np.round(scores, cifar100.DECIMALS))
    assert not np.signbit(scores[scores == 0]).any()


def test_plain_counts_are_not_square_rooted():
    """Distances between the rows are those of the frequencies, as all components are kept that there are."""
    table, _ = counts()
    content = cifar100.load_group(made_up(), (3, 5, 8, 9), roots=False)
    X = table / table.sum(axis=1, keepdims=True)
    _, values, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    scores = content.X()
    np.testing.assert_allclose(np.linalg.norm(scores, axis=0), values[:100], atol=1e-3)
    rooted = cifar100.load_group(made_up(), (3, 5, 8, 9))
    assert content.labels.tolist() == rooted.labels.tolist()
    assert np.linalg.norm(scores) < 0.5 * np.linalg.norm(rooted.X())
    np.testing.assert_array_equal(scores, np.round(scores, cifar100.DECIMALS + 1))


def test_images_of_different_sizes_have_counts_in_proportion():
    """Each row of frequencies is multiplied by one size; the logarithms of sizes have the given spread."""
    table, _ = counts()
    frequencies = table / table.sum(axis=1, keepdims=True)
    sizes = np.exp(0.4 * np.random.default_rng(0x73697A65).standard_normal(len(table)))
    X = frequencies * sizes[:, None]
    _, values, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    content = cifar100.load_group(made_up(), (3, 5, 8, 9), roots=False, spread=0.4)
    np.testing.assert_allclose(np.linalg.norm(content.X(), axis=0), values[:100], atol=1e-3)
    assert 0.3 < np.log(sizes).std() < 0.5


def test_computed_twice_the_features_are_equal():
    group = [cifar100.load_group(made_up(), (5, 9)).X() for _ in range(2)]
    assert group[0].tobytes() == group[1].tobytes()


def test_the_tree_is_cut_to_the_classes_and_their_ancestors():
    """Classes 1, 2, 4: node 10 and what is below it go, 12 remains as a chain between 13 and 4."""
    parents = cifar100.load_group(made_up(), (5, 9)).class_parents
    assert parents.tolist() == [4, 5, 3, 4, 5, 6, -1]  # 1, 2, 4, 12, 13, 14, 15
    whole = class_trees.class_tree({child: child + 1 for child in range(4)}, [2, 0])
    assert whole.tolist() == [3, 2, 0, 4, -1]  # 2, 0, 1, 3, 4: a class above a class


def test_each_stand_in_takes_classes_of_its_own():
    groups = [cifar100.ANIMALS, cifar100.VEHICLES_AND_DEVICES, cifar100.HOUSEHOLD_AND_PLANTS]
    assert [5 * len(group) for group in groups] == list(STAND_INS.values())
    assert len(set().union(*groups)) == sum(map(len, groups)) == 17


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (made_up(b"no archive"), "sift1000.npz: expected labels"),
        (made_up(archive()[:-30]), "sift1000.npz: expected labels"),
        (made_up(archive(fine=None)), "expected labels fine and coarse, found: .*fine"),
        (made_up(archive(fine=np.array([None] * 3))), "expected labels fine and coarse"),
        (
            made_up(archive(fine=np.zeros(7, np.uint8))),
            r"two labels of each image, found shapes \(7,\), \(200,\)",
        ),
        (made_up(archive(indptr=None)), "expected counts as CSR arrays"),
        (made_up(archive(indptr=np.arange(5))), "expected CSR arrays of shape"),
        (made_up(archive(indices=np.array([0], np.uint16))), "expected CSR arrays of shape"),
        (made_up(archive(shape=np.array([60, N_WORDS]))), "expected CSR arrays of shape"),
        (made_up(archive(shape=np.array([200, 3]))), "expected CSR arrays of shape"),
        (made_up(archive(shape=np.array(200))), "expected counts as CSR arrays"),
        (
            made_up(edges=EDGES + b"1 2 3\n"),
            "parent-child.txt: expected lines of parent and child, found '1 2 3'",
        ),
        (made_up(edges=EDGES + b"a 99\n"), "expected lines of parent and child"),
        (made_up(edges=EDGES + b"11 1\n"), "one parent of node 1, found 13 and 11"),
        (made_up(edges=EDGES + b"4 15\n"), "expected a tree, found a cycle"),
        (made_up(edges=EDGES.replace(b"13 1\n", b"")), r"every fine class, missing are \[1\]"),
        (made_up(names=NAMES.replace(b"4 road\n", b"")), r"every fine class, missing are \[4\]"),
        (made_up(names=b"apple\n"), "class_names.txt: expected lines of number and name, found 'apple'"),
    ],
)
def test_malformed_files_are_named(files, message):
    with pytest.raises(DatasetError, match=rf"^cifar100/.*{message}"):
        cifar100.load_group(files, (5, 9)).X()


def test_an_image_without_words_and_too_few_words_are_named():
    table, fine = counts()
    table[np.flatnonzero(fine == 2)[0]] = 0
    for changed, message in [(table, "1 rows without any"), (table[:, :50] + 1, "found 50 words")]:
        sparse = csr_matrix(changed)
        words = archive(
            data=sparse.data, indices=sparse.indices, indptr=sparse.indptr, shape=np.array(sparse.shape)
        )
        with pytest.raises(DatasetError, match=message):
            cifar100.load_group(made_up(words), (5, 9)).X()


@pytest.mark.parametrize("name", STAND_INS)
def test_without_a_mirror_the_reason_says_what_the_words_are_made_from(name, monkeypatch):
    assert not datasets.info(name).fetchable
    with pytest.raises(datasets.DataUnavailable, match=r"no public address serves it.*a new run") as caught:
        datasets.load(name)
    # The archive that is named is the one that the recipe reads.
    (archive,) = re.findall(r"cifar-100-\w+\.tar\.gz", str(caught.value))
    recipe = (Path(__file__).parents[3] / "recipes" / "cifar100_sift_words.py").read_text(encoding="utf-8")
    assert f'name="{archive}"' in recipe


def test_the_real_files(real):
    assert np.bincount(real.labels).tolist() == [600] * STAND_INS[real.name]
    assert abs(real.X.mean(axis=0)).max() < 1e-4 and (np.diff(real.X.var(axis=0)) < 0).all()
    covariance = real.X.T @ real.X / len(real.X)
    assert np.abs(covariance - np.diag(covariance.diagonal())).max() < 1e-5
    assert not set(real.label_names) & {"man", "woman", "boy", "girl", "baby"}
    tree = Hierarchy.from_parents(real.class_parents, np.arange(len(real.label_names)))
    assert tree.n_leaves == len(real.label_names)  # no class above a class


KIN = {
    "awa-pca": [("leopard", "tiger", "bear"), ("dolphin", "whale", "shark"), ("bee", "beetle", "spider")],
    "vehicle": [("bus", "tractor", "clock"), ("castle", "house", "bus")],
    "imagenet": [("rose", "tulip", "apple"), ("apple", "pear", "mushroom"), ("chair", "couch", "rose")],
}


def test_kin_meet_further_down_the_tree(real):
    tree = Hierarchy.from_parents(real.class_parents, np.arange(len(real.label_names)))

    def meeting(a, b):
        return tree.depths[tree.lca(*map(real.label_names.index, (a, b)))]

    for a, b, stranger in KIN[real.name]:
        assert meeting(a, b) > meeting(a, stranger)
