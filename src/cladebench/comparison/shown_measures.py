"""Measures of a comparison's own, and those that tables show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cladebench.measures import Measure, with_own

#: By the first of them settings are chosen: it reads no labels.
UNLABELLED = ("silhouette", "calinski_harabasz", "agreement")
LABELLED = ("ari", "ami", "dendrogram_purity", "dasgupta_ratio")
COSTS = ("fit_seconds", "memory_mb")

OWN_MEASURES: Mapping[str, Mapping[str, Any]] = {
    "dasgupta_ratio": {
        "meaning": "Dasgupta cost over its expectation when the rows of the tree are permuted: 1 by chance",
        "title": "Dasgupta cost / chance",
        "direction": "lower",
        "range": [0, None],
        "blind": 1.0,
    },
    "silhouette": {
        "meaning": "mean silhouette: how much nearer points lie to their own cluster than to the next",
        "title": "silhouette",
        "direction": "higher",
        "range": [-1, 1],
    },
    "calinski_harabasz": {
        "meaning": "Calinski-Harabasz index: variance between clusters over variance within",
        "title": "Calinski-Harabasz",
        "direction": "higher",
        "range": [0, None],
    },
    "refit_agrees": {
        "meaning": "1 where a second fit with the same seed gave the same clusters",
        "title": "refit agrees",
        "range": [0, 1],
    },
    "published_agreement": {"meaning": "adjusted Rand index of ours with the published labels"},
    "published_within": {"meaning": "sum of squares within clusters, ours over the published one"},
    "published_same_scale": {"meaning": "agreement of ours after the publisher's scaling, without his noise"},
    "published_best_other": {"meaning": "best agreement of ours over other seeds, or other noise"},
    "published_least_between": {"meaning": "least agreement of ours among themselves, over these"},
    "published_seeded": {"meaning": "1 where the others differ by seed, 0 where they differ by noise"},
}


def importable(labelled: bool) -> dict[str, Measure]:
    """Give the measures that imported scores may be of."""
    known = with_own(OWN_MEASURES)
    return {name: known[name] for name in (*LABELLED * labelled, *UNLABELLED) if name in known}
