"""Figures of the verdicts, the same for every paper: the main result, and what claims hang on."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cladebench.audit.verdict_types import CONTRADICTED, REPRODUCED, VERDICTS
from cladebench.papers.figures import empty_figure, write_below
from cladebench.plotting import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Look:
    """How a verdict is drawn: shape of the marker, whether it is filled, its colour. No two have the same shape."""

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
LOOKS = {name: Look(*_MARKERS[name], verdict.colour) for name, verdict in VERDICTS.items()}

#: Stances of a claim in a universe: colour, and the sign that stands in the field.
STANCES = {
    "supports": (VERDICTS[REPRODUCED].colour, "+"),
    "undecided": ("#f3e9a6", "?"),
    "contradicts": (VERDICTS[CONTRADICTED].colour, "−"),
    "not testable": ("#f2f2f2", ""),
}
#: Columns of a table that stand beside each other at most: more have no room for their names.
MOST_ACROSS = 4
TITLE_WIDTH = 20  # characters of a line above a panel
#: Rows of the figure of universes at most: more cannot be read on a page.
MOST_ROWS = 60
#: Characters of a claim's name that have room beside the map.
_NAME = 80
#: In legends.
PUBLISHED = "published"


@dataclass(frozen=True)
class Printed:
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


def main_result(
    entries: Sequence[Printed],
    columns: Sequence[str],
    unit: str,
    blind: Mapping[str, Mapping[str, float]] | None = None,
    headings: Mapping[str, str] | None = None,
) -> Figure:
    """Draw a table of the paper: for each entry the published number and ours, in the look of its verdict.

    Parameters
    ----------
    entries : sequence of Printed
    columns : sequence of str
        In the paper's order.
    unit : str
        What is shown, for the axes.
    blind : mapping of str to mapping of str to float, optional
        Name of a method that learns nothing from the data -> column -> its mean.
    headings : mapping of str to str, optional
        Column -> the verdict on the order of its methods, which stands below its name.
    """
    from matplotlib.figure import Figure

    shown = [entry for entry in entries if entry.measured is not None]
    if not shown:
        return empty_figure("None of the printed numbers was measured in this run.")
    rows = list(dict.fromkeys(entry.row for entry in entries))
    across = min(len(columns), MOST_ACROSS)
    down = -(-len(columns) // across)
    figure = Figure(figsize=(7.2, 0.6 + down * (0.9 + 0.26 * len(rows))), layout="constrained")
    panels = figure.subplots(down, across, sharey=True, squeeze=False).ravel().tolist()
    for panel in panels[len(columns) :]:
        panel.axis("off")
    for panel, column in zip(panels, columns, strict=False):
        _panel(panel, [entry for entry in entries if entry.column == column], rows)
        for (name, means), dashes in zip(
            (blind or {}).items(), itertools.cycle(("--", ":", "-.")), strict=False
        ):
            if column in means:
                panel.axvline(
                    means[column], color="black", linestyle=dashes, linewidth=0.9, label=name, zorder=1
                )
        title = textwrap.fill(column, TITLE_WIDTH)
        panel.set_title(title)
        if ordered := (headings or {}).get(column):
            panel.set_title(f"{title}\norder: {ordered}")
        panel.set_xlabel(unit)
    panels[0].set_yticks(range(len(rows)), rows)
    panels[0].set_ylim(len(rows) - 0.4, -0.6)
    _legend(figure, panels, shown)
    return figure


def _panel(axes: Axes, entries: Iterable[Printed], rows: Sequence[str]) -> None:
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="0.92", linewidth=5.0)
    axes.tick_params(axis="y", length=0)
    for entry in entries:
        y = rows.index(entry.row)
        axes.errorbar(
            *(entry.published, y - 0.16),
            xerr=entry.spread,
            fmt="|",
            color="0.25",
            markersize=7.0,
            markeredgewidth=1.6,
            linewidth=0.8,
            label=PUBLISHED,
        )
        if entry.measured is None:
            continue
        look = LOOKS[entry.verdict]
        low = entry.measured if entry.low is None else entry.low
        high = entry.measured if entry.high is None else entry.high
        axes.plot([low, high], [y + 0.16] * 2, color=look.colour, linewidth=1.3, zorder=2)
        axes.plot(
            *(entry.measured, y + 0.16),
            linestyle="none",
            marker=look.marker,
            markersize=5.5,
            markerfacecolor=look.colour if look.filled else "white",
            markeredgecolor=look.colour,
            markeredgewidth=1.0,
            label=f"ours: {entry.verdict}",
            zorder=3,
        )


def _legend(figure: Figure, panels: Sequence[Axes], entries: Sequence[Printed]) -> None:
    """One legend below all panels: the published numbers, the verdicts in their order, then what is blind."""
    found: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    verdicts = [f"ours: {verdict}" for verdict in LOOKS if any(e.verdict == verdict for e in entries)]
    order = [PUBLISHED, *verdicts, *(label for label in found if label not in (PUBLISHED, *verdicts))]
    handles = [found[label] for label in order]
    if any(entry.spread is not None for entry in entries):
        order[0] = f"{PUBLISHED}, with its printed spread"
    figure.legend(handles, order, loc="outside lower center", ncols=min(4, len(order)), frameon=False)


def claims_by_universes(
    claims: Sequence[Mapping[str, Any]], universes: Sequence[Mapping[str, str]]
) -> Figure:
    """Draw the stance of each claim that universes disagree on: a row for each claim, a column for each universe.

    Parameters
    ----------
    claims : sequence of Mapping
        Entries of ``audit.json``: claim, stance (in the chosen universe), stances (name of universe -> stance).
    universes : sequence of Mapping
        As ``audit.json`` has them: factor (entry of the register) and name; what stands in `stances` alone comes last.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    split = disagreeing(claims)
    if not split:
        return empty_figure("No claim of this run is judged otherwise in another universe.")
    shown = split[:MOST_ROWS]
    factor_of = {universe["name"]: universe["factor"] for universe in universes}
    for claim in split:
        for name in claim["stances"]:
            factor_of.setdefault(name, "several at once")
    names = [name for name in factor_of if any(name in claim["stances"] for claim in shown)]
    values = [
        [list(STANCES).index(stance) for stance in (c["stance"], *(_stance(c, name) for name in names))]
        for c in shown
    ]
    room = 0.045 * max(len(_short(name)) for name in names)
    figure = Figure(
        figsize=(max(5.0, 3.4 + 0.24 * (len(names) + 1)), 1.2 + room + 0.145 * len(shown)),
        layout="constrained",
    )
    axes = figure.add_subplot()
    colours = ListedColormap([colour for colour, _ in STANCES.values()])
    axes.imshow(
        values, cmap=colours, vmin=-0.5, vmax=len(STANCES) - 0.5, aspect="auto", interpolation="nearest"
    )
    signs = [sign for _, sign in STANCES.values()]
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            axes.text(x, y, signs[value], ha="center", va="center_baseline", fontsize=SMALL)
    _grid(axes, shown, ["as chosen", *names], ["", *(factor_of[name] for name in names)])
    handles = [_field(colour) for colour, _ in STANCES.values()]
    labels = [f"{sign or ' '}  {stance}" for stance, (_, sign) in STANCES.items()]
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels), frameon=False)
    notes = [
        f"{len(split)} of {sum(bool(c['stances']) for c in claims)} claims that are judged in several universes "
        "have another stance in one of them than in another."
    ]
    if len(split) > len(shown):
        notes.append(
            f"{len(split) - len(shown)} more are in the table of claims; here stand those most divided."
        )
    write_below(figure, notes)
    return figure


