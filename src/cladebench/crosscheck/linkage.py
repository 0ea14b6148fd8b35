"""Check linkage without a matrix against the recurrence on all distances.

Each merge is replayed: it has to be of the nearest two clusters of its time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import pdist, squareform

from cladebench.crosscheck._instances import real_data
from cladebench.crosscheck.certificate import Certificate, Checks, timed
from cladebench.reference.linkages import excess
from cladebench.solvers.linkages import WITHOUT_MATRIX, linkage

TOPICS = ("linkage",)

#: scope -> rows of each data set, at most.
SIZES = {"smoke": 40, "quick": 300, "full": 1000}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield a check for each method and metric on each data set."""
    for name, (X_all, _) in real_data().items():
        X = X_all[np.random.default_rng(seed).permutation(len(X_all))[: SIZES[scope]]]
        for method, metrics in WITHOUT_MATRIX.items():
            for metric in metrics:
                yield replayed(f"{name}-{len(X)}", X, method, metric)


def replayed(instance: str, X: np.ndarray, method: str, metric: str) -> Certificate:
    """Check each merge of a tree."""
    fast = timed("centres, or the smallest distances, in the kernel", linkage, X, method, metric)
    D = squareform(pdist(X, metric))
    exact = timed("Lance and Williams on all distances", excess, fast.result, D, method)
    return Checks(TOPICS[0], instance).certify(
        f"{method}-{metric}",
        "each merge is of the nearest two clusters, at their distance",
        fast.giving(len(fast.result)),
        exact.giving(len(X) - 1),
        residual=max(exact.result),
        note="values are numbers of merges, the residual is relative to the largest height",
    )
