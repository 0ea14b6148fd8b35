"""Drawings of the HFD paper's figures; data come in, a matplotlib figure goes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cladebench.bench.intervals import Interval
from cladebench.measures import Measure
from cladebench.papers.figures import empty_figure, thumbnails
from cladebench.plotting import PALETTE, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cladebench.datasets import Images

#: One look for a method in every figure: colour, dashes, marker, hatch of its bars. Forests are vermilion, linear
#: metrics orange, blue and green, with their nonlinear or boosted forms in a lighter shade, other trees purple; what is
#: not in the paper has a hatch, or a hollow marker.
STYLES: Mapping[str, tuple[str, str, str, str]] = {
    "Euclidean": ("0.55", "-", "o", ""),
    "DCA": (PALETTE[3], "-", "s", ""),
    "LMNN": (PALETTE[0], "-", "^", ""),
    "GB-LMNN": (PALETTE[5], "-", "v", ""),
    "ITML": (PALETTE[2], "-", "D", ""),
    "BoostMetric": ("#7fd0b4", "-", "P", ""),
    "RFD": (PALETTE[4], "-", "X", ""),
    "HFD": (PALETTE[1], "-", "*", ""),
    "HFD-unconstrained": (PALETTE[1], "--", "p", "////"),
    "HFD-random": (PALETTE[1], ":", "h", "...."),
    "Proximity": (PALETTE[4], "--", "<", "////"),
    "NCA": (PALETTE[3], "--", ">", "////"),
    "Random": ("0.8", ":", "o", "...."),
}

#: data set or problem -> method -> interval.
Bars = Mapping[str, Mapping[str, Interval]]


def accuracy_bars(found: Bars, labels: Mapping[str, str], measure: Measure) -> Figure:
    """Bars with 95% intervals: a panel for each data set, a bar for each method.

    Bars begin at a round number below all but those of Random, which stand there as a number where they are shorter.
    """
    from matplotlib.figure import Figure

    if not found:
        return empty_figure("No finished cell of classification in this scope.")
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure = Figure(figsize=(2.1 * columns + 1.9, 1.9 * rows + 0.3), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    methods = [method for method in STYLES if any(method in of for of in found.values())]
    for axes, (dataset, of) in zip(panels, found.items(), strict=False):
        bottom = measure.scale * lower_end([of[m] for m in of if m != "Random"] or list(of.values()))
        for place, method in enumerate(methods):
            if method not in of:
                continue
            colour, _, _, hatch = STYLES[method]
            height = measure.scale * of[method].mean
            axes.bar(
                place,
                height,
                0.85,
                color=colour,
                hatch=hatch,
                edgecolor="white" if hatch else colour,
                label=labels.get(method, method),
            )
            if height < bottom:
                axes.text(
                    place, bottom, f" {height:.3g}", ha="center", va="bottom", rotation=90, fontsize=SMALL
                )
            else:
                interval_line(axes, place, of[method], measure.scale, "black")
        keep_possible(axes, measure)
        axes.set_ylim(bottom, None)
        axes.set_xlim(-0.7, len(methods) - 0.3)
        axes.set_title(dataset)
        axes.set_xticks([])
    for axes in panels[len(found) :]:
        axes.axis("off")
    for row in range(rows):
        panels[row * columns].set_ylabel(measure.heading)
    legend(figure, panels, labels)
    return figure


def lower_end(intervals: Sequence[Interval]) -> float:
    """Give the tenth that lies below all means and ends of intervals; 0 at least."""
    ends = [min(i.mean - 0.05, i.low) if np.isfinite(i.low) else i.mean - 0.05 for i in intervals]
    return max(0.0, float(np.floor(round(10 * min(ends), 9))) / 10)


def keep_possible(axes: Axes, measure: Measure) -> None:
    """Cut the vertical axis where no value can be: intervals of few values are wider than that."""
    low, high = axes.get_ylim()
    least, most = (measure.scale * end for end in measure.range)
    room = 0.02 * (min(high, most) - max(low, least))
    axes.set_ylim(max(low, least - room), min(high, most + room))


def interval_line(
    axes: Axes, place: float, interval: Interval, scale: float, colour: str, width: float = 0.9
) -> None:
    """Draw the 95% interval of a mean, where there is one."""
    if np.isfinite(interval.low) and interval.high > interval.low:
        axes.vlines(place, scale * interval.low, scale * interval.high, color=colour, linewidth=width)


def legend(figure: Figure, panels: Iterable[Axes], labels: Mapping[str, str]) -> None:
    """Draw one legend for all panels, in the order of `STYLES`, whichever panel lacks a method."""
    handles = {
        label: handle
        for axes in panels
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    shown = [label for label in (labels.get(method, method) for method in STYLES) if label in handles]
    figure.legend([handles[label] for label in shown], shown, loc="outside right upper", frameon=False)


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
    figure = Figure(figsize=(max(4.2, 2.3 * len(panels_of)) + 1.9, 3.0), layout="constrained")
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
                markersize=5.5 if marker == "*" else 3.2,
                markerfacecolor=filling(method),
                linewidth=1.8 if method == "HFD" else 1.0,
                zorder=3 if method == "HFD" else 2,
                label=labels.get(method, method),
            )
            for x in xs:
                interval_line(axes, x + shift, of[method][x], measure.scale, colour, 0.8)
        axes.set_title(dataset)
        axes.set_xlabel(x_label)
        places = sorted({x for method in shown for x in of[method]})
        axes.set_xticks(places, [f"{x:g}" for x in places])
        keep_possible(axes, measure)
    panels[0].set_ylabel(measure.heading)
    legend(figure, panels, labels)
    return figure


def filling(method: str) -> str:
    """Colour inside a method's markers: those of what is not in the paper are hollow."""
    colour, _, _, hatch = STYLES[method]
    return "white" if hatch else colour