def disagreeing(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Claims with more than one stance over all universes; what cannot be tested in one says nothing there.

    Grouped by the first part of their names, in the order of the file; where they are more than `MOST_ROWS`, those that
    most universes speak against come before.
    """
    split = [claim for claim in claims if len(_stances(claim)) > 1]
    if len(split) > MOST_ROWS:
        least = sorted(split, key=lambda claim: -_minority(claim))
        split = sorted(least[:MOST_ROWS], key=split.index) + least[MOST_ROWS:]
    return split


def _stances(claim: Mapping[str, Any]) -> set[str]:
    return {claim["stance"], *claim["stances"].values()} - {"not testable"}


def _stance(claim: Mapping[str, Any], universe: str) -> str:
    return str(claim["stances"].get(universe, "not testable"))


def _minority(claim: Mapping[str, Any]) -> int:
    """In how many universes a claim has another stance than in the chosen one."""
    return sum(stance not in (claim["stance"], "not testable") for stance in claim["stances"].values())


def _grid(
    axes: Axes, claims: Sequence[Mapping[str, Any]], names: Sequence[str], factors: Sequence[str]
) -> None:
    """Names of rows and columns; white lines between fields, dark ones between groups of claims and of universes."""
    axes.set_yticks(range(len(claims)), [_short(claim["claim"]) for claim in claims])
    axes.set_xticks(
        range(len(names)), [_short(name) for name in names], rotation=60, ha="right", rotation_mode="anchor"
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for y in range(1, len(claims)):
        above, below = (claims[k]["claim"].partition("/")[0] for k in (y - 1, y))
        axes.axhline(y - 0.5, color="white" if above == below else "black", linewidth=0.6)
    for x in range(1, len(names)):
        same = factors[x - 1] == factors[x]
        axes.axvline(x - 0.5, color="white" if same else "black", linewidth=0.6 if x > 1 else 1.4)


def _short(text: str) -> str:
    return text if len(text) <= _NAME else text[: _NAME - 1] + "…"


def _field(colour: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor="0.6", linewidth=0.5)
