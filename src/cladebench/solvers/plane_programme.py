r"""The quadratic programme of cutting planes, by a primal-dual interior point method.

.. math:: \min_v \tfrac12 |v|^2 + \sum_k c_k \max_{j \in J_k} (a_j + g_j \cdot v), \quad v_i \ge 0 \text{ for some } i.

Its dual, with multipliers of the planes that sum to c_k in each group, is

.. math:: \max_\alpha \sum_j \alpha_j a_j - \tfrac12 |v(\alpha)|^2, \quad v(\alpha) = -\sum_j \alpha_j g_j,

with v raised to 0 where it may not be negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

FloatArray = npt.NDArray[np.float64]

#: Relative gap at which the programme counts as solved.
GAP = 1e-9
#: Steps; fewer than 30 are needed.
MAX_STEPS = 100


@dataclass(frozen=True)
class PlaneMinimum:
    """Solution of the programme.

    Attributes
    ----------
    v : ndarray of shape (d,)
    multipliers : ndarray of shape (m,)
        Not negative, with sums c_k.
    value : float
        Of v.
    bound : float
        Of the multipliers, by the dual: below the value of any v. The two leave no other condition open.
    """

    v: FloatArray
    multipliers: FloatArray
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """``value - bound``, relative to the value."""
        return (self.value - self.bound) / (abs(self.value) or 1.0)


def minimise_planes(
    slopes: FloatArray,
    intercepts: FloatArray,
    groups: npt.NDArray[np.integer],
    costs: FloatArray,
    nonnegative: npt.NDArray[np.bool_],
) -> PlaneMinimum:
    """Solve the programme.

    Parameters
    ----------
    slopes : ndarray of shape (m, d)
    intercepts : ndarray of shape (m,)
    groups : ndarray of int, shape (m,)
        0..K-1; each group has a plane.
    costs : ndarray of shape (K,)
        Positive.
    nonnegative : ndarray of bool, shape (d,)

    Returns
    -------
    PlaneMinimum
        The best that was met, by its gap; 1e-9 unless rounding forbids it.

    Notes
    -----
    Mehrotra's predictor and corrector; O(m (d + K)^2 + (d + K)^3) a step. Planes that depend on each other do no harm.
    """
    m, d = slopes.shape
    K, signs = len(costs), np.flatnonzero(nonnegative)
    M = np.zeros((m + len(signs), d + K))
    M[:m, :d] = -slopes
    M[np.arange(m), d + groups] = 1.0
    M[m + np.arange(len(signs)), signs] = 1.0
    h = np.concatenate([intercepts, np.zeros(len(signs))])
    Q = np.diag(np.concatenate([np.ones(d), np.zeros(K)]))
    q = np.concatenate([np.zeros(d), costs])
    z = np.zeros(d + K)
    z[signs] = 1.0
    heights = intercepts + slopes @ z[:d]
    for k in range(K):
        z[d + k] = heights[groups == k].max() + 1.0
    slack = M @ z - h
    dual = np.ones(len(h))
    dual[:m] = (costs / np.bincount(groups, minlength=K))[groups]
    best = _from_multipliers(slopes, intercepts, groups, costs, nonnegative, dual[:m])
    for _ in range(MAX_STEPS):
        if best.gap <= GAP:
            break
        residual = Q @ z + q - M.T @ dual
        mean = float(slack @ dual) / len(h)
        pull = dual / slack
        try:
            factor = cho_factor(Q + M.T @ (pull[:, None] * M))
        except LinAlgError:  # rounding has the last word
            break

        def step(target: FloatArray | float) -> tuple[FloatArray, FloatArray, FloatArray]:
            rise = target / slack - dual  # noqa: B023 - used at once
            dz = cho_solve(factor, -residual + M.T @ rise)  # noqa: B023
            ds = M @ dz
            return dz, ds, rise - pull * ds  # noqa: B023

        _, ds, dd = step(0.0)
        t = min(_longest(slack, ds), _longest(dual, dd))
        aimed = float((slack + t * ds) @ (dual + t * dd)) / len(h)
        dz, ds, dd = step(mean * (aimed / mean) ** 3 - ds * dd)
        t = min(1.0, 0.995 * min(_longest(slack, ds), _longest(dual, dd)))
        z, slack, dual = z + t * dz, slack + t * ds, dual + t * dd
        latest = _from_multipliers(slopes, intercepts, groups, costs, nonnegative, dual[:m])
        if latest.gap < best.gap:
            best = latest
        if not t > 1e-8:
            break
    return best


def _longest(values: FloatArray, by: FloatArray) -> float:
    """Longest step that keeps positive values from becoming negative, at most 1."""
    falling = by < 0.0
    return min(1.0, float((values[falling] / -by[falling]).min())) if falling.any() else 1.0


def _from_multipliers(
    slopes: FloatArray,
    intercepts: FloatArray,
    groups: npt.NDArray[np.integer],
    costs: FloatArray,
    nonnegative: npt.NDArray[np.bool_],
    multipliers: FloatArray,
) -> PlaneMinimum:
    sums = np.bincount(groups, weights=multipliers, minlength=len(costs))
    multipliers = multipliers * (costs / sums)[groups]
    v = -(slopes.T @ multipliers)
    v[nonnegative] = np.maximum(v[nonnegative], 0.0)
    half = 0.5 * float(v @ v)
    heights = np.full(len(costs), -np.inf)
    np.maximum.at(heights, groups, intercepts + slopes @ v)
    return PlaneMinimum(v, multipliers, half + float(costs @ heights), float(multipliers @ intercepts) - half)
