import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.utils import get_tags

from cladebench.methods import RandomTree, SparsestCut
from cladebench.methods.sparsest_cut import gather
from cladebench.metrics import LinearKernel, Similarity, dasgupta_cost, dendrogram_purity
from cladebench.reference import sparsest_cut as reference


def blobs(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat(np.arange(3), n // 3)
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[y]
    return X + np.random.default_rng(0).normal(size=(n, 2)), y


@settings(max_examples=50, deadline=None)
@given(n=st.integers(2, 20), seed=st.integers(0, 10**6))
def test_gather_permutes_rows_and_columns_alike(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    S = rng.normal(size=(n, n))
    mask = rng.uniform(size=n) < rng.uniform()
    gathered = S.copy()
    order = gather(gathered, mask)
    assert np.array_equal(gathered, S[np.ix_(order, order)])
    assert np.array_equal(np.sort(order), np.arange(n))
    assert mask[order[: mask.sum()]].all()


def test_small_nodes_are_cut_optimally() -> None:
    X = np.random.default_rng(1).normal(size=(10, 3))
    S = Similarity()(X)
    tree = SparsestCut().fit(X).hierarchy_
    for node in range(tree.n_nodes):
        below, children = tree.samples(node), tree.children(node)
        if len(below) < 3:
            continue
        inside = np.isin(below, tree.samples(children[0]))
        block = S[np.ix_(below, below)]
        masks = [
            np.array([bool(code >> i & 1) for i in range(len(below))])
            for code in range(1, 2 ** len(below) - 1)
        ]
        best = min(reference.cut_ratio(block, mask) for mask in masks)
        assert reference.cut_ratio(block, inside) == pytest.approx(best, rel=1e-8)


def test_every_sample_has_a_leaf_and_every_node_two_children() -> None:
    X, _ = blobs(300)
    tree = SparsestCut().fit(X).hierarchy_
    assert len(set(tree.leaf_of)) == 300
    assert sorted(set(np.diff(tree.child_ptr))) == [0, 2]


def test_clusters_come_apart_and_the_cost_is_low() -> None:
    X, y = blobs()
    model = SparsestCut(3).fit(X)
    assert dendrogram_purity(model.hierarchy_, y) == 1.0
    assert np.array_equal(model.labels_[:, None] == model.labels_, y[:, None] == y)
    S = Similarity()(X)
    chance = np.mean([dasgupta_cost(RandomTree(random_state=s).fit(X).hierarchy_, S) for s in range(5)])
    assert dasgupta_cost(model.hierarchy_, S) < 0.75 * chance


def test_ways_to_give_the_similarity_agree() -> None:
    X, _ = blobs()
    S = Similarity("inv")(X)
    expected = SparsestCut(similarity="inv").fit(X).hierarchy_
    for similarity, data in (
        (Similarity("inv"), X),
        (lambda _: S, X),
        (lambda _: S.tolist(), X),
        ("precomputed", S),
    ):
        found = SparsestCut(similarity=similarity).fit(data).hierarchy_
        assert np.array_equal(found.parents, expected.parents)
        assert np.array_equal(found.leaf_of, expected.leaf_of)


def test_the_callers_weights_are_left_alone() -> None:
    X, _ = blobs()
    S = Similarity("inv")(X)
    before = S.copy()
    SparsestCut(similarity="precomputed").fit(S)
    assert get_tags(SparsestCut(similarity="precomputed")).input_tags.pairwise
    assert not get_tags(SparsestCut()).input_tags.pairwise
    SparsestCut(similarity=lambda _: S).fit(X)
    assert np.array_equal(S, before)


def test_sparse_weights_give_the_tree_of_dense_ones() -> None:
    X, y = blobs(90)
    S = Similarity()(X)
    S[np.sort(S, axis=1)[:, -9, None] > S] = 0.0
    S = np.maximum(S, S.T)
    dense = SparsestCut(similarity="precomputed").fit(S).hierarchy_
    from_sparse = SparsestCut(similarity=lambda _: sparse.csr_matrix(S)).fit(X).hierarchy_
    assert np.array_equal(from_sparse.parents, dense.parents)
    assert dendrogram_purity(from_sparse, y) == 1.0


def test_a_clique_gives_a_balanced_tree() -> None:
    tree = SparsestCut(similarity="precomputed").fit(np.ones((256, 256))).hierarchy_
    assert tree.depths.max() == 8


def test_outliers_are_peeled_off() -> None:
    X, _ = blobs(249)
    far = np.vstack([X, [[500.0, 0.0], [0.0, 900.0]]])
    tree = SparsestCut(similarity="inv").fit(far).hierarchy_
    assert tree.sizes[tree.lca(249, 0)] >= 250
    assert tree.sizes[tree.lca(250, 0)] >= 250


def test_bad_similarities() -> None:
    X, _ = blobs()
    for similarity, words in (
        (lambda X: X, r"shape \(60, 2\); expected \(60, 60\)"),
        (lambda X: X @ X.T, "expected weights >= 0"),
        (lambda X: np.triu(np.ones((len(X), len(X)))), "not symmetric"),
        (LinearKernel, "gives a LinearKernel; expected an array"),
        (
            lambda X: np.full((len(X), len(X)), 1e200),
            r"similarity contains 1e\+200; expected at most 2.23e\+152",
        ),
        ("precomputed", r"shape \(60, 2\); expected \(60, 60\)"),
    ):
        with pytest.raises(ValueError, match=words):
            SparsestCut(similarity=similarity).fit(X)
    with pytest.raises(ValueError, match="exact_below"):
        SparsestCut(exact_below=22).fit(X)


def test_the_default_similarity_takes_data_that_are_mostly_equal_rows() -> None:
    rows = np.random.default_rng(0).normal([6.0, 6.0], 0.1, size=(10, 2))
    X = np.vstack([np.full((40, 2), 0.1), rows])
    assert SparsestCut().fit(X).labels_.tolist() == [0] * 40 + [1] * 10
