"""A metric grown of rank-one matrices by boosting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.optimize import brentq, minimize
from scipy.special import logsumexp

from cladebench.distances._linear import LinearDistance
from cladebench.distances._nearest import nearest_rows
from cladebench.distances.base import FloatArray, IntArray
from cladebench.validation import check_flag, check_int, check_real

#: A step changes the logarithm of no triplet's weight by more than this.
LONGEST = 50.0


class BoostMetric(LinearDistance):
    r"""Learn a Mahalanobis distance by boosting rank-one matrices [1]_.

    The matrix is positive semidefinite, grows by one rank-one matrix a step, and brings impostors far.

    A triplet is a row, one of its nearest rows of the same class (target) and one of its nearest rows of other classes
    (impostor); it wants the difference :math:`\rho_r = \langle A_r, M \rangle` of the squared distances to impostor and
    to target large. Minimised over positive semidefinite M is
    :math:`\log \sum_r \exp(-\rho_r) + v\, \mathrm{tr}(M)`. A step adds :math:`w z z^T`, z the leading eigenvector of
    :math:`\sum_r u_r A_r` with the weights :math:`u_r \propto \exp(-\rho_r)`, and the w that minimises the objective.

    Parameters
    ----------
    n_targets : int, default=3
        Nearest rows of its class that a row makes triplets of, as in [1]_; all there are where there are fewer.
        Equally near ones are taken by index.
    n_impostors : int, default=3
        The same of the nearest rows of other classes.
    trace_penalty : float, default=1e-7
        The weight v, in units of the mean square distance between a row and its targets and impostors.
    tol : float, default=1e-5
        Steps end when the largest eigenvalue exceeds v by no more than this, in the same units.
    max_iter : int, default=500
        Steps, at most.
    corrective : bool, default=False
        After each step choose the w of all steps anew (totally corrective, in the later paper). Otherwise
        earlier steps are left as they are (stage-wise: the BoostMetric of 2009).

    Attributes
    ----------
    components_ : ndarray of shape (n_kept, n_features)
        A root of M, without the directions that M does not see: the distance is the Euclidean one after this map. The
        identity where there are no triplets, or none between different rows.
    objective_ : float
        The minimised objective at M.
    gap_ : float
        By how much, at most and but for ``tol``, the objective exceeds the least possible, where ``converged_``.
    n_triplets_ : int
    n_iter_ : int
        Steps.
    converged_ : bool
        Whether no direction was left to add. Stage-wise that is not the minimum: a step that went too far in the light
        of later ones is never taken back. ``gap_`` says how far it may be.

    Notes
    -----
    Where some M meets all triplets with room to spare, the objective falls without end as M grows; so w is bounded, by
    50 over the largest change of a :math:`\rho_r`, and ``max_iter`` ends the fit. For this reason, too, the scale of M
    says little.

    The sum of :math:`u_r A_r` is :math:`X^T L X`, L the Laplacian of a graph: its edges are the pairs of rows, with the
    sums over their triplets as weights. A step takes O(n k n_features + n n_features^2 + n_features^3) time for k
    targets and impostors, and O(n k^2) for each of about ten evaluations of the line search, which is a bisection in
    [1]_. To find the triplets takes O(n^2 n_features).

    References
    ----------
    .. [1] C. Shen, J. Kim, L. Wang, A. van den Hengel, Positive semidefinite metric learning with boosting, NIPS 2009;
       Positive semidefinite metric learning using boosting-like algorithms, Journal of Machine Learning Research 13,
       2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import BoostMetric
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = BoostMetric().fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_labels = True
    order_invariant = True
    contract_params: ClassVar[Mapping[str, Any]] = {"max_iter": 20}

    def __init__(
        self,
        n_targets: int = 3,
        n_impostors: int = 3,
        *,
        trace_penalty: float = 1e-7,
        tol: float = 1e-5,
        max_iter: int = 500,
        corrective: bool = False,
    ) -> None:
        self.n_targets = n_targets
        self.n_impostors = n_impostors
        self.trace_penalty = trace_penalty
        self.tol = tol
        self.max_iter = max_iter
        self.corrective = corrective

    def _check_parameters(self) -> None:
        check_int("n_targets", self.n_targets, minimum=1)
        check_int("n_impostors", self.n_impostors, minimum=1)
        check_real("trace_penalty", self.trace_penalty, 0.0)
        check_real("tol", self.tol, 0.0)
        check_int("max_iter", self.max_iter, minimum=1)
        check_flag("corrective", self.corrective)

    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        codes = np.asarray(y)
        targets, impostors = nearest_by_class(X, codes, self.n_targets, self.n_impostors)
        triplets = _Triplets(X, targets, impostors)
        self.n_triplets_ = triplets.n_triplets
        self.objective_, self.gap_, self.n_iter_, self.converged_ = np.nan, np.nan, 0, True
        if triplets.unit == 0.0:
            return np.eye(X.shape[1])
        v, here = float(self.trace_penalty), triplets.there
        directions, weights, gains = np.empty((0, X.shape[1])), np.empty(0), np.empty((0, self.n_triplets_))
        margins, u = np.zeros(self.n_triplets_), np.zeros(here.shape)
        while True:
            u[here] = np.exp(-margins - logsumexp(-margins))
            value, z = triplets.leading(u)
            self.converged_ = bool(value - v <= self.tol)
            if self.converged_ or self.n_iter_ == self.max_iter:
                break
            gain = triplets.gains(z)[here]
            w = _step(margins, gain, v)
            if w == 0.0:  # the eigenvalue exceeds v by rounding alone
                break
            directions, weights = np.vstack([directions, z]), np.append(weights, w)
            margins = margins + w * gain
            if self.corrective:
                gains = np.vstack([gains, gain])
                weights = _all_steps(weights, gains, v)
                kept = weights > 0.0
                directions, weights, gains = directions[kept], weights[kept], gains[kept]
                margins = weights @ gains
            self.n_iter_ += 1
        self.objective_ = float(logsumexp(-margins) + v * weights.sum())
        self.gap_ = float(v * weights.sum() - u[here] @ margins)
        total = (directions.T * weights) @ directions
        values, vectors = scipy.linalg.eigh(total / triplets.unit)
        kept = values > len(values) * np.finfo(np.float64).eps * values[-1]
        if not kept.any():  # no direction brings impostors farther than targets
            return np.eye(X.shape[1])
        return (vectors[:, kept] * np.sqrt(values[kept])).T


