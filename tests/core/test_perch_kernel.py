"""The PERCH kernel against its twin: the same tree, node for node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cladebench import _core
from cladebench.crosscheck.perch import same_tree
from solver_checks import hold

ROTATIONS = ["none", "masking", "masking+balance"]


@st.composite
def grids(draw: st.DrawFn, min_points: int = 1) -> np.ndarray:
    """Points with whole coordinates: distances are exact, ties and duplicates common."""
    shape = draw(st.tuples(st.integers(min_points, 30), st.integers(1, 10)))
    coordinates = st.integers(0, draw(st.sampled_from([0, 1, 3, 50])))
    return draw(arrays(np.float64, shape, elements=coordinates.map(float)))


@given(grids(2), st.sampled_from(ROTATIONS), st.none() | st.integers(1, 12))
def test_equals_twin_on_ties_and_duplicates(X: np.ndarray, rotations: str, max_leaves: int | None) -> None:
    hold(same_tree("drawn", X, "drawn", rotations, max_leaves))


@pytest.mark.parametrize("max_leaves", [None, 40])
@pytest.mark.parametrize("rotations", ROTATIONS)
@pytest.mark.parametrize("n_features", [2, 33])
def test_equals_twin_on_larger_grids(n_features: int, rotations: str, max_leaves: int | None) -> None:
    # Enough leaves for the search to give up on boxes, enough features for it to break off distances.
    X = np.random.default_rng(0).integers(0, 30, (400, n_features)).astype(float)
    hold(same_tree("drawn", X, "drawn", rotations, max_leaves))


@pytest.mark.parametrize("rotations", ROTATIONS)
def test_equals_twin_on_real_coordinates(rotations: str) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 5)) + 6 * random.integers(0, 4, (300, 1))
    hold(same_tree("drawn", X, "drawn", rotations, None))


@given(grids(), st.sampled_from(ROTATIONS), st.none() | st.integers(1, 12))
def test_tree_is_binary_and_heights_are_box_diagonals(
    X: np.ndarray, rotations: str, max_leaves: int | None
) -> None:
    parents, leaf_of, heights = _core.perch(X, rotations, max_leaves)
    n_leaves = len(X) if max_leaves is None else min(len(X), max_leaves)
    assert len(parents) == 2 * n_leaves - 1
    n_children = np.bincount(parents[parents >= 0], minlength=len(parents))
    assert set(n_children) <= {0, 2}
    assert set(leaf_of) == set(np.flatnonzero(n_children == 0))
    for node in range(len(parents)):
        below = []
        for sample, holder in enumerate(leaf_of):
            while holder >= 0 and holder != node:
                holder = parents[holder]
            if holder == node:
                below.append(sample)
        diagonal = np.linalg.norm(np.ptp(X[below], axis=0))
        np.testing.assert_allclose(heights[node], diagonal, rtol=1e-13)


@pytest.mark.parametrize(
    ("X", "rotations", "max_leaves", "words"),
    [
        (np.zeros((0, 2)), "none", None, "at least one point"),
        (np.zeros((2, 0)), "none", None, "at least one point"),
        (np.array([[np.nan]]), "none", None, "finite"),
        (np.array([[-1e200], [1e200]]), "none", None, "overflow"),
        (np.zeros((2, 2)), "sideways", None, "rotations='sideways'"),
        (np.zeros((2, 2)), "none", 0, "max_leaves=0"),
    ],
)
def test_bad_input(X: np.ndarray, rotations: str, max_leaves: int | None, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _core.perch(X, rotations, max_leaves)
