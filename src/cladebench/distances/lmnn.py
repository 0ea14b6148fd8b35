"""Large margin nearest neighbours."""

from __future__ import annotations

import numpy as np

from cladebench.distances._linear import LinearDistance
from cladebench.distances._triplets import (
    check_max_samples,
    check_triplet_parameters,
    find_targets,
    fit_linear,
    has_triplets,
    sampled_rows,
)
from cladebench.distances.base import FloatArray, IntArray
from cladebench.validation import check_int, check_real


class LMNN(LinearDistance):
    """Learn the Mahalanobis distance of large margin nearest neighbours [1]_.

    Other classes stay a margin behind targets.

    The targets T_i of a sample are its nearest others of the same class, found once by Euclidean distance. With squared
    distances d after the linear map, the loss (section 3 of [1]_) is::

        (1 - mu) sum_ij d(i, j) + mu sum_ijl hinge(1 + d(i, j) - d(i, l))

    with j in T_i and l over all samples of other classes. All impostors l count at every step, none is left out between
    refreshes.

    Parameters
    ----------
    n_neighbors : int, default=3
        Targets of a sample; as many as there are in a smaller class. The default is that of [1]_.
    mu : float, default=0.5
        Weight of the hinges, between 0 and 1. [1]_, section 3: results hardly depend on it.
    smoothing : float, default=0.01
        Hinges are quadratic up to this fraction of the margin, where [1]_ has a corner: its effect is within ``gap_``.
    tol : float, default=0.01
        The search ends where the loss is shown to be within this share of the least possible.
    max_iter : int, default=1000
        Steps of L-BFGS at most; it ends before where steps change the loss by less than 1e-7 of it.
    max_samples : int or None, default=None
        Of more samples so many are drawn, and learned from; `kneighbors` looks among all. None: all are learned from,
        as in [1]_. The time grows with the square of their number.
    random_state : int, RandomState instance or None, default=None
        Source of the samples that are drawn; unused otherwise.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map. Directions in which the samples do not extend are mapped to zero. The identity where no sample has both
        a target and an impostor.
    loss_ : float
        The loss (with plain hinges) of the fitted map; NaN where there is nothing to learn.
    gap_ : float
        ``1 - bound / loss_`` with a lower bound of the loss of all maps: a certificate by duality, whatever the way to
        the map. NaN where there is nothing to learn.
    n_iter_ : int
        Steps of L-BFGS.

    Notes
    -----
    [1]_ minimises by subgradients over M = L.T @ L with projections. Here L-BFGS minimises over L, at O(n_samples^2
    n_features) operations where impostors must be looked for among all pairs, O(pairs n_features + n_samples
    n_features^2) otherwise; see ``triplet_loss.hpp``. Memory is bounded by 256 MB of pairs.

    References
    ----------
    .. [1] K. Q. Weinberger, L. K. Saul, Distance metric learning for large margin nearest neighbor classification,
       Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = LMNN().fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_labels = True
    # Rows in another order give sums that are rounded otherwise: L-BFGS then ends elsewhere within the tolerance.
    order_invariant = False

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        mu: float = 0.5,
        smoothing: float = 0.01,
        tol: float = 0.01,
        max_iter: int = 1000,
        max_samples: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter
        self.max_samples = max_samples
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_triplet_parameters(self.n_neighbors, self.mu, self.smoothing)
        check_real("tol", self.tol, 0.0)
        check_int("max_iter", self.max_iter, 1)
        check_max_samples(self.max_samples)

    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        codes = np.asarray(y)
        rows = sampled_rows(len(X), self.max_samples, self.random_state)
        X, codes = X[rows], codes[rows]
        targets = find_targets(X, codes, self.n_neighbors)
        if not has_triplets(codes, targets) or not np.ptp(X, axis=0).any():
            self.loss_, self.gap_, self.n_iter_ = float("nan"), float("nan"), 0
            return np.eye(X.shape[1])
        learned = fit_linear(
            X, codes, targets, mu=self.mu, smoothing=self.smoothing, tol=self.tol, max_iter=self.max_iter
        )
        self.loss_, self.gap_, self.n_iter_ = learned.loss, learned.gap, learned.n_iter
        return learned.components
