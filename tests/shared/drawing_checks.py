"""What can be read of a figure: sizes, places, and what covers what."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from cladebench.plotting import SMALL
from golden_records import apart, extents, inside, least_text

NOTE = "A note of many words that takes more than a line. " * 3


def laid_out(figure):
    """Lay a figure out once and for all: what asks for places afterwards need not do it again."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def check_readable(figure):
    """Nothing that is written is small, cut off, or covered by something else that is written."""
    laid_out(figure)
    # Ticks beyond the ends of an axis are there, but not drawn.
    beyond = {
        tick.label1
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    written = [text for text in figure.findobj(Text) if text not in beyond and text.get_visible()]
    written = [text for text in written if text.get_text().strip()]
    boxes = extents(figure, written)
    assert len(boxes) > 4 and all(box.width > 0 for box in boxes)
    assert least_text(figure) >= SMALL
    assert all(inside(box, figure.bbox_inches) for box in boxes)
    assert apart(boxes)
    assert figure.get_figwidth() <= 6.5


def ends_of(axes):
    """Ends of the lines of each collection of a panel, in the order in which they were drawn."""
    return [[segment.tolist() for segment in lines.get_segments()] for lines in axes.collections]


def check_notes(draw):
    """Hold a figure and the same with notes against what can be read: notes stand below, and take no room."""
    plain, noted = draw(()), draw([NOTE, "Another."])
    assert plain.get_label() == "" and noted.get_label() == f"{NOTE.strip()}\nAnother."
    heights = []
    for figure in (plain, noted):
        check_readable(figure)
        (box,) = extents(figure, figure.axes[:1])
        heights.append(box.height)
    assert heights[1] == heights[0]


def contrast(one, other):
    """Contrast of two colours, between 1 and 21, as the accessibility guidelines for the web define it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return np.dot([0.2126, 0.7152, 0.0722], linear)
