"""Data sets of the UCI Machine Learning Repository: glass, spambase, digits."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile

OFFICIAL = "https://archive.ics.uci.edu/ml/machine-learning-databases"
COPIES = "https://raw.githubusercontent.com"
PUBLISHER = "UCI Machine Learning Repository"
LICENCE = f"CC BY 4.0 (as the {PUBLISHER} states for its data sets)"

GLASS = RemoteFile(
    name="glass/glass.data",
    sha256="dd67373f4baf2807345df02cbfef2093d342e61ad0d82a4fb79af43ef8ce449d",
    size=11_903,
    urls=(
        f"{OFFICIAL}/glass/glass.data",
        f"{COPIES}/elichienxD/HyperAid/3db09a41bd50710d95be1fbc81f57548f8828141/data/glass/glass.data",
    ),
)
SPAMBASE = RemoteFile(
    name="spambase/spambase.data",
    sha256="b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12",
    size=702_942,
    urls=(
        f"{OFFICIAL}/spambase/spambase.data",
        f"{COPIES}/elichienxD/HyperAid/3db09a41bd50710d95be1fbc81f57548f8828141/data/spambase/spambase.data",
    ),
)


def bundled_optdigits() -> bytes:
    """Write scikit-learn's digits as the bytes of ``optdigits.tes``."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    rows = np.column_stack([digits.data, digits.target]).astype(np.int64)
    return "".join(",".join(map(str, row)) + "\n" for row in rows.tolist()).encode()


OPTDIGITS_TEST = RemoteFile(
    name="optdigits/optdigits.tes",
    sha256="6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
    size=264_712,
    urls=(
        f"{OFFICIAL}/optdigits/optdigits.tes",
        f"{COPIES}/dmallon/net/aa7addb57ea2c164ec1bcd1c166cb769773c76b2/data/optdigits.tes",
    ),
    bundled=bundled_optdigits,
)

GLASS_CLASSES = {
    1: "building windows, float",
    2: "building windows, non-float",
    3: "vehicle windows, float",
    5: "containers",
    6: "tableware",
    7: "headlamps",
}
DIGITS_PER_CLASS = 20


def read_table(files: Mapping[str, bytes], file: RemoteFile, columns: int) -> NDArray[np.float64]:
    """Parse comma-separated numbers; line ends of any kind, blank lines ignored.

    Raises
    ------
    DatasetError
        A field is not a number, or a row has another length.
    """
    try:
        table = np.loadtxt(io.BytesIO(files[file.name]), delimiter=",", dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise DatasetError(f"{file.name}: expected rows of {columns} numbers, found: {error}") from error
    if table.shape[1] != columns:
        raise DatasetError(f"{file.name}: expected rows of {columns} numbers, found {table.shape[1]}")
    return table


def load_glass(files: Mapping[str, bytes], draw: int) -> Content:
    """Nine measurements of each fragment.

    The id column is dropped, classes 1, 2, 3, 5, 6, 7 become 0..5.
    """
    table = read_table(files, GLASS, columns=11)
    codes = np.array(list(GLASS_CLASSES))
    if not np.isin(table[:, -1], codes).all():
        raise DatasetError(
            f"{GLASS.name}: expected classes {codes.tolist()}, found {np.unique(table[:, -1])}"
        )
    return Content(table[:, 1:-1], np.searchsorted(codes, table[:, -1]), tuple(GLASS_CLASSES.values()))


def load_spambase(files: Mapping[str, bytes], draw: int) -> Content:
    """Word and character frequencies and run lengths of each message.

    Class 1 is spam.
    """
    table = read_table(files, SPAMBASE, columns=58)
    return Content(table[:, :-1], table[:, -1].astype(np.intp), ("not spam", "spam"))


def load_digits_draw(files: Mapping[str, bytes], draw: int) -> Content:
    """Twenty images of each digit, in the order of the file (:func:`draw_rows`)."""
    table = read_table(files, OPTDIGITS_TEST, columns=65)
    labels = table[:, -1].astype(np.intp)
    rows = draw_rows(labels, DIGITS_PER_CLASS, draw)
    return Content(table[rows, :-1], labels[rows], tuple("0123456789"))


def draw_rows(labels: NDArray[np.intp], per_class: int, draw: int) -> NDArray[np.intp]:
    """Choose ``per_class`` rows of each class, the same on every machine.

    Row i (from 0) has the key sha256("optdigits/<draw>/<i>"); of each class, the rows with the smallest keys
    are drawn.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
    per_class : int
    draw : int

    Returns
    -------
    ndarray of shape (n_classes * per_class,)
        Rows in ascending order.
    """
    keys = [hashlib.sha256(f"optdigits/{draw}/{row}".encode()).digest() for row in range(len(labels))]
    ordered = np.array(sorted(range(len(labels)), key=keys.__getitem__), dtype=np.intp)
    return np.sort(np.concatenate([ordered[labels[ordered] == c][:per_class] for c in np.unique(labels)]))


GLASS_ENTRY = DatasetInfo(
    name="glass",
    title="Glass identification",
    kind="real",
    n_samples=214,
    n_features=9,
    n_classes=6,
    licence=LICENCE,
    citation=f"B. German (1987). Glass Identification. {PUBLISHER}. doi:10.24432/C5WW2P",
    loader=load_glass,
    files=(GLASS,),
    notes="The id column is dropped. Class 4 (vehicle windows, non-float) has no instance.",
)
SPAMBASE_ENTRY = DatasetInfo(
    name="spambase",
    title="Spambase",
    kind="real",
    n_samples=4601,
    n_features=57,
    n_classes=2,
    licence=LICENCE,
    citation="M. Hopkins, E. Reeber, G. Forman, J. Suermondt (1999). Spambase. "
    f"{PUBLISHER}. doi:10.24432/C53G6X",
    loader=load_spambase,
    files=(SPAMBASE,),
    notes="The file has 4,601 rows, 391 of them repeated.",
)


DATASETS = (
    GLASS_ENTRY,
    SPAMBASE_ENTRY,
    DatasetInfo(
        name="digits",
        title="Optical recognition of handwritten digits, 200 points",
        kind="real",
        n_samples=10 * DIGITS_PER_CLASS,
        n_features=64,
        n_classes=10,
        licence=LICENCE,
        citation="E. Alpaydin, C. Kaynak (1998). Optical Recognition of Handwritten Digits. "
        f"{PUBLISHER}. doi:10.24432/C50P49",
        loader=load_digits_draw,
        files=(OPTDIGITS_TEST,),
        n_draws=5,
        notes="20 images of each digit from the 1,797 rows of optdigits.tes; the paper's draw is unknown. "
        'A draw takes the rows of each class with the smallest sha256("optdigits/<draw>/<row>").',
    ),
)
