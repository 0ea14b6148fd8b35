"""Words of the papers of NIPS 1-12, as S. Roweis counted them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import scipy
from numpy.typing import NDArray

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile, View


def _made_from(member: str) -> str:
    return (
        f"corpus-example/{member} in knowceans-tools/nips-corpus-20111211.zip of "
        "https://github.com/gregoryyy/knowceans at commit f8aef6854f3a0f1328c57fa82a3b46e324efb780; the counts are "
        "those of nips12raw_str602.mat of http://www.cs.toronto.edu/~roweis/data.html, in another format"
    )


CORPUS = RemoteFile(
    name="nips0-12/nips.corpus",
    sha256="ec91c3efd560be99a9cb828fc2cc011dd6cfd414f1c5607ce7a70f2380f32b67",
    size=6_019_539,
    urls=(),
    made_from=_made_from("nips.corpus"),
)
VOCABULARY = RemoteFile(
    name="nips0-12/nips.vocab",
    sha256="13a7899fbf35cb5cc4c3fed81fe4b7c5b252d8ec89a049850ee112fb45b3a9e5",
    size=347_900,
    urls=(),
    made_from=_made_from("nips.vocab"),
)

N_DOCUMENTS, N_WORDS = 1_740, 13_649


def load_nips(files: Mapping[str, bytes], draw: int) -> Content:
    """1 where a word occurs in a document.

    How often it does is the view "counts".

    Raises
    ------
    DatasetError
        A malformed line, or totals of a word that are not those of the documents.
    """
    words, totals = read_vocabulary(files[VOCABULARY.name])
    counts = read_counts(files[CORPUS.name], len(words))
    counted = np.column_stack([counts.sum(axis=0), np.bincount(counts.indices, minlength=len(words))])
    wrong = np.flatnonzero((counted != totals).any(axis=1))
    if wrong.size:
        word = wrong[0]
        raise DatasetError(
            f"{CORPUS.name}: expected {words[word]!r} {totals[word, 0]} times in {totals[word, 1]} documents, as "
            f"{VOCABULARY.name} says, found it {int(counted[word, 0])} times in {int(counted[word, 1])}"
        )
    occurs = counts.copy()
    occurs.data[:] = 1
    return Content(occurs, feature_names=words, views={"counts": View("features", counts)})


def read_vocabulary(content: bytes) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Read words by number, with their numbers of occurrences and documents.

    Parameters
    ----------
    content : bytes
        Lines ``word = number = occurrences documents``, by number from 0.

    Returns
    -------
    words : tuple of str
    totals : ndarray of shape (n_words, 2)
    """
    words, totals = list[str](), list[tuple[int, int]]()
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines()):
        match = re.fullmatch(r"(\S+) = (\d+) = (\d+) (\d+)\s*", line, flags=re.ASCII)
        if match is None or int(match[2]) != number:
            raise DatasetError(
                f"{VOCABULARY.name}: expected 'word = {number} = occurrences documents', found {line!r}"
            )
        words.append(match[1])
        totals.append((int(match[3]), int(match[4])))
    return tuple(words), np.array(totals, dtype=np.intp).reshape(-1, 2)


def read_counts(content: bytes, n_words: int) -> scipy.sparse.csr_array:
    """How often each word occurs in each document.

    Parameters
    ----------
    content : bytes
        Lines ``n word:count word:count ...`` with n pairs, at least one; words are numbers from 0 in ascending order.
        Blank lines at the end are passed over.
    n_words : int

    Returns
    -------
    csr_array of shape (n_documents, n_words)
    """
    indptr, words, counts = [0], list[NDArray[np.intp]](), list[NDArray[np.intp]]()
    for number, line in enumerate(content.decode("utf-8", "replace").rstrip().split("\n")):
        where = f"{CORPUS.name}: document {number}"
        if not re.fullmatch(r"\d+( \d+:\d+)+\s*", line, flags=re.ASCII):
            raise DatasetError(f"{where}: expected 'n word:count ...' with a word, found {line[:60]!r}")
        numbers = np.fromstring(line.replace(":", " "), dtype=np.intp, sep=" ")
        word, times = numbers[1::2], numbers[2::2]
        if len(word) != numbers[0]:
            raise DatasetError(f"{where}: expected {numbers[0]} words, found {len(word)}")
        if (np.diff(word) <= 0).any() or word[-1] >= n_words or not times.all():
            raise DatasetError(
                f"{where}: expected ascending words below {n_words} that occur, found "
                f"words up to {word.max()}, the rarest {times.min()} times"
            )
        words.append(word)
        counts.append(times)
        indptr.append(indptr[-1] + len(word))
    values = np.concatenate(counts).astype(np.float64)
    return scipy.sparse.csr_array((values, np.concatenate(words), indptr), shape=(len(counts), n_words))


DATASETS = (
    DatasetInfo(
        name="nips",
        title="NIPS 1-12, words that occur",
        kind="real",
        n_samples=N_DOCUMENTS,
        n_features=N_WORDS,
        n_classes=None,
        licence="No explicit licence of the counts; the package that carries them is under GPL-3-or-later",
        citation="S. Roweis (2002). NIPS conference papers, volumes 0-12: word counts. Repackaged by G. Heinrich "
        "(2011), in knowceans-tools",
        loader=load_nips,
        files=(CORPUS, VOCABULARY),
        sparse=True,
        views={"counts": "features"},
        notes="1,740 papers of 1987 to 1999, 13,649 words. An entry is 1 where a word occurs, 0 elsewhere, as"
        " in the paper on learning taxonomies. The view counts has how often. No paper is without "
        "words. The official address, http://www.cs.toronto.edu/~roweis/data.html, has the counts as "
        "nips12raw_str602.mat. These files are from knowceans-tools. They have the same numbers of "
        "papers, words and occurrences (2,301,375), but we did not compare the entries. They are "
        "unpacked members of an archive, which no address serves by themselves: a mirror only. There "
        "are sessions of the conferences for the papers, which are not used: their names changed from "
        "year to year.",
    ),
)
