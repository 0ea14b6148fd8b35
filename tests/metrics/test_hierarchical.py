"""Dendrogram purity and Dasgupta's cost against enumeration of pairs, by hand, and under bad input."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_iris, load_wine

from cladebench.crosscheck import measures as checks
from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative
from cladebench.metrics import LinearKernel, Similarity, dasgupta_cost, dendrogram_purity
from cladebench.reference import metrics as reference
from instruction_sets import each_number_of_threads
from solver_checks import hold
from strategies import hierarchies, labels_for

# Far from underflow, where products keep no relative precision; quotients that are not exact in binary.
NUMBERS = st.integers(-10_000, 10_000).map(lambda k: k / 997)
SIMILARITIES = st.integers(0, 10_000).map(lambda k: k / 997)


def has_a_pair(labels: np.ndarray) -> bool:
    return len(set(labels.tolist())) < len(labels)


@given(hierarchies(min_samples=2), st.data())
def test_purity_is_the_mean_over_pairs(tree: Hierarchy, data: st.DataObject) -> None:
    labels = data.draw(labels_for(tree.n_samples))
    assume(has_a_pair(labels))
    hold(checks.purity("drawn", tree, labels))


def test_purity_by_hand() -> None:
    tree = Hierarchy.from_nested([[0, 1], [2, 3]])
    assert dendrogram_purity(tree, [0, 0, 1, 1]) == 1.0
    assert dendrogram_purity(tree, [0, 1, 0, 1]) == 0.5
    assert math.isclose(dendrogram_purity(tree, [0, 0, 0, 1]), (1 + 0.75 + 0.75) / 3)
    assert dendrogram_purity(tree, [0, 0, 0, 0]) == 1.0
    # Pairs of class 0 at 1, 3/5 and 3/5, one of class 1 at 1; a mean that draws a sample first would be 0.84.
    tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    assert math.isclose(dendrogram_purity(tree, [0, 0, 0, 1, 1]), 0.8)
    assert dendrogram_purity(Hierarchy([-1], [0, 0, 0]), ["a", "a", "b"]) == 2 / 3


@pytest.mark.parametrize(
    ("load", "method", "expected"),
    [
        (load_iris, "complete", 0.7908735163238227),
        (load_wine, "complete", 0.6071381961455469),
    ],
)
def test_purity_of_bundled_data(load, method: str, expected: float) -> None:
    X, labels = load(return_X_y=True)
    tree = Hierarchy.from_linkage(linkage(X, method))
    assert math.isclose(reference.dendrogram_purity(tree, labels), expected, rel_tol=1e-9)
    assert math.isclose(dendrogram_purity(tree, labels), expected, rel_tol=1e-9)


def test_purity_of_many_samples_does_not_overflow() -> None:
    # One leaf of 100,000 samples, half of each class: the pairs of a class (1.2e9) exceed 32 bits.
    n = 100_000
    assert math.isclose(
        dendrogram_purity(Hierarchy([-1], np.zeros(n, int)), np.arange(n) % 2), 0.5, rel_tol=1e-15
    )


def test_purity_rejects_bad_labels() -> None:
    tree = Hierarchy.from_nested([0, 1, 2])
    with pytest.raises(ValueError, match=r"labels has shape \(2,\)"):
        dendrogram_purity(tree, [0, 1])
    for purity in (dendrogram_purity, reference.dendrogram_purity):
        with pytest.raises(ValueError, match="no two samples share a class"):
            purity(tree, [0, 1, 2])
        with pytest.raises(ValueError, match="no two samples share a class"):
            purity(Hierarchy([-1], [0]), [0])


def test_what_is_no_hierarchy_is_told_how_to_become_one() -> None:
    Z = linkage(np.arange(3.0)[:, None])
    for wrong in (None, Z, Agglomerative().fit([[0.0], [1.0], [3.0]])):
        message = (
            rf"hierarchy is {type(wrong).__name__}; .*estimator.hierarchy_ or Hierarchy.from_linkage\(Z\)"
        )
        with pytest.raises(TypeError, match=message):
            dendrogram_purity(wrong, [0, 0, 1])  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=message):
            dasgupta_cost(wrong, np.ones((3, 3)))  # type: ignore[arg-type]


@settings(max_examples=50)
@given(hierarchies(max_samples=15), st.data(), st.sampled_from(["unordered", "ordered"]))
def test_cost_of_a_matrix_dense_and_sparse(tree: Hierarchy, data: st.DataObject, pairs) -> None:
    S = data.draw(arrays(float, (tree.n_samples, tree.n_samples), elements=SIMILARITIES))
    cost = reference.dasgupta_cost(tree, S, pairs)
    forms = [S, S.T, np.asfortranarray(S), sp.csr_array(S), sp.csc_matrix(S), sp.coo_array(S), S.tolist()]
    for form in forms:
        assert math.isclose(dasgupta_cost(tree, form, pairs), cost, rel_tol=1e-12)


@given(hierarchies(), st.data())
def test_cost_of_a_linear_kernel(tree: Hierarchy, data: st.DataObject) -> None:
    d = data.draw(st.integers(1, 10))
    X = data.draw(arrays(float, (tree.n_samples, d), elements=NUMBERS))
    hold(checks.cost("drawn", tree, "linear", LinearKernel(X)))
    gram = reference.dasgupta_cost(tree, X @ X.T)
    assert math.isclose(reference.dasgupta_cost(tree, LinearKernel(X)), gram)


def test_cost_by_hand() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    S = np.array([[0, 5, 1], [5, 0, 2], [1, 2, 0]])
    assert dasgupta_cost(tree, S) == 5 * 2 + 1 * 3 + 2 * 3
    assert dasgupta_cost(tree, S, pairs="ordered") == 2 * 19
    assert dasgupta_cost(Hierarchy([-1], [0, 0, 0]), S) == 3 * 8  # one leaf: all pairs meet in it
    assert dasgupta_cost(Hierarchy([-1], [0]), [[7.0]]) == 0
    # All trees cost the same on a clique: (n^3 - n) / 3 (Dasgupta 2016, theorem 3).
    for nested in ([[[0, 1], 2], 3], [[0, 1], [2, 3]]):
        assert dasgupta_cost(Hierarchy.from_nested(nested), np.ones((4, 4))) == (4**3 - 4) / 3


def test_cost_of_a_clique_at_one_million_samples() -> None:
    # The linear kernel of a column of ones is a clique; its cost, (n^3 - n) / 3, needs more than 53 bits.
    n = 1_000_000
    k = np.arange(0, 2 * n - 2, 2)
    tree = Hierarchy.from_linkage(np.column_stack([k, k + 1, np.arange(n - 1)]))
    cost = dasgupta_cost(tree, LinearKernel(np.ones((n, 1))))
    assert math.isclose(cost, (n**3 - n) / 3, rel_tol=1e-15)


def test_diagonal_never_counts() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    S = np.ones((3, 3))
    expected = dasgupta_cost(tree, S)
    np.fill_diagonal(S, [np.nan, np.inf, -1e300])
    assert dasgupta_cost(tree, S) == expected
    assert dasgupta_cost(tree, sp.csr_array(S)) == expected


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_cost_names_the_entry_that_is_not_finite(convert, bad: float) -> None:
    S = np.ones((3, 3))
    S[0, 0] = np.nan
    S[1, 2] = bad
    with pytest.raises(ValueError, match=rf"similarity\[1, 2\] is {bad}"):
        dasgupta_cost(Hierarchy.from_nested([[0, 1], 2]), convert(S))


def test_cost_rejects_bad_input() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    with pytest.raises(ValueError, match="pairs is 'both'"):
        dasgupta_cost(tree, np.ones((3, 3)), pairs="both")  # type: ignore[arg-type]
    for uncalled in (Similarity(), LinearKernel, lambda X: X @ X.T):
        with pytest.raises(TypeError, match=r"similarity is .*; expected its values on X"):
            dasgupta_cost(tree, uncalled)  # type: ignore[arg-type]
    for nothing, kind in (("rbf", "str"), (None, "NoneType"), (2.0, "float"), ({0: 1.0}, "dict")):
        with pytest.raises(TypeError) as caught:
            dasgupta_cost(tree, nothing)  # type: ignore[arg-type]
        assert str(caught.value) == (
            f"similarity is {nothing!r}, of type {kind}; expected an array or sparse matrix of shape (3, 3), "
            "or LinearKernel(X)"
        )
    for wrong in (np.ones((2, 2)), np.ones(3), sp.csr_array(np.ones((3, 2)))):
        with pytest.raises(ValueError, match=r"expected \(3, 3\)"):
            dasgupta_cost(tree, wrong)
    with pytest.raises(ValueError, match="LinearKernel has 2 samples"):
        dasgupta_cost(tree, LinearKernel(np.ones((2, 2))))
    for wrong in (np.full((3, 3), "a"), np.ones((3, 3), complex)):
        with pytest.raises(ValueError, match="expected real numbers"):
            dasgupta_cost(tree, wrong)
    with pytest.raises(ValueError, match="too large"):
        dasgupta_cost(tree, np.full((3, 3), 1e308))
    with pytest.raises(ValueError, match="too large"):
        dasgupta_cost(tree, LinearKernel(np.full((3, 1), 1e200)))
    broken = sp.csr_array(np.ones((3, 3)))
    for column in (3, -1, 2**32, 2**32 + 1):
        broken.indices = broken.indices.astype(np.int64)
        broken.indices[4] = column
        with pytest.raises(ValueError, match=rf"similarity has the column {column}; expected 0\.\.2"):
            dasgupta_cost(tree, broken)
    # What lies beyond the last row's end is no entry.
    longer = sp.csr_array((np.ones(1), np.array([1]), np.array([0, 1, 1, 1])), shape=(3, 3))
    longer.indices, longer.data = np.array([1, 99]), np.ones(2)
    assert dasgupta_cost(tree, longer) == 0.5 * 2


def test_cost_says_what_to_make_of_features_and_labels() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    X = np.ones((3, 5))
    with pytest.raises(
        ValueError,
        match=r"shape \(3, 5\); expected \(3, 3\)\. For the features X, .*"
        r"Similarity\('inv_sq'\)\(X\) or LinearKernel\(X\)",
    ):
        dasgupta_cost(tree, X)
    with pytest.raises(
        ValueError, match=r"\(3,\); expected .* Labels are read by dendrogram_purity; .*LinearKernel"
    ):
        dasgupta_cost(tree, ["a", "b", "a"])
    with pytest.raises(ValueError, match=r"\(4, 4\); expected \(3, 3\)$"):
        dasgupta_cost(tree, np.ones((4, 4)))
    assert dasgupta_cost(tree, LinearKernel(X)) == dasgupta_cost(tree, 5 * np.ones((3, 3)))
    assert dasgupta_cost(tree, Similarity("inv_sq")(X)) == 8


def test_purity_refuses_labels_of_two_kinds() -> None:
    tree = Hierarchy.from_nested([[0, 1], 2])
    for mixed in ([1, "a", 1], np.array([1, "a", 1], dtype=object)):
        with pytest.raises(ValueError, match=r"labels\[1\] is 'a'; expected .* all strings or all numbers"):
            dendrogram_purity(tree, mixed)


def test_cost_is_bit_equal_for_any_number_of_threads() -> None:
    X = np.random.default_rng(0).normal(size=(700, 5))
    tree = Hierarchy.from_linkage(linkage(X, "average"))
    S = np.random.default_rng(1).random((700, 700))
    for similarity in (S, sp.csr_array(S), LinearKernel(X)):
        assert len({dasgupta_cost(tree, similarity) for _ in each_number_of_threads()}) == 1


def test_entries_of_small_integers_that_are_given_twice_are_added_without_overflow() -> None:
    twice = sp.coo_array((np.full(4, 100, dtype=np.int8), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(3, 3))
    assert dasgupta_cost(Hierarchy.from_nested([[0, 1], 2]), twice) == 400.0


def cost_of(similarity: Any) -> float:
    return dasgupta_cost(Hierarchy.from_nested(list(range(len(similarity)))), similarity)


@pytest.mark.parametrize("n", [3, 40, 300])
def test_distances_in_place_of_similarities_are_told(n: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, 2))
    X[0] += 9.0  # far from the others
    D = np.linalg.norm(X[:, None] - X, axis=2)
    with pytest.warns(
        UserWarning, match=r"^similarity: looks like distances, 0 on the diagonal; expected simil"
    ) as caught:
        cost_of(D)
    assert [warning.filename for warning in caught] == [__file__]


def test_similarities_of_all_sorts_are_none() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) + 5.0 * (np.arange(40) % 2)[:, None]
    D = np.linalg.norm(X[:, None] - X, axis=2)
    S = 1.0 / (1.0 + D)
    bare = S * (1.0 - np.eye(40))
    directed = 3.0 - 3.0 * np.eye(40)  # no triangle has a longer side
    directed[0, 1], directed[1, 0] = 1.2, 1.4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for similarity in (
            S,
            np.exp(-D) * (1.0 - np.eye(40)),
            bare**4,
            directed,
            1.0 - np.eye(40),
            X @ X.T,
            -D,
        ):
            cost_of(similarity)
        cost_of([[0, 9, 1], [9, 0, 1], [1, 1, 0]])
        cost_of([[0, 9], [9, 0]])
        cost_of([[0]])
