"""The figures of the HMMC paper: what they show of the data that come in."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from cladebench.hierarchy import Hierarchy
from cladebench.measures import Measure
from cladebench.paper.figures import axis_label
from cladebench.papers.hmmc import drawings
from cladebench.papers.hmmc.artifacts import FIGURE_2, FIGURE_4
from cladebench.plotting import PALETTE
from golden_records import apart, extents, inside, legend_of, points_of, texts

SP = Measure("sp", "", "SP", "%")
ZEROS = Measure("zeros", "", "zeros in the models", "%")

#: Layers of 1, 2, 2 and 2 nodes; nodes 2, 4, 5 and 6 are leaves.
TREE = Hierarchy([-1, 0, 0, 1, 1, 3, 3], [2, 4, 5, 5, 6, 6])
CLASSES = np.array([0, 1, 2, 2, 1, 2])


def arrays(shares):
    """What a cell stores of the tree, with the same three features at each node."""
    return {
        "class_counts": TREE.class_counts(CLASSES),
        "class_names": np.array(["ape", "bat", "cat", "dog"]),
        "feature_names": np.array(["furry", "fast", "blue"]),
        "top_features": np.tile([2, 0, 1], (7, 1)),
        "top_feature_shares": np.array(shares, dtype=float),
    }


def test_the_annotated_tree_names_classes_and_features_with_their_shares():
    none = [0, 0, 0]
    shares = [[0.5, 0.3, 0.2], [1, 0, 0], none, [0.995, 0.005, 0], none, none, none]
    assert texts(drawings.annotated_tree(TREE, arrays(shares), depth=2)) == [
        "6 images\ncat 3\nbat 2\nape 1",
        "blue 50%, furry 30%, fast 20%",
        "5 images\ncat 3\nbat 2",  # classes without images are not named
        "blue 100%",
        "4 images\ncat 3\nbat 1",
        "blue 100%, furry < 1%",  # of a node that is split below what is drawn
        "1 image\nbat 1",
        "1 image\nape 1",
    ]


def test_features_without_weight_are_not_named():
    """The first of the list fill up where fewer have any, and stand alone where none has."""
    shown = texts(drawings.annotated_tree(TREE, arrays(np.zeros((7, 3))), depth=3))
    assert len(shown) == 7 and all("image" in text for text in shown)


def test_a_node_of_the_annotated_tree_stands_left_of_the_middle_of_its_parts():
    figure = drawings.annotated_tree(TREE, arrays(np.zeros((7, 3))), depth=2)
    places = {text.get_text().splitlines()[0]: text.xy for text in figure.axes[0].texts}
    assert places["6 images"] == (0, 1.25)  # between 0.5 and 2
    assert places["5 images"] == (1, 0.5)
    edges = [tuple(map(tuple, line.get_xydata())) for line in figure.axes[0].lines]
    assert sorted(edges) == [
        ((0, 1.25), (1, 0.5)),
        ((0, 1.25), (1, 2)),
        ((1, 0.5), (2, 0)),
        ((1, 0.5), (2, 1)),
    ]


def boxes_of(figure):
    """Extents of the boxes and of the features of each node of an annotated tree, by their first line."""
    texts = figure.axes[0].texts
    extents(figure, texts)
    found = [text.get_bbox_patch().get_window_extent() for text in texts]
    found = [box.transformed(figure.dpi_scale_trans.inverted()) for box in found]
    return {text.get_text().splitlines()[0]: box for text, box in zip(texts, found, strict=True)}


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nothing_covers_anything_in_the_annotated_tree(depth):
    figure = drawings.annotated_tree(TREE, arrays(np.tile([0.5, 0.3, 0.2], (7, 1))), depth)
    axes, boxes = figure.axes[0], boxes_of(figure)
    texts = extents(figure, axes.texts)
    assert not axes.axison
    assert apart(texts)
    room = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    assert all(inside(box, room) for box in boxes.values())
    # What a node holds stands above its place, what splits it below that, both centred.
    places = axes.transData.transform([text.xy for text in axes.texts]) / figure.dpi
    for text, place, box in zip(axes.texts, places, texts, strict=True):
        assert (box.xmin + box.xmax) / 2 == pytest.approx(place[0], abs=0.03)
        if "image" in text.get_text():
            assert box.ymin == pytest.approx(place[1], abs=0.05)
        else:
            assert box.ymax < place[1]
    # Boxes have a rim and hide the edges behind them, features are set apart from classes.
    assert max(line.get_zorder() for line in axes.lines) < 1
    for text in axes.texts:
        box = text.get_bbox_patch()
        rim = to_hex(box.get_edgecolor()) if box.get_edgecolor()[3] else "none"
        of_classes = "image" in text.get_text()
        assert to_rgb(box.get_facecolor()) == (1, 1, 1)
        assert rim == (PALETTE[0].lower() if of_classes else "none")
        assert (text.get_style() == "italic") is not of_classes
        assert (to_hex(text.get_color()) == "#000000") is of_classes
        assert "Round" in type(box.get_boxstyle()).__name__


def test_no_more_than_three_classes_and_three_features_are_named():
    tree = Hierarchy([-1, 0, 0], np.repeat([1, 2], 5))
    stored = {
        "class_counts": tree.class_counts(np.array([0, 1, 2, 3, 4, 4, 3, 3, 2, 2])),
        "class_names": np.array(list("abcde")),
        "feature_names": np.array(list("vwxyz")),
        "top_features": np.tile(np.arange(5), (3, 1)),
        "top_feature_shares": np.array([[0.3, 0.25, 0.2, 0.01, 0.01], [0.0] * 5, [0.0] * 5]),
    }
    assert texts(drawings.annotated_tree(tree, stored, depth=1))[:2] == [
        "10 images\nc 3\nd 3\ne 2",  # of equals the first
        "v 30%, w 25%, x 20%",
    ]


def test_bars_of_zeros_stand_side_by_side_with_their_repetitions():
    shares = {
        name: {method: np.array([0.5, 0.7]) for method in ("HMMC", "HMMC-G", "HMMC-E")}
        for name in ("one", "two")
    }
    figure = drawings.sparsity(shares, ZEROS)
    (axes,) = figure.axes
    bars = sorted((bar.get_y(), bar.get_y() + bar.get_height()) for bar in axes.patches)
    gaps = [after[0] - before[1] for before, after in itertools.pairwise(bars)]
    assert min(gaps) > 0 and int(np.argmax(gaps)) == 2 and gaps[2] > 2 * gaps[1]  # between the data sets
    assert min(end - start for start, end in bars) > 5 * min(gaps)
    assert axes.get_xlim()[0] == 0 and axes.get_xlabel() == "zeros in the models (%)"
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["one", "two"]
    assert legend_of(figure) == ["HMMC", "HMMC-G", "HMMC-E"]
    colours = {bars.get_label(): {to_hex(bar.get_facecolor()) for bar in bars} for bars in axes.containers}
    assert colours == {method: {to_hex(drawings.STYLES[method][0])} for method in shares["one"]}
    for line in axes.lines:
        assert (line.get_marker(), line.get_linestyle(), to_hex(line.get_color())) == ("o", "None", "#000000")
        assert points_of(line) == [(50, line.get_ydata()[0].round(9)), (70, line.get_ydata()[0].round(9))]


def falling(*traces, **more):
    """A figure of HMMC's objective on one data set, and its panel, drawn."""
    figure = drawings.convergence({"one": {"HMMC": [np.array(trace) for trace in traces], **more}})
    figure.draw_without_rendering()
    return figure, figure.axes[0]


