import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.cluster import KMeans

from cladebench.methods import HierarchicalKMeans
from cladebench.methods.hierarchical_kmeans import lloyd, plus_plus


def inertia(X: np.ndarray, labels: np.ndarray) -> float:
    return sum(float(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum()) for j in np.unique(labels))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_lloyd_ends_where_scikit_learns_does(k: int) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 4))
        X -= X.mean(axis=0)
        start = X[rng.choice(80, k, replace=False)]
        expected = KMeans(k, init=start, n_init=1, max_iter=300, tol=0.0, algorithm="lloyd").fit(X)
        labels, n_iter, _ = lloyd(X, start[None], 300)
        assert np.array_equal(labels, expected.labels_)
        assert n_iter == expected.n_iter_


def test_the_best_of_several_starts_is_kept() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    X -= X.mean(axis=0)
    starts = plus_plus(X, 3, 8, np.random.RandomState(0))
    alone = [inertia(X, lloyd(X, start[None], 300)[0]) for start in starts]
    assert np.ptp(alone) > 0
    assert inertia(X, lloyd(X, starts, 300)[0]) == pytest.approx(min(alone), rel=1e-12)


def test_plus_plus_draws_in_proportion_to_squared_distances() -> None:
    X = np.array([[0.0], [1.0], [3.0]])
    starts = plus_plus(X, 2, 20_000, np.random.RandomState(0))[:, :, 0]
    from_zero = starts[starts[:, 0] == 0.0, 1]
    # Squared distances 1 and 9; about 6,700 draws, a standard deviation of 0.0037.
    assert np.mean(from_zero == 3.0) == pytest.approx(0.9, abs=0.02)
    assert (from_zero > 0).all()


@settings(max_examples=60, deadline=None)
@given(
    X=hnp.arrays(
        np.float64, st.tuples(st.integers(1, 25), st.integers(1, 3)), elements=st.integers(-3, 3).map(float)
    ),
    branching=st.integers(2, 5),
    seed=st.integers(0, 100),
)
def test_leaves_are_the_distinct_samples(X: np.ndarray, branching: int, seed: int) -> None:
    tree = HierarchicalKMeans(1, branching=branching, n_init=2, random_state=seed).fit(X).hierarchy_
    equal = (X[:, None] == X).all(axis=2)
    assert np.array_equal(tree.leaf_of[:, None] == tree.leaf_of, equal)
    arity = np.diff(tree.child_ptr)
    assert set(arity) <= {0, *range(2, branching + 1)}


def test_heights_are_inertias() -> None:
    X = np.random.default_rng(1).normal(size=(30, 3)) + 100.0
    tree = HierarchicalKMeans(random_state=0).fit(X).hierarchy_
    for node in range(tree.n_nodes):
        below = X[tree.samples(node)]
        assert tree.heights[node] == pytest.approx(((below - below.mean(axis=0)) ** 2).sum(), abs=1e-9)


def test_well_separated_clusters_are_found_first() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 15)
    X = np.array([[0.0, 0.0], [0.0, 10.0], [50.0, 0.0], [50.0, 10.0]])[y] + rng.normal(
        scale=0.5, size=(60, 2)
    )
    for n_clusters, expected in ((2, y // 2), (4, y)):
        labels = HierarchicalKMeans(n_clusters, n_init=10, random_state=0).fit(X).labels_
        assert np.array_equal(labels[:, None] == labels, expected[:, None] == expected)


def test_nodes_up_to_leaf_size_are_not_split() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2))
    tree = HierarchicalKMeans(leaf_size=7, random_state=0).fit(X).hierarchy_
    leaves = np.diff(tree.child_ptr) == 0
    assert tree.sizes[leaves].max() <= 7 < tree.sizes[~leaves].min()


def test_max_iter_bounds_the_iterations() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    assert HierarchicalKMeans(max_iter=2, random_state=0).fit(X).n_iter_ == 2
    assert 2 < HierarchicalKMeans(random_state=0).fit(X).n_iter_ < 300


def test_samples_apart_by_rounding_only_end_somewhere() -> None:
    X = 1.0 + np.arange(12.0)[:, None] * np.finfo(float).eps
    assert HierarchicalKMeans(random_state=0).fit(X).hierarchy_.n_samples == 12
