"""Forests of random splits, which are grown at once, and rows to grow them from."""

import numpy as np
from hypothesis import strategies as st

from cladebench.distances import HierarchyForest


def forest_of(X: np.ndarray, n_trees: int = 6, **params: object) -> HierarchyForest:
    given = {"splits": "random", "min_node_size": 2, "certainty": 1.5, "random_state": 3, **params}
    constraints = {name: given.pop(name, None) for name in ("must_link", "cannot_link")}
    return HierarchyForest(n_trees, **given).fit(X, **constraints)


@st.composite
def rows(draw: st.DrawFn, most: int = 14) -> np.ndarray:
    """Few values, so that rows and features are equal to each other or constant now and then."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, 5))
    values = st.sampled_from([-1.0, 0.0, 0.5, 2.0])
    return np.array(draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n)))
