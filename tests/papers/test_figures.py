"""Parts that figures share: they stand where they are read and cover nothing."""

import pytest
from golden_records import extents, inside, legend_of
from matplotlib.figure import Figure

from cladebench.papers.figures import empty_figure, shared_legend, write_below
from cladebench.plotting import use_style

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


@pytest.mark.parametrize("n", [1, 3])
def test_notes_fill_the_width_of_the_figure_below_it(n):
    notes = [" ".join(["A note of many words."] * 12), "A short one."]
    with use_style():
        figure = panels(n)
        write_below(figure, notes)
        (box,), rooms = extents(figure, [figure._supxlabel]), extents(figure, figure.axes)
    lines = figure.get_supxlabel().splitlines()
    assert " ".join(lines) == " ".join(notes) and lines[-1] == "A short one."
    assert inside(box, figure.bbox_inches) and box.width > 0.75 * figure.get_figwidth()
    assert box.xmin < 0.1 and all(box.ymax < room.ymin for room in rooms)


def test_without_notes_nothing_is_written():
    figure = panels(1)
    write_below(figure, [])
    assert figure.get_supxlabel() == ""
