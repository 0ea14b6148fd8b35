"""What the bindings refuse: no input from Python may reach memory that is not its own."""

import numpy as np
import pytest

from cladebench import _core

TREE = _core.Tree(np.array([-1, 0, 0]), np.array([1, 2]))


@pytest.mark.parametrize(
    ("u", "v", "words"),
    [([0, 1], [0], "as many nodes"), ([3], [0], "expected nodes"), ([0], [-1], "expected nodes")],
)
def test_lca_of_what_are_no_nodes(u: list[int], v: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TREE.lca(np.array(u), np.array(v))
    assert TREE.lca(np.array([1, 1]), np.array([2, 1])).tolist() == [0, 1]


def test_shapes_that_are_not_the_trees() -> None:
    with pytest.raises(ValueError, match="one for each sample"):
        _core.dendrogram_purity(TREE, np.zeros(3, np.int32), 1)
    with pytest.raises(ValueError, match=r"shape \(n_samples, n_samples\)"):
        _core.dasgupta_cost_dense(TREE, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="one row for each sample"):
        _core.dasgupta_cost_linear(TREE, np.zeros((3, 2)))
    for row_ptr, column, value in (([0, 1], [1], [1.0]), ([0, 1, 1], [1, 0], [1.0])):
        with pytest.raises(ValueError, match="CSR arrays"):
            _core.dasgupta_cost_sparse(TREE, np.array(row_ptr), np.array(column, np.int32), np.array(value))


def test_arrays_of_the_core_live_as_long_as_they_are_held() -> None:
    parents, leaf_of, heights = _core.perch(np.arange(4000.0)[:, None], "none", None)
    sizes = _core.Tree(parents, leaf_of).sizes
    del parents, leaf_of
    assert sizes.max() == 4000 and heights.max() == 3999
    assert not sizes.flags.writeable
