"""Draw the figures of the HFD paper.

Data come in, a matplotlib figure goes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cladebench.bench.statistics.intervals import Interval
from cladebench.measures import Measure
from cladebench.paper.figures import (
    BETTER,
    RANDOM,
    WIDTH,
    axis_label,
    best_of,
    counted,
    empty_figure,
    thumbnails,
    with_title,
)
from cladebench.papers.hfd.method_styles import BLIND, STYLES, filling, legend
from cladebench.plotting import PALETTE, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cladebench.datasets import Images

#: data set or problem -> method -> interval.
Bars = Mapping[str, Mapping[str, Interval]]


def accuracy_dots(bars: Bars, labels: Mapping[str, str], measure: Measure) -> Figure:
    """Draw means with 95% intervals, a panel for each data set.

    A method has a row, a random one a line. Where a random method lies far below all others, an arrow at the edge has
    its number.
    """
    from matplotlib.figure import Figure

    if not bars:
        return empty_figure("No finished run of classification in this scope.")
    columns = min(3, len(bars))
    rows = -(-len(bars) // columns)
    methods = [m for m in STYLES if m not in BLIND and any(m in of for of in bars.values())]
    figure = Figure(figsize=(WIDTH, rows * (0.16 * len(methods) + 0.9) + 0.4), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axes, (dataset, of) in zip(panels, bars.items(), strict=False):
        left = measure.scale * lower_end([of[m] for m in of if m not in BLIND] or list(of.values()))
        axes.grid(axis="y", color="0.93", linewidth=0.8)
        axes.set_axisbelow(True)
        for place, method in enumerate(methods):
            if method in of:
                dot(axes, place, of[method], measure.scale, method, labels)
        below = len(methods)
        for method in (name for name in BLIND if name in of):
            mean, name = measure.scale * of[method].mean, labels.get(method, method)
            if mean < left:
                text = f" \u2190 {name}: {mean:.3g}"
                axes.text(left, below, text, ha="left", va="center", fontsize=SMALL, color="0.35")
                below += 1
            else:
                style: Any = {"color": "0.35", "linestyle": BLIND[method], "linewidth": 0.9, "zorder": 1}
                axes.axvline(mean, label=f"{RANDOM}{name}", **style)
        keep_possible(axes, measure, upright=False)
        axes.set_xlim(left, None)
        axes.set_title(dataset, fontsize=8.0)
    for k, axes in enumerate(panels):
        if k >= len(bars):
            axes.axis("off")
        elif k + columns >= len(bars):
            axes.set_xlabel(axis_label(measure))
    panels[0].set_yticks(range(len(methods)), [labels.get(method, method) for method in methods])
    panels[0].set_ylim(len(methods) + 0.5, -0.5)
    lines = {
        name: line
        for axes in panels
        for line, name in zip(*axes.get_legend_handles_labels(), strict=True)
        if name.startswith(RANDOM)
    }
    if lines:
        figure.legend(lines.values(), lines.keys(), loc="outside upper right", ncols=2, frameon=False)
    return with_title(figure, said_of_lead(bars.values(), measure, "data set"), figure.legends)


def said_of_lead(means: Iterable[Mapping[str, Interval]], measure: Measure, what: str) -> str:
    """Count the comparisons in which HFD alone has the best mean.

    The text is empty where it has no rival.
    """
    compared = [{name: i.mean for name, i in of.items()} for of in means if "HFD" in of and len(of) > 1]
    leads = sum(best_of(of, measure) == {"HFD"} for of in compared)
    heading = measure.title or measure.name
    return f"HFD has the best mean {heading} on {leads} of {counted(len(compared), what)}" if compared else ""


def dot(
    axes: Axes, y: float, interval: Interval, scale: float, method: str, labels: Mapping[str, str]
) -> None:
    """Draw a method's mean as a marker, with any interval's line."""
    colour, _, marker, _ = STYLES[method]
    if np.isfinite(interval.low) and interval.high > interval.low:
        axes.hlines(y, scale * interval.low, scale * interval.high, color=colour, linewidth=1.2)
    axes.plot(
        scale * interval.mean,
        y,
        marker,
        color=colour,
        markerfacecolor=filling(method),
        markersize=6.5 if marker == "*" else 4.5,
        label=labels.get(method, method),
        zorder=3,
    )


def differences(
    curves: Mapping[str, Mapping[float, Interval]], labels: Mapping[str, str], measure: Measure, x_label: str
) -> Figure:
    """Draw HFD minus other methods, a panel each, against a number.

    HFD is better above 0.
    """
    from matplotlib.figure import Figure

    rivals = [method for method in STYLES if method in curves]
    if not rivals:
        return empty_figure("No finished run of this experiment in this scope.")
    columns = min(4, len(rivals))
    rows = -(-len(rivals) // columns)
    figure = Figure(figsize=(WIDTH, 1.3 * rows + 0.5), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    panels = grid.ravel()
    for axes, method in zip(panels, rivals, strict=False):
        colour, _, marker, _ = STYLES[method]
        xs = sorted(curves[method])
        axes.axhline(0.0, color="0.5", linewidth=0.8)
        axes.plot(
            xs, [measure.scale * curves[method][x].mean for x in xs], marker, color=colour, markersize=4.0
        )
        for x in xs:
            interval_line(axes, x, curves[method][x], measure.scale, colour, 1.2)
        axes.set_title(labels.get(method, method), fontsize=8.0)
    for axes in panels[len(rivals) :]:
        axes.axis("off")
    for k, axes in enumerate(panels[: len(rivals)]):
        if k + columns >= len(rivals):
            axes.tick_params(labelbottom=True)
        if k // columns == rows - 1:
            axes.set_xlabel(x_label, fontsize=SMALL)
    for axes in grid[:, 0]:
        axes.set_ylabel("HFD minus\nthe method" + (" (points)" if measure.unit == "%" else ""))
    every = [interval for of in curves.values() for interval in of.values()]
    above, below = sum(i.low > 0 for i in every), sum(i.high < 0 for i in every)
    number = counted(len(every), "comparison")
    return with_title(figure, f"Above 0 HFD is better: shown in {above} of {number}; shown worse in {below}")


def lower_end(intervals: Sequence[Interval]) -> float:
    """Find the tenth below all means and intervals, at least 0."""
    ends = [min(i.mean - 0.05, i.low) if np.isfinite(i.low) else i.mean - 0.05 for i in intervals]
    return max(0.0, float(np.floor(round(10 * min(ends), 9))) / 10)


def keep_possible(axes: Axes, measure: Measure, upright: bool = True) -> None:
    """Cut the axis of values where no value can be.

    Intervals of few values are wider than that.
    """
    low, high = axes.get_ylim() if upright else axes.get_xlim()
    least, most = (measure.scale * end for end in measure.range)
    room = 0.02 * (min(high, most) - max(low, least))
    ends = max(low, least - room), min(high, most + room)
    if upright:
        axes.set_ylim(*ends)
    else:
        axes.set_xlim(*ends)


def interval_line(
    axes: Axes, place: float, interval: Interval, scale: float, colour: str, width: float = 0.9
) -> None:
    """Draw the 95% interval of a mean, where there is one."""
    if np.isfinite(interval.low) and interval.high > interval.low:
        axes.vlines(place, scale * interval.low, scale * interval.high, color=colour, linewidth=width)


def curves(
    panels_of: Mapping[str, Mapping[str, Mapping[float, Interval]]],
    labels: Mapping[str, str],
    measure: Measure,
    x_label: str,
    ending: str = "",
) -> Figure:
    """Draw means with 95% intervals against a number, by data.

    A method has a curve.

    The title ends with `ending`.
    """
    from matplotlib.figure import Figure

    if not panels_of:
        return empty_figure("No finished run of this experiment in this scope.")
    figure = Figure(figsize=(min(WIDTH, max(4.4, 2.4 * len(panels_of))), 3.4), layout="constrained")
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
        axes.set_title(dataset, fontsize=8.0)
        axes.set_xlabel(x_label)
        places = sorted({x for method in shown for x in of[method]})
        axes.set_xticks(places, [f"{x:g}" for x in places])
        keep_possible(axes, measure)
    panels[0].set_ylabel(axis_label(measure))
    legend(figure, panels, labels)
    points = [
        {method: of[method][x] for method in of if x in of[method]}
        for of in panels_of.values()
        for x in sorted({x for curve in of.values() for x in curve})
    ]
    said = said_of_lead(points, measure, "point")
    return with_title(figure, said and said + ending, figure.legends)


def accuracy_against_time(
    points: Mapping[str, Mapping[str, tuple[float, float, float]]],
    labels: Mapping[str, str],
    accuracy: Measure,
) -> Figure:
    """Draw accuracy against time, a row for each data set.

    Seconds of training are at the left, milliseconds of a query at the right.

    Parameters
    ----------
    points : mapping
        Data set -> method -> (accuracy, seconds of training, seconds per query).
    labels : mapping of str to str
    accuracy : Measure
    """
    from matplotlib.figure import Figure

    # Where chance lies is in Figure 1; here it would only stretch the axes.
    points = {
        dataset: drawn
        for dataset, of in points.items()
        if (drawn := {method: of[method] for method in STYLES if method in of and method != "Random"})
    }
    if not points:
        return empty_figure("No finished run of classification in this scope.")
    figure = Figure(figsize=(WIDTH, max(2.2, 1.25 * len(points) + 0.7)), layout="constrained")
    panels = figure.subplots(len(points), 2, squeeze=False, sharex="col", sharey="row")
    units = (("training (s)", 1.0), ("one query (ms)", 1e3))
    for row, (dataset, of) in enumerate(points.items()):
        for column, (_, unit) in enumerate(units):
            axes = panels[row, column]
            for method, point in of.items():
                colour, _, marker, _ = STYLES[method]
                axes.plot(
                    unit * point[column + 1],
                    accuracy.scale * point[0],
                    marker,
                    color=colour,
                    markersize=7 if marker == "*" else 5,
                    markerfacecolor=filling(method),
                    label=labels.get(method, method),
                )
            axes.margins(y=0.12)
        panels[row, 0].set_title(dataset.replace("\n", " "), fontsize=8.0, loc="left")
        panels[row, 0].set_ylabel(accuracy.heading)
    for column, (what, unit) in enumerate(units):
        panels[-1, column].set_xlabel(f"{what}\n{BETTER['lower']}")
        times = [unit * row[column + 1] for of in points.values() for row in of.values()]
        whole_decades(panels[-1, column], times)
    legend(figure, panels.flat, labels)
    return with_title(figure, said_of_time(points), figure.legends)


def said_of_time(points: Mapping[str, Mapping[str, tuple[float, float, float]]]) -> str:
    """Count data on which HFD trains longer than the other methods' median.

    The text is empty where there are none.
    """
    compared = [of for of in points.values() if "HFD" in of and len(of) > 1]
    longer = sum(of["HFD"][1] > np.median([of[name][1] for name in of if name != "HFD"]) for of in compared)
    data = counted(len(compared), "data set")
    return f"HFD trains longer than the median method on {longer} of {data}" if compared else ""


def whole_decades(axes: Axes, seconds: Sequence[float]) -> None:
    """Scale the horizontal axis by logarithms, in whole decades.

    Two ticks at least have numbers.
    """
    from matplotlib.ticker import StrMethodFormatter

    logs = np.log10([value for value in seconds if value > 0] or [1.0])
    axes.set_xscale("log")
    axes.set_xlim(10.0 ** np.floor(logs.min() - 0.05), 10.0 ** np.ceil(logs.max() + 0.05))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))  # exponents would be too small to read


def gallery(
    query: Sequence[int],
    neighbors_of: Mapping[str, tuple[np.ndarray, np.ndarray]],
    labels: Mapping[str, str],
    images: Images,
) -> Figure:
    """Draw the nearest images of test images under each method.

    A frame marks those of the same class.

    Parameters
    ----------
    query : sequence of int
        Test rows of the data set, each in a column.
    neighbors_of : mapping of str to (ndarray, ndarray)
        Method -> rows of the neighbours, shape (n_queries, k), and whether they have the query's class.
    labels : mapping of str to str
    images : Images
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    k = max(neighbors.shape[1] for neighbors, _ in neighbors_of.values())
    side = min(0.3, (WIDTH - 1.7) / ((k + 1) * len(query)))  # inches of an image
    size = (side * (k + 1) * len(query) + 1.7, (side + 0.06) * len(neighbors_of) + 0.3)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(neighbors_of), len(query), squeeze=False)
    for line, (method, (neighbors, relevant)) in zip(panels, neighbors_of.items(), strict=True):
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
    return with_title(
        figure, said_of_classes({name: right for name, (_, right) in neighbors_of.items()}, labels)
    )


def said_of_classes(relevant: Mapping[str, np.ndarray], labels: Mapping[str, str]) -> str:
    """Say which methods find most images of the query's class."""
    shares = {labels.get(method, method): float(np.mean(of)) for method, of in relevant.items()}
    most = max(shares.values())
    first = [name for name, share in shares.items() if share == most]
    who = " and ".join(first) if len(first) < 3 else f"{len(first)} methods"
    finds = "finds" if len(first) == 1 else "find"
    return f"{who} {finds} most images of the same class: {most:.0%}" if len(shares) > 1 else ""
