"""How figures look: sizes, scales, colours, lines, letters, and the sums of what is drawn, as text.

What figures show is told by tests of their own, in words. This sees that nothing else of a figure changes unnoticed.
After a change that is meant, ``NEW_LOOKS=1 pytest tests -k look`` writes the files of ``looks/`` anew; the
difference of the file says what has changed.
"""

import json
import os
import re
from pathlib import Path

import numpy as np
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text

from cladebench.paper.figures import WIDTH

FOLDER = Path(__file__).parents[1] / "papers" / "looks"
#: Text below this size cannot be read in print.
LEAST_POINTS = 6.0
#: Size of exponents and indices, in that of their line.
SMALLER = 0.7


def looks(figure):
    """Describe a figure: its size, its panels, and each kind of part that it has, once."""
    return {
        "inches": numbers(figure.get_size_inches()),
        "panels": [panel(axes) for axes in figure.axes],
        "parts": sorted({part for artist in figure.findobj() if (part := kind_of(artist))}),
    }


def numbers(values):
    return " ".join(f"{value:.4g}" for value in np.ravel(values) + 0.0)


def panel(axes):
    """Scales, ends, and the number and the sum of the places of what is drawn on a panel."""
    drawn = {
        "lines": [line.get_xydata() for line in axes.lines],
        "areas": [box.get_extents().get_points() for box in (part.get_path() for part in axes.patches)],
        "points": [part.get_offsets() for part in axes.collections],
        "paths": [path.vertices for part in axes.collections for path in part.get_paths()],
        "images": [image.get_extent() for image in axes.images],
        "pixels": [image.get_array() for image in axes.images],
        "texts": [text.get_position() for text in axes.texts],
    }
    return {
        "axes": f"{axes.get_xscale()} {axes.get_yscale()} {axes.get_aspect()} {'shown' if axes.axison else 'hidden'}",
        "ends": numbers([*axes.get_xlim(), *axes.get_ylim()]),
        **{
            name: f"{len(parts)}: {sum(np.ma.filled(np.ma.asarray(part, float), 0).sum() for part in parts):.4g}"
            for name, parts in drawn.items()
            if parts
        },
    }


def colours(values):
    values = np.atleast_2d(values) if not isinstance(values, str) else [values]
    return "/".join(dict.fromkeys("none" if len(v) == 0 else to_hex(v, keep_alpha=True) for v in values))


def kind_of(artist):
    """What an artist looks like, in words; nothing for what is not seen or has no look of its own."""
    if not artist.get_visible():
        return ""
    rest = f"{artist.get_alpha() or ''} z{artist.get_zorder():g}"
    if isinstance(artist, Text):
        shift = f" {artist.anncoords} {numbers(artist.xyann)}" if isinstance(artist, Annotation) else ""
        return artist.get_text() and (
            f"text {artist.get_fontsize():g} {artist.get_fontweight()} {artist.get_ha()} {artist.get_va()}"
            f" {artist.get_rotation():g} {to_hex(artist.get_color())}{shift} {rest}"
        )
    if isinstance(artist, Line2D):
        return (
            f"line {to_hex(artist.get_color())} {artist._dash_pattern} {artist.get_linewidth():g}"
            f" {artist.get_solid_capstyle()} {artist.get_marker()} {artist.get_markersize():g}"
            f" {artist.get_markerfacecolor()} {artist.get_markeredgecolor()} {artist.get_markeredgewidth():g} {rest}"
        )
    if isinstance(artist, Collection):
        return (
            f"{type(artist).__name__} {colours(artist.get_facecolor())} {colours(artist.get_edgecolor())}"
            f" {numbers(artist.get_linewidth())} {numbers(artist.get_sizes()) if hasattr(artist, 'get_sizes') else ''}"
            f" {rest}"
        )
    if isinstance(artist, Patch):
        return (
            f"{type(artist).__name__} {colours(artist.get_facecolor())} {colours(artist.get_edgecolor())}"
            f" {artist.get_linewidth():g} {artist.get_linestyle()} {artist.get_hatch()} {rest}"
        )
    if isinstance(artist, AxesImage):
        return f"image {artist.get_cmap().name} {numbers(artist.get_clim())} {rest}"
    if isinstance(artist, Legend):
        return f"legend {artist._loc} {artist._ncols} {artist.get_frame_on()} {artist.get_title().get_text()!r} {rest}"
    return ""


def fits_a_page(figure):
    """Hold a figure against the page: no wider than it, so that print shrinks no text, and all text readable."""
    assert figure.get_figwidth() <= WIDTH + 1e-9, f"{figure.get_figwidth()} in wide"
    written = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    small = [text.get_text() for text in written if least_size(text.get_text(), text) < LEAST_POINTS]
    assert not small, small
    small = [label for axes in figure.axes if axes.axison for label in small_labels(axes)]
    assert not small, small


def least_size(said, text):
    """Size of the smallest letters: exponents and indices of mathematics are smaller than the rest."""
    return text.get_fontsize() * (SMALLER if re.search(r"\$.*[\^_].*\$", said) else 1.0)


def small_labels(axes):
    """Labels of scales that are too small; they are written only when a figure is drawn."""
    for axis in (axes.xaxis, axes.yaxis):
        for ticks, formatter, places in (
            (axis.get_major_ticks(1), axis.get_major_formatter(), axis.get_majorticklocs()),
            (axis.get_minor_ticks(1), axis.get_minor_formatter(), axis.get_minorticklocs()),
        ):
            labels = formatter.format_ticks(places) if ticks else []
            yield from (
                label for label in labels if label and least_size(label, ticks[0].label1) < LEAST_POINTS
            )


def check_looks(paper, artifacts, context):
    """Hold the figures of a paper against the file of their looks."""
    hold(paper, {one.id: one.build(context) for one in artifacts if one.kind == "figure"})


def hold(name, figures):
    """Hold figures against the page, and against a file of looks."""
    for figure in figures.values():
        fits_a_page(figure)
    found = {key: looks(figure) for key, figure in figures.items()}
    path = FOLDER / f"{name}.json"
    if os.environ.get("NEW_LOOKS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    known = json.loads(path.read_text(encoding="utf-8"))
    assert list(found) == list(known)
    for key, seen in found.items():
        assert seen == known[key], key
