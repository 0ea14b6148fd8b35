"""The figures of the HMMC paper: what they show of the data that come in."""

import numpy as np
import pytest

from cladebench.hierarchy import Hierarchy
from cladebench.measures import Measure
from cladebench.papers.hmmc import drawings

PERCENT, SHARE = Measure("m", "what it is", "M", "%"), Measure("m", "what it is", "M")


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


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
        "blue 50%\nfurry 30%\nfast 20%",
        "5 images\ncat 3\nbat 2",  # classes without images are not named
        "blue 100%",
        "4 images\ncat 3\nbat 1",
        "blue 100%\nfurry < 1%",  # of a node that is split below what is drawn
        "1 image\nbat 1",
        "1 image\nape 1",
    ]


def test_features_without_weight_are_not_named():
    """The first of the list fill up where fewer have any, and stand alone where none has."""
    shown = texts(drawings.annotated_tree(TREE, arrays(np.zeros((7, 3))), depth=3))
    assert len(shown) == 7 and all("image" in text for text in shown)


def test_the_annotated_tree_stands_above_the_middle_of_its_parts():
    figure = drawings.annotated_tree(TREE, arrays(np.zeros((7, 3))), depth=2)
    places = {text.get_text().splitlines()[0]: text.get_position() for text in figure.axes[0].texts}
    assert places["6 images"] == (1.25, 0)  # over 0.5 and 2
    assert places["5 images"] == (0.5, -1)
    edges = [tuple(map(tuple, line.get_xydata())) for line in figure.axes[0].lines]
    assert sorted(edges) == [
        ((0.5, -1), (0, -2)),
        ((0.5, -1), (1, -2)),
        ((1.25, 0), (0.5, -1)),
        ((1.25, 0), (2, -1)),
    ]


@pytest.mark.parametrize(("measure", "shown"), [(PERCENT, [60, 20]), (SHARE, [0.6, 0.2])])
def test_sparsity_has_a_bar_for_each_method_and_data_set(measure, shown):
    figure = drawings.sparsity({"a": {"HMMC": np.array([0.5, 0.7]), "HMMC-G": np.array([0.2])}}, measure)
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == pytest.approx(shown)
    dots = sorted(float(y) for line in figure.axes[0].lines for y in line.get_ydata())
    assert dots == pytest.approx([measure.scale * value for value in (0.2, 0.5, 0.7)])
    assert figure.axes[0].get_ylabel() == measure.heading


def test_convergence_is_relative_to_the_end():
    figure = drawings.convergence({"a": {"HMMC": [np.array([4.0, 3.0, 2.0])]}})
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), [2.0, 1.5, 1.0])


@pytest.mark.parametrize(("measure", "shown"), [(PERCENT, [85, 70]), (SHARE, [0.85, 0.7])])
def test_figure_2_has_two_rows(measure, shown):
    points = {"d": {"HMMC": {1.0: np.array([0.8, 0.9]), 2.0: np.array([0.7])}}}
    figure = drawings.measure_against_size(points, points, measure)
    assert len(figure.axes) == 2 and {axes.get_ylabel() for axes in figure.axes} == {measure.heading}
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), shown)


@pytest.mark.parametrize(
    "figure",
    [
        drawings.sparsity({}, SHARE),
        drawings.convergence({}),
        drawings.measure_against_size({}, {}, SHARE),
    ],
)
def test_nothing_to_show_is_said(figure):
    assert len(texts(figure)[0].split()) > 4
