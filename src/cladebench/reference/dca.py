"""Learn by discriminative component analysis: covariances' sums, the generalised eigenproblem."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import scipy.linalg

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def chunklets(n_samples: int, must_link: IntArray) -> list[list[int]]:
    """Join rows that must link into groups.

    A row that must link with itself alone is a group.
    """
    groups = [{row} for row in range(n_samples)]
    for a, b in must_link:
        if groups[a] is not groups[b]:
            groups[a] |= groups[b]
            for row in groups[b]:
                groups[row] = groups[a]
    members = {min(groups[row]): sorted(groups[row]) for row in np.unique(must_link)}
    return [members[first] for first in sorted(members)]


def covariances(
    X: FloatArray, must_link: IntArray, cannot_link: IntArray, weighting: str = "chunklets"
) -> tuple[FloatArray, FloatArray]:
    """Compute C_b and C_w of Hoi et al. (2006), equations 3, 4.

    The weighting "rows" counts each row the same in C_w, the other one each chunklet.

    Returns
    -------
    between, within : ndarray of shape (n_features, n_features)
        Where no cannot-link is between two chunklets the first is the identity.
    """
    groups = chunklets(len(X), must_link)
    means = [X[group].mean(axis=0) for group in groups]
    of_row = {row: g for g, group in enumerate(groups) for row in group}
    linked = {frozenset((of_row[a], of_row[b])) for a, b in cannot_link if a in of_row and b in of_row}
    differences = [
        means[g] - means[h]
        for g, h in itertools.combinations(range(len(groups)), 2)
        if frozenset((g, h)) in linked
    ]
    between = [np.outer(v, v) for v in differences] or [np.eye(X.shape[1])]
    inner = [
        [np.outer(X[row] - mean, X[row] - mean) for row in group]
        for group, mean in zip(groups, means, strict=True)
    ]
    counted = itertools.chain(*inner) if weighting == "rows" else (np.mean(part, axis=0) for part in inner)
    return np.mean(between, axis=0), np.mean(list(counted), axis=0)


def components(between: FloatArray, within: FloatArray, n_components: int) -> tuple[FloatArray, FloatArray]:
    """Find generalised eigenvectors of largest ratio.

    C_w is the identity after them.

    Returns
    -------
    values : ndarray of shape (n_components,)
        Ratios, the largest first.
    components : ndarray of shape (n_components, n_features)
    """
    values, vectors = scipy.linalg.eigh(between, within)
    return values[::-1][:n_components], vectors[:, ::-1][:, :n_components].T
