"""Small instances of real data, for the cross-checks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cladebench.metrics.similarity import Similarity

FloatArray = NDArray[np.float64]

#: Similarities that the instances are taken with, by name.
SIMILARITIES = {
    "exp_sq": Similarity(kind="exp_sq", gamma="median"),
    "inv_sq": Similarity(kind="inv_sq"),
    "exp": Similarity(kind="exp", features="zscore"),
}


@cache
def real_data() -> dict[str, tuple[FloatArray, NDArray[np.int64]]]:
    """Give features and labels of scikit-learn's sets and of ours here.

    Nothing is fetched: a cross-check needs real numbers, not a particular set.
    """
    from sklearn.datasets import load_iris, load_wine

    from cladebench import datasets

    data_sets = {}
    for name, loader in (("iris", load_iris), ("wine", load_wine)):
        bunch = loader()
        data_sets[name] = (np.asarray(bunch.data, dtype=np.float64), np.asarray(bunch.target, dtype=np.int64))
    for name in ("digits", "glass"):
        if datasets.availability(name):
            try:
                dataset = datasets.load(name)
            except datasets.DataUnavailable:
                continue
            data_sets[name] = (dataset.X, np.asarray(dataset.labels, dtype=np.int64))
    return data_sets


def draw(X: FloatArray, n_samples: int, seed: int, n_features: int | None = None) -> FloatArray:
    """Draw rows of distinct values without replacement.

    The columns that vary most among them are kept.

    Parameters
    ----------
    X : ndarray of shape (n, n_all)
    n_samples : int
        Rows to draw.
    seed : int
        Of the draw.
    n_features : int, optional
        Columns to keep (the lowest index first among equals); all by default.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
    """
    distinct = np.unique(X, axis=0)
    rows = distinct[np.random.default_rng(seed).choice(len(distinct), size=n_samples, replace=False)]
    if n_features is None:
        return rows
    kept = np.sort(np.argsort(-rows.var(axis=0), kind="stable")[:n_features])
    return np.ascontiguousarray(rows[:, kept])


def similarity_instances(
    n_samples: int, n_draws: int, seed: int, similarities: tuple[str, ...], n_features: int = 4
) -> Iterator[tuple[str, FloatArray, Similarity]]:
    """Yield (name, X, similarity): draws of every data set, with every similarity."""
    for name, (X, _) in real_data().items():
        for k in range(n_draws):
            points = draw(X, n_samples, seed + k, n_features)
            for kind in similarities:
                yield f"{name}-{n_samples}-{k}-{kind}", points, SIMILARITIES[kind]


def standardized(X: FloatArray) -> FloatArray:
    """Bring features to mean 0 and unit variance; constant ones to 0."""
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def between(points: FloatArray) -> FloatArray:
    """Euclidean distances of all pairs, shape (n, n)."""
    return np.asarray(np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2)))


def random_graph(n: int, seed: int) -> np.ndarray:
    """Weights from an exponential distribution, symmetric, zero diagonal."""
    upper = np.triu(np.random.default_rng(seed).exponential(size=(n, n)), 1)
    return upper + upper.T
