"""The figures of the GHC paper: what they show of the data that come in."""

import numpy as np
import pandas as pd
import pytest
from golden_records import points_of, texts
from matplotlib.colors import same_color, to_hex

from cladebench.hierarchy import Hierarchy
from cladebench.papers.ghc import drawings
from cladebench.plotting import PALETTE

#: Node 1 has four nodes below it, node 4 two; 2, 3, 5 and 6 are leaves.
TREE = Hierarchy([-1, 0, 0, 1, 1, 4, 4], [2, 2, 3, 5, 5, 5, 6])


def edges(axes):
    """Colour of the edge above each node, by the place of the node."""
    return {points_of(line)[1]: to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata())}


def test_a_tree_is_laid_out_above_the_middle_of_its_leaves():
    assert drawings._layout(TREE).tolist() == [
        [1.875, 0],
        [0.75, -1],
        [3, -1],
        [0, -2],
        [1.5, -2],
        [1, -3],
        [2, -3],
    ]


def test_the_lowest_common_ancestor_its_leaves_and_a_path():
    axes = drawings.lowest_common_ancestor(TREE, "toy").axes[0]
    layout = drawings._layout(TREE)
    named = {text.get_text(): text.xy for text in axes.texts if text.get_text().startswith("$")}
    # The deepest node with at least four nodes below it, its first leaf and its last.
    assert {name: tuple(xy) for name, xy in named.items()} == {
        "$v$": tuple(layout[1]),
        "$l_1$": tuple(layout[3]),
        "$l_2$": tuple(layout[6]),
    }
    assert "|lvs($v$)| = 5" in axes.get_title()
    (nodes,) = axes.collections
    colours = [to_hex(colour) for colour in nodes.get_facecolors()]
    grey, white = to_hex("0.7"), to_hex("white")
    assert colours == [white, to_hex(PALETTE[1]), white, grey, grey, grey, grey]
    on_path = {place for place, colour in edges(axes).items() if same_color(colour, PALETTE[0])}
    assert on_path == {tuple(layout[4]), tuple(layout[6])}
    assert sorted(texts(axes.figure)[:4]) == ["1", "1", "2", "3"]


def test_a_tree_that_is_not_split_is_its_own_ancestor():
    axes = drawings.lowest_common_ancestor(Hierarchy([-1], [0, 0]), "toy").axes[0]
    assert "|lvs($v$)| = 2" in axes.get_title()


@pytest.mark.parametrize(("depth", "level"), [(1, [0, 0, 1, 1, 2, 2]), (2, [0, 0, 0, 0, 1, 1]), (3, [0] * 6)])
def test_blocks_are_coloured_by_their_level(depth, level):
    axes = drawings.blocks(TREE, "toy", depth).axes[0]
    layout, colours = drawings._layout(TREE), edges(axes)
    found = [colours[tuple(layout[node])] for node in range(1, 7)]
    assert found == [to_hex(PALETTE[k]) for k in level]
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert (
        legend
        == [
            "top block: trained first",
            *(f"blocks of level {k}: trained in parallel" for k in (2, 3)),
        ][: max(level) + 1]
    )


def test_the_median_goes_as_far_as_the_shortest_trace():
    traces = [
        {"trace_seconds": np.array(seconds), "trace_cost": np.array(cost)}
        for seconds, cost in (([0, 1, 2], [9, 8, 1]), ([0, 3], [5, 4]), ([0, 8], [1, 1]))
    ]
    seconds, cost = drawings.median_curve(traces)
    assert (seconds.tolist(), cost.tolist()) == ([0, 3], [5, 4])


def test_routers_and_ways_of_training_have_looks_of_their_own():
    trace = {"trace_seconds": np.array([0.0, 1.0]), "trace_cost": np.array([2.0, 1.0])}
    methods = {
        "a": ("linear", "blockwise"),
        "b": ("neural", "blockwise"),
        "c": ("neural", "full_tree"),
        "d": ("neural", "exact"),
    }
    axes = drawings.convergence({"toy": {method: [trace] for method in methods}}, methods).axes[0]
    looks = {
        line.get_label(): (to_hex(line.get_color()), line.get_linestyle())
        for line in axes.lines
        if line.get_label() in methods
    }
    assert looks == {
        "a": (to_hex(PALETTE[1]), "--"),
        "b": (to_hex(PALETTE[1]), "-"),
        "c": (to_hex(PALETTE[0]), "-"),
        "d": (to_hex(PALETTE[2]), "-"),
    }


def test_the_map_has_the_24_closest_candidates_at_most():
    costs = pd.DataFrame(
        {
            "candidate": [f"c{k:02}" for k in range(30)],
            "dataset": "glass",
            "log_ratio": np.linspace(3, -0.1, 30),
        }
    )
    axes = drawings.similarity_heatmap(costs).axes[0]
    shown = [tick.get_text() for tick in axes.get_yticklabels()]
    assert shown[:2] == ["c28", "c29"] and len(shown) == 24 and "c00" not in shown
    assert (texts(axes.figure)[0], texts(axes.figure)[1]) == ("+0.01", "-0.10")


@pytest.mark.parametrize(
    "figure",
    [
        drawings.convergence({}, {}),
        drawings.similarity_heatmap(pd.DataFrame()),
        drawings.learned_tree(None, None, "glass"),
        drawings.lowest_common_ancestor(None, ""),
        drawings.blocks(None, ""),
    ],
)
def test_nothing_to_show_is_said(figure):
    assert len(texts(figure)[0].split()) > 4
