"""Drawings of trees and the files of figures."""

import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from scipy.cluster.hierarchy import linkage

from cladebench.hierarchy import Hierarchy
from cladebench.plotting import PALETTE, save_figure, use_style
from cladebench.tree_drawing import MOST_NODES
from strategies import hierarchies, labels_for


def drawn(tree: Hierarchy, **options) -> tuple[Axes, Axes]:
    """Axes of the tree and of the strip below it."""
    ax = tree.plot(ax=Figure(layout="constrained").add_subplot(), **options)
    return ax, ax.child_axes[0]


def tip_texts(tree: Hierarchy, **options) -> list[str]:
    return [text.get_text() for text in drawn(tree, **options)[1].get_xticklabels()]


@settings(max_examples=25)
@given(hierarchies(), st.integers(1, 30), st.data())
def test_tips_show_all_samples(tree: Hierarchy, max_leaves: int, data: st.DataObject) -> None:
    labels = data.draw(st.none() | labels_for(tree.n_samples))
    texts = tip_texts(tree, max_leaves=max_leaves, labels=labels)
    pruned = tree.pruned()
    at_root = len(pruned.parts(pruned.root)) + (len(pruned.own_samples(pruned.root)) > 0)
    assert len(texts) <= max(max_leaves, at_root)
    _, strip = drawn(tree, max_leaves=max_leaves, labels=labels)
    if strip.get_xlabel() == "sample":
        assert sorted(map(int, texts)) == list(range(tree.n_samples))
    else:
        assert sum(map(int, texts)) == tree.n_samples


def test_truncated_tree() -> None:
    X = np.random.default_rng(0).normal(size=(100, 2))
    tree = Hierarchy.from_linkage(linkage(X, "ward"))
    texts = tip_texts(tree, max_leaves=12)
    assert list(map(int, texts)) == np.bincount(tree.cut(12)).tolist()
    assert drawn(tree, max_leaves=12)[1].get_xlabel() == "samples in each leaf or collapsed subtree (▼)"


def test_root_with_many_children_is_split_all_the_same() -> None:
    assert tip_texts(Hierarchy.from_nested(list(range(9))), max_leaves=4) == list("012345678")
    assert tip_texts(Hierarchy([-1, 0], [0, 1]), max_leaves=1) == ["0", "1"]


def test_names_and_classes() -> None:
    tree = Hierarchy([2, 2, -1], [0, 1], heights=[0, 0, 3], sample_names=["a", "b"])
    ax, strip = drawn(tree, labels=["x", "y"])
    assert [text.get_text() for text in strip.get_xticklabels()] == ["a", "b"]
    legend = ax.get_legend()
    assert legend is not None and [text.get_text() for text in legend.get_texts()] == ["x", "y"]
    bars = [bar for bar in strip.collections if len(bar.get_paths())]
    assert [mpl.colors.to_hex(bar.get_facecolor()[0]).upper() for bar in bars] == list(PALETTE[:2])
    assert ax.get_ylabel() == "height"
    assert drawn(Hierarchy([2, 2, -1], [0, 1]))[0].get_ylabel() == "samples below"


def test_bad_arguments() -> None:
    tree = Hierarchy.from_nested([0, 1])
    with pytest.raises(ValueError, match="max_leaves is 0"):
        drawn(tree, max_leaves=0)
    with pytest.raises(ValueError, match=r"labels has shape \(3,\)"):
        drawn(tree, labels=[0, 1, 2])


def test_a_figure_of_its_own() -> None:
    with use_style(), mpl.rc_context({"backend": "agg"}):
        import matplotlib.pyplot as plt

        ax = Hierarchy.from_nested([0, [1, 2]]).plot()
        assert isinstance(ax, Axes)
        plt.close("all")


