"""Check GHC's cost, gradient and samples by section 2.3's formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import norm

from cladebench.crosscheck._instances import SIMILARITIES, draw, real_data, standardized
from cladebench.crosscheck.certificate import (
    DIFFERENCES,
    Certificate,
    Checks,
    relative_difference,
    timed,
)
from cladebench.metrics.similarity import LinearKernel
from cladebench.reference import ghc as reference

TOPICS = ("ghc-cost", "ghc-gradient", "ghc-sampled-cost")

N_SAMPLES, N_FEATURES, N_LEAVES, HIDDEN_SIZE = 24, 4, 4, 3
#: Points of the gradient's instances: the twin is called twice for each parameter.
N_GRADIENT = 6
#: scope -> draws of each data set, draws of the sampled cost.
SIZES = {"smoke": (1, 200), "quick": (1, 2000), "full": (5, 5000)}
#: A false alarm in one of a thousand runs, over all tests of a run.
ALPHA = 1e-3
STEP = 1e-5
WORD_FOR_WORD = "section 2.3 word for word, with the leaf term"


@dataclass(frozen=True)
class Case:
    """One combination of router, similarity and penalty."""

    router: str
    similarity: str
    entropy_penalty: float

    @property
    def name(self) -> str:
        """Part of the certificate's id."""
        return f"{self.router}-{self.similarity}" + ("-entropy" if self.entropy_penalty else "")


CASES = (Case("linear", "dense", 0.0), Case("neural", "dense", 0.1), Case("linear", "low-rank", 0.0))


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of cost, gradient and samples by case and data."""
    n_draws, n_samples = SIZES[scope]
    instances = [
        (f"{name}-{N_SAMPLES}-{k}", draw(X, N_SAMPLES, seed + k, N_FEATURES))
        for name, (X, _) in real_data().items()
        for k in range(n_draws)
    ]
    # Two-sided, with Bonferroni's correction for all tests of this run.
    largest_z = float(norm.isf(ALPHA / (2 * len(instances) * len(CASES))))
    for number, (instance, raw) in enumerate(instances):
        X = standardized(raw)
        for case in CASES:
            similarity: Any = SIMILARITIES["exp"](X) if case.similarity == "dense" else LinearKernel(X)
            params = _random_parameters(case, seed)
            yield _cost(instance, case, X, similarity, params)
            few = X[:N_GRADIENT]
            small = (
                LinearKernel(few) if case.similarity == "low-rank" else similarity[:N_GRADIENT, :N_GRADIENT]
            )
            yield _gradient(f"{instance}-first-{N_GRADIENT}", case, few, small, params)
            # Tests of their own: with one stream of random numbers they would all err to one side.
            rng = np.random.default_rng([seed, number, CASES.index(case)])
            yield _sampled(instance, case, X, similarity, params, n_samples, rng, largest_z)


def path_probabilities(params: dict[str, np.ndarray], X: np.ndarray) -> np.ndarray:
    """Compute Pr[x -> v] of linear or neural routers, in heap order.

    Parameters
    ----------
    params : dict of ndarray
        As `cladebench.methods.ghc.routers.init_routers` gives them.
    X : ndarray of shape (n, d)

    Returns
    -------
    ndarray of shape (n, n_nodes)
    """
    scores = [np.zeros(len(X))]
    for node in range(2 * N_LEAVES - 2):
        at_node = {name: values[node] for name, values in params.items()}
        if "weights" in at_node:
            scores.append(X @ at_node["weights"] + at_node["bias"])
        else:
            hidden = np.tanh(X @ at_node["hidden_weights"] + at_node["hidden_bias"])
            scores.append(hidden @ at_node["output_weights"] + at_node["output_bias"])
    return reference.path_probabilities(np.column_stack(scores))


def mean_entropy(P: np.ndarray) -> float:
    """Compute lowest common ancestors' mean entropy over unordered pairs."""
    return float(np.mean([reference.lca_entropy(P[i], P[j]) for i, j in combinations(range(len(P)), 2)]))


def _random_parameters(case: Case, seed: int) -> dict[str, np.ndarray]:
    from cladebench.methods.ghc.routers import init_routers

    return init_routers(_router(case), np.random.default_rng(seed), 2 * N_LEAVES - 2, N_FEATURES)


def _router(case: Case) -> Any:
    from cladebench.methods.ghc.routers import LinearRouter, NeuralRouter

    return LinearRouter() if case.router == "linear" else NeuralRouter(HIDDEN_SIZE)


