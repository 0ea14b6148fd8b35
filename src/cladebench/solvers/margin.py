r"""Minimise linear models' squared hinge loss sparsely, and cost assignments.

This is the convex half of hierarchical maximum-margin clustering (section 4.2, eq. 5; `fit_margin` has the
reference): for fixed labels y,

.. math::
    \min_{W \in \mathbb{R}^{K \times P}} \; h(W) + \sum_p g_p \|W_{:p}\|_2 + \sum_p a_p \|W_{:p}\|_1
    + \sum_p r_p \|W_{:p}\|_2^2, \qquad
    h(W) = \frac{1}{nK} \sum_i \sum_{k \ne y_i} \max(0, 1 - w_{y_i} \cdot x_i + w_k \cdot x_i)^2 .

The loss depends only on the differences of the models; the penalties choose among equal ones. Results do not
depend on the number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench import _core
from cladebench.validation import as_floats, as_index, check_integer, check_number

FloatArray = npt.NDArray[np.float64]

#: The largest count that the core takes.
LARGEST_COUNT = 2**63 - 1


@dataclass(frozen=True)
class MarginFit:
    """Hold linear models of clusters, and how far from optimal.

    Attributes
    ----------
    W : ndarray of shape (n_clusters, n_features)
        The models.
    objective : float
        Loss and penalties at `W`.
    loss : float
        The squared hinge loss h alone.
    residual : float
        2-norm of the minimum-norm subgradient of the objective at `W`, relative to the norm of h's gradient at
        W = 0 or, if that is smaller, to 1e-10 times the root mean square of the rows' norms; where X is zero, the
        norm itself.
    n_iter : int
        Steps taken.
    n_passes : int
        Times X was read.
    converged : bool
        Whether the residual is within the tolerance. If not, ``max_iter`` was reached or no step lowers the
        objective by more than its rounding.

    Examples
    --------
    >>> from cladebench.solvers import fit_margin
    >>> found = fit_margin([[-1.0], [1.0]], [0, 1], 2, ridge=0.1)
    >>> found.converged, bool(found.loss < found.objective)
    (True, True)
    """

    W: FloatArray
    objective: float
    loss: float
    residual: float
    n_iter: int
    n_passes: int
    converged: bool


def squared_hinge(
    X: npt.ArrayLike, labels: npt.ArrayLike, W: npt.ArrayLike, *, check: bool = True
) -> tuple[float, FloatArray]:
    """Compute the squared hinge loss and its gradient.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers.
    labels : array-like of int, shape (n_samples,)
        Clusters 0..n_clusters-1; some may be without a sample.
    W : array-like of shape (n_clusters, n_features)
        Models; at least two.
    check : bool, default=True
        Whether to look for NaN and infinity in X, which takes as long as reading it once.

    Returns
    -------
    loss : float
        h(W), divided by n_samples and n_clusters.
    gradient : ndarray of shape (n_clusters, n_features)
        Its columns sum to zero.

    Raises
    ------
    ValueError
        If a shape, a label or an entry is not as above.

    Notes
    -----
    One pass over X; 4 n_samples (n_clusters - 1) n_features multiplications and additions.

    Examples
    --------
    >>> from cladebench.solvers import squared_hinge
    >>> loss, gradient = squared_hinge([[-1.0], [1.0]], [0, 1], [[0.0], [0.0]])
    >>> loss, gradient.tolist()
    (0.5, [[1.0], [-1.0]])
    """
    X, W = _features(X, check), _models(W)
    _check_features(X, W)
    loss, gradient = _core.squared_hinge(X, _labels(labels, len(X)), W)
    return loss, gradient.reshape(W.shape)


def assignment_costs(X: npt.ArrayLike, W: npt.ArrayLike, *, check: bool = True) -> FloatArray:
    """Compute the cost of each cluster for each sample.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers.
    W : array-like of shape (n_clusters, n_features)
        Models; at least two.
    check : bool, default=True
        Whether to look for NaN and infinity in X, which takes as long as reading it once.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters)
        ``C[i, k] = sum_{k' != k} max(0, 1 - w_k.x_i + w_k'.x_i)^2``, the paper's eq. 6: not divided by anything.

    Raises
    ------
    ValueError
        If a shape or an entry is not as above.

    Notes
    -----
    O(n_samples n_clusters (n_features + n_clusters)).

    Examples
    --------
    >>> from cladebench.solvers import assignment_costs
    >>> assignment_costs([[-1.0], [1.0]], [[-1.0], [1.0]]).tolist()
    [[0.0, 9.0], [9.0, 0.0]]
    """
    X, W = _features(X, check), _models(W)
    _check_features(X, W)
    return _core.assignment_costs(X, W).reshape(len(X), len(W))


def sparse_group_prox(
    W: npt.ArrayLike, step: float, *, group: npt.ArrayLike = 0.0, l1: npt.ArrayLike = 0.0
) -> FloatArray:
    r"""Apply the proximal operator of the weighted sparse group lasso.

    Parameters
    ----------
    W : array-like of shape (n_clusters, n_features)
        Where to take it.
    step : float
        Factor of the penalty, >= 0.
    group, l1 : float or array-like of shape (n_features,), default=0.0
        Weights of the features' 2-norms and 1-norms, >= 0.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
        The minimiser Z of step (sum_p group_p ||Z[:, p]||_2 + l1_p ||Z[:, p]||_1) + 1/2 ||Z - W||^2: a soft
        threshold of every entry, then one of every column's norm (section 4.2).

    Raises
    ------
    ValueError
        If a shape is not as above, or a number is negative or not finite.
    TypeError
        If `step` is not a real number.

    Examples
    --------
    >>> from cladebench.solvers import sparse_group_prox
    >>> sparse_group_prox([[3.0, 0.1], [-3.0, 0.1]], 1.0, l1=1.0).tolist()
    [[2.0, 0.0], [-2.0, 0.0]]
    """
    W = _models(W, least=1)
    check_number("step", step)
    if not (step >= 0 and math.isfinite(step)):
        raise ValueError(f"step is {step}; expected a finite number >= 0")
    weights = (_weights(name, value, W.shape[1]) for name, value in (("group", group), ("l1", l1)))
    return _core.sparse_group_prox(W, float(step), *weights).reshape(W.shape)


def fit_margin(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    n_clusters: int,
    *,
    group: npt.ArrayLike = 0.0,
    l1: npt.ArrayLike = 0.0,
    ridge: npt.ArrayLike = 0.0,
    W: npt.ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> MarginFit:
    """Minimise the squared hinge loss with sparse group, l1 and ridge penalties.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers.
    labels : array-like of int, shape (n_samples,)
        Clusters 0..n_clusters-1; some may be without a sample.
    n_clusters : int
        At least 2.
    group : float or array-like of shape (n_features,), default=0.0
        Weight of each feature's 2-norm over the models. The paper's alpha G(W) is
        ``alpha / (n_features * n_clusters)``.
    l1 : float or array-like of shape (n_features,), default=0.0
        Weight of each feature's 1-norm. The paper's beta E(W) is beta times the sum of the ancestors' magnitudes
        over ``n_clusters * n_ancestors * n_features``.
    ridge : float or array-like of shape (n_features,), default=0.0
        Weight of each feature's squared 2-norm.
    W : array-like of shape (n_clusters, n_features), optional
        Models to start from; 0 by default.
    tol : float, default=1e-6
        Stops when the residual (see `MarginFit`) is at most this.
    max_iter : int, default=1000
        Largest number of steps; 0 evaluates the start.

    Returns
    -------
    MarginFit

    Raises
    ------
    ValueError
        If a shape, a label or an entry is not as above, a weight is negative, or `n_clusters`, `tol` or `max_iter`
        is out of range.
    TypeError
        If `n_clusters` or `max_iter` is not an integer (2.0 is not), or `tol` not a real number.

    Notes
    -----
    Proximal quasi-Newton [2]_ as in section 4.2 of the paper [1]_: the Hessian of loss and ridge is modelled by an
    L-BFGS matrix of 10 pairs in compact form [3]_ (eq. 7), the model plus penalty is minimised by spectral proximal
    gradient to 0.3 of its first residual, and a backtracking line search along the way there asks for a
    sufficient decrease of the objective, which never rises (but for rounding, 4 units in its last place a step).
    Where the features' mean squares differ so much that their mean is over about eight times their geometric mean, the
    steps are taken with each feature in a unit of its own, the root of its mean square; the problem, its minimum and
    `tol` are the same. The loss does not notice a shift common to all models; after each step the one is made that the
    penalties like best.

    Mostly one pass over X a step, each as `squared_hinge`; one pass at the beginning finds the scale of the residual
    and entries that are not finite.

    Where nothing is penalised the minimiser is not unique, nor even bounded in directions that no margin feels; what
    is returned lies on the path from the start. On separable data the loss reaches 0 at finite models, and the
    iteration stops once the residual is small.

    References
    ----------
    .. [1] G.-T. Zhou, S. J. Hwang, M. Schmidt, L. Sigal and G. Mori, Hierarchical maximum-margin clustering,
       arXiv:1502.01827, 2015.
    .. [2] J. D. Lee, Y. Sun and M. A. Saunders, Proximal Newton-type methods for convex optimization, NIPS 2012.
    .. [3] R. H. Byrd, J. Nocedal and R. B. Schnabel, Representations of quasi-Newton matrices and their use in
       limited memory methods, Math. Programming 63, 1994.

    Examples
    --------
    >>> from cladebench.solvers import fit_margin
    >>> found = fit_margin([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], 2, ridge=0.01)
    >>> found.converged, (found.W[:, 0] > 0).tolist()
    (True, [False, True])
    """
    X = _features(X, check=False)
    _check_count("n_clusters", n_clusters, least=2)
    codes = _labels(labels, len(X))
    weights = [
        _weights(name, value, X.shape[1]) for name, value in (("group", group), ("l1", l1), ("ridge", ridge))
    ]
    start = None if W is None else _models(W)
    if start is not None and start.shape != (n_clusters, X.shape[1]):
        raise ValueError(f"W has shape {start.shape}; expected {(n_clusters, X.shape[1])}")
    check_number("tol", tol)
    if not tol >= 0:
        raise ValueError(f"tol is {tol}; expected a number >= 0")
    _check_count("max_iter", max_iter, least=0)
    try:
        models, *facts = _core.fit_margin(X, codes, n_clusters, *weights, start, float(tol), max_iter)
    except ValueError:
        # The core sees in its sums that something is not finite; what it is, is looked for only then.
        _check_finite(X)
        raise
    return MarginFit(models.reshape(n_clusters, X.shape[1]), *facts)


def _check_count(name: str, value: Any, least: int) -> None:
    check_integer(name, value, least)
    if value > LARGEST_COUNT:
        raise ValueError(f"{name} is {value}; expected at most 2^63 - 1")


def _check_finite(X: FloatArray) -> None:
    place = _core.first_nonfinite(X)
    if place >= 0:
        row, column = divmod(place, X.shape[1])
        raise ValueError(f"X[{row}, {column}] is {X[row, column]}; expected finite numbers")


def _features(X: npt.ArrayLike, check: bool) -> FloatArray:
    array = as_floats("X", X)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"X has shape {array.shape}; expected (n_samples, n_features), both at least 1")
    if check:
        _check_finite(array)
    return array


def _labels(labels: npt.ArrayLike, n_samples: int) -> npt.NDArray[np.int64]:
    codes = as_index("labels", labels)  # their range is checked in the core
    if len(codes) != n_samples:
        raise ValueError(f"labels has shape {codes.shape}; expected ({n_samples},)")
    return codes


def _models(W: npt.ArrayLike, least: int = 2) -> FloatArray:
    array = as_floats("W", W)
    if array.ndim != 2 or array.shape[0] < least or array.shape[1] == 0:
        raise ValueError(
            f"W has shape {array.shape}; expected (n_clusters, n_features) with at least {least} clusters"
        )
    if not np.isfinite(array).all():
        raise ValueError("W contains NaN or infinity; expected finite numbers")
    return array


def _check_features(X: FloatArray, W: FloatArray) -> None:
    if X.shape[1] != W.shape[1]:
        raise ValueError(f"W has {W.shape[1]} features; expected {X.shape[1]}, as X has")


def _weights(name: str, value: Any, n_features: int) -> FloatArray:
    array = as_floats(name, value)
    if array.ndim == 0:
        array = np.full(n_features, float(array))
    if array.shape != (n_features,):
        raise ValueError(f"{name} has shape {array.shape}; expected a number or ({n_features},)")
    if not (array >= 0).all() or not np.isfinite(array).all():
        bad = int(np.argmin((array >= 0) & np.isfinite(array)))
        raise ValueError(f"{name}[{bad}] is {array[bad]}; expected finite numbers >= 0")
    return array
