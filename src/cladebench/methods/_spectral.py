"""Cluster spectrally on a sparse graph of nearest neighbours.

The algorithms are that of Ng, Jordan and Weiss, and normalized cuts.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from cladebench.class_labels import by_first_member
from cladebench.methods._kmeans import kmeans_labels

# Up to this size LAPACK is as fast as the iteration.
DENSE_SIZE = 500
# Lanczos: largest residual, relative to the eigenvalue; restarts.
TOLERANCE = 1e-6
MAX_RESTARTS = 100
# Where the eigenvalues crowd below 1, the inverse of (1 + SHIFT) I - M spreads them.
SHIFT = 1e-9
# Weights below exp of this are raised to it. Products of a few of them are still normal numbers.
LEAST_EXPONENT = -300.0
EDGES = ("either", "mutual", "averaged")


def spectral_labels(
    index: np.ndarray,
    distance: np.ndarray,
    n_clusters: int,
    *,
    n_init: int,
    seed: int,
    edges: str = "either",
    exponent: float = 0.5,
) -> np.ndarray:
    """Cluster points by the eigenvectors of their neighbour graph [1]_.

    Parameters
    ----------
    index, distance : ndarrays of shape (n, k)
        The k >= 1 nearest other points of each point, and how far they are.
    n_clusters : int
        At least 2, at most n.
    n_init, seed : int
        Of k-means, see `kmeans_labels`.
    edges, exponent : str, float
        Of the graph, see `gaussian_graph`.

    Returns
    -------
    ndarray of int64, shape (n,)
        Clusters numbered by their first points; at most ``n_clusters``, none empty.

    References
    ----------
    .. [1] A. Y. Ng, M. I. Jordan, Y. Weiss, On spectral clustering: analysis and an algorithm, NIPS 2001.
    """
    rows = cut_rows(gaussian_graph(index, distance, edges, exponent), n_clusters)
    return kmeans_labels(unit_rows(rows), n_clusters, n_init=n_init, seed=seed)[0]


def cut_rows(W: sparse.csr_array, n_clusters: int, *, max_restarts: int = MAX_RESTARTS) -> np.ndarray:
    """Give each vertex the row by which it is clustered.

    K-means of the rows as they are is the spectral clustering by normalized cuts [1]_, of the `unit_rows` that of Ng,
    Jordan and Weiss [2]_.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric, positive weights, no vertex without edges; one to itself counts.
    n_clusters : int
        At least 1, at most n.
    max_restarts : int, default=100
        Of Lanczos' method, see `lower_eigenvectors`.

    Returns
    -------
    ndarray of shape (n, n_clusters)
        Of the vectors y with W y = lambda D y and y' D y = 1 those for the largest lambda.

    Raises
    ------
    ArpackNoConvergence
        When the eigenvectors are not found.

    Notes
    -----
    A graph of c components has the eigenvalue 1 c times, and any basis of that space will do. With c below
    ``n_clusters`` that does not matter: the vectors span the space, and k-means does not see rotations. With more
    components, which of the vectors are taken would decide, and every partition that cuts no component is one of least
    cut. Then the ``n_clusters - 1`` largest components (the ones with the first points among equals) are apart and the
    others together, which is also the best k-means partition of the unit rows of all c vectors: each vertex has a row
    that says its part.

    References
    ----------
    .. [1] J. Shi, J. Malik, Normalized cuts and image segmentation, IEEE Trans. PAMI 22 (2000) 888-905.
    .. [2] A. Y. Ng, M. I. Jordan, Y. Weiss, On spectral clustering: analysis and an algorithm, NIPS 2001.
    """
    n_components, component = connected_components(W, directed=False)
    component = by_first_member(component)
    if n_components >= n_clusters:
        by_size = np.argsort(-np.bincount(component), kind="stable")
        cluster = np.full(n_components, n_clusters - 1)
        cluster[by_size[: n_clusters - 1]] = np.arange(n_clusters - 1)
        return np.eye(n_clusters)[cluster[component]]
    return embedding(W, component, n_clusters, max_restarts)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Bring each row to length one."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def gaussian_graph(
    index: np.ndarray, distance: np.ndarray, edges: str = "either", exponent: float = 0.5
) -> sparse.csr_array:
    """Weigh edges of the neighbour graph by exp(-exponent d^2 / sigma^2).

    sigma is the mean of all distances given.

    Parameters
    ----------
    index, distance : ndarrays of shape (n, k)
        Nearest other points of each point.
    edges : {"either", "mutual", "averaged"}, default="either"
        See `joined`.
    exponent : float, default=0.5
        The Gaussian of Ng, Jordan and Weiss has 1/2; some write it with 1.

    Returns
    -------
    csr_array of shape (n, n)
        Symmetric, without diagonal but for points that stand alone. Weights lie in [exp(-300), 1]: the floor keeps far
        points in the graph. If all distances are 0, all weights are 1.
    """
    n, k = index.shape
    sigma = distance.mean()
    relative = distance / sigma if sigma > 0 else distance
    weights = np.exp(np.maximum(-exponent * relative**2, LEAST_EXPONENT))
    rows = np.repeat(np.arange(n), k)
    directed = sparse.csr_array((weights.ravel(), (rows, index.ravel())), shape=(n, n))
    return joined(directed, edges)


def joined(directed: sparse.csr_array, edges: str) -> sparse.csr_array:
    """Make the graph of neighbours one without directions.

    Parameters
    ----------
    directed : csr_array of shape (n, n)
        Weights, positive where the column is among the neighbours of the row.
    edges : {"either", "mutual", "averaged"}
        An edge where either end has the other among its neighbours, with the larger of two weights; only where both
        have, with the smaller; or the mean of both directions, so that an edge of one counts half. A point that mutual
        edges leave without any has one to itself, of weight 1: it is a component of its own.

    Returns
    -------
    csr_array of shape (n, n)
        Symmetric.
    """
    if edges == "averaged":
        return sparse.csr_array((directed + directed.T) / 2)
    if edges == "either":
        return sparse.csr_array(directed.maximum(directed.T))
    mutual = sparse.csr_array(directed.minimum(directed.T))
    alone = np.asarray(mutual.sum(axis=1)).ravel() == 0.0
    return sparse.csr_array(mutual + sparse.diags_array(alone.astype(np.float64)))


def embedding(
    W: sparse.csr_array, component: np.ndarray, n_vectors: int, max_restarts: int = MAX_RESTARTS
) -> np.ndarray:
    """Give rows of D^-1/2 times the top eigenvectors.

    They are of D^-1/2 W D^-1/2, where there are fewer components than vectors.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric, no vertex without edges; one to itself counts.
    component : ndarray of int, shape (n,)
        Connected component 0, 1, ... of each vertex.
    n_vectors : int
        More than the number of components, at most n.
    max_restarts : int, default=100
        Of Lanczos' method, see `lower_eigenvectors`.

    Returns
    -------
    ndarray of shape (n, n_vectors)
        The eigenvalue 1 of each component comes first, with a vector that is the same for all of its vertices.

    Notes
    -----
    Rows are taken after one step of the random walk D^-1 W, which changes no eigenvector. The entry of the unit
    eigenvector at a point that hangs on by a tiny weight is itself tiny and would be lost in rounding; the step takes
    its row from its neighbours.
    """
    degrees = np.asarray(W.sum(axis=1)).ravel()
    scale = 1.0 / np.sqrt(degrees)
    ends = W.tocoo()
    M = sparse.csr_array((ends.data * (scale[ends.row] * scale[ends.col]), (ends.row, ends.col)), W.shape)
    n, n_components = len(component), int(component.max()) + 1
    top = np.sqrt(degrees)
    top /= np.sqrt(np.bincount(component, degrees))[component]
    values, vectors = lower_eigenvectors(M, top, component, n_vectors - n_components, max_restarts)
    known = np.zeros((n, n_components))
    known[np.arange(n), component] = top * scale
    walked = vectors * scale[:, None]
    away_from_zero = values > 0.1
    walked[:, away_from_zero] = (W @ walked[:, away_from_zero]) / (degrees[:, None] * values[away_from_zero])
    return np.column_stack([known, walked])


def lower_eigenvectors(
    M: sparse.csr_array,
    top: np.ndarray,
    component: np.ndarray,
    n_vectors: int,
    max_restarts: int = MAX_RESTARTS,
) -> tuple[np.ndarray, np.ndarray]:
    """Give eigenvectors below the trivial one of each component.

    The eigenvalues are the largest but for the 1 of each component.

    Parameters
    ----------
    M : csr_array of shape (n, n)
        Symmetric, eigenvalues in [-1, 1].
    top : ndarray of shape (n,)
        The eigenvectors for 1: the part of each component has unit length.
    component : ndarray of int, shape (n,)
    n_vectors : int
        At least 1, at most n less the number of components.
    max_restarts : int, default=100
        After so many of them Lanczos' method gives up. Where many graphs have crowded eigenvalues, fewer save time.

    Returns
    -------
    values : ndarray of shape (n_vectors,)
        Descending.
    vectors : ndarray of shape (n, n_vectors)
        Orthonormal.

    Notes
    -----
    By LAPACK up to 500 vertices, by Lanczos' method (ARPACK) beyond, from a fixed start, until residuals are below
    1e-6. That takes a second on graphs of data in many dimensions; on those of data in one or two the eigenvalues
    crowd together, Lanczos' method gives up, and the vectors are found from a sparse factorisation, of which such
    graphs fill little.
    """
    n, n_components = len(top), int(component.max()) + 1

    def project(x: np.ndarray) -> np.ndarray:
        return top * np.bincount(component, top * x, minlength=n_components)[component]

    if n <= DENSE_SIZE or 3 * n_vectors > n:
        same = component[:, None] == component
        # The eigenvalues 1 are moved below all others.
        dense = M.toarray() - np.where(same, 3.0 * np.outer(top, top), 0.0)
        values, vectors = scipy.linalg.eigh(dense, subset_by_index=(n - n_vectors, n - 1))
        return values[::-1], vectors[:, ::-1]

    def deflated(x: np.ndarray) -> np.ndarray:
        return M @ x - 3.0 * project(x)

    try:
        values, vectors = _lanczos(deflated, n, n_vectors, max_restarts)
    except ArpackNoConvergence:
        factor = splu(
            sparse.csc_array((1.0 + SHIFT) * sparse.eye_array(n) - M),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

        def inverse(x: np.ndarray) -> np.ndarray:
            solved = factor.solve(x - project(x))
            return solved - project(solved)

        values, vectors = _lanczos(inverse, n, n_vectors)
        values = 1.0 + SHIFT - 1.0 / values
    return values[::-1], vectors[:, ::-1]


def _lanczos(
    product: Any, n: int, n_vectors: int, max_restarts: int = MAX_RESTARTS
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvectors for the largest eigenvalues (ascending) of a symmetric operator."""
    # Vectors for a restart from nothing: newer versions draw them from a source that has to be given.
    fixed = {"rng": np.random.default_rng(0)} if "rng" in inspect.signature(eigsh).parameters else {}
    return eigsh(
        LinearOperator((n, n), matvec=lambda x: product(x.ravel()), dtype=np.float64),
        n_vectors,
        which="LA",
        v0=np.random.default_rng(0).standard_normal(n),
        ncv=max(2 * n_vectors + 1, 40),
        maxiter=max_restarts,
        tol=TOLERANCE,
        **fixed,
    )
