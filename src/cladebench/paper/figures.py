"""Share parts among the figures of all papers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, TypeVar

from cladebench.paper.tables import basis_notes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    from cladebench.datasets import Images
    from cladebench.hierarchy import Hierarchy
    from cladebench.measures import Measure
    from cladebench.paper.artifact_types import ArtifactContext


T = TypeVar("T")

#: Widest figure in inches: a page has no more room, and print would shrink the text.
WIDTH = 7.2
#: Said of data that are not the paper's own.
STAND_IN = "stand-in data"
#: Which end of an axis is better. Beside an upright axis the text is turned, and its arrow with it.
BETTER = {"higher": "higher is better \u2192", "lower": "\u2190 lower is better"}
#: Inches that a legend below a title keeps from it and from the panels, together.
BELOW_TITLE = 0.12
#: Inches of a line of small text.
LINE = 0.125
#: What the notes of a figure begin with where there was nothing to draw.
EMPTY = "Nothing is drawn: "
#: Said before the name of a method that knows nothing of the data.
RANDOM = "random method: "


def headline(figure: Figure, title: str) -> Text | None:
    """Write what a figure shows above it.

    Lines are as long as the figure is wide. An empty title writes nothing.
    """
    if not title:
        return None
    lines = textwrap.fill(title, int(12.5 * figure.get_figwidth()))
    return figure.suptitle(lines, x=0.01, ha="left", fontsize=9.0, fontweight="bold")


def with_title(figure: Figure, title: str, above: Sequence[Legend] = ()) -> Figure:
    """Write what a figure shows above it, and make room.

    The figure grows by the lines. Legends `above` its panels move below the title.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    text = headline(figure, title)
    if text is None:
        return figure
    extra = 0.16 * len(text.get_text().splitlines()) + 0.1
    height = figure.get_figheight() + extra
    engine = figure.get_layout_engine()
    room = 0.0
    if above and isinstance(engine, ConstrainedLayoutEngine):
        # The engine gives room to the title alone: legends with an anchor of their own are none of its business.
        deepest = max(map(_inches, above))
        room = extra + deepest + BELOW_TITLE - _inches(text) - 2 * engine.get()["h_pad"]
        height += room
        for legend in above:
            legend.set_bbox_to_anchor((0.0, 0.0, 1.0, 1.0 - extra / height), transform=figure.transFigure)
        engine.set(rect=(0.0, 0.0, 1.0, 1.0 - room / height))
    figure.set_figheight(height)
    return figure


def _inches(drawn: Legend | Text) -> float:
    """Height of what is drawn, in inches."""
    figure = drawn.get_figure()
    assert figure is not None
    return drawn.get_window_extent().height / figure.dpi


def axis_label(measure: Measure) -> str:
    """Name what an axis shows, and which end is better, in lines."""
    return "\n".join(part for part in (measure.heading, BETTER.get(measure.direction or "")) if part)


def best_of(values: Mapping[str, float], measure: Measure) -> set[str]:
    """Give the names with the best value.

    Several where they are equal, none where neither end is better.
    """
    if not values or measure.direction is None:
        return set()
    best = (max if measure.direction == "higher" else min)(values.values())
    return {name for name, value in values.items() if value == best}


def compared(values: Mapping[str, Mapping[str, T]], own: Sequence[str]) -> dict[str, Mapping[str, T]]:
    """Leave out other data than the paper's where one method is alone.

    Parameters
    ----------
    values : mapping of str to mapping of str to anything
        Data set -> method -> what is drawn of it.
    own : sequence of str
        The paper's data sets.

    Returns
    -------
    dict
        All of `values` where nothing would be left.
    """
    kept = {name: of for name, of in values.items() if of and (name in own or len(of) > 1)}
    return kept or {name: of for name, of in values.items() if of}


def counted(number: int, what: str, plural: str = "") -> str:
    """Write a number and what is counted: ``1 run``, ``2 runs``."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def panel_title(context: ArtifactContext, dataset: str, width: int = 26) -> str:
    """Give the title of a data set in lines.

    Stand-in data are named beside it, or below.
    """
    entry = context.datasets.get(dataset, {})
    title = textwrap.fill(str(entry.get("title") or dataset), width)
    if not entry.get("stand_in_for"):
        return title
    beside = f"{title} ({STAND_IN})"
    return beside if len(beside) <= width else f"{title}\n({STAND_IN})"


def title_line(context: ArtifactContext, dataset: str) -> str:
    """Give the title of a data set in one line."""
    return panel_title(context, dataset, 80).replace("\n", " ")


def empty_figure(reason: str) -> Figure:
    """Draw a figure that says why there is nothing to show.

    Its file says the same, so that pages say it in words.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 1.2))
    figure.set_label(f"{EMPTY}{reason}")
    axes = figure.add_subplot()
    axes.axis("off")
    axes.text(0.5, 0.5, reason, ha="center", va="center", wrap=True)
    return figure