class _Triplets:
    """Hold all triplets of some targets and impostors, and two sums.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    targets, impostors : ndarray of int, shapes (n_samples, n_targets) and (n_samples, n_impostors)
        Rows of X, -1 where there are no more.

    Attributes
    ----------
    there : ndarray of bool, shape (n_samples, n_targets, n_impostors)
        Which triplets there are.
    unit : float
        Mean square distance of the pairs of the triplets; 0 if there is no triplet, or all pairs are of equal rows.
    """

    def __init__(self, X: FloatArray, targets: IntArray, impostors: IntArray) -> None:
        self._X = X - X.mean(axis=0)
        self.there = (targets >= 0)[:, :, None] & (impostors >= 0)[:, None, :]
        self.n_triplets = int(np.count_nonzero(self.there))
        self.unit = 0.0
        # A pair that is in no triplet is one of a row with itself: it weighs nothing.
        itself = np.arange(len(X))[:, None]
        self._targets = np.where(self.there.any(axis=2), targets, itself)
        self._impostors = np.where(self.there.any(axis=1), impostors, itself)
        if self.n_triplets:
            n_pairs = sum(int(np.count_nonzero(self.there.any(axis=axis))) for axis in (2, 1))
            others = np.hstack([self._targets, self._impostors])
            squares = sum(
                float(np.square(self._X - self._X[column]).sum()) for column in np.ascontiguousarray(others.T)
            )
            self.unit = squares / n_pairs

    def leading(self, u: FloatArray) -> tuple[float, FloatArray]:
        """Compute the weighted sum's largest eigenvalue and its eigenvector."""
        n = len(u)
        columns = np.hstack([self._targets, self._impostors])
        weights = np.hstack([-u.sum(axis=2), u.sum(axis=1)])
        starts = np.arange(n + 1) * columns.shape[1]
        graph = sparse.csr_array((weights.ravel(), columns.ravel(), starts), shape=(n, n))
        degrees = weights.sum(axis=1) + np.bincount(columns.ravel(), weights.ravel(), minlength=n)
        # X' (degrees - graph - graph') X, and the two last terms are each other's transposes.
        half = self._X.T @ (0.5 * degrees[:, None] * self._X - graph @ self._X)
        d = len(half)
        values, vectors = scipy.linalg.eigh((half + half.T) / self.unit, subset_by_index=[d - 1, d - 1])
        return float(values[0]), vectors[:, 0]

    def gains(self, z: FloatArray) -> FloatArray:
        """Say by how much z z' makes impostors farther than targets."""
        places = np.einsum("ij,j->i", self._X, z, optimize=False)
        far = np.square(places[:, None] - places[self._impostors]) / self.unit
        near = np.square(places[:, None] - places[self._targets]) / self.unit
        return far[:, None, :] - near[:, :, None]


