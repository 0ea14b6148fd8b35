"""The core's linkage: exact with all ties, alike for every search, room, thread and instruction set."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform

from cladebench import _core
from cladebench.reference import linkages as twin
from cladebench.solvers.linkages import WITHOUT_MATRIX
from instruction_sets import each_instruction_set, each_number_of_threads
from linkage_trees import by_rows

#: Of the core's `link`; the others are its `link_by_pairs`.
BY_CENTRES = [method for method in WITHOUT_MATRIX if method != "complete"]
BY_PAIRS = ("complete", "average")
SEARCHES = ("tree", "all")
#: Distances that are kept; the fewer, the more often the core looks at all of them anew.
ROOMS = (0, 1, 2, 7, 40, 300)


@st.composite
def whole(draw: st.DrawFn) -> np.ndarray:
    """Whole coordinates, whose squares are exact; in another unit."""
    shape = draw(st.tuples(st.integers(1, 45), st.sampled_from([1, 2, 3, 60])))
    X = draw(
        arrays(np.float64, shape, elements=st.integers(0, draw(st.sampled_from([1, 3, 9, 60]))).map(float))
    )
    return X * draw(st.sampled_from([1.0, -0.5, 2.0**-200, 2.0**100]))


@given(whole(), st.sampled_from(ROOMS))
@settings(max_examples=500)
def test_complete_linkage_is_its_twins_with_all_ties(X: np.ndarray, room: int) -> None:
    found = by_rows(_core.link_by_pairs(X, "complete", room).reshape(-1, 4))
    expected = by_rows(twin.linkage(squareform(pdist(X)), "complete"))
    assert [merge[1:] for merge in found] == [merge[1:] for merge in expected]
    np.testing.assert_allclose([merge[0] for merge in found], [merge[0] for merge in expected], rtol=1e-14)


def exact_average(x: list[int]) -> list[tuple[float, int, int, float]]:
    """The nearest two clusters of numbers on a line merge, in fractions; of equally near ones the lowest rows."""
    clusters = {row: [number] for row, number in enumerate(x)}
    merges = []
    while len(clusters) > 1:
        distances = {
            (a, b): Fraction(
                sum(abs(p - q) for p in clusters[a] for q in clusters[b]), len(clusters[a]) * len(clusters[b])
            )
            for a, b in itertools.combinations(sorted(clusters), 2)
        }
        (a, b), distance = min(distances.items(), key=lambda item: (item[1], item[0]))
        clusters[a] += clusters.pop(b)
        merges.append((float(distance), a, b, float(len(clusters[a]))))
    return sorted(merges)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=18), st.sampled_from(ROOMS), st.booleans())
@settings(max_examples=500)
def test_average_linkage_on_a_line_is_exact_with_all_ties(x: list[int], room: int, in_space: bool) -> None:
    X = np.array(x, dtype=float)[:, None]
    unit = 5.0 if in_space else 1.0
    Z = _core.link_by_pairs(X * [3.0, 4.0] if in_space else X, "average", room).reshape(-1, 4)
    found = [(height / unit, *rows) for height, *rows in by_rows(Z)]
    expected = exact_average(x)
    assert [merge[1:] for merge in found] == [merge[1:] for merge in expected]
    np.testing.assert_allclose([merge[0] for merge in found], [merge[0] for merge in expected], rtol=1e-15)


@pytest.mark.parametrize("method", BY_PAIRS)
def test_few_distances_at_a_time_give_scipys_tree(method: str) -> None:
    """Blocks that are left out, clusters that lie in two blocks, rows that are looked at one by one."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(700, 1 + seed % 4)) * np.exp(2.0 * rng.normal(size=(700, 1)))
        X = np.concatenate([X, X[:50], 1e3 + rng.normal(size=(250, X.shape[1]))])
        expected = by_rows(scipy.cluster.hierarchy.linkage(pdist(X), method))
        for room in (60, 1_000, 20_000):
            found = by_rows(_core.link_by_pairs(X, method, room).reshape(-1, 4))
            assert [merge[1:] for merge in found] == [merge[1:] for merge in expected], (seed, room)
            np.testing.assert_allclose(
                [merge[0] for merge in found], [merge[0] for merge in expected], rtol=1e-9
            )


@pytest.mark.parametrize("method", BY_PAIRS)
def test_rows_that_are_all_equally_far_need_more_room(method: str) -> None:
    X = np.eye(70)
    Z = _core.link_by_pairs(X, method, 3).reshape(-1, 4)
    np.testing.assert_allclose(Z[:, 2], np.sqrt(2.0), rtol=1e-15)
    assert Z[-1, 3] == 70 and twin.excess(Z, squareform(pdist(X)), method)[0] < 1e-14


