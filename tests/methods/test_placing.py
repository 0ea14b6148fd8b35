"""New samples go down the tree by the models of its splits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from cladebench import Hierarchy
from cladebench.methods import GHC, HMMC, MMC
from cladebench.methods._placing import Placing, place
from strategies import hierarchies


def blobs(seed: int = 0, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 4
    centres = 8.0 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    return centres[y] + np.random.default_rng(seed).normal(size=(n, 2)), y


@given(hierarchies(), st.integers(0, 9))
def test_each_row_goes_to_the_child_of_the_largest_score(tree: Hierarchy, seed: int) -> None:
    rng = np.random.default_rng(seed)
    most = max(len(tree.children(v)) for v in range(tree.n_nodes))
    # Whole numbers: scores are exact, and some are equal.
    X = rng.integers(-1, 2, size=(12, 2)).astype(float)
    W = rng.integers(-1, 2, size=(tree.n_nodes, most, 2)).astype(float)
    b = rng.integers(-1, 2, size=(tree.n_nodes, most)).astype(float)
    for row, found in zip(X, place(X, tree, W, b), strict=True):
        node = tree.root
        while len(children := tree.children(node)):
            scores = [float(W[node, k] @ row + b[node, k]) for k in range(len(children))]
            node = int(children[scores.index(max(scores))])
        assert found == node


@pytest.mark.parametrize(
    "method",
    [
        HMMC(4, n_leaves=6, random_state=0),
        HMMC(4, n_splits=4, fit_intercept=True, random_state=0),
        MMC(4, random_state=0, n_init=5),
        GHC(4, random_state=0),
    ],
    ids=str,
)
def test_new_rows_get_the_clusters_of_rows_like_them(method: Placing) -> None:
    X, y = blobs()
    method = clone(method).fit(X, y)  # a parameter that holds a tree would outlive the run
    new, classes = blobs(seed=1, n=400)
    placed = method.predict(new)
    assert set(placed) <= set(method.labels_) and placed.dtype == np.intp
    # As pure as the clusters themselves: of each class most rows are where most of the fitted ones are.
    for k in range(4):
        assert np.bincount(placed[classes == k]).argmax() == np.bincount(method.labels_[y == k]).argmax()
    assert adjusted_rand_score(method.predict(X), method.labels_) > 0.9


def test_a_row_is_placed_alone_as_among_others() -> None:
    X, y = blobs()
    for method in (HMMC(4, random_state=0), MMC(3, random_state=0)):
        method.fit(X, y)
        assert [int(method.predict(row[None])[0]) for row in X] == method.predict(X).tolist()


def test_one_cluster_takes_all() -> None:
    X, _ = blobs()
    for method in (HMMC(1, random_state=0), MMC(1, random_state=0)):
        assert method.fit(X).predict(X).tolist() == [0] * len(X)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((2, 3)), "X has 3 features"),
        (np.array([[np.inf, 0.0]]), "infinity"),
        (np.ma.array(np.zeros((1, 2)), mask=[[True, False]]), "masked"),
    ],
)
def test_wrong_rows_are_refused(rows: np.ndarray, message: str) -> None:
    fitted = MMC(2, random_state=0).fit(blobs()[0])
    with pytest.raises(ValueError, match=message):
        fitted.predict(rows)
