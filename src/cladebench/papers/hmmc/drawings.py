"""Drawings of the HMMC paper's figures; data come in, a matplotlib figure goes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.measures import Measure
from cladebench.papers.figures import empty_figure, node_places, shared_legend
from cladebench.plotting import PALETTE, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: One look for a method in every figure: a colour for the family, dashes for the variant that grows the scattered leaf.
STYLES: Mapping[str, tuple[str, str, str]] = {
    "HMMC": (PALETTE[1], "-", "o"),
    "HMMC-G": (PALETTE[0], "-", "s"),
    "HMMC-E": (PALETTE[2], "-", "^"),
    "HMMC-1": (PALETTE[3], "-", "D"),
    "HMMC-2": (PALETTE[4], "--", "v"),
    "MMC": (PALETTE[4], ":", "v"),
    "HKM": (PALETTE[0], "-", "s"),
    "HKM-D": (PALETTE[0], "--", "s"),
    "KM": (PALETTE[0], ":", "s"),
    "HSC": (PALETTE[2], "-", "^"),
    "HSC-D": (PALETTE[2], "--", "^"),
    "SC": (PALETTE[2], ":", "^"),
    "Random-balanced": ("0.6", "-.", "x"),
}

#: dataset -> method -> size (factor of the number of classes, or number of splits) -> values of the repetitions.
BySize = dict[str, dict[str, dict[float, np.ndarray]]]


def measure_against_size(by_leaves: BySize, by_splits: BySize, measure: Measure) -> Figure:
    """A measure against the number of leaves (upper row) and of splits (lower row), a column for each data set."""
    from matplotlib.figure import Figure

    datasets = list(dict.fromkeys((*by_leaves, *by_splits)))
    if not datasets:
        return empty_figure("No data set of the paper is available in this run.")
    figure = Figure(figsize=(2.3 * len(datasets) + 1.2, 5.0), layout="constrained")
    panels = figure.subplots(2, len(datasets), squeeze=False, sharey="col")
    for column, dataset in enumerate(datasets):
        for row, (source, label) in enumerate(
            ((by_leaves, "leaves F / classes, K = 2"), (by_splits, "splits K, F = classes"))
        ):
            axes = panels[row, column]
            for method, points in source.get(dataset, {}).items():
                _curve(axes, method, {size: measure.scale * values for size, values in points.items()})
            sizes = sorted({size for points in source.get(dataset, {}).values() for size in points})
            axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
            axes.set_xlabel(label)
            if row == 0:
                axes.set_title(dataset)
    for row in range(2):
        panels[row, 0].set_ylabel(measure.heading)
    shared_legend(figure, panels.flat)
    return figure


def _curve(axes: Axes, method: str, points: Mapping[float, np.ndarray]) -> None:
    colour, dashes, marker = STYLES[method]
    sizes = sorted(points)
    means = [float(points[size].mean()) for size in sizes]
    low = [float(points[size].min()) for size in sizes]
    high = [float(points[size].max()) for size in sizes]
    axes.plot(sizes, means, color=colour, linestyle=dashes, marker=marker, markersize=3.5, label=method)
    axes.vlines(sizes, low, high, color=colour, linewidth=1.0)


def sparsity(shares: Mapping[str, Mapping[str, np.ndarray]], measure: Measure) -> Figure:
    """Bars of the share of zeros: a group for each data set, a bar for each method, dots for the repetitions."""
    from matplotlib.figure import Figure

    if not shares:
        return empty_figure("No finished cell with alpha = beta = 1 in this scope.")
    methods = list(dict.fromkeys(method for found in shares.values() for method in found))
    figure = Figure(figsize=(1.3 * len(shares) + 2.0, 3.0), layout="constrained")
    axes = figure.add_subplot()
    width = 0.8 / len(methods)
    for k, method in enumerate(methods):
        places, means = [], []
        for g, found in enumerate(shares.values()):
            if method in found:
                place = g + (k - (len(methods) - 1) / 2) * width
                places.append(place)
                values = measure.scale * found[method]
                means.append(float(values.mean()))
                axes.plot([place] * len(values), values, "o", color="black", markersize=1.8)
        axes.bar(places, means, width * 0.92, color=STYLES[method][0], label=method)
    axes.set_xticks(range(len(shares)), list(shares))
    axes.set_ylabel(measure.heading)
    axes.spines[["top", "right"]].set_visible(False)
    shared_legend(figure, [axes])
    return figure


def convergence(curves: Mapping[str, Mapping[str, Sequence[np.ndarray]]]) -> Figure:
    """Objective over its final value against half-steps: a panel for each data set."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

    if not curves:
        return empty_figure("No optimisation traces in this scope.")
    figure = Figure(figsize=(2.3 * len(curves) + 1.2, 2.8), layout="constrained")
    panels = figure.subplots(1, len(curves), squeeze=False)[0]
    for axes, (dataset, methods) in zip(panels, curves.items(), strict=True):
        for method, traces in methods.items():
            colour, dashes, _ = STYLES[method]
            for k, trace in enumerate(traces):
                final = trace[-1] if trace[-1] > 0 else 1.0
                axes.plot(
                    np.arange(1, len(trace) + 1),
                    trace / final,
                    color=colour,
                    linestyle=dashes,
                    linewidth=1.0,
                    alpha=0.8,
                    label=method if k == 0 else None,
                )
        axes.set_title(dataset)
        axes.set_yscale("log")
        axes.set_xlabel("half-step")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        # Within less than a decade the ticks of a log axis are too few, or its minor ones crowd.
        low, high = axes.get_ylim()
        axes.yaxis.set_major_locator(
            LogLocator(subs=(1, 2, 5)) if high > 5 * low else MaxNLocator(nbins=4, min_n_ticks=3)
        )
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    panels[0].set_ylabel("objective / final objective")
    shared_legend(figure, panels)
    return figure


