"""Points of interest and their descriptors: blobs of known place, scale, shape and direction."""

from __future__ import annotations

import numpy as np
import pytest

from cladebench.datasets.image_features import image_hessian, image_sparse_sift
from image_makers import blob, noise, stripes

pytest.importorskip("cv2")


@pytest.mark.parametrize("width", [2.2, 3.1, 4.4])
def test_a_round_blob_is_a_point_at_its_scale(width):
    points = image_hessian.strongest_points(image_hessian.scale_space(blob(widths=(width, width))))
    assert points.centres[0].tolist() == [47, 40]
    # The determinant is largest where the level has the width of the blob.
    scale = image_hessian.scales()[points.levels[0]]
    assert abs(np.log(scale / width)) <= np.log(image_hessian.RATIO) / 2 + 0.05
    np.testing.assert_allclose(points.frames[0], scale * np.eye(2))


def test_points_come_by_strength_and_not_too_many():
    image = np.maximum(
        blob(at=(20, 30), widths=(3, 3), height=60), blob(at=(70, 60), widths=(3, 3), height=150)
    )
    levels = image_hessian.scale_space(image)
    assert image_hessian.strongest_points(levels).centres[:2].tolist() == [[70, 60], [20, 30]]
    assert image_hessian.strongest_points(levels, 1).centres.tolist() == [[70, 60]]
    faint = image_hessian.scale_space(blob(widths=(3, 3), height=5))  # 2% of the range
    assert not len(image_hessian.strongest_points(faint).levels)


@pytest.mark.parametrize("angle", [0, 30, 90, 135])
def test_frames_take_the_shape_of_the_blob(angle):
    levels = image_hessian.scale_space(blob(widths=(6.0, 3.0), angle=angle))
    points = image_hessian.adapted(levels, image_hessian.strongest_points(levels))
    vectors, axes, _ = np.linalg.svd(points.frames[0])
    assert 1.35 < axes[0] / axes[1] < 2.2
    direction = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0])) % 180
    assert min(abs(direction - angle), 180 - abs(direction - angle)) < 5
    np.testing.assert_allclose(axes.prod(), image_hessian.scales()[points.levels[0]] ** 2, rtol=1e-6)


def test_edges_are_no_points():
    levels = image_hessian.scale_space(stripes(96, 0, 16))
    flat = image_hessian.Points(np.array([[44.0, 48.0]]), np.array([2]), 2.0 * np.eye(2)[None])
    assert not len(image_hessian.adapted(levels, flat).levels)


def test_gradients_point_to_the_right_after_turning():
    right, down = np.meshgrid(np.arange(96.0), np.arange(96.0))
    for angle in (0, 50, 160, 250, 355):
        slope = right * np.cos(np.radians(angle)) + down * np.sin(np.radians(angle))
        levels = image_hessian.scale_space(np.round(120 + slope * 0.6).clip(0, 255).astype(np.uint8))
        points = image_hessian.Points(np.array([[48.0, 48.0]]), np.array([2]), 2.0 * np.eye(2)[None])
        frame = image_hessian.upright(levels, points).frames[0]
        found = np.degrees(np.arctan2(frame[1, 0], frame[0, 0])) % 360
        assert min(abs(found - angle), 360 - abs(found - angle)) < 6
        assert np.linalg.det(frame) > 0


def test_patches_are_centred_on_the_point():
    levels = image_hessian.scale_space(noise(96, 11))
    frames = np.array([[[2.0, 0], [0, 2.0]], [[0, -2.0], [2.0, 0]]])
    points = image_hessian.Points(np.array([[40.0, 50.0]] * 2), np.array([1, 1]), frames)
    straight, turned = image_hessian.patches(levels, points)
    np.testing.assert_allclose(straight, levels[1][32:69:2, 22:59:2], atol=1e-6)
    np.testing.assert_allclose(turned, np.rot90(straight), atol=1e-5)


def test_descriptors_of_points_turn_with_the_image():
    image = noise(97, 12, smooth=2.0)
    level, turned = (
        image_sparse_sift.sparse_descriptors(np.ascontiguousarray(i)) for i in (image, np.rot90(image))
    )
    assert 10 < len(level) <= 200 and abs(len(level) - len(turned)) <= 2
    apart = np.linalg.norm(level[:, None].astype(float) - turned[None].astype(float), axis=2).min(axis=1)
    assert np.median(apart) < 60 and (apart < 150).mean() > 0.8  # of 512
    other = image_sparse_sift.sparse_descriptors(noise(97, 13, smooth=2.0))
    strangers = np.linalg.norm(level[:, None].astype(float) - other[None].astype(float), axis=2).min(axis=1)
    assert np.median(strangers) > 3 * np.median(apart)


def test_neighbours_on_the_sheet_do_not_matter():
    """Each descriptor is that of its patch alone, and with smoothing as OpenCV does it by itself up to 0.5."""
    cv2 = pytest.importorskip("cv2")
    image, side, scale = noise(97, 12, smooth=2.0), image_sparse_sift.SIDE, image_sparse_sift.PER_SCALE
    levels = image_hessian.scale_space(image)
    points = image_hessian.upright(
        levels, image_hessian.adapted(levels, image_hessian.strongest_points(levels))
    )
    centre = [cv2.KeyPoint((side - 1) / 2, (side - 1) / 2, 2 * scale, 0.0)]
    alone = [
        cv2.SIFT_create(sigma=0.5).compute(np.rint(patch * 255).astype(np.uint8), centre)[1][0]
        for patch in image_hessian.patches(levels, points, side, scale)
    ]
    assert len(alone) > image_sparse_sift.IN_A_ROW and len(alone) % image_sparse_sift.IN_A_ROW
    np.testing.assert_array_equal(image_sparse_sift.sparse_descriptors(image), alone)
