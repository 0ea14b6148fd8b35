"""Draw a paper's printed numbers beside ours, by verdicts."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cladebench.audit.verdict.verdict_types import ANSWERS, NOT_TESTABLE, VERDICTS
from cladebench.paper.figures import BETTER, RANDOM, STAND_IN, empty_figure, headline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Look:
    """Say how a verdict is drawn: its answer's colour, its marker."""

    marker: str
    filled: bool
    colour: str


#: Shape of the marker of each verdict, and whether it is filled.
_MARKERS = {
    "reproduced": ("o", True),
    "within noise": ("s", True),
    "direction only": ("^", True),
    "contradicted": ("X", True),
    "depends": ("D", True),
    "uninformative": ("P", True),
    "inconsistent": ("*", True),
    "analogue holds": ("o", False),
    "analogue undecided": ("v", False),
    "analogue fails": ("X", False),
    "not testable": ("h", False),
}
#: The look of each verdict, in the order of tables.
LOOKS = {name: Look(*_MARKERS[name], ANSWERS[verdict.answer].colour) for name, verdict in VERDICTS.items()}
#: Columns of a table that stand beside each other at most: more have no room for their names.
MOST_ACROSS = 4
TITLE_WIDTH = 20  # characters of a line above a panel
#: In legends.
PUBLISHED = "printed in the paper"
BAND = "where the printed number could lie by chance"


@dataclass(frozen=True)
class PrintedAndOurs:
    """One printed number and ours.

    Attributes
    ----------
    row, column : str
        Where the paper prints it.
    text : str
        As printed.
    published : float
    spread : float or None
        As printed.
    measured, low, high : float or None
        Our mean and its interval, in the printed units.
    verdict : str
    band : (float, float) or None
        Printed numbers that would not contradict ours; None where none is held against ours.
    stand_in : bool
        Ours is measured on stand-in data.
    """

    row: str
    column: str
    text: str
    published: float
    spread: float | None
    measured: float | None
    low: float | None
    high: float | None
    verdict: str
    band: tuple[float, float] | None = None
    stand_in: bool = False


def main_result(
    entries: Sequence[PrintedAndOurs],
    columns: Sequence[str],
    unit: str,
    blind: Mapping[str, Mapping[str, float]] | None = None,
    headings: Mapping[str, str] | None = None,
    *,
    title: str = "",
    direction: str | None = None,
) -> Figure:
    """Draw printed numbers and ours, for a table of the paper.

    Parameters
    ----------
    entries : sequence of PrintedAndOurs
    columns : sequence of str
        In the paper's order.
    unit : str
        What is shown, for the axes.
    blind : mapping of str to mapping of str to float, optional
        Name of a random method -> column -> its mean.
    headings : mapping of str to str, optional
        Column -> the verdict on the order of its methods.
    title : str, optional
        What the figure shows, in a sentence.
    direction : {"higher", "lower"} or None
        Which is better.
    """
    from matplotlib.figure import Figure

    shown = [entry for entry in entries if entry.measured is not None]
    if not shown:
        return empty_figure("None of the printed numbers was measured in this run.")
    rows = list(dict.fromkeys(entry.row for entry in entries))
    down = -(-len(columns) // MOST_ACROSS)
    across = -(-len(columns) // down)  # as full as can be: no row with a single panel
    figure = Figure(figsize=(7.2, 1.2 + down * (0.8 + 0.24 * len(rows))), layout="constrained")
    panels = figure.subplots(down, across, sharey=True, squeeze=False).ravel().tolist()
    for panel in panels[len(columns) :]:
        panel.axis("off")
    for panel, column in zip(panels, columns, strict=False):
        here = [entry for entry in entries if entry.column == column]
        _panel(panel, here, rows)
        for (name, means), dashes in zip(
            (blind or {}).items(), itertools.cycle(("--", ":", "-.")), strict=False
        ):
            if column in means:
                label = f"{RANDOM}{name}"
                panel.axvline(
                    means[column], color="0.35", linestyle=dashes, linewidth=0.9, label=label, zorder=1
                )
        lines = [textwrap.fill(column, TITLE_WIDTH)]
        lines += [STAND_IN] if any(entry.stand_in for entry in here) else []
        ordered = VERDICTS.get((headings or {}).get(column, ""))
        lines += [f"order: {ordered.answer}"] if ordered else []
        panel.set_title("\n".join(lines), fontsize=8.0)
    panels[0].set_yticks(range(len(rows)), rows)
    panels[0].set_ylim(len(rows) - 0.4, -0.6)
    label = "\n".join(part for part in (unit, BETTER.get(direction or "")) if part)
    for panel in panels[max(0, len(columns) - across) : len(columns)]:
        panel.set_xlabel(label)
    headline(figure, title)
    _legend(figure, panels, shown)
    return figure


def _panel(axes: Axes, entries: Iterable[PrintedAndOurs], rows: Sequence[str]) -> None:
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="0.93", linewidth=0.8)
    axes.tick_params(axis="y", length=0)
    for entry in entries:
        y = rows.index(entry.row)
        if entry.band is not None:
            left, right = entry.band
            colour = LOOKS[entry.verdict].colour
            axes.barh(y, right - left, 0.62, left, color=colour, alpha=0.3, linewidth=0, zorder=1)
        axes.vlines(entry.published, y - 0.36, y + 0.36, color="black", linewidth=1.6, zorder=4)
        if entry.spread:
            ends = entry.published - entry.spread, entry.published + entry.spread
            axes.hlines(y - 0.36, *ends, color="black", linewidth=0.9, zorder=4)
        if entry.measured is None:
            continue
        look = LOOKS[entry.verdict]
        low = entry.measured if entry.low is None else entry.low
        high = entry.measured if entry.high is None else entry.high
        axes.plot([low, high], [y, y], color=look.colour, linewidth=1.6, zorder=2)
        axes.plot(
            *(entry.measured, y),
            linestyle="none",
            marker=look.marker,
            markersize=5.0,
            markerfacecolor=look.colour if look.filled else "white",
            markeredgecolor=look.colour if not look.filled else "white",
            markeredgewidth=1.0 if not look.filled else 0.4,
            label=words_of(entry.verdict),
            zorder=3,
        )


def words_of(verdict: str) -> str:
    """Give the answer of a verdict, and why, as legends have them."""
    # A number that is drawn was measured, so that "could not be tested" would be no reason.
    why = "shown, not judged" if verdict == NOT_TESTABLE else VERDICTS[verdict].why
    return f"ours: {VERDICTS[verdict].answer} ({why})"


def _legend(figure: Figure, panels: Sequence[Axes], entries: Sequence[PrintedAndOurs]) -> None:
    """Draw one legend below all panels: printed numbers, verdicts, random methods."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    by_label: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            by_label.setdefault(label, handle)
    spread = any(entry.spread for entry in entries)
    tick = Line2D([], [], color="black", marker="|", markersize=8, markeredgewidth=1.6, linestyle="none")
    shown: list[tuple[str, Any]] = [(f"{PUBLISHED}; bar on top: its spread" if spread else PUBLISHED, tick)]
    if any(entry.band for entry in entries):
        shown.append((BAND, Patch(facecolor="0.8", linewidth=0)))
    verdicts = [words_of(verdict) for verdict in LOOKS if any(e.verdict == verdict for e in entries)]
    shown += [(label, by_label[label]) for label in verdicts]
    shown += [(label, handle) for label, handle in by_label.items() if label not in verdicts]
    labels, handles = [label for label, _ in shown], [handle for _, handle in shown]
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