def _step(margins: FloatArray, gain: FloatArray, v: float) -> float:
    """Find the step w >= 0 of least objective.

    It minimises log sum exp(-margins - w gain) + v w, up to the longest step.
    """
    start = -margins - np.max(-margins)

    def excess(w: float) -> float:
        exponents = start - w * gain
        weights = np.exp(exponents - exponents.max())
        return float(weights @ gain / weights.sum()) - v

    longest = LONGEST / float(np.abs(gain).max(initial=np.finfo(np.float64).tiny))
    if excess(0.0) <= 0.0:
        return 0.0
    if excess(longest) >= 0.0:
        return longest
    return float(brentq(excess, 0.0, longest, xtol=1e-12 * longest, rtol=1e-12))


def _all_steps(weights: FloatArray, gains: FloatArray, v: float) -> FloatArray:
    """Minimise log sum exp(-weights @ gains) + v sum(weights), from given weights."""
    unit = 1.0 / np.abs(gains).max()  # of the weights

    def value_and_gradient(scaled: FloatArray) -> tuple[float, FloatArray]:
        margins = unit * scaled @ gains
        value = logsumexp(-margins)
        return value + v * unit * scaled.sum(), unit * (v - gains @ np.exp(-margins - value))

    bounds = [(0.0, w / unit + LONGEST) for w in weights]  # there may be no minimum, as for a single step
    options = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 1000}
    minimum = minimize(
        value_and_gradient, weights / unit, jac=True, bounds=bounds, method="L-BFGS-B", options=options
    )
    return np.asarray(minimum.x) * unit


def nearest_by_class(
    X: FloatArray, codes: IntArray, n_targets: int, n_impostors: int
) -> tuple[IntArray, IntArray]:
    """Find rows' nearest of the same and other classes, else -1.

    A row is not its own neighbour.
    """
    targets = np.full((len(X), n_targets), -1, dtype=np.int64)
    impostors = np.full((len(X), n_impostors), -1, dtype=np.int64)
    for code in range(int(codes.max()) + 1):
        same, other = np.flatnonzero(codes == code), np.flatnonzero(codes != code)
        k = min(n_targets, len(same) - 1)
        if k > 0:
            # One more, since a row is among its own: it is taken out, or the last where equal rows come first.
            nearest = same[nearest_rows(X[same], X[same], k + 1)[1]]
            drop = nearest == same[:, None]
            drop[~drop.any(axis=1), k] = True
            targets[same, :k] = nearest[~drop].reshape(len(same), k)
        k = min(n_impostors, len(other))
        if k > 0:
            impostors[same, :k] = other[nearest_rows(X[same], X[other], k)[1]]
    return targets, impostors
