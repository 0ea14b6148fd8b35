"""Splitting the samples of one node by max-margin clustering: equation 5 of the HMMC paper."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.margin import assignment_costs, fit_margin, squared_hinge

#: What rounding may add to an objective between two steps, relative to its value.
ROUNDING = 1e-9
#: w-steps are solved to this multiple of ``w_tol`` until the labels stand still for the first time.
LOOSE = 10.0


@dataclass(frozen=True)
class Penalties:
    """The regulariser of one node.

    ``sum_p group_p ||W[:, p]|| + l1_p sum_k |W[k, p]| + ridge_p sum_k W[k, p]^2``.

    Parameters
    ----------
    group, l1, ridge : ndarray of shape (n_features,)
    """

    group: np.ndarray
    l1: np.ndarray
    ridge: np.ndarray

    def value(self, W: np.ndarray) -> float:
        """Evaluate at W of shape (n_clusters, n_features)."""
        return float(self.by_feature(W).sum())

    def by_feature(self, W: np.ndarray) -> np.ndarray:
        """Evaluate at W; the contribution of each feature, shape (n_features,)."""
        return (
            self.group * np.linalg.norm(W, axis=0)
            + self.l1 * np.abs(W).sum(axis=0)
            + self.ridge * np.square(W).sum(axis=0)
        )

    def with_free_feature(self) -> Penalties:
        """Add a last feature without any penalty: the constant one of a model with intercept."""
        return Penalties(*(np.append(values, 0.0) for values in (self.group, self.l1, self.ridge)))


@dataclass(frozen=True)
class NodeSplit:
    """A local optimum of the splitting problem.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each sample of the node.
    W : ndarray of shape (n_clusters, n_features)
    objective : float
    trace : list of float
        The objective after each half-step (w, y, w, ...) of the run that was kept.
    n_iter : int
        Alternations of that run.
    converged : bool
        Whether the labels stood still under a W that is optimal to ``w_tol``.
    residual : float
        Optimality residual of the last w-step.
    largest_rise : float
        The largest rise of the objective between two half-steps of any run, relative; rounding at most.
    n_fits : int
        w-steps of all runs.
    """

    labels: np.ndarray
    W: np.ndarray
    objective: float
    trace: list[float] = field(repr=False)
    n_iter: int
    converged: bool
    residual: float
    largest_rise: float
    n_fits: int


def balance_bounds(n: int, n_clusters: int, slack: float) -> tuple[int, int]:
    """Bounds on the size of a cluster: ``(1 -+ slack) n / n_clusters``, to integers outwards, no cluster empty.

    The paper's slack is 0.1 (section 3). Rounding outwards keeps the problem feasible; it would allow an empty cluster
    for n = n_clusters, so the lower bound is at least 1.
    """
    # A trace of rounding must not move a bound that is an integer: 0.9 * 20 / 2 is 9.
    lower = int(np.floor((1.0 - slack) * n / n_clusters + 1e-9))
    upper = int(np.ceil((1.0 + slack) * n / n_clusters - 1e-9))
    return max(1, lower), max(1, upper)


def split_node(
    X: np.ndarray,
    n_clusters: int,
    penalties: Penalties,
    *,
    slack: float,
    n_init: int,
    max_iter: int,
    w_tol: float,
    random: np.random.RandomState,
) -> NodeSplit:
    """Split by alternating descent, from K-means made balanced; the best of several starts (the first among equals).

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        The samples of the node, n >= n_clusters.
    n_clusters : int
    penalties : Penalties
    slack : float
        See `balance_bounds`.
    n_init, max_iter : int
        Starts; alternations of each.
    w_tol : float
        Optimality residual of the last w-steps; those before the labels stand still for the first time are looser.
    random : RandomState
    """
    lower, upper = balance_bounds(len(X), n_clusters, slack)
    best: NodeSplit | None = None
    rise, n_fits = 0.0, 0
    for _ in range(n_init):
        labels = balanced_start(X, n_clusters, lower, upper, random)
        found = _descend(X, labels, n_clusters, penalties, lower, upper, max_iter, w_tol)
        rise, n_fits = max(rise, found.largest_rise), n_fits + found.n_fits
        if best is None or found.objective < best.objective:
            best = found
    assert best is not None
    return NodeSplit(
        best.labels,
        best.W,
        best.objective,
        best.trace,
        best.n_iter,
        best.converged,
        best.residual,
        rise,
        n_fits,
    )


def balanced_start(
    X: np.ndarray, n_clusters: int, lower: int, upper: int, random: np.random.RandomState
) -> np.ndarray:
    """First labels: K-means, then the balanced assignment to its centres. The paper does not say how it starts.

    With fewer distinct rows than clusters scikit-learn gives a ConvergenceWarning, some centres are equal, and equal
    rows come apart.
    """
    with threadpool_limits(limits=1):  # the last bits of scikit-learn's sums depend on the number of threads
        means = KMeans(n_clusters, n_init=1, random_state=random).fit(X)
        distances = means.transform(X)
    return balanced_assignment(np.square(distances), lower, upper)


def _descend(
    X: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    penalties: Penalties,
    lower: int,
    upper: int,
    max_iter: int,
    w_tol: float,
) -> NodeSplit:
    """Alternate w-steps and y-steps until the labels stand still under an optimal W."""
    n = len(X)
    W: np.ndarray | None = None
    trace: list[float] = []
    tol, converged, residual, n_iter = LOOSE * w_tol, False, float("inf"), 0
    for n_iter in range(1, max_iter + 1):  # noqa: B007 - read after the loop
        fit = fit_margin(
            X,
            labels,
            n_clusters,
            group=penalties.group,
            l1=penalties.l1,
            ridge=penalties.ridge,
            W=W,
            tol=tol,
        )
        W, residual = fit.W, fit.residual
        trace.append(fit.objective)
        costs = assignment_costs(X, W, check=False)
        moved = balanced_assignment(costs, lower, upper)
        rows = np.arange(n)
        gain = float(costs[rows, labels].sum() - costs[rows, moved].sum())
        # Ties do not count: among labels of equal cost the present ones stay, so that the descent ends.
        if gain <= ROUNDING * float(costs[rows, labels].sum()):
            if tol <= w_tol:
                converged = fit.converged
                break
            tol = w_tol
            continue
        labels = moved
        trace.append(fit.objective - gain / (n * n_clusters))
    assert W is not None
    # Recomputed from the point that is handed out.
    objective = squared_hinge(X, labels, W, check=False)[0] + penalties.value(W)
    trace.append(objective)
    steps = np.diff(trace) / np.maximum(np.abs(trace[:-1]), np.finfo(float).tiny)
    rise = float(max(0.0, steps.max())) if len(steps) else 0.0
    # Recorded always; an assertion only in Python's development mode (-X dev), so that a rise is a finding of a run
    # and not the end of it.
    assert not sys.flags.dev_mode or rise <= ROUNDING, f"the objective rose by a relative {rise:g}"
    return NodeSplit(labels, W, objective, trace, n_iter, converged, residual, rise, n_iter)
