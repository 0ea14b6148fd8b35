r"""Split one node's points by max margin, with constraints or not.

Constraints are on pairs. A cannot-link makes this relaxed semi-supervised max-margin clustering ([1]_, eq. 8). With
scores :math:`s_i = w \cdot [x_i, 1]` it minimises

.. math::
    \frac{\lambda}{2} \|w\|^2
    + \frac{1}{|M|} \sum_{(i, j) \in M} h(|s_i + s_j| - |s_i - s_j|)
    + \min_{C' \subset C} \frac{1}{|C'|} \sum_{(i, j) \in C'} h(|s_i - s_j| - |s_i + s_j|)
    + \frac{c}{|U|} \sum_{i \in U} h(2 |s_i|), \qquad h(m) = \max(0, 1 - m),

over must-links M, the best share C' of the cannot-links C, and the points U without a constraint. Without a
cannot-link it is max-margin clustering with a least membership of both sides ([1]_, section 3.3, after [2]_), which
minimises :math:`\lambda/2 \|w\|^2 + c/n \sum_i h(2 y_i s_i)` over w and labels y with enough of each sign.

Both alternate: labels, and the chosen cannot-links, that are best for the weights; weights that are best for these
labels, a convex problem. Neither raises the objective.

References
----------
.. [1] D. M. Johnson, C. Xiong and J. J. Corso, Semi-supervised nonlinear distance metric learning via forests of
   max-margin cluster hierarchies.
.. [2] M. Hoai and F. De la Torre, Maximum margin temporal clustering, AISTATS 2012.
.. [3] V. Franc and S. Sonnenburg, Optimized cutting plane algorithm for support vector machines, ICML 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench import _core
from cladebench.validation import as_array, as_floats, check_choice, check_integer, check_number

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Values are used in single precision, where sums of squares of larger ones could overflow.
LARGEST_VALUE = 1e15


@dataclass(frozen=True)
class SplitFit:
    """A split, with what is known of its quality.

    Attributes
    ----------
    weights : ndarray of shape (n_features + 1,)
        The constant's weight is the last: a point goes left if ``weights @ [x, 1] <= 0``.
    trace : ndarray of shape (rounds,)
        The objective after each round, from scores in single precision. It does not rise within the first `warm_up`
        entries, nor within the others.
    warm_up : int
        How many rounds left the unconstrained points out: ``supervised_rounds``, or fewer if labels stay.
    rounds : int
        Convex problems solved, the last ones perhaps for the same labels to a smaller gap.
    evaluations : int
        Of the loss with all points.
    objective : float
        At `weights`, in double precision.
    gap : float
        Objective of the last convex problem less a bound of it from below, up to the rounding of single precision. With
        ``subgradient`` there is no bound, and this is the objective itself.
    converged : bool
        Whether labels or weights stayed, not just ``max_rounds`` ended.
    constrained : bool
        Whether there was a cannot-link.
    """

    weights: FloatArray
    trace: FloatArray
    warm_up: int
    rounds: int
    evaluations: int
    objective: float
    gap: float
    converged: bool
    constrained: bool


def max_margin_split(
    X: npt.ArrayLike,
    must_link: npt.ArrayLike | None = None,
    cannot_link: npt.ArrayLike | None = None,
    *,
    weight: float = 0.01,
    unconstrained: float = 1.0,
    share: float = 0.25,
    membership: float = 0.25,
    ridge: float = 0.01,
    start: str = "eigenvector",
    tolerance: float = 0.01,
    gap: float = 0.01,
    early_gap: float = 0.1,
    max_rounds: int = 50,
    supervised_rounds: int = 3,
    subgradient: bool = False,
    restart: bool = False,
    step_tolerance: float = 0.01,
    max_steps: int = 5000,
    random_state: Any = None,
) -> SplitFit:
    """Split points in two by a hyperplane with a large margin.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers of magnitude at most 1e15, used in single precision.
    must_link, cannot_link : array-like of int, shape (n_pairs, 2), optional
        Pairs of different rows. With a cannot-link the split is semi-supervised, else must-links count for nothing.
    weight : float, default=0.01
        lambda > 0 (section 6.3).
    unconstrained : float, default=1.0
        C >= 0, the weight of points without a constraint (section 6.3).
    share : float, default=0.25
        L'_C / L_C in (0, 1] (section 6.3), rounded up to a whole number of cannot-links, at least one.
    membership : float, default=0.25
        Share of the points, in [0, 0.5], that are labelled as of each side at least if there is no cannot-link; rounded
        up, at least one. The plane that is learned from these labels may leave fewer. The paper does not say.
    ridge : float, default=0.01
        > 0: added to the diagonal of the must-links' scatter matrix (eq. 9), relative to its mean. The paper adds
        nothing, and has no start where the matrix is singular.
    start : {"eigenvector", "through-zero", "random"}, default="eigenvector"
        Of a split with a cannot-link. The plane through 0 along the largest generalised eigenvector of the scatter
        matrices is eq. 11's: differences have no constant. By default the one through the mean of the points is tried
        too, and that is taken which has the lower objective for its labels, at its best multiple. Two classes on one
        side of 0 need the latter; where nearly all points are of one class, it cuts that in two. "random" is what
        Algorithms 1 and 2 say where section 3.2.1 says "nonrandomly".
    tolerance : float, default=0.01
        eps_2: rounds end when the weights change by no more, relatively (Algorithm 2, section 6.3).
    gap, early_gap : float, default=0.01, 0.1
        Relative duality gaps > 0 to which convex problems are solved: near convergence, and before.
    max_rounds : int, default=50
        At least 1.
    supervised_rounds : int, default=3
        >= 0: first rounds that leave the unconstrained points out, C = 0 (Algorithm 2).
    subgradient : bool, default=False
        With a cannot-link, go by the paper's Algorithms 1 and 2 with the sign and the first step of the former mended:
        its last point is taken, whether it is better than what it began with or not.
    restart : bool, default=False
        Begin Algorithm 1 at a random point of its ball in each round, as it is printed, and not at the weights of the
        round before. The paper does not say how that is drawn; here all points of the ball are alike.
    step_tolerance : float, default=0.01
        eps_1: Algorithm 1 ends when a step is no larger, relatively (section 6.3).
    max_steps : int, default=5000
        At most so many steps of Algorithm 1, or evaluations of cutting planes, a convex problem; the paper has no
        limit.
    random_state : None, int or numpy.random.Generator
        For the start without a cannot-link, or a random one: a normal direction through the median of the points; and
        for `restart`. Nothing else is random.

    Returns
    -------
    SplitFit

    Raises
    ------
    ValueError
        If an array or a number is not as above.
    TypeError
        If a number is not real, a count not an integer, or a flag not a bool.

    Notes
    -----
    Convex problems are solved by optimised cutting planes [3]_: O(n d + L) an evaluation of n points, d features and L
    constraints. The start takes O(L d^2 + d^3). Results do not depend on the number of threads or the machine.
    """
    X = _points(X)
    pairs = [_pairs("must_link", must_link, len(X)), _pairs("cannot_link", cannot_link, len(X))]
    settings = split_settings(
        weight=weight,
        unconstrained=unconstrained,
        share=share,
        membership=membership,
        ridge=ridge,
        start=start,
        tolerance=tolerance,
        gap=gap,
        early_gap=early_gap,
        max_rounds=max_rounds,
        supervised_rounds=supervised_rounds,
        subgradient=subgradient,
        restart=restart,
        step_tolerance=step_tolerance,
        max_steps=max_steps,
    )
    seed = int(np.random.default_rng(random_state).integers(2**63))
    weights, trace, *facts = _core.max_margin_split(X, *pairs, settings, seed)
    return SplitFit(weights, trace, *facts)


def scatter_direction(
    X: npt.ArrayLike, must_link: npt.ArrayLike | None, cannot_link: npt.ArrayLike, *, ridge: float = 0.01
) -> FloatArray:
    """Find the direction from which a semi-supervised split starts (eqs 9-11).

    Parameters
    ----------
    X, must_link, cannot_link, ridge
        As in `max_margin_split`.

    Returns
    -------
    ndarray of shape (n_features,)
        The largest generalised eigenvector of S_C v = mu (S_M + ridge trace(S_M) / d I) v, of length 1, with its
        largest entry positive. Without must-links that differ S_M counts as I; without cannot-links that differ the
        result is 0.

    Raises
    ------
    ValueError
        If an array or `ridge` is not as in `max_margin_split`.
    """
    X = _points(X)
    _check_range("ridge", ridge, above=0.0)
    must = _pairs("must_link", must_link, len(X))
    return _core.scatter_direction(X, must, _pairs("cannot_link", cannot_link, len(X)), float(ridge))


def split_settings(**values: Any) -> Any:
    """Check settings of `max_margin_split` and return them as the core takes them.

    Parameters
    ----------
    **values
        Any of the keyword parameters of `max_margin_split` but `random_state`; the others have their defaults.

    Returns
    -------
    _core.SplitSettings

    Raises
    ------
    ValueError, TypeError
        As `max_margin_split`.
    """
    settings = _core.SplitSettings()
    for name, value in values.items():
        if name == "start":
            check_choice(name, value, STARTS)
            value = STARTS[value]
        elif name in ("subgradient", "restart"):
            if not isinstance(value, bool | np.bool_):
                raise TypeError(f"{name} is {value!r}; expected True or False")
            value = bool(value)
        elif name in _LEAST_COUNT:
            check_integer(name, value, _LEAST_COUNT[name])
            value = min(int(value), 2**31 - 1)
        else:
            least, most = _RANGES[name]
            _check_range(name, value, above=least if name in _POSITIVE else -math.inf, least=least, most=most)
            value = float(value)
        setattr(settings, name, value)
    return settings


#: What a split with a cannot-link may start from, as the core calls it.
STARTS = {
    "eigenvector": _core.SplitStart.EIGENVECTOR,
    "through-zero": _core.SplitStart.THROUGH_ZERO,
    "random": _core.SplitStart.RANDOM,
}
_RANGES = {
    "weight": (0.0, math.inf),
    "unconstrained": (0.0, math.inf),
    "share": (0.0, 1.0),
    "membership": (0.0, 0.5),
    "ridge": (0.0, math.inf),
    "tolerance": (0.0, math.inf),
    "gap": (0.0, math.inf),
    "early_gap": (0.0, math.inf),
    "step_tolerance": (0.0, math.inf),
}
_LEAST_COUNT = {"max_rounds": 1, "supervised_rounds": 0, "max_steps": 1}
_POSITIVE = {"weight", "share", "ridge", "gap", "early_gap"}


def _check_range(
    name: str, value: Any, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
) -> None:
    check_number(name, value)
    if not (value > above and least <= value <= most and math.isfinite(value)):
        words = f"> {above:g}" if above > -math.inf else f">= {least:g}"
        upper = f" and <= {most:g}" if most < math.inf else ""
        raise ValueError(f"{name} is {value}; expected a finite number {words}{upper}")


def _points(X: npt.ArrayLike) -> FloatArray:
    array = as_floats("X", X)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"X has shape {array.shape}; expected (n_samples, n_features), both at least 1")
    fine = np.abs(array) <= LARGEST_VALUE
    if not fine.all():
        row, column = np.argwhere(~fine)[0]
        raise ValueError(
            f"X[{row}, {column}] is {array[row, column]}; expected numbers of magnitude <= {LARGEST_VALUE:g}"
        )
    return array


def _pairs(name: str, pairs: npt.ArrayLike | None, n_samples: int) -> IntArray:
    if pairs is None or np.size(pairs) == 0:
        return np.zeros((0, 2), dtype=np.int64)
    array = as_array(name, pairs, "integers")
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} has shape {array.shape}; expected (n_pairs, 2)")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {array.dtype}; expected integers")
    bad = ((array < 0) | (array >= n_samples)).any(axis=1)
    if bad.any():
        k = int(np.argmax(bad))
        raise ValueError(f"{name}[{k}] is {array[k].tolist()}; expected rows 0..{n_samples - 1}")
    same = array[:, 0] == array[:, 1]
    if same.any():
        k = int(np.argmax(same))
        raise ValueError(f"{name}[{k}] is {array[k].tolist()}; expected two different rows")
    return np.ascontiguousarray(array, dtype=np.int64)
