"""Places of the blocks beside a drawn taxonomy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.hierarchy import Hierarchy
from cladebench.papers.taxonomy.block_places import _cross, _meets, place_blocks
from cladebench.unrooted_drawing import outward, unrooted_layout
from strategies import hierarchies, with_lengths

complex_numbers = st.builds(complex, st.integers(-4, 4), st.integers(-4, 4))


@settings(max_examples=200)
@given(complex_numbers, complex_numbers, complex_numbers, st.integers(1, 3), st.integers(1, 3))
def test_lines_that_meet_rectangles_have_points_in_them(
    a: complex, b: complex, centre: complex, wide: int, high: int
) -> None:
    half = complex(wide, high) - 0.25 * (1 + 1j)  # no end is on a rim
    points = a + np.linspace(0, 1, 4001) * (b - a) - centre
    expected = bool(((np.abs(points.real) < half.real) & (np.abs(points.imag) < half.imag)).any())
    found = _meets(np.array([a]), np.array([b]), np.array([centre]), half)
    assert found.tolist() == [expected]


def test_lines_that_cross() -> None:
    a, b = np.array([0 + 0j]), np.array([4 + 0j])
    c = np.array([1 - 1j, 1 + 1j, 4 - 1j, 5 - 1j, 0, 1j])
    d = np.array([1 + 1j, 2 + 2j, 4 + 1j, 5 + 1j, 3j, 4 + 1j])
    crossed = [True, False, False, False, False, False]  # a touch at an end is none
    assert _cross(a, b, c, d).tolist() == crossed
    assert _cross(c, d, a, b).tolist() == crossed


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
    assert not _cross(np.zeros(1, dtype=complex), centres, *edge).any()


def test_a_block_turns_aside_rather_than_behind_an_edge() -> None:
    wall = np.array([[0.2 - 2j], [0.2 + 2j]])
    centres = place_blocks(np.zeros(1, dtype=complex), np.array([1 + 0j]), np.array([0.4 + 0.4j]), wall)
    assert centres[0].real < 0.1 and abs(centres[0]) < 0.3


def test_a_leader_begins_on_its_own_side_of_the_node() -> None:
    """An edge that ends just behind the node is in the way of no leader to the front."""
    behind = np.array([[-0.04 - 1j], [-0.04 + 1j]])
    centres = place_blocks(np.zeros(1, dtype=complex), np.array([1 + 0j]), np.array([0.2 + 0.2j]), behind)
    np.testing.assert_allclose(centres, [0.17])
