"""Draw the taxonomies of the taxonomy paper.

They are trees without a root, with pictures or words at their leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.paper.figures import (
    broken,
    check_number,
    with_notes,
)
from cladebench.papers.taxonomy.block_places import place_blocks
from cladebench.plotting import PALETTE, SMALL
from cladebench.unrooted_drawing import outward, round_length, unrooted_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TREE = 3.4  # inches of the longest way across a tree
_PICTURE = 0.72  # inches of the longer side of a picture
_CAPTION = 18  # characters of a line below a picture
_BETWEEN = 0.03  # inches between what stands above one another
_PADDING = 0.05  # inches inside a frame
_TITLE = 0.3  # inches of a title and the room below it
_MARGIN = 0.1
_LETTER = 0.092  # inches of a letter of the title
_LEADER = 0.16  # inches from which on a block has a line to its leaf


@dataclass(frozen=True)
class _Part:
    """Hold a picture or lines of small text, sized in inches."""

    content: npt.NDArray[np.uint8] | str
    size: complex
    weight: str = "normal"


@dataclass(frozen=True)
class _Block:
    """Hold parts one above the other beside a leaf, framed or not."""

    parts: tuple[_Part, ...]
    framed: bool

    @property
    def size(self) -> complex:
        """Width and, imaginary, height in inches."""
        width = max(part.size.real for part in self.parts)
        height = sum(part.size.imag for part in self.parts) + _BETWEEN * (len(self.parts) - 1)
        return complex(width, height) + (2 * _PADDING * (1 + 1j) if self.framed else 0)

    def middles(self) -> list[complex]:
        """Middles of the parts, seen from that of the block, in inches."""
        middles, top = [], self.size.imag / 2 - (_PADDING if self.framed else 0.0)
        for part in self.parts:
            middles.append(complex(0, top - part.size.imag / 2))
            top -= part.size.imag + _BETWEEN
        return middles


def _text(content: str, weight: str = "normal") -> _Part:
    from matplotlib.figure import Figure

    figure = Figure()
    box = figure.text(0, 0, content, fontsize=SMALL, fontweight=weight).get_window_extent()
    return _Part(content, complex(box.width, box.height) / figure.dpi, weight)


def _picture(pixels: npt.NDArray[np.uint8]) -> _Part:
    height, width = pixels.shape[:2]
    return _Part(pixels, complex(width, height) * _PICTURE / max(height, width))


def taxonomy_of_images(
    tree: Hierarchy,
    pictures: Sequence[npt.NDArray[np.uint8]],
    captions: Sequence[str],
    title: str = "",
    notes: Sequence[str] = (),
) -> Figure:
    """Draw a tree over clusters with their pictures (Figure 2).

    It has no root; a picture stands beside each leaf.

    Parameters
    ----------
    tree : Hierarchy
        Its samples are the clusters; edges are drawn as long as its `edge_lengths` say, all of them alike without any.
    pictures : sequence of ndarray of uint8, shapes (height, width) or (height, width, 3)
        One for each cluster, such as the mean of its images.
    captions : sequence of str
        What stands below each picture; long ones are broken into lines.
    title : str, default=""
    notes : sequence of str, default=()
        As of `with_notes`.

    Raises
    ------
    ValueError
        If there is not one picture and one caption for each sample of the tree.
    """
    check_number("pictures", pictures, tree.n_samples, "cluster")
    check_number("captions", captions, tree.n_samples, "cluster")
    blocks = [
        _Block((_picture(picture), _text(broken(caption, _CAPTION))), framed=False)
        for picture, caption in zip(pictures, captions, strict=True)
    ]
    return _taxonomy(tree, blocks, title, notes)


def taxonomy_of_words(
    tree: Hierarchy,
    words: Sequence[Sequence[str]],
    captions: Sequence[str],
    title: str = "",
    notes: Sequence[str] = (),
) -> Figure:
    """Draw a tree over clusters with their words.

    It has no root; the words stand in a frame beside each leaf (Figure 3, Table 2).

    Parameters
    ----------
    tree : Hierarchy
        As of `taxonomy_of_images`.
    words : sequence of sequence of str
        Five or so for each cluster, each in a line of its own.
    captions : sequence of str
        What stands above the words of each cluster.
    title, notes
        As of `taxonomy_of_images`.

    Raises
    ------
    ValueError
        If there is not one sequence of words and one caption for each sample of the tree.
    """
    check_number("words", words, tree.n_samples, "cluster")
    check_number("captions", captions, tree.n_samples, "cluster")
    blocks = [
        _Block((_text(caption, "bold"), _text("\n".join(top))), framed=True)
        for top, caption in zip(words, captions, strict=True)
    ]
    return _taxonomy(tree, blocks, title, notes)


def _taxonomy(tree: Hierarchy, blocks: Sequence[_Block], title: str, notes: Sequence[str]) -> Figure:
    """Draw a tree and the blocks beside its leaves.

    In the axes a unit is a unit of the edges' lengths.
    """
    from matplotlib.figure import Figure

    tree = tree.pruned()
    places = _levelled(unrooted_layout(tree))
    below = np.flatnonzero(tree.parents >= 0)
    across = max(float(np.ptp(places.real)), float(np.ptp(places.imag)))
    all_0 = tree.edge_lengths is not None and not tree.edge_lengths.any()
    has_scale = tree.edge_lengths is not None and not all_0
    unit = 1.0 if all_0 or across == 0 else _TREE / across  # inches
    edges = np.stack([places[below], places[tree.parents[below]]])
    anchors = places[tree.leaf_of]
    away = np.array([outward(tree, places, int(node)) for node in tree.leaf_of])
    sizes = np.array([block.size for block in blocks])
    centres = place_blocks(anchors * unit, away, sizes, edges * unit)

    # Room, in inches, about all of this: a title above, the scale below.
    halves = sizes / 2
    left = min((centres.real - halves.real).min(), places.real.min() * unit) - _MARGIN
    right = max((centres.real + halves.real).max(), places.real.max() * unit) + _MARGIN
    bottom = min((centres.imag - halves.imag).min(), places.imag.min() * unit) - _MARGIN
    top = max((centres.imag + halves.imag).max(), places.imag.max() * unit) + _MARGIN
    scale_at = bottom - 0.1
    bottom -= 0.25 if has_scale or len(below) else 0.0
    lacking = max(2.8, _LETTER * len(title)) - (right - left)
    left, right = left - max(0.0, lacking / 2), right + max(0.0, lacking / 2)
    top += _TITLE if title else 0.0

    figure = Figure(figsize=(right - left, top - bottom))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.plot(edges.real, edges.imag, color="0.35", linewidth=1.0, solid_capstyle="round", zorder=2)
    axes.plot(anchors.real, anchors.imag, "o", color=PALETTE[0], markersize=3.5, zorder=3)
    for block, anchor, centre in zip(blocks, anchors, centres / unit, strict=True):
        _draw_block(axes, block, anchor, centre, unit)
    if has_scale:
        _draw_scale(axes, (left + _MARGIN) / unit, scale_at / unit, round_length(across))
    elif len(below):
        says = "all distances in the tree are 0" if all_0 else "edges are not to scale"
        axes.text((left + _MARGIN) / unit, scale_at / unit, says, va="center", fontsize=SMALL)
    if title:
        place = (left + _MARGIN) / unit, (top - 0.08) / unit
        axes.text(*place, title, ha="left", va="top", fontsize=9.0, fontweight="bold")
    axes.set_aspect("auto")  # the figure has the shape of what is in it
    axes.set_xlim(left / unit, right / unit)
    axes.set_ylim(bottom / unit, top / unit)
    return with_notes(figure, notes)


def _levelled(places: npt.NDArray[np.complex128]) -> npt.NDArray[np.complex128]:
    """Turn a drawing until its two farthest nodes are level.

    A page is wider than high.
    """
    steps = places[:, None] - places
    longest = steps.ravel()[int(np.abs(steps).argmax())]
    return places * (abs(longest) / longest) if longest else places


def _draw_block(axes: Axes, block: _Block, anchor: complex, centre: complex, unit: float) -> None:
    """Draw a block about its middle, with a line to distant leaves.

    `unit` is in inches.
    """
    from matplotlib.patches import Rectangle

    middles = [centre + middle / unit for middle in block.middles()]
    sizes = [part.size / unit for part in block.parts]
    if block.framed:
        size = block.size / unit
        corner = centre - size / 2
        frame = Rectangle(
            (corner.real, corner.imag),
            size.real,
            size.imag,
            facecolor="white",
            edgecolor=PALETTE[0],
            linewidth=0.8,
        )
        axes.add_patch(frame)
        end = _first_met(anchor, centre, [centre], [size])
    else:
        # Half of the room between them belongs to each: no line slips through.
        end = _first_met(anchor, centre, middles, [size + 1j * _BETWEEN / unit for size in sizes])
    if abs(end - anchor) * unit > _LEADER:
        axes.plot(
            [anchor.real, end.real],
            [anchor.imag, end.imag],
            color="0.6",
            linewidth=0.5,
            zorder=1,
            gid="leader",
        )
    for part, middle, size in zip(block.parts, middles, sizes, strict=True):
        if isinstance(part.content, str):
            axes.text(
                middle.real,
                middle.imag,
                part.content,
                ha="center",
                va="center",
                fontsize=SMALL,
                fontweight=part.weight,
                zorder=4,
            )
        else:
            low, high = middle - size / 2, middle + size / 2
            axes.imshow(
                part.content,
                cmap="gray",
                vmin=0,
                vmax=255,
                extent=(low.real, high.real, low.imag, high.imag),
                zorder=2,
            )


def _first_met(start: complex, aim: complex, middles: Sequence[complex], sizes: Sequence[complex]) -> complex:
    """Find where a line first meets some rectangles.

    It goes from `start` to `aim`, which lies in one of them.
    """
    step = aim - start
    shares = [1.0]
    for middle, size in zip(middles, sizes, strict=True):
        # In both strips of the rectangle, level and upright, from the later of the two entrances on.
        enter, leave = 0.0, 1.0
        for s, d, m, h in (
            (start.real, step.real, middle.real, size.real / 2),
            (start.imag, step.imag, middle.imag, size.imag / 2),
        ):
            if d:
                one, other = sorted(((m - h - s) / d, (m + h - s) / d))
                enter, leave = max(enter, one), min(leave, other)
            elif abs(s - m) > h:
                leave = -1.0
        if enter <= leave:
            shares.append(enter)
    return start + min(shares) * step


def _draw_scale(axes: Axes, x: float, y: float, length: float) -> None:
    """Draw a bar of a length that is written beside it."""
    axes.plot([x, x + length], [y, y], color="0.2", linewidth=1.2, solid_capstyle="butt", gid="scale")
    axes.annotate(
        f"{length:g} (distance in the tree)",
        (x + length, y),
        xytext=(4, 0),
        textcoords="offset points",
        ha="left",
        va="center",
        fontsize=SMALL,
    )
