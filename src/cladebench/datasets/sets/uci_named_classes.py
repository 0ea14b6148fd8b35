"""Load data of the UCI Machine Learning Repository with lettered classes.

Each row has its class. The sets are sonar, ionosphere, balance scale, image segmentation and MAGIC gamma telescope.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, RemoteFile
from cladebench.datasets.sets.uci import COPIES, LICENCE, OFFICIAL, PUBLISHER

SONAR = RemoteFile(
    name="sonar/sonar.all-data",
    sha256="e90434cdbf00fcf93ffa911fe447ae25606979658e60f1d32e155c3b5240234d",
    size=87_776,
    urls=(
        f"{OFFICIAL}/undocumented/connectionist-bench/sonar/sonar.all-data",
        f"{COPIES}/liiniix/Clustering/01679cd3e0bd0dbbad255089d8f31936f084e556/sonar.all-data",
    ),
)
IONOSPHERE = RemoteFile(
    name="ionosphere/ionosphere.data",
    sha256="46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd",
    size=76_467,
    urls=(
        f"{OFFICIAL}/ionosphere/ionosphere.data",
        f"{COPIES}/schowdhury671/SMAI_Assignments/725b97e7b89ceb21634c91a4b2a2db6892a1c7f9/ionosphere_dataset.csv",
    ),
)
BALANCE = RemoteFile(
    name="balance-scale/balance-scale.data",
    sha256="5611187ef7345d807aa8ae22615945ade52a190537c0b1434bd44c3e877c5bb4",
    size=6_250,
    urls=(
        f"{OFFICIAL}/balance-scale/balance-scale.data",
        f"{COPIES}/jlsuarezdiaz/pyDML/0e066d9f9ba017d517dd712f9d0a95b766973764/data/balance-scale.data",
    ),
)
SEGMENTATION = RemoteFile(
    name="image-segmentation/segmentation.data",
    sha256="ed5b5aee8081bbe875357149f73f50d7085e22cc0897f5b52eb7b52fea969a5b",
    size=34_842,
    urls=(
        f"{OFFICIAL}/image/segmentation.data",
        f"{COPIES}/SinghGauravKumar/Image-Segmentation/d6e33017ca6eb54ecb83c8637be03fda5e2303bc/segmentation.data",
    ),
)
SEGMENTATION_TEST = RemoteFile(
    name="image-segmentation/segmentation.test",
    sha256="2e9e966479d54c6aaec309059376dd9c89c1b46bf3a23aceeefb36d20d93a189",
    size=345_084,
    urls=(
        f"{OFFICIAL}/image/segmentation.test",
        f"{COPIES}/elichienxD/HyperAid/3db09a41bd50710d95be1fbc81f57548f8828141/data/segmentation/segmentation.test",
    ),
)
MAGIC = RemoteFile(
    name="magic04/magic04.data",
    sha256="e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a",
    size=1_477_391,
    urls=(
        f"{OFFICIAL}/magic/magic04.data",
        f"{COPIES}/JackDunnNZ/UCIData.jl/f3f7a21a9014bd0d2df3dc3057ea84982c32b2e2/datafiles/classification/"
        "magic-gamma-telescope/magic-gamma-telescope.data.orig",
    ),
)

#: Code in the file -> name, in the order of the labels.
SONAR_CLASSES = {"R": "rock", "M": "mine"}
IONOSPHERE_CLASSES = {"b": "bad", "g": "good"}
BALANCE_CLASSES = {"L": "tips to the left", "B": "balanced", "R": "tips to the right"}
SEGMENTATION_CLASSES = {
    code: code.lower() for code in ("BRICKFACE", "CEMENT", "FOLIAGE", "GRASS", "PATH", "SKY", "WINDOW")
}
MAGIC_CLASSES = {"g": "gamma", "h": "hadron"}

#: Lines before the first row of the two files of segmentation; one of them names the columns.
SEGMENTATION_HEAD, SEGMENTATION_NAMES = 5, 3
CONSTANT_COLUMN = "REGION-PIXEL-COUNT"


def read_rows(
    name: str, lines: list[str], n_features: int, classes: Mapping[str, str], class_first: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Parse rows of numbers with a class in letters.

    Commas separate entries. The class is at one end, and blank lines are ignored.

    Parameters
    ----------
    name : str
        Of the file, for messages.
    lines : list of str
    n_features : int
    classes : mapping
        Its keys are the classes in the order of their labels.
    class_first : bool, default=False
        Whether the class stands before the numbers; otherwise after them.

    Raises
    ------
    DatasetError
        A row has another length, a field is not a number, or a class is unknown.
    """
    rows = [line.strip().split(",") for line in lines if line.strip()]
    lengths = {len(row) for row in rows}
    if lengths != {n_features + 1}:
        raise DatasetError(
            f"{name}: expected rows of {n_features} numbers and a class, found {sorted(lengths)} fields"
        )
    place = 0 if class_first else n_features
    label_of = {code: label for label, code in enumerate(classes)}
    codes = [row.pop(place) for row in rows]
    unknown = sorted(set(codes) - classes.keys())
    if unknown:
        raise DatasetError(f"{name}: expected classes {', '.join(classes)}, found {', '.join(unknown)}")
    try:
        X = np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise DatasetError(
            f"{name}: expected rows of {n_features} numbers and a class, found: {error}"
        ) from error
    return X, np.array([label_of[code] for code in codes], dtype=np.intp)


def _lines(files: Mapping[str, bytes], file: RemoteFile) -> list[str]:
    return files[file.name].decode("utf-8", "replace").splitlines()


def load_sonar(files: Mapping[str, bytes], draw: int) -> Content:
    """Energy of each echo in 60 bands of frequency."""
    X, labels = read_rows(SONAR.name, _lines(files, SONAR), 60, SONAR_CLASSES)
    return Content(X, labels, tuple(SONAR_CLASSES.values()))


