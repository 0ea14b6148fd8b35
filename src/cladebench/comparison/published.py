"""Read labels that others published for a battery's data.

They are for the same methods as our runs.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cladebench.datasets.own.own_batteries import battery_of, published_labels, published_sets
from cladebench.metrics import rand_scores

#: Agreement (adjusted Rand index) from which on two partitions are called the same.
SAME = 0.99
#: Other runs of ours, by which a difference is explained.
OTHERS = 5


def variant_of(estimator: str, parameters: Mapping[str, Any]) -> str:
    """Name the published variant with the same parameters; empty if none."""
    name = estimator.rpartition(".")[2]
    if "linkage" in parameters:
        return f"fastcluster_{parameters['linkage']}"
    if name in ("KMeans", "FlatKMeans"):
        return "sklearn_kmeans"
    if name == "Birch":
        return f"sklearn_birch_T{parameters['threshold']:g}_BF{parameters['branching_factor']}"
    if name == "Genie":
        return f"Genie_G{parameters['gini_threshold']:.1f}"
    return "GIc" if name == "GIc" else ""


@functools.lru_cache(maxsize=1)
def _sets(file: str, sha256: str) -> frozenset[tuple[str, str]]:
    return published_sets(Path(file))


@functools.lru_cache(maxsize=1)
def published_of(source: str, file: str, sha256: str) -> dict[str, dict[int, np.ndarray]]:
    """Give a data set's published variants: name, number of clusters, labels.

    Nothing for other data.
    """
    place = battery_of(source)
    if place is None or place not in _sets(file, sha256):
        return {}
    return published_labels(Path(file), *place)


def as_published(X: np.ndarray, noise: int | None) -> np.ndarray:
    """Prepare features as the publisher did.

    One scale for all columns, tiny noise, single precision.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    noise : int or None
        Seed of the noise, whose standard deviation is 1e-6 of the data's; None for none. The publisher's had no seed.

    References
    ----------
    gagolews/clustering-results-v1, ``original/README.md``.
    """
    X = X[:, X.var(axis=0) > 0]
    if noise is not None:
        X = X + np.random.default_rng(noise).normal(0.0, X.std(ddof=1) * 1e-6, X.shape)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(ddof=1), dtype=np.float32)


def agreement(
    published: np.ndarray,
    clusters: np.ndarray,
    X: np.ndarray,
    refit: Callable[[np.ndarray, int | None], np.ndarray],
    seeded: bool,
) -> dict[str, float]:
    """Measure how far clusters agree with published ones.

    Where they do not, run the method again to learn why.

    Parameters
    ----------
    published, clusters : ndarray of shape (n_samples,)
    X : ndarray of shape (n_samples, n_features)
        As the file has them.
    refit : callable
        Clusters of the method on other features, with a seed where it is not None.
    seeded : bool
        Whether the method takes a seed: then other runs have other seeds, else other noise.

    Returns
    -------
    dict of str to float
        Measures of the plan; see `cladebench.comparison.as_plan.OWN_MEASURES`.
    """
    if len(published) != len(clusters):
        raise ValueError(f"{len(published)} labels are published; expected {len(clusters)}, one for each row")
    within = _within(X, published)
    metrics = {
        "published_agreement": _same(published, clusters),
        "published_within": _within(X, clusters) / within if within > 0 else 1.0,
        "published_seeded": float(seeded),
    }
    if metrics["published_agreement"] < SAME:
        plain = refit(as_published(X, None), None)
        others = [refit(as_published(X, None if seeded else i), i if seeded else None) for i in range(OTHERS)]
        metrics["published_same_scale"] = _same(published, plain)
        metrics["published_best_other"] = max(_same(published, other) for other in others)
        metrics["published_least_between"] = min(
            _same(one, other) for one, other in itertools.combinations([plain, *others], 2)
        )
    return metrics


def _same(one: np.ndarray, other: np.ndarray) -> float:
    corrected = rand_scores(one, other).corrected
    assert corrected is not None
    return float(corrected)


def _within(X: np.ndarray, clusters: np.ndarray) -> float:
    parts = [X[clusters == cluster] for cluster in np.unique(clusters)]
    return float(sum(((rows - rows.mean(axis=0)) ** 2).sum() for rows in parts))
