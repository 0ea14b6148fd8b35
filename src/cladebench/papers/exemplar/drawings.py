"""Draw the figures of the exemplar paper.

Data come in, a matplotlib figure goes out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cladebench.paper.figures import (
    LINE,
    RANDOM,
    broken,
    check_number,
    counted,
    empty_figure,
    shared_legend,
    with_notes,
    with_title,
)
from cladebench.plotting import PALETTE, SMALL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FloatArray = npt.NDArray[np.float64]

WIDTH = 6.5  # inches
_COLOURS = PALETTE[:6]  # of points on white: yellow is too pale there, black is for marks
_LINE_COLOURS = (*_COLOURS, PALETTE[7])
_DASHES = ("-", "--", ":")
_METHOD_MARKERS = "os^DvPX"
_CLUSTER_MARKERS = "os^Dv"  # five shapes and six colours: the first thirty clusters all differ


def objective_paths(paths: Mapping[str, Sequence[FloatArray]], notes: Sequence[str] = ()) -> Figure:
    """Draw the objective over its start, by round (Figures 2(a), 6(b)).

    Parameters
    ----------
    paths : mapping of str to sequence of ndarray, shapes (n_rounds + 1,)
        Group of runs, such as their size or their data set -> the objective of each run at rounds 0, 1, ...: a thin
        line each, and a thick one for their mean. Runs may differ in length: in the mean, one that stopped early stays
        at the lowest value it reached. Runs and groups without a value are left out.
    notes : sequence of str, default=()
        Written below the drawing.

    Raises
    ------
    ValueError
        If a run does not start above 0: nothing is relative to such a start.
    """
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.ticker import StrMethodFormatter, SymmetricalLogLocator

    groups = {name: _relative(name, runs) for name, runs in paths.items()}
    groups = {name: runs for name, runs in groups.items() if runs}
    if not groups:
        return empty_figure("No objectives of learning in this scope.")
    labels = {
        name: textwrap.fill(f"{name} ({len(runs)} runs)" if len(runs) > 1 else name, 34)
        for name, runs in groups.items()
    }
    n_lines = sum(len(label.splitlines()) for label in labels.values())
    figure = Figure(figsize=(WIDTH, max(3.0, 0.155 * n_lines + 0.4)), layout="constrained")
    axes = figure.add_subplot()
    for k, (name, runs) in enumerate(groups.items()):
        colour, dashes = _line_style(k)
        if len(runs) > 1:
            for run in runs:
                axes.plot(run, color=colour, linewidth=0.5, alpha=0.45)
        axes.plot(
            _mean_path(runs), color=colour, linestyle=dashes, linewidth=2.0, zorder=3, label=labels[name]
        )
    last = max(len(run) for runs in groups.values() for run in runs) - 1
    # Most is over after a few rounds. Round 0 has no logarithm: from there to round 1 the axis is linear.
    axes.set_xscale("symlog", linthresh=1, linscale=0.4)
    axes.set_xlim(0, max(1, last))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_locator(SymmetricalLogLocator(base=10, linthresh=1, subs=range(2, 10)))
    lowest = min(float(run.min()) for runs in groups.values() for run in runs)
    if 0 <= lowest < 0.5:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("round")
    axes.set_ylabel("objective, relative to the start")
    shared_legend(figure, [axes])
    if any(len(runs) > 1 for runs in groups.values()):
        figure.legends[0].set_title("thin: runs, thick: mean", FontProperties(size=SMALL))
    return with_title(
        with_notes(figure, notes), _said_of_fall([_mean_path(runs) for runs in groups.values()])
    )


def _said_of_fall(paths: Sequence[FloatArray]) -> str:
    """Say where mean objectives are after ten rounds, or fewer.

    Runs that are shorter count at their ends.
    """
    rounds = min(10, *(len(path) - 1 for path in paths))
    values = [float(path[rounds]) for path in paths]
    span = " to ".join(dict.fromkeys((f"{min(values):.0%}", f"{max(values):.0%}")))
    return f"After {counted(rounds, 'round')} the objective is at {span} of its start"


def _relative(name: str, runs: Sequence[FloatArray]) -> list[FloatArray]:
    """Divide each run by its start.

    Runs without a value are left out.
    """
    values = [np.asarray(run, dtype=np.float64) for run in runs if len(run)]
    for run in values:
        if not run[0] > 0:
            raise ValueError(f"paths: a run of {name!r} starts at {run[0]:g}; expected a number above 0")
    return [np.asarray(run / run[0]) for run in values]


def _mean_path(runs: Sequence[FloatArray]) -> FloatArray:
    """Average runs; an ended run keeps the lowest value it reached."""
    longest = max(map(len, runs))
    whole = [np.concatenate([run, np.full(longest - len(run), run.min())]) for run in runs]
    return np.asarray(np.mean(whole, axis=0))


def _line_style(k: int) -> tuple[str, str]:
    """Give colour and dashes of line k.

    The first 21 all differ, and neighbours in both.
    """
    n = len(_LINE_COLOURS)
    return _LINE_COLOURS[k % n], _DASHES[(k + k // n) % len(_DASHES)]


def clustering(
    points: FloatArray,
    labels: npt.NDArray[Any],
    exemplars: npt.NDArray[np.int64],
    found: npt.NDArray[Any],
    axis_names: tuple[str, str] = ("dimension 1", "dimension 2"),
    notes: Sequence[str] = (),
) -> Figure:
    """Draw true clusters, exemplars and errors in the plane (Figure 2(c)).

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    labels : ndarray of shape (n,)
        True cluster of each point, which is its colour and shape.
    exemplars : ndarray of int64
        Rows of `points` that get a ring.
    found : ndarray of shape (n,)
        Cluster that was found for each point. A cross marks those whose true cluster is not the most frequent one in
        it (of equally frequent ones, the first in order).
    axis_names : (str, str), default=("dimension 1", "dimension 2")
    notes : sequence of str, default=()
        Written below the drawing.

    Raises
    ------
    ValueError
        If there is not one label and one found cluster for each point.
    """
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

    check_number("labels", labels, len(points), "point")
    check_number("found", found, len(points), "point")
    if len(points) == 0:
        return empty_figure("No points to draw.")
    points = np.asarray(points)
    names, truth = np.unique(labels, return_inverse=True)
    figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
    axes = figure.add_subplot()
    for k in range(len(names)):
        axes.plot(
            *points[truth == k].T,
            _CLUSTER_MARKERS[k % len(_CLUSTER_MARKERS)],
            color=_COLOURS[k % len(_COLOURS)],
            markersize=3.6,
            markeredgecolor="white",
            markeredgewidth=0.3,
        )
    axes.plot(
        *points[np.asarray(exemplars, dtype=np.int64)].T,
        "o",
        color="black",
        markersize=10.0,
        markerfacecolor="none",
        markeredgewidth=1.8,
        zorder=5,
        label="exemplar",
    )
    wrong = _astray(truth, found)
    if wrong.any():
        axes.plot(
            *points[wrong].T,
            "x",
            color="black",
            markersize=4.5,
            markeredgewidth=0.8,
            zorder=4,
            label=f"its found cluster has more of\nanother true cluster ({int(wrong.sum())})",
        )
    axes.set_aspect("equal", adjustable="datalim")  # lengths compare in any direction
    axes.set_xlabel(axis_names[0])
    axes.set_ylabel(axis_names[1])
    shared_legend(figure, [axes])
    figure.legends[0].set_title("colour and shape: true cluster", FontProperties(size=SMALL))
    clusters = f"{counted(len(exemplars), 'cluster')} found, {counted(len(names), 'true cluster')}"
    astray = f"{int(wrong.sum())} of {counted(len(points), 'point')} in a wrong one"
    return with_title(with_notes(figure, notes), f"{clusters}; {astray}")


def _astray(truth: npt.NDArray[np.intp], found: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Say whether a point's true cluster is in the minority.

    Its found cluster has more points of another one.
    """
    _, own = np.unique(found, return_inverse=True)
    counts = np.zeros((own.max() + 1, truth.max() + 1), dtype=np.int64)
    np.add.at(counts, (own, truth), 1)
    return np.asarray(counts.argmax(axis=1)[own] != truth)


