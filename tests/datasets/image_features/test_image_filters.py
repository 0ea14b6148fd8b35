"""Filters of textons and of gist: against their definition, by gratings, by turns of 90 degrees."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from cladebench.datasets.image_features import image_filters, image_gist, image_textons, image_transforms
from image_makers import noise, stripes


def test_filters_have_mean_zero_and_unit_length():
    for bank, n_averages in ((image_filters.leung_malik(), 4), (image_filters.maximum_response(), 1)):
        np.testing.assert_allclose(np.abs(bank).sum(axis=(1, 2)), 1, rtol=1e-5)
        means = bank.sum(axis=(1, 2))
        averages = np.abs(means) > 0.5
        assert averages.sum() == n_averages and np.abs(means[~averages]).max() < 1e-5
        assert bank.shape[1:] == (49, 49) and bank.dtype == np.float32
    assert len(image_filters.leung_malik()) == 48 and len(image_filters.maximum_response()) == 38


@pytest.mark.parametrize("order", [1, 2])
def test_oriented_filters_turn(order):
    level = image_filters.oriented(2.0, order, 0)
    sign = 1 if order == 2 else -1
    np.testing.assert_allclose(level, level[:, ::-1], atol=1e-12)  # along rows
    np.testing.assert_allclose(level, sign * level[::-1], atol=1e-12)
    # Turned with the clock, as rows are counted downwards.
    np.testing.assert_allclose(np.rot90(level, -1), image_filters.oriented(2.0, order, 3), atol=1e-12)
    spread = [
        np.sqrt((level**2).sum(axis=axis) @ np.arange(-24, 25) ** 2 / (level**2).sum()) for axis in (0, 1)
    ]
    assert spread[0] > 1.5 * spread[1]


@pytest.mark.parametrize("turn", range(6))
def test_a_grating_answers_to_the_filter_across_it(turn):
    image = stripes(81, angle=90 - 30 * turn, period=12)
    found = image_filters.responses(image_filters.standardised(image), image_filters.maximum_response)
    for first in (6, 24):  # edges and bars of width 2
        assert np.abs(found[:, first : first + 6]).max(axis=0).argmax() == turn


@pytest.mark.parametrize("bank_of", [image_filters.leung_malik, image_filters.maximum_response])
@pytest.mark.parametrize("shape", [(49, 49), (64, 50), (65, 97), (96, 64)])
def test_fast_responses_are_those_of_the_definition(bank_of, shape):
    grey = image_filters.standardised(noise(shape=shape))
    rows, columns = image_filters.grid(shape)
    assert (rows, columns) == (len(range(0, shape[0] - 48, 2)), len(range(0, shape[1] - 48, 2)))
    places = np.arange(rows * columns)
    slow = image_filters.responses_at(grey, bank_of(), places)
    np.testing.assert_allclose(image_filters.responses(grey, bank_of), slow, atol=2e-5)
    last = (bank_of() * grey[2 * rows - 2 : 2 * rows + 47, 2 * columns - 2 : 2 * columns + 47]).sum(
        axis=(1, 2)
    )
    np.testing.assert_allclose(slow[-1], last, atol=2e-5)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("shape", [(64, 96), (160, 160)])
def test_places_are_those_of_whole_transforms_bit_by_bit(shape, real):
    rng = np.random.default_rng(2)
    parts = rng.normal(size=(2, 5, *shape)).astype(np.float32)
    gains = parts[0] if real else parts[0] + np.complex64(1j) * parts[1]
    spectrum = scipy.fft.fft2(image_filters.standardised(noise(shape=shape)))
    height, width = (length // 2 for length in shape)
    folded = (spectrum * gains).reshape(5, 2, height, 2, width).sum(axis=(1, 3))
    expected = scipy.fft.ifft2(folded)[:, 3 : height - 5, 7 : width - 2]
    if real:
        gains = np.repeat(gains[..., None], 2, axis=3)
    found = image_transforms.filtered_places(spectrum, gains, slice(3, height - 5), slice(7, width - 2))
    np.testing.assert_array_equal(found, expected)


def test_maxima_lie_in_memory_as_responses_do():
    responses = np.random.default_rng(4).normal(size=(6, 38)).astype(np.float32)
    by_rows, by_columns = (image_filters.maxima(np.array(responses, order=order)) for order in "CF")
    assert by_rows.flags.c_contiguous and by_columns.flags.f_contiguous
    np.testing.assert_array_equal(by_rows, by_columns)


def test_maxima_by_hand():
    found = np.zeros((1, 38), dtype=np.float32)
    found[0, [0, 3, 8, 17]] = 1, -4, 2, 3  # edges of widths 1, 1, 2, 4
    found[0, [18, 20]] = -5, 2  # bars of width 1
    found[0, 24:30] = -6, -7, -8, -9, -10, -11  # bars of width 2
    found[0, 36:] = -12, 13
    assert image_filters.maxima(found).tolist() == [[4, 2, 3, 2, -6, 0, -12, 13]]


def test_maximum_responses_do_not_turn_and_others_do():
    grey = image_filters.standardised(stripes(81, 20, 9))
    side = image_filters.grid(grey.shape)[0]
    found, turned = (
        image_filters.responses(np.ascontiguousarray(image), image_filters.maximum_response)
        for image in (grey, np.rot90(grey))
    )
    back = np.rot90(turned.reshape(side, side, -1), -1).reshape(side**2, -1)
    np.testing.assert_allclose(image_filters.maxima(found), image_filters.maxima(back), atol=1e-4)
    assert np.abs(found - back).max() > 0.1


def test_light_does_not_matter_to_textons():
    image = noise(81, 3) // 3
    np.testing.assert_allclose(
        image_filters.standardised(image), image_filters.standardised(2 * image + 7), atol=1e-5
    )
    assert not image_filters.standardised(np.full((50, 50), 3, np.uint8)).any()


def test_responses_are_compressed_by_length():
    found = image_textons.compressed(np.array([[3, 4], [0, 0], [0.003, 0]], dtype=np.float32) / 10)
    length = np.log(1 + 0.5 / 0.03)
    expected = [[0.6 * length, 0.8 * length], [0, 0], [np.log(1.01), 0]]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert found.dtype == np.float32


@pytest.mark.parametrize("order", ["C", "F"])
def test_parts_of_responses_are_compressed_as_the_whole(order):
    found = np.random.default_rng(5).normal(size=(2 * image_textons.PART_ROWS + 3, 8)).astype(np.float32)
    found = np.array(found, order=order)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    expected = found * (np.log1p(lengths / np.float32(image_textons.WEBER)) / lengths)
    np.testing.assert_array_equal(image_textons.compressed(found), expected)


def test_filters_of_gist_answer_to_gratings():
    pytest.importorskip("cv2")
    for scale, frequency in enumerate(0.3 / 1.85 ** np.arange(4)):
        for orientation in (0, 3, 4, 6):
            image = stripes(128, angle=22.5 * orientation, period=1 / frequency)
            energies = image_gist.gist([image]).reshape(4, 8, 16).sum(axis=2)
            assert np.unravel_index(energies.argmax(), (4, 8)) == (scale, orientation)


def test_gist_knows_where():
    pytest.importorskip("cv2")
    image = np.full((128, 128), 120, np.uint8)
    image[:32, 64:96] = stripes(128, 0, 6)[:32, 64:96]
    energies = image_gist.gist([image]).reshape(4, 8, 4, 4)[1].sum(axis=0)
    assert np.unravel_index(energies.argmax(), (4, 4)) == (0, 2)
    assert energies[0, 2] > 20 * energies[3, 0]


def test_gist_turns_with_the_image():
    pytest.importorskip("cv2")
    image = noise(128, 5)
    level, turned = image_gist.gist([image, np.rot90(image)]).reshape(2, 4, 8, 4, 4)
    expected = np.rot90(np.roll(level, 4, axis=1), axes=(2, 3))
    np.testing.assert_allclose(turned, expected, rtol=0.05, atol=0.02 * level.max())


def test_gist_takes_the_central_square():
    pytest.importorskip("cv2")
    wide = noise(shape=(128, 200), seed=6)
    np.testing.assert_array_equal(image_gist.gist([wide]), image_gist.gist([wide[:, 36:164]]))
    np.testing.assert_array_equal(image_gist.gist([wide.T]), image_gist.gist([wide[:, 36:164].T]))
    small = np.repeat(np.repeat(wide[:, 36:164], 2, axis=0), 2, axis=1)
    np.testing.assert_allclose(image_gist.gist([small]), image_gist.gist([wide]), rtol=1e-3, atol=1e-5)


def test_prefiltering_evens_out_contrast():
    pytest.importorskip("cv2")
    image = stripes(128, 30, 6)
    weak = (image.astype(int) // 2 + 60).astype(np.uint8)
    strong, less = image_gist.gist([image, weak]).max(axis=1)
    spread = [np.std(np.log1p(grey.astype(float))) for grey in (image, weak)]
    assert 1 < strong / less < 0.7 * spread[0] / spread[1]
