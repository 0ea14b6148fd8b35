r"""Find sparsest cuts and certified lower bounds by independent methods.

Two exact methods share no code. The ratio of a cut (A, B) is :math:`\sum_{i \in A, j \in B} S_{ij} / (|A| |B|)`, as in
`solvers.sparsest_cut`.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cladebench.reference.programmes import (
    Constraint,
    FloatArray,
    LowerBound,
    SolverName,
    check_similarity,
    minimize_binary,
)
from cladebench.reference.sparsest_cut import cut_ratio

MAX_POINTS = 20


@dataclass(frozen=True)
class ExactCut:
    """A cut and what was found out about its optimality.

    Attributes
    ----------
    mask : ndarray of bool, shape (n,)
        One side; sample 0 is on the other.
    ratio : float
        Recomputed from the mask.
    objective : float
        The ratio that the search or solver gave, before any recomputation.
    evidence : str
        Name of the method, and the solver's own status where there is one.
    """

    mask: NDArray[np.bool_]
    ratio: float
    objective: float
    evidence: str


def sparsest_cut_enumeration(S: Any) -> ExactCut:
    """Compare all 2^(n - 1) - 1 cuts.

    n is from 2 to 20. Cut weights are built by doubling: adding sample i to a side adds its degree less twice its
    weight to that side. All cuts that come within rounding of the least ratio are then summed afresh, so that
    cancellation does not decide.

    Parameters
    ----------
    S : array-like of shape (n, n)
        Similarities >= 0, symmetric.

    Returns
    -------
    ExactCut
        Ties go to the smallest code (bit i - 1 stands for sample i).

    Notes
    -----
    O(2^n n) time, O(2^n) memory: about 0.1 s at n = 20.
    """
    S = _checked(S)
    n = len(S)
    degrees = S.sum(axis=1)
    weights, sizes = np.zeros(1), np.zeros(1)
    for i in range(1, n):
        joined = np.zeros(1)  # weight of sample i to each side made of samples 1..i-1
        for j in range(1, i):
            joined = np.concatenate([joined, joined + S[i, j]])
        weights = np.concatenate([weights, weights + degrees[i] - 2.0 * joined])
        sizes = np.concatenate([sizes, sizes + 1])
    ratios = weights[1:] / (sizes[1:] * (n - sizes[1:]))
    near = 1 + np.flatnonzero(ratios <= ratios.min() + 1e-12 * degrees.max())
    sides = np.column_stack([np.zeros(len(near)), near[:, None] >> np.arange(n - 1) & 1])
    fresh = ((sides @ S) * (1.0 - sides)).sum(axis=1) / (sizes[near] * (n - sizes[near]))
    best = int(np.argmin(fresh))
    mask = sides[best] > 0
    return ExactCut(mask, cut_ratio(S, mask), float(ratios[near[best] - 1]), "enumeration")


def sparsest_cut_ilp(S: Any, solver: SolverName = "CBC") -> ExactCut:
    """Find the lightest cut of each size by integer programmes (PuLP).

    A programme is solved for each number k <= n / 2 of samples on one side. ``x[i]`` says the side, ``z[i, j] >= |x[i]
    - x[j]|`` whether the pair is cut, ``sum(x) = k``.

    Parameters
    ----------
    S : array-like of shape (n, n)
        Similarities >= 0, symmetric, 2 <= n <= 20 (above 12 it takes minutes).
    solver : {"CBC", "HiGHS"}, default="CBC"
        Both come with the installed packages.

    Returns
    -------
    ExactCut

    Raises
    ------
    ValueError
        If the similarity or the solver's name is wrong.
    RuntimeError
        If the solver gave no integral point, or one that breaks a constraint.
    """
    S = _checked(S)
    n = len(S)
    pairs = [(i, j) for i, j in itertools.combinations(range(n), 2) if S[i, j] > 0]
    scale = max(float(S.max()), np.finfo(float).tiny)
    objective = np.concatenate([np.zeros(n), [S[i, j] / scale for i, j in pairs]])
    joined: list[Constraint] = []
    for column, (i, j) in enumerate(pairs, start=n):
        joined.append(([(column, 1.0), (i, -1.0), (j, 1.0)], 0.0))
        joined.append(([(column, 1.0), (i, 1.0), (j, -1.0)], 0.0))
    everyone = [(i, 1.0) for i in range(n)]
    no_one = [(i, -1.0) for i in range(n)]
    best: tuple[float, NDArray[np.bool_]] | None = None
    for k in range(1, n // 2 + 1):
        size: list[Constraint] = [(everyone, float(k)), (no_one, -float(k))]
        x = minimize_binary(objective, joined + size, solver, binary=np.arange(len(objective)) < n)
        ratio = scale * float(objective @ x) / (k * (n - k))
        if best is None or ratio < best[0]:
            best = ratio, x[:n] > 0
    assert best is not None  # n >= 2, so k = 1 was tried
    ratio, mask = best
    mask = ~mask if mask[0] else mask
    return ExactCut(mask, cut_ratio(S, mask), ratio, f"{solver}: Optimal")


def spectral_bound(S: Any) -> float:
    """Bound cuts' ratios by Fiedler's ``lambda_2 / n`` of the whole Laplacian."""
    S = _checked(S)
    return _least_eigenvalue(S) / len(S)


def relaxation_bound(S: Any, kind: Literal["metric", "negative_type"] = "metric") -> LowerBound:
    r"""Bound every cut's ratio from below by a convex relaxation (cvxpy).

    A cut is the distance d with :math:`d_{ij} = 1 / (|A| |B|)` across and 0 within, so the least ratio is the least
    :math:`\sum_{i<j} S_{ij} d_{ij}` over such d. They are relaxed to all d >= 0 with
    :math:`\sum_{i<j} d_{ij} = 1` and the triangle inequalities ("metric", a linear programme [1]_), or with, besides,
    :math:`d_{ij} = \|v_i - v_j\|^2` ("negative_type", a semidefinite programme [2]_).

    Let y >= 0 be multipliers of the triangle inequalities ``A d >= 0`` and :math:`w = S - A^\top y` the weights that
    they leave. Then :math:`\min_{i<j} w_{ij}` bounds the first relaxation, and :math:`\lambda / n` the second,
    with lambda the least eigenvalue of the Laplacian of w on vectors that sum to 0. Both hold for every y >= 0, so the
    bound is recomputed here and rests on no solver; its status and tolerance only say how good the bound is.

    Parameters
    ----------
    S : array-like of shape (n, n)
        Similarities >= 0, symmetric, 2 <= n <= 20.
    kind : {"metric", "negative_type"}, default="metric"
        The relaxation.

    Returns
    -------
    LowerBound

    References
    ----------
    .. [1] T. Leighton, S. Rao, Multicommodity max-flow min-cut theorems, J. ACM 46, 1999.
    .. [2] S. Arora, S. Rao, U. Vazirani, Expander flows, geometric embeddings and graph partitioning, J. ACM 56, 2009.
    """
    import cvxpy as cp

    if kind not in ("metric", "negative_type"):
        raise ValueError(f"kind={kind!r}: expected metric or negative_type")
    S = _checked(S)
    n = len(S)
    upper = np.triu_indices(n, 1)
    scale = max(float(S.max()), np.finfo(float).tiny)
    c = S[upper] / scale
    triangles = _triangles(n)
    if kind == "metric":
        d = cp.Variable(len(c), nonneg=True)
        solver = cp.HIGHS
    else:
        gram = cp.Variable((n, n), PSD=True)
        squares = cp.diag(gram)
        d = squares[upper[0]] + squares[upper[1]] - 2 * gram[upper]
        solver = cp.CLARABEL
    metric = [triangles @ d >= 0] if n > 2 else []
    problem = cp.Problem(cp.Minimize(c @ d), [cp.sum(d) == 1, *metric])
    with warnings.catch_warnings():  # an inaccurate optimum gives a weaker bound, and its status is kept
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=solver)
    if problem.value is None or (metric and metric[0].dual_value is None):
        raise RuntimeError(f"{solver} gave no multipliers: {problem.status}")
    raw = np.asarray(metric[0].dual_value, dtype=float) if metric else np.zeros(0)
    y = np.maximum(raw, 0.0)
    left = c - triangles.T @ y
    if kind == "metric":
        value = float(left.min())
    else:
        weights = np.zeros((n, n))
        weights[upper] = left
        value = _least_eigenvalue(weights + weights.T) / n
    return LowerBound(
        scale * value,
        scale * float(problem.value),
        y,
        float(max(0.0, -raw.min(initial=0.0))),
        str(problem.status),
    )


def _least_eigenvalue(weights: FloatArray) -> float:
    """Bound the Laplacian's least eigenvalue on vectors that sum to 0.

    What rounding can have added is taken off.
    """
    n = len(weights)
    # An orthonormal basis of those vectors, so that the constant vector's eigenvalue does not interfere.
    basis = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
    laplacian = np.diag(weights.sum(axis=1)) - weights
    norm = float(np.abs(laplacian).sum(axis=1).max())
    return float(np.linalg.eigvalsh(basis.T @ laplacian @ basis)[0]) - 4 * n * np.finfo(float).eps * norm


def _triangles(n: int) -> Any:
    """Give the triangle inequalities as sparse rows.

    They are ``d_ik + d_kj - d_ij >= 0`` over pairs in the order of `numpy.triu_indices`.
    """
    from scipy import sparse

    column = {pair: k for k, pair in enumerate(itertools.combinations(range(n), 2))}
    rows = [
        (column[pair], [column[other] for other in itertools.combinations(triple, 2)])
        for triple in itertools.combinations(range(n), 3)
        for pair in itertools.combinations(triple, 2)
    ]
    columns = np.array([sides for _, sides in rows], dtype=np.int64).reshape(-1, 3)
    signs = np.where(columns == np.array([long for long, _ in rows], dtype=np.int64)[:, None], -1.0, 1.0)
    index = np.repeat(np.arange(len(rows)), 3)
    return sparse.csr_array((signs.ravel(), (index, columns.ravel())), shape=(len(rows), len(column)))


def _checked(S: Any) -> FloatArray:
    S = check_similarity(S, MAX_POINTS)
    if len(S) < 2:
        raise ValueError("similarity has one point; a cut needs two")
    return S
