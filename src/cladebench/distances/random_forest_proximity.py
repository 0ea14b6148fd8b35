"""The share of a forest's trees that part two samples.

They put them into different leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from cladebench import _core
from cladebench.distances import _forest_bags as bags
from cladebench.distances._forest_single import LARGEST, in_single, warn_of_loss, zeros_and_units
from cladebench.distances.base import Distance, FloatArray, IntArray
from cladebench.distances.leaf_map import LeafMap, digest_of_forest, largest_products, one_column_each
from cladebench.distances.random_forest_distance import check_max_features
from cladebench.validation import check_choice, check_int

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

    Shared leaves are counted by a product of two sparse tables of rows and leaves (`leaf_map`): a step for each pair of
    rows in each leaf, and fully grown trees have few rows in a leaf.

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
        trees = self.forest_.estimators_
        seeds = [len(X), *(tree.random_state for tree in trees)]  # which tell the bags
        splits = [part for tree in trees for part in (tree.tree_.feature, tree.tree_.threshold)]
        self._digest = digest_of_forest([self.zero_, self.scale_, seeds, *splits])
        self._column_of = _number_leaves(self.forest_)
        leaves = self._leaves_of(single)
        # Both: to get one from the other takes 20 times as long as to copy it, and trees are larger.
        self._rows_in_leaves, self._fitted_leaves = leaves.T.tocsr(), leaves.indices.reshape(len(X), -1)

    def leaf_map(self, X: Any = None, weights: str = "leaf") -> LeafMap:
        """Give the forest as a sparse matrix: sample by tree's leaf.

        P = Q W R' has the proximities, and R is Q but for "gap". Nothing of size n^2 is made.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            The fitted rows by default, known by the bags that they are in. Rows that are given are new ones: they are
            in no bag, even where they equal fitted rows.
        weights : {"leaf", "oob", "gap"}, default="leaf"
            "leaf": the share of the trees in which two rows share a leaf, 1 - `pairwise`.

            "oob": T c / (s_a s_b), where c counts the trees in which both rows are out of bag and share a leaf, and s_a
            the trees, of all T, in which row a is out of bag. It is the separable form [2]_ of Breiman and Cutler's
            c / s_ab, where s_ab counts the trees in which both are out of bag. The latter is no product of two factors
            of rows; s_a s_b / T is what it is near to.

            "gap": the mean, over the trees in which row a is out of bag, of the share that row b has of the bag in a's
            leaf, drawn twice counting twice [3]_. Not symmetric: R is of the fitted rows. Rows of P sum to 1, and P
            times the indicators of classes is what the forest says out of bag.

        Returns
        -------
        LeafMap of shape (n, n_leaves)
            A ``csr_array`` with at most n_estimators entries in a row. With "oob" and "gap" a fitted row that is in all
            bags has none.

        Raises
        ------
        ValueError
            If X or ``weights`` makes no sense.

        Notes
        -----
        O(n n_estimators depth) time, 12 bytes for each row and tree.

        References
        ----------
        .. [2] A. Aumon, G. Wolf, K. R. Moon, J. S. Rhodes, Revisiting forest proximities via sparse leaf-incidence
           kernels, arXiv:2601.02735, 2026.
        .. [3] J. S. Rhodes, A. Cutler, K. R. Moon, Geometry- and accuracy-preserving random forest proximities, IEEE
           Transactions on Pattern Analysis and Machine Intelligence 45, 2023.

        Examples
        --------
        >>> import numpy as np
        >>> from cladebench.distances import RandomForestProximity
        >>> X = np.arange(20.0)[:, None]
        >>> forest = RandomForestProximity(n_estimators=50, random_state=0).fit(X, X[:, 0] >= 10)
        >>> Q = forest.leaf_map(weights="gap")
        >>> P = Q.operator()
        >>> bool(np.allclose(P @ np.ones(20), 1))
        True
        >>> votes = P @ (X[:, 0] >= 10)
        >>> bool(votes[0] < 0.1 and votes[19] > 0.9)
        True
        """
        check_is_fitted(self, "forest_")
        check_choice("weights", weights, ("leaf", "oob", "gap"))
        if X is None:
            leaves = self._leaves_of_fitted()
        else:
            leaves = self._leaves_of(self._single("X", self._rows("X", X)))
        n_trees = len(self.forest_.estimators_)
        of: dict[str, Any] = {"weights": weights, "forest": self._digest}
        if weights == "leaf":
            return LeafMap(leaves, **of, divisor=n_trees)
        if weights == "oob" and X is not None:
            return LeafMap(bags.out_of_bag(leaves, None), **of, divisor=1.0 / n_trees)
        drawn = bags.times_drawn(self.forest_, len(self._fit_X))
        Q = bags.out_of_bag(leaves, drawn if X is None else None)
        if weights == "oob":
            return LeafMap(Q, **of, divisor=1.0 / n_trees)
        fitted = leaves if X is None else self._leaves_of_fitted()
        return LeafMap(Q, **of, right=bags.shares_of_bags(fitted, drawn))

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        leaves = self._leaves_of(self._single("X", X))
        # The fitted rows are asked for with each block of queries.
        rows_in_leaves = (
            self._rows_in_leaves if Y is self._fit_X else self._leaves_of(self._single("Y", Y)).T.tocsr()
        )
        return self._distances((leaves @ rows_in_leaves).toarray())

    def _nearest(self, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        leaves = self._leaves_of(self._single("X", X))
        shared, index = largest_products(leaves, self._rows_in_leaves, k)
        return self._distances(shared), index

    def _distances(self, shared: FloatArray) -> FloatArray:
        n_trees = len(self.forest_.estimators_)
        return np.asarray((n_trees - shared) / n_trees)

    def _single(self, name: str, rows: FloatArray) -> np.ndarray:
        return in_single(name, rows, self.zero_, self.scale_)

    def _leaves_of_fitted(self) -> sparse.csr_array:
        """Mark the leaf of each fitted row in each tree.

        What is written into the array does not change the forest.
        """
        return one_column_each(self._fitted_leaves.copy(), self._rows_in_leaves.shape[0])

    def _leaves_of(self, X: np.ndarray) -> sparse.csr_array:
        """Mark each sample's leaf in each tree by 1.

        There is a row for each sample and a column for each leaf of all trees.
        """
        leaves, n_leaves = (
            np.empty((len(self._column_of), len(X)), dtype=np.int32),
            self._column_of[-1][-1] + 1,
        )
        for t, reached in enumerate(self.forest_.apply(X).T):
            np.take(self._column_of[t], reached, out=leaves[t], mode="clip")
        return one_column_each(leaves.T, int(n_leaves))


def _number_leaves(forest: Any) -> list[np.ndarray]:
    """Number the leaves of all trees: for each tree, by node."""
    numbers, n_leaves = [], 0
    for tree in forest.estimators_:
        numbers.append((n_leaves - 1 + np.cumsum(tree.tree_.children_left < 0)).astype(np.int32))
        n_leaves = int(numbers[-1][-1]) + 1
    return numbers
