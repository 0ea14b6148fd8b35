"""Drawing trees as dendrograms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from cladebench import extras
from cladebench.class_labels import class_codes
from cladebench.plotting import PALETTE, check_axes, stay_inside, use_style
from cladebench.rooted_tree import RootedTree
from cladebench.tree_cuts import splits
from cladebench.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NODES = 20_000  # of a tree that has a small picture
_MOST_BRANCHES = 40  # of its root, all of which are drawn
_STRIP = 0.16  # height of the bars of classes with the gap above, relative to the tree
MIXED = "0.6"  # branches without a majority class


@dataclass(frozen=True)
class _Tip:
    """Hold a leaf, a collapsed subtree, or samples of an inner node."""

    node: int
    samples: npt.NDArray[np.int64]
    collapsed: bool


def draw_hierarchy(
    hierarchy: RootedTree,
    ax: Axes | None = None,
    labels: npt.ArrayLike | None = None,
    max_leaves: int = 30,
) -> Axes:
    """Draw a dendrogram; see `Hierarchy.plot`."""
    check_axes(ax)
    check_integer("max_leaves", max_leaves, minimum=1)
    if ax is None:
        _, ax = extras.need("matplotlib.pyplot", "Hierarchy.plot").subplots(layout="constrained")
    tree = hierarchy.pruned()
    at_root = len(tree.parts(tree.root)) + bool(len(tree.own_samples(tree.root)))
    split = set(splits(tree, max(max_leaves, at_root)))
    tips, x = _place(tree, split)
    y = tree.sizes.astype(np.float64) if tree.heights is None else tree.heights
    floor = 0.8 if tree.heights is None else min(0.0, float(y.min()))

    ends = np.cumsum([len(tip.samples) for tip in tips])  # of tips, in the order of samples
    if labels is not None:
        classes, codes = class_codes(labels, tree.n_samples)
        counts = np.array([np.bincount(codes[tip.samples], minlength=len(classes)) for tip in tips])
        totals = np.cumsum(counts, axis=0)

    def style(first: int, last: int) -> tuple[str, str]:
        """Give colour and line style of the class of over half.

        The samples are those of some tips, by their places in the order of samples. Without such a majority they
        get the style of mixed ones.
        """
        if labels is None:
            return "0.25", "-"
        count = totals[np.searchsorted(ends, last)]
        if first:
            count = count - totals[np.searchsorted(ends, first)]
        return _class_style(int(count.argmax()))[:2] if 2 * count.max() > last - first else (MIXED, "-")

    bars, stems = _Lines(capstyle="projecting"), _Lines(capstyle="butt")
    own_tips = {tip.node: k for k, tip in enumerate(tips)}
    for node in split:
        children = [int(child) for child in tree.children(node)]
        parts = [x[child] for child in children] + ([own_tips[node]] if node in own_tips else [])
        bars.add((min(parts), y[node]), (max(parts), y[node]), style(tree.first[node], tree.last[node]))
        for child in children:
            stems.add((x[child], y[child]), (x[child], y[node]), style(tree.first[child], tree.last[child]))
    leaders = _Lines(linewidth=0.6, zorder=0)
    for k, tip in enumerate(tips):
        leaders.add((k, floor), (k, y[tip.node]), ("0.8", ":"))
    for lines in (leaders, bars, stems):
        lines.draw(ax)
    for collapsed, marker, size in ((True, "v", 5.0), (False, "o", 3.5)):
        shown = [k for k, tip in enumerate(tips) if tip.collapsed == collapsed]
        if shown:
            heights = y[[tips[k].node for k in shown]]
            colours = [style(ends[k] - len(tips[k].samples), ends[k])[0] for k in shown]
            ax.scatter(shown, heights, size**2, colours, marker=marker, linewidths=0, zorder=2)

    _dress(ax, tree, floor, y)
    inside = False
    if labels is not None:
        _draw_legend(ax, [str(name) for name in classes])
        inside = stay_inside(ax, below=_STRIP)
    _draw_strip(ax, tree, tips, counts if labels is not None else None, "left" if inside else "center")
    return ax


class _Lines:
    """Lines that are drawn as one collection.

    Artists of their own take a hundred times as long.
    """

    def __init__(self, **look: Any) -> None:
        self._look = {"zorder": 2, **look}
        self._ends: list[tuple[tuple[float, float], tuple[float, float]]] = []
        self._styles: list[tuple[str, str]] = []

    def add(self, start: tuple[float, float], end: tuple[float, float], style: tuple[str, str]) -> None:
        """Add a line in a colour and a line style."""
        self._ends.append((start, end))
        self._styles.append(style)

    def draw(self, ax: Axes) -> None:
        """Draw all lines."""
        from matplotlib.collections import LineCollection

        colours = [colour for colour, _ in self._styles]
        dashes = [dash for _, dash in self._styles]  # a list: of two, a tuple is an offset with its pattern
        ax.add_collection(LineCollection(self._ends, colors=colours, linestyles=dashes, **self._look), False)


def _place(tree: RootedTree, split: set[int]) -> tuple[list[_Tip], dict[int, float]]:
    """Tips from left to right at 0, 1, ....

    A split node stands in the middle of what hangs below it.
    """
    tips: list[_Tip] = []
    x: dict[int, float] = {}
    shown: list[int] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        shown.append(node)
        if node not in split:
            x[node] = len(tips)
            tips.append(_Tip(node, tree.samples(node), collapsed=len(tree.children(node)) > 0))
            continue
        if len(samples := tree.own_samples(node)):
            tips.append(_Tip(node, samples, collapsed=False))
        waiting.extend(map(int, reversed(tree.children(node))))
    own_tip = {tip.node: float(k) for k, tip in enumerate(tips) if tip.node in split}
    for node in reversed(shown):
        if node in split:
            below = [x[child] for child in map(int, tree.children(node))]
            below += [own_tip[node]] if node in own_tip else []
            x[node] = (min(below) + max(below)) / 2
    return tips, x


def _class_style(k: int) -> tuple[str, str, str]:
    """Colour, line style and hatching of class k.

    Beyond the palette the colours return, dashed and hatched.
    """
    again = k // len(PALETTE) % 2 == 1
    return PALETTE[k % len(PALETTE)], "--" if again else "-", "/////" if again else ""


def _dress(ax: Axes, tree: RootedTree, floor: float, y: npt.NDArray[np.float64]) -> None:
    """Draw the axis of heights, or of numbers of samples on logarithms."""
    from matplotlib.ticker import FuncFormatter

    top = float(y.max())
    if tree.heights is None:
        ax.set_yscale("log", base=2)
        ax.set_ylim(floor, max(top, 1.0) * 1.15)
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.set_ylabel("samples below")
    else:
        ax.set_ylim(floor - 0.02 * (top - floor), top + 0.04 * (top - floor) if top > floor else floor + 1.0)
        ax.set_ylabel("height")
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.tick_params(axis="x", bottom=False, labelbottom=False)


def _draw_strip(
    ax: Axes,
    tree: RootedTree,
    tips: list[_Tip],
    counts: npt.NDArray[np.int64] | None,
    title_at: Literal["left", "center"],
) -> None:
    """Draw classes' shares and sample counts or names below each tip.

    The shares are a bar.
    """
    from matplotlib.collections import PolyCollection

    strip = ax.inset_axes(
        (0.0, -_STRIP, 1.0, _STRIP - 0.03) if counts is not None else (0.0, -0.02, 1.0, 0.01)
    )
    for axes in (ax, strip):
        axes.set_xlim(-0.6, len(tips) - 0.4)
    if counts is not None:
        for k, class_bars in enumerate(_class_bars(counts / counts.sum(axis=1, keepdims=True))):
            colour, _, hatch = _class_style(k)
            strip.add_collection(
                PolyCollection(
                    list(class_bars), facecolors=colour, hatch=hatch, edgecolors="white", linewidths=0
                )
            )
        strip.set_ylim(0, 1)
    strip.spines[:].set_visible(False)
    strip.set_yticks([])
    if all(len(tip.samples) == 1 for tip in tips):
        names = tree.sample_names or [str(i) for i in range(tree.n_samples)]
        texts, title = [names[tip.samples[0]] for tip in tips], "sample"
    else:
        texts, title = [str(len(tip.samples)) for tip in tips], "samples in each leaf"
        if any(tip.collapsed for tip in tips):
            title += " or collapsed subtree (▼)"
    inches = ax.get_window_extent().width / ax.figure.dpi / len(tips)
    crowded = max(map(len, texts)) * 0.07 + 0.04 > inches  # a digit of the small font is 0.07 inches wide
    step = max(1, math.ceil(0.1 / inches)) if crowded else 1  # and 0.1 inches high
    if step > 1:
        title += f", one in {step} named"
    strip.set_xticks(range(0, len(tips), step), texts[::step], rotation=90 if crowded else 0)
    strip.tick_params(axis="x", length=0)
    strip.set_xlabel(title, loc=title_at)


def _class_bars(shares: npt.NDArray[np.float64]) -> Iterator[npt.NDArray[np.float64]]:
    """Yield corners of each class's stacked bars, shape (n_bars, 4, 2)."""
    top = np.cumsum(shares, axis=1)
    for k in range(shares.shape[1]):
        at = np.flatnonzero(shares[:, k])
        low, high = top[at, k] - shares[at, k], top[at, k]
        across = [at - 0.4, at + 0.4, at + 0.4, at - 0.4]
        yield np.stack([np.stack(across, axis=1), np.stack([low, low, high, high], axis=1)], axis=2)


def _draw_legend(ax: Axes, names: list[str]) -> None:
    """Class names with their colours, right of the drawing."""
    from matplotlib.patches import Patch

    handles: list[Patch] = []
    for k in range(len(names)):
        colour, _, hatch = _class_style(k)
        handles.append(Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0))
    ax.legend(handles, names, loc="upper left", bbox_to_anchor=(1.0, 1.0), title="class", borderaxespad=0.2)


def picture(hierarchy: RootedTree) -> str | None:
    """SVG of a small dendrogram, for notebooks.

    A tree that takes long to draw, or shows nothing when small, has none.
    """
    if hierarchy.n_nodes > MOST_NODES:
        return None
    tree = hierarchy.pruned()
    if len(tree.children(tree.root)) > _MOST_BRANCHES:
        return None
    from matplotlib.figure import Figure  # not pyplot: no figure is left open

    with use_style():
        figure = Figure(figsize=(3.2, 1.8), layout="constrained")
        draw_hierarchy(tree, figure.add_subplot(), max_leaves=12)
        out = StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