def test_files_are_reproducible(tmp_path: Path) -> None:
    tree = Hierarchy.from_linkage(linkage(np.random.default_rng(0).normal(size=(40, 2)), "average"))
    contents = []
    for folder in ("a", "b"):
        with use_style():
            figure = Figure(figsize=(4, 3), layout="constrained")
            tree.plot(ax=figure.add_subplot(), labels=np.arange(40) % 10)
            files = save_figure(figure, tmp_path / folder / "tree-v1.2")
        assert [file.name for file in files] == ["tree-v1.2.svg", "tree-v1.2.pdf", "tree-v1.2.png"]
        contents.append([file.read_bytes() for file in files])
    assert contents[0] == contents[1]
    # A format that is not asked for does not stay behind with what an earlier figure showed.
    (svg,) = save_figure(figure, tmp_path / "a" / "tree-v1.2", ["svg"])
    assert [*(tmp_path / "a").iterdir()] == [svg] and svg.read_bytes() == contents[0][0]


def test_style_is_undone() -> None:
    before = dict(mpl.rcParams)
    with use_style():
        assert mpl.rcParams["svg.hashsalt"] == "cladebench"
        assert mpl.rcParams["axes.prop_cycle"].by_key()["color"] == list(PALETTE)
    assert dict(mpl.rcParams) == before