def annotated_tree(tree: Hierarchy, arrays: Mapping[str, np.ndarray], depth: int) -> Figure:
    """Draw the top of a tree as boxes: size and largest classes of each node, and the features that split it.

    Parameters
    ----------
    tree : Hierarchy
    arrays : mapping of str to ndarray
        What the cell stored: ``class_counts`` (n_nodes, n_classes), ``class_names``, ``feature_names``, and
        ``top_features`` and ``top_feature_shares`` (n_nodes, n_top), the features of each node with the largest shares
        of its regulariser, the largest first.
    depth : int
        Deepest layer that is drawn; the root is layer 0.
    """
    from matplotlib.figure import Figure

    places = node_places(tree, depth)
    n_tips = int(max(x for x, _ in places.values())) + 1
    figure = Figure(figsize=(1.2 * n_tips + 0.4, 1.5 * (depth + 1)), layout="constrained")
    axes = figure.add_subplot()
    axes.axis("off")
    axes.set_xlim(-0.55, n_tips - 0.45)
    axes.set_ylim(-depth - 0.55, 0.3)
    write = partial(axes.text, ha="center", fontsize=SMALL)
    box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": PALETTE[0], "linewidth": 0.8}
    plain = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    for node, (x, y) in places.items():
        if node != tree.root:
            above, top = places[int(tree.parents[node])]
            axes.plot([above, x], [top, y], color="0.6", linewidth=1.0, zorder=0)
        write(x, y, "\n".join(_classes(arrays, node)), va="center", bbox=box)
        if features := _features(arrays, node):
            text = "\n".join(features)
            write(x, y - 0.22, text, va="top", style="italic", color="#8a3a00", bbox=plain)
    return figure


def _classes(arrays: Mapping[str, np.ndarray], node: int) -> list[str]:
    """Write the number of images of a node, and its three largest classes."""
    counts = arrays["class_counts"][node]
    largest = [c for c in np.argsort(-counts, kind="stable")[:3] if counts[c] > 0]
    names = arrays["class_names"]
    n = int(counts.sum())
    return [f"{n:,} image{'s' if n > 1 else ''}", *(f"{names[c]} {int(counts[c])}" for c in largest)]


def _features(arrays: Mapping[str, np.ndarray], node: int) -> list[str]:
    """Write the three features with the largest shares of a node's regulariser; none that its models do not use."""
    top = zip(arrays["top_features"][node, :3], arrays["top_feature_shares"][node, :3], strict=True)
    names = arrays["feature_names"]
    return [
        f"{names[p]} {share:.0%}" if share >= 0.01 else f"{names[p]} < 1%" for p, share in top if share > 0
    ]