def load_ionosphere(files: Mapping[str, bytes], draw: int) -> Content:
    """Real and imaginary parts of the autocorrelation of 17 radar pulses."""
    X, labels = read_rows(IONOSPHERE.name, _lines(files, IONOSPHERE), 34, IONOSPHERE_CLASSES)
    return Content(X, labels, tuple(IONOSPHERE_CLASSES.values()))


def load_balance(files: Mapping[str, bytes], draw: int) -> Content:
    """Load weight and distance, 1 to 5, left and right of balances."""
    X, labels = read_rows(BALANCE.name, _lines(files, BALANCE), 4, BALANCE_CLASSES, class_first=True)
    names = ("left weight", "left distance", "right weight", "right distance")
    return Content(X, labels, tuple(BALANCE_CLASSES.values()), feature_names=names)


def load_segmentation(files: Mapping[str, bytes], draw: int) -> Content:
    """Measurements of regions of 3 x 3 pixels, those of ``segmentation.data`` first.

    The constant column is dropped.
    """
    tables, labels, columns = [], [], []
    for file in (SEGMENTATION, SEGMENTATION_TEST):
        lines = _lines(files, file)
        columns = "".join(lines[SEGMENTATION_NAMES : SEGMENTATION_NAMES + 1]).strip().split(",")
        if columns.count(CONSTANT_COLUMN) != 1:
            raise DatasetError(
                f"{file.name}: expected the names of the columns in line {SEGMENTATION_NAMES + 1}, with "
                f"{CONSTANT_COLUMN}, found {columns}"
            )
        X, y = read_rows(
            file.name, lines[SEGMENTATION_HEAD:], len(columns), SEGMENTATION_CLASSES, class_first=True
        )
        constant = columns.index(CONSTANT_COLUMN)
        if np.ptp(X[:, constant]):
            raise DatasetError(f"{file.name}: expected one value in {CONSTANT_COLUMN}, found several")
        tables.append(np.delete(X, constant, axis=1))
        labels.append(y)
    names = tuple(name.lower().replace("-", " ") for name in columns if name != CONSTANT_COLUMN)
    return Content(
        np.concatenate(tables),
        np.concatenate(labels),
        tuple(SEGMENTATION_CLASSES.values()),
        feature_names=names,
    )


def load_magic(files: Mapping[str, bytes], draw: int) -> Content:
    """Ten measurements of the image of each shower."""
    X, labels = read_rows(MAGIC.name, _lines(files, MAGIC), 10, MAGIC_CLASSES)
    return Content(X, labels, tuple(MAGIC_CLASSES.values()))


DATASETS = (
    DatasetInfo(
        name="sonar",
        title="Sonar, mines and rocks",
        kind="real",
        n_samples=208,
        n_features=60,
        n_classes=2,
        licence=LICENCE,
        citation="T. Sejnowski, R. P. Gorman (1988). Connectionist Bench (Sonar, Mines vs. Rocks). "
        f"{PUBLISHER}. doi:10.24432/C5T01Q",
        loader=load_sonar,
        files=(SONAR,),
        notes="97 echoes of rocks, 111 of mines; no row is repeated.",
    ),
    DatasetInfo(
        name="ionosphere",
        title="Ionosphere",
        kind="real",
        n_samples=351,
        n_features=34,
        n_classes=2,
        licence=LICENCE,
        citation="V. Sigillito, S. Wing, L. Hutton, K. Baker (1989). Ionosphere. "
        f"{PUBLISHER}. doi:10.24432/C5W01B",
        loader=load_ionosphere,
        files=(IONOSPHERE,),
        notes="225 good and 126 bad returns. The second feature is 0 in all rows; it is kept, as papers count 34 "
        "features: what scales features must bear a constant one. The first has two values. One row is repeated.",
    ),
    DatasetInfo(
        name="balance",
        title="Balance scale",
        kind="real",
        n_samples=625,
        n_features=4,
        n_classes=3,
        licence=LICENCE,
        citation=f"R. Siegler (1976). Balance Scale. {PUBLISHER}. doi:10.24432/C5488X",
        loader=load_balance,
        files=(BALANCE,),
        notes="All 5^4 combinations of two weights and two distances, each once. The class is the sign of left weight "
        "x left distance - right weight x right distance, without noise: 288 left, 49 balanced, 288 right.",
    ),
    DatasetInfo(
        name="segmentation",
        title="Image segmentation",
        kind="real",
        n_samples=2_310,
        n_features=18,
        n_classes=7,
        licence=LICENCE,
        citation=f"Vision Group, University of Massachusetts (1990). Image Segmentation. {PUBLISHER}. "
        "doi:10.24432/C5GP4N",
        loader=load_segmentation,
        files=(SEGMENTATION, SEGMENTATION_TEST),
        notes="The 210 rows of segmentation.data, then the 2,100 of segmentation.test; 330 of each class. The column "
        "region-pixel-count, 9 in all rows, is dropped: 18 features are left. 224 rows repeat an earlier one, always "
        "with the same class, so that folds share points.",
    ),
    DatasetInfo(
        name="magic",
        title="MAGIC gamma telescope",
        kind="real",
        n_samples=19_020,
        n_features=10,
        n_classes=2,
        licence=LICENCE,
        citation=f"R. Bock (2004). MAGIC Gamma Telescope. {PUBLISHER}. doi:10.24432/C52C8B",
        loader=load_magic,
        files=(MAGIC,),
        notes="Simulated showers: 12,332 of gammas, then 6,688 of hadrons. 115 rows repeat an earlier one, always with "
        "the same class.",
    ),
)
