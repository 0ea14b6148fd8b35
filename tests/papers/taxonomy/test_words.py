"""Words of clusters, the clusters of the paper that they bring back, and where these lie in the tree."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from cladebench.papers.taxonomy import words


def by_loops(X, labels, n_clusters):
    scores = np.zeros((n_clusters, X.shape[1]))
    for c in range(n_clusters):
        for w in range(X.shape[1]):
            inside = [X[i, w] for i in range(len(X)) if labels[i] == c]
            outside = [X[i, w] for i in range(len(X)) if labels[i] != c]
            scores[c, w] = (np.mean(inside) if inside else 0.0) - (np.mean(outside) if outside else 0.0)
    return scores


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 10**6))
def test_scores_are_by_loops(n, n_clusters, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 6)).astype(float)
    labels = rng.integers(0, n_clusters, n)
    found = words.word_scores(sparse.csr_array(X), labels, n_clusters)
    assert found == pytest.approx(by_loops(X, labels, n_clusters), abs=1e-12)


def test_a_word_counts_as_often_as_it_occurs():
    X = sparse.csr_array(np.array([[3.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 2.0, 1.0]]))
    before = X.copy()
    found = words.word_scores(X, np.array([0, 0, 1, 1]), 2)
    # The last word is equally often in all documents, and says nothing.
    assert found.tolist() == [[2.0, -0.5, 0.0], [-2.0, 0.5, 0.0]]
    assert (X - before).nnz == 0 and X.nnz == before.nnz
    # Of words that occur or not: shares of documents. Where the second word is does no longer matter.
    X.data = np.ones_like(X.data)
    assert words.word_scores(X, np.array([0, 0, 1, 1]), 2).tolist() == [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]


def test_of_one_cluster_there_is_no_outside():
    X = sparse.csr_array(np.array([[1.0, 0.0], [1.0, 5.0]]))
    assert words.word_scores(X, np.zeros(2, dtype=int), 1).tolist() == [[1.0, 2.5]]
    # Nor is there an inside of a cluster without documents.
    assert words.word_scores(X, np.zeros(2, dtype=int), 2)[1].tolist() == [-1.0, -2.5]


def test_top_words_and_ties():
    scores = np.array([[0.1, 0.5, 0.1, -0.2], [0.0, 0.0, 0.0, 0.0]])
    names = ("any", "bee", "cat", "dog")
    assert words.top_words(scores, names).tolist() == [["bee", "any", "cat", "dog"], list(names)]
    assert words.top_words(scores, names, 2).tolist() == [["bee", "any"], ["any", "bee"]]
    assert words.top_words(np.arange(30.0)[None], np.arange(30).astype(str)).shape == (1, 20)


def test_what_is_printed():
    assert "".join(words.LETTERS) == "abcdefgh" and words.N_WORDS == 20
    for printed in words.PRINTED.values():
        assert len(printed) == len(set(printed)) == 20
    assert words.PRINTED["a"][0] == "neurons" and words.PRINTED["h"][-1] == "estimation"
    for near, far in words.CLOSE.values():
        assert set("".join((*near, *far))) <= set(words.LETTERS)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10**6))
def test_the_match_is_the_best_of_all(n_clusters, seed):
    rng = np.random.default_rng(seed)
    draw = [rng.choice(list("abcdefgh"), 4, replace=False) for _ in range(3 + n_clusters)]
    printed = {letter: tuple(found.tolist()) for letter, found in zip("xyz", draw, strict=False)}
    found = np.array(draw[3:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "PRINTED", printed)
        patch.setattr(words, "LETTERS", tuple(printed))
        matched, shared = words.matched_to_printed(found)
    places = [*range(n_clusters), *[-1] * max(0, 3 - n_clusters)]

    def common(letter, c):
        return 0 if c < 0 else len(set(printed[letter]) & set(found[c]))

    best = max(
        sum(common(letter, c) for letter, c in zip("xyz", way, strict=True))
        for way in permutations(places, 3)
    )
    assert shared.sum() == best
    assert shared.tolist() == [common(letter, c) for letter, c in zip("xyz", matched, strict=True)]
    there = matched[matched >= 0]
    assert len(set(there)) == len(there) == min(3, n_clusters)


def test_the_printed_words_match_themselves():
    order = [3, 0, 7, 1, 5, 2, 6, 4]
    found = np.array([words.PRINTED[words.LETTERS[place]] for place in order])
    matched, shared = words.matched_to_printed(found)
    assert [order[c] for c in matched] == list(range(8)) and shared.tolist() == [20] * 8
    matched, shared = words.matched_to_printed(found[:2])
    assert matched.tolist() == [1, -1, -1, 0, -1, -1, -1, -1]
    assert shared.tolist() == [20, 0, 0, 20, 0, 0, 0, 0]


def test_placement_by_hand():
    at = np.array([5, 2, 7, 0, 1, 3, 6, 4])  # the cluster of each letter
    D = np.zeros((8, 8))

    def put(pair, value):
        one, other = (at["abcdefgh".index(letter)] for letter in pair)
        D[one, other] = D[other, one] = value

    for place, pair in enumerate(combinations("abcdefgh", 2)):
        put(pair, 10.0 + place)
    for pair, value in {"de": 1.0, "dg": 2.0, "dh": 3.0, "eg": 4.0, "eh": 7.0}.items():
        put(pair, value)
    for pair, value in {"gh": 3.0, "ag": 1.0, "bg": 2.0, "ah": 3.0, "bh": 6.0}.items():
        put(pair, value)
    found = words.placement(D, at)
    assert found["de_apart"] == pytest.approx(1.0 / 4.0) and found["gh_apart"] == pytest.approx(3.0 / 3.0)
    whole = D.sum() / 56.0
    for letter in "fc":
        row = D[at["abcdefgh".index(letter)]]
        assert found[f"{letter}_apart"] == pytest.approx(row.sum() / 7.0 / whole)
    assert set(found) == {"de_apart", "gh_apart", "f_apart", "c_apart"}
    assert words.placement(np.zeros((8, 8)), at) == dict.fromkeys(found, 0.0)
