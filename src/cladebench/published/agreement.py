"""Hold clusters against published labels of the same method."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cladebench.metrics import rand_scores
from cladebench.published.label_archive import as_published

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
        Measures of a comparison; see `cladebench.comparison.shown_measures.OWN_MEASURES`.

    Raises
    ------
    ValueError
        If there are more or fewer published labels than clusters.
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


def reason(row: Mapping[Any, Any], variant: str) -> str:
    """Say why two partitions differ; empty where they are the same.

    Other runs of ours show it.
    """
    agrees, seeded = row["published_agreement"], bool(row["published_seeded"])
    if agrees >= SAME:
        return ""
    same_scale, between = row["published_same_scale"] >= SAME, row["published_least_between"]
    if same_scale and between >= SAME:
        return "scale and rounding of the data"
    if same_scale or row["published_best_other"] >= SAME:
        return "another start" if seeded else "ties, which noise breaks"
    if between <= agrees:
        return "starts: ours differ as much" if seeded else "near ties: ours differ as much under such noise"
    if variant == "sklearn_kmeans" and abs(row["published_within"] - 1) > 1e-6:
        better = "ours" if row["published_within"] < 1 else "theirs"
        return f"two optima: {better} has fewer squares"
    return "not explained"
