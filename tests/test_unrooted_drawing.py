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
from cladebench.unrooted_drawing import outward, place_blocks, round_length, unrooted_layout
from strategies import hierarchies


def drawn(tree: Hierarchy, **options) -> Axes:
    return tree.plot_unrooted(ax=Figure(layout="constrained").add_subplot(), **options)


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def with_lengths(tree: Hierarchy, data: st.DataObject) -> Hierarchy:
    lengths = data.draw(
        st.lists(st.sampled_from([0.1, 1.0, 3.0]), min_size=tree.n_nodes, max_size=tree.n_nodes)
    )
    return Hierarchy(tree.parents, tree.leaf_of, edge_lengths=lengths)


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


complex_numbers = st.builds(complex, st.integers(-4, 4), st.integers(-4, 4))


@settings(max_examples=200)
@given(complex_numbers, complex_numbers, complex_numbers, st.integers(1, 3), st.integers(1, 3))
def test_lines_that_meet_rectangles_have_points_in_them(
    a: complex, b: complex, centre: complex, wide: int, high: int
) -> None:
    half = complex(wide, high) - 0.25 * (1 + 1j)  # no end is on a rim
    points = a + np.linspace(0, 1, 4001) * (b - a) - centre
    expected = bool(((np.abs(points.real) < half.real) & (np.abs(points.imag) < half.imag)).any())
    found = unrooted_drawing._meets(np.array([a]), np.array([b]), np.array([centre]), half)
    assert found.tolist() == [expected]


def test_lines_that_cross() -> None:
    a, b = np.array([0 + 0j]), np.array([4 + 0j])
    c = np.array([1 - 1j, 1 + 1j, 4 - 1j, 5 - 1j, 0, 1j])
    d = np.array([1 + 1j, 2 + 2j, 4 + 1j, 5 + 1j, 3j, 4 + 1j])
    crossed = [True, False, False, False, False, False]  # a touch at an end is none
    assert unrooted_drawing._cross(a, b, c, d).tolist() == crossed
    assert unrooted_drawing._cross(c, d, a, b).tolist() == crossed


@settings(max_examples=15, deadline=None)
@given(hierarchies(max_nodes=10, max_samples=7), st.data())
def test_blocks_cover_neither_one_another_nor_the_tree(tree: Hierarchy, data: st.DataObject) -> None:
    tree = with_lengths(tree, data).pruned()
    places = unrooted_layout(tree)
    side = st.floats(0.1, 1.5)
    sizes = np.array([complex(data.draw(side), data.draw(side)) for _ in range(tree.n_samples)])
    below = np.flatnonzero(tree.parents >= 0)
    edges = np.stack([places[below], places[tree.parents[below]]])
    anchors = places[tree.leaf_of]
    away = np.array([outward(tree, places, int(node)) for node in tree.leaf_of])
    centres = place_blocks(anchors, away, sizes, edges)
    for i in range(tree.n_samples):
        for j in range(i):
            apart, room = centres[i] - centres[j], (sizes[i] + sizes[j]) / 2
            assert abs(apart.real) > room.real + 0.04 or abs(apart.imag) > room.imag + 0.04
        points = (edges[0] + np.linspace(0, 1, 200)[:, None] * (edges[1] - edges[0])).ravel()
        seen = np.concatenate([points, anchors]) - centres[i]
        assert not ((abs(seen.real) < sizes[i].real / 2) & (abs(seen.imag) < sizes[i].imag / 2)).any()
    np.testing.assert_array_equal(place_blocks(anchors, away, sizes, edges), centres)


def test_a_block_with_room_stands_right_beside_its_node() -> None:
    anchors = np.array([-3 + 0j, 3 + 0j])
    centres = place_blocks(
        anchors, np.array([-1 + 0j, 1 + 0j]), np.array([1 + 2j, 0.4 + 0.4j]), np.array([[-3], [3]])
    )
    np.testing.assert_allclose(centres, [-3.57, 3.27])


def test_leaders_run_through_no_block() -> None:
    # Twelve blocks about a point: they do not all fit next to it, and those behind are reached between those before.
    n = 12
    away = np.exp(2j * np.pi * np.arange(n) / n)
    centres = place_blocks(np.zeros(n, dtype=complex), away, np.full(n, 1.0 + 0.6j), np.zeros((2, 0)))
    for i in range(n):
        seen = np.linspace(0, 1, 500) * centres[i] - np.delete(centres, i)[:, None]
        assert not ((abs(seen.real) < 0.5) & (abs(seen.imag) < 0.3)).any()


def test_blocks_leave_other_nodes_free() -> None:
    anchors = np.array([0.0, 0.3 + 0j])
    centres = place_blocks(anchors, np.array([1, 1j]), np.array([1 + 1j, 1 + 1j]), np.zeros((2, 0)))
    seen = centres[0] - anchors[1]
    assert max(abs(seen.real), abs(seen.imag)) > 0.5


def test_a_leader_rather_turns_than_it_crosses_an_edge() -> None:
    edge = np.array([[0.1 - 0.1j], [0.1 + 0.1j]])
    centres = place_blocks(
        np.zeros(1, dtype=complex), np.ones(1, dtype=complex), np.array([0.6 + 0.6j]), edge
    )
    assert not unrooted_drawing._cross(np.zeros(1, dtype=complex), centres, *edge).any()
