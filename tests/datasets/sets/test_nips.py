from __future__ import annotations

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import nips

REAL = "nips"
CORPUS = b"2 0:3 2:1\n1 1:2\n3 0:1 1:1 2:5\n\n"
VOCABULARY = b"a = 0 = 4 2 \r\nb_c = 1 = 3 2 \r\nd = 2 = 6 2 \r\n"


def made_up(corpus=CORPUS, vocabulary=VOCABULARY):
    return {nips.CORPUS.name: corpus, nips.VOCABULARY.name: vocabulary}


def test_a_word_occurs_or_not_and_how_often_is_a_view():
    content = nips.load_nips(made_up(), 0)
    assert content.X.toarray().tolist() == [[1, 0, 1], [0, 1, 0], [1, 1, 1]]
    assert content.views["counts"].kind == "features" and set(content.views) == {"counts"}
    assert content.views["counts"].values.toarray().tolist() == [[3, 0, 1], [0, 2, 0], [1, 1, 5]]
    assert content.X.dtype == np.float64 and content.feature_names == ("a", "b_c", "d")
    assert content.labels is None and content.label_names == ()


def test_counts_are_those_of_the_file():
    assert nips.read_counts(CORPUS, 4).toarray().tolist() == [[3, 0, 1, 0], [0, 2, 0, 0], [1, 1, 5, 0]]
    words, totals = nips.read_vocabulary(VOCABULARY)
    assert words == ("a", "b_c", "d") and totals.tolist() == [[4, 2], [3, 2], [6, 2]]


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (b"", "document 0: expected 'n word:count ...' with a word, found ''"),
        (b"0\n" + CORPUS, "document 0: expected 'n word:count ...' with a word, found '0'"),
        (CORPUS.replace(b"1 1:2\n", b"\n"), "document 1: .* with a word, found ''"),
        (CORPUS.replace(b"1 1:2", b"1 1:2:3"), "document 1: .* found '1 1:2:3'"),
        (CORPUS.replace(b"1 1:2", b"1 -1:2"), "document 1: .* found '1 -1:2'"),
        (CORPUS.replace(b"1 1:2", b"2 1:2"), "document 1: expected 2 words, found 1"),
        (CORPUS.replace(b"2 0:3 2:1", b"2 2:1 0:3"), "document 0: expected ascending words below 3"),
        (CORPUS.replace(b"2 0:3 2:1", b"2 0:3 0:1"), "document 0: expected ascending words below 3"),
        (
            CORPUS.replace(b"1 1:2", b"1 3:2"),
            "document 1: expected ascending words below 3 .* words up to 3, the rarest 2 times",
        ),
        (CORPUS.replace(b"1 1:2", b"1 1:0"), "document 1: .* the rarest 0 times"),
        (CORPUS.replace(b"2 0:3 2:1", b"2 0:3 2:0"), "document 0: .* the rarest 0 times"),
        (CORPUS.replace(b"1:2", b"1:1"), "expected 'b_c' 3 times in 2 documents, .* 2 times in 2"),
        # As often in fewer documents; in as many documents more often.
        (b"2 0:3 2:1\n1 1:2\n3 0:1 1:1 2:4\n1 2:1\n", "expected 'd' 6 times in 2 documents, .* 6 times in 3"),
        (
            CORPUS.replace(b"1:2", b"1:3"),
            "expected 'b_c' 3 times in 2 documents, as .*vocab says, .* 4 times in 2",
        ),
    ],
)
def test_malformed_documents_are_named(corpus, message):
    with pytest.raises(DatasetError, match=rf"^nips0-12/nips\.corpus: {message}"):
        nips.load_nips(made_up(corpus), 0)


@pytest.mark.parametrize(
    "vocabulary",
    [
        VOCABULARY.replace(b"b_c = 1 = 3 2", b"b_c = 2 = 3 2"),
        VOCABULARY.replace(b"b_c = 1 = 3 2", b"b_c = 1 = 3"),
        VOCABULARY.replace(b"b_c = 1 = 3 2", b"b c = 1 = 3 2"),
        VOCABULARY.replace(b"b_c = 1 = 3 2", b""),
    ],
)
def test_malformed_vocabularies_are_named(vocabulary):
    with pytest.raises(
        DatasetError, match=r"^nips0-12/nips\.vocab: expected 'word = 1 = occurrences documents'"
    ):
        nips.load_nips(made_up(vocabulary=vocabulary), 0)


def test_it_says_that_the_official_file_is_another_one():
    entry = datasets.info("nips")
    assert "nips12raw_str602.mat" in entry.notes and not entry.fetchable
    assert all("knowceans" in file.made_from for file in entry.files)
    with pytest.raises(datasets.DataUnavailable, match=r"no public address serves it.*knowceans"):
        datasets.load("nips")


def test_the_real_papers(real):
    assert real.X.shape == (1740, 13649) and real.X.nnz == 933_295 and set(real.X.data.tolist()) == {1.0}
    assert len(set(real.feature_names)) == 13_649 and real.feature_names[-1] == "indefinite"
    first = [real.feature_names[j] for j in real.X[[0]].indices[:8]]
    assert first == ["network", "learning", "model", "neural", "input", "function", "set", "networks"]
    n_words = np.diff(real.X.indptr)
    assert n_words[[0, -1]].tolist() == [341, 653] and n_words.min() == 113
    # In how many papers the first words occur, as the vocabulary has it.
    assert real.X[:, [0, 1, 2, 3]].sum(axis=0).tolist() == [1395, 1338, 1362, 1611]
    counts = real.views["counts"].values
    assert counts.sum() == 2_301_375 and np.array_equal(counts.indices, real.X.indices)
    assert np.array_equal(counts.indptr, real.X.indptr) and counts.data.min() == 1.0
