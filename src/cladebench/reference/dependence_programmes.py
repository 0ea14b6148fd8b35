"""Solve numerical taxonomy clustering's halves exactly: best structure, best partition."""

from __future__ import annotations

import itertools
import warnings
from typing import NamedTuple

import cvxpy as cp
import numpy as np

from cladebench.reference.dependence import centring, indicator
from cladebench.reference.programmes import Constraint, FloatArray, IntArray, SolverName, minimize_binary

#: Binary variables that an integer programme may have.
LARGEST = 30
#: What Clarabel is asked for; with its defaults matrices differ in their fifth digit.
ACCURATE = {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}


#: Eigenvalues below this share of the largest are 0. One of P'HP always is; from some 40 points on its rounding may
#: pass the cut-off that NumPy has by default.
CUT_OFF = 1e-10


class BestStructure(NamedTuple):
    """Solution of (5), recomputed from the solver's points.

    Attributes
    ----------
    structure : ndarray of shape (k, k)
        Made positive semidefinite and of unit norm, so that it is feasible to the last bits; centred.
    value : float
        Its objective, and so at most the optimum.
    bound : float
        At least the optimum, whatever the multipliers that the solver gave.
    residual : float
        By how much the solver's own point breaks the constraints.
    status : str
        The solver's word.
    """

    structure: FloatArray
    value: float
    bound: float
    residual: float
    status: str


def best_structure(M: FloatArray, P: FloatArray) -> FloatArray:
    """Compute equation (8) for any real matrix P by a pseudo-inverse.

    P may be a partition. The structure is of unit norm in the sense of (5).

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Symmetric.
    P : ndarray of shape (n, k)

    Returns
    -------
    ndarray of shape (k, k)
    """
    HP = centring(len(M)) @ P
    inverse = np.linalg.pinv(HP.T @ HP, rcond=CUT_OFF)
    Y = inverse @ HP.T @ M @ HP @ inverse
    return np.asarray(Y / np.linalg.norm(HP @ Y @ HP.T))


def best_value(M: FloatArray, P: FloatArray) -> float:
    """Compute equation (10): objective (1) of a real matrix P.

    Its structure is the best. M is centred.
    """
    HP = centring(len(M)) @ P
    product = HP.T @ M @ HP @ np.linalg.pinv(HP.T @ HP, rcond=CUT_OFF)
    return float(np.sqrt(max(0.0, np.trace(product @ product))))


def structure_programme(M: FloatArray, labels: IntArray, n_clusters: int) -> BestStructure:
    """Solve (5) as a semidefinite programme.

    It maximises `tr(M H P Y P' H)` over positive semidefinite Y with `|H P Y P' H| <= 1`. Clarabel
    solves it, with a second-order cone.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Symmetric, not 0 when centred.
    labels : ndarray of int, shape (n,)
        Clusters 0..n_clusters-1, none empty.
    n_clusters : int

    Notes
    -----
    For centred Y and any positive semidefinite Z, tr(B Y) <= tr((B + Z) Y) with B = P'HMHP; by Cauchy's inequality that
    is at most the norm of A^(+1/2) (B + Z) A^(+1/2), A = P'HP. The solver's multiplier of Y, without its negative
    eigenvalues, is Z.
    """
    HP = centring(len(M)) @ indicator(labels, n_clusters)
    B, A, H = HP.T @ M @ HP, HP.T @ HP, centring(n_clusters)
    scale = float(np.abs(B).max())
    Y = cp.Variable((n_clusters, n_clusters), symmetric=True)
    semidefinite = Y >> 0
    programme = cp.Problem(
        cp.Maximize(cp.trace((B / scale) @ Y)), [semidefinite, cp.norm(HP @ Y @ HP.T, "fro") <= 1.0]
    )
    with warnings.catch_warnings():  # cvxpy warns of a tolerance narrowly missed; the callers compare values
        warnings.simplefilter("ignore", UserWarning)
        programme.solve(solver=cp.CLARABEL, **ACCURATE)
    solution = np.asarray(Y.value)
    least = float(np.linalg.eigvalsh(solution)[0])
    norm = float(np.linalg.norm(HP @ solution @ HP.T))
    feasible = _semidefinite(H @ solution @ H)
    feasible /= np.linalg.norm(HP @ feasible @ HP.T)
    Z = scale * _semidefinite(np.asarray(semidefinite.dual_value))
    values, vectors = np.linalg.eigh(A)
    root = vectors[:, 1:] / np.sqrt(values[1:])  # but for the constant vector, whose eigenvalue is 0
    bound = float(np.linalg.norm(root.T @ (B + Z) @ root))
    residual = max(0.0, norm - 1.0, -least / float(np.abs(solution).max()))
    return BestStructure(feasible, float(np.trace(B @ feasible)), bound, residual, str(programme.status))


def _semidefinite(Y: FloatArray) -> FloatArray:
    """Set negative eigenvalues to zero."""
    values, vectors = np.linalg.eigh((Y + Y.T) / 2.0)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def partition_value(M: FloatArray, structure: FloatArray, labels: IntArray) -> float:
    """Compute tr(M P Y P') by pairs of points.

    A pair adds M_ij times the structure of their clusters.
    """
    return float((M * structure[np.ix_(labels, labels)]).sum())


