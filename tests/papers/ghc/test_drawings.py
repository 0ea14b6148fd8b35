"""The figures of the GHC paper: what they show of the data that come in."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color, to_hex, to_rgb

from cladebench.hierarchy import Hierarchy
from cladebench.paper.figures import WIDTH
from cladebench.papers.ghc import drawings
from cladebench.plotting import PALETTE
from drawing_checks import contrast
from golden_records import apart, extents, inside, points_of, texts

#: Node 1 has four nodes below it, node 4 two; 2, 3, 5 and 6 are leaves.
TREE = Hierarchy([-1, 0, 0, 1, 1, 4, 4], [2, 2, 3, 5, 5, 5, 6])


def edges(axes):
    """Colour of the edge above each node, by the place of the node."""
    return {points_of(line)[1]: to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata())}


def test_a_tree_is_laid_out_above_the_middle_of_its_leaves():
    assert drawings._places(TREE).tolist() == [
        [1.875, 0],
        [0.75, -1],
        [3, -1],
        [0, -2],
        [1.5, -2],
        [1, -3],
        [2, -3],
    ]


def test_the_lowest_common_ancestor_its_leaves_and_a_path():
    figure = drawings.lowest_common_ancestor(TREE, "toy")
    axes = figure.axes[0]
    layout = drawings._places(TREE)
    named = {text.get_text(): text.xy for text in axes.texts if text.get_text() in ("l1", "l2", "v")}
    # The deepest node with at least four nodes below it, its first leaf and its last.
    assert {name: tuple(xy) for name, xy in named.items()} == {
        "v": tuple(layout[1]),
        "l1": tuple(layout[3]),
        "l2": tuple(layout[6]),
    }
    assert " ".join(figure.get_suptitle().split()).endswith("has 3 leaves, 5 points below it")
    (nodes,) = axes.collections
    colours = [to_hex(colour) for colour in nodes.get_facecolors()]
    grey, white = to_hex("0.7"), to_hex("white")
    assert colours == [white, to_hex(PALETTE[1]), white, grey, grey, grey, grey]
    on_path = {place for place, colour in edges(axes).items() if same_color(colour, PALETTE[0])}
    assert on_path == {tuple(layout[4]), tuple(layout[6])}
    assert sorted(texts(axes.figure)[:4]) == ["1", "1", "2", "3"]


def test_the_first_and_last_leaf_are_those_of_the_drawing():
    tree = Hierarchy([-1, 0, 0, 0, 1, 1, 3, 3], [4, 5, 2, 6, 7])
    axes = drawings.lowest_common_ancestor(tree, "toy").axes[0]
    layout = drawings._places(tree)
    named = {text.get_text(): tuple(text.xy) for text in axes.texts if text.get_text() in ("l1", "l2")}
    assert named == {"l1": tuple(layout[4]), "l2": tuple(layout[7])}


def test_a_tree_that_is_not_split_is_its_own_ancestor():
    figure = drawings.lowest_common_ancestor(Hierarchy([-1], [0, 0]), "toy")
    assert " ".join(figure.get_suptitle().split()).endswith("has 1 leaf, 2 points below it")


@pytest.mark.parametrize(("depth", "level"), [(1, [0, 0, 1, 1, 2, 2]), (2, [0, 0, 0, 0, 1, 1]), (3, [0] * 6)])
def test_blocks_are_coloured_by_their_level(depth, level):
    axes = drawings.blocks(TREE, "toy", depth).axes[0]
    layout, colours = drawings._places(TREE), edges(axes)
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
    assert (texts(axes.figure)[0], texts(axes.figure)[1]) == ("+0.01", "\u22120.10")


LOOKS = {"GHC-L-BW-2": ("linear", "blockwise"), "GHC-N-FT": ("neural", "full_tree")}


def curves(*datasets, methods=("GHC-L-BW-2", "GHC-N-FT")):
    trace = {"trace_seconds": np.array([0.0, 1.0]), "trace_cost": np.array([2.0, 1.0])}
    return {dataset: {method: [trace] for method in methods} for dataset in datasets}


def test_curves_of_cost_have_their_axes_and_stand_out_from_the_repetitions():
    figure = drawings.convergence(curves("one", "two"), LOOKS)
    one, two = figure.axes
    assert [axes.get_xlabel() for axes in (one, two)] == ["seconds of training"] * 2
    assert (one.get_ylabel(), two.get_ylabel()) == ("Dasgupta cost of the tree\n\u2190 lower is better", "")
    thin, median = one.lines[:2]
    assert 2 * thin.get_linewidth() < median.get_linewidth() and thin.get_alpha() < 1
    assert median.get_alpha() is None
    # From a tenth of a second on the axis has decades: the first steps matter, and the start is at 0.
    places = one.transData.transform([(0.0, 1.0), (0.1, 1.0), (1.0, 1.0), (10.0, 1.0)])[:, 0]
    assert places[0] < places[1] and np.diff(places)[1] == pytest.approx(np.diff(places)[2])


def test_panels_of_cost_are_of_one_size_two_to_a_row():
    figure = drawings.convergence(curves(*"abc"), LOOKS)
    panels = extents(figure, [axes for axes in figure.axes if axes.axison])
    assert len(panels) == 3 and apart(panels)
    assert [box.width for box in panels] == pytest.approx([panels[0].width] * 3, rel=0.05)
    assert panels[0].width > 2 and panels[2].y1 < panels[0].y0


def test_all_methods_that_end_lowest_equally_often_are_named():
    low, high = (
        {"trace_seconds": np.array([0.0, 1.0]), "trace_cost": np.array([2.0, c])} for c in (0.5, 1.0)
    )
    one = {"a": [low], "b": [high], "c": [high]}
    other = {"a": [high], "b": [low], "c": [high]}
    said = drawings.said_of_ends({"one": one, "other": other})
    assert said == "a and b each end at the lowest median cost on 1 of 2 data sets"
    said = drawings.said_of_ends({"one": one, "other": other, "more": one, "alone": {"b": [low]}})
    assert said == "a ends at the lowest median cost on 2 of 3 data sets"
    assert drawings.said_of_ends({"alone": {"b": [low]}}) == ""


def closest(n, dataset="glass"):
    """So many candidates of equal distance."""
    return pd.DataFrame({"candidate": [f"c{k:02}" for k in range(n)], "dataset": dataset, "log_ratio": 1.0})


def test_equally_close_candidates_keep_their_order():
    axes = drawings.similarity_heatmap(closest(60)).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [f"c{k:02}" for k in range(24)]


def test_the_map_says_what_it_shows():
    costs = pd.DataFrame({"candidate": ["a", "b"], "dataset": "glass", "log_ratio": [0.0, 9.0]})
    figure = drawings.similarity_heatmap(costs)
    axes, bar = figure.axes
    (image,) = axes.images
    said = " ".join(figure.get_suptitle().split())
    assert said == "At best a similarity gives the printed costs on 1 of 1 data set"
    assert axes.get_ylabel() == "similarity, features, how pairs are counted"
    assert bar.get_ylabel() == "log10(cost / nearest end of the printed range)"
    # Colours end at a factor of 1000 in both directions, and the bar says that there is more.
    assert image.get_clim() == (-3, 3) and image.colorbar.extend == "both"
    low, middle, high = (to_rgb(image.cmap(image.norm(value))) for value in (-3, 0, 3))
    assert high[0] > high[2] and low[2] > low[0] and min(middle) > 0.9  # red above, blue below


@pytest.mark.parametrize("n", [1, 2, 24])
def test_numbers_of_the_map_stand_in_their_cells(n):
    costs = pd.concat([closest(n, dataset) for dataset in ("glass", "spambase")])
    figure = drawings.similarity_heatmap(costs)
    axes = figure.axes[0]
    for text, box in zip(axes.texts, extents(figure, axes.texts), strict=True):
        column, row = text.get_position()
        cell = axes.transData.transform([(column - 0.5, row + 0.5), (column + 0.5, row - 0.5)]) / figure.dpi
        assert (box.min > cell[0]).all() and (box.max < cell[1]).all()
        assert (box.min + box.max) / 2 == pytest.approx(cell.mean(axis=0), abs=0.03)


def test_numbers_of_the_map_can_be_read_on_their_colours():
    values = np.linspace(-4, 4, 24)
    costs = pd.DataFrame({"candidate": list(map(str, values)), "dataset": "glass", "log_ratio": values})
    axes = drawings.similarity_heatmap(costs).axes[0]
    (image,) = axes.images
    for text in axes.texts:
        ground = image.cmap(image.norm(image.get_array()[int(text.get_position()[1]), 0]))
        assert contrast(text.get_color(), ground) > 3


def test_a_candidate_without_a_ratio_has_an_empty_cell():
    costs = pd.DataFrame({"candidate": ["a", "b"], "dataset": "glass", "log_ratio": [0.5, np.nan]})
    assert texts(drawings.similarity_heatmap(costs)) == ["+0.50"]


def wide(n_leaves):
    """A root over so many leaves of a hundred points each."""
    return Hierarchy([-1] + [0] * n_leaves, np.repeat(np.arange(1, n_leaves + 1), 100))


@pytest.mark.parametrize("make", [lambda: TREE, lambda: wide(2), lambda: wide(30)])
def test_nodes_and_their_numbers_have_room(make):
    tree = make()
    axes = drawings.blocks(tree, "toy").axes[0]
    figure = axes.figure
    axes.get_legend().remove()
    numbers = extents(figure, axes.texts)
    (nodes,) = axes.collections
    radius = np.sqrt(nodes.get_sizes()[0]) / 2 / 72
    places = axes.transData.transform(nodes.get_offsets()) / figure.dpi
    assert len(numbers) == tree.n_leaves
    assert apart(numbers) and all(inside(box, figure.bbox_inches) for box in numbers)
    assert min(np.hypot(*(a - b)) for a, b in itertools.combinations(places, 2)) > 2 * radius
    leaves = [node for node in range(tree.n_nodes) if not len(tree.children(node))]
    for node, box in zip(leaves, numbers, strict=True):
        centre = (box.min + box.max) / 2
        assert centre[0] == pytest.approx(places[node][0], abs=0.02)
        assert 0 < places[node][1] - radius - box.ymax < radius  # just below its leaf


def test_the_legend_of_blocks_covers_no_node():
    axes = drawings.blocks(TREE, "toy").axes[0]
    (legend,) = extents(axes.figure, [axes.get_legend()])
    (nodes,) = axes.collections
    for x, y in axes.transData.transform(nodes.get_offsets()) / axes.figure.dpi:
        assert not legend.contains(x, y)


def test_what_is_marked_in_a_tree_stands_out():
    axes = drawings.lowest_common_ancestor(TREE, "toy").axes[0]
    assert not axes.axison
    widths = {to_hex(line.get_color()): line.get_linewidth() for line in axes.lines}
    assert widths[to_hex(PALETTE[0])] > widths[to_hex("0.75")]
    (nodes,) = axes.collections
    assert min(nodes.get_zorder(), 1.5) > max(line.get_zorder() for line in axes.lines)  # nodes cover edges
    assert len(axes.lines) == 6
    assert not any(same_color(edge, "white") for edge in nodes.get_edgecolors())  # a white node has a rim
    names = [text for text in axes.texts if text.get_text() in ("l1", "l2", "v")]
    assert len(names) == 3
    boxes = extents(axes.figure, names)
    places = axes.transData.transform([text.xy for text in names]) / axes.figure.dpi
    for place, box in zip(places, boxes, strict=True):
        assert (box.min + box.max) / 2 == pytest.approx(place, abs=0.03)


def test_the_deepest_ancestor_with_something_to_see_is_the_first_of_equals():
    halves = Hierarchy([-1, 0, 0, *[1] * 4, *[2] * 4], [*range(3, 11)])
    axes = drawings.lowest_common_ancestor(halves, "toy").axes[0]
    (place,) = [text.xy for text in axes.texts if text.get_text() == "v"]
    assert tuple(place) == tuple(drawings._places(halves)[1])


def test_a_node_with_one_child_is_no_ancestor_of_a_pair():
    """Though enough is below it, and it is deeper than the one that is."""
    tree = Hierarchy([-1, 0, 0, 1, 3, 3, 3], [2, 4, 5, 6])
    axes = drawings.lowest_common_ancestor(tree, "toy").axes[0]
    (place,) = [text.xy for text in axes.texts if text.get_text() == "v"]
    assert tuple(place) == tuple(drawings._places(tree)[0])


def test_levels_beyond_the_palette_begin_it_anew_and_the_legend_has_their_colours():
    n = len(PALETTE) + 2
    axes = drawings.blocks(Hierarchy([-1, *range(n)], [n]), "chain", 1).axes[0]
    drawn, layout = edges(axes), drawings._places(Hierarchy([-1, *range(n)], [n]))
    found = [drawn[tuple(layout[node])] for node in range(1, n + 1)]
    assert found == [to_hex(PALETTE[k % len(PALETTE)]) for k in range(n)]
    legend = [to_hex(line.get_color()) for line in axes.get_legend().get_lines()]
    assert legend == found
    assert not axes.get_legend().get_frame_on()


@pytest.mark.parametrize(("n_leaves", "width"), [(5, 4.5), (20, WIDTH), (30, WIDTH)])
def test_a_figure_of_a_tree_grows_with_its_leaves_and_layers_up_to_a_page(n_leaves, width):
    star = Hierarchy([-1, *[0] * n_leaves], range(1, n_leaves + 1))
    for figure, depth in (
        (drawings.blocks(star, "toy"), 1),
        (drawings.lowest_common_ancestor(star, "toy"), 1),
        (drawings.blocks(TREE, "toy"), 3),
    ):
        expected = width if depth == 1 else 4.5
        title = 0.16 * len(figure.get_suptitle().splitlines()) + 0.1
        assert figure.get_size_inches() == pytest.approx([expected, 0.62 * depth + 1.3 + title])
