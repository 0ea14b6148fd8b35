"""Drawing trees without a root."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cladebench import extras
from cladebench.class_labels import class_codes
from cladebench.plotting import PALETTE, SMALL
from cladebench.tree_drawing import MIXED
from cladebench.tree_formats import RootedTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "os^DvPX*"  # one for each colour of the palette: told apart without colours, too
_MOST_NAMES = 60  # nodes that are named in the drawing
_MOST_EVENED = 300  # nodes of a tree whose gaps are evened out: that takes n_nodes^2 steps a pass
_PASSES = 5

# Places that a block may take beside its node: how far off, as a share of the farthest, and how far turned aside.
_REACH = np.concatenate([[0.0], np.geomspace(0.005, 1.0, 40)])
_TURNS = np.radians([0, *(sign * turn for turn in range(15, 165, 15) for sign in (1, -1))])
_LEAST_GAP = 0.07  # inches between a node and its block
_ROOM = 0.05  # inches between a block and what is not its own
_AROUND = _ROOM * (1 + 1j)
_TURN_COST = 0.15  # inches of distance that a turn by one radian is worth
_FAR = 1.0  # more than as far is worse than as far twice
_HIDDEN, _CROSSED = 100.0, 1.5  # inches that an overlap, and a crossing of a leader, are worth
_NEAR = 0.3  # where no block costs more, no better order is looked for
_ORDERS, _ROUNDS = 12, 6


def draw_unrooted(hierarchy: RootedTree, ax: Axes | None = None, labels: npt.ArrayLike | None = None) -> Axes:
    """Draw a tree without its root; see `Hierarchy.plot_unrooted`."""
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
        own = tree.own_samples(node)
        share = np.bincount(codes[own]) / len(own)
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
    return ax


def unrooted_layout(tree: RootedTree) -> npt.NDArray[np.complex128]:
    """Places of the nodes in the plane, as complex numbers.

    Edges have their lengths and do not cross.

    Equal angles first: a subtree gets a sector in proportion to its leaves. Then equal daylight: about each inner node
    its branches are turned until the gaps between them are equal.
    """
    lengths = np.ones(tree.n_nodes) if tree.edge_lengths is None else np.array(tree.edge_lengths)
    # An edge of no length has no direction; it gets one that is too short to be seen.
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
    """Turn branches below a node until their gaps are equal.

    About the node; all its branches count.
    """
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
    """Direction, of length 1, in which there is room beside a node.

    Away from its edges, to the right without any.

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


def place_blocks(
    anchors: npt.NDArray[np.complex128],
    away: npt.NDArray[np.complex128],
    sizes: npt.NDArray[np.complex128],
    edges: npt.NDArray[np.complex128],
) -> npt.NDArray[np.complex128]:
    """Place blocks beside the nodes of a drawn tree.

    A block is a picture or some words. Blocks are near, and apart from everything else.

    One after another takes the best of many places: near its node, outward of it, hiding nothing. Who comes first
    matters, so this is done several times, from several beginnings, and the best is kept.

    Parameters
    ----------
    anchors : ndarray of complex128, shape (n_blocks,)
        Nodes of the blocks, in inches.
    away : ndarray of complex128, shape (n_blocks,)
        Directions in which there is room beside them, see `outward`.
    sizes : ndarray of complex128, shape (n_blocks,)
        Widths and, imaginary, heights, in inches.
    edges : ndarray of complex128, shape (2, n_edges)
        Ends of the edges of the tree, in inches.

    Returns
    -------
    ndarray of complex128, shape (n_blocks,)
        Middles of the blocks. The line from a node to the middle of its block, its leader, keeps clear of other
        blocks, and of other lines unless it would be much longer then. This is a search and no proof: with seven or
        more blocks at one node, all with the same direction, a leader may run behind a block.

    Notes
    -----
    Takes O(n_blocks (n_blocks + n_edges)) steps, with a large factor: for tens of blocks.
    """
    halves = sizes / 2
    spread = float(np.abs(anchors[:, None] - anchors).max() + np.abs(halves).sum())
    gaps = _LEAST_GAP + spread * _REACH
    least, best = np.inf, anchors
    for first in range(min(len(anchors), _ORDERS)):
        centres, ends = np.full_like(anchors, np.nan), np.full_like(anchors, np.nan)
        costs = np.full(len(anchors), np.inf)
        order = np.roll(np.arange(len(anchors)), -first)
        for _ in range(_ROUNDS):
            before = centres.copy()
            for i in order:
                centres[i], ends[i], costs[i] = _best_place(
                    int(i), anchors, away[i], halves, edges, centres, ends, gaps
                )
            if np.array_equal(centres, before):
                break
            order = np.argsort(-costs, kind="stable")  # what stands worst chooses first
        if costs.sum() < least:
            least, best = float(costs.sum()), centres
        if costs.max() < _NEAR:
            break
    return best


