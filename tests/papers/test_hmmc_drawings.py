"""The figures of the HMMC paper: what they show of the data that come in."""

import numpy as np
import pytest

from cladebench.hierarchy import Hierarchy
from cladebench.papers.hmmc import drawings


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_annotated_tree_names_classes_and_features():
    tree = Hierarchy([-1, 0, 0, 1, 1, 3, 3], [2, 4, 5, 5, 6, 6])
    labels = np.array([0, 1, 2, 2, 1, 2])
    counts = tree.class_counts(labels)
    features = np.tile(np.arange(3), (tree.n_nodes, 1))
    figure = drawings.annotated_tree(
        tree, counts, features, ["ape", "bat", "cat"], ["furry", "fast", "blue"], depth=2
    )
    shown = texts(figure)
    assert sum("images" in text for text in shown) == 5  # layers 0, 1 and 2
    assert "6 images\ncat 3\nbat 2\nape 1" in shown
    assert "1 images\nape 1" in shown  # classes without images are not named
    assert shown.count("furry\nfast\nblue") == 3  # of the nodes that are split, drawn below or not


def test_sparsity_has_a_bar_for_each_method_and_data_set():
    figure = drawings.sparsity({"a": {"HMMC": np.array([0.5, 0.7]), "HMMC-G": np.array([0.2])}})
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == pytest.approx([60, 20])


def test_convergence_is_relative_to_the_end():
    figure = drawings.convergence({"a": {"HMMC": [np.array([4.0, 3.0, 2.0])]}})
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), [2.0, 1.5, 1.0])


def test_figure_2_has_two_rows():
    points = {"d": {"HMMC": {1.0: np.array([0.8, 0.9]), 2.0: np.array([0.7])}}}
    figure = drawings.measure_against_size(points, points)
    assert len(figure.axes) == 2
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), [85, 70])


@pytest.mark.parametrize(
    "figure",
    [drawings.sparsity({}), drawings.convergence({}), drawings.measure_against_size({}, {})],
)
def test_nothing_to_show_is_said(figure):
    assert len(texts(figure)[0].split()) > 4
