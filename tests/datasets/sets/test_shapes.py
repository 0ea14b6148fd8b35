"""Generated data of each shape: what is promised of them holds, and their bytes are pinned."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from cladebench import datasets
from cladebench.datasets.sets import small_images
from cladebench.metrics import rand_index

DRAWS = range(5)
PINNED = {
    "small-images": (
        "917c5aadbeb51ae30ab448a4deb6861f6ae7ac65c0912071246cc70931009dd8",
        "db976ba6d195e2c44720fdc02c4d28b207abb9b56bfdd9b781a73a026f9a1603",
    ),
    "split-distances": (
        "5b8f4d17cde04e5eb6da0edb37f4eb015b0cddab126cdf593a9e26d55caff563",
        "eef04e8fe5182239504ca9155b88f60d1d5ce436dab84320e35dea9b91a209db",
    ),
    "topic-counts": (
        "22058c73031d382641dbf48e191cfd04232ee1ce0b4b5152bfdf5518cc509c8e",
        "8924de88ba5a06a44e1800d92f95d630f27f074323bc95a6f7b770b25310651b",
    ),
    "uneven-distances": (
        "b72b43b4213f6528f57d8eb21f47740ee7726f653b283e31cb50b25ddb510f01",
        "6a1c36a3b3161002fa43ab317b04f2cba16c015ca27f60c92ae6e19c7a31ca8f",
    ),
    "unlabelled-blobs": (
        "6d385b52d3cddcaf3dba70cfe5361aa5c68cab70bcb352ddfe3741da7124138c",
        "887d7911be1feafe43085885ca906c65b8034a5294527655dd14ee25cded9c16",
    ),
}


def found_classes(distances, n_classes):
    """Average linkage on the mean of both directions."""
    tree = linkage(squareform((distances + distances.T) / 2, checks=False), "average")
    return fcluster(tree, n_classes, "maxclust")


@pytest.mark.parametrize("name", PINNED)
def test_generated_data_are_pinned(name):
    """A change of NumPy's random stream must not pass unseen: records would no longer be comparable."""
    assert tuple(datasets.load(name, draw).content_sha256 for draw in (0, 4)) == PINNED[name]


def test_uneven_distances_are_neither_symmetric_nor_a_metric_and_tell_the_classes():
    for draw in DRAWS:
        D = datasets.load("uneven-distances", draw).views["distances"].values
        off = ~np.eye(len(D), dtype=bool)
        assert not np.isclose(D, D.T)[off].any()
        assert (D[off] / D.T[off]).max() < 1.51
        detour = (D[:, :, None] + D[None]).min(axis=1)
        assert (detour < D - 1e-9).mean() > 0.3
    data = datasets.load("uneven-distances")
    assert rand_index(data.labels, found_classes(data.views["distances"].values, 3)) == 1.0


def test_the_view_of_small_images_is_computed_from_their_pixels():
    pixels = np.array([[[0, 255], [51, 255]], [[10, 10], [10, 10]]], dtype=np.uint8)
    expected = [[51 / 510, (255 + 204) / 510, 1.0, 561 / 1020], [0, 0, 0, 10 / 255]]
    np.testing.assert_allclose(small_images.mean_steps(pixels), expected, atol=5e-7)
    data = datasets.load("small-images")
    np.testing.assert_array_equal(data.views["steps"].values, small_images.mean_steps(data.images.pixels))


def test_split_distances_need_a_choice_of_views():
    for draw in DRAWS:
        data = datasets.load("split-distances", draw)
        assert [part.role for part in data.parts.values()] == ["train"] * 3 + ["test"] * 2
        for part in data.parts.values():
            stack = [view.values for view in part.content.views.values()]
            assert len(stack) == 4 and all((D == D.T).all() for D in stack)
            labels = part.content.labels
            assert rand_index(labels, found_classes(stack[0] + stack[1], 3)) > 0.98
            assert rand_index(labels, found_classes(sum(stack), 3)) < 0.75
            # Each is a squared difference in one dimension: its roots can be laid out on a line.
            roots = np.sqrt(stack[3])
            ends = roots[np.unravel_index(roots.argmax(), roots.shape)[0]]
            np.testing.assert_allclose(np.abs(ends[:, None] - ends[None]), roots, atol=1e-3)
