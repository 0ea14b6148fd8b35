"""Check margin fits by a cone solver, a bound and a twin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cladebench.crosscheck._instances import FloatArray, draw, real_data
from cladebench.crosscheck.certificate import SOLVER, Certificate, Checks, excess, relative_difference, timed
from cladebench.reference import margin as reference
from cladebench.solvers import margin as solver

TOPICS = ("margin-fit",)

#: scope -> samples of each instance at most, and draws of random data.
SIZES = {"smoke": (30, 1), "quick": (120, 2), "full": (400, 5)}
#: The regularisers of the paper's variants: name -> weights for n_clusters and n_features.
VARIANTS = {
    "group": lambda K, P: {"group": 1.0 / (K * P)},
    "sparse-group": lambda K, P: {"group": 0.5 / (K * P), "l1": 0.2 / (K * P)},
    "l1": lambda K, P: {"l1": 0.5 / (K * P)},
    # Each feature with a weight of its own, some with none, and a tiny ridge, as exclusive sparsity alone has it.
    "exclusive": lambda K, P: {"l1": np.linspace(0.0, 1.0, P) / (K * P), "ridge": 1e-3 / (K * P)},
    "squared": lambda K, P: {"ridge": 1.0 / (K * P)},
}
#: Fits are made to this residual; the objective is then exact to about its square.
TOL = 1e-8


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of fits to all data, with every regulariser."""
    n_samples, n_draws = SIZES[scope]
    for name, X, labels, K in _instances(n_samples, n_draws, seed):
        yield loss(name, X, labels, np.random.default_rng(seed).normal(size=(K, X.shape[1])))
        for variant, weights_of in VARIANTS.items():
            yield from fit(name, variant, X, labels, K, weights_of(K, X.shape[1]))


def _instances(n_samples: int, n_draws: int, seed: int) -> Iterator[tuple[str, FloatArray, np.ndarray, int]]:
    rng = np.random.default_rng(seed)
    for k in range(n_draws):
        K = 2 + 3 * k
        labels = rng.integers(0, K, n_samples)
        centres = rng.normal(size=(K, 10))
        yield f"random-{n_samples}-{K}", centres[labels] + rng.normal(size=(n_samples, 10)), labels, K
    for name, (X, _) in real_data().items():
        rows = draw(X, min(n_samples, len(np.unique(X, axis=0))), seed, 10)
        rows = (rows - rows.mean(axis=0)) / np.maximum(rows.std(axis=0), 1e-12)
        # Halves along a random direction, some of them wrong: labels such as the alternation starts from.
        side = (rows @ rng.normal(size=rows.shape[1]) > 0).astype(np.int64)
        yield f"{name}-{len(rows)}", rows, np.where(rng.uniform(size=len(rows)) < 0.1, 1 - side, side), 2


def loss(instance: str, X: FloatArray, labels: np.ndarray, W: FloatArray) -> Certificate:
    """Check the loss of given models and its gradient."""
    fast = timed("kernel", solver.squared_hinge, X, labels, W)
    exact = timed("plain twin", reference.squared_hinge, X, labels, W)
    (value, gradient), (expected, slope) = fast.result, exact.result
    return Checks(TOPICS[0], instance).certify(
        "loss",
        "the loss and its gradient are the twin's",
        fast.giving(value),
        exact.giving(expected),
        residual=max(
            relative_difference(value, expected), float(abs(gradient - slope).max() / abs(slope).max())
        ),
        note="at random models; the gradient relative to its largest entry",
    )


def fit(
    instance: str, variant: str, X: FloatArray, labels: np.ndarray, K: int, weights: dict[str, Any]
) -> Iterator[Certificate]:
    """Check the optimum of a fit."""
    checks = Checks(TOPICS[0], instance)
    fast = timed("proximal quasi-Newton", solver.fit_margin, X, labels, K, tol=TOL, **weights)
    fitted = fast.result
    primal = fast.giving(reference.objective(X, labels, fitted.W, **weights))
    exact = timed("cvxpy, Clarabel", reference.fit_margin, X, labels, K, **weights)
    twin = exact.result
    yield checks.certify(
        f"{variant}-cone-programme",
        "the fit's objective is not above the cone solver's",
        primal,
        exact.giving(twin.objective),
        SOLVER,
        residual=excess,
        note=f"{fitted.n_iter} steps; residual {fitted.residual:.2g}, the cone solver's {twin.residual:.2g}",
    )
    yield checks.certify(
        f"{variant}-duality-gap",
        "the fit's objective is that of the lower bound made of its hinges",
        primal,
        timed("weak duality, in NumPy", reference.dual_bound, X, labels, fitted.W, **weights),
        1e-6,
        note="both values are recomputed from the returned models",
    )
