"""Place blocks beside the nodes of a drawn tree.

A block is a picture, or words in a frame.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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
        Directions in which there is room beside them, see `cladebench.unrooted_drawing.outward`.
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
    """Find the best place of block i among the placed others.

    It has the block's middle, the end of its leader, and the cost. Others that are not yet placed are NaN.
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
