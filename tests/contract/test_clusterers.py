"""What every flat clusterer must do; a new file in methods/ is met with no line of code here."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import contract_checks as contract
from cladebench.methods import discover
from cladebench.methods.base import Clusterer, HierarchicalClusterer
from contract_checks import blobs, make, refuses
from instruction_sets import each_number_of_threads

METHODS = discover(Clusterer)
Method = type[Clusterer]


def is_given(cls: Method) -> bool:
    return "n_clusters" in cls._get_param_names()


def fitted(cls: Method, X: np.ndarray, **params: object) -> Clusterer:
    """Fit, and check what holds of any result."""
    estimator = make(cls, **params).fit(X, np.arange(len(X)) % min(3, len(X)))
    labels = estimator.labels_
    assert labels.shape == (len(X),)
    assert labels.dtype == np.intp
    distinct, first = np.unique(labels, return_index=True)
    assert np.array_equal(distinct, np.arange(estimator.n_clusters_))
    assert np.array_equal(first, np.sort(first)), "clusters are not numbered by their first samples"
    if is_given(cls):
        assert estimator.n_clusters_ <= estimator.n_clusters
    assert estimator.n_features_in_ == X.shape[1]
    return estimator


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return adjusted_rand_score(a, b) == 1.0


def check_result(cls: Method) -> None:
    X, _ = blobs()
    for n_clusters in (1, 2, 5, len(X)) if is_given(cls) else ():
        fitted(cls, X, n_clusters=n_clusters)
    fitted(cls, X)


def check_same_seed_same_clusters(cls: Method) -> None:
    X, y = blobs()
    one = make(cls).fit(X, y)
    labels = one.labels_.copy()
    assert np.array_equal(clone(one).fit(X, y).labels_, labels)
    assert np.array_equal(one.fit(X, y).labels_, labels), "a second fit of one object differs"
    assert np.array_equal(one.fit_predict(X, y), labels)


def check_threads(cls: Method) -> None:
    X = np.random.default_rng(1).normal(size=(300, 40))
    y = np.arange(300) % 3
    assert np.array_equal(*[make(cls).fit(X, y).labels_ for _ in each_number_of_threads((1, 2))])


def check_row_permutation(cls: Method) -> None:
    X = np.random.default_rng(2).normal(size=(30, 3))
    y = np.arange(30) % 3
    labels = make(cls).fit(X, y).labels_
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        assert same(make(cls).fit(X[order], y[order]).labels_, labels[order])


def check_labels_unread(cls: Method) -> None:
    X, y = blobs()
    labels = make(cls).fit(X, y).labels_
    if cls.uses_labels:
        assert np.array_equal(make(cls).fit(X, np.array(["c", "a", "b"])[y]).labels_, labels)
        with pytest.raises(ValueError, match="y"):
            make(cls).fit(X)
    else:
        assert np.array_equal(make(cls).fit(X).labels_, labels)
        assert np.array_equal(make(cls).fit(X, ["a string", None]).labels_, labels)


def check_bad_n_clusters(cls: Method) -> None:
    X, _ = blobs()
    for value in (0, -1, 1.5, 2.0, "2", None, True) if is_given(cls) else ():
        refuses(cls, X, f"n_clusters={value!r}", n_clusters=value)
    if is_given(cls):
        refuses(cls, X, "n_clusters=31", "n_samples=30", n_clusters=31)


def check_odd_data(cls: Method) -> None:
    X, _ = blobs()
    one = {"n_clusters": 1} if is_given(cls) else {}
    assert fitted(cls, X[:1], **one).labels_.tolist() == [0]
    fitted(cls, X[:2])
    fitted(cls, X[:, :1])
    fitted(cls, np.column_stack([np.full(len(X), 7.0), X, np.zeros(len(X))]))
    fitted(cls, np.repeat(X[:10], 3, axis=0))
    fitted(cls, np.full((20, 3), 1.25))
    fitted(cls, 2.0 ** np.arange(30)[:, None])


def check_extreme_scales(cls: Method) -> None:
    contract.at_extreme_scales(lambda X: fitted(cls, X))


(
    test_contract,
    test_scikit_learn,
    test_excuses_name_checks_and_have_reasons,
    test_documented,
) = contract.suite(METHODS, globals())


def test_there_is_one_of_each_sort_and_none_is_hierarchical() -> None:
    assert {is_given(cls) for cls in METHODS.values()} == {True, False}
    assert not any(issubclass(cls, HierarchicalClusterer) for cls in METHODS.values())