def test_traces_of_methods_are_told_apart_without_colour():
    methods = ("HMMC", "HMMC-G", "HMMC-E", "HMMC-1", "HMMC-2")
    _, axes = falling(**{method: [np.array([4.0, 2.0, 1.0])] for method in methods})
    assert {line.get_marker() for line in axes.lines} == {drawings.STYLES[method][2] for method in methods}
    assert len({(line.get_linestyle(), line.get_marker()) for line in axes.lines}) == len(methods)
    assert all(line.get_markevery() == [2] for line in axes.lines), "a mark at the end alone"


@pytest.mark.parametrize("start", [1.2, 4.0, 40.0, 4000.0])
def test_an_objective_is_drawn_on_a_log_axis_with_plain_ticks(start):
    figure, axes = falling([start, start**0.5, 1.0])
    assert (axes.get_title(), axes.get_xlabel()) == ("one", "half-step")
    assert (axes.get_ylabel(), axes.get_yscale()) == ("objective /\nfinal objective", "log")
    low, high = axes.get_ylim()
    ticks = [tick for tick in axes.get_yticks() if low <= tick <= high]
    assert 3 <= len(ticks) <= 14 and not len(axes.yaxis.get_minorticklocs())
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{tick:g}" for tick in axes.get_yticks()
    ]
    assert all(box.y0 < box.y1 for box in extents(figure, axes.get_yticklabels()))
    if high > 5 * low:
        assert {round(tick / 10 ** np.floor(np.log10(tick))) for tick in ticks} <= {1, 2, 5}


