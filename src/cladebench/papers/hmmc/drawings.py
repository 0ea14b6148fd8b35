"""Draw the figures of the HMMC paper.

Data come in, a matplotlib figure goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.measures import Measure
from cladebench.paper.figures import RANDOM, WIDTH, axis_label, empty_figure, node_places, shared_legend
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

#: What legends say of a method whose name does not tell it.
LABELS: Mapping[str, str] = {"Random-balanced": f"{RANDOM.strip()}\nRandom, balanced"}

#: dataset -> method -> size (factor of the number of classes, or number of splits) -> values of the repetitions.
BySize = dict[str, dict[str, dict[float, np.ndarray]]]


def measure_against_size(by_leaves: BySize, by_splits: BySize, measure: Measure) -> Figure:
    """Draw a measure against leaves (left) and splits (right), by data."""
    from matplotlib.figure import Figure

    datasets = list(dict.fromkeys((*by_leaves, *by_splits)))
    if not datasets:
        return empty_figure("No data set of the paper is available in this run.")
    figure = Figure(figsize=(WIDTH, 1.75 * len(datasets) + 0.3), layout="constrained")
    panels = figure.subplots(len(datasets), 2, squeeze=False, sharey="row")
    for row, dataset in enumerate(datasets):
        for column, (source, label) in enumerate(
            ((by_leaves, "leaves F / classes, K = 2"), (by_splits, "splits K, F = classes"))
        ):
            axes = panels[row, column]
            for method, points in source.get(dataset, {}).items():
                _curve(axes, method, {size: measure.scale * values for size, values in points.items()})
            sizes = sorted({size for points in source.get(dataset, {}).values() for size in points})
            axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
            axes.set_title(dataset, fontsize=8.0)
            if row == len(datasets) - 1:
                axes.set_xlabel(label)
        panels[row, 0].set_ylabel(axis_label(measure))
    shared_legend(figure, panels.flat)
    return figure


def _curve(axes: Axes, method: str, points: Mapping[float, np.ndarray]) -> None:
    colour, dashes, marker = STYLES[method]
    sizes = sorted(points)
    means = [float(points[size].mean()) for size in sizes]
    low = [float(points[size].min()) for size in sizes]
    high = [float(points[size].max()) for size in sizes]
    axes.plot(
        sizes,
        means,
        color=colour,
        linestyle=dashes,
        marker=marker,
        markersize=3.5,
        label=LABELS.get(method, method),
    )
    axes.vlines(sizes, low, high, color=colour, linewidth=1.0)


def sparsity(shares: Mapping[str, Mapping[str, np.ndarray]], measure: Measure) -> Figure:
    """Draw bars of the share of zeros, by data and method.

    Dots are repetitions.
    """
    from matplotlib.figure import Figure

    if not shares:
        return empty_figure("No finished run with alpha = beta = 1 in this scope.")
    methods = list(dict.fromkeys(method for by_method in shares.values() for method in by_method))
    figure = Figure(figsize=(WIDTH, 0.14 * len(methods) * len(shares) + 0.9), layout="constrained")
    axes = figure.add_subplot()
    width = 0.8 / len(methods)
    for k, method in enumerate(methods):
        places, means = [], []
        for g, by_method in enumerate(shares.values()):
            if method in by_method:
                place = g + (k - (len(methods) - 1) / 2) * width
                places.append(place)
                values = measure.scale * by_method[method]
                means.append(float(values.mean()))
                axes.plot(values, [place] * len(values), "o", color="black", markersize=1.8)
        axes.barh(places, means, width * 0.92, color=STYLES[method][0], label=method)
    axes.set_yticks(range(len(shares)), list(shares))
    axes.set_ylim(len(shares) - 0.5, -0.5)
    axes.set_xlabel(axis_label(measure))
    shared_legend(figure, [axes])
    return figure


def convergence(curves: Mapping[str, Mapping[str, Sequence[np.ndarray]]]) -> Figure:
    """Draw the objective over its final value by half-steps, by data."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

    if not curves:
        return empty_figure("No optimisation traces in this scope.")
    across = min(3, len(curves))
    down = -(-len(curves) // across)
    figure = Figure(figsize=(WIDTH, 1.75 * down + 0.5), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes in panels[len(curves) :]:
        axes.axis("off")
    for axes, (dataset, methods) in zip(panels, curves.items(), strict=False):
        for method, traces in methods.items():
            colour, dashes, marker = STYLES[method]
            for trace in traces:
                final = trace[-1] if trace[-1] > 0 else 1.0
                axes.plot(
                    np.arange(1, len(trace) + 1),
                    trace / final,
                    color=colour,
                    linestyle=dashes,
                    marker=marker,
                    markevery=[len(trace) - 1],  # the end tells lines apart without colour
                    markersize=3.0,
                    linewidth=1.0,
                    alpha=0.8,
                    label=method,
                )
        axes.set_title(dataset, fontsize=8.0)
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
    for axes in panels[::across]:
        axes.set_ylabel("objective /\nfinal objective")
    shared_legend(figure, panels)
    return figure


def annotated_tree(
    tree: Hierarchy, arrays: Mapping[str, np.ndarray], depth: int, what: str = "image"
) -> Figure:
    """Draw the top of a tree as boxes.

    The root is at the left. A box has size, largest classes, features that split.

    Parameters
    ----------
    tree : Hierarchy
    arrays : mapping of str to ndarray
        What the cell stored: ``class_counts`` (n_nodes, n_classes), ``class_names``, ``feature_names``, and
        ``top_features`` and ``top_feature_shares`` (n_nodes, n_top), the features of each node with the largest shares
        of its regulariser, the largest first.
    depth : int
        Deepest layer that is drawn; the root is layer 0.
    what : str, default="image"
        What a row of the data is.
    """
    from matplotlib.figure import Figure

    places = {node: (-y, x) for node, (x, y) in node_places(tree, depth).items()}
    n_tips = int(max(y for _, y in places.values())) + 1
    figure = Figure(figsize=(WIDTH, 1.1 * n_tips + 0.4), layout="constrained")
    axes = figure.add_subplot()
    axes.axis("off")
    axes.set_xlim(-0.4, depth + 0.4)
    axes.set_ylim(n_tips - 0.4, -0.6)
    write = partial(axes.annotate, ha="center", fontsize=SMALL, textcoords="offset points")
    box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": PALETTE[0], "linewidth": 0.8}
    plain = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    for node, (x, y) in places.items():
        if node != tree.root:
            before, above = places[int(tree.parents[node])]
            axes.plot([before, x], [above, y], color="0.6", linewidth=1.0, zorder=0)
        classes = "\n".join(_classes(arrays, node, what))
        write(classes, (x, y), (0, -1), va="bottom", bbox=box)
        if features := _features(arrays, node):
            text = _in_lines(features)
            write(text, (x, y), (0, -7), va="top", style="italic", color="#8a3a00", bbox=plain)
    return figure


def _in_lines(features: Sequence[str], width: int = 30) -> str:
    """Write features side by side, in lines that none is broken by."""
    lines = [features[0]]
    for feature in features[1:]:
        if len(lines[-1]) + len(feature) + 2 <= width:
            lines[-1] += f", {feature}"
        else:
            lines[-1] += ","
            lines.append(feature)
    return "\n".join(lines)


def _classes(arrays: Mapping[str, np.ndarray], node: int, what: str) -> list[str]:
    """Write a node's number of rows and three largest classes."""
    counts = arrays["class_counts"][node]
    largest = [c for c in np.argsort(-counts, kind="stable")[:3] if counts[c] > 0]
    names = arrays["class_names"]
    n = int(counts.sum())
    return [f"{n:,} {what}{'s' if n > 1 else ''}", *(f"{names[c]} {int(counts[c])}" for c in largest)]


def _features(arrays: Mapping[str, np.ndarray], node: int) -> list[str]:
    """Write the three features with the largest shares of a node's regulariser.

    Features that its models do not use are left out.
    """
    top = zip(arrays["top_features"][node, :3], arrays["top_feature_shares"][node, :3], strict=True)
    names = arrays["feature_names"]
    return [
        f"{names[p]} {share:.0%}" if share >= 0.01 else f"{names[p]} < 1%" for p, share in top if share > 0
    ]
