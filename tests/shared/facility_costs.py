"""Costs of exemplars, of several kinds."""

import numpy as np

KINDS = ("uniform", "points", "asymmetric", "whole", "duplicates", "prices apart", "below zero", "no metric")


def costs(n: int, seed: int, kind: str = "points", price: float = 1.0) -> np.ndarray:
    """Costs of one kind; `price` moves the number of exemplars."""
    rng = np.random.default_rng(seed)
    if kind in ("uniform", "whole"):
        d = rng.uniform(size=(n, n))
        d = d + d.T
    else:
        X = rng.normal(size=(n, 2))
        if kind == "duplicates":
            X = X[rng.integers(0, max(1, n // 2), n)]
        d = np.linalg.norm(X[:, None] - X[None], axis=2)
    if kind == "asymmetric":
        d *= rng.uniform(0.3, 3.0, (n, n))
    if kind == "no metric":
        d = d**3 * (rng.uniform(size=(n, n)) < 0.7)
    np.fill_diagonal(d, price)
    if kind == "prices apart":
        np.fill_diagonal(d, price * rng.exponential(size=n))
    if kind == "below zero":
        np.fill_diagonal(d, price * rng.normal(size=n))
    if kind == "whole":  # many ties
        d = np.rint(2.0 * d)
    return d
