"""Draw the figures of the taxonomy paper.

Data come in, a matplotlib figure goes out. Its drawn taxonomies have a module of their own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.paper.figures import BETTER, RANDOM, WIDTH, empty_figure, node_places, shared_legend
from cladebench.plotting import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = "os^DvP"


def structures(structures: Mapping[str, Hierarchy]) -> Figure:
    """Draw trees small, side by side (Figure 1).

    Layers are one edge apart, a dot is a cluster.

    Parameters
    ----------
    structures : mapping of str to Hierarchy
        A short description of each tree; they get the letters (a), (b), ... in this order. Inner nodes with one child
        are drawn, too: each edge counts for the distance of two clusters.
    """
    from matplotlib.figure import Figure

    if not structures:
        return empty_figure("No structures are given.")
    columns = min(4, len(structures))
    rows = -(-len(structures) // columns)
    figure = Figure(figsize=(1.75 * columns, 1.55 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for k, (name, tree) in enumerate(structures.items()):
        axes = panels[k]
        places = node_places(tree)
        for node, (x, y) in places.items():
            if node != tree.root:
                above, top = places[int(tree.parents[node])]
                axes.plot([above, x], [top, y], color="0.35", linewidth=0.9, solid_capstyle="round", zorder=1)
        dots = np.array([places[int(node)] for node in tree.leaf_of])
        axes.plot(dots[:, 0], dots[:, 1], "o", color=PALETTE[0], markersize=3.5, zorder=2)
        axes.margins(0.06)
        axes.set_title("\n".join(textwrap.wrap(f"({letter(k)}) {name}", 24)), fontsize=8.0)
    for axes in panels:
        axes.axis("off")
    return figure


def letter(k: int) -> str:
    """Name a structure or a cluster."""
    return chr(ord("a") + k)


def objective_against_clusters(
    curves: Mapping[str, Mapping[int, np.ndarray]],
    eigenvalues: Mapping[str, np.ndarray],
    elbow: Mapping[str, int] | None = None,
    eigengap: Mapping[str, int] | None = None,
) -> Figure:
    """Draw the best objective against the number of clusters.

    The leading eigenvalues stand beside it (Section 6).

    Parameters
    ----------
    curves : mapping of str to mapping of int to ndarray
        Data set -> number of clusters -> objective (1) of the repetitions: their mean, and a line from the least to the
        largest.
    eigenvalues : mapping of str to ndarray, shape (n_values,) or (n_repetitions, n_values)
        Data set -> the largest eigenvalues of H M H, the largest first.
    elbow, eigengap : mapping of str to int, optional
        Data set -> number of clusters that the elbow of the curve, and the largest gap between eigenvalues, choose.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    names = list(dict.fromkeys((*curves, *eigenvalues)))
    if not names:
        return empty_figure("No finished run of this experiment in this scope.")
    figure = Figure(figsize=(6.8, 2.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, name in enumerate(names):
        style = (PALETTE[k % len(PALETTE)], _MARKERS[k % len(_MARKERS)])
        of = curves.get(name, {})
        _means(left, name, sorted(of), [of[x] for x in sorted(of)], style)
        if name in eigenvalues:
            values = np.atleast_2d(eigenvalues[name])
            _means(right, name, range(1, values.shape[1] + 1), list(values.T), style)
    for name, k in (elbow or {}).items():
        _mark(left, k, float(np.mean(curves[name][k])), "o", "elbow")
    for name, k in (eigengap or {}).items():
        last = float(np.atleast_2d(eigenvalues[name])[:, k - 1].mean())
        _mark(right, k, last, "s", "last before the gap")
    left.set_xlabel("number of clusters k")
    left.set_ylabel("objective (1) reached by NTC")
    right.set_xlabel("rank")
    right.set_ylabel("eigenvalue of HMH")
    for axes in (left, right):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    shared_legend(figure, [left, right])
    return figure


def _means(
    axes: Axes, name: str, xs: Sequence[int], values: Sequence[np.ndarray], style: tuple[str, str]
) -> None:
    """Draw means, and a line from the least value to the largest."""
    axes.plot(
        xs, [float(v.mean()) for v in values], markersize=3.5, label=name, color=style[0], marker=style[1]
    )
    axes.vlines(
        xs,
        [float(v.min()) for v in values],
        [float(v.max()) for v in values],
        color=style[0],
        linewidth=1.0,
    )


def _mark(axes: Axes, x: int, y: float, marker: str, label: str) -> None:
    """Mark the point that a rule chooses."""
    axes.plot(
        x,
        y,
        marker,
        markersize=10.0,
        markerfacecolor="none",
        markeredgecolor="black",
        label=label,
        linestyle="",
    )


def entropies(
    rows: Mapping[str, np.ndarray],
    printed: Mapping[str, float],
    title: str = "",
    random: Mapping[str, np.ndarray] | None = None,
) -> Figure:
    """Draw methods' entropy of the class given the cluster (Table 1).

    Parameters
    ----------
    rows : mapping of str to ndarray, shape (n_repetitions,)
        Method -> conditional entropies in nats, one for each draw of people: a dot each, and a line at their mean.
    printed : mapping of str to float
        Method -> what the paper prints. Its images are not public, so that these numbers are of other data.
    title : str, default=""
        Name of the data.
    random : mapping of str to ndarray, optional
        Method that knows nothing of the data -> its conditional entropies: an upright line at their mean.
    """
    from matplotlib.figure import Figure

    methods = list(dict.fromkeys((*rows, *printed)))
    if not methods:
        return empty_figure("No finished run of this experiment in this scope.")
    figure = Figure(figsize=(WIDTH, 0.26 * len(methods) + 1.0), layout="constrained")
    axes = figure.add_subplot()
    for place, method in enumerate(methods):
        values = np.asarray(rows.get(method, ()), dtype=np.float64)
        if len(values):
            # One below the other, in the order of the draws: equal values do not hide one another.
            spread = np.linspace(-0.22, 0.22, len(values)) if len(values) > 1 else np.zeros(1)
            axes.plot(
                values,
                place + spread,
                "o",
                color=PALETTE[5],
                markersize=2.8,
                markeredgewidth=0,
                label="one draw",
            )
            axes.vlines(
                values.mean(), place - 0.34, place + 0.34, color=PALETTE[0], linewidth=2.0, label="mean"
            )
        if method in printed:
            axes.plot(
                printed[method],
                place,
                "D",
                markersize=5.0,
                markerfacecolor="none",
                markeredgecolor=PALETTE[1],
                linestyle="",
                label="printed, other images",
            )
    for name, values in (random or {}).items():
        axes.axvline(
            float(np.mean(values)), color="0.35", linestyle="--", linewidth=0.9, label=f"{RANDOM}{name}"
        )
    axes.set_yticks(range(len(methods)), methods)
    axes.set_ylim(len(methods) - 0.4, -0.6)
    axes.set_xlim(left=0.0)
    axes.grid(axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.set_title(title, fontsize=8.0)
    axes.set_xlabel(f"conditional entropy H(l|c) (nats)\n{BETTER['lower']}")
    shared_legend(figure, [axes])
    return figure
