"""Pictures: what they show, in which colours, and the same in any unit."""

import io

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.spatial.distance import pdist, squareform

from cladebench.bench.statistics.paired_tests import nemenyi
from cladebench.hierarchy import Hierarchy
from cladebench.pictures import (
    POINTS,
    _alike,
    costs,
    critical_difference,
    dendrogram,
    differences,
    few_colours,
    groups,
    projection,
)

X = np.random.default_rng(0).normal(size=(20, 4))


D = squareform(pdist(X))


@pytest.mark.parametrize("power", [-600, 600])
@pytest.mark.parametrize(("values", "distances"), [(X, False), (D, True)])
def test_points_are_drawn_the_same_in_any_unit(values, distances, power):
    right, rows = projection(values, distances)
    found, same = projection(np.ldexp(values, power), distances)
    np.testing.assert_array_equal(same, rows)
    np.testing.assert_array_equal(found, right)
    assert np.linalg.matrix_rank(found) == 2


def test_pictures_have_few_colours_and_all_their_pixels():
    figure = differences(DIFFERENCES, "mine", 0.02, "score")
    file = io.BytesIO()
    figure.savefig(file, format="png")
    small = few_colours(file.getvalue())
    one, other = (
        np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), int) for png in (file.getvalue(), small)
    )
    assert len(small) < len(file.getvalue()) / 2 and one.shape == other.shape
    assert np.abs(one - other).mean() < 1


def test_differences_have_a_panel_a_data_set_and_a_line_a_rival():
    panels = [ax for ax in differences(DIFFERENCES, "mine", 0.02, "score").axes if ax.get_visible()]
    assert [ax.get_title() for ax in panels] == [f"d{i}" for i in range(5)]
    assert [tick.get_text() for tick in panels[0].get_yticklabels()] == ["a", "b"]
    assert len({ax.get_xlim() for ax in panels}) == 1
    points = [line.get_xydata().tolist() for line in panels[4].lines if line.get_marker() in "oD"]
    assert points == [[[0.4, 0]], [[-0.4, 1]]]


DIFFERENCES = pd.DataFrame(
    [
        {
            "data": f"d{i}",
            "rival": name,
            "difference": sign * i / 10,
            "low": -0.5,
            "high": 0.5,
            "verdict": verdict,
        }
        for i in range(5)
        for name, sign, verdict in (("a", 1, "ahead"), ("b", -1, "undecided"))
    ]
)


def colours(panels):
    figure = groups(np.zeros((6, 2)), {name: np.array(labels) for name, labels in panels.items()})
    return [[tuple(colour) for colour in ax.collections[0].get_facecolors()] for ax in figure.axes]


def test_groups_of_the_same_points_have_one_colour_in_all_panels():
    classes, renamed, finer = colours(
        {"classes": [0, 0, 0, 1, 1, -1], "renamed": [7, 7, 7, 4, 4, 4], "finer": [5, 5, 9, 2, 2, 8]}
    )
    assert renamed == [*classes[:5], classes[3]] and classes[5] not in renamed
    assert finer[:2] == classes[:2] and finer[3:5] == classes[3:5]
    assert len(set(finer)) == 4 and not {finer[2], finer[5]} & {classes[0], classes[3]}


def test_a_group_that_shares_no_point_has_a_colour_of_its_own():
    classes, other = colours({"classes": [0, 0, 1, 1, -1, -1], "other": [-1, -1, 3, 3, 8, 8]})
    assert other[2:4] == classes[2:4] and other[4] not in classes
    # Nor may it take the colour of a class that no group is paired with.
    classes, other = colours({"classes": [0, 0, 1, 2, 3, -1], "other": [5, 5, -1, -1, -1, 8]})
    assert other[0] == classes[0] and other[5] not in classes


