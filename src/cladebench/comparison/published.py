"""Hold clusters against labels that others published for the same method."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from cladebench.datasets.own.own_published import as_published
from cladebench.metrics import rand_scores

#: Agreement (adjusted Rand index) from which on two partitions are called the same.
SAME = 0.99
#: Other runs of ours, by which a difference is explained.
OTHERS = 5


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
