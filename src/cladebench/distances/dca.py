"""Discriminative component analysis."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cladebench.distances._linear import LinearDistance, check_shrinkage
from cladebench.distances.base import FloatArray, IntArray
from cladebench.validation import check_choice, check_flag, check_int

#: Eigenvalues below this share of the largest count as zero.
ZERO = 1e-9


class DCA(LinearDistance):
    r"""Learn a linear map by discriminative component analysis [1]_.

    The map spreads samples that cannot link, relative to those that must.

    Chunklets are the connected components of the must-links; a row in no must-link is in none. With C_b the mean of
    :math:`(m_j - m_i)(m_j - m_i)^T` over all pairs of chunklets between which there is a cannot-link, m their means
    (eq. 3), and C_w the covariance of the rows of chunklets about the means of their own, the map A is to
    maximise :math:`|A^T C_b A| / |A^T C_w A|`.

    Parameters
    ----------
    n_components : int, optional
        Dimensions to keep, those of largest between-chunklet variance first (``first="between"``) or of largest ratio
        (``first="within"``). As many as C_b has eigenvalues other than zero by default, and at most.
    first : {"between", "within"}, default="between"
        Which covariance is diagonalised first. "between" is the algorithm of [1]_: the map stays within
        the range of C_b, in which it whitens C_w. "within" whitens C_w in all dimensions and then turns to the
        principal axes of C_b there: these are the generalised eigenvectors, which maximise the ratio. The two agree
        where C_b has full rank and all dimensions are kept. Between two chunklets "between" gives the direction of the
        difference of their means, and "within" that of Fisher's discriminant.
    weighting : {"rows", "chunklets"}, default="rows"
        What is of equal weight in C_w. "rows" is each row of a chunklet, as in relevant component analysis and in a
        public program (``dca`` of the R package dml). "chunklets" is the covariance of each chunklet, as in eq. 4 of
        [1]_, where rows of small chunklets weigh more.
    unlinked : {"identity", "nothing"}, default="identity"
        What C_b is where no cannot-link is between two chunklets. With the identity the map whitens C_w. With nothing
        C_b is zero, as its sum is: no dimension is kept, and all distances are 0.
    singles : bool, default=False
        Count a row of a cannot-link that is in no must-link as a chunklet of its own.
    shrinkage : float, default=1e-6
        Weight s of a multiple of the identity in (1 - s) C_w + s m I, m the mean variance of a feature within
        chunklets. The original has none, and fails where C_w is singular.

    Attributes
    ----------
    components_ : ndarray of shape (n_kept, n_features)
        The map, with C_w (shrunk) the identity after it. The identity where there is no must-link; a row of zeros
        where nothing is kept.
    n_chunklets_ : int

    Notes
    -----
    With all dimensions kept and C_b of full rank the map is one root of the inverse of C_w, whatever C_b: relevant
    component analysis. With labelled constraints that connect each class, chunklets are the classes, and the
    dimensions kept are one less than their number.

    Cannot-links within a chunklet, or of a row in none, say nothing. Where none is left, ``unlinked`` says what C_b is.
    All pairs of chunklets have equal weight in C_b, however many cannot-links are between them. O(n n_features^2 +
    n_features^3) time.

    References
    ----------
    .. [1] S. C. H. Hoi, W. Liu, M. R. Lyu, W.-Y. Ma, Learning distance metrics with contextual constraints for image
       retrieval, CVPR 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import DCA
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = DCA().fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_constraints = True
    order_invariant = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        first: str = "between",
        weighting: str = "rows",
        unlinked: str = "identity",
        singles: bool = False,
        shrinkage: float = 1e-6,
    ) -> None:
        self.n_components = n_components
        self.first = first
        self.weighting = weighting
        self.unlinked = unlinked
        self.singles = singles
        self.shrinkage = shrinkage

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            check_int("n_components", self.n_components, minimum=1)
        check_choice("first", self.first, ("between", "within"))
        check_choice("weighting", self.weighting, ("rows", "chunklets"))
        check_choice("unlinked", self.unlinked, ("identity", "nothing"))
        check_flag("singles", self.singles)
        check_shrinkage(self.shrinkage)

    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        chunklets = chunklets_of(len(X), must_link)
        if not len(must_link):
            self.n_chunklets_ = 0
            if len(cannot_link):  # without these too, `fit` has warned
                warnings.warn("DCA: no must-link, and the distance is Euclidean; expected some", stacklevel=4)
            return np.eye(X.shape[1])
        if self.singles:
            alone = np.unique(cannot_link[chunklets[cannot_link] < 0])
            chunklets[alone] = chunklets.max() + 1 + np.arange(len(alone))
        self.n_chunklets_ = int(chunklets.max()) + 1
        if self.unlinked == "nothing" and not len(linked_chunklets(chunklets, cannot_link)):
            return np.zeros((1, X.shape[1]))
        between, within = chunklet_covariances(X, chunklets, cannot_link, self.weighting)
        mean = float(np.trace(within)) / len(within)
        if mean > 0.0:
            within = (1.0 - self.shrinkage) * within + self.shrinkage * mean * np.eye(len(within))
        else:  # must-links join equal rows alone
            within = np.eye(len(within))
        if self.first == "between":
            values, vectors = _largest(between, self.n_components)
            whitened = vectors / np.sqrt(values)
            values, turn = scipy.linalg.eigh(whitened.T @ within @ whitened)
            return (whitened @ turn / np.sqrt(np.maximum(values, ZERO * values[-1]))).T
        values, vectors = scipy.linalg.eigh(within)
        whitened = vectors / np.sqrt(np.maximum(values, np.finfo(float).eps * values[-1]))
        _, turn = _largest(whitened.T @ between @ whitened, self.n_components)
        return (whitened @ turn).T


