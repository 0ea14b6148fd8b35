"""Draw the figures of the GHC paper.

Data come in, a matplotlib figure goes out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cladebench.hierarchy import Hierarchy
from cladebench.paper.figures import (
    BETTER,
    WIDTH,
    counted,
    empty_figure,
    node_places,
    shared_legend,
    with_title,
)
from cladebench.plotting import PALETTE, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: One colour for a way of training, one line style for a router, in every figure.
_TRAINING = {"blockwise": PALETTE[1], "full_tree": PALETTE[0], "exact": PALETTE[2]}
_ROUTER = {"linear": "--", "neural": "-"}


def convergence(
    curves: Mapping[str, Mapping[str, Sequence[Mapping[str, np.ndarray]]]],
    looks: Mapping[str, tuple[str, str]],
) -> Figure:
    """Draw cost against seconds, a panel for each data set.

    A way of training has a colour; linear routers have dashes.

    Parameters
    ----------
    curves : mapping
        data set -> method -> traces of its repetitions (arrays ``trace_seconds`` and ``trace_cost``).
    looks : mapping
        method -> its router and its way of training, as the estimator's parameters name them.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, StrMethodFormatter

    if not curves:
        return empty_figure("No optimisation traces in this scope.")
    across = min(2, len(curves))
    down = -(-len(curves) // across)
    figure = Figure(figsize=(WIDTH, 2.0 * down + 0.4), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes in panels[len(curves) :]:
        axes.axis("off")
    for axes, (dataset, methods) in zip(panels, curves.items(), strict=False):
        for method, traces in methods.items():
            router, training = looks[method]
            style = {"color": _TRAINING[training], "linestyle": _ROUTER[router]}
            for trace in traces:
                axes.plot(trace["trace_seconds"], trace["trace_cost"], linewidth=0.5, alpha=0.35, **style)
            seconds, cost = median_curve(traces)
            axes.plot(seconds, cost, linewidth=1.6, label=method, **style)
        axes.set_xscale("symlog", linthresh=0.1)
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))  # exponents would be too small to read
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))  # so would a factor be above the axis
        axes.set_title(dataset, fontsize=8.0)
        axes.set_xlabel("seconds of training")
    for axes in panels[::across]:
        axes.set_ylabel(f"Dasgupta cost of the tree\n{BETTER['lower']}")
    shared_legend(figure, panels)
    return with_title(figure, said_of_ends(curves))


def said_of_ends(curves: Mapping[str, Mapping[str, Sequence[Mapping[str, np.ndarray]]]]) -> str:
    """Say which methods end lowest most often, by median cost.

    The text is empty where none can be compared.
    """
    ends = [
        {method: float(median_curve(traces)[1][-1]) for method, traces in methods.items()}
        for methods in curves.values()
        if len(methods) > 1
    ]
    lowest = Counter(min(of, key=lambda method: of[method]) for of in ends)
    most = max(lowest.values(), default=0)
    first = [method for method, n in lowest.items() if n == most]
    end = "ends" if len(first) == 1 else "each end"
    where = f"{end} at the lowest median cost on {most} of {counted(len(ends), 'data set')}"
    return f"{' and '.join(first)} {where}" if first else ""


