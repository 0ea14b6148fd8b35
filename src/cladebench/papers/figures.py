"""Parts that the figures of every paper share."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def empty_figure(reason: str) -> Figure:
    """Draw a figure that says why there is nothing to show."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 1.2))
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


def write_below(figure: Figure, notes: Sequence[str]) -> None:
    """Write notes below a figure, small, in lines as long as it is wide."""
    width = int(17 * figure.get_figwidth())  # characters of 7 points
    lines = [line for note in notes for line in textwrap.wrap(note, width)]
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=7, color="0.3")