def shared_legend(figure: Figure, panels: Iterable[Axes]) -> None:
    """Draw one legend for all panels, to the right of them."""
    shown = [panel.get_legend_handles_labels() for panel in panels]
    by_label = {
        label: handle for handles, labels in shown for handle, label in zip(handles, labels, strict=True)
    }
    figure.legend(by_label.values(), by_label.keys(), loc="outside right center", frameon=False)


def thumbnails(axes: Axes, images: Images, rows: Sequence[int], size: int = 64) -> None:
    """Draw small copies of images from left to right.

    Each is in the middle of a square of its own.

    Parameters
    ----------
    axes : Axes
        Place k of the row is x from k to k + 1, y from 0 to 1.
    images : Images
        Of a data set (`Dataset.images`).
    rows : sequence of int
        Which ones: rows of the data set.
    size : int, default=64
        Pixels of the longer side, at most.
    """
    for place, row in enumerate(rows):
        small = images.thumbnail(int(row), size)
        height, width = small.shape[0] / max(small.shape[:2]), small.shape[1] / max(small.shape[:2])
        left, bottom = place + (1 - width) / 2, (1 - height) / 2
        axes.imshow(
            small, cmap="gray", vmin=0, vmax=255, extent=(left, left + width, bottom, bottom + height)
        )
    axes.set_xlim(0, max(1, len(rows)))
    axes.set_ylim(0, 1)
    axes.axis("off")


def node_places(tree: Hierarchy, depth: int | None = None) -> dict[int, tuple[float, float]]:
    """Place the nodes of a small tree.

    Tips are at 0, 1, ...; a parent is above the middle of its first and last child.

    Parameters
    ----------
    tree : Hierarchy
    depth : int, optional
        Deepest layer that has places; the root is layer 0, and the layers are 1 apart. By default the tree's.

    Returns
    -------
    dict of int to (float, float)
        In preorder.
    """
    depth = int(tree.depths.max()) if depth is None else depth
    shown = [int(node) for node in tree.preorder if tree.depths[node] <= depth]
    tips = [node for node in shown if tree.depths[node] == depth or len(tree.children(node)) == 0]
    x = {node: float(k) for k, node in enumerate(tips)}
    for node in reversed(shown):
        if node not in x:
            below = [x[int(child)] for child in tree.children(node)]
            x[node] = (min(below) + max(below)) / 2
    return {node: (x[node], -float(tree.depths[node])) for node in shown}


def with_notes(figure: Figure, notes: Iterable[str]) -> Figure:
    """Keep what a figure rests on with it, such as limits.

    `save_figure` writes it into the file, and pages say it in the caption: nothing is drawn.
    """
    lines = [str(figure.get_label()), *(note.strip() for note in notes)]
    figure.set_label("\n".join(line for line in lines if line))
    return figure


def broken(caption: str, width: int) -> str:
    """Break a caption into lines; its own line breaks are kept."""
    return "\n".join(line for text in caption.split("\n") for line in textwrap.wrap(text, width))


def check_number(name: str, given: Sized, number: int, what: str) -> None:
    """Raise a ValueError unless as much is given as expected."""
    if len(given) != number:
        raise ValueError(f"{name} has length {len(given)}; expected {number}, one for each {what}")


def chosen_with(context: ArtifactContext) -> str:
    """Say which labels chose the settings of a figure.

    Empty where none were chosen.
    """
    rule = context.rules[context.own_rule]
    return f"Settings chosen with {rule.uses}." if rule.uses else ""


def with_rule(figure: Figure, context: ArtifactContext, shown: bool = True) -> Figure:
    """Note with a figure that shows something which labels chose settings."""
    return with_notes(figure, [note for note in [chosen_with(context)] if note and shown])


def limits_of(context: ArtifactContext, shown: Iterable[tuple[str, str, pd.DataFrame]]) -> tuple[str, ...]:
    """Say where a figure rests on fewer rows or runs."""
    notes = (note for note in basis_notes(context, shown) if note.startswith(("Rows used", "Missing")))
    return tuple(named(context, note) for note in notes)


def named(context: ArtifactContext, text: str) -> str:
    """Write the titles of data sets where a text has their ids."""
    ids = "|".join(re.escape(name) for name in sorted(context.datasets, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])({ids})(?![\w-])")
    return pattern.sub(lambda match: str(context.datasets[match[1]]["title"]), text) if ids else text