def accuracy_against_time(
    found: Mapping[str, Mapping[str, tuple[float, float, float]]],
    labels: Mapping[str, str],
    accuracy: Measure,
) -> Figure:
    """Accuracy against the seconds of training (left) and of a query (right), a row for each data set.

    Parameters
    ----------
    found : mapping
        Data set -> method -> (accuracy, seconds of training, seconds per query).
    labels : mapping of str to str
    accuracy : Measure
    """
    from matplotlib.figure import Figure

    # Where chance lies is in Figure 1; here it would only stretch the axes.
    found = {
        dataset: drawn
        for dataset, of in found.items()
        if (drawn := {method: of[method] for method in STYLES if method in of and method != "Random"})
    }
    if not found:
        return empty_figure("No finished cell of classification in this scope.")
    figure = Figure(figsize=(7.2, max(2.2, 1.35 * len(found) + 0.7)), layout="constrained")
    panels = figure.subplots(len(found), 2, squeeze=False, sharex="col", sharey="row")
    for row, (dataset, of) in enumerate(found.items()):
        for column in range(2):
            axes = panels[row, column]
            for method, point in of.items():
                colour, _, marker, _ = STYLES[method]
                axes.plot(
                    point[column + 1],
                    accuracy.scale * point[0],
                    marker,
                    color=colour,
                    markersize=7 if marker == "*" else 5,
                    markerfacecolor=filling(method),
                    label=labels.get(method, method),
                )
            axes.margins(y=0.12)
        panels[row, 0].set_ylabel(f"{dataset}\n{accuracy.heading}")
    for column, what in enumerate(("training (s)", "one query (s)")):
        panels[-1, column].set_xlabel(what)
        whole_decades(panels[-1, column], [row[column + 1] for of in found.values() for row in of.values()])
    legend(figure, panels.flat, labels)
    return figure


def whole_decades(axes: Axes, seconds: Sequence[float]) -> None:
    """Scale the horizontal axis by logarithms, from a power of ten to another: two ticks at least have numbers."""
    from matplotlib.ticker import NullFormatter

    logs = np.log10([value for value in seconds if value > 0] or [1.0])
    axes.set_xscale("log")
    axes.set_xlim(10.0 ** np.floor(logs.min() - 0.05), 10.0 ** np.ceil(logs.max() + 0.05))
    axes.xaxis.set_minor_formatter(NullFormatter())


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
        Test rows of the data set, each in a column.
    found : mapping of str to (ndarray, ndarray)
        Method -> rows of the neighbours, shape (n_queries, k), and whether they have the query's class.
    labels : mapping of str to str
    images : Images
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    k = max(neighbors.shape[1] for neighbors, _ in found.values())
    size = (0.3 * (k + 1) * len(query) + 1.7, 0.36 * len(found) + 0.3)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(found), len(query), squeeze=False)
    for line, (method, (neighbors, relevant)) in zip(panels, found.items(), strict=True):
        for axes, row, near, right in zip(line, query, neighbors, relevant, strict=True):
            thumbnails(axes, images, [int(row), *near.tolist()])
            axes.set_xlim(0, k + 1)
            for place in np.flatnonzero(right) + 1:
                frame = Rectangle(
                    (place + 0.04, 0.04),
                    0.92,
                    0.92,
                    fill=False,
                    edgecolor=PALETTE[2],
                    linewidth=1.4,
                    zorder=3,
                )
                axes.add_patch(frame)
            axes.axvline(
                0.98, color="white", linewidth=3.0
            )  # what was asked stands apart from what was found
        line[0].text(-0.2, 0.5, labels.get(method, method), ha="right", va="center", fontsize=SMALL)
    return figure