def _matrix(similarity: Any) -> np.ndarray:
    return similarity.X @ similarity.X.T if isinstance(similarity, LinearKernel) else similarity


def _cost(
    instance: str, case: Case, X: np.ndarray, similarity: Any, params: dict[str, np.ndarray]
) -> Certificate:
    from cladebench.methods.ghc.objective import exact_objective

    P, S = path_probabilities(params, X), _matrix(similarity)
    return Checks("ghc-cost", instance).certify(
        case.name,
        "the cost as matrix products is the sum over pairs, nodes and points",
        timed("matrix products", exact_objective, P, similarity),
        timed(WORD_FOR_WORD, reference.exact_objective, P, S),
        residual=lambda value, exact: abs(value - exact) / exact_objective(P, np.abs(S)),
    )


def _gradient(
    instance: str, case: Case, X: np.ndarray, similarity: Any, params: dict[str, np.ndarray]
) -> Certificate:
    from cladebench.methods.ghc.exact import value_and_gradient
    from cladebench.methods.ghc.objective import as_similarities
    from cladebench.methods.ghc.session import double_precision

    n, S = len(X), _matrix(similarity)
    pairs = np.triu_indices(n, 1) if case.entropy_penalty else (np.zeros(0, dtype=np.int64),) * 2

    def fast() -> tuple[float, dict[str, np.ndarray]]:
        with double_precision():
            value, gradient = value_and_gradient(
                _router(case), params, X, as_similarities(similarity), 1.0, case.entropy_penalty, pairs
            )
            return float(value), {name: np.asarray(values) for name, values in gradient.items()}

    def plain(values: dict[str, np.ndarray]) -> float:
        P = path_probabilities(values, X)
        penalty = case.entropy_penalty * mean_entropy(P) if case.entropy_penalty else 0.0
        return reference.exact_objective(P, S, pairs="ordered") / (n * n * (n - 1)) + penalty

    fast()  # compiles
    both = timed("JAX, one product with the similarity for value and gradient", fast)
    value, gradient = both.result
    slopes = timed(f"central differences, step {STEP:g}", central_differences, plain, params)
    differences = slopes.result
    largest = max(float(np.abs(part).max()) for part in differences.values())
    error = max(float(np.abs(gradient[name] - part).max()) for name, part in differences.items())
    return Checks("ghc-gradient", instance).certify(
        case.name,
        "the gradient is that of central differences of the cost taken word for word",
        both.giving(value),
        slopes.giving(plain(params)),
        DIFFERENCES,
        residual=max(error / largest, relative_difference(value, plain(params))),
        note=f"{sum(part.size for part in differences.values())} parameters; the residual is relative to the"
        " largest entry of the gradient; values are the normalised cost",
    )


def central_differences(function: Any, params: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Differentiate in every parameter by central differences.

    A slope is ``(f(x + h) - f(x - h)) / 2h``.
    """
    slopes = {}
    for name, values in params.items():
        slopes[name] = np.zeros_like(values)
        for index in np.ndindex(values.shape):
            sides = []
            for sign in (1.0, -1.0):
                moved = values.copy()
                moved[index] += sign * STEP
                sides.append(function(params | {name: moved}))
            slopes[name][index] = (sides[0] - sides[1]) / (2.0 * STEP)
    return slopes


def _sampled(
    instance: str,
    case: Case,
    X: np.ndarray,
    similarity: Any,
    params: dict[str, np.ndarray],
    n_draws: int,
    rng: np.random.Generator,
    largest_z: float,
) -> Certificate:
    from cladebench.methods.ghc.objective import sampled_objective

    P = path_probabilities(params, X)
    exact = timed(WORD_FOR_WORD, reference.exact_objective, P, _matrix(similarity))
    batch_size, n_second = 64, 4
    words = f"{n_draws} samples of {batch_size} pairs with {n_second} second points each"
    samples = timed(words, sampled_objective, rng, P, similarity, batch_size, n_second, n_draws=n_draws)
    error = float(samples.result.std(ddof=1)) / np.sqrt(n_draws)
    return Checks("ghc-sampled-cost", instance).certify(
        case.name,
        "the mean of the sampled cost is the exact cost: |z| stays below a two-sided test's bound",
        samples.giving(samples.result.mean()),
        exact,
        largest_z,
        residual=lambda mean, value: abs(mean - value) / error,
        note=f"relative standard error {error / abs(exact.result):.2g}, level {ALPHA:g} over all tests of the run; "
        f"scaled by |X|/|S'|: the printed |X|/|S| would multiply the mean by {n_second / batch_size:g}",
    )