def test_the_picture_has_all_methods_by_rank_and_a_bar_a_group():
    means = {"c": 3.0, "a": 1.2, "b": 1.8, "d": 4.0}
    width = nemenyi(4, 10)
    (axes,) = critical_difference(pd.Series(means), width).axes
    texts = [text.get_text().strip() for text in axes.texts]
    assert texts == [
        f"critical difference {width:.2f}",
        *("a  1.20", "b  1.80", "3.00  c", "4.00  d"),
    ]
    lines = [line.get_xydata() for line in axes.lines]
    whole, bars, stems = lines[0], lines[1:4], lines[4:]
    assert whole[1, 0] - whole[0, 0] == pytest.approx(width)
    for bar, (first, *_, last) in zip(bars, ("ab", "bc", "cd"), strict=True):
        assert bar[0, 0] < means[first] < means[last] < bar[1, 0]
    assert [stem[0, 0] for stem in stems] == pytest.approx([1.2, 1.8, 3.0, 4.0])
    heights = {float(line[0, 1]) for line in bars}
    assert len(heights) == 3 and max(heights) < min(stem[1, 1] for stem in stems)


def alike(means, width):
    return _alike(pd.Series(means).sort_values(kind="stable"), width)


def test_groups_join_all_that_the_critical_difference_does_not_tell_apart():
    limit = 1.0
    far = limit + 0.01
    # Written out of order: groups are by rank, and none within another.
    assert alike({"c": 1 + far, "b": 1.5, "a": 1.0}, limit) == [["a", "b"], ["b", "c"]]
    assert alike({"a": 1.0, "b": 1.2, "c": 1.4}, limit) == [["a", "b", "c"]]
    assert alike({"a": 1.0, "b": 1 + far, "c": 1 + 2 * far}, limit) == []
    assert (
        alike({"a": 1.0, "b": 2.0}, limit) == []
    )  # a difference as large as the critical one is significant
    tied = {f"m{i}": 1.0 + i % 2 / 1000 for i in range(40)}  # with equal ranks: in the order of the table
    assert alike(tied, limit) == [[*list(tied)[::2], *list(tied)[1::2]]]
    near = limit - 0.01
    five = {"a": 1.0, "b": 1.5, "c": 1 + near, "d": 1.5 + near, "e": 1.5 + near + far}
    assert alike(five, limit) == [["a", "b", "c"], ["b", "c", "d"]]


def filled(ax, names):
    """Names of the methods whose mark is filled."""
    return {name for line, name in zip(ax.lines, names, strict=True) if line.get_mfc() != "white"}


def test_marks_of_costs_are_filled_where_no_cheaper_method_has_such_a_score():
    table = pd.DataFrame(
        {
            "score": [0.5, 0.4, 0.9, 0.8, 0.1, 0.7],
            "seconds": [1.0, 2.0, 3.0, 4.0, 0.1, 4.0],
            "memory": [9.0, 8.0, 7.0, 6.0, 1.0, 6.0],
        },
        index=["quick", "beaten", "best", "mine", "drawn", "level"],
    )
    ranked = ["best", "mine", "level", "quick", "beaten", "drawn"]
    score, seconds, memory = costs(table, "mean score", "mine", {"drawn", "away"}).axes
    assert [text.get_text() for text in score.get_yticklabels()] == ranked
    assert filled(score, ranked) == {*ranked}
    assert filled(seconds, ranked) == {"quick", "best"}
    assert filled(memory, ranked) == {"mine", "best"}
    best, mine, *others, drawn = [line.get_color() for line in memory.lines]
    assert {best} == {*others} and len({best, mine, drawn}) == 3


def test_of_many_rows_some_are_drawn_and_of_one_column_a_line():
    values = np.arange(POINTS + 5.0)[:, None]
    points, rows = projection(values, False)
    assert len(points) == len(rows) == POINTS and (np.diff(rows) > 0).all()
    assert (points[:, 1] == 0).all() and abs(np.corrcoef(points[:, 0], values[rows, 0])[0, 1]) > 0.999


def test_distances_in_the_plane_are_those_of_the_picture_in_another_unit():
    points, _ = projection(squareform(pdist(X[:, :2])), True)
    ratios = pdist(points) / pdist(X[:, :2])
    np.testing.assert_allclose(ratios, ratios[0])


def test_a_tree_has_its_title_and_its_classes():
    (ax, *_) = dendrogram(Hierarchy.from_nested([[0, 1], [2, 3]]), ["x", "x", "y", "y"], "A tree").axes
    assert ax.get_title() == "A tree"
    assert {text.get_text() for text in ax.get_legend().get_texts()} >= {"x", "y"}
