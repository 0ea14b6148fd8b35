"""The share of a forest's trees that part two samples.

They put them into different leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from cladebench import _core
from cladebench.distances._forest_single import LARGEST, in_single, warn_of_loss, zeros_and_units
from cladebench.distances.base import Distance, FloatArray, IntArray
from cladebench.distances.random_forest_distance import check_max_features
from cladebench.validation import check_int

#: Smaller features are scaled: scikit-learn's trees take values within 1e-7 for equal.
LEAST = 2.0**-10


class RandomForestProximity(Distance):
    """Count the trees that put two samples in different leaves.

    The distance is their share of a forest that learned the classes.

    One minus the proximity of Breiman and Cutler [1]_. A comparison of ours, in none of the papers: what one would take
    today where labels are at hand and a distance by trees is wanted, with no pairs to learn from.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees; as many as :class:`RandomForestDistance` has.
    max_features : {"sqrt", "log2"}, int or None, default="sqrt"
        How many features each node looks at, as in scikit-learn; None, and what is more than there are, is all.
    min_samples_leaf : int, default=1
        Samples that a leaf holds at least. Fully grown trees are those of [1]_; larger leaves make fewer distances that
        are 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest: of its bootstrap samples and of the features that a node looks at.

    Attributes
    ----------
    forest_ : RandomForestClassifier
        Fitted to the features in the zeros and units, and to the numbers of the classes.
    zero_, scale_ : ndarray of shape (n_features,)
        `zero_` is taken from the features, which are then divided by `scale_`, powers of two. They are 0 and 1 for most
        features: others lie far from 0, or have a magnitude below 2^-10 or above 2^100.

    Notes
    -----
    A pseudometric: in each tree samples are equal or not, and a mean of such distances obeys the triangle inequality. A
    fit uses all threads of the environment, and does not depend on their number.

    The trees are scikit-learn's: values, in the zeros and units above, are rounded to single precision, and a node does
    not split between values within 1e-7. `fit` warns where the rounding merges more than a tenth of the
    values of a feature.

    Shared leaves are counted by a product of two sparse tables of rows and leaves: a step for each pair of rows in each
    leaf, and fully grown trees have few rows in a leaf.

    References
    ----------
    .. [1] L. Breiman, A. Cutler, Random forests: manual, University of California, Berkeley, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cladebench.distances import RandomForestProximity
    >>> X, y = load_iris(return_X_y=True)
    >>> distance = RandomForestProximity(random_state=0).fit(X[::2], y[::2])
    >>> nearest = distance.kneighbors(X[1::2], 1, return_distance=False).ravel()
    >>> bool((y[::2][nearest] == y[1::2]).mean() > 0.9)
    True
    """

    uses_labels = True
    contract_params: ClassVar[Mapping[str, Any]] = {"n_estimators": 5}

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        max_features: str | int | None = "sqrt",
        min_samples_leaf: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("n_estimators", self.n_estimators, minimum=1)
        check_max_features(self.max_features)
        check_int("min_samples_leaf", self.min_samples_leaf, minimum=1)

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        from sklearn.ensemble import RandomForestClassifier

        self.zero_, units = zeros_and_units(X)
        # Ordinary units stay as they are: which values are within 1e-7 depends on them.
        self.scale_ = np.where((units >= LEAST) & (units <= LARGEST), 1.0, units)
        single, most = self._single("X", X), self.max_features
        warn_of_loss(X, single)
        self.forest_ = RandomForestClassifier(
            self.n_estimators,
            max_features=min(int(most), X.shape[1]) if isinstance(most, Integral) else most,
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=_core.max_threads(),
            random_state=self.random_state,
        ).fit(single, y)
        self._rows_in_leaves = self._leaves_of(single).T.tocsr()

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        leaves = self._leaves_of(self._single("X", X))
        # The fitted rows are asked for with each block of queries.
        rows_in_leaves = (
            self._rows_in_leaves if Y is self._fit_X else self._leaves_of(self._single("Y", Y)).T.tocsr()
        )
        shared = (leaves @ rows_in_leaves).toarray()
        return np.asarray((self.n_estimators - shared) / self.n_estimators)

    def _single(self, name: str, rows: FloatArray) -> np.ndarray:
        return in_single(name, rows, self.zero_, self.scale_)

    def _leaves_of(self, X: np.ndarray) -> sparse.csr_array:
        """Mark the leaf of each sample in each tree.

        A row for each sample, a column for each node: 1 where the sample rests in that leaf.
        """
        leaves = self.forest_.apply(X)
        n_nodes = [tree.tree_.node_count for tree in self.forest_.estimators_]
        leaves += np.cumsum([0, *n_nodes[:-1]])
        ends = np.arange(len(X) + 1) * self.n_estimators
        ones = np.ones(leaves.size, dtype=np.int32)
        return sparse.csr_array((ones, leaves.ravel(), ends), shape=(len(X), sum(n_nodes)))
