"""Information-theoretic metric learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from cladebench import _core
from cladebench.distances._linear import LinearDistance, inverse_root
from cladebench.distances.base import FloatArray, IntArray
from cladebench.validation import check_choice, check_int, check_real

#: Pairs of rows of which the bounds are percentiles, at most.
MAX_SAMPLED_PAIRS = 100_000
#: Pairs and bins of the bounds of the authors' program.
N_BINNED_PAIRS, N_BINS = 100, 100
#: Rows nearer than this share of the root mean square distance count as equal.
EQUAL = 1e-10


class ITML(LinearDistance):
    r"""Learn the metric nearest to a prior that meets constraints [1]_.

    This is information-theoretic metric learning: must-links are short, cannot-links long.

    With D the LogDet divergence, :math:`D(A, A_0) + \gamma D(\mathrm{diag}(\xi), \mathrm{diag}(\xi_0))` is minimised
    over positive definite A so that :math:`(x_i - x_j)^T A (x_i - x_j)` is at most :math:`\xi_{ij}` for must-links
    and at least :math:`\xi_{ij}` for cannot-links; :math:`\xi_0` is ``upper_`` and ``lower_``.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of the slack: the larger, the more the bounds are kept. [1]_ picks it by cross-validation. A grid of
        decades from 0.01 to 100 is wide: at one end A stays near A_0, at the other the bounds are nearly hard.
    prior : {"identity", "covariance"}, default="identity"
        A_0: the identity, or the inverse of the covariance of X, shrunk a tenth of the way to a multiple of it.
    bounds : {"percentiles", "bins"}, default="percentiles"
        What ``upper_`` and ``lower_`` are of the squared distances of pairs. "bins" is the program of [1]_'s authors:
        of 100 pairs, so that they vary much.
    tol : float, default=1e-3
        The projections end with a sweep in which none moves a distance by more than this share, see Notes.
    max_iter : int, default=100
        Sweeps over the constraints, at most.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root of A: the distance is the Euclidean one after this map.
    upper_, lower_ : float
        The 5th and 95th percentiles of the squared distances under A_0 of pairs of different rows: of all pairs, or of
        100,000 drawn with a fixed seed. Or the centres of bins 5 and 95 of 100 equal bins, from the least to the
        greatest of 100 pairs drawn with a fixed seed. NaN where all rows are equal.
    dual_ : ndarray of shape (n_constraints,)
        Multipliers of the must-links, then of the cannot-links, as they were given.
    residual_ : float
        Largest relative violation that the last sweep met.
    n_iter_ : int
        Sweeps.
    converged_ : bool

    Notes
    -----
    Cyclic Bregman projections, must-links and cannot-links in turn. A projection makes
    :math:`p = (x_i - x_j)^T A (x_i - x_j)` and :math:`\xi` equal unless a multiplier would become negative. As printed,
    Algorithm 1 of [1]_ does so for :math:`\gamma = 1` alone; the step here is that of public programs, with
    :math:`\gamma / (1 + \gamma)` for one half. Those end when the multipliers change little; the test here is of the
    change of p over the share :math:`\gamma / (1 + \gamma)` of it that slack leaves to A, whatever the units and the
    number of constraints. All must-links before all cannot-links would take several times the sweeps.

    A constraint between equal rows says nothing of A: as a must-link it is met, as a cannot-link it can never be. Its
    multiplier is 0. With no constraints left the distance is that of A_0. O(n_constraints n_features^2) time a sweep.

    References
    ----------
    .. [1] J. V. Davis, B. Kulis, P. Jain, S. Sra, I. S. Dhillon, Information-theoretic metric learning, ICML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import ITML
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = ITML().fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_constraints = True
    contract_params: ClassVar[Mapping[str, Any]] = {"max_iter": 50}

    def __init__(
        self,
        gamma: float = 1.0,
        *,
        prior: str = "identity",
        bounds: str = "percentiles",
        tol: float = 1e-3,
        max_iter: int = 100,
    ) -> None:
        self.gamma = gamma
        self.prior = prior
        self.bounds = bounds
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        check_real("gamma", self.gamma, 0.0, open_minimum=True)
        check_choice("prior", self.prior, ("identity", "covariance"))
        check_choice("bounds", self.bounds, ("percentiles", "bins"))
        check_real("tol", self.tol, 0.0)
        check_int("max_iter", self.max_iter, minimum=1)

    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        # The divergence does not change if both matrices are seen after a map: A_0 is the identity after its root.
        root = np.eye(X.shape[1])
        if self.prior == "covariance":
            centred = X - X.mean(axis=0)
            root = inverse_root(centred.T @ centred / len(X), 0.1)
            X = np.einsum("ij,kj->ik", X, root, optimize=False)
        pairs = np.concatenate([must_link, cannot_link])
        self.dual_ = np.zeros(len(pairs))
        self.residual_, self.n_iter_, self.converged_ = 0.0, 0, True
        squares = _sampled_squares(X, MAX_SAMPLED_PAIRS)
        unit = float(np.sqrt(squares.mean())) if len(squares) else 0.0
        binned = self.bounds == "bins"
        if binned:
            squares = _sampled_squares(X, N_BINNED_PAIRS)
        squares = squares[squares > np.square(EQUAL * unit)]
        bounds = np.full(2, np.nan)
        if len(squares):
            bounds = _bin_centres(squares) if binned else np.percentile(squares, [5, 95])
        self.upper_, self.lower_ = map(float, bounds)
        apart = np.square(X[pairs[:, 0]] - X[pairs[:, 1]]).sum(axis=1) > np.square(EQUAL * unit)
        kept, n_must = np.flatnonzero(apart), int(np.count_nonzero(apart[: len(must_link)]))
        order = kept[_alternating(n_must, len(kept) - n_must)]
        if not len(order):
            return root
        A, dual, self.residual_, self.n_iter_, self.converged_ = _core.fit_itml(
            X / unit,
            pairs[order],
            np.where(order < len(must_link), 1.0, -1.0),
            self.upper_ / unit**2,
            self.lower_ / unit**2,
            float(self.gamma),
            float(self.tol),
            int(self.max_iter),
        )
        self.dual_[order] = dual / unit**2
        values, vectors = np.linalg.eigh(A.reshape(root.shape))
        return (vectors * np.sqrt(np.maximum(values, 0.0))).T @ root


def _bin_centres(squares: FloatArray) -> FloatArray:
    """Give the centres of bins 5 and 95."""
    least, greatest = squares.min(), squares.max()
    return least + (np.array([5, 95]) - 0.5) / N_BINS * (greatest - least)


def _sampled_squares(X: FloatArray, n_pairs: int) -> FloatArray:
    """Compute squared distances of all pairs of rows, or some.

    A sample of `n_pairs` depends on the number of rows alone.
    """
    n = len(X)
    if n * (n - 1) // 2 <= n_pairs:
        left, right = np.triu_indices(n, 1)
    else:
        rng = np.random.default_rng(0)
        left = rng.integers(n, size=n_pairs)
        right = (left + rng.integers(1, n, size=n_pairs)) % n
    squares = np.empty(len(left))
    for start in range(0, len(left), 4096):  # never all differences at a time
        some = slice(start, start + 4096)
        squares[some] = np.square(X[left[some]] - X[right[some]]).sum(axis=1)
    return squares


def _alternating(n_must: int, n_cannot: int) -> IntArray:
    """Give an order in which both sorts alternate.

    What one has more comes at the end.
    """
    place = np.concatenate([2 * np.arange(n_must), 2 * np.arange(n_cannot) + 1])
    return np.argsort(place, kind="stable")
