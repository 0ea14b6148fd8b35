"""Find targets and the best linear map of large margin neighbours.

Some distances start there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from scipy.optimize import OptimizeResult, minimize
from sklearn.utils import check_random_state

from cladebench import _core
from cladebench.distances.base import FloatArray, IntArray
from cladebench.distances.euclidean import Euclidean
from cladebench.validation import check_int, check_real

#: Directions in which the samples extend less, relative to the widest, are what rounding left of dependent features.
LEAST_EXTENT = 1e-6
#: What is added to the pull's mean of one in each direction, so that directions without pull stay within reason.
RIDGE = 0.01
#: Iterations between two looks at the duality gap.
CHECK_EVERY = 10
#: Samples from which the scale of the start is estimated.
SCALE_SAMPLES = 200


@dataclass
class LinearFit:
    """A linear map, and how far from optimal it is."""

    components: FloatArray  #: (n_components, n_features)
    loss: float
    dual: float  #: no map has a smaller loss
    n_iter: int

    @property
    def gap(self) -> float:
        """Share of the loss that is not shown to be necessary."""
        return 1.0 - self.dual / self.loss if self.loss > 0.0 else 0.0


def check_triplet_parameters(n_neighbors: object, mu: object, smoothing: object) -> None:
    """Raise a ValueError that names the parameter if one makes no sense."""
    check_int("n_neighbors", n_neighbors, 1)
    check_real("mu", mu, 0.0, open_minimum=True)
    if mu >= 1.0:  # type: ignore[operator]
        raise ValueError(f"mu={mu!r}: expected a number between 0 and 1")
    check_real("smoothing", smoothing, 0.0, open_minimum=True)


def check_max_samples(value: object) -> None:
    """Raise a ValueError unless ``value`` is None or an integer >= 1."""
    if value is not None:
        check_int("max_samples", value, 1)


def sampled_rows(n_samples: int, max_samples: int | None, random_state: Any) -> IntArray:
    """Draw at most `max_samples` rows to learn from, in order."""
    if max_samples is None or n_samples <= max_samples:
        return np.arange(n_samples)
    return np.sort(check_random_state(random_state).permutation(n_samples)[:max_samples])


def find_targets(X: FloatArray, codes: IntArray, n_neighbors: int) -> IntArray:
    """Find each sample's nearest others of its class, ties by index.

    Returns
    -------
    ndarray of int64, shape (n_samples, n_neighbors)
        Rows of X, nearest first; -1 where the class has too few.
    """
    targets = np.full((len(X), n_neighbors), -1, dtype=np.int64)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        k = min(n_neighbors, len(rows) - 1)
        if k < 1:
            continue
        near = Euclidean().fit(X[rows]).kneighbors(X[rows], k + 1, return_distance=False)
        itself = np.equal(near, np.arange(len(rows))[:, None])
        itself[~itself.any(axis=1), -1] = True  # behind more than k equal samples
        targets[rows, :k] = rows[near[~itself].reshape(len(rows), k)]
    return targets


def has_triplets(codes: IntArray, targets: IntArray) -> bool:
    """Tell whether any sample has a target and an impostor.

    Otherwise there is nothing to learn.
    """
    return bool((targets >= 0).any()) and len(np.unique(codes)) > 1


def fit_linear(
    X: FloatArray,
    codes: IntArray,
    targets: IntArray,
    *,
    mu: float,
    smoothing: float,
    tol: float,
    max_iter: int,
) -> LinearFit:
    """Minimise the loss over linear maps.

    The loss is convex in M = L.T @ L. L-BFGS runs over square L, where a minimum of full rank is a global one, with
    hinges that are quadratic over the width ``smoothing`` (ten times as wide at first). How good it is, is then known
    from duality alone: with slopes a in [0, mu] of the hinges at M, and G(a) the gradient by M that they give, any M'
    has a loss of at least sum(a) where G(a) is positive semidefinite. Where G(a) has a negative eigenvalue, all slopes
    are divided by 1 + delta, with the least delta that makes ``G(a) + delta * A`` semidefinite; A is the gradient of
    the pull, so that this is the gradient of the reduced slopes but for a factor.

    It starts at a multiple of the Euclidean distance, as [1] does, in coordinates that make the pull more alike in all
    directions: plain coordinates take many more steps.

    [1] K. Q. Weinberger, L. K. Saul, Journal of Machine Learning Research 10, 2009.
    """
    centred = X - X.mean(axis=0)
    size = float(np.abs(centred).max())
    row, place = np.nonzero(targets >= 0)
    gaps = (X[row] - X[targets[row, place]]) / size
    axes, change = _coordinates(centred / size, gaps)
    to_coordinates = axes @ change
    Y = np.ascontiguousarray(centred / size @ to_coordinates)
    pulled = gaps @ to_coordinates
    pull = (1.0 - mu) * (pulled.T @ pulled)

    loss = _core.TripletLoss(codes, targets, mu, 10.0 * smoothing)
    search = _Search(loss, Y, pull, tol)
    n_components = Y.shape[1]
    scale = _best_scale(np.ascontiguousarray(centred / size @ axes), codes, targets, mu)
    L = np.sqrt(scale) * np.linalg.inv(change).T
    for width in (10.0 * smoothing, smoothing):
        loss.set_smoothing(width)
        left = max_iter - search.n_iter
        if left <= 0 or search.done:
            break
        options = {"maxiter": left, "maxfun": 20 * left, "maxcor": 20, "ftol": 1e-7, "gtol": 0.0}
        minimum = minimize(
            search, L.ravel(), jac=True, method="L-BFGS-B", callback=search.look, options=options
        )
        L = minimum.x.reshape(n_components, n_components)
        search.bound(L)
    return LinearFit(search.best @ to_coordinates.T / size, search.loss, search.dual, search.n_iter)


class _Search:
    """Search the smoothed loss of L, keeping best map and bound."""

    def __init__(self, loss: _core.TripletLoss, Y: FloatArray, pull: FloatArray, tol: float) -> None:
        self._loss, self._Y, self._pull, self._tol = loss, Y, pull, tol
        self.loss, self.dual, self.n_iter, self.done = np.inf, 0.0, 0, False
        self.best: FloatArray = np.eye(Y.shape[1])

    def __call__(self, flat: FloatArray) -> tuple[float, FloatArray]:
        L = flat.reshape(self.best.shape)
        loss, smoothed, self._slopes, product = self._loss.evaluate(
            np.ascontiguousarray(self._Y @ L.T), self._Y
        )
        gradient = self._Y.T @ product.reshape(self._Y.shape)
        self._gradient = 0.5 * (gradient + gradient.T)
        if loss < self.loss:
            self.loss, self.best = loss, L.copy()
        return smoothed, (2.0 * L @ self._gradient).ravel()

    def look(self, intermediate_result: OptimizeResult) -> None:
        """Count an iteration, and stop if the gap is closed."""
        self.n_iter += 1
        if self.n_iter % CHECK_EVERY == 0:
            self.bound(intermediate_result.x.reshape(self.best.shape))
            if self.done:
                raise StopIteration

    def bound(self, L: FloatArray) -> None:
        """Improve the lower bound by the slopes at L."""
        self(L.ravel())
        try:
            values = scipy.linalg.eigh(self._gradient, self._pull, eigvals_only=True, subset_by_index=[0, 0])
        except np.linalg.LinAlgError:  # the pull is singular: the loss is known to be >= 0 alone
            return
        self.dual = max(self.dual, self._slopes / (1.0 + max(0.0, -float(values[0]))))
        self.done = self.loss - self.dual <= self._tol * self.loss


def _coordinates(centred: FloatArray, gaps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give principal axes and a change to even pull.

    The samples extend in these axes, and the pull is then nearly alike in all directions.

    The first axes are the widest: impostors that are far apart in them are given up early.
    """
    _, extents, directions = np.linalg.svd(centred, full_matrices=False)
    axes = directions[extents > LEAST_EXTENT * extents[0]].T
    spread = gaps @ axes
    values, vectors = np.linalg.eigh(spread.T @ spread / len(gaps))
    mean = float(values.mean())
    if mean == 0.0:  # targets are equal to their samples
        return axes, np.eye(len(values))
    return axes, vectors / np.sqrt(np.maximum(values, 0.0) / mean + RIDGE)


