"""Messages of 20 newsgroups, whose names are their hierarchy."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile
from cladebench.datasets.sets.components import N_COMPONENTS, principal_scores

WORDS = RemoteFile(
    name="20news-w1000/20news_w1000.mat.gz",
    sha256="4d17e831191d673e2335745d3e2a7538dd8bba037fe935e384bfe5463258d3ce",
    size=1_159_610,
    urls=(),
    made_from="20news_w1000/20news_w1000.mat of https://github.com/probml/pmtkdata at commit "
    "42bc2738a294382f9d6ffb1b0203404ffb10295a, packed with gzip -n9; counts by B. Marlin from 20news-bydate of "
    "http://people.csail.mit.edu/jrennie/20Newsgroups/, which has the texts",
)

N_DOCUMENTS = 18_745
N_GROUPS = 20
DECIMALS = 4
#: The unpacked file has 1,210,033 bytes.
SIZE_LIMIT = 10_000_000
#: What a file of another layout makes gzip, SciPy and NumPy raise.
UNREADABLE = (
    OSError,
    EOFError,
    zlib.error,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    NotImplementedError,
)


def load_20news(files: Mapping[str, bytes], draw: int) -> Content:
    """Load principal components of square-rooted word frequencies, training messages first.

    Each group is a class.
    """
    words, labels, groups = read_groups(files[WORDS.name])
    return Content(
        partial(_scores, words),
        labels,
        groups,
        tree_of_names(groups),
    )


def tree_of_names(groups: Sequence[str]) -> NDArray[np.intp]:
    """Parents in the tree of dotted names.

    ``comp.sys.mac.hardware`` is below ``comp.sys.mac``, ``comp.sys``, ``comp``.

    Chains are kept. Node c is ``groups[c]``; their beginnings follow in alphabetical order, then the root.
    """
    above = {name[:end] for name in groups for end, letter in enumerate(name) if letter == "."}
    nodes = [*groups, *sorted(above - set(groups))]
    index = {name: node for node, name in enumerate(nodes)}
    return np.array([*(index.get(name.rpartition(".")[0], len(nodes)) for name in nodes), -1], dtype=np.intp)


def read_groups(packed: bytes) -> tuple[scipy.sparse.csr_array, NDArray[np.intp], tuple[str, ...]]:
    """Read word counts, groups of messages, and group names.

    Raises
    ------
    DatasetError
        Not the registered layout: ``trainW``, ``testW`` (messages x words), ``trainC``, ``testC`` (messages x groups, a
        single one in each row) and ``class_names``.
    """
    from scipy.io import loadmat

    try:
        table: dict[str, Any] = loadmat(io.BytesIO(unpack(packed)))
        counts = scipy.sparse.csr_array(
            scipy.sparse.vstack([table["trainW"], table["testW"]]), dtype=np.float64
        )
        members = scipy.sparse.csr_array(
            scipy.sparse.vstack([table["trainC"], table["testC"]]), dtype=np.float64
        )
        groups = tuple(str(entry.item()) for entry in table["class_names"].ravel())
    except UNREADABLE as error:
        raise DatasetError(
            f"{WORDS.name}: expected a packed MATLAB file of word counts, found: {error}"
        ) from error
    members.eliminate_zeros()
    if not (
        members.shape == (counts.shape[0], len(groups))
        and (np.diff(members.indptr) == 1).all()
        and (members.data == 1).all()
    ):
        raise DatasetError(
            f"{WORDS.name}: expected one group for each of {counts.shape[0]} messages, found a table of shape "
            f"{members.shape} with {members.nnz} entries for {len(groups)} names"
        )
    return counts, members.indices.astype(np.intp), groups


def unpack(packed: bytes) -> bytes:
    """Unpack what gzip wrote.

    One of `UNREADABLE` is raised where that fails or gives more than `SIZE_LIMIT` bytes.
    """
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
        unpacked = stream.read(SIZE_LIMIT + 1)
    if len(unpacked) > SIZE_LIMIT:
        raise ValueError(f"more than {SIZE_LIMIT} bytes when unpacked")
    return unpacked


def _scores(words: scipy.sparse.csr_array) -> NDArray[np.float64]:
    return principal_scores(words.toarray(), WORDS.name, DECIMALS)


DATASETS = (
    DatasetInfo(
        name="20news",
        title="20 newsgroups, 1,000 words",
        kind="real",
        n_samples=N_DOCUMENTS,
        n_features=N_COMPONENTS,
        n_classes=N_GROUPS,
        licence="Public posts to Usenet; no explicit licence",
        citation="K. Lang (1995). NewsWeeder: learning to filter netnews. ICML. Sorted by date: J. Rennie. Words: "
        "B. Marlin (2008), in the Probabilistic Modeling Toolkit 3 (M. Dunham, K. Murphy and others)",
        loader=load_20news,
        files=(WORDS,),
        features_sha256="c29693e7f13fdcd52e0a919b62737edf8eeff2efa23441d47739c7bc5f5e1a0d",
        notes="18,745 messages by date, training and test. The 1,000 groups of words were chosen by their "
        "mutual information with the labels of the training messages. So labels have leaked into the "
        "features, for all methods alike. Square root of the word frequencies, ",
    ),
)