@pytest.mark.parametrize("n", [2, 9, 200])
def test_half_steps_are_whole_numbers_and_few(n):
    _, axes = falling(np.linspace(2, 1, n))
    low, high = axes.get_xlim()
    ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert 2 <= len(ticks) <= 6 and all(tick == round(tick) for tick in ticks)
    assert points_of(axes.lines[0])[0] == (1, 2) and points_of(axes.lines[0])[-1] == (n, 1)


@pytest.mark.parametrize("final", [0.0, 1.0])
def test_an_objective_that_ends_at_zero_stands_as_it_is(final):
    _, axes = falling([5.0, 3.0, final])
    assert [y for _, y in points_of(axes.lines[0])] == [5, 3, final]


def test_curves_look_like_their_method_and_the_legend_names_each_once():
    halves = [np.array([2.0, 1.0])] * 2
    figure = drawings.convergence({"one": {"HMMC": halves}, "two": {"HMMC": halves, "HMMC-2": halves}})
    assert legend_of(figure) == ["HMMC", "HMMC-2"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["objective /\nfinal objective", ""]
    looks = [(to_hex(line.get_color()), line.get_linestyle()) for axes in figure.axes for line in axes.lines]
    own, other = (
        (to_hex(colour), dashes) for colour, dashes, _ in map(drawings.STYLES.get, ("HMMC", "HMMC-2"))
    )
    assert looks == [own, own, own, own, other, other]
    assert all(0 < line.get_alpha() < 1 for axes in figure.axes for line in axes.lines)


def test_figure_2_says_what_its_panels_show():
    leaves = {"one": {"HMMC": {2.0: np.array([0.7]), 1.0: np.array([0.8, 0.9])}}, "two": {}}
    splits = {"one": {"KM": {3: np.array([0.2])}}, "two": {"SC": {2: np.array([0.6])}}}
    figure = drawings.measure_against_size(leaves, splits, SP)
    above, below = np.reshape(figure.axes, (2, 2)).T
    assert [axes.get_title() for axes in figure.axes] == ["one", "one", "two", "two"]
    assert [axes.get_ylabel() for axes in figure.axes] == [axis_label(SP), "", axis_label(SP), ""]
    assert [axes.get_xlabel() for axes in above] == ["", "leaves F / classes, K = 2"]
    assert [axes.get_xlabel() for axes in below] == ["", "splits K, F = classes"]
    assert [[tick.get_text() for tick in axes.get_xticklabels()] for axes in figure.axes] == [
        *(["1", "2"], ["3"], [], ["2"])
    ]
    assert points_of(above[0].lines[0]) == [(1, 85), (2, 70)]
    (ranges,) = above[0].collections
    (line,) = above[0].lines
    colour, dashes, marker = drawings.STYLES["HMMC"]
    assert (line.get_color(), line.get_linestyle(), line.get_marker()) == (colour, dashes, marker)
    assert to_hex(ranges.get_color()[0]) == to_hex(colour)
    assert above[0].get_ylim() == below[0].get_ylim() != above[1].get_ylim()  # a data set has one scale


def test_methods_of_a_figure_can_be_told_apart_and_families_have_one_colour():
    looks = {
        method: (to_hex(colour), dashes, marker)
        for method, (colour, dashes, marker) in drawings.STYLES.items()
    }
    by_sizes = {looks[method] for method in (*FIGURE_2, "Random-balanced")}
    assert len(by_sizes) == len(FIGURE_2) + 1
    assert len({looks[method][:2] for method in (*FIGURE_4, "HMMC-2")}) == len(FIGURE_4) + 1
    variants = [looks[method][0] for method in (*FIGURE_4, "HMMC-2")]
    assert len(set(variants)) == len(variants) and "#000000" not in variants  # black are the dots on bars
    families = [("KM", "HKM", "HKM-D"), ("SC", "HSC", "HSC-D"), ("MMC",), ("HMMC",)]
    colours = [{looks[method][0] for method in family} for family in families]
    assert all(len(family) == 1 for family in colours) and len(set().union(*colours)) == 4


def by_size(names):
    points = {name: {"HMMC": {1.0: np.array([0.5])}} for name in names}
    return drawings.measure_against_size(points, points, SP)


def by_half_step(names):
    return drawings.convergence({name: {"HMMC": [np.array([2.0, 1.0])]} for name in names})


def test_four_data_sets_take_two_lines_of_three_panels():
    lines = [axes.get_subplotspec().rowspan.start for axes in by_half_step("abcd").axes]
    assert lines == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("draw", [by_size, by_half_step])
def test_panels_of_several_data_sets_are_of_one_size(draw):
    figure = draw("abc")
    widths = [box.width for box in extents(figure, figure.axes)]
    assert widths == pytest.approx([widths[0]] * len(widths), rel=0.05)
    assert widths[0] > 1.2