def median_curve(traces: Sequence[Mapping[str, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Compute the median at checkpoints up to the shortest trace's end."""
    length = min(len(t["trace_seconds"]) for t in traces)
    return (
        np.median([t["trace_seconds"][:length] for t in traces], axis=0),
        np.median([t["trace_cost"][:length] for t in traces], axis=0),
    )


def similarity_heatmap(costs: pd.DataFrame, datasets: Sequence[str] = ()) -> Figure:
    """Map log10(cost / published range), candidates as rows, data as columns.

    Parameters
    ----------
    costs : pandas.DataFrame
        Columns candidate, dataset, log_ratio (0 inside the range).
    datasets : sequence of str, optional
        Order of the columns; by default that of their names.
    """
    from matplotlib.figure import Figure

    if costs.empty:
        return empty_figure("No data set of the paper is within reach in this run.")
    table = costs.pivot_table(index="candidate", columns="dataset", values="log_ratio")
    table = table.loc[table.abs().mean(axis=1).sort_values(kind="stable").index]
    shown = table.head(24)[[name for name in datasets if name in table] or list(table.columns)]
    size = min(WIDTH, 3.9 + 1.1 * table.shape[1]), 0.24 * len(shown) + 1.2
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(shown.to_numpy(), cmap="RdBu_r", vmin=-3, vmax=3, aspect="auto")
    axes.set_xticks(range(shown.shape[1]), list(shown.columns))
    axes.set_yticks(range(len(shown)), list(shown.index))
    for (i, j), value in np.ndenumerate(shown.to_numpy()):
        if np.isfinite(value):
            text = "in" if value == 0 else f"{value:+.2f}".replace("-", "\u2212")
            axes.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                color="white" if abs(value) > 1.8 else "black",
                fontsize=SMALL,
            )
    axes.set_ylabel("similarity, features, how pairs are counted")
    label = "log10(cost / nearest end of the printed range)"
    figure.colorbar(image, ax=axes, label=label, extend="both")
    within = (table == 0).sum(axis=1)
    data = counted(table.shape[1], "data set")
    return with_title(figure, f"At best a similarity gives the printed costs on {within.max()} of {data}")


def learned_tree(hierarchy: Hierarchy | None, labels: np.ndarray | None, dataset: str) -> Figure:
    """Draw a learned tree with its leaves' sizes and classes."""
    from matplotlib.figure import Figure

    if hierarchy is None:
        return empty_figure(
            f"No learned tree: {dataset} is not in this scope, was unavailable, or too few of its runs finished."
        )
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    hierarchy.plot(ax=figure.add_subplot(), labels=labels)
    return with_title(figure, said_of_leaves(hierarchy, labels, dataset))


def said_of_leaves(hierarchy: Hierarchy, labels: np.ndarray | None, dataset: str) -> str:
    """Say how many leaves a tree has, and how pure.

    Pure is a point with the main class of its leaf.
    """
    leaves = np.unique(hierarchy.leaf_of)
    text = f"{dataset}: {counted(len(leaves), 'leaf', 'leaves')}"
    if labels is None:
        return text
    _, classes = np.unique(labels, return_inverse=True)
    main = sum(int(np.bincount(classes[hierarchy.leaf_of == leaf]).max()) for leaf in leaves)
    return f"{text}; {main / len(classes):.0%} of the points have the main class of their leaf"


def _places(hierarchy: Hierarchy) -> np.ndarray:
    """Places of all nodes as an array of shape (n_nodes, 2)."""
    places = node_places(hierarchy)
    return np.array([places[v] for v in range(hierarchy.n_nodes)])


def _tree_axes(
    hierarchy: Hierarchy, colours: Sequence[str], edge_colours: Sequence[str]
) -> tuple[Figure, Axes, np.ndarray]:
    """Draw nodes and edges; the caller adds what the figure is about."""
    from matplotlib.figure import Figure

    xy = _places(hierarchy)
    n_leaves = int(xy[:, 0].max()) + 1
    figure = Figure(
        figsize=(min(WIDTH, max(4.5, 0.42 * n_leaves + 1.0)), 0.62 * hierarchy.depths.max() + 1.3),
        layout="constrained",
    )
    axes = figure.add_subplot()
    axes.axis("off")
    for v in range(hierarchy.n_nodes):
        parent = hierarchy.parents[v]
        if parent >= 0:
            axes.plot(
                *xy[[parent, v]].T,
                color=edge_colours[v],
                linewidth=2.0 if edge_colours[v] != "0.75" else 1.0,
                zorder=1,
            )
    axes.scatter(xy[:, 0], xy[:, 1], s=130, c=list(colours), edgecolors="0.3", linewidths=0.7, zorder=2)
    for v in range(hierarchy.n_nodes):
        if len(hierarchy.children(v)) == 0:
            axes.annotate(
                str(hierarchy.sizes[v]),
                xy[v],
                (0, -13),
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=SMALL,
            )
    return figure, axes, xy


def lowest_common_ancestor(hierarchy: Hierarchy | None, dataset: str) -> Figure:
    """Draw Figure 1 with a learned tree.

    A pair's lowest common ancestor, the leaves below it, a path to one.

    The node is the deepest one that has at least four nodes below it, so that there is something to see.
    """
    if hierarchy is None:
        return empty_figure("No learned tree in this scope.")
    below = np.ones(hierarchy.n_nodes, dtype=int)
    for v in hierarchy.preorder[::-1]:
        if hierarchy.parents[v] >= 0:
            below[hierarchy.parents[v]] += below[v]
    inner = [v for v in range(hierarchy.n_nodes) if len(hierarchy.children(v)) > 1 and below[v] >= 5]
    node = max(inner, key=lambda v: (hierarchy.depths[v], -v)) if inner else hierarchy.root
    colours = ["white"] * hierarchy.n_nodes
    edges = ["0.75"] * hierarchy.n_nodes
    leaves = []
    stack = [node]
    while stack:
        v = stack.pop()
        colours[v] = "0.7"
        children = hierarchy.children(v)
        stack.extend(int(c) for c in children)
        if len(children) == 0:
            leaves.append(v)
    colours[node] = PALETTE[1]
    xy = _places(hierarchy)
    pair = (min(leaves, key=lambda v: xy[v, 0]), max(leaves, key=lambda v: xy[v, 0]))
    v = pair[1]
    while v != node:
        edges[v] = PALETTE[0]
        v = int(hierarchy.parents[v])
    figure, axes, xy = _tree_axes(hierarchy, colours, edges)
    for name, at in zip(("l1", "l2", "v"), (*pair, node), strict=True):
        axes.annotate(name, xy[at], ha="center", va="center", fontsize=SMALL, style="italic")
    below_v = f"{counted(len(leaves), 'leaf', 'leaves')}, {counted(int(hierarchy.sizes[node]), 'point')}"
    return with_title(figure, f"{dataset}: v = lca(l1, l2) has {below_v} below it")


def blocks(hierarchy: Hierarchy | None, dataset: str, depth: int = 2) -> Figure:
    """Draw Figure 2 with a tree learned block-wise.

    An edge has the colour of its level in a block of ``depth`` levels.
    """
    if hierarchy is None:
        return empty_figure("No tree trained block-wise in this scope.")
    level = (np.maximum(hierarchy.depths, 1) - 1) // depth
    colours = [PALETTE[k % len(PALETTE)] for k in range(int(level.max()) + 1)]
    edges = [colours[k] for k in level]
    figure, axes, _ = _tree_axes(hierarchy, ["white"] * hierarchy.n_nodes, edges)
    for k, colour in enumerate(colours):
        label = f"blocks of level {k + 1}: trained in parallel" if k else "top block: trained first"
        axes.plot([], [], color=colour, linewidth=2, label=label)
    axes.legend(loc="upper left", frameon=False, fontsize=SMALL)
    levels = counted(len(colours), "level")
    return with_title(
        figure, f"{dataset}: a tree of depth {hierarchy.depths.max()} is trained in {levels} of blocks"
    )
