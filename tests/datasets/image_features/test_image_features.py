"""The eight features of images: shapes, determinism, planted structure, turns by 90 degrees; words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import uniform_filter1d

from cladebench.datasets.image_features import image_features, image_lbp, image_words
from image_makers import noise, stripes

HISTOGRAMS = set(image_features.FEATURES) - {"gist", "rot-lbp"}
NEED_OPENCV = {"gist", "dense-sift", "sparse-sift"}


@pytest.fixture
def compute(request):
    """Compute a feature; the test is skipped where it needs OpenCV and there is none."""

    def run(name, images, n_words=250):
        if name in NEED_OPENCV:
            pytest.importorskip("cv2")
        return {**image_features.FEATURES, **image_features.larger_vocabularies(n_words)}[name](images)

    return run


@pytest.mark.parametrize("name", image_features.FEATURES)
def test_a_row_for_each_image_and_histograms_sum_to_one(compute, name):
    images = [noise(81), noise(81, 1, shape=(97, 80)), stripes(64), noise(64, 2)]
    rows = compute(name, images)
    assert rows.shape[0] == 4 and rows.dtype == np.float64 and np.isfinite(rows).all() and (rows >= 0).all()
    totals = rows.sum(axis=1)
    if name in HISTOGRAMS:
        filled = [0, 1, 3] if name == "sparse-sift" else slice(None)  # a grating has no blobs
        np.testing.assert_allclose(totals[filled], 1, rtol=1e-12)
        assert 2 < rows.shape[1] <= 250
    else:
        assert (np.abs(totals - 1) > 1e-3).all()


@pytest.mark.parametrize("name", image_features.FEATURES)
def test_the_same_images_give_the_same_bits(compute, name):
    images = [noise(72, seed) for seed in range(4)]
    assert compute(name, images).tobytes() == compute(name, [image.copy() for image in images]).tobytes()


@pytest.mark.parametrize("name", image_features.FEATURES)
def test_constant_images(compute, name):
    rows = compute(name, [np.full((64, 70), 90, np.uint8), np.full((70, 64), 91, np.uint8)])
    expected = {
        "gist": np.zeros((2, 512)),
        "sparse-sift": np.zeros((2, 1)),
        "lbp": np.eye(59)[[1, 1]],
        "rot-lbp": np.eye(38)[[1, 1]],
    }.get(name, np.ones((2, 1)))
    np.testing.assert_allclose(rows, expected, atol=1e-5)


def distances_between(rows):
    """Sums of absolute differences of all pairs of rows; infinite on the diagonal."""
    apart = np.abs(rows[:, None] - rows[None]).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    return apart


@pytest.mark.parametrize(
    "name", sorted(set(image_features.FEATURES) - {"rot-lbp", "mr8-textons", "sparse-sift"})
)
def test_upright_features_tell_a_direction_from_another(compute, name):
    """Noise that is smoothed along rows, or along columns."""
    images = [uniform_filter1d(noise(97, seed), 9, axis=axis) for axis in (0, 1) for seed in range(3)]
    apart = distances_between(compute(name, images, n_words=40))
    assert apart[:3, 3:].min() > max(
        np.where(np.isinf(part), 0, part).max() for part in (apart[:3, :3], apart[3:, 3:])
    )


@pytest.mark.parametrize("name", image_features.FEATURES)
def test_textures_are_told_apart(compute, name):
    """Noise and a lattice of blobs: each image is nearest to one of its own kind."""
    noises = [noise(97, seed) for seed in range(4)]
    lattice = stripes(97, 0, 14).astype(float) + stripes(97, 90, 14)
    lattices = [np.round(lattice / 2 + grey / 20.0).clip(0, 255).astype(np.uint8) for grey in noises]
    rows = compute(name, noises + lattices, n_words=8)
    assert (rows.shape[1] == 8) == (name in image_features.WORDS)
    apart = distances_between(rows)
    assert (apart.argmin(axis=1) // 4).tolist() == [0] * 4 + [1] * 4


@pytest.mark.parametrize(
    ("name", "invariant"), [("rot-lbp", True), ("mr8-textons", True), ("lbp", False), ("textons", False)]
)
def test_turns_by_90_degrees(name, invariant):
    """Textures with a direction: noise that is smoothed along rows. Odd sides, so that every second pixel stays one."""
    images = [uniform_filter1d(noise(97, seed), 7, axis=1) for seed in range(3)]
    rows = image_features.FEATURES[name]([turned for image in images for turned in (image, np.rot90(image))])
    moved = np.abs(rows[0::2] - rows[1::2]).sum(axis=1)
    if invariant:
        assert (moved < 0.02).all()  # a response at the border between two words may change its word
    else:
        assert (moved > 0.3).all()


def test_views_are_functions_of_the_images():
    images = [noise(64), noise(64, 1)]
    views = image_features.feature_views(images)
    assert {name: view.kind for name, view in views.items()} == image_features.FEATURE_VIEWS
    assert list(views) == list(image_features.FEATURES) and len(views) == 8
    np.testing.assert_array_equal(views["rot-lbp"].values(), image_lbp.rotation_invariant_lbp(images))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_each_descriptor_has_its_nearest_word(seed):
    rng = np.random.default_rng(seed)
    descriptors = rng.integers(0, 4, (20, 3)).astype(np.uint8)  # many ties
    words = rng.integers(0, 4, (6, 3)).astype(np.float32)
    apart = ((descriptors[:, None].astype(float) - words[None]) ** 2).sum(axis=2)
    assert image_words.nearest_words(descriptors, words).tolist() == apart.argmin(axis=1).tolist()


def test_many_descriptors_have_their_nearest_words_too():
    """More than one part, and sizes that no part divides."""
    rng = np.random.default_rng(3)
    words = rng.integers(0, 9, (30, 4)).astype(np.float32)
    for n in (2 * image_words.PART_ROWS - 1, 2 * image_words.PART_ROWS + 1):
        descriptors = rng.integers(0, 9, (n, 4)).astype(np.float32)
        apart = ((descriptors[:, None] - words[None]) ** 2).sum(axis=2)
        assert image_words.nearest_words(descriptors, words).tolist() == apart.argmin(axis=1).tolist()


@pytest.mark.parametrize(("n", "n_values"), [(2600, 9), (40, 128), (7, 2), (1, 3)])
def test_words_are_those_of_scikit_learn(n, n_values):
    """Bit by bit, with descriptors in one part and in several."""
    from sklearn.cluster import KMeans

    descriptors = np.random.default_rng(n).normal(size=(n, n_values)).astype(np.float32)
    fit = KMeans(
        min(30, n), n_init=1, max_iter=image_words.MAX_ITERATIONS, random_state=image_words.SEED
    ).fit(descriptors)
    assert image_words.learn_words(descriptors, 30).tobytes() == fit.cluster_centers_.tobytes()


def test_histograms_of_words():
    found = image_words.histogram(np.array([2, 0, 2, 2]), 4)
    assert found.tolist() == [0.25, 0, 0.75, 0]
    assert image_words.histogram(np.array([], dtype=np.intp), 3).tolist() == [0, 0, 0]


def test_words_are_centres_of_clusters():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [100, 0], [0, 100]], dtype=np.float32)
    points = np.repeat(centres, 50, axis=0) + rng.normal(size=(150, 2)).astype(np.float32)
    words = image_words.learn_words(points, 3)
    order = image_words.nearest_words(centres, words)
    assert sorted(order.tolist()) == [0, 1, 2]
    expected = points.reshape(3, 50, 2).mean(axis=1)
    np.testing.assert_allclose(words[order], expected, rtol=1e-4, atol=1e-4)


def test_no_more_words_than_different_descriptors():
    words = image_words.learn_words(np.repeat(np.eye(4, dtype=np.float32), 30, axis=0))
    assert sorted(words.round(6).tolist()) == sorted(np.eye(4).tolist())
    assert image_words.learn_words(np.zeros((0, 5), dtype=np.float32)).tolist() == [[0] * 5]
    assert image_words.learn_words(np.array([[0.0], [-0.0]], dtype=np.float32)).tolist() == [[0]]


def test_shares_of_planted_descriptors():
    """Each image says how many of its descriptors are of each of three kinds; one has none."""
    images = [[3, 1, 0], [0, 0, 5], [0, 0, 0], [2, 2, 4]]

    def describe(counts):
        return np.repeat(np.eye(3, dtype=np.uint8) * 9, counts, axis=0)

    rows = image_words.word_histograms(images, describe, n_words=3)
    totals = np.array([4, 5, 1, 8])
    assert sorted((rows.T * totals).round(9).tolist()) == sorted(np.transpose(images).tolist())
    # By a sample, which draws no more than it is asked for; words come from the sample and not from the description.
    asked = []

    def sample(counts, size, rng):
        asked.append(size)
        return describe(counts).astype(np.float32)

    rows = image_words.word_histograms(images, describe, sample, n_words=3)
    assert sorted((rows.T * totals).round(9).tolist()) == sorted(np.transpose(images).tolist())
    assert asked == [-(-3 * image_words.PER_WORD // 4)] * 4
    with pytest.raises(ValueError, match="mismatch"):  # words of another space
        image_words.word_histograms(images, describe, lambda *_: np.eye(2, dtype=np.float32), n_words=3)


def test_the_vocabulary_is_learned_from_descriptors_of_all_parts_of_an_image():
    """Many times more descriptors than are drawn, of which the first are all alike: both kinds become words."""
    assert 2 * image_words.PER_WORD < 400
    rows = image_words.word_histograms(
        [0], lambda image: np.repeat(np.eye(2), [400, 1200], axis=0), n_words=2
    )
    assert sorted(rows[0].tolist()) == [0.25, 0.75]


def test_a_pyramid_has_the_words_of_the_whole_and_of_each_quarter():
    """Descriptors of two kinds on a grid of 2 x 4 points; a plain count of each quarter is the twin."""
    kinds = np.array([[0, 0, 0, 1], [1, 0, 1, 1]])
    corners = image_words.quarters_of_grid((20, 41), 5, 10, 2, 4).reshape(2, 4)
    # The third column stands at 25 of 41 pixels, the second row at 15 of 20: right, below.
    assert corners.tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]
    (row,) = image_words.word_histograms(
        [kinds], lambda image: np.eye(2)[image.ravel()], quarters=lambda image: corners.ravel(), n_words=2
    )
    whole, parts = row[:2], row[2:].reshape(4, 2)
    order = [0, 1] if whole[0] == 4 / 16 and parts[0, 0] == 2 / 16 else [1, 0]
    assert whole.tolist() == [4 / 16, 4 / 16]
    assert parts[:, order].tolist() == [[2 / 16, 0], [1 / 16, 1 / 16], [1 / 16, 1 / 16], [0, 2 / 16]]
    assert row.sum() == 1.0
    (empty,) = image_words.word_histograms(
        [kinds], lambda image: np.zeros((0, 2)), quarters=lambda image: np.zeros(0, dtype=np.intp)
    )
    assert not empty.any()


@pytest.mark.parametrize("name", ["dense-hog", "dense-sift"])
def test_pyramids_of_dense_words_begin_with_half_of_the_whole_and_see_where_it_is(name):
    pytest.importorskip("cv2")
    left, right = (np.full((96, 128), 90, np.uint8) for _ in range(2))
    left[:, :48], right[:, -48:] = stripes(shape=(96, 48)), stripes(shape=(96, 48))
    images = [left, right, noise(shape=(96, 128))]
    whole = image_features.FEATURES[name](images)
    rows = image_features.PYRAMIDS[name](images)
    n = whole.shape[1]
    assert rows.shape == (3, 5 * n)
    np.testing.assert_array_equal(2 * rows[:, :n], whole)
    quarters = rows[:, n:].reshape(3, 4, n)
    np.testing.assert_allclose(quarters.sum(axis=1), rows[:, :n], atol=1e-12)
    # Alike as wholes; what is in the left quarters of one is in the right ones of the other.
    assert np.abs(whole[0] - whole[1]).sum() < np.abs(quarters[0] - quarters[1]).sum()
    halves = {side: quarters[:, [k, k + 2]].sum(axis=1) for k, side in enumerate(("left", "right"))}
    across = np.abs(halves["left"][0] - halves["right"][1]).sum()
    assert across < np.abs(halves["left"][0] - halves["left"][1]).sum()
