"""Draw learned weights of dimensions, features and distances (exemplar paper).

A feature may have several distances.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cladebench.paper.figures import (
    LINE,
    check_number,
    counted,
    empty_figure,
    shared_legend,
    with_notes,
    with_title,
)
from cladebench.papers.exemplar.drawings import WIDTH, FloatArray, mean_and_spread
from cladebench.plotting import PALETTE, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WEIGHT = "weight of the distance scaled to mean 1"


def weights_by_dimension(weights: FloatArray, noisy_from: int, notes: Sequence[str] = ()) -> Figure:
    """Draw the learned weight of each dimension (Figure 2(b)).

    The noisy ones lie on a shaded ground.

    Parameters
    ----------
    weights : ndarray of shape (n_runs, n_dimensions)
        A dot for the mean over the runs, and a line of one standard deviation up and down.
    noisy_from : int
        The first noisy dimension, counted from 0; those after it are noisy, too. The drawing counts from 1.
    notes : sequence of str, default=()
        Written below the drawing.

    Raises
    ------
    ValueError
        If `noisy_from` is not in 0, ..., n_dimensions.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    weights = np.atleast_2d(weights)
    n_runs, n_dimensions = weights.shape
    if weights.size == 0:
        return empty_figure("No learned weights in this scope.")
    if not 0 <= noisy_from <= n_dimensions:
        raise ValueError(f"noisy_from is {noisy_from}; expected 0, ..., {n_dimensions}")
    mean, spread = mean_and_spread(weights)
    places = np.arange(1, n_dimensions + 1)
    figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
    axes = figure.add_subplot()
    if noisy_from < n_dimensions:
        left, right = noisy_from + 0.5, n_dimensions + 0.5
        axes.axvspan(left, right, color="0.9", linewidth=0, zorder=0)
        # Above the axes it covers no weight; a narrow ground has its label end where it ends.
        narrow = (n_dimensions - noisy_from) / n_dimensions < 0.3
        axes.text(
            right if narrow else (left + right) / 2,
            1.02,
            "noisy dimensions",
            ha="right" if narrow else "center",
            va="bottom",
            fontsize=8.0,
            transform=axes.get_xaxis_transform(),
        )
    size = min(4.0, 250 / n_dimensions)  # points; more would touch one another
    axes.vlines(places, mean - spread, mean + spread, color=PALETTE[5], linewidth=max(0.5, size / 2))
    dots = axes.plot(places, mean, "o", color=PALETTE[0], markersize=size, markeredgewidth=0, zorder=3)
    dots[0].set_clip_on(False)  # at 0 they are whole
    axes.set_xlim(0.5, n_dimensions + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(_from_0(axes.get_ylim(), weights))
    axes.set_xlabel("dimension")
    axes.set_ylabel(f"weight, mean and sd of {n_runs} runs" if n_runs > 1 else "weight")
    with_notes(figure, notes)
    if noisy_from == n_dimensions or not mean.any():
        return figure
    n_noisy, share = n_dimensions - noisy_from, mean[noisy_from:].sum() / mean.sum()
    return with_title(
        figure, f"The {counted(n_noisy, 'noisy dimension')} of {n_dimensions} have {share:.0%} of the weight"
    )


def weights_of_features(
    weights: Mapping[str, FloatArray], names: Sequence[str], notes: Sequence[str] = ()
) -> Figure:
    """Draw bars of each feature's learned weight (Figure 3), by data.

    Parameters
    ----------
    weights : mapping of str to ndarray, shape (n_runs, n_features)
        Data set -> weights of the runs: a bar for their mean, a line of one standard deviation up and down, and a 0
        beside a feature that has no weight in any run.
    names : sequence of str
        Of the features, in the order of all panels, the first on top.
    notes : sequence of str, default=()
        Written below the drawing.

    Raises
    ------
    ValueError
        If a data set does not have one weight for each name.
    """
    weights = {name: np.atleast_2d(of) for name, of in weights.items() if np.size(of)}
    for name, of in weights.items():
        check_number(f"weights[{name!r}][0]", of[0], len(names), "feature")
    if not weights:
        return empty_figure("No learned weights in this scope.")
    figure, panels = _feature_panels(list(weights), names, height=0.19)
    for axes, of in zip(panels, weights.values(), strict=True):
        mean, spread = mean_and_spread(of)
        places = np.arange(len(names), dtype=np.float64)
        axes.barh(places, mean, 0.72, color=PALETTE[0])
        _whiskers(axes, places, mean, spread)
        _zeros(axes, of)
        axes.set_xlim(_from_0(axes.get_xlim(), of))
    return with_notes(figure, notes)


def weights_of_distances(
    weights: Mapping[str, FloatArray],
    names: Sequence[str],
    kinds: Sequence[str],
    notes: Sequence[str] = (),
) -> Figure:
    """Draw the learned weights of distances (Figures 5 and 6(a)).

    Each feature is compared by several distances.

    Parameters
    ----------
    weights : mapping of str to ndarray, shape (n_runs, n_features, n_kinds)
        Data set -> weights of the runs. A feature has a bar for each kind of distance: the mean, and a line of one
        standard deviation up and down; or a 0, where it has no weight of any kind in any run.
    names : sequence of str
        Of the features, in the order of all panels, the first on top.
    kinds : sequence of str
        Of the distances, in the order of a feature's bars, the first on top.
    notes : sequence of str, default=()
        Written below the drawing.

    Raises
    ------
    ValueError
        If a data set does not have one weight for each name and kind.
    """
    weights = {name: np.asarray(of) for name, of in weights.items() if np.size(of)}
    for name, of in weights.items():
        check_number(f"weights[{name!r}][0]", of[0], len(names), "feature")
        check_number(f"weights[{name!r}][0, 0]", of[0, 0], len(kinds), "kind")
    if not weights:
        return empty_figure("No learned weights in this scope.")
    figure, panels = _feature_panels(list(weights), names, height=0.09 * len(kinds) + 0.09)
    width = 0.84 / len(kinds)
    for axes, of in zip(panels, weights.values(), strict=True):
        mean, spread = mean_and_spread(of)
        for k, kind in enumerate(kinds):
            places = np.asarray(np.arange(len(names)) + (k - (len(kinds) - 1) / 2) * width, dtype=np.float64)
            colour = PALETTE[k % len(PALETTE)]
            axes.barh(places, mean[:, k], 0.9 * width, color=colour, label=kind)
            _whiskers(axes, places, mean[:, k], spread[:, k])
        axes.hlines(
            np.arange(1, len(names)) - 0.5,
            0,
            1,
            color="0.85",
            linewidth=0.5,
            zorder=0,
            transform=axes.get_yaxis_transform(),
        )
        _zeros(axes, of)
        axes.set_xlim(_from_0(axes.get_xlim(), of))
    shared_legend(figure, panels)
    return with_notes(figure, notes)


def _feature_panels(titles: Sequence[str], names: Sequence[str], height: float) -> tuple[Figure, list[Axes]]:
    """Make panels side by side with a row for each feature.

    A row is `height` inches high; the first is on top.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    columns = min(3, len(titles))
    rows = -(-len(titles) // columns)
    most_lines = max(title.count("\n") for title in titles)
    size = (
        WIDTH if columns > 1 else 4.6,
        rows * (height * len(names) + 0.75 + LINE * most_lines),
    )
    figure = Figure(figsize=size, layout="constrained")
    # Not shared by matplotlib: the names stand at the first panel of each row alone.
    grid = figure.subplots(rows, columns, squeeze=False)
    panels = list(grid.ravel())
    for k, axes in enumerate(panels[: len(titles)]):
        axes.set_title(titles[k], fontsize=8.0)
        axes.set_yticks(range(len(names)), names if k % columns == 0 else [""] * len(names))
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
        axes.set_xlabel(_WEIGHT if columns == 1 else "\n".join(textwrap.wrap(_WEIGHT, 24)))
    for axes in panels[len(titles) :]:
        axes.axis("off")
    return figure, panels[: len(titles)]


def _whiskers(axes: Axes, places: FloatArray, mean: FloatArray, spread: FloatArray) -> None:
    """Draw one standard deviation up and down of the ends of bars."""
    axes.hlines(places, mean - spread, mean + spread, color="black", linewidth=0.9)


def _zeros(axes: Axes, values: FloatArray) -> None:
    """Write a 0 in rows of features without weight.

    A feature has none if no run gives it any.
    """
    for place in np.flatnonzero((values == 0).all(axis=(0, *range(2, values.ndim)))):
        axes.annotate(
            "0",
            (0, place),
            xytext=(2, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=SMALL,
        )


def _from_0(limits: tuple[float, float], values: FloatArray) -> tuple[float, float]:
    """Begin an axis of weights at 0, unless one is below.

    It ends at 1 where all are 0.
    """
    if not values.any():
        return 0.0, 1.0
    return (0.0, limits[1]) if (values >= 0).all() else limits