@pytest.mark.parametrize("method", BY_PAIRS)
def test_threads_and_instruction_sets_change_no_bit_of_pairs(method: str) -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(900, 3)), rng.integers(0, 4, size=(300, 3)).astype(float)])
    for room in (0, 3_000, 30_000):
        expected = _core.link_by_pairs(X, method, room)
        for threads in each_number_of_threads():
            assert np.array_equal(_core.link_by_pairs(X, method, room), expected), (threads, room)
        for name in each_instruction_set():
            assert np.array_equal(_core.link_by_pairs(X, method, room), expected), name


@pytest.mark.parametrize("method", BY_CENTRES)
def test_threads_searches_and_instruction_sets_change_no_bit(method: str) -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(900, 3)), rng.integers(0, 4, size=(300, 3)).astype(float)])
    expected = _core.link(X, method, "tree")
    for threads in each_number_of_threads():
        for search in (*SEARCHES, "chosen"):
            assert np.array_equal(_core.link(X, method, search), expected), (threads, search)
    for name in each_instruction_set():
        assert np.array_equal(_core.link(X, method, "all"), expected), name


@pytest.mark.parametrize("method", BY_CENTRES)
def test_searches_agree_on_many_rows(method: str) -> None:
    """Many rows between two plantings of the tree, of uneven groups, and on grids where most distances tie."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, d = 1500, 1 + seed % 3
        X = rng.normal(size=(n, d)) * np.exp(2.0 * rng.normal(size=(n, 1)))
        grid = rng.integers(0, 30, size=(n, d)).astype(float)
        for rows in (X, grid):
            assert np.array_equal(_core.link(rows, method, "tree"), _core.link(rows, method, "all")), seed


@pytest.mark.parametrize("far", [0.0, 30.0, 3000.0])
@pytest.mark.parametrize("step", [0.0, 0.25])
def test_groups_apart_are_joined_by_the_shortest_edges(far: float, step: float) -> None:
    """The tree leaves out blocks of rows of a group that no other group is near to."""
    random = np.random.default_rng(6)
    X = random.normal(size=(4_000, 2)) * [1.0, 3.0]
    if step:
        X = np.round(X / step) * step  # edges tie
    X += far * random.normal(size=(9, 2)).round(1)[random.integers(9, size=len(X))]
    assert np.array_equal(_core.link(X, "single", "tree"), _core.link(X, "single", "all"))


@pytest.mark.parametrize("method", BY_CENTRES)
def test_distances_that_are_kept_change_no_bit(method: str) -> None:
    """Equally far rows: going through all keeps distances, the tree does not."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        axes = np.eye(90)[rng.permutation(90)]
        groups = np.concatenate([axes[:60], 2.0 * axes[30:], axes[:40] + axes[50:]])
        bits = rng.integers(0, 2, size=(150, 12)).astype(float)
        for rows in (np.eye(150), groups, bits):
            expected = _core.link(rows, method, "tree")
            for threads in each_number_of_threads():
                assert np.array_equal(_core.link(rows, method, "all"), expected), (seed, threads)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_neighbor_that_found_no_room_is_searched_for(search: str) -> None:
    """Seven are near the first merged cluster, and six are kept in mind; then these six move away."""
    axes = np.eye(9)
    near = [-0.3 * axes[0] + 0.64 * axes[i] for i in range(1, 5)]
    beside = [0.7 * axes[0] + 0.72 * axes[j] for j in (6, 7)]
    partners = [
        near[0] + 0.4 * axes[1],
        *(near[i] + 0.5 * axes[i + 1] for i in range(1, 4)),
        *(beside[k] + 0.5 * axes[6 + k] for k in range(2)),
    ]
    seventh, last = 0.7 * axes[0] + 0.73 * axes[8], -0.3 * axes[0] + 0.954 * axes[5]
    X = np.array([0.6 * axes[0], *near, *beside, seventh, last, *partners, *(1.001 * np.array(partners))])
    X += 1e-4 * np.random.default_rng(0).normal(size=X.shape)
    X = np.concatenate([np.zeros((9, 9)), X])
    found = by_rows(_core.link(X, "average", search).reshape(-1, 4))
    expected = by_rows(scipy.cluster.hierarchy.linkage(pdist(X, "sqeuclidean"), "average"))
    assert [merge[1:] for merge in found[8:]] == [merge[1:] for merge in expected[8:]]


def test_bindings_refuse_what_is_no_matrix_of_numbers() -> None:
    for X, words in [(np.zeros((0, 2)), "at least 1 x 1"), (np.full((2, 2), np.nan), "finite")]:
        with pytest.raises(ValueError, match=words):
            _core.link(X, "ward")
        with pytest.raises(ValueError, match=words):
            _core.link_by_pairs(X, "complete")
    for how in (("wards",), ("ward", "trees")):
        with pytest.raises(ValueError, match="there is none of that name"):
            _core.link(np.zeros((2, 2)), *how)
    with pytest.raises(ValueError, match="there is none of that name"):
        _core.link_by_pairs(np.zeros((2, 2)), "ward")
