from __future__ import annotations

import io

import numpy as np
import pytest
from scipy.io import savemat

from cladebench import datasets
from cladebench.datasets import DatasetError
from cladebench.datasets.sets import usps

REAL = "usps"


def file(**arrays):
    stream = io.BytesIO()
    savemat(stream, arrays, do_compression=True)
    return {usps.USPS.name: stream.getvalue()}


def test_digits_come_in_the_order_of_the_slices_and_images_stand_upright():
    data = np.zeros((256, 1100, 10), dtype=np.uint8)
    data[3 + 16 * 5, 7, 0] = 200  # row 3, column 5 of image 7 of digit 1
    data[:, :, 9] = 9
    content = usps.load_usps(file(data=data), 0)
    assert content.X.dtype == np.float64 and np.flatnonzero(content.X[7]).tolist() == [83]
    assert (
        np.argwhere(content.images.pixels[7]).tolist() == [[3, 5]] and content.images.pixels.dtype == np.uint8
    )
    assert content.labels[[0, 1099, 1100, 9900]].tolist() == [1, 1, 2, 0]
    assert (content.X[content.labels == 0] == 9).all()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({usps.USPS.name: b"no such file"}, "expected a MATLAB 5 file with the array data"),
        (
            {usps.USPS.name: file(data=np.zeros((256, 9), np.uint8))[usps.USPS.name][:-20]},
            "expected a MATLAB 5 file",
        ),
        (file(digits=np.eye(2)), "expected a MATLAB 5 file with the array data, found: 'data'"),
        (
            file(data=np.zeros((256, 10, 9), np.uint8)),
            r"shape \(256, 1100, 10\), uint8, found \(256, 10, 9\), uint8",
        ),
        (file(data=np.zeros((256, 1100, 10), np.int16)), r"found \(256, 1100, 10\), int16"),
    ],
    ids=["text", "cut", "name", "shape", "type"],
)
def test_malformed_files_are_named(files, message):
    with pytest.raises(DatasetError, match=rf"^usps-roweis/usps_all\.mat: .*{message}"):
        usps.load_usps(files, 0)


def test_the_real_images_are_those_of_their_digits(real):
    assert np.bincount(real.labels).tolist() == [1100] * 10 and len(np.unique(real.X, axis=0)) == 11_000
    assert np.ptp(real.X, axis=0).min() > 0 and (real.X.min(), real.X.max()) == (0, 255)
    mean = np.stack([real.images.pixels[real.labels == digit].mean(axis=0) for digit in range(10)])
    inner = mean[:, 4:12, 6:10].mean(axis=(1, 2))
    assert inner.argmin() == 0  # the middle of a zero is empty
    halves = mean[:, :8].mean(axis=(1, 2)) - mean[:, 8:].mean(axis=(1, 2))
    assert halves[9] > 0 > halves[6]  # a nine is heavy above, a six below: the images stand upright
    top, bottom = mean[7, :3].mean(), mean[7, -3:].mean()
    assert top > bottom  # the bar of a seven


def test_no_copy_is_at_hand_without_a_mirror():
    assert datasets.availability("usps") is None and datasets.info("usps").fetchable
