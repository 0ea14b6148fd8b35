"""Drawings of trees without a root."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cladebench import unrooted_drawing
from cladebench.hierarchy import Hierarchy
from cladebench.plotting import PALETTE
from cladebench.unrooted_drawing import outward, round_length, unrooted_layout
from strategies import hierarchies, with_lengths


def drawn(tree: Hierarchy, **options) -> Axes:
    return tree.plot_unrooted(ax=Figure(layout="constrained").add_subplot(), **options)


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def crossings(tree: Hierarchy, places: np.ndarray) -> int:
    """Pairs of edges without a common end that properly cross."""
    edges = [(int(v), int(tree.parents[v])) for v in range(tree.n_nodes) if tree.parents[v] >= 0]

    def side(a: complex, b: complex, c: complex) -> float:
        return ((b - a).conjugate() * (c - a)).imag

    count = 0
    for i, (a, b) in enumerate(edges):
        for c, d in edges[:i]:
            if len({a, b, c, d}) == 4:
                p, q, r, s = places[[a, b, c, d]]
                apart = side(p, q, r) * side(p, q, s) < -1e-9 and side(r, s, p) * side(r, s, q) < -1e-9
                count += apart
    return count


@settings(max_examples=60, deadline=None)
@given(hierarchies(max_nodes=25, min_samples=5), st.booleans(), st.data())
def test_edges_have_their_lengths_and_do_not_cross(tree: Hierarchy, even: bool, data: st.DataObject) -> None:
    tree = with_lengths(tree, data).pruned()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unrooted_drawing, "_MOST_EVENED", 300 if even else 0)
        places = unrooted_layout(tree)
    below = np.flatnonzero(tree.parents >= 0)
    assert tree.edge_lengths is not None
    np.testing.assert_allclose(
        np.abs(places[below] - places[tree.parents[below]]), tree.edge_lengths[below], rtol=1e-9
    )
    assert crossings(tree, places) == 0


def gaps(tree: Hierarchy, places: np.ndarray, node: int) -> np.ndarray:
    """Angles without any node, between the branches about a node whose branches are single edges."""
    joined = [*tree.children(node), *([tree.parents[node]] if tree.parents[node] >= 0 else [])]
    angles = np.sort(np.angle(places[joined] - places[node]))
    return np.diff(angles, append=angles[0] + 2 * np.pi)


def test_equal_angles_by_hand() -> None:
    # A quarter of the circle for each leaf, half for the node of two; each stands in the middle of its sector.
    tree = Hierarchy([-1, 0, 0, 0, 3, 3], [1, 2, 4, 5])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unrooted_drawing, "_MOST_EVENED", 0)
        places = unrooted_layout(tree)
    np.testing.assert_allclose(np.degrees(np.angle(places[[1, 2, 3]])), [45, 135, -90])
    np.testing.assert_allclose(np.degrees(np.angle(places[[4, 5]] - places[3])) % 360, [225, 315])


def test_gaps_are_evened_out() -> None:
    # Seen from the root: two single leaves, and a bush of 20 that takes nearly all of the equal angles.
    tree = Hierarchy.from_nested([0, 1, list(range(2, 22))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unrooted_drawing, "_MOST_EVENED", 0)
        narrow = gaps(tree, unrooted_layout(tree), tree.root).min()
    assert narrow == pytest.approx(2 * np.pi / 22)
    assert gaps(tree, unrooted_layout(tree), tree.root).min() > np.pi / 3
    star = Hierarchy.from_nested([0, 1, 2, 3, 4])
    np.testing.assert_allclose(gaps(star, unrooted_layout(star), star.root), 2 * np.pi / 5)


def test_a_branch_that_winds_round_is_measured_as_it_runs() -> None:
    # A long caterpillar bends into an arc of more than half a circle, as seen from its head.
    nested: list = [0, 1]
    for i in range(2, 30):
        nested = [nested, i]
    tree = Hierarchy.from_nested([nested, 30, 31])
    assert crossings(tree, unrooted_layout(tree)) == 0


def test_edges_of_no_length_do_not_move_nodes() -> None:
    tree = Hierarchy([-1, 0, 0, 0], [1, 2, 3], edge_lengths=[9, 0, 2, 1])
    places = unrooted_layout(tree)
    assert abs(places[1] - places[0]) < 1e-5 and abs(places[2] - places[0]) == pytest.approx(2)
    assert np.isfinite(unrooted_layout(Hierarchy([-1, 0, 0], [1, 2, 0], edge_lengths=np.zeros(3)))).all()
    assert unrooted_layout(Hierarchy([-1], [0])).tolist() == [0]


def test_names_scale_and_numbers_of_samples() -> None:
    tree = Hierarchy([-1, 0, 0, 0], [1, 2, 2, 3, 0], sample_names=list("abcde"), edge_lengths=[0, 1, 2, 3.5])
    found = texts(drawn(tree))
    assert sorted(found[:4]) == ["2 samples", "a", "d", "e"]
    assert float(found[4]) > 0
    without = drawn(Hierarchy.from_nested([0, [1, 2]]))
    assert texts(without) == ["0", "1", "2"]  # no lengths, no scale
    assert not without.axison and without.get_aspect() == 1.0
    assert texts(drawn(Hierarchy.from_nested(list(range(61))))) == []


def test_the_scale_is_as_long_as_it_says() -> None:
    for unit in (0.003, 1.0, 700.0):
        tree = Hierarchy([-1, 0, 0, 0], [1, 2, 3], edge_lengths=np.array([0, 1, 2, 3]) * unit)
        ax = drawn(tree)
        bar = next(
            line for line in ax.lines if line.get_solid_capstyle() == "butt" and len(line.get_xdata()) == 2
        )
        assert np.ptp(bar.get_xdata()) == pytest.approx(float(texts(ax)[-1]))
        places = unrooted_layout(tree)
        extent = max(np.ptp(places.real), np.ptp(places.imag))
        assert extent / 10 <= np.ptp(bar.get_xdata()) <= extent / 4


def test_classes_have_colours_and_shapes() -> None:
    tree = Hierarchy([-1, 0, 0, 0], [1, 2, 3, 3, 3, 0, 0])
    ax = drawn(tree, labels=["x", "y", "y", "x", "y", "x", "y"])
    points = {
        (mpl.colors.to_hex(line.get_color()).upper(), line.get_marker())
        for line in ax.lines
        if line.get_marker() != "None"
    }
    assert points == {
        (PALETTE[0], "o"),
        (PALETTE[1], "s"),
        ("#999999", "o"),
    }  # half of each: of neither class
    legend = ax.get_legend()
    assert legend is not None and [text.get_text() for text in legend.get_texts()] == ["x", "y"]
    assert drawn(tree).get_legend() is None
    many = drawn(Hierarchy.from_nested(list(range(20))), labels=np.arange(20))
    marks = [(line.get_color(), line.get_marker()) for line in many.lines if line.get_marker() != "None"]
    assert len(set(marks)) == 20


def test_bad_labels() -> None:
    with pytest.raises(ValueError, match=r"labels has shape \(3,\)"):
        drawn(Hierarchy.from_nested([0, 1]), labels=[0, 1, 2])


@settings(max_examples=25, deadline=None)
@given(hierarchies())
def test_any_tree_can_be_drawn(tree: Hierarchy) -> None:
    ax = drawn(tree, labels=np.arange(tree.n_samples) % 3)
    ax.figure.draw_without_rendering()


def test_outward_is_where_no_edges_are() -> None:
    tree = Hierarchy([-1, 0, 0, 2, 2], [1, 3, 4])
    places = np.array([0, -2, 3, 3 + 1j, 4 + 0j])  # edges of node 2 go to the left, up and to the right
    assert outward(tree, places, 1) == pytest.approx(-1)
    assert outward(tree, places, 3) == pytest.approx(1j)
    assert outward(tree, places, 2) == pytest.approx(-1j)
    assert abs(outward(tree, places, 0).imag) == pytest.approx(1)  # both sides of a straight line are alike
    alone = Hierarchy([-1], [0])
    assert outward(alone, unrooted_layout(alone), 0) == 1
    turned = outward(tree, places * 5j + 7, 3)
    assert turned == pytest.approx(1j * 1j)


@given(st.floats(1e-9, 1e9))
def test_round_lengths(extent: float) -> None:
    length = round_length(extent)
    assert extent / 10 * (1 - 1e-9) <= length <= extent / 4 * (1 + 1e-9)
    assert f"{length:.0e}"[0] in "125" and float(f"{length:.0e}") == pytest.approx(length, rel=1e-12)


def test_round_lengths_by_hand() -> None:
    assert [round_length(extent) for extent in (4, 7.9, 8, 19.9, 20, 39)] == [1, 1, 2, 2, 5, 5]


def test_edges_of_negative_length_are_drawn_as_of_none() -> None:
    places = [
        unrooted_layout(Hierarchy([-1, 0, 0, 0], [1, 2, 3], edge_lengths=[0.0, short, 1.0, 2.0]))
        for short in (-0.5, 0.0)
    ]
    assert np.array_equal(*places)