def _best_scale(Y: FloatArray, codes: IntArray, targets: IntArray, mu: float) -> float:
    """Choose the scale, a power of two, of least loss.

    The scale is that of squared distances. The loss is of some samples.
    """
    with_target = np.flatnonzero((targets >= 0).any(axis=1))
    some = with_target[:: -(-len(with_target) // SCALE_SAMPLES)]
    squares = np.square(Y).sum(axis=1)
    to_others = np.maximum(0.0, squares[some, None] - 2.0 * (Y[some] @ Y.T) + squares)
    to_others[codes[some, None] == codes] = np.inf
    to_targets = np.square(Y[some, None] - Y[targets[some]]).sum(axis=2)
    to_targets[targets[some] < 0] = np.nan
    mean = float(np.nanmean(to_targets))
    unit = 1.0 / mean if mean > 0.0 else 1.0 / float(squares.mean())

    def loss_at(scale: float) -> float:
        hinges = [
            np.nansum(np.maximum(0.0, 1.0 + scale * (to_target[:, None] - to_others)))
            for to_target in to_targets.T
        ]
        return float((1.0 - mu) * scale * np.nansum(to_targets) + mu * np.sum(hinges))

    scales = unit * 2.0 ** np.arange(-6.0, 13.0)
    return float(scales[int(np.argmin([loss_at(scale) for scale in scales]))])
