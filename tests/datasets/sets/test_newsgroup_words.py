from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import newsgroup_words
from cladebench.datasets.sets.newsgroups import WORDS
from cladebench.hierarchy import Hierarchy

REAL = ("20news-words", "20news-w100", "20news")


def cells(*entries):
    """A cell array of MATLAB, one row."""
    array = np.empty((1, len(entries)), dtype=object)
    for place, entry in enumerate(entries):
        array[0, place] = entry
    return array


def matlab(**arrays):
    stream = io.BytesIO()
    savemat(stream, {key: value for key, value in arrays.items() if value is not None})
    return stream.getvalue()


def words(**changes):
    """Three training and two test messages of two groups, four groups of words."""
    arrays = {
        "trainW": sparse.csc_matrix([[2.0, 0, 1, 0], [0, 3, 0, 0], [1, 1, 1, 1]]),
        "testW": sparse.csc_matrix([[0.0, 0, 0, 5], [4, 0, 0, 0]]),
        "trainC": np.eye(2)[[0, 1, 1]],
        "testC": np.eye(2)[[1, 0]],
        "class_names": np.array(["a.x", "b"], dtype=object)[:, None],
        "vocab": cells(cells("cars", "car"), cells("games"), cells("ill", "illness", "ills"), cells("teams")),
    }
    return {WORDS.name: gzip.compress(matlab(**arrays | changes), mtime=0)}


def w100(**changes):
    """Three words, four messages."""
    arrays = {
        "documents": sparse.csc_matrix(np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]], dtype=float)),
        "newsgroups": np.array([[2, 1, 1, 2]], dtype=np.uint8),
        "groupnames": cells("comp.*", "talk.*"),
        "wordlist": cells("aids", "god", "windows"),
    }
    return {newsgroup_words.W100.name: matlab(**arrays | changes)}


def test_counts_stay_counts_training_messages_first():
    content = newsgroup_words.load_20news_words(words(), 0)
    assert content.X.toarray().tolist() == [
        [2, 0, 1, 0],
        [0, 3, 0, 0],
        [1, 1, 1, 1],
        [0, 0, 0, 5],
        [4, 0, 0, 0],
    ]
    assert content.labels.tolist() == [0, 1, 1, 1, 0] and content.label_names == ("a.x", "b")
    assert content.class_parents.tolist() == [2, 3, 3, -1]
    assert content.n_training is None


def test_a_feature_has_the_first_of_its_words_as_name():
    assert newsgroup_words.load_20news_words(words(), 0).feature_names == ("cars", "games", "ill", "teams")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({WORDS.name: b"no archive"}, "expected a packed MATLAB file"),
        (words(trainW=None), "expected a packed MATLAB file of word counts, found: 'trainW'"),
        (words(vocab=None), "expected groups of words in vocab, found: 'vocab'"),
        (words(vocab=cells(cells(), cells("a"))), "expected groups of words in vocab"),
    ],
)
def test_malformed_counts_are_named(files, message):
    with pytest.raises(DatasetError, match=rf"^20news-w1000/20news_w1000\.mat\.gz: {message}"):
        newsgroup_words.load_20news_words(files, 0)


def test_occurrences_come_by_messages_and_groups_are_numbered_from_zero():
    content = newsgroup_words.load_20news_w100(w100(), 0)
    assert content.X.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]
    assert content.X.dtype == np.float64 and content.labels.tolist() == [1, 0, 0, 1]
    assert content.label_names == ("comp", "talk") and content.feature_names == ("aids", "god", "windows")
    assert content.class_parents is None


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({newsgroup_words.W100.name: b"no matrix" * 50}, "expected a MATLAB 5 file of word lists"),
        ({newsgroup_words.W100.name: b""}, "expected a MATLAB 5 file of word lists"),
        (w100(wordlist=None), "expected a MATLAB 5 file of word lists, found: 'wordlist'"),
        (
            w100(wordlist=cells("aids", "god")),
            r"zeros and ones for 2 words and 4 messages, .* shape \(3, 4\)",
        ),
        (w100(newsgroups=np.ones((1, 3))), r"for 3 words and 3 messages, .* shape \(3, 4\)"),
        (w100(documents=2 * np.eye(3, 4)), "zeros and ones .* values up to 2"),
        (w100(documents=np.eye(3, 4) + np.eye(3, 4, 1) * 2), "zeros and ones .* values up to 2"),
        (w100(documents=np.eye(3, 4) / 2), "zeros and ones .* values up to 0.5"),
    ],
)
def test_malformed_word_lists_are_named(files, message):
    with pytest.raises(DatasetError, match=rf"^20news-w100/20news_w100\.mat: .*{message}"):
        newsgroup_words.load_20news_w100(files, 0)


def test_it_says_that_labels_have_leaked_and_where_the_bytes_are_from():
    entry = datasets.info("20news-words")
    assert "leaked" in entry.notes and not entry.fetchable
    assert datasets.info("20news-w100").files[0].official_url == (
        "http://www.cs.toronto.edu/~roweis/data/20news_w100.mat"
    )


def test_the_real_counts(real):
    data, scores = real["20news-words"], real["20news"]
    assert data.X.shape == (18_745, 1_000) and data.X.nnz == 546_379 and data.X.max() == 302
    assert (data.labels == scores.labels).all() and data.label_names == scores.label_names
    assert (data.class_parents == scores.class_parents).all()
    assert len(set(data.feature_names)) == 1_000 and data.feature_names[:4] == (
        "windows",
        "games",
        "cars",
        "dod",
    )
    first = data.X[[0]]
    row = {data.feature_names[j]: count for j, count in zip(first.indices, first.data, strict=True)}
    assert (row["gods"], row["christians"], row["books"], row["cars"]) == (
        16,
        10,
        15,
        1,
    ) and "games" not in row
    # The first test message comes after the last training message, by group.
    assert data.labels[11_254:11_258].tolist() == [19, 19, 0, 0] and data.label_names[0] == "alt.atheism"
    assert np.diff(data.X.indptr).min() > 0


def test_the_real_word_lists(real):
    data = real["20news-w100"]
    assert data.X.shape == (16_242, 100) and data.X.nnz == 65_451 and set(data.X.data.tolist()) == {1.0}
    assert np.bincount(data.labels).tolist() == [4605, 3519, 2657, 5461]
    assert data.label_names == ("comp", "rec", "sci", "talk") and data.feature_names[:3] == (
        "aids",
        "baseball",
        "bible",
    )
    rows = [[data.feature_names[j] for j in data.X[[i]].indices] for i in (0, -1)]
    assert rows == [
        ["email", "research", "software", "system", "video"],
        ["christian", "fact", "jews", "state"],
    ]
    assert data.labels[[0, -1]].tolist() == [0, 3] and np.diff(data.X.indptr).min() > 0
    sport = data.X[:, [data.feature_names.index("hockey")]].toarray().ravel() == 1
    assert np.bincount(data.labels[sport], minlength=4).argmax() == 1


def test_the_tree_of_the_counts_is_that_of_the_names(real):
    data = real["20news-words"]
    tree = Hierarchy(data.class_parents, np.arange(20))
    assert tree.sizes[np.asarray(tree.children(tree.root))].tolist() == [1, 5, 1, 4, 4, 1, 4]
