"""Similarities of samples whose distances are given."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.metrics.similarity import FloatArray, checked_features, in_own_unit


def similarity_of_distances(distances: npt.ArrayLike) -> FloatArray:
    """Turn distances d into similarities exp(-d^2 / median of d^2).

    By default :class:`~cladebench.metrics.Similarity` does the same for features of rows that all differ.

    Parameters
    ----------
    distances : array-like of shape (n_samples, n_samples)
        Symmetric, not negative, 0 on the diagonal. The median is over unordered pairs that are apart.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)

    Raises
    ------
    ValueError
        If it is no square matrix of finite numbers.

    Notes
    -----
    O(n_samples^2) time and memory. The unit of the distances changes no bit.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.metrics import similarity_of_distances
    >>> similarity_of_distances([[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [1.0, 2.0, 0.0]])[0].round(2).tolist()
    [1.0, 0.37, 0.37]
    """
    values = checked_features(distances)
    if values.shape[0] != values.shape[1]:
        raise ValueError(f"distances has shape {values.shape}; expected (n_samples, n_samples)")
    squares = in_own_unit(values) ** 2
    off = squares[np.triu_indices(len(squares), 1)]
    median = float(np.median(off[off > 0])) if (off > 0).any() else 1.0
    return np.asarray(np.exp(-squares / median))
