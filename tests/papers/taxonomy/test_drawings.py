"""The figures of the taxonomy paper: what they show of the data that come in, and that nothing covers anything."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from cladebench.hierarchy import Hierarchy
from cladebench.papers.taxonomy import drawings
from cladebench.plotting import PALETTE, SMALL
from golden_records import apart, extents, inside, least_text, legend_of, points_of, texts

pytestmark = pytest.mark.usefixtures("style")
CATERPILLAR = Hierarchy.from_nested([[[[[[[[0, 1], 2], 3], 4], 5], 6], 7], 8])
CHAIN = Hierarchy([-1, 0, 1, 0, 3, 3, 3, 3, 3, 3, 3, 3], [2, *range(4, 12)])  # one inner node with one child
STRUCTURES = {
    "ternary, 3 × 3": (Hierarchy.from_nested([[0, 1, 2], [3, 4, 5], [6, 7, 8]]), 2),
    "caterpillar": (CATERPILLAR, 8),
    "with a chain": (CHAIN, 2),
    "two": (Hierarchy.from_nested([[0, 1, 2, 3], [4, 5, 6, 7, 8]]), 2),
    "star, which is Y = I and has a long name": (Hierarchy.from_nested(list(range(9))), 1),
}


def test_structures_have_a_dot_for_each_cluster_and_their_depth():
    figure = drawings.structures({name: tree for name, (tree, _) in STRUCTURES.items()})
    assert len(figure.axes) == 8
    for axes, letter, (name, (tree, depth)) in zip(figure.axes, "abcde", STRUCTURES.items(), strict=False):
        assert axes.get_title().replace("\n", " ") == f"({letter}) {name}" and not axes.axison
        *edges, dots = axes.lines
        assert dots.get_marker() == "o" and dots.get_linestyle() == "None"
        ends = points_of(dots)
        assert len(ends) == len(set(ends)) == 9
        assert [-y for _, y in ends] == tree.depths[tree.leaf_of].tolist()
        assert min(y for _, y in ends) == -depth
        # Each edge goes down by one layer, and all dots hang on one.
        assert len(edges) == tree.n_nodes - 1
        downs = [points_of(line) for line in edges]
        assert all(top[1] - bottom[1] == 1 for top, bottom in downs)
        assert set(ends) <= {bottom for _, bottom in downs}
    assert all(not axes.axison and not axes.lines for axes in figure.axes[5:])
    titles = extents(figure, [axes.title for axes in figure.axes[:5]])
    assert apart(titles) and all(inside(box, figure.bbox_inches) for box in titles)
    assert least_text(figure) >= SMALL
    assert texts(drawings.structures({})) == ["No structures are given."]


CURVES = {
    "one": {3: np.array([0.5, 0.9]), 2: np.array([0.2, 0.4])},
    "two": {2: np.array([0.1])},
}
EIGENVALUES = {"one": np.array([5.0, 4.0, 1.0]), "two": np.array([[3.0, 1.0], [5.0, 2.0]])}


def test_objective_and_eigenvalues_are_means_with_their_ranges():
    figure = drawings.objective_against_clusters(CURVES, EIGENVALUES)
    left, right = figure.axes
    assert [points_of(line) for line in left.lines] == [[(2, 0.3), (3, 0.7)], [(2, 0.1)]]
    assert [points_of(line) for line in right.lines] == [[(1, 5), (2, 4), (3, 1)], [(1, 4), (2, 1.5)]]
    ranges = [tuple(np.sort(ends[:, 1])) for ends in left.collections[0].get_segments()]
    assert ranges == [(0.2, 0.4), (0.5, 0.9)]
    assert legend_of(figure) == ["one", "two"]
    looks = [[(to_hex(line.get_color()), line.get_marker()) for line in axes.lines] for axes in (left, right)]
    assert looks[0] == looks[1] and looks[0][0][0] != looks[0][1][0] and looks[0][0][1] != looks[0][1][1]
    assert (left.get_xlabel(), right.get_xlabel()) == ("number of clusters k", "rank")
    assert (left.get_ylabel(), right.get_ylabel()) == ("objective (1) reached by NTC", "eigenvalue of HMH")


def test_elbow_and_gap_are_marked():
    figure = drawings.objective_against_clusters(CURVES, EIGENVALUES, {"one": 3}, {"one": 2, "two": 1})
    left, right = figure.axes
    assert [points_of(line) for line in left.lines[2:]] == [[(3, 0.7)]]
    assert [points_of(line) for line in right.lines[2:]] == [[(2, 4)], [(1, 4)]]
    assert legend_of(figure) == ["one", "two", "elbow", "last before the gap"]
    assert left.lines[2].get_marker() != right.lines[2].get_marker()
    extents(figure, [])
    only = drawings.objective_against_clusters({}, {"two": EIGENVALUES["two"]}, None, {"two": 2})
    assert points_of(only.axes[1].lines[1]) == [(2, 1.5)]
    assert "No finished run" in texts(drawings.objective_against_clusters({}, {}))[0]


ROWS = {"taxonomy": np.array([0.3, 0.3, 0.6]), "spectral": np.array([0.5]), "none": np.array([])}
PRINTED = {"taxonomy": 0.2807, "b": 0.497}


def test_entropies_have_a_row_for_each_method():
    figure = drawings.entropies(ROWS, PRINTED)
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["taxonomy", "spectral", "none", "b"]
    dots = [points_of(line) for line in axes.lines if line.get_marker() == "o"]
    assert [[x for x, _ in points] for points in dots] == [[0.3, 0.3, 0.6], [0.5]]
    assert len({y for _, y in dots[0]}) == 3 and all(abs(y) < 0.5 for _, y in dots[0])
    assert dots[1] == [(0.5, 1.0)]
    means = [lines.get_segments()[0] for lines in axes.collections]
    assert [float(ends[0, 0]) for ends in means] == pytest.approx([0.4, 0.5])
    assert [float(ends[:, 1].mean()) for ends in means] == pytest.approx([0, 1])
    low, high = axes.get_ylim()
    assert low > high  # the first on top
    assert axes.get_xlim()[0] == 0
    grids = [[line.get_visible() for line in axis.get_gridlines()] for axis in (axes.xaxis, axes.yaxis)]
    assert not any(grids[0]) and all(grids[1])
    assert axes.get_xlabel() == "conditional entropy H(l|c) (nats)\n← lower is better"


def test_a_random_method_is_a_line_from_end_to_end():
    figure = drawings.entropies(ROWS, PRINTED, random={"Random": np.array([1.5, 1.7])})
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == "random method: Random"]
    assert list(line.get_xdata()) == pytest.approx([1.6, 1.6]) and list(line.get_ydata()) == [0, 1]
    assert "random method: Random" in legend_of(figure)


def test_printed_entropies_are_told_apart_as_those_of_other_data():
    figure = drawings.entropies(ROWS, PRINTED)
    diamonds = [line for line in figure.axes[0].lines if line.get_marker() == "D"]
    assert [points_of(line) for line in diamonds] == [[(0.2807, 0)], [(0.497, 3)]]
    for line in diamonds:
        assert line.get_markerfacecolor() == "none" and to_hex(line.get_markeredgecolor()) == to_hex(
            PALETTE[1]
        )
    assert legend_of(figure) == ["one draw", "mean", "printed, other images"]
    extents(figure, [])
    assert least_text(figure) >= SMALL
    assert "No finished run" in texts(drawings.entropies({}, {}))[0]
