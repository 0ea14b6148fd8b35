"""What every hierarchical clusterer must do; a new file in methods/ is met with no line of code here."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

import contract_checks as contract
from cladebench.hierarchy import Hierarchy
from cladebench.methods import discover
from cladebench.methods.base import HierarchicalClusterer
from cladebench.metrics import dendrogram_purity
from contract_checks import blobs, make, refuses
from instruction_sets import each_number_of_threads

METHODS = discover(HierarchicalClusterer)
Method = type[HierarchicalClusterer]


def fitted(cls: Method, X: np.ndarray, **params: object) -> HierarchicalClusterer:
    """Fit, and check what holds of any result."""
    n_classes = min(3, len(X))
    estimator = make(cls, **params).fit(X, np.arange(len(X)) % n_classes)
    hierarchy, labels = estimator.hierarchy_, estimator.labels_
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.n_samples == len(X)
    assert hierarchy.sizes[hierarchy.root] == len(X)
    assert labels.shape == (len(X),)
    assert np.issubdtype(labels.dtype, np.integer)
    assert np.array_equal(labels, hierarchy.cut(estimator.n_clusters))
    assert np.array_equal(np.unique(labels), np.arange(labels.max() + 1))
    assert labels.max() < estimator.n_clusters
    assert estimator.n_features_in_ == X.shape[1]
    return estimator


def same_tree(a: HierarchicalClusterer, b: HierarchicalClusterer) -> bool:
    heights, others = a.hierarchy_.heights, b.hierarchy_.heights
    return (
        np.array_equal(a.hierarchy_.parents, b.hierarchy_.parents)
        and np.array_equal(a.hierarchy_.leaf_of, b.hierarchy_.leaf_of)
        and ((heights is None and others is None) or np.array_equal(heights, others))
        and np.array_equal(a.labels_, b.labels_)
    )


def cophenetic_sizes(estimator: HierarchicalClusterer) -> np.ndarray:
    """Samples below the lowest common ancestor of each pair: says all of a tree but the order of siblings."""
    indices = np.arange(estimator.hierarchy_.n_samples)
    return estimator.hierarchy_.sizes[estimator.hierarchy_.lca(indices[:, None], indices)]


def check_result(cls: Method) -> None:
    X, _ = blobs()
    for n_clusters in (1, 2, 5, len(X)):
        fitted(cls, X, n_clusters=n_clusters)


def check_same_seed_same_tree(cls: Method) -> None:
    X, y = blobs()
    one = make(cls).fit(X, y)
    assert same_tree(one, make(cls).fit(X, y))
    assert same_tree(clone(one).fit(X, y), one.fit(X, y)), "a second fit of one object differs"


def check_threads(cls: Method) -> None:
    X = np.random.default_rng(1).normal(size=(300, 40))
    y = np.arange(300) % 3
    assert same_tree(*[make(cls).fit(X, y) for _ in each_number_of_threads((1, 2))])


def check_row_permutation(cls: Method) -> None:
    X = np.random.default_rng(2).normal(size=(30, 3))
    y = np.arange(30) % 3
    sizes = cophenetic_sizes(make(cls).fit(X, y))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        assert np.array_equal(
            cophenetic_sizes(make(cls).fit(X[order], y[order])), sizes[np.ix_(order, order)]
        )


def check_labels_unread(cls: Method) -> None:
    X, y = blobs()
    if cls.uses_labels:
        names = np.array(["c", "a", "b"])
        assert np.array_equal(
            cophenetic_sizes(make(cls).fit(X, y)), cophenetic_sizes(make(cls).fit(X, names[y]))
        )
        assert dendrogram_purity(make(cls).fit(X, y).hierarchy_, y) == 1.0
        refuses_without_labels = make(cls)
        with pytest.raises(ValueError, match="y"):
            refuses_without_labels.fit(X)
    else:
        assert same_tree(make(cls).fit(X, y), make(cls).fit(X))
        assert same_tree(make(cls).fit(X, ["a string", None]), make(cls).fit(X))


def check_bad_n_clusters(cls: Method) -> None:
    X, _ = blobs()
    for value in (0, -1, 1.5, "2", None, True):
        refuses(cls, X, f"n_clusters={value!r}", n_clusters=value)
    refuses(cls, X, "n_clusters=31", "n_samples=30", n_clusters=31)


def check_constant_columns(cls: Method) -> None:
    X, _ = blobs()
    fitted(cls, np.column_stack([np.full(len(X), 7.0), X, np.zeros(len(X))]))


def check_duplicates(cls: Method) -> None:
    X, _ = blobs()
    fitted(cls, np.repeat(X[:10], 3, axis=0))
    fitted(cls, np.vstack([np.repeat(X[:1], 16, axis=0), X[10:14]]))  # most pairs are equal


def check_duplicates_only(cls: Method) -> None:
    fitted(cls, np.full((20, 3), 1.25))


def check_one_sample(cls: Method) -> None:
    X, _ = blobs()
    assert fitted(cls, X[:1], n_clusters=1).labels_.tolist() == [0]


def check_two_samples(cls: Method) -> None:
    X, _ = blobs()
    fitted(cls, X[:2], n_clusters=2)


def check_one_feature(cls: Method) -> None:
    X, _ = blobs()
    fitted(cls, X[:, :1])


def check_extreme_scales(cls: Method) -> None:
    contract.at_extreme_scales(lambda X: fitted(cls, X))


def check_deep_data(cls: Method) -> None:
    # Geometrically spaced: trees of a depth near the number of samples.
    fitted(cls, 2.0 ** np.arange(30)[:, None])


def check_new_rows_are_placed(cls: Method) -> None:
    if not hasattr(cls, "predict"):
        return
    X, y = blobs()
    new = np.random.default_rng(3).normal(scale=5.0, size=(40, X.shape[1]))
    for n_clusters in (1, 2, 5):
        estimator = make(cls, n_clusters=n_clusters).fit(X, y)
        placed = estimator.predict(new)
        assert placed.shape == (40,) and placed.dtype == np.intp and set(placed) <= set(estimator.labels_)
        assert [int(estimator.predict(row[None])[0]) for row in new] == placed.tolist()
    for wrong in (new[:, :2], np.full((1, X.shape[1]), np.inf), np.ma.masked_greater(new, 0.0)):
        with pytest.raises(ValueError, match="X"):
            estimator.predict(wrong)


def check_fitted_rows_keep_their_clusters(cls: Method) -> None:
    if not hasattr(cls, "predict"):
        return
    X, y = blobs()
    for n_clusters in (1, 2, 5):
        estimator = make(cls, n_clusters=n_clusters).fit(X, y)
        assert np.array_equal(estimator.predict(X), estimator.labels_), "fitted rows change their clusters"


(
    test_contract,
    test_scikit_learn,
    test_excuses_name_checks_and_have_reasons,
    test_documented,
) = contract.suite(METHODS, globals())


def test_the_base_class_is_no_method() -> None:
    assert all(issubclass(cls, HierarchicalClusterer) for cls in METHODS.values())
    assert "HierarchicalClusterer" not in METHODS


def test_heavy_packages_are_not_imported_for_a_look() -> None:
    script = (
        "import sys, cladebench.methods, cladebench.distances;"
        "cladebench.methods.discover(); cladebench.distances.discover();"
        "heavy = {'jax', 'matplotlib', 'cvxpy', 'pulp'} & set(sys.modules); assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