def accuracy_against_noise(
    curves: Mapping[str, Mapping[float, FloatArray]],
    ylabel: str,
    notes: Sequence[str] = (),
    random: Sequence[str] = (),
) -> Figure:
    """Draw methods' accuracy against the share of noisy dimensions (Figure 2(d)).

    Parameters
    ----------
    curves : mapping of str to mapping of float to ndarray
        Method -> noisy dimensions in percent -> values of the runs: their mean, and a line of one standard deviation up
        and down. Curves stand a little apart, so that no line hides another.
    ylabel : str
        What the values are; they lie between 0 and 1.
    notes : sequence of str, default=()
        Written below the drawing.
    random : sequence of str, default=()
        Methods that know nothing of the data: grey dotted lines.
    """
    from matplotlib.figure import Figure

    drawn = {name: {x: v for x, v in of.items() if len(v)} for name, of in curves.items()}
    shown = {name: of for name, of in drawn.items() if of}
    if not shown:
        return empty_figure("No finished run of this experiment in this scope.")
    shares = [x for of in shown.values() for x in of]
    span = max(shares) - min(shares)
    figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
    axes = figure.add_subplot()
    for k, (name, of) in enumerate(shown.items()):
        xs = sorted(of)
        moments = [mean_and_spread(np.asarray(of[x], dtype=np.float64)) for x in xs]
        means = [float(mean) for mean, _ in moments]
        colour, dashes = _line_style(k)
        marker, label = _METHOD_MARKERS[k % len(_METHOD_MARKERS)], name
        if name in random:
            colour, dashes, label = "0.45", ":", f"{RANDOM}{name}"
        places = np.array(xs) + (k - (len(shown) - 1) / 2) * 0.006 * span
        axes.plot(places, means, color=colour, linestyle=dashes, marker=marker, markersize=4.0, label=label)
        axes.errorbar(
            places,
            means,
            yerr=[float(spread) for _, spread in moments],
            fmt="none",
            ecolor=colour,
            elinewidth=0.9,
            capsize=1.8,
        )
    axes.set_ylim(-0.03, 1.03)  # a marker at 0 or 1 is whole
    axes.set_xlabel("noisy dimensions (%)")
    axes.set_ylabel(ylabel)
    shared_legend(figure, [axes])
    return with_notes(figure, notes)


