"""Parts that figures share: they stand where they are read and cover nothing, and images are shown as they are."""

from dataclasses import fields, replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from cladebench import datasets
from cladebench.datasets import Images
from cladebench.hierarchy import Hierarchy
from cladebench.measures import Measure
from cladebench.paper.artifact_types import ArtifactContext
from cladebench.paper.figures import (
    axis_label,
    best_of,
    compared,
    counted,
    empty_figure,
    node_places,
    panel_title,
    shared_legend,
    thumbnails,
    with_notes,
    with_title,
)
from cladebench.plotting import save_figure, use_style
from cladebench.report.svg_size import svg_notes
from golden_looks import fits_a_page
from golden_records import cell_id, cells, context_of, extents, inside, legend_of

REASON = "No data set of the paper is within reach in this run, and this is told in a sentence that takes two lines."


def test_the_reason_stands_alone_in_the_middle():
    figure = empty_figure("Nothing to show.")
    (axes,) = figure.axes
    assert not axes.axison and [text.get_text() for text in axes.texts] == ["Nothing to show."]
    ((box,), (room,)) = extents(figure, axes.texts), extents(figure, [axes])
    assert (box.min + box.max) / 2 == pytest.approx((room.min + room.max) / 2, abs=0.03)


def test_a_long_reason_is_broken_into_lines():
    figure = empty_figure(REASON)
    (box,) = extents(figure, figure.axes[0].texts)
    assert inside(box, figure.bbox_inches) and box.height > 0.25


def panels(n):
    figure = Figure(figsize=(2.5 * n + 1.5, 2.5), layout="constrained")
    for k, axes in enumerate(figure.subplots(1, n, squeeze=False)[0]):
        for name in ("both", f"panel {k}"):
            axes.plot([0, 1], label=name)
    return figure


@pytest.mark.parametrize("n", [1, 3])
def test_one_legend_for_all_panels_stands_beside_them(n):
    figure = panels(n)
    shared_legend(figure, figure.axes)
    assert legend_of(figure) == ["both", *(f"panel {k}" for k in range(n))]
    (legend,) = figure.legends
    (box,), rooms = extents(figure, [legend]), extents(figure, figure.axes)
    assert all(box.xmin > room.xmax for room in rooms) and not legend.get_frame_on()
    middle = (rooms[-1].ymin + rooms[-1].ymax) / 2
    assert (box.ymin + box.ymax) / 2 == pytest.approx(middle, abs=0.3)


def test_notes_are_kept_with_the_figure_and_in_its_file(tmp_path):
    notes = ["Rows used: 3 < 4 & \u201call\u201d.", "A short one."]
    with use_style():
        plain, noted = panels(1), with_notes(panels(1), notes)
        for name, figure in (("plain", plain), ("noted", noted)):
            save_figure(figure, tmp_path / name)
    assert svg_notes(tmp_path / "noted.svg") == " ".join(notes) and svg_notes(tmp_path / "plain.svg") == ""
    assert noted.get_figheight() == plain.get_figheight() and noted._supxlabel is None
    drawn = [(tmp_path / f"{name}.svg").read_text().split("</metadata>")[1] for name in ("plain", "noted")]
    assert drawn[0] == drawn[1]


def test_a_title_stands_above_all_and_takes_no_room_from_it():
    with use_style():
        plain, figure = panels(1), with_title(panels(1), "It is shown in one of two comparisons. " * 3)
        (before,), (after,) = extents(plain, plain.axes), extents(figure, figure.axes)
        (title,) = extents(figure, [figure._suptitle])
    assert " ".join(figure.get_suptitle().split()) == ("It is shown in one of two comparisons. " * 3).strip()
    assert after.height == pytest.approx(before.height, abs=0.12)
    assert inside(title, figure.bbox_inches) and title.ymin > after.ymax
    size = plain.get_size_inches().tolist()
    assert with_title(plain, "").get_size_inches().tolist() == size and plain._suptitle is None


