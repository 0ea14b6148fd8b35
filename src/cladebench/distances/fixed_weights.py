"""Weighted sums of distances whose weights are not learned by clustering.

What learning is held against.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from cladebench.discovery import Excuse
from cladebench.distances._exemplars import RuleOfWeights
from cladebench.solvers.given_distances import GivenDistances
from cladebench.validation import check_choice

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

WEIGHTS = ("equal", "raw", "random", "ratio")


class FixedWeights(RuleOfWeights):
    """Weigh distances by a rule that looks at no clustering.

    Clusters are by exemplars, as `ExemplarMetric` has them.

    Parameters
    ----------
    features : {"squared_differences"} or callable, optional
        What sets are given as; see `ExemplarMetric`.
    weights : {"equal", "raw", "random", "ratio"} or int, default="equal"
        Of distances that are scaled to mean 1: "equal": the average of all; "random": drawn uniformly from the simplex;
        "ratio": what the mean distance between clusters is more than that within, over the latter, which looks at pairs
        and at each distance by itself (equal where none is larger between clusters); an int: that one alone. "raw":
        the plain sum of the distances as they are, which for squared differences is the squared Euclidean distance.
    price : {"matched"} or float, default="matched"
        Cost of an exemplar; see `ExemplarMetric`. "matched" for these weights, as they are not learned for a price.
    random_state : int, RandomState or None, default=None
        Draws the random weights.

    Attributes
    ----------
    weights_ : ndarray of float64, shape (n_distances,)
        Weights of the distances as they are given.
    scales_ : ndarray of float64, shape (n_distances,)
        Mean of each distance in the training sets.
    price_ : float
    n_distances_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distances import FixedWeights
    >>> near = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0.0]])
    >>> stack = np.array([near, 5 - 5 * np.eye(4)])  # the second distance tells nothing
    >>> FixedWeights().fit([stack], [[0, 0, 1, 1]]).predict(stack).tolist()
    [0, 0, 1, 1]
    """

    contract_excuses: ClassVar[Mapping[str, Excuse]] = {
        "check_learns_which_distances_tell": (
            "equal weights are not learned from the clusters",
            AssertionError,
        )
    }

    def __init__(
        self,
        features: Any = None,
        weights: Literal["equal", "raw", "random", "ratio"] | int = "equal",
        price: Literal["matched"] | float = "matched",
        random_state: Any = None,
    ) -> None:
        self.features = features
        self.weights = weights
        self.price = price
        self.random_state = random_state

    def _check_parameters(self) -> None:
        if isinstance(self.weights, bool) or not isinstance(self.weights, Integral):
            check_choice("weights", self.weights, WEIGHTS)
        super()._check_parameters()

    def _scaled_weights(self, sets: list[GivenDistances], labels: list[IntArray]) -> FloatArray:
        n = self.n_distances_
        if not isinstance(self.weights, str):
            if not 0 <= self.weights < n:
                raise ValueError(f"weights={self.weights}: expected a distance, 0..{n - 1}")
            return np.asarray(np.arange(n) == self.weights, dtype=np.float64)
        if self.weights == "random":
            return np.asarray(check_random_state(self.random_state).dirichlet(np.ones(n)))
        if self.weights == "raw":
            return self.scales_ / self.scales_.sum()
        w = np.ones(n) if self.weights == "equal" else separation(sets, labels)
        return w / w.sum() if w.any() else np.full(n, 1.0 / n)


def separation(sets: list[GivenDistances], labels: list[IntArray]) -> FloatArray:
    """Measure each distance's mean between clusters over within, less 1.

    All sets' pairs count, and negative values are 0. So are those of a distance that is 0 wherever there are pairs
    of either kind, or where there are no such pairs.
    """
    n_distances = sets[0].shape[0]
    within, between, n_within, n_between = np.zeros(n_distances), np.zeros(n_distances), 0, 0
    for given, codes in zip(sets, labels, strict=True):
        n = len(codes)
        p, q = np.nonzero((codes[:, None] == codes) & ~np.eye(n, dtype=bool))
        inside = given.total(p, q)
        within += inside
        between += given.means() / given.scales * n * (n - 1) - inside
        n_within, n_between = n_within + len(p), n_between + n * (n - 1) - len(p)
    if not n_within or not n_between:
        return np.zeros(n_distances)
    ratio = (between / n_between) / np.maximum(within / n_within, 1e-12)
    return np.asarray(np.maximum(ratio - 1.0, 0.0))
