"""What every method must do; a new file in methods/ is met with no line of code here.

A check that a class cannot pass is excused in the class itself (``contract_excuses``), with a reason, and must then
fail indeed.
"""

import inspect
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import estimator_checks_generator
from threadpoolctl import threadpool_limits

from cladebench.hierarchy import Hierarchy
from cladebench.methods import discover
from cladebench.methods.base import HierarchicalClusterer
from cladebench.metrics import dendrogram_purity

METHODS = discover()
Method = type[HierarchicalClusterer]


def make(cls: Method, **params: object) -> HierarchicalClusterer:
    estimator = cls(**{**cls.contract_params, **params})
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def blobs() -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(n_samples=30, n_features=3, centers=3, cluster_std=2.0, random_state=0)


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


def refuses(cls: Method, X: object, *words: str, **params: object) -> None:
    with pytest.raises(ValueError) as caught:
        make(cls, **params).fit(X, np.zeros(np.shape(X)[0] if np.shape(X) else 1, dtype=int))
    missing = [word for word in words if word not in str(caught.value)]
    assert not missing, f"{caught.value!s} does not name {missing}"


# ---------------------------------------------------------------- the checks


def check_result(cls: Method) -> None:
    X, _ = blobs()
    before = X.copy()
    for n_clusters in (1, 2, 5, len(X)):
        fitted(cls, X, n_clusters=n_clusters)
    assert np.array_equal(X, before), "fit wrote to X"


def check_same_seed_same_tree(cls: Method) -> None:
    X, y = blobs()
    one = make(cls).fit(X, y)
    assert same_tree(one, make(cls).fit(X, y))
    assert same_tree(clone(one).fit(X, y), one.fit(X, y)), "a second fit of one object differs"


def check_global_random_state_unused(cls: Method) -> None:
    X, y = blobs()
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the global generator is what is looked at
    make(cls).fit(X, y)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def check_threads(cls: Method) -> None:
    X = np.random.default_rng(1).normal(size=(300, 40))
    y = np.arange(300) % 3
    with threadpool_limits(1):
        one = make(cls).fit(X, y)
    with threadpool_limits(2):
        two = make(cls).fit(X, y)
    assert same_tree(one, two)


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


def check_bad_data(cls: Method) -> None:
    X, _ = blobs()
    for value in (np.nan, np.inf, -np.inf):
        spoilt = X.copy()
        spoilt[3, 1] = value
        refuses(cls, spoilt, "NaN" if np.isnan(value) else "infinity")
    refuses(cls, X[:, 0], "Expected 2D array")
    refuses(cls, X[None], "dim 3")
    refuses(cls, X[:0], "0 sample(s)")
    refuses(cls, X[:, :0], "0 feature(s)")
    refuses(cls, np.array([["a", "b"], ["c", "d"]]))


def check_bad_n_clusters(cls: Method) -> None:
    X, _ = blobs()
    for value in (0, -1, 1.5, "2", None, True):
        refuses(cls, X, f"n_clusters={value!r}", n_clusters=value)
    refuses(cls, X, "n_clusters=31", "n_samples=30", n_clusters=31)


def check_bad_parameters(cls: Method) -> None:
    X, _ = blobs()
    for name in inspect.signature(cls).parameters:
        estimator = make(cls).set_params(**{name: object()})
        try:
            estimator.fit(X, np.zeros(len(X), dtype=int))
        except ValueError as error:
            assert name in str(error), f"{error!s} does not name {name}"
        else:
            raise AssertionError(f"{name}=object() was accepted")


def check_constant_columns(cls: Method) -> None:
    X, _ = blobs()
    fitted(cls, np.column_stack([np.full(len(X), 7.0), X, np.zeros(len(X))]))


def check_duplicates(cls: Method) -> None:
    X, _ = blobs()
    fitted(cls, np.repeat(X[:10], 3, axis=0))


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
    # Squares of the one overflow, those of the other are zero: refused in plain words, or a sound tree.
    X, _ = blobs()
    for scale in (1e200, 1e-310):
        try:
            fitted(cls, X * scale)
        except ValueError as error:
            assert "rescale X" in str(error)


def check_deep_data(cls: Method) -> None:
    # Geometrically spaced: trees of a depth near the number of samples.
    fitted(cls, 2.0 ** np.arange(30)[:, None])


CHECKS: dict[str, Callable[[Method], None]] = {
    name: value for name, value in dict(globals()).items() if name.startswith("check_")
}


def run(cls: Method, name: str, check: Callable[[], object]) -> None:
    if name in cls.contract_excuses:
        with pytest.raises(Exception):  # noqa: B017 - whatever it is, an excused check has to fail
            check()
    else:
        check()


# Whether the order of the samples matters is a promise of the class.
PAIRS = [
    (method, check)
    for method, cls in METHODS.items()
    for check in CHECKS
    if cls.order_invariant or check != "check_row_permutation"
]


@pytest.mark.parametrize(("method", "check"), PAIRS)
def test_contract(method: str, check: str) -> None:
    run(METHODS[method], check, lambda: CHECKS[check](METHODS[method]))


def scikit_learn_checks(cls: Method) -> dict[str, Callable[[], None]]:
    """scikit-learn's checks by name, but for those of other array libraries, which no method claims to support."""
    checks: dict[str, Callable[[], None]] = {}
    for estimator, check in estimator_checks_generator(make(cls)):
        name = ",".join([check.func.__name__, *(f"{key}={value}" for key, value in check.keywords.items())])
        if check.func.__name__ != "check_array_api_input":
            checks[name] = partial(check, estimator)
    return checks


@pytest.mark.parametrize(
    ("method", "check"),
    [(name, check) for name, cls in METHODS.items() for check in scikit_learn_checks(cls)],
)
def test_scikit_learn(method: str, check: str) -> None:
    run(METHODS[method], check.split(",")[0], scikit_learn_checks(METHODS[method])[check])


@pytest.mark.parametrize("method", METHODS)
def test_excuses_name_checks_and_have_reasons(method: str) -> None:
    cls = METHODS[method]
    known = {*CHECKS, *(check.split(",")[0] for check in scikit_learn_checks(cls))}
    assert set(cls.contract_excuses) <= known
    assert all(len(reason.split()) >= 3 for reason in cls.contract_excuses.values())


@pytest.mark.parametrize("method", METHODS)
def test_documented(method: str) -> None:
    documentation = inspect.getdoc(METHODS[method]) or ""
    for name in inspect.signature(METHODS[method]).parameters:
        assert f"{name} :" in documentation, f"{method} does not document {name}"


def test_the_base_class_is_no_method() -> None:
    assert all(issubclass(cls, HierarchicalClusterer) for cls in METHODS.values())
    assert "HierarchicalClusterer" not in METHODS


def test_heavy_packages_are_not_imported_for_a_look() -> None:
    script = (
        "import sys, cladebench.methods; cladebench.methods.discover();"
        "heavy = {'jax', 'matplotlib', 'cvxpy', 'pulp'} & set(sys.modules); assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
