r"""Learn to cluster with exemplars by loops, enumeration and programmes.

A solution is a matrix x of zeros and ones: x[p, q] = 1 where p is served by q, and x[q, q] = 1 where q is an exemplar.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from cladebench.solvers.dual_decomposition import Energy

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def margin(x: FloatArray, labels: IntArray, alpha: float = 1.0, beta: float = 1.0) -> float:
    """How far a solution is from the true clusters, equation (15)."""
    total = 0.0
    for cluster in np.unique(labels):
        members = np.flatnonzero(labels == cluster)
        total += alpha * abs(1.0 - sum(x[q, q] for q in members))
        for p in members:
            total += beta * (1.0 - sum(x[p, q] for q in members))
    return total


def clustering_energy(x: FloatArray, d: FloatArray) -> float:
    """Energy (2); the diagonal of d has the prices."""
    return float((d * x).sum())


def solutions(n: int) -> Iterator[FloatArray]:
    """Yield every solution of (3)-(5).

    A set of exemplars, which serve themselves, comes with each assignment of the others.
    """
    for opened in product((False, True), repeat=n):
        exemplars = [q for q in range(n) if opened[q]]
        for served_by in product(*[[p] if opened[p] else exemplars for p in range(n)]):
            x = np.zeros((n, n))
            x[np.arange(n), list(served_by)] = 1.0
            yield x


def least_augmented_energy(d: FloatArray, labels: IntArray, alpha: float = 1.0, beta: float = 1.0) -> float:
    """Least of energy less margin over all solutions."""
    return min(clustering_energy(x, d) - margin(x, labels, alpha, beta) for x in solutions(len(d)))


def best_completion(d: FloatArray, labels: IntArray) -> float:
    """Compute the least energy of solutions without margin.

    They have one exemplar in each true cluster, which serves all of it.
    """
    return min(clustering_energy(x, d) for x in solutions(len(d)) if margin(x, labels) == 0.0)


class PointSlave:
    """The slave of point p, equation (23), as a `Slave` of `dual_decomposition.SlaveProblem`.

    Variable q is x_qq.

    Parameters
    ----------
    p : int
    F : ndarray of shape (n_distances, n, n)
    price : float
    labels : ndarray of shape (n,)
    beta : float
    """

    def __init__(self, p: int, F: FloatArray, price: float, labels: IntArray, beta: float) -> None:
        n = F.shape[1]
        self.p, self.F, self.beta, self.variables = p, F, beta, np.arange(n)
        self.share = (price + beta) / (n + 1)
        self.same = labels == labels[p]

    def minimize(self, w: FloatArray, multipliers: FloatArray) -> tuple[FloatArray, Energy]:
        """Minimise by Lemma 2.

        An x_qq of negative price is opened, and p goes where it is cheapest, which is opened too.
        """
        n, p = len(multipliers), self.p
        theta = [self.share + multipliers[q] for q in range(n)]
        costs = []
        for q in range(n):
            u = sum(w[i] * self.F[i, p, q] for i in range(len(w))) + (self.beta if self.same[q] else 0.0)
            costs.append(theta[p] if q == p else u + max(theta[q], 0.0))
        best = min(range(n), key=lambda q: (costs[q], q))
        copies = np.array([1.0 if q == best or (q != p and theta[q] < 0.0) else 0.0 for q in range(n)])
        return copies, self.energy(copies, best)

    def energy(self, copies: FloatArray, served_by: int) -> Energy:
        """Energy (23) without the multipliers, of any solution."""
        p = self.p
        features = np.zeros(len(self.F)) if served_by == p else self.F[:, p, served_by].astype(np.float64)
        rest = self.share * copies.sum() - self.beta
        if served_by != p and self.same[served_by]:
            rest += self.beta
        return Energy(features, float(rest))

    def all_solutions(self) -> Iterator[tuple[FloatArray, int]]:
        """Every (copies, served by).

        p is served by one whose copy is 1; its own copy is 1 only if it serves itself.
        """
        n, p = len(self.variables), self.p
        for opened in product((0.0, 1.0), repeat=n):
            for q in range(n):
                if opened[q] and bool(opened[p]) == (q == p):
                    yield np.array(opened), q


class ClusterSlave:
    """The slave of a true cluster, equation (24), as a `Slave`.

    Parameters
    ----------
    members : ndarray of int64
        Points of the cluster.
    n : int
        Points in all.
    price, alpha, beta : float
    n_weights : int
    """

    def __init__(
        self, members: IntArray, n: int, price: float, alpha: float, beta: float, n_weights: int
    ) -> None:
        self.variables, self.alpha, self.n_weights = members, alpha, n_weights
        self.share = (price + beta) / (n + 1)

    def minimize(self, w: FloatArray, multipliers: FloatArray) -> tuple[FloatArray, Energy]:
        """By Lemma 2: all that cost less than alpha, or none."""
        theta = self.share + multipliers
        gain = 2.0 * self.alpha
        for value in theta:
            gain += min(value - self.alpha, 0.0)
        copies = np.array([1.0 if gain <= 0.0 and value < self.alpha else 0.0 for value in theta])
        return copies, self.energy(copies)

    def energy(self, copies: FloatArray) -> Energy:
        """Energy (24) without the multipliers, of any solution."""
        rest = self.share * copies.sum() - self.alpha * abs(1.0 - copies.sum())
        return Energy(np.zeros(self.n_weights), float(rest))


def relaxation(d: FloatArray, labels: IntArray, alpha: float = 1.0, beta: float = 1.0) -> float:
    r"""The bound (26) at the best multipliers, as a linear programme (cvxpy).

    The slaves of the points have the relaxation of (3)-(5). That of a cluster C is the convex envelope of
    :math:`-\alpha |1 - \sum x_{qq}|`, which is :math:`-\alpha (\sum x_{qq} - 1) - 2 \alpha z` with the largest
    :math:`z \le 1 - x_{qq}` for all q in C.
    """
    import cvxpy as cp

    n = len(d)
    x = cp.Variable((n, n), nonneg=True)
    energy, constraints = _augmented(cp, d, labels, alpha, beta, x)
    problem = cp.Problem(cp.Minimize(energy), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


def _augmented(cp, d, labels, alpha, beta, x):  # type: ignore[no-untyped-def]
    """Energy less margin of a relaxed solution, with its constraints."""
    n = len(d)
    same = (labels[:, None] == labels[None]).astype(float)
    energy = cp.sum(cp.multiply(d + beta * same, x)) - beta * n
    opened = cp.diag(x)
    constraints = [cp.sum(x, axis=1) == 1, x <= np.ones((n, 1)) @ cp.reshape(opened, (1, n), order="C")]
    for cluster in np.unique(labels):
        members = np.flatnonzero(labels == cluster)
        z = cp.Variable(nonneg=True)
        constraints += [z <= 1 - opened[members]]
        energy = energy - alpha * (cp.sum(opened[members]) - 1) - 2 * alpha * z
    return energy, constraints


def least_augmented_energy_programme(
    d: FloatArray, labels: IntArray, alpha: float = 1.0, beta: float = 1.0
) -> float:
    """Solve `least_augmented_energy` as an integer programme by PuLP (CBC).

    It serves sets too large to enumerate.
    """
    import pulp

    n = len(d)
    problem = pulp.LpProblem("augmented", pulp.LpMinimize)
    x = [[pulp.LpVariable(f"x_{p}_{q}", cat="Binary") for q in range(n)] for p in range(n)]
    terms = []
    for p in range(n):
        problem += pulp.lpSum(x[p]) == 1
        for q in range(n):
            if q != p:
                problem += x[p][q] <= x[q][q]
            terms.append((d[p, q] + (beta if labels[p] == labels[q] else 0.0)) * x[p][q])
    for cluster in np.unique(labels):
        members = np.flatnonzero(labels == cluster)
        empty = pulp.LpVariable(f"empty_{cluster}", cat="Binary")
        for q in map(int, members):
            problem += empty <= 1 - x[q][q]
        terms += [-alpha * x[q][q] for q in map(int, members)] + [-2.0 * alpha * empty]
    constant = -beta * n + alpha * len(np.unique(labels))
    problem += pulp.lpSum(terms)
    problem.solve(pulp.PULP_CBC_CMD(msg=False, gapRel=0.0))
    return float(pulp.value(problem.objective)) + constant


def learning_programme(
    stacks: list[FloatArray],
    labels: list[IntArray],
    completed: list[Energy],
    price: float,
    tau: float,
    regularizer: str = "l1",
    alpha: float = 1.0,
    beta: float = 1.0,
) -> tuple[FloatArray, float]:
    r"""Minimise (27) over weights >= 0 as one convex programme (cvxpy).

    Completions are fixed. The bound is the least of a linear programme in which the weights are costs. Its dual takes
    its place: a largest value, over multipliers v_p of (3), m_pq of (4) and y_Cq of z, in which the weights are bounds.

    Returns
    -------
    weights : ndarray of shape (n_distances,)
    objective : float
    """
    import cvxpy as cp

    n_weights = len(stacks[0])
    w = cp.Variable(n_weights, nonneg=True)
    objective = tau * (cp.sum(w) if regularizer == "l1" else cp.sum_squares(w))
    constraints = []
    for F, codes, energy in zip(stacks, labels, completed, strict=True):
        n = F.shape[1]
        v, m = cp.Variable(n), cp.Variable((n, n), nonneg=True)
        bound = cp.sum(v) - beta * n
        same = codes[:, None] == codes[None]
        y = cp.Variable(n, nonneg=True)  # of z_C <= 1 - x_qq, for q in C
        for p in range(n):
            for q in range(n):
                if p != q:  # reduced cost of x_pq
                    u = F[:, p, q] @ w + (beta if same[p, q] else 0.0)
                    constraints.append(u - v[p] + m[p, q] >= 0)
            # Reduced cost of x_pp: its price, less what it saves others, less alpha in its cluster's term.
            others = [m[r, p] for r in range(n) if r != p]
            constraints.append(price + beta - alpha - v[p] - sum(others) + y[p] >= 0)
        for cluster in np.unique(codes):
            members = np.flatnonzero(codes == cluster)
            constraints.append(cp.sum(y[members]) >= 2.0 * alpha)  # reduced cost of z_C
            bound = bound + alpha - cp.sum(y[members])
        objective = objective + w @ energy.features + energy.rest - bound
    problem = cp.Problem(cp.Minimize(objective), constraints)
    problem.solve(solver=cp.CLARABEL)
    return np.asarray(w.value), float(problem.value)
