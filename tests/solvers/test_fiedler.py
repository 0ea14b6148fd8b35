import numpy as np
import pytest
from scipy import sparse

from cladebench.reference import sparsest_cut as reference
from cladebench.solvers.fiedler import fiedler_vectors


@pytest.mark.parametrize("kind", ["uniform", "gaussian", "sparse"])
def test_davidson_agrees_with_lapack(kind: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3)) * [3, 1, 0.3]
    S = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)) if kind == "gaussian" else rng.uniform(size=(400, 400))
    if kind == "sparse":
        S = np.where(rng.uniform(size=S.shape) < 0.05, S, 0.0)
    S = np.triu(S, 1) + np.triu(S, 1).T
    graph_ = sparse.csr_array(S) if kind == "sparse" else S
    values, vectors = fiedler_vectors(graph_, 3, tol=1e-7, max_iter=200)
    assert values[0] == pytest.approx(reference.fiedler_value(S), rel=1e-6)
    laplacian = np.diag(S.sum(axis=1)) - S
    assert np.linalg.norm(laplacian @ vectors[:, 0] - values[0] * vectors[:, 0]) <= 1e-6 * values[0]
    assert np.abs(vectors.sum(axis=0)).max() < 1e-9
    assert np.allclose(vectors.T @ vectors, np.eye(3))


def test_a_good_start_is_used_and_a_useless_one_survived() -> None:
    S = np.random.default_rng(1).uniform(size=(300, 300))
    S = S + S.T
    np.fill_diagonal(S, 0.0)
    values, vectors = fiedler_vectors(S, 2, tol=1e-8, max_iter=200)
    for start in (vectors, np.zeros((300, 2)), np.ones((300, 3))):
        again, _ = fiedler_vectors(S, 2, start=start, tol=1e-8, max_iter=200)
        assert again[0] == pytest.approx(values[0], rel=1e-7)
    assert fiedler_vectors(S, 2, start=vectors, max_iter=1)[0][0] == pytest.approx(values[0], rel=1e-7)


def test_small_graphs_by_lapack() -> None:
    path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    for weights in (path, sparse.csr_array(path)):
        values, vectors = fiedler_vectors(weights, 9)
        assert np.allclose(values, [2 - 2 * np.cos(k * np.pi / 5) for k in range(1, 5)])
        assert np.allclose(vectors.T @ vectors, np.eye(4))
        order = np.argsort(vectors[:, 0])
        assert order.tolist() in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])


def test_sign_is_fixed() -> None:
    for n in (20, 260):
        S = np.random.default_rng(n).uniform(size=(n, n))
        _, vectors = fiedler_vectors(np.triu(S, 1) + np.triu(S, 1).T, 3)
        assert (vectors[np.abs(vectors).argmax(axis=0), np.arange(3)] > 0).all()
