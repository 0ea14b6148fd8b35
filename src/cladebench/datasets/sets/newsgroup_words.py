"""Load newsgroup words: the counts of ``20news``, and Roweis's 100.

They are as the sources have them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import scipy

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile
from cladebench.datasets.sets.newsgroups import (
    N_DOCUMENTS,
    N_GROUPS,
    UNREADABLE,
    WORDS,
    read_groups,
    tree_of_names,
    unpack,
)

W100 = RemoteFile(
    name="20news-w100/20news_w100.mat",
    sha256="6667c5459e22eb544a854bff1443edaaea71735cf1af7b12cc5d986e74af7064",
    size=416_176,
    urls=(
        "http://www.cs.toronto.edu/~roweis/data/20news_w100.mat",
        "https://raw.githubusercontent.com/probml/probml-data/f74e6f00ef1570f5b3843c49818d0bfa6b473069/data/20news_w100.mat",
    ),
)

LICENCE = "Public posts to Usenet; no explicit licence"


def load_20news_words(files: Mapping[str, bytes], draw: int) -> Content:
    """Counts of the words in each message, training messages first.

    Labels and tree are those of ``20news``.
    """
    packed = files[WORDS.name]
    counts, labels, groups = read_groups(packed)
    return Content(counts, labels, groups, tree_of_names(groups), feature_names=read_vocabulary(packed))


def read_vocabulary(packed: bytes) -> tuple[str, ...]:
    """Read the first word of each group of words.

    A group was counted as one: ``windows`` also means ``window``.
    """
    from scipy.io import loadmat

    try:
        table = loadmat(io.BytesIO(unpack(packed)), variable_names=["vocab"])
        return tuple(str(forms.ravel()[0].item()) for forms in table["vocab"].ravel())
    except (*UNREADABLE, IndexError) as error:
        raise DatasetError(f"{WORDS.name}: expected groups of words in vocab, found: {error}") from error


def load_20news_w100(files: Mapping[str, bytes], draw: int) -> Content:
    """1 where a word occurs in a message.

    Classes are the beginnings of the names of the groups.

    Raises
    ------
    DatasetError
        Not the registered layout: ``documents`` (words x messages, zeros and ones), ``newsgroups`` (numbers of groups
        from 1), ``groupnames`` and ``wordlist``.
    """
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        table = loadmat(io.BytesIO(files[W100.name]))
        occurs = scipy.sparse.csr_array(table["documents"].T, dtype=np.float64)
        numbers = table["newsgroups"].ravel().astype(np.intp)
        groups = tuple(str(entry.item()).removesuffix(".*") for entry in table["groupnames"].ravel())
        words = tuple(str(entry.item()) for entry in table["wordlist"].ravel())
    except (*UNREADABLE, MatReadError) as error:
        raise DatasetError(f"{W100.name}: expected a MATLAB 5 file of word lists, found: {error}") from error
    if not (occurs.shape == (len(numbers), len(words)) and (occurs.data == 1).all()):
        raise DatasetError(
            f"{W100.name}: expected zeros and ones for {len(words)} words and {len(numbers)} messages, found a table "
            f"of shape {occurs.shape[::-1]} with values up to {occurs.max() if occurs.nnz else 0:g}"
        )
    return Content(occurs, numbers - 1, groups, feature_names=words)


DATASETS = (
    DatasetInfo(
        name="20news-words",
        title="20 newsgroups, counts of 1,000 words",
        kind="real",
        n_samples=N_DOCUMENTS,
        n_features=1_000,
        n_classes=N_GROUPS,
        licence=LICENCE,
        citation="K. Lang (1995). NewsWeeder: learning to filter netnews. ICML. Sorted by date: J. Rennie. Words: "
        "B. Marlin (2008), in the Probabilistic Modeling Toolkit 3 (M. Dunham, K. Murphy and others)",
        loader=load_20news_words,
        files=(WORDS,),
        sparse=True,
        notes="The counts from which 20news has its features: 18,745 messages by date, the first 11,256 of "
        "them from the training part, none without words. The 1,000 groups of words (windows, window, "
        "windowing) were chosen by their mutual information with the labels of the training messages. "
        "So labels have leaked into the features, for all methods alike. A feature has the name of the "
        "first word of its group. The tree is that of the dotted names of the groups. The official "
        "address has the texts alone; these counts are in a public repository, the packed file in a "
        "mirror only.",
    ),
    DatasetInfo(
        name="20news-w100",
        title="Newsgroups, 100 words that occur",
        kind="real",
        n_samples=16_242,
        n_features=100,
        n_classes=4,
        licence=LICENCE,
        citation="K. Lang (1995). NewsWeeder: learning to filter netnews. ICML. Words: S. Roweis (2002), "
        "20news_w100.mat",
        loader=load_20news_w100,
        files=(W100,),
        sparse=True,
        notes="16,242 messages, none without words; 1 where one of 100 words occurs. Four classes, comp, rec, sci and "
        "talk, and no tree: the groups within them are not in the file. The 5,461 messages of talk are more than the "
        "four groups of that name can have (1,000 each), so that other groups are among them. The bytes are those of a "
        "public copy and were not compared with the official address.",
    ),
)