@pytest.mark.parametrize(("sentences", "rows"), [(5, 1), (1, 4)])
def test_a_legend_stands_close_between_the_title_and_the_panels(sentences, rows):
    with use_style():
        figure = panels(2)
        handles, names = figure.axes[0].get_legend_handles_labels()
        figure.legend(
            rows * handles, rows * names, loc="outside upper right", ncols=len(names), frameon=False
        )
        with_title(figure, "It is shown in one of two comparisons. " * sentences, figure.legends)
        own = extents(figure, figure.axes)
        title, legend = extents(figure, [figure._suptitle, *figure.legends])
    highest = max(box.ymax for box in own)
    assert highest < legend.ymin and legend.ymax < title.ymin and inside(title, figure.bbox_inches)
    # Inches: each stands near its neighbour, and the page has no empty band.
    assert title.ymin - highest < legend.height + 0.3


def test_an_axis_says_which_end_is_better():
    measures = [Measure("m", "", "M", "%", direction) for direction in ("higher", "lower", None)]
    assert list(map(axis_label, measures)) == [
        "M (%)\nhigher is better \u2192",
        "M (%)\n\u2190 lower is better",
        "M (%)",
    ]
    values = {"a": 1.0, "b": 2.0, "c": 1.0}
    assert [best_of(values, measure) for measure in measures] == [{"b"}, {"a", "c"}, set()]
    assert best_of({}, measures[0]) == set()


def test_numbers_are_counted_in_words():
    assert [counted(1, "run"), counted(2000, "run"), counted(3, "leaf", "leaves")] == [
        *("1 run", "2,000 runs", "3 leaves")
    ]


def test_other_data_are_drawn_where_methods_can_be_compared():
    one, two = {"a": 1}, {"a": 1, "b": 2}
    assert compared({"glass": one, "ours": one, "more": two, "none": {}}, ["glass"]) == {
        "glass": one,
        "more": two,
    }
    assert compared({"ours": one, "none": {}}, ["glass"]) == {"ours": one}
    assert compared({}, ["glass"]) == {}


def test_stand_in_data_are_said_beside_the_title_where_there_is_room(context):
    entries = {
        "a": {"title": "AWA-ATTR", "stand_in_for": "it"},
        "b": {"title": "Glass", "stand_in_for": None},
    }
    other = replace(context, datasets=entries)
    assert panel_title(other, "a", 26) == "AWA-ATTR (stand-in data)"
    assert panel_title(other, "a", 20) == "AWA-ATTR\n(stand-in data)"
    assert panel_title(other, "b", 20) == "Glass"


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
    figure.draw_without_rendering()


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


def test_a_node_stands_above_the_middle_of_its_first_and_last_child():
    tree = Hierarchy([-1, 0, 0, 0, 3, 3, 5, 5], [1, 2, 4, 6, 7])
    below = {1: (0, -1), 2: (1, -1)}
    assert node_places(tree) == {
        **{0: (1.375, 0), **below, 3: (2.75, -1)},
        **{4: (2, -2), 5: (3.5, -2), 6: (3, -3), 7: (4, -3)},
    }
    assert node_places(tree, 2) == {0: (1.25, 0), **below, 3: (2.5, -1), 4: (2, -2), 5: (3, -2)}
    assert node_places(tree, 0) == {0: (0, 0)}


@pytest.mark.parametrize("scale", ["log", "symlog", "linear"])
def test_exponents_that_are_too_small_to_read_are_found(scale):
    with use_style():
        figure = panels(1)
        (axes,) = figure.axes
        axes.set_xscale(scale)
        axes.set_xlim(0.01, 1000)
        if scale != "linear":
            with pytest.raises(AssertionError, match="10"):
                fits_a_page(figure)
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        fits_a_page(figure)
        axes.set_title("an index: $l_1$", fontsize=8.0)
        with pytest.raises(AssertionError, match="l_1"):
            fits_a_page(figure)
        axes.set_title("an index: $l_1$", fontsize=9.0)
        fits_a_page(figure)