def test_a_notebook_shows_a_small_picture_and_leaves_nothing_behind() -> None:
    script = """
import sys, warnings
warnings.simplefilter("error")
import matplotlib
before = matplotlib.rcParams.copy()
from cladebench import Hierarchy
tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
picture = tree._repr_svg_()
assert picture.lstrip().startswith("<?xml") and "</svg>" in picture, picture[:100]
assert picture == tree._repr_svg_()
assert "matplotlib.pyplot" not in sys.modules
assert matplotlib.rcParams.copy() == before
assert len(picture) < 60_000, len(picture)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_picture_shows_a_few_leaves_and_huge_trees_have_none() -> None:
    import xml.etree.ElementTree as ElementTree

    n = 3000
    k = np.arange(0, 2 * n - 2, 2)
    picture = Hierarchy.from_linkage(np.column_stack([k, k + 1, np.arange(n - 1)]))._repr_svg_()
    assert picture is not None and len(picture) < 100_000
    ElementTree.fromstring(picture)
    chain = Hierarchy.from_linkage(np.column_stack([k, k + 1, np.arange(n - 1)]))
    assert chain.n_nodes < MOST_NODES
    # One node too many, and a root of so many children that they cannot be told apart (below a chain, too).
    assert Hierarchy([-1, *range(MOST_NODES)], [MOST_NODES])._repr_svg_() is None
    assert Hierarchy([-1, *range(MOST_NODES - 1)], [MOST_NODES - 1])._repr_svg_() is not None
    assert Hierarchy([-1] + [0] * 40, range(1, 41))._repr_svg_() is not None
    assert Hierarchy([-1, 0] + [1] * 41, range(2, 43))._repr_svg_() is None


def test_bars_stand_upon_each_other_and_reach_1() -> None:
    tree = Hierarchy.from_nested([[0, 1, 2, 3], [4, 5]])
    _, strip = drawn(tree, labels=list("aabcbb"), max_leaves=2)
    spans = [
        [tuple(path.get_extents().extents.round(6)) for path in bars.get_paths()]
        for bars in strip.collections
    ]
    # Of each class its bars from left to right: left, bottom, right, top.
    assert spans == [
        [(-0.4, 0.0, 0.4, 0.5)],
        [(-0.4, 0.5, 0.4, 0.75), (0.6, 0.0, 1.4, 1.0)],
        [(-0.4, 0.75, 0.4, 1.0)],
    ]


def test_of_tips_that_stand_too_near_some_are_named() -> None:
    ax, strip = drawn(Hierarchy.from_nested(list(range(900))))
    texts = [text.get_text() for text in strip.get_xticklabels()]
    step = int(strip.get_xlabel().split("one in ")[1].split()[0])
    assert step > 1 and texts == [str(i) for i in range(0, 900, step)]
    inches = ax.get_window_extent().width / ax.figure.dpi
    assert 0.1 <= inches / len(texts) <= 0.2
    # All branches are there: a stem and a leader a tip, and one bar.
    assert [len(lines.get_segments()) for lines in ax.collections[:3]] == [900, 1, 900]


def test_text_in_svg_stays_text_with_a_font_as_wide_behind_ours(tmp_path) -> None:
    with use_style():
        figure = Figure()
        figure.add_subplot().set_title("cost of the tree")
        [svg] = save_figure(figure, tmp_path / "figure", ["svg"])
    [title] = re.findall("<text[^>]*>cost of the tree</text>", svg.read_text())
    assert "'DejaVu Sans', 'Verdana', sans-serif" in title


@pytest.mark.parametrize("draw", [Hierarchy.plot, Hierarchy.plot_unrooted])
@pytest.mark.parametrize("ax", [pd.Series(["a", "b"]), ["a", "b"], np.array([Figure().add_subplot()])])
def test_what_is_no_axes_is_refused(draw: Callable[..., Axes], ax: Any) -> None:
    kind = type(ax).__name__
    words = rf"^ax is of type {kind}; expected matplotlib Axes or None: classes go to labels=$"
    with pytest.raises(TypeError, match=words):
        draw(Hierarchy.from_nested([0, 1]), ax)


def boxes(figure: Figure) -> Iterator[tuple[Bbox, list[Bbox]]]:
    """What axes and their ticks take, and what legend and bars of each take, once the figure is drawn."""
    figure.draw_without_rendering()
    for ax in figure.axes:
        hung = [strip.get_window_extent() for strip in ax.child_axes]
        yield ax.get_window_extent(), [*hung, ax.get_legend().get_window_extent()]


@pytest.mark.parametrize("draw", [Hierarchy.plot, Hierarchy.plot_unrooted])
@pytest.mark.parametrize("moved", ["not", "tight", "adjusted", "copied"])
def test_in_given_axes_legend_and_bars_are_beside_no_neighbour(draw: Callable[..., Axes], moved: str) -> None:
    labels = np.array(["a long name of a class", "b", "c"])[np.arange(60) % 3]
    tree = Hierarchy.from_linkage(linkage(np.random.default_rng(0).normal(size=(60, 2)), "ward"))
    figure = Figure(figsize=(18, 5))
    for ax in figure.subplots(1, 3):
        draw(tree, ax, labels=labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if moved == "tight":
            figure.tight_layout()
        elif moved == "adjusted":
            figure.subplots_adjust(left=0.04, right=0.99)
        elif moved == "copied":
            figure = pickle.loads(pickle.dumps(figure))
        found = list(boxes(figure))
    assert len(found) == 3
    for k, (own, hung) in enumerate(found):
        for box in hung:
            assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
            assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1
            assert not any(box.overlaps(other) for i, (other, _) in enumerate(found) if i != k)
        assert own.width > 0.1 * figure.bbox.width


def test_where_the_layout_makes_room_axes_are_left_alone() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    for figure, labels in ((Figure(layout="constrained"), [0, 1, 1]), (Figure(), None)):
        assert tree.plot(figure.add_subplot(), labels=labels).get_axes_locator() is None
    ax = Figure().add_subplot().inset_axes((0.5, 0.5, 0.2, 0.2))
    own = ax.get_axes_locator()
    assert own is not None and tree.plot(ax, labels=[0, 1, 1]).get_axes_locator() is own


def test_a_wide_legend_leaves_two_fifths_of_the_width() -> None:
    ax = Figure(figsize=(3, 2)).add_subplot()
    before = ax.get_window_extent().width
    Hierarchy.from_nested([[0, 1], 2]).plot(ax, labels=["a" * 60, "b", "b"])
    assert ax.get_window_extent().width == pytest.approx(0.4 * before)
