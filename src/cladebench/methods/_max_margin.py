"""Split a node's samples by max-margin clustering (HMMC, equation 5)."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
from sklearn.cluster import KMeans

from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.margin import assignment_costs, fit_margin, squared_hinge
from cladebench.threads import one_thread

STARTS = ("kmeans", "random", "pca")
ROUNDINGS = ("outward", "inward")
#: What rounding may add to an objective between two steps, relative to its value.
ROUNDING = 1e-9
#: w-steps are solved to this multiple of ``w_tol`` until the labels stand still for the first time.
LOOSE = 10.0
#: Steps of a w-step at most: at 1e-6 a few take more than 1,000.
W_STEPS = 10_000


@dataclass(frozen=True)
class Penalties:
    """Regularise a node by group, l1 and ridge penalties.

    The value is ``sum_p group_p ||W[:, p]|| + l1_p sum_k |W[k, p]| + ridge_p sum_k W[k, p]^2``.

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
        """Add a last feature without penalty, the constant of an intercept."""
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


def balance_bounds(n: int, n_clusters: int, slack: float, rounding: str = "outward") -> tuple[int, int]:
    """Bound cluster sizes around ``n / n_clusters``, none of them empty.

    The bounds are ``(1 -+ slack) n / n_clusters`` as integers.

    The paper's slack is 0.1 (section 3); it does not say what becomes of bounds that are no integers.

    Parameters
    ----------
    n, n_clusters : int
        Samples of the node, at least as many as clusters.
    slack : float
        Not negative; no bound is above n.
    rounding : {"outward", "inward"}, default="outward"
        "outward": the integers next to the bounds outside them, so that the problem is feasible. It would allow an
        empty cluster for n = n_clusters, so the lower bound is at least 1. "inward": the integers next to them inside.
        Where no clustering meets these (51 samples in two clusters with a slack of 0: no integer is 25.5), the bound
        in the way moves to the sizes of a clustering as equal as possible.
    """
    # A trace of rounding must not move a bound that is an integer: 0.9 * 20 / 2 is 9.
    least, most = (1.0 - slack) * n / n_clusters, min(float(n), (1.0 + slack) * n / n_clusters)
    if rounding == "outward":
        return max(1, int(np.floor(least + 1e-9))), max(1, int(np.ceil(most - 1e-9)))
    lower, upper = int(np.ceil(least - 1e-9)), int(np.floor(most + 1e-9))
    return max(1, min(lower, n // n_clusters)), max(upper, -(-n // n_clusters))


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
    start: str = "kmeans",
    rounding: str = "outward",
) -> NodeSplit:
    """Split by alternating descent from balanced labels.

    The best of several starts (the first among equals).

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
    start : {"kmeans", "random", "pca"}, default="kmeans"
        See `first_labels`.
    rounding : {"outward", "inward"}, default="outward"
        See `balance_bounds`.
    """
    lower, upper = balance_bounds(len(X), n_clusters, slack, rounding)
    best: NodeSplit | None = None
    rise, n_fits = 0.0, 0
    for _ in range(n_init):
        labels = first_labels(X, n_clusters, lower, upper, random, start)
        descent = _descend(X, labels, n_clusters, penalties, lower, upper, max_iter, w_tol)
        rise, n_fits = max(rise, descent.largest_rise), n_fits + descent.n_fits
        if best is None or descent.objective < best.objective:
            best = descent
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


def first_labels(
    X: np.ndarray, n_clusters: int, lower: int, upper: int, random: np.random.RandomState, start: str
) -> np.ndarray:
    """Make balanced labels to start from.

    The paper does not say how it starts.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        The samples of the node, n >= n_clusters.
    n_clusters, lower, upper : int
        The bounds leave room for clusters of sizes as equal as possible.
    random : RandomState
    start : {"kmeans", "random", "pca"}
        "kmeans": `balanced_start`. "random": every clustering of sizes as equal as possible with the same probability.
        "pca": the samples in the order of their coordinates on the leading principal direction (as in principal
        direction divisive partitioning [1]_, which the paper cites), cut into runs of sizes as equal as possible;
        nothing is random.

    Returns
    -------
    ndarray of int, shape (n,)

    References
    ----------
    .. [1] D. Boley, Principal direction divisive partitioning, Data Mining and Knowledge Discovery 2, 1998.
    """
    if start == "kmeans":
        return balanced_start(X, n_clusters, lower, upper, random)
    if start == "random":
        return random.permutation(np.arange(len(X)) % n_clusters)
    labels = np.empty(len(X), dtype=np.intp)
    labels[np.argsort(_leading_coordinate(X), kind="stable")] = np.arange(len(X)) * n_clusters // len(X)
    return labels


def _leading_coordinate(X: np.ndarray) -> np.ndarray:
    """Give each row's coordinate on the leading principal direction.

    The largest entry of the direction is positive.
    """
    centered = X - X.mean(axis=0)
    with one_thread():  # the last bits of sums depend on the number of threads
        _, vectors = np.linalg.eigh(centered.T @ centered)
        direction = vectors[:, -1]
        return centered @ (direction * np.sign(direction[np.argmax(np.abs(direction))]))


def balanced_start(
    X: np.ndarray, n_clusters: int, lower: int, upper: int, random: np.random.RandomState
) -> np.ndarray:
    """Run K-means, then assign to its centres in balance.

    Fewer distinct rows than clusters give scikit-learn's ConvergenceWarning and equal centres, and equal rows come
    apart.
    """
    with one_thread():  # the last bits of scikit-learn's sums depend on the number of threads
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
    """Alternate w-steps and y-steps until labels stay under an optimal W."""
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
            max_iter=W_STEPS,
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
