from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import newsgroups
from cladebench.hierarchy import Hierarchy

REAL = "20news"
GROUPS = ("alt.a", "comp.sys.mac", "comp.sys.pc.hardware", "comp.x")
N_TRAIN, N_TEST, N_WORDS = 70, 50, 120


def counts():
    """Word counts of 120 messages in four groups, and their groups."""
    rng = np.random.default_rng(5)
    labels = rng.permutation(np.arange(N_TRAIN + N_TEST) % 4)
    table = rng.poisson(rng.gamma(0.4, size=(4, N_WORDS))[labels])
    table[np.arange(len(labels)), rng.integers(N_WORDS, size=len(labels))] += 1
    return table.astype(float), labels


def packed(**changes):
    table, labels = counts()
    members = np.eye(4)[labels]
    arrays = {
        "trainW": sparse.csc_matrix(table[:N_TRAIN]),
        "testW": sparse.csc_matrix(table[N_TRAIN:]),
        "trainC": sparse.csc_matrix(members[:N_TRAIN]),
        "testC": sparse.csc_matrix(members[N_TRAIN:]),
        "class_names": np.array(GROUPS, dtype=object)[:, None],
    }
    arrays |= changes
    stream = io.BytesIO()
    savemat(stream, {key: value for key, value in arrays.items() if value is not None})
    return gzip.compress(stream.getvalue(), mtime=0)


def test_messages_for_training_come_first_with_the_groups_of_their_rows():
    table, labels = counts()
    words, found, groups = newsgroups.read_groups(packed())
    assert (words.toarray() == table).all() and found.tolist() == labels.tolist() and groups == GROUPS
    content = newsgroups.load_20news({newsgroups.WORDS.name: packed()}, 0)
    assert content.labels.tolist() == labels.tolist() and content.label_names == GROUPS


def test_the_features_are_principal_components_of_the_root_frequencies():
    """Against the singular value decomposition of the centred rows."""
    table, _ = counts()
    X = np.sqrt(table / table.sum(axis=1, keepdims=True))
    X -= X.mean(axis=0)
    left, values, loadings = np.linalg.svd(X, full_matrices=False)
    signs = np.sign([row[np.abs(row).argmax()] for row in loadings[:100]])
    scores = newsgroups.load_20news({newsgroups.WORDS.name: packed()}, 0).X()
    assert np.abs(scores - (left * values)[:, :100] * signs).max() <= 0.5 * 10.0**-newsgroups.DECIMALS + 1e-9


def test_the_tree_is_that_of_the_names():
    parents = newsgroups.tree_of_names(GROUPS)
    # alt.a, comp.sys.mac, comp.sys.pc.hardware, comp.x; alt, comp, comp.sys, comp.sys.pc; the root.
    assert parents.tolist() == [4, 6, 7, 5, 8, 8, 5, 6, -1]
    # A group may be above another.
    assert newsgroups.tree_of_names(["a.b", "a", "c"]).tolist() == [1, 3, 3, -1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no archive", "expected a packed MATLAB file"),
        (packed()[:-30], "expected a packed MATLAB file"),
        (gzip.compress(b"no matrix" * 50, mtime=0), "expected a packed MATLAB file"),
        (gzip.compress(bytes(newsgroups.SIZE_LIMIT + 1), mtime=0), "more than 10000000 bytes when unpacked"),
        (packed(trainW=None), "expected a packed MATLAB file of word counts, found: 'trainW'"),
        (packed(testW=np.ones((N_TEST, 3))), "expected a packed MATLAB file"),
        (packed(trainC=np.ones((N_TRAIN, 4))), r"one group for each of 120 messages, .* with 330 entries"),
        (packed(trainC=np.eye(4)[:1].repeat(3, axis=0)), r"one group for each of 120 messages, .*\(53, 4\)"),
        (packed(trainC=2 * np.eye(4)[np.zeros(N_TRAIN, int)]), "one group for each of 120 messages"),
        (packed(class_names=np.array(GROUPS[:3], dtype=object)[:, None]), "for 3 names"),
        (packed(class_names=np.zeros((4, 1))), "named"),
    ],
)
def test_malformed_files_are_named(content, message):
    if message == "named":  # numbers have no dots: names all the same
        assert newsgroups.read_groups(content)[2] == ("0.0",) * 4
        return
    with pytest.raises(DatasetError, match=rf"^20news-w1000/20news_w1000.mat.gz: .*{message}"):
        newsgroups.read_groups(content)


def test_it_says_that_labels_have_leaked_and_that_only_a_mirror_has_it():
    entry = datasets.info("20news")
    assert "leaked" in entry.notes and not entry.fetchable
    with pytest.raises(datasets.DataUnavailable, match=r"no public address serves it.*gzip -n9"):
        datasets.load("20news")


def test_the_real_file(real):
    assert len(real.labels) == 18_745 and np.bincount(real.labels).min() == 626
    assert real.label_names[0] == "alt.atheism" and real.label_names[-1] == "talk.religion.misc"
    tree = Hierarchy(real.class_parents, np.arange(20))
    top = np.asarray(tree.children(tree.root))
    assert len(top) == 7 and tree.sizes[top].tolist() == [
        1,
        5,
        1,
        4,
        4,
        1,
        4,
    ]  # alt comp misc rec sci soc talk
    assert tree.n_leaves == 20
    sport = [real.label_names.index(f"rec.sport.{game}") for game in ("baseball", "hockey")]
    assert tree.parents[sport[0]] == tree.parents[sport[1]]