def _best_place(
    i: int,
    anchors: npt.NDArray[np.complex128],
    away: complex,
    halves: npt.NDArray[np.complex128],
    edges: npt.NDArray[np.complex128],
    centres: npt.NDArray[np.complex128],
    ends: npt.NDArray[np.complex128],
    gaps: npt.NDArray[np.float64],
) -> tuple[complex, complex, float]:
    """Find the best place of block i.

    Its middle, the end of its leader, and the cost, where the others are, or are not yet (NaN).
    """
    others = np.flatnonzero((np.arange(len(anchors)) != i) & ~np.isnan(centres))
    turned = away * np.exp(1j * _TURNS)
    to_rim = 1 / np.maximum(abs(turned.real) / halves[i].real, abs(turned.imag) / halves[i].imag)
    shape = (len(gaps), len(turned))
    begin = np.broadcast_to(anchors[i] + _ROOM * turned, shape).ravel()[
        :, None
    ]  # clear of the edges at the node
    end = (anchors[i] + gaps[:, None] * turned).ravel()[:, None]
    centre = (anchors[i] + (gaps[:, None] + to_rim) * turned).ravel()[:, None]
    cost = (gaps[:, None] + _FAR * gaps[:, None] ** 2 + _TURN_COST * abs(_TURNS)).ravel()

    apart = centre - centres[others]
    room = halves[i] + halves[others] + _AROUND
    hidden = ((abs(apart.real) < room.real) & (abs(apart.imag) < room.imag)).sum(axis=1)
    a, b = np.concatenate([edges, np.stack([anchors[others], ends[others]])], axis=1)
    hidden += _meets(a, b, centre, halves[i] + _AROUND).sum(axis=1)
    hidden += _meets(anchors, anchors, centre, halves[i] + _AROUND).sum(axis=1)
    hidden += _meets(begin, end, centres[others], halves[others] + _AROUND).sum(axis=1)
    crossed = _meets(begin, end, anchors[others], _AROUND).sum(axis=1)
    crossed += _cross(begin, end, a, b).sum(axis=1)
    cost += _HIDDEN * hidden + _CROSSED * crossed
    best = int(cost.argmin())
    return complex(centre[best, 0]), complex(end[best, 0]), float(cost[best])


def _meets(
    a: npt.NDArray[np.complex128],
    b: npt.NDArray[np.complex128],
    centre: npt.NDArray[np.complex128],
    half: npt.NDArray[np.complex128] | complex,
) -> npt.NDArray[np.bool_]:
    """Say whether lines from a to b meet rectangles.

    `half` is half the width of a rectangle and, imaginary, half the height.

    A line is in a rectangle from where it has entered both its strips, level and upright, until it leaves one.
    """
    enter, leave = np.zeros(1), np.ones(1)
    seen, along, half = np.asarray(a - centre), np.asarray(b - a), np.asarray(half)
    for start, step, reach in (
        (seen.real, along.real, half.real),
        (seen.imag, along.imag, half.imag),
    ):
        step = np.where(step == 0, 1e-12, step)
        one, other = (-reach - start) / step, (reach - start) / step
        enter = np.maximum(enter, np.minimum(one, other))
        leave = np.minimum(leave, np.maximum(one, other))
    return enter < leave


def _cross(
    a: npt.NDArray[np.complex128],
    b: npt.NDArray[np.complex128],
    c: npt.NDArray[np.complex128],
    d: npt.NDArray[np.complex128],
) -> npt.NDArray[np.bool_]:
    """Say whether lines cross inside both.

    The lines from a to b and from c to d have a point in common that is an end of neither.
    """

    def side(
        p: npt.NDArray[np.complex128], q: npt.NDArray[np.complex128], r: npt.NDArray[np.complex128]
    ) -> npt.NDArray[np.float64]:
        return ((q - p).conjugate() * (r - p)).imag

    return (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)


def _write_names(
    ax: Axes,
    tree: RootedTree,
    places: npt.NDArray[np.complex128],
    holders: npt.NDArray[np.int64],
    size: float,
) -> None:
    """Beside each node, away from the tree.

    The name of its sample, or the number of its samples.
    """
    names = tree.sample_names or [str(i) for i in range(tree.n_samples)]
    for node in map(int, holders):
        own = tree.own_samples(node)
        away = outward(tree, places, node)
        degrees = float(np.degrees(np.angle(away)))
        flipped = abs(degrees) > 90.0  # else it would stand on its head
        ax.annotate(
            names[own[0]] if len(own) == 1 else f"{len(own)} samples",
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
    """Length of the bar that tells a drawing's scale.

    1, 2 or 5 times a power of ten, a tenth of it to a quarter.
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
