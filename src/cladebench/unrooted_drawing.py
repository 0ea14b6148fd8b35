"""Drawing trees without a root."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cladebench import extras
from cladebench.class_labels import class_codes
from cladebench.plotting import PALETTE, SMALL, check_axes, stay_inside
from cladebench.rooted_tree import RootedTree
from cladebench.tree_drawing import MIXED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "os^DvPX*"  # one for each colour of the palette: told apart without colours, too
_MOST_NAMES = 60  # nodes that are named in the drawing
_MOST_EVENED = 300  # nodes of a tree whose gaps are evened out: that takes n_nodes^2 steps a pass
_PASSES = 5


def draw_unrooted(hierarchy: RootedTree, ax: Axes | None = None, labels: npt.ArrayLike | None = None) -> Axes:
    """Draw a tree without its root; see `Hierarchy.plot_unrooted`."""
    check_axes(ax)
    classes, codes = class_codes(
        np.zeros(hierarchy.n_samples) if labels is None else labels, hierarchy.n_samples
    )
    if ax is None:
        _, ax = extras.need("matplotlib.pyplot", "Hierarchy.plot_unrooted").subplots(layout="constrained")
    tree = hierarchy.pruned()
    places = unrooted_layout(tree)
    below = np.flatnonzero(tree.parents >= 0)
    ends = np.stack([places[below], places[tree.parents[below]]])
    ax.plot(ends.real, ends.imag, color="0.35", linewidth=0.8, solid_capstyle="round", zorder=1)

    holders = np.unique(tree.leaf_of)
    size = float(np.clip(60.0 / np.sqrt(len(holders)), 2.0, 6.0))
    for node in map(int, holders):
        samples = tree.own_samples(node)
        share = np.bincount(codes[samples]) / len(samples)
        k = int(share.argmax())
        colour, marker = _class_marker(k) if share.max() > 0.5 else (MIXED, "o")
        if labels is None:
            colour, marker = "0.2", "o"
        ax.plot(
            places[node].real,
            places[node].imag,
            marker,
            color=colour,
            markersize=size,
            markeredgecolor="white",
            markeredgewidth=0.3,
        )
    if len(holders) <= _MOST_NAMES:
        _write_names(ax, tree, places, holders, size)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.16 if len(holders) <= _MOST_NAMES else 0.04)
    ax.axis("off")
    if tree.edge_lengths is not None and tree.edge_lengths.max() > 0:
        _draw_scale(ax, places)
    if labels is not None:
        _draw_legend(ax, [str(name) for name in classes])
        stay_inside(ax)
    return ax


def unrooted_layout(tree: RootedTree) -> npt.NDArray[np.complex128]:
    """Places of the nodes in the plane, as complex numbers.

    Edges have their lengths and do not cross.

    Equal angles first: a subtree gets a sector in proportion to its leaves. Then equal daylight: about each inner node
    its branches are turned until the gaps between them are equal.
    """
    lengths = np.ones(tree.n_nodes) if tree.edge_lengths is None else np.array(tree.edge_lengths)
    # An edge of no length, or a negative one, has no direction; it gets a length that is too short to be seen.
    lengths = np.maximum(lengths, 1e-6 * (lengths.max() or 1.0))
    n_leaves = np.zeros(tree.n_nodes)
    for node in map(int, tree.preorder[::-1]):
        n_leaves[node] = max(n_leaves[node], 1.0)
        if tree.parents[node] >= 0:
            n_leaves[tree.parents[node]] += n_leaves[node]
    places = np.zeros(tree.n_nodes, dtype=np.complex128)
    begin = np.zeros(tree.n_nodes)  # where the sector of a node begins
    turn = 2 * np.pi / n_leaves[tree.root]
    for node in map(int, tree.preorder):
        angle = begin[node]
        for child in tree.children(node):
            width = turn * n_leaves[child]
            places[child] = places[node] + lengths[child] * np.exp(1j * (angle + width / 2))
            begin[child] = angle
            angle += width
    if 3 < tree.n_nodes <= _MOST_EVENED:
        for _ in range(_PASSES):
            for node in map(int, tree.preorder):
                _even_out(tree, places, node)
    return places


def _even_out(tree: RootedTree, places: npt.NDArray[np.complex128], node: int) -> None:
    """Turn branches about a node below until all its gaps are equal."""
    children = tree.children(node)
    has_parent = tree.parents[node] >= 0
    if len(children) + has_parent < 3:
        return
    branches = _branches(tree, node)
    # Angles, as seen from the node, along the edges of each branch: they add up to where a node really is, however far
    # round the branch runs.
    seen = np.angle(np.where(np.arange(tree.n_nodes) == node, 1.0, places - places[node]))
    steps = seen - seen[tree.parents]
    steps = (steps + np.pi) % (2 * np.pi) - np.pi
    steps[[tree.root, *children]] = 0.0
    steps[node] = 0.0
    path = np.zeros(tree.n_nodes)
    for below in tree.preorder[1:]:
        path[below] = path[tree.parents[below]] + steps[below]
    arcs = []
    for top, members in branches:
        angles = seen[top] + path[members] - path[top]
        arcs.append((float(angles.min()), float(angles.max())))
    gap = (2 * np.pi - sum(high - low for low, high in arcs)) / len(arcs)
    if gap <= 0:
        return
    # The branch of the parent, the first, stays; the others follow it in the order in which they stand.
    order = sorted(
        range(1, len(arcs)), key=lambda k: (seen[branches[k][0]] - seen[branches[0][0]]) % (2 * np.pi)
    )
    end = arcs[0][1]
    for k in order:
        low, high = arcs[k]
        members = branches[k][1]
        places[members] = places[node] + (places[members] - places[node]) * np.exp(1j * (end + gap - low))
        end += gap + high - low


def _branches(tree: RootedTree, node: int) -> list[tuple[int, npt.NDArray[np.int64]]]:
    """List each branch's first node and all nodes beyond it.

    The branch of the parent, if there is one, comes first.
    """
    place = np.empty(tree.n_nodes, dtype=np.int64)
    place[tree.preorder] = np.arange(tree.n_nodes)
    children = [int(child) for child in tree.children(node)]
    ends = [int(place[child]) for child in children[1:]]
    # In preorder a subtree is a run; that of the node ends where the depth comes back to its own.
    stop = int(place[node]) + 1
    later = np.flatnonzero(tree.depths[tree.preorder[stop:]] <= tree.depths[node])
    stop = stop + int(later[0]) if len(later) else tree.n_nodes
    runs = [
        tree.preorder[int(place[child]) : end] for child, end in zip(children, [*ends, stop], strict=True)
    ]
    branches = list(zip(children, runs, strict=True))
    if tree.parents[node] >= 0:
        rest = np.concatenate([tree.preorder[: place[node]], tree.preorder[stop:]])
        branches.insert(0, (int(tree.parents[node]), rest))
    return branches


def outward(tree: RootedTree, places: npt.NDArray[np.complex128], node: int) -> complex:
    """Find the direction, of length 1, with room beside a node.

    It points away from the node's edges, and to the right without any.

    Parameters
    ----------
    tree : Hierarchy
    places : ndarray of complex128, shape (n_nodes,)
        As of `unrooted_layout`; turned, moved and scaled as one likes.
    node : int
    """
    joined = [places[k] for k in (*map(int, tree.children(node)), int(tree.parents[node])) if k >= 0]
    away = -sum((p - places[node]) / abs(p - places[node]) for p in joined)
    # An inner node has no outside: its room is the widest gap between its edges.
    if len(joined) > 1:
        angles = np.sort(np.angle(np.array(joined) - places[node]))
        gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
        away = np.exp(1j * (angles[int(gaps.argmax())] + gaps.max() / 2))
    return complex(away / abs(away)) if away else 1.0 + 0.0j


def _write_names(
    ax: Axes,
    tree: RootedTree,
    places: npt.NDArray[np.complex128],
    holders: npt.NDArray[np.int64],
    size: float,
) -> None:
    """Write sample names or counts beside nodes, away from the tree."""
    names = tree.sample_names or [str(i) for i in range(tree.n_samples)]
    for node in map(int, holders):
        samples = tree.own_samples(node)
        away = outward(tree, places, node)
        degrees = float(np.degrees(np.angle(away)))
        flipped = abs(degrees) > 90.0  # else it would stand on its head
        ax.annotate(
            names[samples[0]] if len(samples) == 1 else f"{len(samples)} samples",
            (places[node].real, places[node].imag),
            xytext=((size / 2 + 2.5) * away.real, (size / 2 + 2.5) * away.imag),
            textcoords="offset points",
            rotation=degrees + 180.0 if flipped else degrees,
            rotation_mode="anchor",
            ha="right" if flipped else "left",
            va="center",
            fontsize=SMALL,
        )


def round_length(extent: float) -> float:
    """Find the length of a scale bar: 1, 2, 5 times 10^k.

    It is between a tenth and a quarter of the extent.
    """
    power = 10.0 ** np.floor(np.log10(extent / 4))
    return float(power * max(step for step in (1, 2, 5) if step * power <= extent / 4))


def _draw_scale(ax: Axes, places: npt.NDArray[np.complex128]) -> None:
    """A bar of a round length, at the lower left.

    What the edges' lengths are read by.
    """
    extent = max(float(np.ptp(places.real)), float(np.ptp(places.imag)))
    length = round_length(extent)
    x, y = float(places.real.min()), float(places.imag.min()) - 0.09 * extent
    ax.plot([x, x + length], [y, y], color="0.2", linewidth=1.2, solid_capstyle="butt")
    ax.annotate(
        f"{length:g}",
        (x + length / 2, y),
        xytext=(0, -2),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=SMALL,
    )


def _draw_legend(ax: Axes, names: list[str]) -> None:
    """Class names with their markers, right of the drawing."""
    from matplotlib.lines import Line2D

    handles = []
    for k in range(len(names)):
        colour, marker = _class_marker(k)
        handles.append(Line2D([], [], color=colour, marker=marker, linestyle="", markersize=5.0))
    ax.legend(handles, names, loc="upper left", bbox_to_anchor=(1.0, 1.0), title="class", borderaxespad=0.2)


def _class_marker(k: int) -> tuple[str, str]:
    """Colour and marker of class k.

    Beyond the palette the colours return with other markers.
    """
    again = k // len(PALETTE)
    return PALETTE[k % len(PALETTE)], _MARKERS[(k + 3 * again) % len(_MARKERS)]
