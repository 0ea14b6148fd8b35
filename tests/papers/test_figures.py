"""Parts of figures that every paper shares."""

from dataclasses import fields, replace

import numpy as np
import pytest
from golden_records import cell_id, cells, context_of
from matplotlib.figure import Figure

from cladebench import datasets
from cladebench.datasets import Images
from cladebench.papers.artifact_types import ArtifactContext
from cladebench.papers.figures import thumbnails


def first_of_each_cluster(context):
    """A figure of a paper: the first images of each cluster, a row for each; the repetition says which draw."""
    cell = context.results.measured("small-images", "A", "purity").iloc[-1]
    clusters = context.load_arrays(cell.cell_id)["clusters"]
    images = context.load_data("small-images", draw=int(cell.repetition)).images
    figure = Figure()
    panels = figure.subplots(int(clusters.max()) + 1, 1)
    for cluster, axes in enumerate(panels):
        thumbnails(axes, images, np.flatnonzero(clusters == cluster)[:3], size=16)
    return figure


@pytest.fixture
def context():
    clusters = np.arange(80) % 2
    return context_of(
        "ghc",
        cells("small-images", "A", {"purity": [0.5, 0.6]}, n_rows=80),
        arrays={cell_id("small-images", "A", None, 1): {"clusters": clusters}},
        datasets=["glass"],
    )


def test_a_figure_shows_the_images_of_the_rows_that_a_cell_names(context):
    figure = first_of_each_cluster(context)
    images = datasets.load("small-images", 1).images
    for cluster, axes in enumerate(figure.axes):
        assert len(axes.images) == 3
        for place, image in enumerate(axes.images):
            np.testing.assert_array_equal(image.get_array(), images.thumbnail(cluster + 2 * place, 16))
            # 24 x 32 pixels: as wide as its square, and in the middle of its height.
            assert image.get_extent() == pytest.approx([place, place + 1, 0.125, 0.875])
            assert image.get_clim() == (0, 255)  # grey as it is, not stretched to its own range
        assert (axes.get_xlim(), axes.get_ylim()) == ((0, 3), (0, 1))
    figure.canvas.draw()


def test_data_are_loaded_when_a_figure_asks_and_by_the_registry_unless_another_is_given(context):
    assert next(f for f in fields(ArtifactContext) if f.name == "load_data").default is datasets.load
    asked = []

    def load(name, draw=0):
        asked.append((name, draw))
        return datasets.load(name, draw)

    other = replace(context, load_data=load)
    assert asked == []
    first_of_each_cluster(other)
    assert asked == [("small-images", 1)]


def test_images_in_colour_stand_upright_and_none_leave_the_row_empty():
    red = np.zeros((4, 2, 3), np.uint8)
    red[..., 0] = 200
    axes = Figure().add_subplot()
    thumbnails(axes, Images((red,)), [0])
    (image,) = axes.images
    assert image.get_array().shape == (4, 2, 3) and image.get_extent() == pytest.approx([0.25, 0.75, 0, 1])
    axes = Figure().add_subplot()
    thumbnails(axes, Images((red,)), [])
    assert len(axes.images) == 0 and axes.get_xlim() == (0, 1)
