"""Local binary patterns, HOG and dense SIFT: by hand and by planted structure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.datasets.image_features import image_hog, image_lbp, image_sift
from image_makers import noise


def test_codes_by_hand():
    image = np.array([[9, 10, 30], [5, 10, 10], [0, 20, 11]], dtype=np.uint8)
    # Right 10, up 10 and down 20 are not darker, left 5 is. On the circle: 19.9 up right, 8.5 up left, 6.0 down left,
    # 12.6 down right.
    assert image_lbp.codes(image).tolist() == [[0b11000111]]
    # The corners are lighter than the centre, what lies between them and the dark sides is not: 6.9.
    image = np.array([[12, 0, 12], [0, 10, 0], [12, 0, 12]], dtype=np.uint8)
    assert image_lbp.codes(image).tolist() == [[0]]
    image[0, 0] = 30
    assert image_lbp.codes(image).tolist() == [[0b1000]]
    image[:, :] = [[0, 0, 0], [0, 10, 0], [0, 255, 0]]
    assert image_lbp.codes(image).tolist() == [[0b11100000]]


@given(st.integers(0, 2**32 - 1), st.integers(2, 256))
@settings(max_examples=30, deadline=None)
def test_codes_compare_with_a_point_on_the_circle(seed, n_greys):
    image = np.random.default_rng(seed).integers(0, n_greys, (6, 7)).astype(np.uint8)
    found = image_lbp.codes(image)
    assert found.shape == (4, 5)
    share = image_lbp.FRACTION / image_lbp.WHOLE
    assert abs(share - np.cos(np.pi / 4)) < 1e-3
    for row in range(1, 5):
        for column in range(1, 6):
            for bit, (down, right) in enumerate(image_lbp.STEPS):
                step = share if down and right else 1
                value = 0.0
                for r, weight_r in ((row, 1 - step * abs(down)), (row + down, step * abs(down))):
                    for c, weight_c in ((column, 1 - step * abs(right)), (column + right, step * abs(right))):
                        value += weight_r * weight_c * float(image[r, c])
                centre = float(image[row, column])
                if abs(value - centre) > 1e-6:
                    assert bool(found[row - 1, column - 1] >> bit & 1) == (value > centre)


def test_neighbours_run_round_the_circle():
    angles = [np.degrees(np.arctan2(-down, right)) % 360 for down, right in image_lbp.STEPS]
    np.testing.assert_allclose(angles, np.arange(8) * 45)


def test_uniform_patterns_have_bins_of_their_own():
    for code, bin_ in enumerate(image_lbp.BINS):
        bits = [code >> k & 1 for k in range(8)]
        changes = sum(bits[k] != bits[k - 1] for k in range(8))
        assert (bin_ == 2) == (changes > 2)
        if changes == 2:
            # A turn by 45 degrees moves the run by one place and keeps its length.
            turned = (code << 1 | code >> 7) & 255
            run, place = divmod(bin_ - 3, 8)
            assert run == sum(bits) - 1
            assert divmod(image_lbp.BINS[turned] - 3, 8) == (run, (place + 1) % 8)
    assert image_lbp.BINS[0] == 0 and image_lbp.BINS[255] == 1
    assert sorted(np.bincount(image_lbp.BINS).tolist()) == [1] * 58 + [198]


def test_the_spectrum_of_runs_by_hand(monkeypatch):
    """Runs of two ones at places 0 and 4 alone: frequencies 0, 2, 4 are whole, 1 and 3 vanish."""
    shares = np.zeros((1, 59))
    shares[0, [2, 3 + 8, 3 + 12]] = 0.2, 0.4, 0.4
    monkeypatch.setattr(image_lbp, "lbp", lambda images: shares)
    expected = np.zeros(38)
    expected[2] = 0.2
    expected[3 + 5 : 3 + 10] = 0.8, 0, 0.8, 0, 0.8
    np.testing.assert_allclose(image_lbp.rotation_invariant_lbp([None])[0], expected, atol=1e-15)


def test_hogs_are_blocks_every_eight_pixels():
    image = noise(shape=(64, 80), seed=7)
    found = image_hog.hogs(image)
    assert found.shape == (7 * 9, 36)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=0.02)
    changed = image.copy()
    changed[-6:, -6:] = 0  # only the last block sees it, by rows as by columns
    moved = np.abs(image_hog.hogs(changed) - found).max(axis=1) > 1e-6
    assert moved[-1] and not moved[:-1].any()


@pytest.mark.parametrize("angle", [0, 20, 80, 160, 30, 175])
def test_a_slope_has_one_orientation_whichever_way_it_falls(angle):
    right, down = np.meshgrid(np.arange(64.0), np.arange(64.0))
    slope = right * np.cos(np.radians(angle)) + down * np.sin(np.radians(angle))
    slope = np.round((slope - slope.min()) * 2.5).astype(np.uint8)
    for image in (slope, slope.max() - slope):
        cells = image_hog.cell_histograms(image)
        assert cells.shape == (8, 8, 9)
        inner = cells[1:-1, 1:-1].sum(axis=(0, 1))
        # Rounded grey values turn single gradients a little, by one bin at most, and not all of them together.
        near = np.abs((np.arange(9) * 20 - angle + 90) % 180 - 90) <= 40
        assert inner[near].sum() == pytest.approx(inner.sum(), rel=1e-5)
        mean = np.degrees(np.angle((inner * np.exp(1j * np.radians(40 * np.arange(9)))).sum())) / 2
        assert abs((mean - angle + 90) % 180 - 90) < 2
        # 36 cells of 64 gradients of 2.5 grey values.
        np.testing.assert_allclose(inner.sum(), 36 * 64 * 2.5, rtol=0.03)


def test_blocks_are_cut_and_normalised_by_hand(monkeypatch):
    cells = np.zeros((2, 2, 9), dtype=np.float32)
    cells[0, 0, 3], cells[0, 1, 4], cells[1, 0, 5], cells[1, 1, 6] = 300, 400, 0, 50
    monkeypatch.setattr(image_hog, "cell_histograms", lambda image: cells)
    cut = np.array([0.2, 0.2, 0.0, 50 / np.sqrt(300**2 + 400**2 + 50**2)])
    expected = np.zeros(36)
    expected[[3, 9 + 4, 18 + 5, 27 + 6]] = cut / np.linalg.norm(cut)
    np.testing.assert_allclose(image_hog.hogs(None), expected[None], rtol=1e-4)


def test_cells_count_each_gradient_for_two_orientations():
    """By angles of single pixels; grey values from 0 to 255 at once, so that all signs and sizes occur."""
    image = np.random.default_rng(6).integers(0, 256, (24, 32)).astype(np.uint8)
    grey = np.pad(image.astype(float), 1, mode="edge")
    expected = np.zeros((3, 4, 9))
    for row in range(24):
        for column in range(32):
            right = (grey[row + 1, column + 2] - grey[row + 1, column]) / 2
            down = (grey[row + 2, column + 1] - grey[row, column + 1]) / 2
            turn = np.degrees(np.arctan2(down, right)) / 20
            first = int(np.floor(turn))
            cell = expected[row // 8, column // 8]
            cell[first % 9] += np.hypot(right, down) * (first + 1 - turn)
            cell[(first + 1) % 9] += np.hypot(right, down) * (turn - first)
    np.testing.assert_allclose(image_hog.cell_histograms(image), expected, rtol=1e-4, atol=1e-3)


def test_what_is_left_over_is_in_no_cell():
    image = noise(shape=(71, 79), seed=8)
    np.testing.assert_array_equal(
        image_hog.cell_histograms(image)[:7, :8], image_hog.cell_histograms(image[:65, :73])[:7, :8]
    )
    assert image_hog.cell_histograms(image).shape == (8, 9, 9)


def test_dense_sift_is_local_and_upright():
    pytest.importorskip("cv2")
    image = noise(shape=(64, 80), seed=9)
    found = image_sift.dense_descriptors(image)
    assert found.shape == (7 * 9, 128) and found.dtype == np.uint8
    np.testing.assert_allclose(np.linalg.norm(found.astype(float), axis=1), 512, rtol=0.05)
    changed = image.copy()
    changed[-4:, -4:] = 255 - changed[-4:, -4:]
    moved = (image_sift.dense_descriptors(changed) != found).any(axis=1).reshape(7, 9)
    assert moved[-1, -1] and not moved[:4].any() and not moved[:, :6].any()
    assert (image_sift.dense_descriptors(image.T) != image_sift.dense_descriptors(image.T[:, ::-1])).any()


def test_descriptors_of_the_grid_stand_in_the_middle_of_patches():
    """A step of grey between the left and the right half of the central patch: all gradients lie in the middle bins."""
    pytest.importorskip("cv2")
    image = np.full((64, 64), 40, np.uint8)
    image[:, 32:] = 200
    bins = image_sift.dense_descriptors(image).reshape(7, 7, 4, 4, 8)[:, 3].astype(float).sum(axis=(0, 1, 3))
    assert bins[1:3].sum() > 0.9 * bins.sum() and abs(bins[1] - bins[2]) < 0.3 * bins.sum()