def partition_programme(M: FloatArray, structure: FloatArray, solver: SolverName = "CBC") -> IntArray:
    """Maximise tr(M P Y P') over partitions by an integer programme.

    No cluster is empty.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Symmetric, centred.
    structure : ndarray of shape (k, k)
        Symmetric.
    solver : {"CBC", "HiGHS"}, default="CBC"

    Returns
    -------
    ndarray of int64, shape (n,)

    Raises
    ------
    ValueError
        If n k is more than 30.
    RuntimeError
        If the solver ends without an optimal point.

    Notes
    -----
    Binary x_ia says that point i is in cluster a. The product of x_ia and x_jb, i < j, has a variable of its own; for
    each i, j these add up to x_ia over b, and to x_jb over a, which makes them products where the x are integral.
    """
    n, k = len(M), len(structure)
    if n * k > LARGEST:
        raise ValueError(
            f"{n} points in {k} clusters: expected at most {LARGEST} variables, n_points * n_clusters"
        )
    pairs = list(itertools.combinations(range(n), 2))
    at = np.arange(n * k).reshape(n, k)
    product = n * k + np.arange(len(pairs) * k * k).reshape(len(pairs), k, k)
    gain = np.zeros(n * k + product.size)
    gain[at] = np.diag(M)[:, None] * np.diag(structure)
    constraints: list[Constraint] = []

    def equal(terms: list[tuple[int, float]], right: float) -> None:
        constraints.append((terms, right))
        constraints.append(([(column, -c) for column, c in terms], -right))

    for i in range(n):
        equal([(int(column), 1.0) for column in at[i]], 1.0)
    for a in range(k):
        constraints.append(([(int(column), 1.0) for column in at[:, a]], 1.0))
    for entries, (i, j) in zip(product, pairs, strict=True):
        gain[entries] = 2.0 * M[i, j] * structure
        for a in range(k):
            equal([*((int(column), 1.0) for column in entries[a]), (int(at[i, a]), -1.0)], 0.0)
            equal([*((int(column), 1.0) for column in entries[:, a]), (int(at[j, a]), -1.0)], 0.0)
    x = minimize_binary(
        -gain / (np.abs(gain).max() or 1.0), constraints, solver, binary=np.arange(len(gain)) < n * k
    )
    return np.asarray(x[at].argmax(axis=1))


def partition_bound(M: FloatArray, structure: FloatArray) -> float:
    """Bound tr(M P Y P') over partitions by a semidefinite dual.

    The bound is from above.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Symmetric.
    structure : ndarray of shape (k, k)
        Symmetric.

    Returns
    -------
    float
        Recomputed from the solver's multipliers, for any of which it is a bound.

    Notes
    -----
    With x = (1, x_11, ..., x_nk) of a partition let X = x x'. It is positive semidefinite of trace 1 + n, its diagonal
    is its first column, entries of one point in two clusters are 0, all others not negative, and X v_i = 0 where v_i is
    1 for point i and -1 first, as a point is in one cluster. If C is the objective and

        S = t e e' + (multipliers of these equations) - C - (something not negative)

    then the objective is t less the product of X with S and with something not negative: at most
    t - (1 + n) min(0, least eigenvalue of S).
    """
    n, k = len(M), len(structure)
    size = 1 + n * k
    point = np.repeat(np.arange(n), k)
    C = np.zeros((size, size))
    C[1:, 1:] = np.kron(M, structure)
    scale = float(np.abs(C).max()) or 1.0
    zero = np.zeros((size, size), dtype=bool)  # entries of one point in two clusters
    zero[1:, 1:] = (point[:, None] == point) & ~np.eye(n * k, dtype=bool)
    one_cluster = np.hstack([-np.ones((n, 1)), point == np.arange(n)[:, None]])
    first = np.eye(size)[:, :1]
    t, diagonal, U = cp.Variable(), cp.Variable(size), cp.Variable((n, size))
    entries = cp.Variable((size, size), symmetric=True)
    column = first @ cp.reshape(diagonal, (1, size), order="C")
    S = (
        t * (first @ first.T)
        + (cp.diag(diagonal) - (column + column.T) / 2.0)
        + (one_cluster.T @ U + U.T @ one_cluster)
        - C / scale
        - entries
    )
    programme = cp.Problem(cp.Minimize(t), [S >> 0, cp.multiply(~zero, entries) >= 0])
    with warnings.catch_warnings():  # of a tolerance narrowly missed, which costs a little of the bound
        warnings.simplefilter("ignore", UserWarning)
        programme.solve(solver=cp.CLARABEL)
    solution = np.asarray(entries.value)
    entries.value = np.where(zero, solution, np.maximum(solution, 0.0))
    least = float(np.linalg.eigvalsh(np.asarray(S.value))[0])
    return scale * (float(np.asarray(t.value)) - (1 + n) * min(0.0, least))
