"""Principal components of bags of words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import DatasetError

N_COMPONENTS = 100


def principal_scores(
    counts: NDArray[np.float64],
    file: str,
    decimals: int,
    *,
    roots: bool = True,
    sizes: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Compute principal components of word frequencies, or of their square roots.

    Components are fitted on these rows themselves.

    Parameters
    ----------
    counts : ndarray of shape (n_samples, n_words)
        Overwritten.
    file : str
        Name of the file that they are from, for messages.
    decimals : int
        To which scores are rounded, so that the last bit of a mathematical library does not matter.
    roots : bool, default=True
        Whether to take the square roots of the frequencies, which makes frequent words weigh less.
    sizes : ndarray of shape (n_samples,), optional
        Factor of the frequencies of each row, such as the relative size of an image.

    Returns
    -------
    ndarray of shape (n_samples, 100)
        Scores by falling variance, not scaled. In each component's loadings the entry of largest absolute value is
        positive.

    Raises
    ------
    DatasetError
        Fewer words than components, or a row without any.

    Notes
    -----
    All eigenvectors of the covariance matrix of the words, O(n_samples n_words^2 + n_words^3): nothing is random.
    """
    X = counts
    totals = X.sum(axis=1, keepdims=True)
    if X.shape[1] < N_COMPONENTS or not (totals > 0).all():
        raise DatasetError(
            f"{file}: expected {N_COMPONENTS} words or more and at least one in each row, found "
            f"{X.shape[1]} words and {int((totals <= 0).sum())} rows without any"
        )
    X /= totals
    if sizes is not None:
        X *= sizes[:, None]
    if roots:
        np.sqrt(X, out=X)
    X -= X.mean(axis=0)
    _, vectors = np.linalg.eigh(X.T @ X)
    loadings = vectors[:, : -N_COMPONENTS - 1 : -1]
    largest = loadings[np.abs(loadings).argmax(axis=0), np.arange(N_COMPONENTS)]
    scores = X @ (loadings * np.sign(largest))
    return np.round(scores, decimals) + 0.0  # no -0.0: equal values have equal bytes