def chunklets_of(n_samples: int, must_link: IntArray) -> IntArray:
    """Number the connected components of the must-links by their first rows.

    -1 for rows in no must-link.
    """
    links = sparse.coo_array(
        (np.ones(len(must_link)), (must_link[:, 0], must_link[:, 1])), shape=(n_samples, n_samples)
    )
    _, component = connected_components(links, directed=False)
    linked = np.zeros(n_samples, dtype=bool)
    linked[must_link.ravel()] = True
    chunklets = np.full(n_samples, -1, dtype=np.int64)
    _, first, inverse = np.unique(component[linked], return_index=True, return_inverse=True)
    chunklets[linked] = np.argsort(np.argsort(first, kind="stable"), kind="stable")[inverse]
    return chunklets


def linked_chunklets(chunklets: IntArray, cannot_link: IntArray) -> IntArray:
    """List different pairs of chunklets with a cannot-link once, shape (n_pairs, 2)."""
    pairs = np.sort(chunklets[cannot_link], axis=1)
    return np.unique(pairs[(pairs[:, 0] >= 0) & (pairs[:, 0] < pairs[:, 1])], axis=0)


def chunklet_covariances(
    X: FloatArray, chunklets: IntArray, cannot_link: IntArray, weighting: str = "rows"
) -> tuple[FloatArray, FloatArray]:
    """Compute C_b and C_w of the chunklets.

    C_b is the identity where no cannot-link is between two.
    """
    rows = np.flatnonzero(chunklets >= 0)
    chunklet_of_row, n = chunklets[rows], int(chunklets.max()) + 1
    centred = X[rows] - X[rows].mean(axis=0)
    member = sparse.csr_array(
        (np.ones(len(rows)), (chunklet_of_row, np.arange(len(rows)))), shape=(n, len(rows))
    )
    sizes = np.bincount(chunklet_of_row, minlength=n)
    means = (member @ centred) / sizes[:, None]
    weights = (
        1.0 / (n * sizes[chunklet_of_row])
        if weighting == "chunklets"
        else np.full(len(rows), 1.0 / len(rows))
    )
    inner = np.sqrt(weights)[:, None] * (centred - means[chunklet_of_row])
    pairs = linked_chunklets(chunklets, cannot_link)
    between = np.eye(X.shape[1])
    if len(pairs):
        # The sum over pairs through the Laplacian of their graph: one product, however many they are.
        graph = sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
        between = means.T @ (sparse.csgraph.laplacian(graph + graph.T) @ means) / len(pairs)
    return (between + between.T) / 2.0, inner.T @ inner


def _largest(matrix: FloatArray, most: int | None) -> tuple[FloatArray, FloatArray]:
    """Give the largest non-zero eigenvalues, at most `most`, with their vectors.

    There is always one.
    """
    values, vectors = scipy.linalg.eigh(matrix)
    values, vectors = values[::-1], vectors[:, ::-1]
    if values[0] <= 0.0:  # means that are all equal
        return np.ones(len(values)), vectors
    kept = int(np.count_nonzero(values > ZERO * values[0]))
    kept = kept if most is None else min(kept, most)
    return values[:kept], vectors[:, :kept]