def exemplar_images(
    pictures: Sequence[npt.NDArray[np.uint8]],
    captions: Sequence[str],
    columns: int = 5,
    notes: Sequence[str] = (),
    title: str = "",
) -> Figure:
    """Draw images that are exemplars in rows (Figures 4 and 7).

    Their captions stand below them.

    Parameters
    ----------
    pictures : sequence of ndarray of uint8, shapes (height, width) or (height, width, 3)
        Of any shapes: each is as large as its place allows.
    captions : sequence of str
        One for each; long ones are broken into lines.
    columns : int, default=5
        Pictures in a row, as in the paper.
    notes : sequence of str, default=()
        Written below the drawing.
    title : str, default=""
        What is seen, above it.

    Raises
    ------
    ValueError
        If there is not one caption for each picture, or no column.
    """
    from matplotlib.figure import Figure

    check_number("captions", captions, len(pictures), "picture")
    if columns < 1:
        raise ValueError(f"columns is {columns}; expected 1 or more")
    if not pictures:
        return empty_figure("No exemplars to show.")
    across = WIDTH / columns  # inches of a place
    n_rows = -(-len(pictures) // columns)
    texts = [broken(caption, int(15 * across)) for caption in captions]
    shares = [min(1.3, picture.shape[0] / picture.shape[1]) for picture in pictures]
    rows = [range(k * columns, min((k + 1) * columns, len(pictures))) for k in range(n_rows)]
    heights = [max(shares[k] for k in row) * (across - 0.1) for row in rows]
    n_lines = sum(max(texts[k].count("\n") + 1 for k in row) for row in rows)
    figure = Figure(
        figsize=(across * min(columns, len(pictures)), sum(heights) + LINE * n_lines + 0.16 * n_rows),
        layout="constrained",
    )
    panels = figure.subplots(
        n_rows,
        min(columns, len(pictures)),
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
    ).ravel()
    for axes, picture, text in zip(panels, pictures, texts, strict=False):
        axes.imshow(picture, cmap="gray", vmin=0, vmax=255)
        axes.set_anchor("S")  # captions of a row are level
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(False)
        axes.set_xlabel(text, fontsize=SMALL, labelpad=2.0)
    for axes in panels[len(pictures) :]:
        axes.axis("off")
    return with_title(with_notes(figure, notes), title)


def mean_and_spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute mean and standard deviation over the runs.

    Runs are the first axis; one run has no spread.
    """
    mean = np.asarray(values.mean(axis=0))
    return mean, np.asarray(values.std(axis=0, ddof=1)) if len(values) > 1 else np.zeros_like(mean)
