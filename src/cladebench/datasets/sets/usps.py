"""Load the USPS handwritten digits, 1,100 images of each.

S. Roweis cut and sorted them.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping

import numpy as np

from cladebench.datasets.base import Content, DatasetError, DatasetInfo, Images, RemoteFile

USPS = RemoteFile(
    name="usps-roweis/usps_all.mat",
    sha256="da2c8d6e8bd743da00c67020f444e0f28250dfbd16c55d8135c50ffa7719a5f9",
    size=1_484_005,
    urls=(
        "https://cs.nyu.edu/~roweis/data/usps_all.mat",
        "https://raw.githubusercontent.com/probml/pmtkdata/5f5f6026aa1152dd10d11a1c115d3ba62335383b/uspsAll/uspsAll.mat",
    ),
)

SIDE, PER_DIGIT = 16, 1_100
#: The digit of each slice of the array.
DIGITS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0)


def load_usps(files: Mapping[str, bytes], draw: int) -> Content:
    """Load grey values by columns; digits go 1, 2, ..., 9, 0."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    shape = (SIDE * SIDE, PER_DIGIT, len(DIGITS))
    try:
        data = loadmat(io.BytesIO(files[USPS.name]), variable_names=["data"])["data"]
    except (MatReadError, KeyError, ValueError, TypeError, NotImplementedError, OSError, zlib.error) as error:
        raise DatasetError(
            f"{USPS.name}: expected a MATLAB 5 file with the array data, found: {error}"
        ) from error
    if data.shape != shape or data.dtype != np.uint8:
        raise DatasetError(
            f"{USPS.name}: expected data of shape {shape}, uint8, found {data.shape}, {data.dtype}"
        )
    pixels = data.transpose(2, 1, 0).reshape(-1, SIDE * SIDE)
    return Content(
        pixels.astype(np.float64),
        np.repeat(DIGITS, PER_DIGIT),
        tuple("0123456789"),
        images=Images(pixels.reshape(-1, SIDE, SIDE).transpose(0, 2, 1)),
    )


DATASETS = (
    DatasetInfo(
        name="usps",
        title="USPS handwritten digits",
        kind="real",
        n_samples=PER_DIGIT * len(DIGITS),
        n_features=SIDE * SIDE,
        n_classes=len(DIGITS),
        licence="None stated; S. Roweis distributes them for research, from the USPS CD-ROM of CEDAR, Buffalo",
        citation="J. J. Hull (1994). A database for handwritten text recognition research. IEEE Transactions on "
        "Pattern Analysis and Machine Intelligence 16, 550-554. As prepared by S. Roweis, usps_all.mat",
        loader=load_usps,
        files=(USPS,),
        images=True,
        notes="11,000 images of 16 x 16 grey values from 0 to 255, 1,100 of each digit; no image is repeated,"
        " no pixel constant. We know one public copy of the file, and no published checksum. Its bytes "
        "are those of this copy; we did not compare them with the official address.",
    ),
)
