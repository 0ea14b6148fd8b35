"""Drawings of the HFD paper's figures; data come in, a matplotlib figure goes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cladebench.bench.intervals import Interval
from cladebench.measures import Measure
from cladebench.papers.figures import empty_figure, shared_legend, thumbnails
from cladebench.plotting import PALETTE, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cladebench.datasets import Images

#: One look for a method in every figure: colour, dashes, marker, hatch of its bars. Forests are vermilion, linear
#: metrics blue and green, other trees purple and yellow; what is no method of the paper has a hatch.
STYLES: Mapping[str, tuple[str, str, str, str]] = {
    "Euclidean": ("0.55", "-", "o", ""),
    "DCA": (PALETTE[5], "-", "s", ""),
    "LMNN": (PALETTE[0], "-", "^", ""),
    "GB-LMNN": (PALETTE[0], "--", "v", ""),
    "ITML": (PALETTE[2], "-", "D", ""),
    "BoostMetric": (PALETTE[2], "--", "P", ""),
    "RFD": (PALETTE[4], "-", "X", ""),
    "HFD": (PALETTE[1], "-", "*", ""),
    "HFD-unconstrained": (PALETTE[1], "--", "p", "////"),
    "HFD-random": (PALETTE[1], ":", "h", "...."),
    "Proximity": (PALETTE[4], "--", "<", "////"),
    "NCA": (PALETTE[3], "--", ">", "////"),
    "Random": ("0.8", ":", "x", "...."),
}

#: data set or problem -> method -> interval.
Bars = Mapping[str, Mapping[str, Interval]]


def accuracy_bars(found: Bars, labels: Mapping[str, str], measure: Measure) -> Figure:
    """Bars with 95% intervals: a panel for each data set, a bar for each method."""
    from matplotlib.figure import Figure

    if not found:
        return empty_figure("No finished cell of classification in this scope.")
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure = Figure(figsize=(2.5 * columns + 1.9, 1.9 * rows + 0.3), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    methods = [method for method in STYLES if any(method in of for of in found.values())]
    for axes, (dataset, of) in zip(panels, found.items(), strict=False):
        low = 1.0
        for place, method in enumerate(methods):
            if method not in of:
                continue
            colour, _, _, hatch = STYLES[method]
            interval = of[method]
            axes.bar(
                place,
                measure.scale * interval.mean,
                0.85,
                color=colour,
                hatch=hatch,
                edgecolor="white" if hatch else colour,
                label=labels.get(method, method),
            )
            whisker(axes, place, interval, measure.scale)
            if method != "Random":
                low = min(low, interval.mean)
        # From a round number below the worst that is no control: bars are compared by their ends.
        bottom = max(0.0, np.floor(10 * (low - 0.05)) / 10)
        axes.set_ylim(measure.scale * bottom, None)
        axes.set_title(dataset)
        axes.set_xticks([])
    for axes in panels[len(found) :]:
        axes.axis("off")
    for row in range(rows):
        panels[row * columns].set_ylabel(measure.heading)
    shared_legend(figure, panels)
    return figure


def whisker(axes: Axes, place: float, interval: Interval, scale: float = 1.0) -> None:
    """Draw the 95% interval of a mean, where there is one."""
    if np.isfinite(interval.low) and interval.high > interval.low:
        axes.vlines(place, scale * interval.low, scale * interval.high, color="black", linewidth=0.9)


def curves(
    panels_of: Mapping[str, Mapping[str, Mapping[float, Interval]]],
    labels: Mapping[str, str],
    measure: Measure,
    x_label: str,
) -> Figure:
    """Means with 95% intervals against a number: a panel for each data set, a curve for each method."""
    from matplotlib.figure import Figure

    if not panels_of:
        return empty_figure("No finished cell of this experiment in this scope.")
    figure = Figure(figsize=(2.7 * len(panels_of) + 1.9, 3.0), layout="constrained")
    panels = figure.subplots(1, len(panels_of), squeeze=False)[0]
    for axes, (dataset, of) in zip(panels, panels_of.items(), strict=True):
        shown = [method for method in STYLES if method in of]
        span = max((max(of[m]) - min(of[m]) for m in shown), default=0.0)
        for k, method in enumerate(shown):
            colour, dashes, marker, _ = STYLES[method]
            xs = sorted(of[method])
            # Side by side, so that no interval hides another.
            shift = (k - (len(shown) - 1) / 2) * 0.004 * span
            axes.plot(
                [x + shift for x in xs],
                [measure.scale * of[method][x].mean for x in xs],
                color=colour,
                linestyle=dashes,
                marker=marker,
                markersize=4.5 if marker == "*" else 3.2,
                label=labels.get(method, method),
            )
            for x in xs:
                interval = of[method][x]
                if np.isfinite(interval.low) and interval.high > interval.low:
                    axes.vlines(
                        x + shift,
                        measure.scale * interval.low,
                        measure.scale * interval.high,
                        color=colour,
                        linewidth=0.8,
                    )
        axes.set_title(dataset)
        axes.set_xlabel(x_label)
    panels[0].set_ylabel(measure.heading)
    shared_legend(figure, panels)
    return figure


def accuracy_against_time(
    found: Mapping[str, Mapping[str, tuple[float, float, float]]],
    labels: Mapping[str, str],
    accuracy: Measure,
) -> Figure:
    """Accuracy against the seconds of training (upper row) and of a query (lower row), a column for each data set.

    Parameters
    ----------
    found : mapping
        Data set -> method -> (accuracy, seconds of training, seconds per query).
    labels : mapping of str to str
    accuracy : Measure
    """
    from matplotlib.figure import Figure

    if not found:
        return empty_figure("No finished cell of classification in this scope.")
    figure = Figure(figsize=(2.3 * len(found) + 1.9, 4.6), layout="constrained")
    panels = figure.subplots(2, len(found), squeeze=False, sharey="col")
    for column, (dataset, of) in enumerate(found.items()):
        for row, what in enumerate(("training (s)", "one query (s)")):
            axes = panels[row, column]
            for method in STYLES:
                if method in of and method != "Random":
                    colour, dashes, marker, _ = STYLES[method]
                    axes.plot(
                        max(of[method][row + 1], 1e-7),
                        accuracy.scale * of[method][0],
                        marker,
                        color=colour,
                        markersize=7 if marker == "*" else 5,
                        fillstyle="full" if dashes == "-" else "none",
                        label=labels.get(method, method),
                    )
            axes.set_xscale("log")
            axes.set_xlabel(what)
            if row == 0:
                axes.set_title(dataset)
    for row in range(2):
        panels[row, 0].set_ylabel(accuracy.heading)
    shared_legend(figure, panels.flat)
    return figure


def gallery(
    query: Sequence[int],
    found: Mapping[str, tuple[np.ndarray, np.ndarray]],
    labels: Mapping[str, str],
    images: Images,
) -> Figure:
    """The nearest images of a few test images under each method; a frame marks those of the same class.

    Parameters
    ----------
    query : sequence of int
        Test rows of the data set.
    found : mapping of str to (ndarray, ndarray)
        Method -> rows of the neighbours, shape (n_queries, k), and whether they have the query's class.
    labels : mapping of str to str
    images : Images
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    n = len(query)
    k = next(iter(found.values()))[0].shape[1]
    figure = Figure(
        figsize=(0.42 * (k + 1) * min(2, n) + 1.4, 0.55 * len(found) * -(-n // 2) + 0.5), layout="constrained"
    )
    panels = figure.subplots(-(-n // 2) * len(found), min(2, n), squeeze=False)
    for q, row in enumerate(query):
        for m, (method, (neighbors, relevant)) in enumerate(found.items()):
            axes = panels[(q // 2) * len(found) + m, q % 2]
            thumbnails(axes, images, [row, *neighbors[q].tolist()])
            for place, right in enumerate(relevant[q], start=1):
                if right:
                    axes.add_patch(
                        Rectangle(
                            (place + 0.03, 0.03), 0.94, 0.94, fill=False, edgecolor=PALETTE[2], linewidth=1.6
                        )
                    )
            if q % 2 == 0:
                axes.text(-0.15, 0.5, labels.get(method, method), ha="right", va="center", fontsize=SMALL)
    for axes in panels.ravel():
        axes.axis("off")
    return figure
